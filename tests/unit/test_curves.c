// Quantities by name: each is what the fields of the result say it is, and known motions have the known values.

#include "test.h"

#include "folder.h"

#include "polhode/polhode.h"

#if defined(PH_WITH_HDF5) && defined(PH_WITH_YAML)

#include "hdf5_foreign.h"

// A sphere that spins about z while it falls, with the stress of its spin: rho w^2 a^2/5 diag(1, 1, 0).
static const char SPHERE[] = "polhode: 1\nname: ball\ngravity: [0, 0, -10]\nbodies:\n"
                             "  - name: ball\n"
                             "    shapes: [{type: sphere, radius: 0.1, density: 1000}]\n"
                             "    velocity: [3, 0, 4]\n"
                             "    angular_velocity: [0, 0, 50]\n"
                             "record: {stress: all}\n";

// A slider on a rail, pulled by its weight, and a wheel on an axle.
static const char JOINTS[] =
    "polhode: 1\ngravity: [0, 0, -10]\nbodies:\n"
    "  - {name: slider, mass: 2, inertia: [1, 1, 1]}\n"
    "  - {name: a.b, mass: 3, inertia: [1, 1, 1], position: [0, 5, 0],\n"
    "     angular_velocity: [7, 0, 0]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, bodies: [world, slider], axis: [0, 0, 1]}\n"
    "  - {name: axle, type: revolute, bodies: [world, a.b], anchor: [0, 5, 0], axis: [1, 0, 0]}\n"
    "  - {name: 'c:d', type: ball, bodies: [world, slider], anchor: [0, 0, 0]}\n";

static ph_result *run_text(const char *text, const char *path, const char *scheme, double until)
{
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "test", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    ph_result *result = NULL;
    def.sim.scheme = scheme;
    def.step = 0.01;
    def.until = until;
    def.out = path;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, &error), PH_OK);
    CHECK_EQ_INT(ph_result_open(path, &result, &error), PH_OK);
    CHECK_STR(error.text, "");
    ph_state_destroy(state);
    ph_model_destroy(model);
    return result;
}

typedef struct values {
    double list[200];
    const char *unit;
} values;

static values read_curve(ph_curves *all, const char *name)
{
    values v = {.unit = "?"};
    ph_error error = {.text = ""};
    const int index = ph_curves_find(all, name);
    if (!CHECK(index >= 0) || !CHECK_EQ_INT(ph_curves_read(all, index, v.list, &error), PH_OK)) {
        printf("  %s %s\n", name, error.text);
    }
    v.unit = ph_curves_get(all, index).unit;
    return v;
}

TEST(a_spinning_ball_has_the_known_values)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_result *result = run_text(SPHERE, path.text, "exact", 0.5);
    ph_curves *all = ph_curves_create(result);
    const values t = read_curve(all, "time"), x = read_curve(all, "ball.position.x"),
                 z = read_curve(all, "ball/position/z");
    const values speed = read_curve(all, "ball.speed"), spin = read_curve(all, "ball.angular_speed");
    const values mises = read_curve(all, "stress.ball.mises"), xx = read_curve(all, "stress.ball.xx");
    const values pressure = read_curve(all, "stress.ball.pressure"), zz = read_curve(all, "stress.ball.zz");
    const values turn = read_curve(all, "ball.axis_x.y"), error = read_curve(all, "energy.error");
    const values kinetic = read_curve(all, "energy.kinetic"), relative = read_curve(all, "energy.relative_error");
    CHECK_STR(mises.unit, "Pa");
    CHECK_STR(speed.unit, "m/s");
    CHECK_EQ_INT(ph_result_rows(result), 51);
    const double mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979323846 * 1e-3;
    for (int i = 0; i <= 50; i++) {
        const double vz = 4.0 - 10.0 * t.list[i];
        CHECK_NEAR(t.list[i], 0.01 * i, 1e-15);
        CHECK_NEAR(x.list[i], 3.0 * t.list[i], 1e-14);
        CHECK_NEAR(z.list[i], 4.0 * t.list[i] - 5.0 * t.list[i] * t.list[i], 1e-13);
        CHECK_NEAR(speed.list[i], sqrt(9.0 + vz * vz), 1e-13);
        CHECK_NEAR(spin.list[i], 50.0, 1e-12);
        CHECK_REL(mises.list[i], 5000.0, 1e-10);
        CHECK_REL(xx.list[i], 5000.0, 1e-10);
        CHECK_NEAR(zz.list[i], 0.0, 1e-8);
        CHECK_REL(pressure.list[i], -10000.0 / 3.0, 1e-10);
        CHECK_NEAR(turn.list[i], sin(50.0 * t.list[i]), 1e-12);
        CHECK_NEAR(error.list[i], 0.0, 1e-12);
        CHECK_NEAR(relative.list[i], 0.0, 1e-13);
        CHECK_REL(kinetic.list[i], 0.5 * mass * (9.0 + vz * vz) + 0.5 * 0.4 * mass * 0.01 * 2500.0, 1e-12);
    }
    ph_curves_destroy(all);
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(joints_have_reactions_and_coordinates_with_units)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_result *result = run_text(JOINTS, path.text, "rattlie", 0.5);
    ph_curves *all = ph_curves_create(result);
    const values turn = read_curve(all, "joints.axle.coordinate"), rate = read_curve(all, "joints.axle.rate");
    const values reaction = read_curve(all, "joints.axle.reaction"), force = read_curve(all, "joints.axle.force.z");
    CHECK_STR(turn.unit, "rad");
    CHECK_STR(rate.unit, "rad/s");
    CHECK_STR(read_curve(all, "joints.rail.coordinate").unit, "m");
    CHECK_STR(read_curve(all, "joints.rail.rate").unit, "m/s");
    for (int i = 0; i <= 50; i++) {
        CHECK_NEAR(turn.list[i], 0.07 * i, 1e-10);
        CHECK_NEAR(rate.list[i], 7.0, 1e-10);
        CHECK_NEAR(reaction.list[i], 30.0, 1e-9);
        CHECK_NEAR(force.list[i], 30.0, 1e-9);
    }
    ph_curves_destroy(all);
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(names_stand_for_what_people_mean)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_result *result = run_text(JOINTS, path.text, "rattlie", 0.01);
    ph_curves *all = ph_curves_create(result);
    int list[8];
    CHECK_EQ_INT(ph_curves_match(all, "a.b.position.y", list, 8), 1);
    CHECK_STR(ph_curves_get(all, list[0]).subject, "a.b");
    CHECK_EQ_INT(ph_curves_match(all, "joints.rail.force", list, 8), 3); // not its size
    CHECK_STR(ph_curves_get(all, list[2]).name, "joints.rail.force.z");
    CHECK_EQ_INT(ph_curves_match(all, "bodies.slider.velocity", list, 8), 3);
    CHECK_EQ_INT(ph_curves_match(all, "energy", NULL, 0), 4);
    CHECK_EQ_INT(ph_curves_match(all, "slider", list, 8), 0); // a body has no components
    CHECK_EQ_INT(ph_curves_match(all, "joints.rai", list, 8), 0);
    CHECK_EQ_INT(ph_curves_match(all, "", list, 8), 0);
    CHECK_EQ_INT(ph_curves_find(all, "slider.vx"), ph_curves_find(all, "slider.velocity.x"));
    CHECK_EQ_INT(ph_curves_find(all, "slider.qw"), ph_curves_find(all, "slider.orientation.w"));
    CHECK_EQ_INT(ph_curves_find(all, "joints.c:d.reaction") >= 0, 1);
    CHECK_EQ_INT(ph_curves_find(all, "no"), PH_NONE);
    CHECK_STR(ph_curves_suggest(all, "energy.eror"), "energy.error");
    CHECK_STR(ph_curves_suggest(all, "slidr.position.x"), "slider.position.x");
    CHECK(ph_curves_suggest(all, "something else altogether") == NULL);
    CHECK_EQ_INT(ph_curves_read(all, -1, NULL, NULL), PH_BAD_ARGUMENT);
    ph_curves_destroy(all);
    ph_result_destroy(result);
    folder_remove(&f);
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

