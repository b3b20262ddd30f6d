// Reading results back: what was written, while it is written, and everything that may be wrong with a file.

#include "test.h"

#include "folder.h"
#include "recording.h"
#include "scenes.h"

#ifdef PH_WITH_HDF5

#include "hdf5_foreign.h"
#include "io/result/read.h"
#include <sys/wait.h>

enum { ROWS = 40 };

// A chain of three bodies with ROWS rows of which `appended` are written.
static void write_chain(const char *path, int appended)
{
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_chain(3), path, ROWS), PH_OK);
    for (int k = 0; k < appended; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
}

static ph_result *open_good(const char *path)
{
    ph_result *result;
    ph_error error = {.text = ""};
    if (!CHECK_EQ_INT(ph_result_open(path, &result, &error), PH_OK)) {
        printf("  %s\n", error.text);
    }
    return result;
}

static void expect_refusal(const char *path, ph_status status, const char *part)
{
    ph_result *result;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_result_open(path, &result, &error), status);
    CHECK(result == NULL);
    if (!CHECK(strstr(error.text, part) != NULL)) {
        printf("  '%s' is not in: %s\n", part, error.text);
    }
}

// ---- What was written -----------------------------------------------------------------------------------------------

TEST(everything_comes_back_as_it_was_written)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    recording_start(&r, scene_chain(3), path.text, ROWS);
    for (int k = 0; k < ROWS; k++) {
        recording_append(&r, k);
    }
    ph_result_flush(r.writer, NULL);
    ph_result *result = open_good(path.text);
    if (!result) {
        return;
    }
    CHECK_STR(ph_result_name(result), "scene");
    CHECK_STR(ph_result_scheme(result), "rattlie");
    CHECK(ph_result_step(result) == 0.25);
    CHECK_EQ_INT(ph_result_bodies(result), 3);
    CHECK_STR(ph_result_body(result, 2), ph_model_body(r.model, 2).name);
    CHECK(ph_result_body(result, 3) == NULL);
    CHECK_EQ_INT(ph_result_joints(result), 3);
    CHECK_STR(ph_result_joint(result, 1), ph_model_joint(r.model, 1).name);
    CHECK_EQ_INT(ph_result_rows(result), ROWS);

    const double *t = ph_result_values(result, ph_result_find(result, "time"), NULL);
    const double *v = ph_result_values(result, ph_result_find(result, "velocity"), NULL);
    const double *q = ph_result_values(result, ph_result_find(result, "orientation"), NULL);
    for (int k = 0; t && v && q && k < ROWS; k++) {
        recording_set_state(&r, k);
        CHECK(t[k] == r.state->time);
        CHECK(memcmp(v + 9 * k, r.state->velocity, 9 * sizeof *v) == 0);
        CHECK(memcmp(q + 12 * k, r.state->orientation, 12 * sizeof *q) == 0);
    }
    const int force = ph_result_find_joint(result, 1, "force");
    CHECK_EQ_INT(ph_result_field_get(result, force).joint, 1);
    CHECK_EQ_INT(ph_result_field_get(result, force).width, 3);
    CHECK(ph_result_values(result, force, NULL) != NULL);
    CHECK_EQ_INT(ph_result_find_joint(result, 3, "force"), PH_NONE);
    CHECK_EQ_INT(ph_result_find(result, "no/such"), PH_NONE);
    CHECK_EQ_INT(ph_result_field_get(result, ph_result_find(result, "position")).bodies, 3);
    ph_result_destroy(result);
    recording_stop(&r);
    folder_remove(&f);
}

