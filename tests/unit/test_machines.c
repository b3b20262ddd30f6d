// The machines of examples/machines do what their files say, and the files stay short.

#include "rig.h"

#ifdef PH_WITH_YAML

static int lines_of(const char *file)
{
    char path[512];
    int lines = 0, c;
    snprintf(path, sizeof path, "%s/examples/machines/%s", TEST_SOURCE_DIR, file);
    FILE *f = fopen(path, "r");
    while (f && (c = fgetc(f)) != EOF) lines += c == '\n';
    if (f) fclose(f);
    return lines;
}

static rig open_machine(const char *file, int most_lines, double until, ph_summary *summary)
{
    char path[64];
    ph_error error = {0};
    const int lines = lines_of(file);
    CHECK(lines > 0 && lines <= most_lines);
    snprintf(path, sizeof path, "machines/%s", file);
    rig r = {.model = rig_example(path)};
    r.state = r.model ? ph_state_create(r.model) : NULL;
    ph_run_def def = ph_default_run();
    def.until = until;
    if (r.state && !CHECK_EQ_INT(ph_run(r.model, r.state, &def, summary, &error), PH_OK)) printf("  %s\n", error.text);
    if (r.model) CHECK_EQ_INT(ph_observer_create(r.model, &r.observer), PH_OK);
    return r;
}

static double coordinate(const rig *r, const char *joint)
{
    double q[PH_JOINT_COORDINATES] = {0};
    ph_observer_joint(r->observer, r->state, ph_model_find_joint(r->model, joint), q, NULL);
    return q[0];
}

TEST(stewart_platform_follows_its_legs)
{
    ph_summary s;
    rig r = open_machine("stewart.yaml", 30, 2.0, &s);
    if (!r.observer) return;
    CHECK_EQ_INT(ph_model_freedoms(r.model), 6 + 0);
    CHECK(s.position_violation_max < 1e-13);
    for (int i = 0; i < 6; i++) {
        char leg[8];
        snprintf(leg, sizeof leg, "leg%d", i);
        CHECK_NEAR(coordinate(&r, leg), 0.05 * sin(2.0 * 2.0 + i * 3.14159265358979 / 3.0),
                   0.012); // servos give way to the weight
    }
    rig_close(&r);
}

TEST(satellite_keeps_its_momentum)
{
    ph_summary s;
    rig r = open_machine("satellite.yaml", 30, 15.0, &s);
    if (!r.observer) return;
    CHECK(s.has_angular && s.angular_max_error < 1e-11);
    CHECK(s.energy_max_abs_error < 1e-4 * s.energy_scale);
    CHECK(fabs(ph_state_orientations(r.state)[0].w) < 0.999); // it has turned
    rig_close(&r);
}

TEST(car_drives_over_the_bumps)
{
    ph_summary s;
    rig r = open_machine("car.yaml", 35, 5.0, &s);
    if (!r.observer) return;
    const int body = ph_model_find_body(r.model, "body");
    CHECK(rig_position(&r, body).x > 3.0 && rig_position(&r, body).z > 0.4 && rig_position(&r, body).z < 0.9);
    CHECK(s.penetration_max < 1e-3);
    rig_close(&r);
}

// The second stand is 1.2 rad round from the first.
TEST(arm_carries_the_ball_to_the_other_stand)
{
    ph_summary s;
    rig r = open_machine("arm.yaml", 40, 2.5, &s);
    if (!r.observer) return;
    const int ball = ph_model_find_body(r.model, "ball");
    CHECK(rig_position(&r, ball).z > 0.35); // lifted
    rig_close(&r);
    r = open_machine("arm.yaml", 40, 6.5, &s);
    const ph_vec3 place = {0.55 * cos(1.2), 0.55 * sin(1.2), 0.28};
    CHECK(rig_distance(rig_position(&r, ball), place) < 0.02);
    CHECK(s.penetration_max < 1e-4);
    rig_close(&r);
}

#endif
