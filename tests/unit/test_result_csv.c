// Results as comma-separated values, and what all result files share: checks of the path, temporary names, links.

#include "test.h"

#include "folder.h"
#include "recording.h"
#include "scenes.h"

#include <locale.h>
#include <sys/resource.h>
#include <sys/wait.h>

// ---- Contents -------------------------------------------------------------------------------------------------------

TEST(csv_column_names)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    char *text = read_text_file(path.text);
    CHECK_STR(text,
              "time,stand.x,stand.y,stand.z,rod1.x,rod1.y,rod1.z,rod2.x,rod2.y,rod2.z,"
              "stand.qw,stand.qx,stand.qy,stand.qz,rod1.qw,rod1.qx,rod1.qy,rod1.qz,rod2.qw,rod2.qx,rod2.qy,rod2.qz,"
              "stand.vx,stand.vy,stand.vz,rod1.vx,rod1.vy,rod1.vz,rod2.vx,rod2.vy,rod2.vz,"
              "stand.wx,stand.wy,stand.wz,rod1.wx,rod1.wy,rod1.wz,rod2.wx,rod2.wy,rod2.wz,"
              "energy.kinetic,energy.potential,energy.work,energy.total,"
              "momentum.linear.x,momentum.linear.y,momentum.linear.z,"
              "momentum.angular.x,momentum.angular.y,momentum.angular.z,violation.position,violation.velocity,"
              "joints.hinge.force.x,joints.hinge.force.y,joints.hinge.force.z,"
              "joints.hinge.torque.x,joints.hinge.torque.y,joints.hinge.torque.z,"
              "joints.hinge.coordinate,joints.hinge.rate,"
              "joints.ball.force.x,joints.ball.force.y,joints.ball.force.z,"
              "joints.ball.torque.x,joints.ball.torque.y,joints.ball.torque.z\n");
    free(text);
    folder_remove(&f);
}

TEST(csv_quotes_names_and_numbers_coordinates)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    ph_spec *spec = scene_start();
    const int body = scene_body(spec, "big, \"red\" rod", (ph_vec3){0.0, 0.0, 0.0});
    scene_axial(spec, "c", "cylindrical", PH_WORLD, body, (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){0.0, 0.0, 1.0});
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_finish(spec), path.text, 1), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    char *text = read_text_file(path.text);
    CHECK(strncmp(text, "time,\"big, \"\"red\"\" rod.x\",\"big, \"\"red\"\" rod.y\",", 45) == 0);
    CHECK(strstr(text, ",joints.c.coordinate.1,joints.c.coordinate.2,joints.c.rate.1,joints.c.rate.2\n") != NULL);
    free(text);
    folder_remove(&f);
}

// Reads the number at *text and moves behind the comma or line end that must follow.
static double take_number(const char **text, char expected_end)
{
    char *end;
    const double value = strtod(*text, &end);
    CHECK(end != *text && *end == expected_end);
    *text = *end ? end + 1 : end;
    return value;
}

static void check_row(const char **text, recording *r, int k)
{
    ph_measures m;
    recording_set_state(r, k);
    ph_observer_measure(r->observer, r->state, &m);
    CHECK(take_number(text, ',') == 0.1 * k);
    const double *arrays[4] = {&r->state->position->x, &r->state->orientation->w, &r->state->velocity->x,
                               &r->state->angular_velocity->x};
    const int sizes[4] = {9, 12, 9, 9};
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < sizes[a]; i++) {
            CHECK(take_number(text, ',') == arrays[a][i]);
        }
    }
    CHECK(take_number(text, ',') == m.kinetic);
    CHECK(take_number(text, ',') == m.potential);
    for (int i = 0; i < 23; i++) {
        take_number(text, ',');
    }
    take_number(text, '\n');
}

TEST(csv_gives_back_the_same_doubles)
{
    enum { ROWS = 300 }; // more than one batch
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, ROWS), PH_OK);
    for (int k = 0; k < ROWS; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(ph_result_flush(r.writer, &r.error), PH_OK);
    char *text = read_text_file(path.text);
    const char *at = strchr(text, '\n') + 1;
    for (int k = 0; k < ROWS; k++) {
        check_row(&at, &r, k);
    }
    CHECK(*at == '\0');
    free(text);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    folder_remove(&f);
}

TEST(csv_has_decimal_points_in_every_locale)
{
    static const char *const with_comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "ru_RU.UTF-8"};
    const char *found = NULL;
    for (int i = 0; !found && i < 5; i++) {
        found = setlocale(LC_NUMERIC, with_comma[i]);
    }
    if (!found) {
        SKIP("no locale with a decimal comma is installed");
    }
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 2), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 1), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    setlocale(LC_NUMERIC, "C");
    char *text = read_text_file(path.text);
    CHECK(strstr(text, "\n0.10000000000000001,") != NULL);
    free(text);
    folder_remove(&f);
}

TEST(rows_are_counted)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 2), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 0), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 1), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 2), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    folder_remove(&f);
}

// ---- Paths ----------------------------------------------------------------------------------------------------------

static void check_refused(const char *path, ph_status expected, const char *part)
{
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path, 1), expected);
    CHECK(r.writer == NULL);
    if (!CHECK(strstr(r.error.text, part) != NULL)) {
        printf("  %s\n", r.error.text);
    }
    recording_stop(&r);
}