// Chunks that were never written take no room: such a file may claim any number of rows. The disk says how many there
// can be.
TEST(more_rows_than_the_disk_holds_are_refused)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    write_chain(path.text, ROWS);
    ph_result *result = open_good(path.text);
    if (!result) return;
    for (int i = 0; i < result->array_count; i++) {
        if (result->arrays[i].of_contacts) continue;
        result->arrays[i].kind = STORED_OTHERWISE;
        result->arrays[i].room = 1LL << 36;
    }
    result->rows = 1LL << 36;
    ph_error error = {.text = ""};
    result_reader reader = {.result = result, .bytes = 1 << 20, .stored = 1 << 20, .error = &error};
    CHECK(!result_check(&reader));
    CHECK(strstr(error.text, "more than the 1048576 bytes on the disk can hold") != NULL);
    result->rows = ROWS;
    reader.status = PH_OK;
    CHECK(result_check(&reader));
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(parts_of_rows_are_those_of_the_whole)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    recording_start(&r, scene_chain(300), path.text, ROWS); // rows of 7200 bytes: read part by part
    for (int k = 0; k < ROWS; k++) {
        recording_append(&r, k);
    }
    recording_stop(&r);
    ph_result *result = open_good(path.text);
    if (!result) {
        return;
    }
    static const struct {
        long long first, stride, count;
        size_t from, width;
    } cases[] = {{0, 1, ROWS, 7, 2}, {3, 5, 7, 0, 900}, {39, 1, 1, 899, 1}, {0, 39, 2, 450, 3}, {5, 1, 0, 0, 900}};
    const char *fields[] = {"velocity", "momentum/linear"};
    for (int i = 0; i < 2; i++) {
        const int field = ph_result_find(result, fields[i]);
        const size_t width = ph_result_field_get(result, field).width;
        const double *all = ph_result_values(result, field, NULL);
        for (size_t c = 0; all && c < sizeof cases / sizeof cases[0]; c++) {
            static double part[ROWS * 900];
            const size_t from = cases[c].from % width,
                         w = cases[c].width < width - from ? cases[c].width : width - from;
            CHECK_EQ_INT(
                ph_result_read(result, field, cases[c].first, cases[c].stride, cases[c].count, from, w, part, NULL),
                PH_OK);
            for (long long k = 0; k < cases[c].count; k++) {
                const double *row = all + (size_t)(cases[c].first + k * cases[c].stride) * width + from;
                CHECK(memcmp(part + (size_t)k * w, row, w * sizeof *row) == 0);
            }
        }
        double one[4];
        CHECK_EQ_INT(ph_result_read(result, field, ROWS, 1, 1, 0, 1, one, NULL), PH_BAD_ARGUMENT);
        CHECK_EQ_INT(ph_result_read(result, field, 0, 1, ROWS + 1, 0, 1, one, NULL), PH_BAD_ARGUMENT);
        CHECK_EQ_INT(ph_result_read(result, field, 0, 1, 1, width, 1, one, NULL), PH_BAD_ARGUMENT);
    }
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(a_file_that_is_being_written_shows_its_newest_rows)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    recording_start(&r, scene_chain(3), path.text, ROWS);
    ph_result *result = open_good(path.text);
    if (!result) {
        return;
    }
    const int time = ph_result_find(result, "time");
    CHECK_EQ_INT(ph_result_rows(result), 0);
    CHECK_EQ_INT(ph_result_capacity(result), ROWS);
    CHECK(ph_result_values(result, time, NULL) != NULL);
    for (int k = 0; k < ROWS; k++) {
        recording_append(&r, k);
        ph_result_flush(r.writer, NULL);
        CHECK_EQ_INT(ph_result_refresh(result, NULL), PH_OK);
        CHECK_EQ_INT(ph_result_rows(result), k + 1);
        const double *t = ph_result_values(result, time, NULL);
        CHECK(t && t[k] == 0.1 * k);
    }
    ph_result_destroy(result);
    recording_stop(&r);
    folder_remove(&f);
}

// A file that grows is made anew under its name.
TEST(a_file_that_grows_is_followed)
{
    enum { MANY = 4000 };
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    recording_start(&r, scene_chain(3), path.text, MANY);
    ph_result *result = open_good(path.text);
    if (!result) {
        return;
    }
    const long long first = ph_result_capacity(result);
    const int time = ph_result_find(result, "time");
    CHECK(first < MANY / 4);
    for (int k = 0; k < MANY; k++) {
        recording_append(&r, k);
        if (k % 97 != 0 && k != MANY - 1) continue;
        ph_result_flush(r.writer, NULL);
        CHECK_EQ_INT(ph_result_refresh(result, NULL), PH_OK);
        CHECK_EQ_INT(ph_result_rows(result), k + 1);
        const double *t = ph_result_values(result, time, NULL);
        CHECK(t && t[k] == 0.1 * k && t[k / 2] == 0.1 * (k / 2));
    }
    CHECK_EQ_INT(ph_result_capacity(result), MANY);
    ph_result_destroy(result);
    recording_stop(&r);
    folder_remove(&f);
}

