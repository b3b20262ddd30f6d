// Results in HDF5: read back with HDF5 itself, while they are written and after a kill.

#include "test.h"

#include "folder.h"
#include "recording.h"
#include "scenes.h"

#ifndef PH_WITH_HDF5

TEST(hdf5_is_refused_with_a_clear_text)
{
    ph_model *model = scene_pendulum();
    const ph_result_def def = {.path = "a.h5", .scheme = "rattlie", .step = 1e-3, .rows = 1};
    ph_result_writer *writer;
    ph_error error;
    CHECK_EQ_INT(ph_result_create(model, &def, &writer, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "cannot write .h5 files") != NULL);
    ph_model_destroy(model);
}

#else

#include "hdf5_foreign.h"
#include <pthread.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

// ---- Reading --------------------------------------------------------------------------------------------------------

// As anybody opens it: read only, everything else by default.
static hid_t open_file(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    return file;
}

static long long read_rows(hid_t file)
{
    long long rows = -1;
    const hid_t dataset = H5Dopen2(file, "/rows", H5P_DEFAULT);
    CHECK(H5Dread(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows) >= 0);
    H5Dclose(dataset);
    return rows;
}

// The whole dataset, to be freed, after a check of its shape ({0} ends it).
static double *read_dataset(hid_t file, const char *path, const hsize_t *shape)
{
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    if (!CHECK(dataset >= 0)) {
        printf("  %s\n", path);
        return calloc(1, sizeof(double));
    }
    const hid_t space = H5Dget_space(dataset);
    hsize_t found[4] = {0};
    const int rank = H5Sget_simple_extent_dims(space, found, NULL);
    size_t count = 1;
    for (int i = 0; i < rank; i++) {
        CHECK_EQ_INT(found[i], shape[i]);
        count *= found[i];
    }
    CHECK_EQ_INT(shape[rank], 99);
    double *values = calloc(count + 1, sizeof *values);
    CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
}

#define READ(file, path, ...) read_dataset((file), (path), (const hsize_t[]){__VA_ARGS__, 99})

static char *read_text_attribute(hid_t file, const char *name)
{
    char *text = NULL, *copy;
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    CHECK(H5Aread(attribute, type, &text) >= 0);
    copy = strdup(text ? text : "");
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return copy;
}

static void check_text_attribute(hid_t file, const char *name, const char *expected)
{
    char *text = read_text_attribute(file, name);
    CHECK_STR(text, expected);
    free(text);
}

