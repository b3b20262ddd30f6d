// The scheme `exact` against reference states with 25 digits: the tops of Xu and Zhong, and the free body.

#include "paper_top.h"

static ph_model *free_body_model(ph_vec3 moments, ph_vec3 omega)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 1.0;
    body.inertia = ph_diag(moments);
    body.angular_velocity = omega;
    ph_spec_add_body(spec, &body);
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static void check_free_body(const char *text, const char *name)
{
    const char *at = reference_case(text, name);
    top_run run = top_run_model(free_body_model(reference_vector(at, "I"), reference_vector(at, "w0")), "exact");
    const int states = reference_states(at);
    CHECK_EQ_INT(states, 5);
    for (int i = 0; i < states; i++) {
        char path[64];
        snprintf(path, sizeof path, "states.%d.t", i);
        ph_state_reset(run.state);
        top_run_steps(&run, reference_number(at, path), 1);
        const double distance = reference_distance(at, i, "w", ph_state_orientations(run.state)[0],
                                                   ph_state_angular_velocities(run.state)[0]);
        CHECK_NEAR(distance, 0.0, 1e-13);
    }
    top_run_end(&run);
}

TEST(free_asymmetric_body)
{
    char *text = reference_read("euler-top.json");
    check_free_body(text, "A_I123_w(0.5,1,0.8)");
    free(text);
}

TEST(free_body_that_flips)
{
    char *text = reference_read("euler-top.json");
    check_free_body(text, "Dzhanibekov");
    free(text);
}

// The middle component of the angular velocity vanishes three times, at times of the file.
TEST(free_body_flips_when_it_should)
{
    char *text = reference_read("euler-top.json");
    const char *at = reference_case(text, "Dzhanibekov");
    top_run run = top_run_model(free_body_model(reference_vector(at, "I"), reference_vector(at, "w0")), "exact");
    const ph_vec3 crossings = reference_vector(at, "w2_zero_crossings");
    const double times[3] = {crossings.x, crossings.y, crossings.z};
    for (int i = 0; i < 3; i++) {
        top_run_steps(&run, times[i] - ph_state_time(run.state), 1);
        CHECK_NEAR(ph_state_angular_velocities(run.state)[0].y, 0.0, 1e-13);
    }
    top_run_end(&run);
    free(text);
}

// A hundred steps to each state: nothing adds up.
static void check_top(const char *text, const char *name)
{
    const char *at = reference_case(text, name);
    paper_top top = {.q = reference_quat(at, "q0"), .omega = reference_vector(at, "w0")};
    const ph_vec3 moments = reference_vector(at, "I");
    top.moments[0] = moments.x, top.moments[1] = moments.y, top.moments[2] = moments.z;
    top_run run = top_run_start(&top, PH_REFERENCE_ORIGIN, "exact");
    const int states = reference_states(at);
    CHECK_EQ_INT(states, 4);
    for (int i = 0; i < states; i++) {
        char path[64];
        snprintf(path, sizeof path, "states.%d.t", i);
        ph_state_reset(run.state);
        top_run_steps(&run, reference_number(at, path) / 100.0, 100);
        const double distance = reference_distance(at, i, "w_body", ph_state_orientations(run.state)[0],
                                                   ph_state_angular_velocities(run.state)[0]);
        CHECK_NEAR(distance, 0.0, 1e-13);
    }
    top_run_end(&run);
}

TEST(symmetric_tops)
{
    static const char *const names[] = {"sym_IC1", "sym_IC2", "sym_IC3", "sym_IC1_30pi", "sym_lowspin20"};
    char *text = reference_read("top-states.json");
    for (int i = 0; i < 5; i++) {
        check_top(text, names[i]);
    }
    free(text);
}

// Bruels, Cardona and Arnold give ten digits.
TEST(heavy_top_of_the_benchmarks)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "top";
    body.mass = 15.0;
    body.inertia = ph_diag(ph_vec(0.234375, 0.46875, 0.234375));
    body.position = (ph_vec3){0.0, 1.0, 0.0};
    body.angular_velocity = (ph_vec3){0.0, 150.0, -4.61538};
    body.velocity = (ph_vec3){4.61538, 0.0, 0.0};
    ph_joint_def tip = ph_default_joint();
    tip.name = "tip";
    tip.type = "ball";
    tip.body_a = ph_spec_add_body(spec, &body); // the world is the second body here
    tip.body_b = PH_WORLD;
    tip.has_anchor = true;
    ph_spec_add_joint(spec, &tip);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    top_run run = top_run_model(model, "exact");
    top_run_steps(&run, 1.0, 1);
    const ph_vec3 x = ph_state_positions(run.state)[0], w = ph_state_angular_velocities(run.state)[0];
    CHECK_NEAR(x.x, 0.1733439641, 1e-10);
    CHECK_NEAR(x.y, 0.6400885921, 1e-10);
    CHECK_NEAR(x.z, -0.7484907911, 1e-10);
    CHECK_NEAR(w.x, -0.822078102, 1e-9);
    CHECK_NEAR(w.y, 150.0, 1e-11);
    CHECK_NEAR(w.z, -5.923291348, 1e-9);
    top_run_end(&run);
}
