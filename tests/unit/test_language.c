// Model files with repeats, parts, defaults, lists and units: the same bits as written out by hand.

#include "rig.h"

#ifdef PH_WITH_YAML

// The model of a text, or NULL after a failed check. Notes and warnings are printed.
static ph_model *model_of(const char *text, const ph_setting *settings, int count)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    const char *const name = TEST_SOURCE_DIR "/tests/text.yaml";
    ph_status status = ph_spec_read_text(text, strlen(text), name, settings, count, problems, &spec);
    if (status == PH_OK) {
        status = ph_model_compile(spec, problems, &model);
    }
    CHECK_EQ_INT(status, PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        char line[1024];
        ph_problem_format(ph_problems_get(problems, i), line, sizeof line);
        printf("%s\n", line);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

static void check_same(const char *text, const char *written_out)
{
    ph_model *a = model_of(text, NULL, 0), *b = model_of(written_out, NULL, 0);
    CHECK(a && b && ph_model_fingerprint(a) == ph_model_fingerprint(b));
    ph_model_destroy(a);
    ph_model_destroy(b);
}

// The same motion up to rounding, where turns are calculated in different ways.
static void check_near(const char *text, const char *written_out)
{
    rig a = rig_open(model_of(text, NULL, 0), "rattlie"), b = rig_open(model_of(written_out, NULL, 0), "rattlie");
    if (CHECK(a.sim && b.sim && ph_model_bodies(a.model) == ph_model_bodies(b.model))) {
        rig_step(&a, 1e-2, 20);
        rig_step(&b, 1e-2, 20);
        for (int i = 0; i < ph_model_bodies(a.model); i++) {
            CHECK_NEAR(rig_distance(rig_position(&a, i), rig_position(&b, i)), 0.0, 1e-12);
            CHECK_STR(ph_model_body(a.model, i).name, ph_model_body(b.model, i).name);
            const ph_quat p = ph_state_orientations(a.state)[i], q = ph_state_orientations(b.state)[i];
            CHECK_NEAR(fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z), 1.0, 1e-12);
        }
        CHECK_NEAR(rig_measure(&a).total, rig_measure(&b).total, 1e-11);
    }
    rig_close(&a);
    rig_close(&b);
}

TEST(repeats_are_written_out)
{
    check_same(
        "polhode: 1\n"
        "parameters: {l: 0.5, n: 3}\n"
        "bodies:\n"
        "  - {name: first, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {repeat: {i: n}, name: rod$i, mass: i + 1, inertia: [1, 1, 1], position: [0, i*l, 0],\n"
        "     shapes: [{repeat: {k: 2}, type: sphere, radius: 0.1, position: [k, i, 0]}]}\n"
        "  - {repeat: {side: [left, right], z: [-1, 1]}, name: $side_$(z + 1), mass: 1, inertia: [1, 1, 1],\n"
        "     position: [side.index, 0, z]}\n"
        "joints:\n"
        "  - {repeat: 2, name: J$i, type: ball, bodies: [rod$i, rod$(i + 1)], anchor: [0, (i + 1/2)*l, 0]}\n",
        "polhode: 1\n"
        "bodies:\n"
        "  - {name: first, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: rod0, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0],\n"
        "     shapes: [{type: sphere, radius: 0.1, position: [0, 0, 0]}, {type: sphere, radius: 0.1, position: [1, 0, 0]}]}\n"
        "  - {name: rod1, mass: 2, inertia: [1, 1, 1], position: [0, 0.5, 0],\n"
        "     shapes: [{type: sphere, radius: 0.1, position: [0, 1, 0]}, {type: sphere, radius: 0.1, position: [1, 1, 0]}]}\n"
        "  - {name: rod2, mass: 3, inertia: [1, 1, 1], position: [0, 1, 0],\n"
        "     shapes: [{type: sphere, radius: 0.1, position: [0, 2, 0]}, {type: sphere, radius: 0.1, position: [1, 2, 0]}]}\n"
        "  - {name: left_0, mass: 1, inertia: [1, 1, 1], position: [0, 0, -1]}\n"
        "  - {name: left_2, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "  - {name: right_0, mass: 1, inertia: [1, 1, 1], position: [1, 0, -1]}\n"
        "  - {name: right_2, mass: 1, inertia: [1, 1, 1], position: [1, 0, 1]}\n"
        "joints:\n"
        "  - {name: J0, type: ball, bodies: [rod0, rod1], anchor: [0, 0.25, 0]}\n"
        "  - {name: J1, type: ball, bodies: [rod1, rod2], anchor: [0, 0.75, 0]}\n");
}

