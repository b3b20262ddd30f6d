// Status texts, allocation, problems and suggestions.

#include "test.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/problems.h"
#include "base/suggest.h"

#include <stdlib.h>

// ---- Status and errors ----------------------------------------------------------------------------------------------

TEST(status_names_and_texts)
{
    CHECK_STR(ph_status_name(PH_OK), "PH_OK");
    CHECK_STR(ph_status_name(PH_INTERRUPTED), "PH_INTERRUPTED");
    CHECK_STR(ph_status_text(PH_SINGULAR), "the constraint equations are singular");
    CHECK_STR(ph_status_name(PH_STATUS_COUNT), "PH_UNKNOWN");
    CHECK_STR(ph_status_text((ph_status)-1), "unknown status");
}

TEST(version_has_three_numbers)
{
    int major, minor, patch;
    CHECK_EQ_INT(sscanf(ph_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

TEST(error_set_returns_its_status_and_cuts_long_text)
{
    ph_error error;
    CHECK_EQ_INT(error_set(&error, PH_IO, "cannot open %s", "a.yaml"), PH_IO);
    CHECK_EQ_INT(error.status, PH_IO);
    CHECK_STR(error.text, "cannot open a.yaml");
    CHECK_EQ_INT(error_set(NULL, PH_SINGULAR, "joint %d", 3), PH_SINGULAR);
    error_set(&error, PH_IO, "%2000d", 1);
    CHECK_EQ_INT(strlen(error.text), sizeof error.text - 1);
}

TEST(clock_does_not_run_backwards)
{
    double before = clock_seconds();
    for (int i = 0; i < 1000; i++) {
        const double now = clock_seconds();
        CHECK(now >= before);
        before = now;
    }
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

// Counts blocks, fills them with rubbish, and fails when `budget` allocations are used up.
typedef struct ledger {
    int budget, open, made;
} ledger;

static void *ledger_allocate(size_t bytes, void *user)
{
    ledger *book = user;
    if (book->budget == 0) {
        return NULL;
    }
    book->budget--;
    book->open++;
    book->made++;
    void *block = malloc(bytes);
    return block ? memset(block, 0xa5, bytes) : NULL;
}

static void ledger_release(void *block, void *user)
{
    ledger *book = user;
    book->open--;
    free(block);
}

static ph_allocator ledger_allocator(ledger *book)
{
    return (ph_allocator){ledger_allocate, ledger_release, book};
}

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

TEST(blocks_are_zeroed_and_released_where_they_came_from)
{
    ledger book = {.budget = -1};
    const ph_allocator allocator = ledger_allocator(&book);
    unsigned char *block = mem_alloc_array(&allocator, 100, 7);
    CHECK(all_zero(block, 700));
    CHECK_EQ_INT(book.open, 1);
    mem_free(&allocator, block);
    mem_free(&allocator, NULL);
    CHECK_EQ_INT(book.open, 0);
    CHECK(mem_alloc_array(&allocator, SIZE_MAX / 2, 3) == NULL);
    CHECK_EQ_INT(book.made, 1);

    char *copy = mem_copy_string(NULL, "rod");
    CHECK_STR(copy, "rod");
    CHECK(mem_copy_string(NULL, NULL) == NULL);
    mem_free(NULL, copy);
}

TEST(reserve_keeps_the_content_also_when_it_fails)
{
    ledger book = {.budget = 3};
    const ph_allocator allocator = ledger_allocator(&book);
    int *numbers = NULL, capacity = 0, count = 0;
    while (mem_reserve(&allocator, &numbers, &capacity, count + 1, sizeof *numbers)) {
        numbers[count] = count;
        count++;
    }
    CHECK_EQ_INT(count, capacity);
    CHECK(count >= 32);
    for (int i = 0; i < count; i++) {
        CHECK_EQ_INT(numbers[i], i);
    }
    mem_free(&allocator, numbers);
    CHECK_EQ_INT(book.open, 0);
}

TEST(arena_blocks_are_zeroed_aligned_and_apart)
{
    enum { COUNT = 500 };
    ledger book = {.budget = -1};
    const ph_allocator allocator = ledger_allocator(&book);
    arena *a = arena_create(&allocator);
    unsigned char *blocks[COUNT];
    size_t sizes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = (size_t)test_random_index(i % 50 == 0 ? 100000 : 300);
        blocks[i] = arena_alloc(a, sizes[i]);
        CHECK(blocks[i] != NULL);
        CHECK_EQ_INT((uintptr_t)blocks[i] % 64, 0);
        CHECK(all_zero(blocks[i], sizes[i]));
        memset(blocks[i], i % 255 + 1, sizes[i]);
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            if (!CHECK_EQ_INT(blocks[i][k], i % 255 + 1)) {
                break;
            }
        }
    }
    CHECK_STR(arena_copy_string(a, "wheel"), "wheel");
    CHECK(book.open < 40);
    arena_destroy(a);
    CHECK_EQ_INT(book.open, 0);
}

TEST(arena_reports_running_out_of_memory)
{
    for (int budget = 0; budget < 4; budget++) {
        ledger book = {.budget = budget};
        const ph_allocator allocator = ledger_allocator(&book);
        arena *a = arena_create(&allocator);
        CHECK((a == NULL) == (budget == 0));
        int got = 0;
        while (a && arena_alloc(a, 1000)) {
            got++;
        }
        CHECK(a == NULL || (got > 0) == (budget > 1));
        CHECK(a == NULL || arena_alloc(a, SIZE_MAX) == NULL);
        CHECK(a == NULL || arena_alloc_array(a, SIZE_MAX / 4, 8) == NULL);
        arena_destroy(a);
        CHECK_EQ_INT(book.open, 0);
    }
}

TEST(arena_gives_a_pointer_for_nothing)
{
    arena *a = arena_create(NULL);
    CHECK(arena_alloc(a, 0) != NULL);
    CHECK(arena_bytes(a) > 0);
    arena_destroy(a);
    arena_destroy(NULL);
}

// ---- Problems -------------------------------------------------------------------------------------------------------

static const char *format(const ph_problem *problem)
{
    static char text[1000];
    const int length = ph_problem_format(problem, text, sizeof text);
    CHECK_EQ_INT(length, strlen(text));
    return text;
}

TEST(problems_copy_their_strings_and_count_errors)
{
    ph_problems *problems = ph_problems_create();
    char name[] = "a.yaml";
    problems_printf(problems, &(ph_problem){.severity = PH_ERROR, .file = name, .line = 3}, "mass is %g", -1.0);
    problems_add(problems, &(ph_problem){.severity = PH_WARNING, .path = "bodies[0]", .text = "no shape"});
    memset(name, 'x', strlen(name));
    const ph_problem *first = ph_problems_get(problems, 0);
    for (int i = 0; i < 100; i++) {
        problems_printf(problems, &(ph_problem){.severity = PH_NOTE, .hint = "why not"}, "note %d", i);
    }
    CHECK_EQ_INT(ph_problems_count(problems), 102);
    CHECK_EQ_INT(ph_problems_errors(problems), 1);
    CHECK(ph_problems_get(problems, 0) == first);
    CHECK_STR(first->file, "a.yaml");
    CHECK_STR(first->text, "mass is -1");
    CHECK_STR(ph_problems_get(problems, 101)->text, "note 99");
    CHECK_STR(ph_problems_get(problems, 101)->hint, "why not");
    CHECK(ph_problems_get(problems, 102) == NULL);
    CHECK(ph_problems_get(problems, -1) == NULL);
    ph_problems_destroy(problems);
}

TEST(problems_may_be_null)
{
    problems_add(NULL, &(ph_problem){.text = "lost"});
    problems_printf(NULL, &(ph_problem){0}, "lost");
    CHECK_EQ_INT(ph_problems_count(NULL), 0);
    CHECK_EQ_INT(ph_problems_errors(NULL), 0);
    CHECK(ph_problems_get(NULL, 0) == NULL);
    ph_problems_destroy(NULL);
}

TEST(problems_lost_for_lack_of_memory_still_count)
{
    for (int budget = 0; budget < 6; budget++) {
        ledger book = {.budget = budget};
        const ph_allocator allocator = ledger_allocator(&book);
        ph_problems *problems = problems_create(&allocator);
        CHECK((problems == NULL) == (budget == 0));
        if (!problems) {
            continue;
        }
        for (int i = 0; i < 5; i++) {
            problems_printf(problems, &(ph_problem){.severity = PH_ERROR}, "mistake %d", i);
        }
        const int stored = budget > 2 ? budget - 2 : 0; // two for the list itself
        CHECK_EQ_INT(ph_problems_errors(problems), 5);
        CHECK_EQ_INT(ph_problems_count(problems), stored + 1);
        CHECK_STR(ph_problems_get(problems, stored)->text, "there are more problems: out of memory");
        ph_problems_destroy(problems);
        CHECK_EQ_INT(book.open, 0);
    }
}

TEST(problem_with_caret_and_hint)
{
    const ph_problem problem = {.severity = PH_ERROR,
                                .file = "a.yaml",
                                .line = 7,
                                .column = 18,
                                .path = "bodies[0].mas",
                                .text = "unknown key 'mas'",
                                .hint = "did you mean 'mass'?",
                                .source = "  - {name: rod1, mas: 1}"};
    CHECK_STR(format(&problem), "a.yaml:7:18: error: unknown key 'mas'\n"
                                "      - {name: rod1, mas: 1}\n"
                                "                     ^\n"
                                "    did you mean 'mass'?");
}

TEST(problem_without_a_place)
{
    CHECK_STR(format(&(ph_problem){.severity = PH_WARNING, .path = "joints[2].axis", .text = "is not a unit vector"}),
              "joints[2].axis: warning: is not a unit vector");
    CHECK_STR(format(&(ph_problem){.severity = PH_ERROR, .file = "a.yaml", .text = "cannot be read"}),
              "a.yaml: error: cannot be read");
    CHECK_STR(format(&(ph_problem){.severity = PH_NOTE, .file = "a.yaml", .line = 2, .text = "here"}),
              "a.yaml:2: note: here");
}

TEST(problem_caret_below_tabs_and_wide_letters)
{
    ph_problem problem = {.severity = PH_ERROR, .file = "a", .line = 1, .column = 4, .text = "t"};
    problem.source = "\ta\tb\nnext line";
    CHECK_STR(format(&problem), "a:1:4: error: t\n    \ta\tb\n    \t \t^");
    problem.source = "\xc3\xa4\xe2\x82\xac:x\r\n";
    CHECK_STR(format(&problem), "a:1:4: error: t\n    \xc3\xa4\xe2\x82\xac:x\n       ^");
    problem.column = 99; // behind the end of the line
    problem.source = "a\x1b[31m";
    CHECK_STR(format(&problem), "a:1:99: error: t\n    a [31m\n          ^");
}

// The letter above the caret, in the lines "head, source, caret".
static char letter_above_caret(const char *text)
{
    const char *source = strchr(text, '\n') + 1, *caret_line = strchr(source, '\n') + 1;
    return source[strchr(caret_line, '^') - caret_line];
}

TEST(problem_long_lines_are_cut_around_the_caret)
{
    char source[401];
    for (int column = 1; column <= 400; column++) {
        memset(source, '.', 400);
        source[400] = '\0';
        source[column - 1] = 'X';
        const ph_problem problem = {PH_ERROR, "a", 1, column, NULL, "t", NULL, source};
        const char *text = format(&problem);
        CHECK_EQ_INT(letter_above_caret(text), 'X');
        CHECK(strlen(text) < 250);
    }
}

TEST(problem_format_cuts_like_snprintf)
{
    const ph_problem problem = {.severity = PH_ERROR, .path = "p", .text = "text"};
    char text[8] = "#######";
    CHECK_EQ_INT(ph_problem_format(&problem, NULL, 0), 14);
    CHECK_EQ_INT(ph_problem_format(&problem, text, sizeof text), 14);
    CHECK_STR(text, "p: erro");
    CHECK_EQ_INT(ph_problem_format(&problem, text, 1), 14);
    CHECK_STR(text, "");
}

// ---- Suggestions ----------------------------------------------------------------------------------------------------

static const char *const words[] = {"mass", "inertia", "position", "orientation", "velocity", "lie-alpha", "com"};

static const char *nearest(const char *word)
{
    return suggest(word, words, (int)(sizeof words / sizeof words[0]));
}

TEST(suggest_finds_typing_mistakes)
{
    CHECK_STR(nearest("mas"), "mass");
    CHECK_STR(nearest("amss"), "mass");
    CHECK_STR(nearest("inerta"), "inertia");
    CHECK_STR(nearest("orietnation"), "orientation");
    CHECK_STR(nearest("Velocity"), "velocity");
    CHECK_STR(nearest("lie_alpha"), "lie-alpha");
    CHECK_STR(nearest("cm"), "com");
}

TEST(suggest_says_nothing_when_nothing_is_near)
{
    CHECK(nearest("gravity") == NULL);
    CHECK(nearest("x") == NULL);
    CHECK(nearest("") == NULL);
    CHECK(nearest(NULL) == NULL);
    CHECK(suggest("mass", NULL, 0) == NULL);
    char word[200];
    memset(word, 'm', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    CHECK(nearest(word) == NULL);
    CHECK(suggest("mass", (const char *const[]){word}, 1) == NULL);
}
