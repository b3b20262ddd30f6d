// Many worlds side by side: each has the bits of a simulation alone, whatever the threads, and fails alone.
#include "test.h"

#include "polhode/polhode.h"

#include <math.h>
#include <string.h>

// A pendulum with a motor that ends in a closed loop, and beside it a ball that falls on a floor.
static const char LEG[] =
    "polhode: 1\n"
    "parameters: {m: 1, stiff: 20}\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {torque: 0}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1]}]}\n"
    "  - {name: crank, position: [0.25, 0, 2], mass: m, inertia: [0.01, 0.02, 0.02]}\n"
    "  - {name: coupler, position: [1, 0, 2], mass: m, inertia: [0.01, 0.09, 0.09]}\n"
    "  - {name: rocker, position: [1.5, 0, 1.75], mass: m, inertia: [0.02, 0.02, 0.01]}\n"
    "  - {name: ball, position: [5, 0, 0.3], shapes: [{type: sphere, radius: 0.1, density: 900}]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [world, crank], anchor: [0, 0, 2], axis: [0, 1, 0]}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], anchor: [0.5, 0, 2], axis: [0, 1, 0]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], anchor: [1.5, 0, 2], axis: [0, 1, 0]}\n"
    "  - {name: D, type: revolute, bodies: [rocker, world], anchor: [1.5, 0, 1.5], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  - {type: torsion, joint: A, stiffness: stiff, damping: 0.1}\n"
    "  - {type: wrench, body: crank, torque: [0, \"torque\", 0]}\n"
    "run: {scheme: moreau, step: 1e-3, until: 1}\n";

static ph_model *leg(const char *mass)
{
    const ph_setting settings[] = {{"m", mass}};
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(LEG, strlen(LEG), "leg", settings, 1, NULL, &spec), PH_OK);
    if (spec) CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

static ph_batch *make(const ph_model *model, int worlds, int threads)
{
    ph_batch_def def = ph_default_batch();
    ph_batch *batch = NULL;
    ph_error error = {.status = PH_OK};
    def.worlds = worlds;
    def.threads = threads;
    def.seed = 7;
    if (!CHECK_EQ_INT(ph_batch_create(model, &def, &batch, &error), PH_OK)) printf("  %s\n", error.text);
    return batch;
}

static const ph_batch_start SHAKEN = {.keyframe = PH_NONE,
                                      .rate_noise = 0.0,
                                      .position_noise = 0.1,
                                      .orientation_noise = 1.0,
                                      .velocity_noise = 1.0,
                                      .angular_velocity_noise = 3.0};

static bool same_state(ph_state *a, ph_state *b, int bodies)
{
    const size_t n = (size_t)bodies;
    return ph_state_time(a) == ph_state_time(b) &&
           !memcmp(ph_state_positions(a), ph_state_positions(b), n * sizeof(ph_vec3)) &&
           !memcmp(ph_state_orientations(a), ph_state_orientations(b), n * sizeof(ph_quat)) &&
           !memcmp(ph_state_velocities(a), ph_state_velocities(b), n * sizeof(ph_vec3)) &&
           !memcmp(ph_state_angular_velocities(a), ph_state_angular_velocities(b), n * sizeof(ph_vec3));
}

TEST(worlds_have_the_bits_of_simulations_alone)
{
    enum { WORLDS = 17, ROUNDS = 20, STEPS = 10 };
    ph_model *model = leg("1");
    const ph_sim_def def = ph_default_sim();
    for (int threads = 1; model && threads <= 8; threads = threads == 1 ? 2 : threads + 3) {
        ph_batch *batch = make(model, WORLDS, threads);
        ph_state *alone[WORLDS];
        ph_sim *sim = NULL;
        CHECK_EQ_INT(ph_batch_reset(batch, &SHAKEN, NULL), PH_OK);
        CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
        for (int w = 0; w < WORLDS; w++) {
            alone[w] = ph_state_create(model);
            ph_state_copy(alone[w], ph_batch_state(batch, w));
        }
        for (int k = 0; k < ROUNDS; k++) {
            for (int w = 0; w < WORLDS; w++) {
                ph_state_inputs(ph_batch_state(batch, w))[0] = ph_state_inputs(alone[w])[0] = sin(k + w);
                CHECK_EQ_INT(ph_sim_advance(sim, alone[w], 1e-3, STEPS, NULL), PH_OK);
            }
            CHECK_EQ_INT(ph_batch_step(batch, NULL, 1e-3, STEPS), PH_OK);
        }
        CHECK_EQ_INT(ph_batch_failed(batch), 0);
        for (int w = 0; w < WORLDS; w++) {
            CHECK(same_state(alone[w], ph_batch_state(batch, w), ph_model_bodies(model)));
            ph_state_destroy(alone[w]);
        }
        CHECK(!same_state(ph_batch_state(batch, 0), ph_batch_state(batch, 1), ph_model_bodies(model)));
        ph_sim_destroy(sim);
        ph_batch_destroy(batch);
    }
    ph_model_destroy(model);
}