TEST(lists_units_and_functions)
{
    check_near(
        "polhode: 1\n"
        "parameters: {a: [1, 2, 3], b: 2*a, corner: [[1, 0, 0], [0, 2, 0]], c: \"cross(corner[0], corner[1])\", J: [1, 1, 2],\n"
        "             deg: 7, mass: 2}\n"
        "gravity: [0, 0, -9.81 m/s^2]\n"
        "bodies:\n"
        "  - {name: p, mass: 2 kg, inertia: J, position: a + b/2, com: corner(1), velocity: 3*unit(c)}\n"
        "  - {name: q, mass: 500 g, inertia: 1/2*J, position: [10 cm, a.y, norm(b - a)], orientation: {axis: c, angle: deg(90)},\n"
        "     angular_velocity: [60 rpm, deg(deg), deg(1e3)]}\n"
        "  - {name: u, mass: 3 kg*mass, inertia: [1e4 kg*cm^2, 1 N m/(rad s^-2), 1 W s*s*s / (rad*s/s)], volume: 2 kg / (1 kg m^-3)}\n"
        "  - {name: r, mass: \"corner[1].y\", inertia: [\"dot(a, b)\", 28, 28], orientation: {z: [0, 1, 0]}}\n"
        "  - {name: s, mass: 1, inertia: J, orientation: {x: [0, 1, 0], z: [0, 1, 1]}}\n",
        "polhode: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: p, mass: 2, inertia: [1, 1, 2], position: [2, 4, 6], com: [0, 2, 0], velocity: [0, 0, 3]}\n"
        "  - {name: q, mass: 0.5, inertia: [0.5, 0.5, 1], position: [0.1, 2, sqrt(14)], orientation: {axis: z, angle: pi/2},\n"
        "     angular_velocity: [60*(pi/30), 7*0.017453292519943295, 1000*(pi/180)]}\n"
        "  - {name: u, mass: 6, inertia: [1, 1, 1], volume: 2}\n"
        "  - {name: r, mass: 2, inertia: [28, 28, 28], orientation: {axis: [-1, 0, 0], angle: pi/2}}\n"
        "  - {name: s, mass: 1, inertia: [1, 1, 2],\n"
        "     orientation: {matrix: [[0, -1, 0], [sqrt(1/2), 0, sqrt(1/2)], [-sqrt(1/2), 0, sqrt(1/2)]]}}\n");
}