#ifdef PH_WITH_YAML
TEST(the_model_comes_back_with_its_shapes)
{
    static const char text[] = "polhode: 1\nname: rod\nparameters: {l: 1.5}\nbodies:\n"
                               "  - {name: rod, mass: 2, inertia: [1, 1, 1],\n"
                               "     shapes: [{type: cylinder, radius: 0.1, length: 2*l, axis: y}]}\n";
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5"), other = folder_file(&f, "b.h5");
    ph_spec *spec;
    ph_model *model, *again = NULL;
    const ph_setting setting = {"l", "3"};
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "rod", &setting, 1, NULL, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    recording r;
    recording_start(&r, model, path.text, 2);
    recording_append(&r, 0);
    recording_stop(&r);
    ph_result *result = open_good(path.text);
    if (!result) {
        return;
    }
    CHECK_STR(ph_result_text(result), text);
    if (CHECK_EQ_INT(ph_result_model(result, NULL, &again, NULL), PH_OK)) {
        CHECK_STR(ph_model_shape(again, 0, 0)->type, "cylinder");
        CHECK(ph_model_shape(again, 0, 0)->length == 6.0); // as it was run, with l = 3
        ph_model_destroy(again);
    }
    ph_result_destroy(result);

    write_chain(other.text, 1); // built by calls: there is no text
    result = open_good(other.text);
    CHECK_EQ_INT(ph_result_model(result, NULL, &again, NULL), PH_NOT_FOUND);
    ph_result_destroy(result);
    folder_remove(&f);
}

static const char cornered[] =
    "polhode: 1\nbodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1], shapes: [{type: mesh, file: a.obj}]}\n";

