// Mean stress in result files: which bodies, where in the file, and the multipliers of schemes that have them.

#include "test.h"

#include "folder.h"
#include "scenes.h"

#ifdef PH_WITH_HDF5
#include "hdf5_foreign.h"
#endif

// The pendulum of scenes.h with a volume for one of its rods.
static ph_model *pendulum(const ph_record_settings *record)
{
    ph_spec *spec = scene_start();
    scene_fixed(spec, "stand", (ph_vec3){0.0, 0.0, 0.0});
    for (int i = 0; i < 2; i++) {
        ph_body_def body = ph_default_body();
        body.name = i ? "rod2" : "rod1";
        body.mass = 2.0;
        body.inertia = (ph_mat3){{{0.17, 0.0, 0.0}, {0.0, 0.01, 0.0}, {0.0, 0.0, 0.17}}};
        body.position = (ph_vec3){0.0, i + 0.5, 0.0};
        body.volume = i ? 0.0 : 1e-3;
        ph_spec_add_body(spec, &body);
        scene_ball(spec, i ? "A" : "O", i, i + 1, (ph_vec3){0.0, i, 0.0});
    }
    ph_spec_set_record(spec, record);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    // A body without a volume gives the integral, and a note.
    CHECK_EQ_INT(ph_problems_count(problems), record->stress_all ? 1 : 0);
    if (ph_problems_count(problems)) {
        CHECK_EQ_INT(ph_problems_get(problems, 0)->severity, PH_NOTE);
        CHECK(strstr(ph_problems_get(problems, 0)->text, "body 'rod2' has no volume") != NULL);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

// Runs 20 steps into `path`, recording the start and the end, and returns the stress of all bodies at the end.
static void run_into(const char *path, const char *scheme, const ph_record_settings *record, ph_mat3 *integrals)
{
    ph_model *model = pendulum(record);
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    def.sim.scheme = scheme;
    def.step = 1e-3;
    def.until = 0.02;
    def.every = 20;
    def.out = path;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, &error), PH_OK);
    CHECK_STR(error.text, "");
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    CHECK_EQ_INT(ph_observer_stress(observer, state, integrals), PH_OK);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

static double last_value(const char *text, const char *column)
{
    const char *at = strstr(text, column);
    if (!CHECK(at != NULL)) return 0.0;
    int index = 0;
    for (const char *c = text; c < at; c++) index += *c == ',';
    const char *line = text + strlen(text) - 1; // behind the last line
    while (line > text && line[-1] != '\n') line--;
    for (; index > 0; index--) line = strchr(line, ',') + 1;
    return strtod(line, NULL);
}

TEST(csv_has_columns_of_stress)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    ph_mat3 integrals[3];
    run_into(path.text, "rattlie", &(ph_record_settings){.stress = (int[]){1}, .stress_count = 1}, integrals);
    char *text = read_text_file(path.text);
    CHECK(last_value(text, "rod1.stress.xx") == integrals[1].m[0][0]);
    CHECK(last_value(text, "rod1.stress.yy") == integrals[1].m[1][1] && integrals[1].m[1][1] != 0.0);
    CHECK(last_value(text, "rod1.stress.zy") == integrals[1].m[2][1]);
    CHECK(!strstr(text, "rod2.stress") && !strstr(text, "stand.stress") && !strstr(text, "multiplier"));
    free(text);
    folder_remove(&f);
}

TEST(csv_has_multipliers_of_schemes_with_them)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    ph_mat3 integrals[3];
    run_into(path.text, "matrix-rattle", &(ph_record_settings){.stress_all = true}, integrals);
    char *text = read_text_file(path.text);
    for (int i = 1; i <= 2; i++) {
        char column[32];
        snprintf(column, sizeof column, "rod%d.multiplier.yy", i);
        CHECK_NEAR(last_value(text, column), -integrals[i].m[1][1], 5e-4);
        CHECK(last_value(text, column) != 0.0);
    }
    CHECK(!strstr(text, "stand.stress"));
    free(text);
    folder_remove(&f);
}

// What `polhode run` writes, and the same converted from HDF5.
TEST(quaternions_are_recorded_where_the_scheme_has_them)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    ph_mat3 integrals[3];
    run_into(path.text, "quat-fem", &(ph_record_settings){.stress_all = true}, integrals);
    char *text = read_text_file(path.text);
    for (int i = 1; i <= 2; i++) {
        char column[40];
        snprintf(column, sizeof column, "rod%d.quaternion.lambda", i);
        CHECK_NEAR(last_value(text, column), integrals[i].m[0][0] + integrals[i].m[1][1] + integrals[i].m[2][2], 5e-4);
        CHECK(last_value(text, column) != 0.0);
    }
    CHECK(strstr(text, "rod1.quaternion.pw,rod1.quaternion.px") && !strstr(text, "multiplier"));
    free(text);
    ph_result *result = NULL;
    CHECK_EQ_INT(ph_result_open(path.text, &result, NULL), PH_OK);
    const ph_result_field field = ph_result_field_get(result, ph_result_find(result, "quaternion"));
    CHECK(field.rank == 2 && field.bodies == 2 && field.width == 10 && field.body[0] == 1 && field.body[1] == 2);
    ph_result_destroy(result);
    folder_remove(&f);
}

#ifdef PH_WITH_HDF5
static void check_names(hid_t dataset)
{
    char *names[2] = {NULL, NULL};
    double volumes[2] = {-1.0, -1.0};
    const hid_t attribute = H5Aopen(dataset, "bodies", H5P_DEFAULT), volume = H5Aopen(dataset, "volume", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    CHECK(H5Aread(attribute, type, names) >= 0);
    CHECK(H5Aread(volume, H5T_NATIVE_DOUBLE, volumes) >= 0);
    CHECK_STR(names[0], "rod1");
    CHECK_STR(names[1], "rod2");
    CHECK(volumes[0] == 1e-3 && volumes[1] == 0.0);
    for (int i = 0; i < 2; i++) H5free_memory(names[i]);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Aclose(volume);
}

TEST(hdf5_has_stress_with_its_bodies)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    static const char *const datasets[] = {"/stress", "/multiplier"};
    ph_mat3 integrals[3];
    run_into(path.text, "matrix-rattle", &(ph_record_settings){.stress_all = true}, integrals);
    const hid_t file = H5Fopen(path.text, H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int d = 0; d < 2; d++) {
        double values[2][2][3][3];
        hsize_t shape[4] = {0};
        const hid_t dataset = H5Dopen2(file, datasets[d], H5P_DEFAULT), space = H5Dget_space(dataset);
        CHECK_EQ_INT(H5Sget_simple_extent_ndims(space), 4);
        H5Sget_simple_extent_dims(space, shape, NULL);
        CHECK(shape[0] == 2 && shape[1] == 2 && shape[2] == 3 && shape[3] == 3);
        CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 9; k++) {
                const double expected = integrals[i + 1].m[k / 3][k % 3], found = values[1][i][k / 3][k % 3];
                if (d)
                    CHECK_NEAR(found, -expected, 5e-4);
                else
                    CHECK(found == expected);
            }
        check_names(dataset);
        H5Sclose(space);
        H5Dclose(dataset);
    }
    H5Fclose(file);
    folder_remove(&f);
}
#endif
