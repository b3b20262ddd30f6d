// Sleep under moreau: what is at rest stops, keeps its contacts, and wakes when something happens to it.
#include "rig.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

// Two stacks of three boxes, far from each other, a ball high above the first, a ball that rolls for ever, and a handle on
// the upper box of the second.
static const char MODEL[] =
    "polhode: 1\n"
    "parameters: {height: 100, speed: 0, tolerance: 1e-8}\n"
    "gravity: [0, 0, -9.81]\n"
    "inputs: {pull: 0}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1], friction: 0.5}]}\n"
    "  - {name: a1, position: [0, 0, 0.1], shapes: &box [{type: box, size: [0.2, 0.2, 0.2], density: 500}]}\n"
    "  - {name: a2, position: [0, 0, 0.3], shapes: *box}\n"
    "  - {name: a3, position: [0, 0, 0.5], shapes: *box}\n"
    "  - {name: b1, position: [3, 0, 0.1], shapes: *box}\n"
    "  - {name: b2, position: [3, 0, 0.3], shapes: *box}\n"
    "  - {name: b3, position: [3, 0, 0.5], shapes: *box}\n"
    "  - {name: ball, position: [0.02, 0, height], shapes: [{type: sphere, radius: 0.1, density: 500}]}\n"
    "  - {name: roller, position: [0, 5, 0.1], velocity: [0.5, 0, 0], angular_velocity: [0, 5, 0],\n"
    "     shapes: [{type: sphere, radius: 0.1, density: 500}]}\n"
    "forces:\n"
    "  - {type: wrench, body: b3, force: [\"pull\", 0, 0]}\n"
    "contact: {sleep: speed, tolerance: tolerance}\n";

typedef struct night {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
} night;

static night begin(const char *speed, const char *height, const char *tolerance, int threads)
{
    night n = {0};
    const ph_setting settings[] = {{"speed", speed}, {"height", height}, {"tolerance", tolerance}};
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(MODEL, strlen(MODEL), "night", settings, 3, NULL, &spec), PH_OK);
    if (spec) CHECK_EQ_INT(ph_model_compile(spec, NULL, &n.model), PH_OK);
    ph_spec_destroy(spec);
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    def.threads = threads;
    n.state = n.model ? ph_state_create(n.model) : NULL;
    if (n.state) CHECK_EQ_INT(ph_sim_create(n.model, &def, &n.sim, NULL), PH_OK);
    return n;
}

static void end(night *n)
{
    ph_sim_destroy(n->sim);
    ph_state_destroy(n->state);
    ph_model_destroy(n->model);
}

static void run(night *n, int steps)
{
    for (int k = 0; k < steps; k++) CHECK_EQ_INT(ph_sim_step(n->sim, n->state, 0.005, NULL), PH_OK);
}

static bool is_still(const night *n, const char *body)
{
    const int b = ph_model_find_body(n->model, body);
    return ph_norm(ph_state_velocities(n->state)[b]) == 0.0 && ph_norm(ph_state_angular_velocities(n->state)[b]) == 0.0;
}

static ph_vec3 place(const night *n, const char *body)
{
    return ph_state_positions(n->state)[ph_model_find_body(n->model, body)];
}

// Force that the floor bears.
static double weight(const night *n, const char *body)
{
    int count;
    double sum = 0.0;
    const int b = ph_model_find_body(n->model, body), floor = ph_model_find_body(n->model, "floor");
    const ph_contact *c = ph_state_contacts(n->state, &count);
    for (int k = 0; k < count; k++)
        if (c[k].body_a == floor && c[k].body_b == b) sum += c[k].force.z;
    return sum;
}

static const double STACK = 3.0 * 500.0 * 0.008 * 9.81; // N

TEST(stacks_fall_asleep_and_keep_their_contacts)
{
    NEEDS_YAML;
    static const char *const tolerances[] = {"1e-8", "1e-4"}; // solved by rows, and plain
    for (int k = 0; k < 2; k++) {
        night n = begin("1e-3", "100", tolerances[k], 1);
        run(&n, 80); // 0.4 s
        CHECK(!is_still(&n, "a1") || !is_still(&n, "b3"));
        run(&n, 70);
        static const char *const boxes[] = {"a1", "a2", "a3", "b1", "b2", "b3"};
        for (int b = 0; b < 6; b++) CHECK(is_still(&n, boxes[b]));
        CHECK(!is_still(&n, "ball") && !is_still(&n, "roller"));
        CHECK_NEAR(weight(&n, "a1"), STACK, 0.02 * STACK);
        CHECK_NEAR(weight(&n, "b1"), STACK, 0.02 * STACK);
        const ph_vec3 before = place(&n, "a3");
        ph_step_report report;
        CHECK_EQ_INT(ph_sim_step(n.sim, n.state, 0.005, &report), PH_OK);
        CHECK(report.contacts >= 24); // those of the sleepers count
        run(&n, 50);
        const ph_vec3 after = place(&n, "a3");
        CHECK(memcmp(&before, &after, sizeof before) == 0);
        end(&n);
    }
}

