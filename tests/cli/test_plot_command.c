// polhode plot: what is drawn, what is listed, and what is refused.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

#ifdef PH_WITH_HDF5

// Two short runs with different schemes.
static folder make_results(void)
{
    const folder f = folder_make();
    output o = run_shell("cd %s && polhode run '" EXAMPLE "' --until 0.2 -q -o a.h5 &&"
                         " polhode run '" EXAMPLE "' --until 0.2 --scheme rk4 -q -o b.h5",
                         f.path);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    return f;
}

// Runs `polhode plot` in the folder and returns what it wrote, to be freed.
static char *plot(const folder *f, const char *arguments)
{
    output o = run_shell("cd %s && polhode plot %s -o p.svg", f->path, arguments);
    if (!CHECK_EQ_INT(o.status, 0)) {
        printf("  %s", o.err);
    }
    CHECK_STR(o.out, "written p.svg\n");
    output_free(&o);
    return read_text_file(folder_file(f, "p.svg").text);
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; text && (text = strstr(text, part)); text++) {
        count++;
    }
    return count;
}

static const char CURVE[] = "<path fill=\"none\"";

TEST(quantities_of_one_unit_share_a_panel)
{
    const folder f = make_results();
    char *text = plot(&f, "a.h5 energy.error joints.A.reaction energy.kinetic rod2.position stress.rod1.mises");
    CHECK_EQ_INT(count_of(text, CURVE), 7);
    CHECK(strstr(text, ">energy error, kinetic energy (J)<") != NULL);
    CHECK(strstr(text, ">joint A reaction force (N)<") != NULL);
    CHECK(strstr(text, ">rod2 position (m)<") != NULL);
    CHECK(strstr(text, ">rod1 mean stress mises (Pa)<") != NULL);
    CHECK_EQ_INT(count_of(text, ">time (s)<"), 1);
    CHECK(strstr(text, "spatial double pendulum: rattlie, h = 0.001 s") != NULL);
    free(text);
    text = plot(&f, "a.h5 --panels energy.error energy.kinetic --title 'a < b'");
    CHECK(strstr(text, ">energy error (J)<") && strstr(text, ">kinetic energy (J)<") && strstr(text, "a &lt; b"));
    free(text);
    folder_remove(&f);
}

TEST(results_are_laid_over_each_other)
{
    const folder f = make_results();
    char *text = plot(&f, "a.h5 b.h5 violation.position --log y");
    CHECK_EQ_INT(count_of(text, CURVE), 2);
    CHECK(strstr(text, ">rattlie<") && strstr(text, ">rk4<"));
    free(text);
    text = plot(&f, "a.h5 a.h5 energy.error --log y");
    CHECK(strstr(text, ">a.h5<") && strstr(text, ">|energy error| (J)<"));
    free(text);
    folder_remove(&f);
}

TEST(quantities_are_drawn_against_each_other)
{
    const folder f = make_results();
    static const char *const ways[] = {"a.h5 rod2.position.x:rod2.position.z",
                                       "a.h5 --xy rod2.position.x rod2.position.z",
                                       "a.h5 rod2.position.z --against rod2.position.x"};
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        char *text = plot(&f, ways[i]);
        CHECK(strstr(text, ">rod2 position x (m)<") && strstr(text, ">rod2 position z (m)<"));
        CHECK(!first || strcmp(text, first) == 0);
        if (first) {
            free(text);
        } else {
            first = text;
        }
    }
    free(first);
    char *text = plot(&f, "a.h5 energy.kinetic --from 0.05 --to 0.15");
    CHECK(strstr(text, ">0.06<") && !strstr(text, ">0.2<"));
    free(text);
    folder_remove(&f);
}

TEST(the_list_names_what_can_be_drawn)
{
    const folder f = make_results();
    output o = run_shell("cd %s && polhode plot a.h5 --list", f.path);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "a.h5: 201 rows") && strstr(o.out, "  rod2.position.{x,y,z}  ") &&
          strstr(o.out, "  joints.A.reaction  "));
    output_free(&o);
    o = run_shell("cd %s && polhode plot a.h5 --list --json", f.path);
    CHECK(json_is_one_value(o.out));
    CHECK(strstr(o.out, "\"energy.error\"") != NULL);
    output_free(&o);
    folder_remove(&f);
}

TEST(mistakes_are_explained)
{
    const folder f = make_results();
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"a.h5 rod2.positon.x -o p.svg", "has no quantity 'rod2.positon.x'; did you mean 'rod2.position.x'?"},
        {"a.h5 rod2.position.x:energy.eror -o p.svg", "did you mean 'energy.error'?"},
        {"a.h5 zzz -o p.svg", "--list shows"},
        {"a.h5 -o p.svg", "a quantity is missing"},
        {"energy.error -o p.svg", "a result is missing"},
        {"a.h5 energy.error", "--out is missing"},
        {"a.h5 energy.error -o p.jpg", "neither with .svg, .pdf nor .png"},
        {"a.h5 energy.error -o p.svg --log z", "none of x, y, xy"},
        {"a.h5 energy.error -o p.svg --from x", "is not a number"},
        {"a.h5 energy.error -o p.svg --from 7", "no value between these times"},
        {"a.h5 energy.error -o no/such/p.svg", "no folder"},
        {"none.h5 energy.error -o p.svg", "No such file"},
        {"aa.h5 energy.error -o p.svg", "did you mean 'a.h5'?"},
        {"a.h6 energy.error -o p.svg", "did you mean 'a.h5'?"},
        {"cut.h5 energy.error -o p.svg", "is cut short"},
        {"model.h5 energy.error -o p.svg", "is no HDF5 file"},
        {"model.yaml energy.error -o p.svg", "is a model, not a result: 'polhode run model.yaml --out"},
        {"a.h5 energy.error -o p.svg --xy", "--xy needs two"},
        {"a.h5 energy.error -o p.svg --lgo y", "did you mean '--log'?"},
    };
    output o =
        run_shell("cd %s && head -c 5000 a.h5 >cut.h5 && cp '" EXAMPLE "' model.h5 && cp model.h5 model.yaml", f.path);
    output_free(&o);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        o = run_shell("cd %s && polhode plot %s", f.path, cases[i].arguments);
        CHECK_EQ_INT(o.status, strstr(cases[i].arguments, "no/such") ? 1 : 2);
        CHECK_STR(o.out, "");
        if (!CHECK(strstr(o.err, cases[i].message) != NULL)) {
            printf("  '%s' is not in: %s", cases[i].message, o.err);
        }
        output_free(&o);
    }
    CHECK(access(folder_file(&f, "p.svg").text, F_OK) != 0);
    folder_remove(&f);
}

#endif