TEST(paths_that_cannot_be_written)
{
    const folder f = folder_make();
    const file_path in_nothing = folder_file(&f, "none/a.csv"), in_file = folder_file(&f, "file/a.csv"),
                    directory = folder_file(&f, "d.csv"), file = folder_file(&f, "file");
    write_text_file(file.text, "text");
    mkdir(directory.text, 0777);
    check_refused(in_nothing.text, PH_IO, "there is no folder");
    check_refused(in_file.text, PH_IO, "is not a folder");
    check_refused(directory.text, PH_IO, "it is a folder");
    check_refused("a.txt", PH_BAD_ARGUMENT, "it must end with .h5 or .csv");
    check_refused("csv", PH_BAD_ARGUMENT, "ending");
    CHECK_EQ_INT(folder_count(&f), 2);
    folder_remove(&f);
}

// In a process that is not root, which may write everywhere.
static bool is_denied(const char *path)
{
    const pid_t child = fork();
    if (child == 0) {
        enum { NOBODY = 65534 };
        recording r;
        const bool ready = geteuid() != 0 || setuid(NOBODY) == 0;
        const ph_status status = recording_start(&r, scene_pendulum(), path, 1);
        _exit(ready && status == PH_IO && strstr(r.error.text, "Permission denied") ? 0 : 1);
    }
    int code = 1;
    waitpid(child, &code, 0);
    return WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

TEST(a_file_or_folder_without_write_permission)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv"), other = folder_file(&f, "b.csv");
    write_text_file(path.text, "precious");
    chmod(path.text, 0444);
    chmod(f.path, 0777);
    CHECK(is_denied(path.text));
    chmod(f.path, 0555);
    CHECK(is_denied(other.text));
    chmod(f.path, 0777);
    char *text = read_text_file(path.text);
    CHECK_STR(text, "precious");
    free(text);
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

TEST(a_link_is_followed)
{
    const folder f = folder_make();
    const file_path target = folder_file(&f, "target.csv"), link = folder_file(&f, "link.csv");
    write_text_file(target.text, "old");
    CHECK_EQ_INT(symlink("target.csv", link.text), 0);
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), link.text, 1), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    struct stat info;
    CHECK(lstat(link.text, &info) == 0 && S_ISLNK(info.st_mode));
    CHECK(lstat(target.text, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 100);
    CHECK_EQ_INT(folder_count(&f), 2);
    folder_remove(&f);
}

// ---- Full disks -----------------------------------------------------------------------------------------------------

TEST(a_device_that_is_full)
{
    const folder f = folder_make();
    const file_path link = folder_file(&f, "full.csv");
    struct stat info;
    if (stat("/dev/full", &info) != 0) {
        SKIP("there is no /dev/full");
    }
    CHECK_EQ_INT(symlink("/dev/full", link.text), 0);
    check_refused(link.text, PH_IO, "space");
    CHECK(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

// In a process of its own: files may grow to `limit` bytes. Returns how many rows went through, or -1 when there
// was no error or another one.
static int append_up_to_limit(const char *path, rlim_t limit)
{
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit bytes = {limit, limit};
        recording r;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &bytes);
        int k = 0;
        ph_status status = recording_start(&r, scene_pendulum(), path, 1000);
        while (status == PH_OK && k < 200) {
            status = recording_append(&r, k++);
        }
        const bool refused = status == PH_IO && strstr(r.error.text, path);
        const bool again = !r.writer || ph_result_append(r.writer, r.state, r.observer, NULL) == PH_IO;
        recording_stop(&r);
        _exit(refused && again ? k : 255);
    }
    int code;
    waitpid(child, &code, 0);
    return WIFEXITED(code) && WEXITSTATUS(code) != 255 ? WEXITSTATUS(code) : -1;
}

TEST(a_disk_that_fills_up_leaves_whole_lines)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    CHECK(append_up_to_limit(path.text, 50000) > 0);
    char *text = read_text_file(path.text);
    const size_t length = text ? strlen(text) : 0;
    int lines = 0, commas = 0, columns = 0;
    CHECK(length > 0 && length <= 50000 && text[length - 1] == '\n');
    for (size_t i = 0; i < length; i++) {
        commas += text[i] == ',';
        if (text[i] == '\n') {
            columns = lines++ ? columns : commas;
            CHECK_EQ_INT(commas, columns);
            commas = 0;
        }
    }
    free(text);
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

TEST(an_old_result_survives_when_there_is_no_room_for_a_new_one)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    write_text_file(path.text, "precious");
    CHECK_EQ_INT(append_up_to_limit(path.text, 100), 0); // the names alone do not fit
    char *text = read_text_file(path.text);
    CHECK_STR(text, "precious");
    free(text);
    CHECK_EQ_INT(folder_count(&f), 1);
    folder_remove(&f);
}

TEST(a_pipe_is_written_to_as_it_is)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "pipe.csv");
    CHECK_EQ_INT(mkfifo(path.text, 0666), 0);
    const pid_t child = fork();
    if (child == 0) {
        char *text = read_text_file(path.text);
        _exit(text && strncmp(text, "time,", 5) == 0 && strstr(text, "\n0,") ? 0 : 1);
    }
    recording r;
    int code = 1;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path.text, 1), PH_OK);
    CHECK_EQ_INT(recording_append(&r, 0), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    waitpid(child, &code, 0);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    folder_remove(&f);
}
