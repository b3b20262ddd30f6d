// Contact forces where they are felt: in joints, in stress, in records; limits and dry friction of joints; overlap.
#include "contact_case.h"
#include "folder.h"

#include <sys/stat.h>
#include <unistd.h>

static rig open_text(const char *text)
{
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "text", NULL, 0, problems, &spec), PH_OK);
    if (spec) CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return rig_open(model, "moreau");
}

// A bar of 2 kg and 1 m, hinged at one end, with the key `more` of its joint.
static rig bar(const char *more, const char *shapes)
{
    char text[1024];
    snprintf(text, sizeof text,
             "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1]}]}\n"
             "  - {name: bar, mass: 2, inertia: [0.001, 1/6, 1/6], position: [0.5, 0, 0.1], shapes: [%s]}\n"
             "joints:\n"
             "  - {name: hinge, type: revolute, bodies: [world, bar], anchor: [0, 0, 0.1], axis: [0, -1, 0]%s}\n"
             "contact: {}\nrun: {scheme: moreau, step: 0.005, until: 1}\n",
             shapes, more);
    return open_text(text);
}

static ph_wrench hinge(const rig *r)
{
    ph_wrench reaction;
    CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, NULL, &reaction), PH_OK);
    return reaction;
}

// The other end rests on the floor: each end carries half of the weight.
TEST(contacts_are_felt_in_joints)
{
    NEEDS_YAML;
    rig r = bar("", "{type: sphere, radius: 0.1, position: [0.5, 0, 0], friction: 0}");
    rig_step(&r, 0.005, 50);
    CHECK_REL(hinge(&r).force.z, 9.81, 1e-5);
    CHECK_REL(case_force(&r, "bar", "floor").z, 9.81, 1e-5);
    CHECK_NEAR(case_position(&r, "bar").z, 0.1, 1e-8);
    rig_close(&r);
}

TEST(limits_hold)
{
    NEEDS_YAML;
    rig r = bar(", limits: [-0.01, null]", "");
    rig_step(&r, 0.005, 400);
    double q, rate;
    ph_observer_joint(r.observer, r.state, 0, &q, &rate);
    CHECK_NEAR(q, -0.01, 1e-8);
    CHECK_NEAR(rate, 0.0, 1e-7);
    CHECK_REL(hinge(&r).force.z, 2.0 * 9.81, 1e-5);
    rig_close(&r);
}

// Friction of 10 N m holds the bar (m g l/2 = 9.81 N m), 9 N m do not: q'' = 0.81/(2/3).
TEST(dry_friction_is_exact)
{
    NEEDS_YAML;
    rig r = bar(", friction: 10", "");
    rig_step(&r, 0.005, 200);
    CHECK_NEAR(case_position(&r, "bar").z, 0.1, 1e-9);
    rig_close(&r);
    r = bar(", friction: 9", "");
    rig_step(&r, 0.001, 100);
    double rate;
    ph_observer_joint(r.observer, r.state, 0, NULL, &rate);
    CHECK_REL(rate, -0.1 * 0.81 / (2.0 / 3.0), 1e-3);
    rig_close(&r);
}

// The box below is pressed by what stands on it and by the floor.
TEST(contacts_are_felt_in_stress)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"heavy_on_light.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    rig_step(&r, 0.005, 20);
    ph_mat3 integrals[3];
    CHECK_EQ_INT(ph_observer_stress(r.observer, r.state, integrals), PH_OK);
    CHECK_REL(integrals[1].m[2][2], -0.5 * (9810.0 + 9819.81), 1e-6);
    rig_close(&r);
}

