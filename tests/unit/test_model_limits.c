// Model files that mean harm, or were torn: bounds hold, nothing is read out of place (address sanitizer), and whatever
// the text, the answer is a spec without problems or problems without a spec.

#include "test.h"

#ifdef PH_WITH_YAML

#include "io/model/document.h"
#include "io/model/reader.h"
#include "polhode/io.h"

#include <glob.h>

// Text that grows.
typedef struct text {
    char *bytes;
    size_t length, room;
} text;

static void append(text *t, const char *words)
{
    const size_t length = strlen(words);
    while (t->length + length + 1 > t->room) {
        t->room = 2 * t->room + 1024;
        t->bytes = realloc(t->bytes, t->room);
    }
    memcpy(t->bytes + t->length, words, length + 1);
    t->length += length;
}

static void append_times(text *t, int count, const char *words)
{
    for (int i = 0; i < count; i++) {
        append(t, words);
    }
}

static char first[512]; // text of the first problem

// Number of errors, after checking that the answer (a spec or model, or NULL) agrees with it.
static int check_problems(const ph_problems *problems, ph_status status, const void *answer)
{
    const int errors = ph_problems_errors(problems);
    CHECK((status == PH_OK) == (errors == 0));
    CHECK((status == PH_OK) == (answer != NULL));
    first[0] = '\0';
    for (int i = 0; i < ph_problems_count(problems); i++) {
        const ph_problem *problem = ph_problems_get(problems, i);
        CHECK(problem->text && problem->text[0] && problem->line >= 0 && problem->column >= 0);
        char written[2048];
        CHECK(ph_problem_format(problem, written, sizeof written) > 0);
        if (i == 0) {
            snprintf(first, sizeof first, "%s", problem->text);
        }
    }
    return errors;
}

static int errors_of(const char *bytes, size_t length)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    const ph_status status = ph_spec_read_text(bytes, length, "test.yaml", NULL, 0, problems, &spec);
    const int errors = check_problems(problems, status, spec);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return errors;
}

TEST(at_most_100_errors_are_listed)
{
    text t = {0};
    append(&t, "polhode: 1\nbodies:\n");
    append_times(&t, 500, "  - {name: a, maas: 1}\n");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), READER_ERRORS_MAX);
    ph_problems *problems = ph_problems_create();
    ph_spec *spec;
    CHECK_EQ_INT(ph_spec_read_text(t.bytes, t.length, "test.yaml", NULL, 0, problems, &spec), PH_BAD_MODEL);
    CHECK_EQ_INT(ph_problems_count(problems), READER_ERRORS_MAX + 1);
    CHECK_EQ_INT(ph_problems_get(problems, READER_ERRORS_MAX)->severity, PH_NOTE);
    ph_problems_destroy(problems);
    free(t.bytes);
}

TEST(size_is_bounded)
{
    const size_t length = (size_t)DOCUMENT_BYTES_MAX + 1;
    char *bytes = malloc(length);
    if (CHECK(bytes != NULL)) {
        memset(bytes, ' ', length);
        CHECK_EQ_INT(errors_of(bytes, length), 1);
        CHECK_STR(first, "the model is larger than 64 MiB");
    }
    free(bytes);
}

TEST(nesting_is_bounded)
{
    text t = {0};
    append(&t, "polhode: 1\nname: ");
    append_times(&t, DOCUMENT_NESTING_MAX - 1, "[");
    append_times(&t, DOCUMENT_NESTING_MAX - 1, "]");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 2); // bodies are missing, and this is no name
    free(t.bytes);
    t = (text){0};
    append_times(&t, 100000, "[");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 1);
    CHECK_STR(first, "lists and maps are nested too deeply");
    free(t.bytes);
    t = (text){0};
    append_times(&t, 100000, "- ");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 1);
    CHECK_STR(first, "lists and maps are nested too deeply");
    free(t.bytes);
}

TEST(anchors_are_bounded)
{
    text t = {0};
    append(&t, "polhode: 1\nbodies: [");
    append_times(&t, DOCUMENT_ANCHORS_MAX + 1, "&a 1,");
    append(&t, "]\n");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 1);
    CHECK_STR(first, "too many anchors (&name)");
    free(t.bytes);
}

// Two thousand bodies with the same two thousand shapes: some kilobytes that would be four million shapes.
TEST(aliases_cannot_multiply_without_bound)
{
    text t = {0};
    append(&t, "polhode: 1\nbodies:\n  - name: a\n    shapes: &s [{type: sphere, radius: 1}");
    append_times(&t, 1999, ", {type: sphere, radius: 1}");
    append(&t, "]\n");
    append_times(&t, 1999, "  - {name: b, shapes: *s}\n");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 1);
    CHECK_STR(first, "aliases stand for too many values");
    free(t.bytes);
}