TEST(merge_keys_and_defaults)
{
    check_same("polhode: 1\n"
               "defaults:\n"
               "  bodies: {mass: 3, inertia: [1, 1, 1]}\n"
               "  shapes: {type: sphere, friction: 0.9, color: red, sphere: {radius: 0.2}}\n"
               "  joints: {type: revolute, axis: x, damping: 0.5, anchor: [0, 0, 0], prismatic: {damping: 2}}\n"
               "bodies:\n"
               "  - &a {name: a, position: [1, 2, 3], shapes: [{}, {type: box, size: [1, 1, 1], friction: 0.1}]}\n"
               "  - {<<: *a, name: b, mass: 4}\n"
               "  - {<<: [{velocity: [1, 0, 0]}, *a], name: c, shapes: [{radius: 1}]}\n"
               "joints:\n"
               "  - {name: J, bodies: [world, a]}\n"
               "  - {name: K, bodies: [world, b], type: prismatic}\n"
               "  - {name: L, bodies: [world, c], type: ball}\n"
               "initial: project\n",
               "polhode: 1\n"
               "bodies:\n"
               "  - {name: a, mass: 3, inertia: [1, 1, 1], position: [1, 2, 3], shapes: [\n"
               "     {type: sphere, radius: 0.2, friction: 0.9, color: red},\n"
               "     {type: box, size: [1, 1, 1], friction: 0.1, color: red}]}\n"
               "  - {name: b, mass: 4, inertia: [1, 1, 1], position: [1, 2, 3], shapes: [\n"
               "     {type: sphere, radius: 0.2, friction: 0.9, color: red},\n"
               "     {type: box, size: [1, 1, 1], friction: 0.1, color: red}]}\n"
               "  - {name: c, mass: 3, inertia: [1, 1, 1], position: [1, 2, 3], velocity: [1, 0, 0],\n"
               "     shapes: [{type: sphere, radius: 1, friction: 0.9, color: red}]}\n"
               "joints:\n"
               "  - {name: J, bodies: [world, a], type: revolute, axis: x, damping: 0.5, anchor: [0, 0, 0]}\n"
               "  - {name: K, bodies: [world, b], type: prismatic, axis: x, damping: 2, anchor: [0, 0, 0]}\n"
               "  - {name: L, bodies: [world, c], type: ball, anchor: [0, 0, 0]}\n"
               "initial: project\n");
}

TEST(parts_have_names_parameters_and_a_place)
{
    check_near("polhode: 1\n"
               "parameters: {steel: 7850}\n"
               "bodies: [{name: base, mass: 10, inertia: [1, 1, 1]}]\n"
               "models:\n"
               "  arm:\n"
               "    parameters: {l: 1, r: l/10}\n"
               "    bodies: [{name: rod, position: [l/2, 0, 0], velocity: [1, 0, 0],\n"
               "              shapes: [{type: cylinder, axis: x, length: l, radius: r, density: steel}]}]\n"
               "    joints: [{name: root, type: revolute, bodies: [foot, rod], anchor: [0, 0, 0], axis: z}]\n"
               "    forces: [{type: wrench, body: rod, force: [t, 0, 1]}]\n"
               "parts:\n"
               "  - {model: arm, prefix: a_, names: {foot: base}}\n"
               "  - {model: arm, prefix: b_, names: {foot: a_rod}, parameters: {l: 2}, position: [1, 0, 0],\n"
               "     orientation: {axis: z, angle: pi/2}}\n"
               "initial: project\n",
               "polhode: 1\n"
               "bodies:\n"
               "  - {name: base, mass: 10, inertia: [1, 1, 1]}\n"
               "  - {name: a_rod, position: [0.5, 0, 0], velocity: [1, 0, 0],\n"
               "     shapes: [{type: cylinder, axis: x, length: 1, radius: 0.1, density: 7850}]}\n"
               "  - {name: b_rod, position: [1, 1, 0], orientation: {axis: z, angle: pi/2}, velocity: [0, 1, 0],\n"
               "     shapes: [{type: cylinder, axis: x, length: 2, radius: 0.2, density: 7850}]}\n"
               "joints:\n"
               "  - {name: a_root, type: revolute, bodies: [base, a_rod], anchor: [0, 0, 0], axis: z}\n"
               "  - {name: b_root, type: revolute, bodies: [a_rod, b_rod], anchor: [1, 0, 0], axis: z}\n"
               "forces:\n"
               "  - {type: wrench, body: a_rod, force: [t, 0, 1]}\n"
               "  - {type: wrench, body: b_rod, force: [0, t, 1]}\n"
               "initial: project\n");
}

static const char *const legged = "polhode: 1\n"
                                  "gravity: [0, 0, -9.81]\n"
                                  "parameters: {l: 0.3}\n"
                                  "bodies: [{name: body, mass: 10, inertia: [1, 1, 1]}]\n"
                                  "parts:\n"
                                  "  - {include: parts/leg.yaml, repeat: {side: [-1, 1]}, prefix: leg$(side.index)_,\n"
                                  "     names: {trunk: body}, parameters: {length: l}, position: [0, side/5, 0]}\n"
                                  "run: {step: 1e-3, until: 0.1}\n";