TEST(states_lie_side_by_side)
{
    ph_model *model = leg("1");
    ph_batch *batch = make(model, 5, 1);
    char *first = (char *)ph_state_positions(ph_batch_state(batch, 0));
    char *last = (char *)ph_state_positions(ph_batch_state(batch, 4));
    CHECK(last - first == (ptrdiff_t)(4 * ph_batch_stride(batch)));
    CHECK(ph_batch_bytes(batch) >= 5 * ph_batch_stride(batch));
    CHECK(ph_batch_state(batch, 5) == NULL && ph_batch_state(batch, -1) == NULL);
    ph_batch_destroy(batch);
    ph_model_destroy(model);
}

TEST(a_world_fails_alone_and_comes_back)
{
    ph_model *model = leg("1");
    ph_batch *batch = make(model, 3, 2);
    const char *message;
    ph_state_positions(ph_batch_state(batch, 1))[1].x += 0.5; // off its joint
    ph_state_touch(ph_batch_state(batch, 1));
    CHECK_EQ_INT(ph_batch_step(batch, NULL, 1e-3, 10), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(batch), 1);
    CHECK_EQ_INT(ph_batch_status(batch, 1, &message), PH_BAD_STATE);
    CHECK(strlen(message) > 10);
    CHECK_NEAR(ph_state_time(ph_batch_state(batch, 0)), 0.01, 1e-15);
    CHECK_NEAR(ph_state_time(ph_batch_state(batch, 1)), 0.0, 0.0);
    const uint8_t mask[3] = {0, 1, 0};
    CHECK_EQ_INT(ph_batch_reset(batch, &(ph_batch_start){.mask = mask, .keyframe = PH_NONE}, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_step(batch, mask, 1e-3, 10), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(batch), 0);
    CHECK(same_state(ph_batch_state(batch, 0), ph_batch_state(batch, 1), ph_model_bodies(model)));
    ph_batch_destroy(batch);
    ph_model_destroy(model);
}

TEST(a_world_may_have_a_model_of_its_own)
{
    ph_model *model = leg("1"), *heavy = leg("3");
    ph_batch *batch = make(model, 3, 2);
    const ph_sim_def def = ph_default_sim();
    ph_state *alone = ph_state_create(heavy);
    ph_sim *sim = NULL;
    CHECK_EQ_INT(ph_batch_set_model(batch, 2, heavy, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_step(batch, NULL, 1e-3, 50), PH_OK);
    CHECK_EQ_INT(ph_sim_create(heavy, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_advance(sim, alone, 1e-3, 50, NULL), PH_OK);
    CHECK(same_state(alone, ph_batch_state(batch, 2), ph_model_bodies(model)));
    CHECK(!same_state(alone, ph_batch_state(batch, 0), ph_model_bodies(model)));
    CHECK_EQ_INT(ph_batch_set_model(batch, 2, NULL, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_step(batch, (const uint8_t[]){0, 0, 1}, 1e-3, 50), PH_OK);
    CHECK(same_state(ph_batch_state(batch, 0), ph_batch_state(batch, 2), ph_model_bodies(model)));
    ph_sim_destroy(sim);
    ph_state_destroy(alone);
    ph_batch_destroy(batch);
    ph_model_destroy(heavy);
    ph_model_destroy(model);
}

TEST(whole_motions_are_those_of_single_calls)
{
    enum { WORLDS = 4, ROWS = 6 };
    ph_model *model = leg("1");
    ph_batch *whole = make(model, WORLDS, 2), *parts = make(model, WORLDS, 1);
    double inputs[WORLDS][ROWS], q[WORLDS][ROWS][4], qd[WORLDS][ROWS][4], now[WORLDS][4], rates[WORLDS][4];
    for (int w = 0; w < WORLDS; w++)
        for (int k = 0; k < ROWS; k++) inputs[w][k] = cos(3 * w + k);
    CHECK_EQ_INT(ph_batch_coordinates(whole), 4);
    const ph_batch_rollout r = {
        .step = 2e-3, .rows = ROWS, .every = 5, .inputs = inputs[0], .coordinates = q[0][0], .rates = qd[0][0]};
    CHECK_EQ_INT(ph_batch_roll(whole, &r), PH_OK);
    for (int k = 0; k < ROWS; k++) {
        for (int w = 0; w < WORLDS; w++) ph_state_inputs(ph_batch_state(parts, w))[0] = inputs[w][k];
        CHECK_EQ_INT(ph_batch_step(parts, NULL, 2e-3, 5), PH_OK);
        ph_batch_joints(parts, now[0], rates[0]);
        for (int w = 0; w < WORLDS; w++)
            CHECK(!memcmp(now[w], q[w][k], sizeof now[w]) && !memcmp(rates[w], qd[w][k], sizeof rates[w]));
    }
    ph_batch_destroy(whole);
    ph_batch_destroy(parts);
    ph_model_destroy(model);
}

TEST(joints_of_trees_get_the_noise_that_was_asked_for)
{
    static const char ARM[] = "polhode: 1\n"
                              "bodies:\n"
                              "  - {name: a, position: [0.5, 0, 0], mass: 1, inertia: [0.01, 0.1, 0.1]}\n"
                              "  - {name: b, position: [1.5, 0, 0], mass: 1, inertia: [0.01, 0.1, 0.1]}\n"
                              "joints:\n"
                              "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
                              "  - {name: B, type: revolute, bodies: [a, b], anchor: [1, 0, 0], axis: [0, 0, 1]}\n";
    enum { WORLDS = 50 };
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(ARM, strlen(ARM), "arm", NULL, 0, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_batch *batch = make(model, WORLDS, 2);
    const ph_batch_start start = {.keyframe = PH_NONE, .coordinate_noise = 0.2, .rate_noise = 3.0};
    double q[WORLDS][2], qd[WORLDS][2], most[2] = {0}, sum = 0.0;
    CHECK_EQ_INT(ph_batch_reset(batch, &start, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(batch), 0);
    ph_batch_joints(batch, q[0], qd[0]);
    for (int w = 0; w < WORLDS; w++) {
        most[0] = fmax(most[0], fmax(fabs(q[w][0]), fabs(q[w][1])));
        most[1] = fmax(most[1], fmax(fabs(qd[w][0]), fabs(qd[w][1])));
        sum += q[w][0] + q[w][1];
    }
    CHECK(most[0] <= 0.2 && most[0] > 0.15 && most[1] <= 3.0 && most[1] > 2.5);
    CHECK(fabs(sum / (2 * WORLDS)) < 0.2 / sqrt(3.0 * 2 * WORLDS) * 4); // four standard errors
    ph_batch_destroy(batch);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(noise_depends_on_seed_world_and_reset_alone)
{
    ph_model *model = leg("1");
    ph_batch *a = make(model, 6, 1), *b = make(model, 6, 3);
    ph_batch_start start = SHAKEN;
    start.coordinate_noise = 0.05;
    start.rate_noise = 0.5;
    CHECK_EQ_INT(ph_batch_reset(a, &start, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_reset(b, &start, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(a), 0);
    for (int w = 0; w < 6; w++) CHECK(same_state(ph_batch_state(a, w), ph_batch_state(b, w), ph_model_bodies(model)));
    CHECK(ph_state_angular_velocities(ph_batch_state(a, 0))[1].y != 0.0); // the loop moves ...
    CHECK_EQ_INT(ph_batch_step(a, NULL, 1e-3, 1), PH_OK);                 // ... and is closed
    CHECK_EQ_INT(ph_batch_failed(a), 0);
    const uint8_t odd[6] = {0, 1, 0, 1, 0, 1};
    ph_batch_start again = SHAKEN;
    again.mask = odd;
    CHECK_EQ_INT(ph_batch_reset(a, &again, NULL), PH_OK);
    for (int w = 0; w < 6; w++) CHECK_EQ_INT(ph_state_time(ph_batch_state(a, w)) == 0.0, odd[w]);
    start.position_noise = NAN;
    CHECK_EQ_INT(ph_batch_reset(a, &start, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_batch_reset(a, &(ph_batch_start){.keyframe = 0}, NULL), PH_NOT_FOUND);
    ph_batch_destroy(a);
    ph_batch_destroy(b);
    ph_model_destroy(model);
}

// A floating machine is turned and pushed as one piece: its joints stay closed and at rest in it.
TEST(floating_machines_get_noise_as_one_piece)
{
    static const char TUMBLER[] = "polhode: 1\n"
                                  "bodies:\n"
                                  "  - {name: a, position: [0.5, 0, 0], mass: 1, inertia: [0.01, 0.1, 0.1]}\n"
                                  "  - {name: alone, position: [9, 0, 0], mass: 1, inertia: [1, 1, 1]}\n"
                                  "  - {name: b, position: [1.5, 0, 0], mass: 2, inertia: [0.01, 0.1, 0.1]}\n"
                                  "joints:\n"
                                  "  - {name: B, type: revolute, bodies: [a, b], anchor: [1, 0, 0], axis: [0, 0, 1]}\n";
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(TUMBLER, strlen(TUMBLER), "tumbler", NULL, 0, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_batch *batch = make(model, 20, 2);
    ph_observer *observer = NULL;
    double q[20], qd[20];
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    CHECK_EQ_INT(ph_batch_reset(batch, &SHAKEN, NULL), PH_OK);
    ph_batch_joints(batch, q, qd);
    for (int w = 0; w < 20; w++) {
        ph_measures m;
        ph_state *s = ph_batch_state(batch, w);
        ph_observer_measure(observer, s, &m);
        CHECK(m.position_violation < 1e-15 && m.velocity_violation < 4e-15);
        CHECK(fabs(q[w]) < 1e-15 && fabs(qd[w]) < 4e-15);
        CHECK(fabs(ph_state_positions(s)[0].x - 0.5) <= 0.1 && ph_state_positions(s)[0].x != 0.5);
        CHECK(ph_state_velocities(s)[0].x != ph_state_velocities(s)[1].x); // each machine by itself
        CHECK(ph_state_angular_velocities(s)[2].x != 0.0);
    }
    ph_observer_destroy(observer);
    ph_batch_destroy(batch);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(worlds_get_parameters_of_their_own_without_a_model_from_outside)
{
    enum { WORLDS = 9 };
    ph_model *model = leg("1");
    ph_batch *a = make(model, WORLDS, 1), *b = make(model, WORLDS, 4);
    const ph_batch_range ranges[] = {{"m", 0.5, 2.0}, {"stiff", 10, 40}};
    double drawn[WORLDS][2], same[WORLDS][2];
    ph_error error = {.status = PH_OK};
    CHECK_EQ_INT(ph_batch_randomise(a, NULL, ranges, 2, drawn[0], &error), PH_OK);
    CHECK_EQ_INT(ph_batch_randomise(b, NULL, ranges, 2, same[0], &error), PH_OK);
    CHECK(!memcmp(drawn, same, sizeof same));
    CHECK_EQ_INT(ph_batch_step(a, NULL, 1e-3, 50), PH_OK);
    CHECK_EQ_INT(ph_batch_step(b, NULL, 1e-3, 50), PH_OK);
    for (int w = 0; w < WORLDS; w++) {
        char mass[32], stiff[32];
        snprintf(mass, sizeof mass, "%.17g", drawn[w][0]);
        snprintf(stiff, sizeof stiff, "%.17g", drawn[w][1]);
        CHECK(drawn[w][0] >= 0.5 && drawn[w][0] < 2.0 && drawn[w][1] >= 10 && drawn[w][1] < 40);
        CHECK(same_state(ph_batch_state(a, w), ph_batch_state(b, w), ph_model_bodies(model)));
        ph_model *own = NULL; // as one that was read with these values
        ph_sim *sim = NULL;
        CHECK_EQ_INT(ph_model_again(model, (ph_setting[]){{"m", mass}, {"stiff", stiff}}, 2, NULL, &own), PH_OK);
        ph_state *s = ph_state_create(own);
        CHECK_EQ_INT(ph_sim_create(own, &(ph_sim_def){0}, &sim, NULL) == PH_OK, 0); // no cookie
        const ph_sim_def def = ph_default_sim();
        CHECK_EQ_INT(ph_sim_create(own, &def, &sim, NULL), PH_OK);
        for (int k = 0; k < 50; k += 16) ph_sim_advance(sim, s, 1e-3, k + 16 > 50 ? 50 - k : 16, NULL);
        CHECK(same_state(s, ph_batch_state(a, w), ph_model_bodies(model)));
        ph_sim_destroy(sim);
        ph_state_destroy(s);
        ph_model_destroy(own);
    }
    uint8_t one[WORLDS] = {[3] = 1};
    const double before = drawn[4][0];
    CHECK_EQ_INT(ph_batch_randomise(a, one, ranges, 2, drawn[0], &error), PH_OK);
    CHECK(drawn[3][0] != same[3][0] && drawn[4][0] == before && ph_state_time(ph_batch_state(a, 3)) == 0.0);
    CHECK_EQ_INT(ph_batch_set_model(a, 3, NULL, &error), PH_OK); // the shared one again
    CHECK_EQ_INT(ph_batch_randomise(a, NULL, &(ph_batch_range){"mm", 1, 2}, 1, NULL, &error) == PH_OK, 0);
    CHECK(strstr(error.text, "mm") != NULL);
    CHECK_EQ_INT(ph_batch_failed(a), 0);
    CHECK_EQ_INT(ph_batch_randomise(a, one, &(ph_batch_range){"m", -3.0, 5.0}, 1, NULL, &error), PH_OK);
    CHECK_EQ_INT(ph_batch_randomise(a, NULL, &(ph_batch_range){"m", 2.0, 1.0}, 1, NULL, &error), PH_BAD_ARGUMENT);
    ph_batch_destroy(a);
    ph_batch_destroy(b);
    ph_model_destroy(model);
}

TEST(worlds_differ_in_numbers_not_in_what_there_is)
{
    static const char text[] =
        "polhode: 1\nparameters: {n: 2, l: 0.3, first: 0.4}\ngravity: [0, 0, -9.81]\n"
        "bodies: [{repeat: {i: n}, name: rod$i, position: [0, 0, -l*(i + 0.5)], mass: 1, inertia: [0.1, 0.1, 0.1]}]\n"
        "joints: [{name: top, type: revolute, bodies: [world, rod0], anchor: [0, 0, 0], axis: y, coordinate: first},\n"
        "         {repeat: {i: n - 1}, name: j$i, type: ball, bodies: [rod$i, 'rod$(i + 1)'], anchor: [0, 0, -l*(i + 1)]}]\n"
        "initial: project\n";
    enum { WORLDS = 4 };
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "rods", NULL, 0, NULL, &spec), PH_OK);
    if (!CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK)) return;
    ph_batch *b = make(model, WORLDS, 2);
    double drawn[WORLDS], q[WORLDS * 4];
    ph_error error = {.status = PH_OK};
    const char *why = "";
    CHECK_EQ_INT(ph_batch_randomise(b, NULL, &(ph_batch_range){"l", 0.2, 0.4}, 1, drawn, &error), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(b), 0);
    CHECK_EQ_INT(ph_batch_randomise(b, NULL, &(ph_batch_range){"n", 3.0, 3.0}, 1, drawn, &error), PH_OK);
    CHECK_EQ_INT(ph_batch_failed(b), WORLDS); // three rods are another machine
    CHECK(ph_batch_status(b, 0, &why) != PH_OK && strstr(why, "bodies") != NULL);
    CHECK_EQ_INT(ph_batch_randomise(b, NULL, &(ph_batch_range){"top.coordinate", 0.1, 0.2}, 1, drawn, &error), PH_OK);
    ph_batch_joints(b, q, NULL);
    for (int w = 0; w < WORLDS; w++) CHECK_NEAR(q[w * ph_batch_coordinates(b)], drawn[w], 1e-14);
    CHECK_EQ_INT(ph_batch_failed(b), 0);
    ph_batch_destroy(b);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}
