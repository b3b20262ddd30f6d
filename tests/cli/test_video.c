// polhode video: files that appear, and what it says when they cannot.

#include "test.h"

#include "folder.h"
#include "program.h"

#include <string.h>
#include <unistd.h>

#ifdef PH_WITH_HDF5

static void check_message(output o, int status, const char *part)
{
    CHECK_EQ_INT(o.status, status);
    if (!CHECK(strstr(status ? o.err : o.out, part))) printf("    %s%s\n", o.out, o.err);
    output_free(&o);
}

TEST(a_film_and_what_cannot_be_one)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "swing.h5"), gif = folder_file(&f, "swing.gif"),
                    png = folder_file(&f, "swing.png");
    const file_path first = folder_file(&f, "swing-00001.png"), second = folder_file(&f, "swing-00002.png");
    check_message(run_shell("polhode run %s/examples/double_pendulum.yaml --until 0.2 --out %s --quiet",
                            TEST_SOURCE_DIR, result.text),
                  0, "");
    check_message(run_shell("polhode video %s -o %s --size 64x36 --rate 10", result.text, gif.text), 0, "3 pictures");
    CHECK(access(gif.text, F_OK) == 0);
    check_message(run_shell("polhode video %s -o %s --size 64x36 --rate 10 --from 0.1", result.text, png.text), 0,
                  "2 pictures");
    CHECK(access(first.text, F_OK) == 0 && access(second.text, F_OK) == 0);
    check_message(run_shell("polhode video %s/none.h5", f.path), 2, "none.h5");
    check_message(run_shell("polhode video %s -o %s/film.avi", result.text, f.path), 2, "film.avi");
    check_message(run_shell("polhode video %s -o %s --size 64", result.text, gif.text), 2, "--size");
    check_message(run_shell("polhode video %s -o %s/no/where.gif --size 64x36", result.text, f.path), 1, "where.gif");
    check_message(run_shell("PATH=/nowhere polhode video %s -o %s/film.mp4", result.text, f.path), 2, "ffmpeg");
    folder_remove(&f);
}

#endif
