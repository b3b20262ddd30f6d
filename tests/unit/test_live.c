// A simulation that somebody watches: what its commands do, and that looking changes nothing.

#include "test.h"

#include "polhode/polhode.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const char *const PENDULUM =
    "{\"polhode\": 1, \"name\": \"rod\", \"parameters\": {\"l\": 1, \"g\": 9.81, \"n\": 1}, \"inputs\": {\"u\": 0},"
    " \"gravity\": [0, 0, \"-g\"],"
    " \"bodies\": [{\"name\": \"rod\", \"position\": [0, \"l/2\", 0], \"mass\": 2, \"inertia\": [0.17, 0.01, 0.17]}],"
    " \"joints\": [{\"name\": \"hook\", \"type\": \"revolute\", \"bodies\": [\"world\", \"rod\"], \"anchor\": [0, 0, 0],"
    "   \"axis\": \"x\", \"motor\": {\"torque\": \"u\"}}],"
    " \"keyframes\": [{\"name\": \"down\", \"joints\": {\"hook\": {\"coordinate\": -1.5}}}],"
    " \"run\": {\"scheme\": \"rattlie\", \"step\": 1e-3, \"until\": 1}}";

static ph_model *read_rod(void)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    if (ph_spec_read_text(PENDULUM, strlen(PENDULUM), "rod", NULL, 0, problems, &spec) == PH_OK) {
        ph_model_compile(spec, problems, &model);
    }
    for (int i = 0; !model && i < ph_problems_count(problems); i++) printf("%s\n", ph_problems_get(problems, i)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

static ph_live *watch(const ph_model *model)
{
    const ph_live_def def = ph_default_live();
    ph_live *live = NULL;
    ph_error error = {.text = ""};
    if (model && ph_live_create(model, &def, &live, &error) != PH_OK) printf("%s\n", error.text);
    return live;
}

static double angle(ph_live *live)
{
    const ph_vec3 x = ph_state_positions(ph_live_state(live))[0];
    return atan2(x.z, x.y);
}

TEST(looking_on_changes_no_bit)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    if (!CHECK(live) || !CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK)) return;
    ph_state *state = ph_state_create(model);
    size_t bytes;
    for (int k = 0; k < 100; k++) {
        CHECK_EQ_INT(ph_sim_step(sim, state, 1e-3, NULL), PH_OK);
        CHECK(ph_live_command(live, "step 1"));
        CHECK(ph_live_frame(live, &bytes) && bytes > 0);
        ph_live_news(live);
    }
    CHECK(memcmp(ph_state_positions(state), ph_state_positions(ph_live_state(live)), sizeof(ph_vec3)) == 0);
    CHECK(memcmp(ph_state_velocities(state), ph_state_velocities(ph_live_state(live)), sizeof(ph_vec3)) == 0);
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(parameters_inputs_and_keyframes)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    if (!CHECK(live)) return;
    ph_live_command(live, "step 100");
    const double before = angle(live);
    CHECK(before < -0.01);
    CHECK(ph_live_command(live, "set g 0")); // the motion goes on, without gravity
    CHECK_NEAR(angle(live), before, 1e-12);
    CHECK_NEAR(ph_state_time(ph_live_state(live)), 0.1, 1e-12);
    const ph_vec3 v = ph_state_velocities(ph_live_state(live))[0];
    ph_live_command(live, "step 100");
    const ph_vec3 w = ph_state_velocities(ph_live_state(live))[0];
    CHECK_REL(hypot(w.y, w.z), hypot(v.y, v.z), 1e-9); // nothing makes it faster
    CHECK(ph_live_command(live, "set u 5"));
    ph_live_command(live, "step 100");
    const ph_vec3 u = ph_state_velocities(ph_live_state(live))[0];
    CHECK(fabs(hypot(u.y, u.z) - hypot(w.y, w.z)) > 0.1);
    CHECK(ph_live_command(live, "reset down"));
    CHECK_NEAR(angle(live), -1.5, 1e-12);
    CHECK(!ph_live_command(live, "reset nowhere"));
    CHECK(ph_live_command(live, "reset"));
    CHECK_NEAR(angle(live), 0.0, 1e-15);
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(a_moved_joint_is_closed)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    if (!CHECK(live)) return;
    ph_live_command(live, "step 200");
    const double before = angle(live);
    CHECK(ph_live_command(live, "set l 2"));
    const ph_vec3 x = ph_state_positions(ph_live_state(live))[0];
    CHECK_NEAR(hypot(x.y, x.z), 1.0, 1e-12); // half of the length now
    CHECK_NEAR(angle(live), before, 1e-9);
    CHECK(ph_live_command(live, "step 10"));
    CHECK(strstr(ph_live_news(live), "\"message\":\"\""));
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(pulling_does_work_and_ends)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    ph_observer *observer = NULL;
    ph_measures start, end;
    if (!CHECK(live) || !CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK)) return;
    ph_observer_measure(observer, ph_live_state(live), &start);
    CHECK(ph_live_command(live, "drag 0 0 0.5 0 0 0.5 2"));
    CHECK(ph_live_model(live) != model);
    ph_live_command(live, "step 300");
    CHECK(angle(live) > 0.1);
    CHECK(ph_live_command(live, "release"));
    CHECK(ph_live_model(live) == model);
    ph_observer_measure(observer, ph_live_state(live), &end);
    CHECK(end.work > 1.0);
    CHECK_NEAR(end.total, start.total, 1e-3 * end.work);
    CHECK(!ph_live_command(live, "drag 7 0 0 0 0 0 0"));
    CHECK(!ph_live_command(live, "drag 0 0 0 0 0 nan 0"));
    ph_observer_destroy(observer);
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(what_cannot_be_is_said_and_changes_nothing)
{
    static const char *const wrong[] = {"set l inf",    "set l x",  "set nothing 1", "scheme nonsense",
                                        "scheme exact", "length 0", "length -1",     "step 0",
                                        "step",         "speed 0",  "fly",           "",
                                        "set",          "step 1e9"};
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    if (!CHECK(live)) return;
    ph_live_command(live, "step 10");
    const ph_vec3 before = ph_state_positions(ph_live_state(live))[0];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (ph_live_command(live, wrong[i])) printf("  '%s' was taken\n", wrong[i]);
        CHECK(!ph_live_command(live, wrong[i]));
    }
    CHECK(memcmp(&before, ph_state_positions(ph_live_state(live)), sizeof before) == 0);
    CHECK_STR(ph_live_scheme(live), "rattlie");
    CHECK_NEAR(ph_live_step(live), 1e-3, 0.0);
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(it_keeps_step_with_a_clock)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    if (!CHECK(live)) return;
    ph_live_advance(live, 100.0, 10.0);
    CHECK_NEAR(ph_state_time(ph_live_state(live)), 0.0, 0.0);
    CHECK_EQ_INT((int)ph_live_advance(live, 100.25, 10.0), 250);
    CHECK(ph_live_command(live, "speed 0.1"));
    ph_live_advance(live, 101.0, 10.0);
    ph_live_advance(live, 102.0, 10.0);
    CHECK_NEAR(ph_state_time(ph_live_state(live)), 0.35, 1e-9);
    ph_live_command(live, "pause");
    CHECK_EQ_INT((int)ph_live_advance(live, 110.0, 10.0), 0);
    CHECK(ph_live_command(live, "scheme rk4"));
    CHECK(ph_live_command(live, "play"));
    ph_live_advance(live, 111.0, 10.0);
    CHECK(ph_live_advance(live, 112.0, 10.0) > 90);
    ph_live_destroy(live);
    ph_model_destroy(model);
}

TEST(viewers_write_decimal_points_in_every_locale)
{
    ph_model *model = read_rod();
    ph_live *live = watch(model);
    if (!CHECK(live)) return;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        ph_live_destroy(live);
        ph_model_destroy(model);
        SKIP("no locale with a decimal comma");
    }
    CHECK(ph_live_command(live, "speed 0.5"));
    CHECK(ph_live_command(live, "length 0.002"));
    ph_live_command(live, "step 1");
    setlocale(LC_NUMERIC, "C");
    CHECK_NEAR(ph_state_time(ph_live_state(live)), 0.002, 0.0);
    ph_live_destroy(live);
    ph_model_destroy(model);
}