static void check_names_attribute(hid_t file, const char *name, int count, const char *const *expected)
{
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    char *names[16] = {0};
    if (CHECK_EQ_INT(H5Sget_simple_extent_npoints(space), count)) {
        CHECK(H5Aread(attribute, type, names) >= 0);
    }
    for (int i = 0; i < count; i++) {
        CHECK_STR(names[i], expected[i]);
        H5free_memory(names[i]);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

// ---- Contents -------------------------------------------------------------------------------------------------------

enum { ROWS = 400 }; // more than one batch

static void check_bodies(hid_t file, recording *r)
{
    double *time = READ(file, "/time", ROWS), *position = READ(file, "/position", ROWS, 3, 3);
    double *orientation = READ(file, "/orientation", ROWS, 3, 4), *velocity = READ(file, "/velocity", ROWS, 3, 3);
    double *angular = READ(file, "/angular_velocity", ROWS, 3, 3);
    for (int k = 0; k < ROWS; k++) {
        recording_set_state(r, k);
        CHECK(time[k] == r->state->time);
        CHECK(memcmp(position + 9 * k, r->state->position, 9 * sizeof(double)) == 0);
        CHECK(memcmp(orientation + 12 * k, r->state->orientation, 12 * sizeof(double)) == 0);
        CHECK(memcmp(velocity + 9 * k, r->state->velocity, 9 * sizeof(double)) == 0);
        CHECK(memcmp(angular + 9 * k, r->state->angular_velocity, 9 * sizeof(double)) == 0);
    }
    free(time);
    free(position);
    free(orientation);
    free(velocity);
    free(angular);
}

static void check_measures(hid_t file, recording *r)
{
    double *kinetic = READ(file, "/energy/kinetic", ROWS), *potential = READ(file, "/energy/potential", ROWS);
    double *work = READ(file, "/energy/work", ROWS), *total = READ(file, "/energy/total", ROWS);
    double *linear = READ(file, "/momentum/linear", ROWS, 3), *angular = READ(file, "/momentum/angular", ROWS, 3);
    double *position = READ(file, "/violation/position", ROWS), *velocity = READ(file, "/violation/velocity", ROWS);
    for (int k = 0; k < ROWS; k += 7) {
        ph_measures m;
        recording_set_state(r, k);
        ph_observer_measure(r->observer, r->state, &m);
        CHECK(kinetic[k] == m.kinetic && potential[k] == m.potential && work[k] == m.work && total[k] == m.total);
        CHECK(memcmp(linear + 3 * k, &m.linear, sizeof m.linear) == 0);
        CHECK(memcmp(angular + 3 * k, &m.angular, sizeof m.angular) == 0);
        CHECK(position[k] == m.position_violation && velocity[k] == m.velocity_violation);
    }
    double *all[] = {kinetic, potential, work, total, linear, angular, position, velocity};
    for (int i = 0; i < 8; i++) {
        free(all[i]);
    }
}

static void check_joints(hid_t file, recording *r)
{
    double *force = READ(file, "/joints/ball/force", ROWS, 3), *torque = READ(file, "/joints/hinge/torque", ROWS, 3);
    double *coordinate = READ(file, "/joints/hinge/coordinate", ROWS, 1),
           *rate = READ(file, "/joints/hinge/rate", ROWS, 1);
    double *none = READ(file, "/joints/ball/coordinate", ROWS, 0);
    for (int k = 0; k < ROWS; k += 7) {
        ph_wrench reactions[2];
        double q, qd;
        recording_set_state(r, k);
        CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, NULL, reactions), PH_OK);
        ph_observer_joint(r->observer, r->state, 0, &q, &qd);
        CHECK(memcmp(force + 3 * k, &reactions[1].force, sizeof reactions[1].force) == 0);
        CHECK(memcmp(torque + 3 * k, &reactions[0].torque, sizeof reactions[0].torque) == 0);
        CHECK(coordinate[k] == q && rate[k] == qd);
    }
    double *all[] = {force, torque, coordinate, rate, none};
    for (int i = 0; i < 5; i++) {
        free(all[i]);
    }
}

static void check_attributes(hid_t file)
{
    int version = 0;
    double step = 0.0;
    check_text_attribute(file, "format", "polhode result");
    check_text_attribute(file, "scheme", "rattlie");
    check_text_attribute(file, "quaternion_order", "wxyz");
    check_text_attribute(file, "model", "polhode: 1\nname: scene\n");
    check_names_attribute(file, "bodies", 3, (const char *const[]){"stand", "rod1", "rod2"});
    check_names_attribute(file, "joints", 2, (const char *const[]){"hinge", "ball"});
    hid_t attribute = H5Aopen(file, "version", H5P_DEFAULT);
    CHECK(H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0);
    H5Aclose(attribute);
    attribute = H5Aopen(file, "step", H5P_DEFAULT);
    CHECK(H5Aread(attribute, H5T_NATIVE_DOUBLE, &step) >= 0);
    H5Aclose(attribute);
    CHECK_EQ_INT(version, 1);
    CHECK(step == 0.25);
}