TEST(bodies_deep_in_each_other_are_named)
{
    NEEDS_YAML;
    static const char text[] =
        "polhode: 1\nbodies:\n"
        "  - {name: one, position: [0, 0, 0], shapes: [{type: sphere, radius: 1, density: 1}]}\n"
        "  - {name: two, position: [1.5, 0, 0], shapes: [{type: sphere, radius: 1, density: 1}]}\n"
        "  - {name: three, position: [0, 1.999, 0], shapes: [{type: sphere, radius: 1, density: 1}]}\n"
        "contact: {}\nrun: {scheme: moreau, step: 0.01, until: 0.02}\n";
    rig r = open_text(text);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_run(r.model, r.state, &def, &summary, &error), PH_BAD_MODEL);
    CHECK(strstr(error.text, "'one' and 'two' by 0.5 m") != NULL);
    CHECK(strstr(error.text, "three") == NULL);
    def.allow_overlap = true;
    CHECK_EQ_INT(ph_run(r.model, r.state, &def, &summary, &error), PH_OK);
    CHECK_NEAR(summary.penetration_max, 0.5, 1e-12);
    rig_close(&r);
}

#ifdef PH_WITH_HDF5
TEST(contacts_are_recorded)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"heavy_on_light.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    const folder f = folder_make();
    const file_path path = folder_file(&f, "contacts.h5");
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    def.out = path.text;
    def.step = 0.005;
    def.until = 0.1;
    CHECK_EQ_INT(ph_run(r.model, r.state, &def, &summary, &error), PH_OK);
    CHECK_STR(error.text, "");
    ph_result *result = NULL;
    CHECK_EQ_INT(ph_result_open(path.text, &result, &error), PH_OK);
    const int force = result ? ph_result_find(result, "contacts/force") : PH_NONE;
    if (CHECK(force >= 0)) {
        const long long count = ph_result_field_rows(result, force); // eight points in every row but the first
        double sum = 0.0, value[3];
        CHECK_EQ_INT(count, 160);
        for (long long k = count - 8; k < count; k++) {
            CHECK_EQ_INT(ph_result_read(result, force, k, 1, 1, 0, 3, value, &error), PH_OK);
            sum += value[2];
        }
        CHECK_REL(sum, 9819.81 + 9810.0, 1e-6);
    }
    ph_result_destroy(result);
    folder_remove(&f);
    rig_close(&r);
}

TEST(a_result_that_cannot_be_made_leaves_nothing_beside_it)
{
    NEEDS_YAML;
    rig r = case_open((contact_case){"heavy_on_light.yaml", PH_LAW_COULOMB, NULL, {{0}}, 0.0});
    const folder f = folder_make();
    const file_path path = folder_file(&f, "taken.h5"), beside = folder_file(&f, "taken.h5.contacts");
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(mkdir(path.text, 0777), 0);
    def.out = path.text;
    CHECK(ph_run(r.model, r.state, &def, &summary, &error) != PH_OK);
    CHECK(error.text[0] != '\0');
    CHECK(access(beside.text, F_OK) != 0);
    CHECK_EQ_INT(rmdir(path.text), 0);
    folder_remove(&f);
    rig_close(&r);
}
#endif

// No solver reaches 1e-30 m/s: every step misses its tolerance.
TEST(a_run_goes_on_as_far_as_missed_tolerances_are_allowed)
{
    NEEDS_YAML;
    static const struct {
        const char *key;
        int given;
        long long steps; // until the run stops; 20 are asked for
    } cases[] = {{"", -1, 20}, {", missed: 0", -1, 1}, {", missed: 7", -1, 8}, {", missed: 7", 2, 3}, {"", 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "polhode: 1\ngravity: [1, 2, -9.81]\nbodies:\n"
                 "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1], friction: 0.1}]}\n"
                 "  - {name: box, position: [0, 0, 0.5], shapes: [{type: box, size: [1, 1, 1], density: 1}]}\n"
                 "contact: {tolerance: 1e-30, iterations: 10%s}\nrun: {scheme: moreau, step: 0.005, until: 0.1}\n",
                 cases[k].key);
        rig r = open_text(text);
        ph_run_def def = ph_default_run();
        ph_summary summary;
        ph_error error = {.text = ""};
        def.missed = cases[k].given;
        const ph_status status = ph_run(r.model, r.state, &def, &summary, &error);
        CHECK_EQ_INT(summary.steps, cases[k].steps);
        CHECK_EQ_INT(status, cases[k].steps == 20 ? PH_OK : PH_NO_CONVERGENCE);
        CHECK(status == PH_OK || strstr(error.text, "m/s, not to 1e-30"));
        rig_close(&r);
    }
}