TEST(nothing_sleeps_unless_asked)
{
    NEEDS_YAML;
    night n = begin("0.0", "100", "1e-8", 1);
    run(&n, 200);
    CHECK(!is_still(&n, "a1") || !is_still(&n, "a2") || !is_still(&n, "a3"));
    end(&n);
}

// The ball falls 4 m on the first stack; the second sleeps on.
TEST(a_ball_wakes_the_stack_that_it_hits)
{
    NEEDS_YAML;
    night n = begin("1e-3", "4.7", "1e-6", 1);
    run(&n, 150);
    CHECK(is_still(&n, "a1") && is_still(&n, "a3") && is_still(&n, "b1"));
    const double height = place(&n, "a3").z;
    while (ph_state_time(n.state) < 0.95) run(&n, 1);
    CHECK(!is_still(&n, "a1") && !is_still(&n, "a3"));
    CHECK(is_still(&n, "b1") && is_still(&n, "b3"));
    run(&n, 400);
    CHECK(place(&n, "ball").z < height + 0.21 && place(&n, "ball").z > 0.09); // on the stack or beside it
    end(&n);
}

TEST(an_input_wakes_what_it_pulls_at)
{
    NEEDS_YAML;
    night n = begin("1e-3", "100", "1e-6", 1);
    run(&n, 150);
    CHECK(is_still(&n, "b3"));
    ph_state_inputs(n.state)[0] = 1e-4; // less than a thousandth of the weight: sleeps on
    run(&n, 1);
    CHECK(is_still(&n, "b3"));
    ph_state_inputs(n.state)[0] = 30.0; // more than friction holds
    run(&n, 20);
    CHECK(!is_still(&n, "b3") && is_still(&n, "a3"));
    CHECK(place(&n, "b3").x > 3.005);
    end(&n);
}

// The box below is taken away.
TEST(what_loses_its_support_falls)
{
    NEEDS_YAML;
    night n = begin("1e-3", "100", "1e-6", 1);
    run(&n, 150);
    CHECK(is_still(&n, "a3"));
    ph_state_positions(n.state)[ph_model_find_body(n.model, "a1")].y += 1.0;
    ph_state_touch(n.state);
    run(&n, 100);
    CHECK(place(&n, "a3").z < 0.31);
    end(&n);
}

TEST(sleep_is_saved_and_restored)
{
    NEEDS_YAML;
    night n = begin("1e-3", "4.7", "1e-6", 1), other = begin("1e-3", "4.7", "1e-6", 2);
    run(&n, 150);
    const size_t size = ph_state_saved_size(n.state);
    void *saved = malloc(size);
    CHECK(saved && ph_state_save_memory(n.state, saved, size, NULL) == PH_OK);
    CHECK_EQ_INT(ph_state_load_memory(other.state, saved, size, NULL), PH_OK);
    free(saved);
    run(&n, 40); // the ball hits at 0.9 s
    run(&other, 40);
    const size_t bytes = sizeof(ph_vec3) * (size_t)ph_model_bodies(n.model);
    CHECK(memcmp(ph_state_positions(n.state), ph_state_positions(other.state), bytes) == 0);
    CHECK(memcmp(ph_state_velocities(n.state), ph_state_velocities(other.state), bytes) == 0);
    CHECK(!is_still(&n, "a3") && is_still(&n, "b3"));
    end(&n);
    end(&other);
}

// T + U - W does not notice who falls asleep: what stops is accounted for as work.
TEST(energy_is_accounted_for)
{
    NEEDS_YAML;
    night n = begin("1e-3", "100", "1e-6", 1), awake = begin("0.0", "100", "1e-6", 1);
    run(&n, 200);
    run(&awake, 200);
    CHECK_NEAR(ph_state_work(n.state), ph_state_work(awake.state), 1e-4);
    end(&n);
    end(&awake);
}
