// polhode view: pages of results, and what it says to files that are none.

#include "test.h"

#include "program.h"

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

#if defined PH_WITH_HDF5 && defined PH_WITH_ZLIB

static void check_message(output o, int status, const char *part)
{
    CHECK_EQ_INT(o.status, status);
    if (!CHECK(strstr(o.err, part))) {
        printf("    wanted: %s\n    got: %s\n", part, o.err);
    }
    output_free(&o);
}

static file_path make_result(const folder *f, const char *name, const char *options)
{
    const file_path path = folder_file(f, name);
    output o = run_shell("polhode run %s --until 0.5 --quiet --out %s %s", EXAMPLE, path.text, options);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    return path;
}

TEST(a_page_of_one_and_of_two_results)
{
    const folder f = folder_make();
    const file_path one = make_result(&f, "one.h5", ""), two = make_result(&f, "two.h5", "--scheme rk4 --every 7");
    const file_path page = folder_file(&f, "page.html");
    output o = run_shell("polhode view %s -o %s", one.text, page.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "page.html"));
    output_free(&o);
    char *text = read_text_file(page.text);
    if (CHECK(text)) {
        CHECK(strstr(text, "\"polhode-data-0\""));
        CHECK(strstr(text, "\"name\":\"spatial double pendulum\""));
        CHECK(!strstr(text, "<script src") && !strstr(text, "<link rel=\"stylesheet"));
    }
    free(text);
    o = run_shell("polhode view %s %s -o %s --quiet", one.text, two.text, page.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.out, "");
    output_free(&o);
    text = read_text_file(page.text);
    CHECK(text && strstr(text, "\"polhode-data-1\"") && strstr(text, "\"scheme\":\"rk4\""));
    free(text);
    folder_remove(&f);
}

// A result names the folder of its shapes' files; view, convert and plot go there only when told to.
TEST(files_of_shapes_are_read_elsewhere_only_when_allowed)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "a.h5"), page = folder_file(&f, "a.html"), glb = folder_file(&f, "a.glb");
    const char *const model = TEST_SOURCE_DIR "/tests/gltf/shapes.yaml";
    check_message(run_shell("polhode run %s --quiet --out %s", model, result.text), 0, "");
    check_message(run_shell("polhode view %s -o %s", result.text, page.text), 0, "shown without shapes");
    check_message(run_shell("polhode convert %s %s", result.text, glb.text), 0, "written without shapes");
    output o = run_shell("polhode view %s -o %s --folder %s/tests && polhode convert %s %s --folder %s/tests",
                         result.text, page.text, TEST_SOURCE_DIR, result.text, glb.text, TEST_SOURCE_DIR);
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.err, "");
    output_free(&o);
    folder_remove(&f);
}

TEST(files_that_cannot_be_shown)
{
    const folder f = folder_make();
    const file_path good = make_result(&f, "good.h5", ""), page = folder_file(&f, "page.html");
    check_message(run_shell("polhode view %s/none.h5 -o %s", f.path, page.text), 2, "none.h5");
    check_message(run_shell("polhode view %s %s -o %s", EXAMPLE, good.text, page.text), 2, "double_pendulum.yaml");
    check_message(run_shell("polhode view %s -o %s --core %s/none.wasm", EXAMPLE, page.text, f.path), 1,
                  "polhode.wasm");
    check_message(run_shell("polhode view %s -o %s", f.path, page.text), 2, "folder");
    check_message(
        run_shell("head -c 3000 %s >%s/cut.h5; polhode view %s/cut.h5 -o %s", good.text, f.path, f.path, page.text), 2,
        "cut.h5");
    check_message(run_shell("polhode view %s -o %s", good.text, good.text), 2, "is one of the results");
    check_message(run_shell("polhode view %s -o %s/no/where.html", good.text, f.path), 1, "where.html");
    check_message(run_shell("polhode view"), 2, "RESULT");
    CHECK(access(page.text, F_OK) != 0);
    folder_remove(&f);
}

// A smaller page has fewer frames and says so.
TEST(a_page_keeps_to_its_size)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "long.h5"), page = folder_file(&f, "page.html");
    output o = run_shell("polhode run %s --until 20 --quiet --out %s", EXAMPLE, result.text);
    output_free(&o);
    o = run_shell("polhode view %s -o %s --size 0.9", result.text, page.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "recorded frame"));
    output_free(&o);
    struct stat about;
    CHECK(stat(page.text, &about) == 0 && about.st_size < 900000);
    folder_remove(&f);
}

#endif