static void add_dataset(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const void *values)
{
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Sclose(space);
}

// Two rows: three contacts, then none; and room for more.
static void add_contacts(const char *path, long long last)
{
    const long long offset[3] = {0, 3, last};
    const int bodies[5][2] = {{0, -1}, {0, -1}, {0, -1}};
    const double force[5][3] = {{3.0, 0.0, 4.0}, {0.0, 12.0, 5.0}, {0.0, 0.0, 1.0}}, gap[5] = {1e-3, -2e-3, 0.0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/contacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_dataset(file, "/contacts/offset", H5T_NATIVE_LLONG, 1, (hsize_t[]){3}, offset);
    add_dataset(file, "/contacts/bodies", H5T_NATIVE_INT, 2, (hsize_t[]){5, 2}, bodies);
    add_dataset(file, "/contacts/force", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){5, 3}, force);
    add_dataset(file, "/contacts/gap", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){5}, gap);
    H5Fclose(file);
}

TEST(contacts_of_a_row_are_summed_up)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_error error;
    ph_result *result = run_text(SPHERE, path.text, "exact", 0.01);
    ph_result_destroy(result);
    add_contacts(path.text, 3);
    CHECK_EQ_INT(ph_result_open(path.text, &result, &error), PH_OK);
    ph_curves *all = ph_curves_create(result);
    const double *body = ph_result_values(result, ph_result_find(result, "contacts/bodies"), NULL);
    CHECK_EQ_INT(ph_result_field_rows(result, ph_result_find(result, "contacts/bodies")), 3);
    CHECK(body && body[0] == 0.0 && body[1] == -1.0);
    const values count = read_curve(all, "contacts.count"), force = read_curve(all, "contacts.force");
    const values largest = read_curve(all, "contacts.largest_force"), gap = read_curve(all, "contacts.gap");
    const values penetration = read_curve(all, "contacts.penetration");
    CHECK(count.list[0] == 3.0 && count.list[1] == 0.0);
    CHECK(force.list[0] == 19.0 && force.list[1] == 0.0);
    CHECK(largest.list[0] == 13.0 && largest.list[1] == 0.0);
    CHECK(gap.list[0] == -2e-3 && isnan(gap.list[1]));
    CHECK(penetration.list[0] == 2e-3 && penetration.list[1] == 0.0);
    ph_curves_destroy(all);
    ph_result_destroy(result);

    ph_result_destroy(run_text(SPHERE, path.text, "exact", 0.01));
    add_contacts(path.text, 6); // more than there is room for
    CHECK_EQ_INT(ph_result_open(path.text, &result, &error), PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, "6 contacts") != NULL);
    ph_result_destroy(run_text(SPHERE, path.text, "exact", 0.01));
    add_contacts(path.text, 2); // fewer than in the row before
    CHECK_EQ_INT(ph_result_open(path.text, &result, &error), PH_OK);
    all = ph_curves_create(result);
    double values[2];
    CHECK_EQ_INT(ph_curves_read(all, ph_curves_find(all, "contacts.force"), values, &error), PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, "does not grow") != NULL);
    ph_curves_destroy(all);
    ph_result_destroy(result);
    folder_remove(&f);
}

#else

TEST(needs_hdf5_and_yaml)
{
    SKIP("built without HDF5 or libyaml");
}

#endif