TEST(long_lines_and_long_words)
{
    text t = {0};
    append(&t, "{polhode: 1, bodies: [");
    append_times(&t, 20000, "{name: a, mass: 1},");
    append(&t, "{name: a, mass: x}]}");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 1); // far to the right: without the source line
    CHECK_STR(first, "unknown name 'x'");
    free(t.bytes);
    t = (text){0};
    append(&t, "polhode: 1\nbodies: []\n");
    append_times(&t, 100, "unknown"); // YAML takes keys of up to 1024 characters
    append(&t, ": 1\ninitial: ");
    append_times(&t, 5000, "unknown");
    append(&t, "\ngravity: [0, 0, ");
    append_times(&t, 100, "unknown");
    append(&t, "]\n");
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 3);
    free(t.bytes);
}

TEST(a_large_model_is_read)
{
    text t = {0};
    append(&t, "polhode: 1\nbodies:\n");
    char line[200];
    for (int i = 0; i < 5000; i++) {
        snprintf(line, sizeof line, "  - {name: b%d, mass: 1, inertia: [1, 1, 1], position: [0.5*%d, 0, 0]}\n", i, i);
        append(&t, line);
    }
    append(&t, "joints:\n");
    for (int i = 1; i < 5000; i++) {
        snprintf(line, sizeof line, "  - {name: j%d, type: ball, bodies: [b%d, b%d], anchor: [0.5*%d, 0, 0]}\n", i,
                 i - 1, i, i);
        append(&t, line);
    }
    CHECK_EQ_INT(errors_of(t.bytes, t.length), 0);
    free(t.bytes);
}

// ---- Torn files -----------------------------------------------------------------------------------------------------

static text load(const char *path)
{
    text t = {0};
    FILE *file = fopen(path, "rb");
    char block[4096];
    for (size_t count; file && (count = fread(block, 1, sizeof block - 1, file)) > 0;) {
        block[count] = '\0';
        append(&t, block);
    }
    if (file) {
        fclose(file);
    }
    return t;
}

// One random wound: a byte changed, a piece taken out, moved, doubled, or replaced by a word that has a meaning.
static void tear(text *t)
{
    static const char *const words[] = {"[",  "]",   "{", "}",   ": ",    ", ",   "- ",   "\n",    "\"",   "'",
                                        "*a", "&a ", "!", "|\n", ">\n",   "#",    "null", "1e999", ".nan", "-",
                                        "(",  ")",   "^", "t",   "world", "<<: ", "\t",   "\0",    "\xff", "? "};
    const size_t at = (size_t)test_random_index((int)t->length), left = t->length - at;
    const size_t count = (size_t)test_random_index(12) < left ? (size_t)test_random_index(12) : left;
    const size_t piece = count < left ? count : left;
    const char *word = words[test_random_index((int)(sizeof words / sizeof words[0]))];
    switch (test_random_index(4)) {
    case 0:
        t->bytes[at] = (char)test_random_bits();
        break;
    case 1:
        memmove(t->bytes + at, t->bytes + at + piece, left - piece);
        t->length -= piece;
        break;
    case 2:
        memmove(t->bytes + at, t->bytes + (size_t)test_random_index((int)(t->length - piece + 1)), piece);
        break;
    default:
        memcpy(t->bytes + at, word, strlen(word) < left ? strlen(word) : left);
        break;
    }
}

// Through a file and the compiler: what the reader could read in spite of mistakes must not harm it.
static int errors_of_model(const text *t)
{
    static const char path[] = TEST_BINARY_DIR "/torn.yaml";
    remove(path); // writing over a file is slow: some file systems then wait for the disk
    FILE *file = fopen(path, "wb");
    if (!CHECK(file != NULL)) {
        return 0;
    }
    fwrite(t->bytes, 1, t->length, file);
    fclose(file);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    const ph_status status = ph_model_read_file(path, NULL, 0, problems, &model);
    const int errors = check_problems(problems, status, model);
    ph_model_destroy(model);
    ph_problems_destroy(problems);
    return errors;
}

TEST(torn_files_are_read_or_refused)
{
    glob_t found;
    if (!CHECK(glob(TEST_SOURCE_DIR "/examples/*.yaml", 0, NULL, &found) == 0) ||
        !CHECK(glob(TEST_SOURCE_DIR "/tests/bad/*.yaml", GLOB_APPEND, NULL, &found) == 0)) {
        return;
    }
    int good = 0, bad = 0;
    for (int i = 0; i < 6000; i++) {
        text t = load(found.gl_pathv[(size_t)i % found.gl_pathc]);
        const int wounds = test_random_index(4);
        for (int k = 0; k < wounds && t.length > 1; k++) {
            tear(&t);
        }
        const int errors = errors_of_model(&t);
        good += errors == 0;
        bad += errors > 0;
        free(t.bytes);
    }
    CHECK(good > 100 && bad > 1000);
    globfree(&found);
}

#else

TEST(model_limits)
{
    SKIP("built without libyaml");
}

#endif