// Read where its files are not, it is the model that `original` is, at these values of its parameters too.
static void check_elsewhere(const char *text, const char *original, const ph_setting *settings, int count)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *again = NULL, *wanted = model_of(original, settings, count);
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "/nowhere/m.yaml", settings, count, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &again), PH_OK);
    CHECK(again && wanted && ph_model_fingerprint(again) == ph_model_fingerprint(wanted));
    CHECK(again && strcmp(ph_model_text(again), text) == 0);
    ph_model_destroy(again);
    ph_model_destroy(wanted);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
}

TEST(files_are_included)
{
    ph_model *model = model_of(legged, NULL, 0);
    if (!model) return;
    rig r = rig_open(model, "rattlie");
    CHECK_EQ_INT(ph_model_bodies(model), 5);
    CHECK_EQ_INT(ph_model_joints(model), 4);
    CHECK_EQ_INT(ph_model_inputs(model), 2);
    CHECK_EQ_INT(ph_model_find_input(model, "leg1_push"), 1);
    CHECK_EQ_INT(ph_model_find_joint(model, "leg0_knee"), 1);
    CHECK_EQ_INT(ph_model_find_site(model, "leg1_foot"), 2);
    CHECK_EQ_INT(ph_model_find_keyframe(model, "leg1_bent"), 1);
    const ph_site_motion foot = ph_state_site(r.state, 2);
    CHECK_NEAR(rig_distance(foot.position, (ph_vec3){0.0, 0.2, -0.6}), 0.0, 1e-15);
    CHECK_NEAR(rig_measure(&r).potential, 0.0 - 9.81 * (1.0 * -0.15 + 0.5 * -0.45) * -2.0, 1e-12);
    // The text that results hold stands by itself.
    const char *text = ph_model_text(model);
    check_elsewhere(text, legged, NULL, 0);
    check_elsewhere(text, legged, &(ph_setting){"l", "0.4"}, 1);
    // Expressions of a part mean its own inputs and joints.
    ph_state_inputs(r.state)[1] = 3.0;
    ph_twist accelerations[5];
    CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, accelerations, NULL), PH_OK);
    CHECK(fabs(accelerations[3].omega.y) > 1.0 && fabs(accelerations[1].omega.y) < fabs(accelerations[3].omega.y));
    rig_step(&r, 1e-3, 10);
    rig_close(&r);
}

TEST(files_stand_in_the_model_itself)
{
    const char *const parts = "polhode: 1\n"
                              "bodies: [{name: car, mass: 1, inertia: [1, 1, 1]}]\n"
                              "parts: [{include: parts/a.yaml, prefix: a_}, {include: parts/b.yaml}]\n";
    // The name of a file may end as that of one that includes it, and folders count from the file.
    const char *const files = "files:\n"
                              "  parts/a.yaml: {parts: [{include: sub/parts/a.yaml}]}\n"
                              "  parts/sub/parts/a.yaml: {bodies: [{name: hub, mass: 2, inertia: [1, 1, 1]}]}\n"
                              "  parts/b.yaml: {bodies: [{name: cab, mass: 3, inertia: [1, 1, 1]}]}\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", parts, files);
    ph_model *model = model_of(text, NULL, 0);
    if (!model) return;
    CHECK_EQ_INT(ph_model_find_body(model, "a_hub"), 1);
    CHECK_EQ_INT(ph_model_find_body(model, "cab"), 2);
    CHECK_STR(ph_model_text(model), text);
    ph_model_destroy(model);
}

