// Reading friction problems: what is right, and every mistake with its line.

#include "test.h"

#include "folder.h"

#include "polhode/cone.h"

#include <locale.h>

static ph_fc_problem *read_text(const char *text, ph_problems *problems)
{
    ph_fc_problem *fc = NULL;
    ph_fc_read_text(text, strlen(text), "a.fc", problems, &fc);
    return fc;
}

static const char good[] = "FC3D 1\n1 4\n0.5\n-1 0.25e-1\n.5\n0 0 2\n1 1 1.5\n2 2 1.5\n0 1 .5\n";

TEST(a_good_file)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = read_text(good, problems);
    CHECK_EQ_INT(ph_problems_count(problems), 0);
    if (!CHECK(fc)) return;
    CHECK_EQ_INT(fc->contacts, 1);
    CHECK(fc->cones[0].kind == PH_CONE_FRICTION && fc->cones[0].friction == 0.5);
    CHECK(fc->q[0] == -1 && fc->q[1] == 0.025 && fc->q[2] == 0.5);
    CHECK_EQ_INT(fc->matrix->rows, 3);
    CHECK_EQ_INT(fc->matrix->start[3], 5);
    CHECK(fc->matrix->value[1] == 0.25); // (0,1) and (1,0): the symmetric part
    ph_fc_destroy(fc);
    ph_problems_destroy(problems);
}

TEST(line_ends_and_spaces_of_all_kinds)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = read_text("FC3D 1\r\n0 0\r\n\r\n  ", problems);
    CHECK(fc && fc->contacts == 0);
    ph_fc_destroy(fc);
    ph_problems_destroy(problems);
}

TEST(numbers_do_not_depend_on_the_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) SKIP("no locale with a decimal comma");
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = read_text(good, problems);
    setlocale(LC_NUMERIC, "C");
    CHECK(fc && fc->q[1] == 0.025);
    ph_fc_destroy(fc);
    ph_problems_destroy(problems);
}

// The last problem reported, and where.
static void check_mistake(const char *text, int line, int column, const char *what)
{
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc = read_text(text, problems);
    CHECK(!fc);
    const int count = ph_problems_count(problems);
    if (CHECK(count > 0)) {
        const ph_problem *p = ph_problems_get(problems, count - 1);
        const bool there = CHECK_EQ_INT(p->line, line) & CHECK_EQ_INT(p->column, column) & CHECK(strstr(p->text, what));
        if (!there) printf("  %s:%d:%d: %s\n", p->file, p->line, p->column, p->text);
    }
    ph_fc_destroy(fc);
    ph_problems_destroy(problems);
}

TEST(mistakes_have_their_line)
{
    check_mistake("", 1, 1, "the file ends where FC3D should stand");
    check_mistake("polhode: 1\n", 1, 1, "this is no friction problem");
    check_mistake("FC3D 3\n", 1, 6, "version 3");
    check_mistake("FC3D 1\nx 4\n", 2, 1, "the number of contacts should be a whole number, not \"x\"");
    check_mistake("FC3D 1\n-1 4\n", 2, 1, "must lie between 0 and");
    check_mistake("FC3D 1\n1 1.5\n", 2, 3, "should be a whole number");
    check_mistake("FC3D 1\n1000000 1\n0.5\n", 2, 9, "cut short");
    check_mistake("FC3D 1\n1 1\n-0.5\n0 0 0\n0 0 1\n", 3, 1, "must not be negative");
    check_mistake("FC3D 1\n1 1\n0.5\n0 nan 0\n0 0 1\n", 4, 3, "an entry of q is nan, it must be finite");
    check_mistake("FC3D 1\n1 1\n0.5\n0 1e999 0\n0 0 1\n", 4, 3, "must be finite");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 zero\n0 0 1\n", 4, 5, "should be a number, not \"zero\"");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 0x1p3\n0 0 1\n", 4, 5, "should be a number");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 0\n0 3 1\n", 5, 3, "a column of the matrix is 3, it must lie between 0 and 2");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 0\n-1 0 1\n", 5, 1, "a row of the matrix is -1");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 0\n0 0 inf\n", 5, 5, "must be finite");
    check_mistake("FC3D 1\n1 2\n0.5\n0 0 0\n0 0 1      \n", 6, 1,
                  "the file ends where a row of the matrix should stand");
    check_mistake("FC3D 1\n1 1\n0.5\n0 0 0\n0 0 1\n\n7\n", 7, 1, "goes on after the last of 1 entries");
}

TEST(several_mistakes_are_reported_but_not_all_of_thousands)
{
    ph_problems *problems = ph_problems_create();
    CHECK(!read_text("FC3D 1\n2 0\n-1 -2\n0 nan 0 0 inf 0\n", problems));
    CHECK_EQ_INT(ph_problems_count(problems), 4);
    ph_problems_destroy(problems);
    char text[8000] = "FC3D 1\n1000 0\n";
    for (int k = 0; k < 1000; k++) strcat(text, "-1\n");
    for (int k = 0; k < 1000; k++) strcat(text, "0 0 ");
    strcat(text, " 0");
    problems = ph_problems_create();
    CHECK(!read_text(text, problems));
    CHECK(ph_problems_count(problems) <= 21);
    ph_problems_destroy(problems);
}

TEST(files_that_cannot_be_read)
{
    const folder f = folder_make();
    ph_problems *problems = ph_problems_create();
    ph_fc_problem *fc;
    CHECK_EQ_INT(ph_fc_read_file(folder_file(&f, "none.fc").text, problems, &fc), PH_NOT_FOUND);
    CHECK_EQ_INT(ph_fc_read_file(f.path, problems, &fc), PH_IO);
    CHECK_EQ_INT(ph_problems_count(problems), 2);
    ph_problems_destroy(problems);
    folder_remove(&f);
}

// Every prefix and every changed byte of a good file is read or refused, never worse.
TEST(damaged_files)
{
    char text[sizeof good];
    ph_problems *problems = ph_problems_create();
    for (size_t length = 0; length < sizeof good - 1; length++) {
        ph_fc_problem *fc = NULL;
        ph_fc_read_text(good, length, "a.fc", problems, &fc);
        ph_fc_destroy(fc);
        for (int k = 0; k < 20; k++) {
            memcpy(text, good, sizeof good);
            text[length] = (char)test_random_index(256);
            ph_fc_read_text(text, sizeof good - 1, "a.fc", problems, &fc);
            ph_fc_destroy(fc);
        }
    }
    CHECK(ph_problems_count(problems) > 100);
    ph_problems_destroy(problems);
}