TEST(hdf5_holds_what_was_appended)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, ROWS), PH_OK);
    for (int k = 0; k < ROWS; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(ph_result_flush(r.writer, &r.error), PH_OK);
    const hid_t file = open_file(path.text);
    CHECK_EQ_INT(read_rows(file), ROWS);
    check_bodies(file, &r);
    check_measures(file, &r);
    check_joints(file, &r);
    check_attributes(file);
    H5Fclose(file);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

TEST(the_name_dot_is_written_otherwise)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "odd: \"name\"\xc3\xa9", (ph_vec3){0.0, 0.0, 0.0});
    scene_ball(spec, ".", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
    scene_ball(spec, "a.b c", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0});
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_finish(spec), path.text, 2), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 0), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    const hid_t file = open_file(path.text);
    free(READ(file, "/joints/%2E/force", 2, 3));
    free(READ(file, "/joints/a.b c/force", 2, 3));
    check_names_attribute(file, "bodies", 1, (const char *const[]){"odd: \"name\"\xc3\xa9"});
    check_names_attribute(file, "joints", 2, (const char *const[]){".", "a.b c"});
    H5Fclose(file);
    folder_remove(&f);
}

// ---- Every moment ---------------------------------------------------------------------------------------------------

// With the room for rows that the file must have.
static long long rows_in(const char *path, hsize_t room)
{
    const hid_t file = open_file(path);
    const long long rows = read_rows(file);
    double *time = READ(file, "/time", room);
    for (int k = 0; k < rows; k++) {
        CHECK(time[k] == 0.1 * k);
    }
    free(time);
    H5Fclose(file);
    return rows;
}

static hsize_t room_of(const char *path)
{
    hsize_t room = 0;
    const hid_t file = open_file(path), dataset = H5Dopen(file, "/time", H5P_DEFAULT), space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, &room, NULL);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return room;
}

// While it is written a file has room for at most four times its rows, but for 256 kB.
static long long rows_now(const char *path)
{
    enum { FEW = (1 << 18) / 500 }; // rows of the pendulum
    const hsize_t room = room_of(path);
    const long long rows = rows_in(path, room);
    CHECK((long long)room <= (4 * rows > FEW ? 4 * rows : FEW));
    return rows;
}

TEST(the_file_opens_at_every_moment)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1000), PH_OK);
    CHECK_EQ_INT(rows_now(path.text), 0);
    long long last = 0;
    for (int k = 0; k < 500; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
        const long long rows = rows_now(path.text);
        CHECK(rows >= last && rows <= k + 1);
        last = rows;
    }
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    CHECK_EQ_INT(rows_in(path.text, 500), 500); // what no row came for is given back
    folder_remove(&f);
}

// A run that stopped early gives back its room, goes on later, and ends with the same bytes as one that never stopped.
TEST(a_file_that_was_closed_early_goes_on)
{
    enum { ALL = 3000, EARLY = 7, KEPT = 5 };
    const folder f = folder_make();
    const file_path whole = folder_file(&f, "whole.h5"), parts = folder_file(&f, "parts.h5");
    recording r;
    recording_start(&r, scene_pendulum(), whole.text, ALL);
    for (int k = 0; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);

    recording_start(&r, scene_pendulum(), parts.text, ALL);
    for (int k = 0; k < EARLY; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(ph_result_close(r.writer, NULL), PH_OK);
    CHECK_EQ_INT(rows_in(parts.text, EARLY), EARLY);
    const ph_result_def def = {.path = parts.text, .scheme = "rattlie", .step = 0.25, .rows = ALL};
    CHECK_EQ_INT(ph_result_resume(r.model, &def, KEPT, &r.writer, &r.error), PH_OK);
    CHECK_EQ_INT(rows_now(parts.text), KEPT);
    for (int k = KEPT; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    CHECK(files_equal(whole.text, parts.text));
    folder_remove(&f);
}

static void wait_us(long microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000 * microseconds}, NULL);
}