TEST(settings_reach_lists_and_parts)
{
    const char *const text =
        "polhode: 1\n"
        "parameters: {p: [1, 2, 3], k: 2}\n"
        "bodies: [{name: a, mass: k, inertia: [1, 1, 1], position: p}]\n"
        "parts: [{repeat: {i: k}, bodies: [{name: b$i, mass: 1, inertia: [1, 1, 1], position: p*i}]}]\n";
    const ph_setting settings[] = {{"p", "[4, 5 cm, 2*3]"}, {"k", "3"}};
    ph_model *model = model_of(text, settings, 2);
    if (!model) return;
    rig r = rig_open(model, "rattlie");
    CHECK_EQ_INT(ph_model_bodies(model), 4);
    CHECK_NEAR(rig_distance(rig_position(&r, 3), (ph_vec3){8.0, 0.1, 12.0}), 0.0, 1e-15);
    rig_close(&r);
}

TEST(joints_and_springs_attach_to_sites)
{
    check_near("polhode: 1\n"
               "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}]\n"
               "sites:\n"
               "  - {name: pivot, body: world, orientation: {z: [0, 1, 0]}}\n"
               "  - {name: end, body: a, position: [-1, 0, 0], orientation: {z: [0, 1, 0]}}\n"
               "  - {name: hook, body: world, position: [0, 0, 2]}\n"
               "joints: [{name: J, type: revolute, sites: [pivot, end]}]\n"
               "forces:\n"
               "  - {type: spring, sites: [hook, end], stiffness: 3}\n"
               "  - {type: wrench, site: end, force: [0, 0, 1]}\n",
               "polhode: 1\n"
               "bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}]\n"
               "joints: [{name: J, type: revolute, bodies: [world, a], anchor_a: [0, 0, 0], anchor_b: [-1, 0, 0],\n"
               "          axis_a: y, axis_b: y}]\n"
               "forces:\n"
               "  - {type: spring, bodies: [world, a], point_a: [0, 0, 2], point_b: [-1, 0, 0], stiffness: 3}\n"
               "  - {type: wrench, body: a, point: [-1, 0, 0], force: [0, 0, 1]}\n");
}

TEST(synonyms_are_known_and_told)
{
    const char *const text =
        "polhode: 1\n"
        "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n"
        "joints: [{name: J, type: hinge, bodies: [world, a], anchor: [0, 0, 0], axis: x, coordinate: 45}]\n";
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "m", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_problems_count(problems), 2);
    CHECK_EQ_INT(ph_problems_errors(problems), 0);
    CHECK(strstr(ph_problems_get(problems, 0)->text, "is called 'revolute'") != NULL);
    CHECK_EQ_INT(ph_problems_get(problems, 1)->severity, PH_WARNING);
    CHECK_STR(ph_problems_get(problems, 1)->hint, "write deg(45) or 45 deg");
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

// Shapes alone do not collide, which a model whose scheme is there for contact hardly means.
TEST(a_scheme_with_contact_and_no_contact_is_told)
{
    static const struct {
        const char *rest;
        bool told;
    } cases[] = {
        {"run: {scheme: moreau}\n", true},
        {"run: {scheme: \"moreau:exact=1\"}\n", true},
        {"run: {scheme: rattlie-ns}\n", true},
        {"run: {scheme: rattlie}\n", false},
        {"", false},
        {"contact: {}\nrun: {scheme: moreau}\n", false},
        {"joints: [{name: j, type: prismatic, bodies: [world, b], axis: z, limits: [-1, 1]}]\nrun: {scheme: moreau}\n",
         false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "polhode: 1\nbodies: [{name: g, fixed: true, shapes: [{type: plane}]}, {name: b, position: [0, 0, 1], "
                 "shapes: [{type: sphere, radius: 0.1, density: 1}]}]\n%s",
                 cases[k].rest);
        ph_problems *problems = ph_problems_create();
        ph_spec *spec = NULL;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "m", NULL, 0, problems, &spec), PH_OK);
        CHECK_EQ_INT(ph_problems_count(problems), cases[k].told);
        if (cases[k].told) CHECK(strstr(ph_problems_get(problems, 0)->text, "pass through each other") != NULL);
        ph_problems_destroy(problems);
        ph_spec_destroy(spec);
    }
}

#endif