static void write_mesh(const char *path)
{
    write_text_file(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n");
}

// A run of the model in `from`, recorded at `to`.
static bool record_cornered(const char *from, const char *to)
{
    ph_model *model = NULL;
    ph_spec *spec;
    recording r;
    if (CHECK_EQ_INT(ph_spec_read_text(cornered, strlen(cornered), from, NULL, 0, NULL, &spec), PH_OK)) {
        CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
        ph_spec_destroy(spec);
    }
    if (model) {
        recording_start(&r, model, to, 1);
        recording_append(&r, 0);
        recording_stop(&r);
    }
    return model;
}

static bool makes_model(const ph_result *result)
{
    ph_model *model = NULL;
    ph_error error;
    const bool made = ph_result_model(result, NULL, &model, &error) == PH_OK;
    CHECK(made == (model != NULL));
    CHECK(made || strstr(error.text, "files of its shapes were in /"));
    ph_model_destroy(model);
    return made;
}

TEST(files_of_shapes_are_read_from_the_folder_of_the_result_alone)
{
    const folder mine = folder_make(), other = folder_make(), third = folder_make();
    const file_path model = folder_file(&other, "model.yaml"), mesh = folder_file(&other, "a.obj");
    const file_path apart = folder_file(&mine, "a.h5"), beside = folder_file(&other, "a.h5");
    const file_path near = folder_file(&mine, "a.obj");
    write_mesh(mesh.text);
    if (!record_cornered(model.text, apart.text) || !record_cornered(model.text, beside.text)) {
        return;
    }
    ph_result *result = open_good(beside.text);
    CHECK(makes_model(result));
    ph_result_destroy(result);

    result = open_good(apart.text); // it names the other folder, and may not lead there
    CHECK(!makes_model(result));
    CHECK_EQ_INT(ph_result_allow_folder(result, third.path, NULL), PH_OK);
    CHECK(!makes_model(result));
    CHECK_EQ_INT(ph_result_allow_folder(result, other.path, NULL), PH_OK);
    CHECK(makes_model(result));
    CHECK_EQ_INT(ph_result_allow_folder(result, "/", NULL), PH_OK);
    CHECK(makes_model(result));
    CHECK_EQ_INT(ph_result_allow_folder(result, NULL, NULL), PH_OK);
    CHECK(!makes_model(result));
    CHECK_EQ_INT(symlink(mesh.text, near.text), 0); // neither by a link
    CHECK(!makes_model(result));
    unlink(near.text);
    write_mesh(near.text); // what is beside the result serves
    CHECK(makes_model(result));
    ph_result_destroy(result);
    folder_remove(&mine);
    folder_remove(&other);
    folder_remove(&third);
}
#endif

// ---- What may be wrong ----------------------------------------------------------------------------------------------

TEST(other_files_are_refused)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    expect_refusal(path.text, PH_NOT_FOUND, "No such file");
    expect_refusal(f.path, PH_BAD_ARGUMENT, "is a folder");
    expect_refusal("/dev/null", PH_BAD_ARGUMENT, "not a regular file");
    write_text_file(path.text, "");
    expect_refusal(path.text, PH_BAD_ARGUMENT, "is empty");
    write_text_file(path.text, "polhode: 1\n");
    expect_refusal(path.text, PH_BAD_ARGUMENT, "is no HDF5 file");
    H5Fclose(H5Fcreate(path.text, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    expect_refusal(path.text, PH_BAD_ARGUMENT, "not a result of polhode");
    folder_remove(&f);
}

static void copy_start(const char *from, const char *to, size_t bytes)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    for (int c; bytes-- > 0 && (c = fgetc(in)) != EOF;) {
        fputc(c, out);
    }
    fclose(in);
    fclose(out);
}

static size_t file_size(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (size_t)about.st_size : 0;
}

TEST(a_file_that_is_cut_short_is_refused_wherever_it_ends)
{
    const folder f = folder_make();
    const file_path whole = folder_file(&f, "a.h5"), cut = folder_file(&f, "b.h5");
    write_chain(whole.text, ROWS);
    const size_t bytes = file_size(whole.text);
    for (size_t n = 1; n < bytes; n += n < 200 ? 1 : 997) {
        copy_start(whole.text, cut.text, n);
        expect_refusal(cut.text, PH_BAD_ARGUMENT, n < 8 ? "no HDF5 file" : n < 96 ? "damaged" : "cut short");
    }
    folder_remove(&f);
}

// Opens the file as a user would change it.
static hid_t open_for_change(const char *path)
{
    return H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
}

static void set_version(const char *path, int version)
{
    const hid_t file = open_for_change(path), attribute = H5Aopen(file, "version", H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT, &version);
    H5Aclose(attribute);
    H5Fclose(file);
}

static void set_rows(const char *path, long long rows)
{
    const hid_t file = open_for_change(path), dataset = H5Dopen2(file, "/rows", H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void replace(const char *path, const char *name, int rank, const hsize_t *size)
{
    const hid_t file = open_for_change(path);
    H5Ldelete(file, name, H5P_DEFAULT);
    if (rank > 0) {
        const hid_t space = H5Screate_simple(rank, size, NULL);
        H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        H5Sclose(space);
    }
    H5Fclose(file);
}

TEST(parts_that_do_not_fit_are_named)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    write_chain(path.text, ROWS);
    set_version(path.text, 2);
    expect_refusal(path.text, PH_NOT_SUPPORTED, "version 2 of the format; this program reads version 1");
    set_version(path.text, 1);
    set_rows(path.text, ROWS + 1);
    expect_refusal(path.text, PH_BAD_ARGUMENT, "'/rows' says 41, there is room for 40");
    set_rows(path.text, -1);
    expect_refusal(path.text, PH_BAD_ARGUMENT, "'/rows' says -1");
    set_rows(path.text, ROWS);
    ph_result_destroy(open_good(path.text));

    static const struct {
        const char *name;
        int rank;
        hsize_t size[4];
        const char *message;
    } cases[] = {
        {"/energy/total", 0, {0}, "'/energy/total' is missing"},
        {"/time", 0, {0}, "'/time' is missing"},
        {"/rows", 0, {0}, "'/rows' is missing"},
        {"/position", 3, {ROWS, 2, 3}, "not of 3 bodies"},
        {"/position", 3, {ROWS, 3, 4}, "shape"},
        {"/position", 2, {ROWS, 9}, "shape"},
        {"/momentum/linear", 2, {ROWS, 2}, "shape"},
        {"/velocity", 3, {ROWS - 1, 3, 3}, "'/velocity' has 39 rows, '/time' 40"},
        {"/joints", 0, {0}, "what belongs to joint"},
        {"/energy/work", 3, {ROWS, 1 << 14, 1 << 14}, "'/energy/work' is too large"}, // a row of 2 GB
        {"/momentum/linear", 2, {1LL << 47, 1 << 17}, "too large"},                   // 2^64 values
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_chain(path.text, ROWS);
        replace(path.text, cases[i].name, cases[i].rank, cases[i].size);
        expect_refusal(path.text, PH_BAD_ARGUMENT, cases[i].message);
    }
    folder_remove(&f);
}

// An array for which no place was kept in the list of columns ran past it.
TEST(joints_without_arrays_are_converted)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5"), table = folder_file(&f, "a.csv");
    write_chain(path.text, ROWS);
    const hid_t file = open_for_change(path.text);
    for (int i = 0; i < 3; i++) {
        char group[32];
        snprintf(group, sizeof group, "/joints/joint%d", i);
        H5Ldelete(file, group, H5P_DEFAULT);
        H5Gclose(H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    H5Fclose(file);
    ph_result *result = open_good(path.text);
    const ph_convert_def def = ph_default_convert();
    CHECK_EQ_INT(ph_result_convert(result, table.text, &def, NULL, NULL), PH_OK);
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(links_that_leave_the_file_are_not_followed)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5"), other = folder_file(&f, "b.h5");
    write_chain(path.text, ROWS);
    write_chain(other.text, ROWS);
    const hid_t file = open_for_change(path.text);
    H5Ldelete(file, "/position", H5P_DEFAULT);
    H5Lcreate_external(other.text, "/position", file, "/position", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/", file, "/round", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    expect_refusal(path.text, PH_BAD_ARGUMENT, "'/position' is missing");
    folder_remove(&f);
}

// Others may store the same numbers in another way: in chunks, as float.
TEST(arrays_that_others_have_stored_anew_are_read)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    const hsize_t size[3] = {ROWS, 3, 3}, chunk[3] = {7, 2, 3};
    float values[ROWS * 9];
    for (int i = 0; i < ROWS * 9; i++) {
        values[i] = (float)i;
    }
    write_chain(path.text, ROWS);
    const hid_t file = open_for_change(path.text), space = H5Screate_simple(3, size, NULL);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunked, 3, chunk);
    H5Ldelete(file, "/position", H5P_DEFAULT);
    const hid_t dataset = H5Dcreate2(file, "/position", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, chunked, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(dataset);
    H5Pclose(chunked);
    H5Sclose(space);
    H5Fclose(file);

    ph_result *result = open_good(path.text);
    double part[4];
    const int field = ph_result_find(result, "position");
    const double *x = ph_result_values(result, field, NULL);
    CHECK(x && x[0] == 0.0 && x[100] == 100.0 && x[ROWS * 9 - 1] == ROWS * 9 - 1.0);
    CHECK_EQ_INT(ph_result_read(result, field, 10, 20, 2, 4, 2, part, NULL), PH_OK);
    CHECK(part[0] == 94.0 && part[1] == 95.0 && part[2] == 274.0 && part[3] == 275.0);
    ph_result_destroy(result);
    folder_remove(&f);
}

// ---- Damage ---------------------------------------------------------------------------------------------------------

// Opens and reads everything of a file.
static void read_all(const char *path)
{
    ph_result *result;
    ph_error error;
    if (ph_result_open(path, &result, &error) == PH_OK) {
        for (int i = 0; i < ph_result_fields(result); i++) {
            ph_result_values(result, i, &error);
        }
        ph_result_destroy(result);
    }
}

// HDF5's own structures lie before the first and behind the last data; changed bytes there must be reported, or do no
// harm, but never end the program. In processes of their own, so that one that ends is seen.
TEST(changed_bytes_do_not_end_the_program)
{
    enum { PROCESSES = 4, EACH = 60 };
    const folder f = folder_make();
    const file_path whole = folder_file(&f, "a.h5"), changed = folder_file(&f, "b.h5");
    write_chain(whole.text, 2);
    const size_t bytes = file_size(whole.text);
    for (int p = 0; p < PROCESSES; p++) {
        for (int i = 0; i < p * EACH; i++) {
            test_uniform(0.0, 1.0);
        }
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            alarm(600);
            for (int i = 0; i < EACH; i++) {
                copy_start(whole.text, changed.text, bytes);
                FILE *file = fopen(changed.text, "r+b");
                const int count = 1 + (int)test_uniform(0.0, 8.0);
                for (int k = 0; k < count; k++) {
                    fseek(file, (long)test_uniform(0.0, (double)bytes), SEEK_SET);
                    fputc((int)test_uniform(0.0, 256.0), file);
                }
                fclose(file);
                read_all(changed.text);
            }
            _exit(0);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    folder_remove(&f);
}

#else

TEST(hdf5_results_are_refused_with_a_clear_text)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_result *result;
    ph_error error;
    write_text_file(path.text, "something");
    CHECK_EQ_INT(ph_result_open(path.text, &result, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "without HDF5") != NULL);
    folder_remove(&f);
}

#endif