TEST(a_killed_process_leaves_a_good_file)
{
    for (int trial = 0; trial < 20; trial++) {
        const folder f = folder_make();
        const file_path path = folder_file(&f, "a.h5");
        const pid_t child = fork();
        if (child == 0) {
            recording r;
            bool good = recording_start(&r, scene_pendulum(), path.text, 1000) == PH_OK;
            for (int k = 0; good && k < 1000; k++) {
                good = recording_append(&r, k) == PH_OK;
            }
            pause();
            _exit(1);
        }
        for (int k = 0; k < 100000 && access(path.text, F_OK) != 0; k++) {
            wait_us(100);
        }
        CHECK(access(path.text, F_OK) == 0);
        wait_us(200 * trial);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const long long rows = rows_now(path.text);
        CHECK(rows >= 0 && rows <= 1000);
        // It may have been growing: the next writer removes what is left of that.
        CHECK(folder_count(&f) <= 2);
        recording next;
        CHECK_EQ_INT(recording_start(&next, scene_pendulum(), path.text, 1), PH_OK);
        CHECK_EQ_INT(recording_stop(&next), PH_OK);
        CHECK_EQ_INT(folder_count(&f), 1);
        folder_remove(&f);
    }
}

TEST(two_writers_of_one_name)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording first, second;
    CHECK_EQ_INT(recording_start(&first, scene_pendulum(), path.text, 1000), PH_OK);
    CHECK_EQ_INT(recording_start(&second, scene_pendulum(), path.text, 1000), PH_OK);
    for (int k = 0; k < 400; k++) {
        CHECK_EQ_INT(recording_append(&first, k), PH_OK);
        if (k % 2 == 0) {
            CHECK_EQ_INT(recording_append(&second, k / 2), PH_OK);
        }
    }
    CHECK_EQ_INT(recording_stop(&second), PH_OK);
    CHECK_EQ_INT(recording_stop(&first), PH_OK);
    CHECK_EQ_INT(rows_in(path.text, 200), 200); // the one that came last
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

static void *write_in_thread(void *path)
{
    recording r;
    bool good = recording_start(&r, scene_pendulum(), path, 1000) == PH_OK;
    for (int k = 0; good && k < 1000; k++) {
        good = recording_append(&r, k) == PH_OK;
    }
    return recording_stop(&r) == PH_OK && good ? path : NULL;
}

TEST(threads_write_files_of_their_own)
{
    enum { THREADS = 4 };
    const folder f = folder_make();
    pthread_t threads[THREADS];
    file_path paths[THREADS];
    for (int i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.h5", i);
        paths[i] = folder_file(&f, name);
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, write_in_thread, paths[i].text), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        CHECK(result != NULL);
    }
    for (int i = 0; i < THREADS; i++) CHECK_EQ_INT(rows_now(paths[i].text), 1000);
    folder_remove(&f);
}

static void *read_again_and_again(void *path)
{
    bool good = true;
    for (int k = 0; good && k < 100; k++) {
        ph_result *result = NULL;
        ph_error error = {.status = PH_OK};
        good = ph_result_open(path, &result, &error) == PH_OK && ph_result_rows(result) == 1;
        if (!good) printf("  reading, time %d: %s\n", k, error.text);
        ph_result_destroy(result);
    }
    return good ? path : NULL;
}

// A helper that is started while another thread reads must not wait for what that one holds.
TEST(files_begin_while_another_thread_reads)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5"), other = folder_file(&f, "b.h5");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 0), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    pthread_t thread;
    CHECK_EQ_INT(pthread_create(&thread, NULL, read_again_and_again, (void *)path.text), 0);
    for (int k = 0; k < 20; k++) {
        CHECK_EQ_INT(recording_start(&r, scene_pendulum(), other.text, 1), PH_OK);
        CHECK_EQ_INT(recording_append(&r, 0), PH_OK);
        CHECK_EQ_INT(recording_stop(&r), PH_OK);
    }
    void *result;
    pthread_join(thread, &result);
    CHECK(result != NULL);
    folder_remove(&f);
}

// ---- Full disks -----------------------------------------------------------------------------------------------------

TEST(a_file_that_may_not_grow_is_found_at_the_start)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    write_text_file(path.text, "precious");
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit bytes = {100000, 100000};
        recording r;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &bytes);
        const ph_status status = recording_start(&r, scene_pendulum(), path.text, 100000);
        _exit(status == PH_IO && strstr(r.error.text, "too large") ? 0 : 1);
    }
    int code = 1;
    waitpid(child, &code, 0);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    char *text = read_text_file(path.text);
    CHECK_STR(text, "precious");
    free(text);
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

TEST(a_full_disk_is_found_at_the_start)
{
    const folder f = folder_make();
    if (mount("tmpfs", f.path, "tmpfs", 0, "size=1m") != 0) {
        folder_remove(&f);
        SKIP("a small disk cannot be mounted here");
    }
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 100000), PH_IO);
    CHECK(strstr(r.error.text, "the disk has 1.04858 MB left") != NULL);
    recording_stop(&r);
    CHECK_EQ_INT(folder_count(&f), 0);

    // What fits is reserved: another file cannot take its space.
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1000), PH_OK);
    const file_path other = folder_file(&f, "other");
    char block[4096] = {1};
    FILE *greedy = fopen(other.text, "w");
    while (fwrite(block, sizeof block, 1, greedy) == 1 && fflush(greedy) == 0) {}
    fclose(greedy);
    for (int k = 0; k < 1000; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    CHECK_EQ_INT(rows_now(path.text), 1000);
    umount(f.path);
    folder_remove(&f);
}

TEST(more_rows_than_any_disk_holds)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1000000000000000000), PH_IO);
    CHECK(strstr(r.error.text, "rows need") != NULL);
    recording_stop(&r);
    CHECK_EQ_INT(folder_count(&f), 0);
    folder_remove(&f);
}

TEST(hdf5_needs_a_regular_file)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "null.h5");
    CHECK_EQ_INT(symlink("/dev/null", path.text), 0);
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1), PH_IO);
    CHECK(strstr(r.error.text, "regular file") != NULL);
    recording_stop(&r);
    folder_remove(&f);
}

// ---- Large models ---------------------------------------------------------------------------------------------------

static void *count_allocate(size_t bytes, void *user)
{
    size_t *block = malloc(bytes + 16);
    *(size_t *)user += bytes;
    return block ? block + 2 : NULL;
}

static void count_release(void *block, void *user)
{
    (void)user;
    free((size_t *)block - 2);
}

TEST(a_large_model_takes_bounded_memory)
{
    enum { BODIES = 10000, RECORDED = 40 };
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    recording r = {.model = scene_chain(BODIES)};
    const ph_allocator before = r.model->allocator;
    const size_t row_bytes = (13 * BODIES + 6 * BODIES) * sizeof(double);
    size_t taken = 0;
    r.model->allocator = (ph_allocator){count_allocate, count_release, &taken};
    CHECK_EQ_INT(recording_start(&r, r.model, path.text, RECORDED), PH_OK);
    taken = 0;
    for (int k = 0; k < RECORDED; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(ph_result_close(r.writer, &r.error), PH_OK);
    CHECK(taken < 20 * row_bytes);
    ph_observer_destroy(r.observer);
    ph_state_destroy(r.state);
    r.model->allocator = before;

    const hid_t file = open_file(path.text);
    CHECK_EQ_INT(read_rows(file), RECORDED);
    double *time = READ(file, "/time", RECORDED), *last = READ(file, "/joints/joint9999/force", RECORDED, 3);
    for (int k = 0; k < RECORDED; k++) {
        CHECK(time[k] == 0.1 * k);
    }
    free(time);
    free(last);
    H5Fclose(file);
    ph_model_destroy(r.model);
    folder_remove(&f);
}

#endif
