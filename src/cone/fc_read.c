// Reader of friction problems (.fc): words separated by spaces and line ends,
//
//     FC3D 1                   format and version
//     contacts entries
//     mu                       one for each contact
//     q                        three for each contact: normal, tangent, tangent
//     i j value                one for each entry of N, rows and columns from 0
//
// and in version 2 behind them, for each contact: its point, its normal and its two tangents, twelve numbers.
//
// N is made symmetric. Every mistake is reported with its line; after twenty of them reading stops.

#include "polhode/cone.h"

#include "base/memory.h"
#include "base/problems.h"
#include "base/system.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_MAX = 63, MISTAKES_MAX = 20 };

typedef struct reader {
    const char *at, *end; // what is left of the text, which ends with a zero
    const char *name;
    ph_problems *problems;
    int line, mistakes;
    const char *line_start;
    const char *word; // the last word, for its place
    int word_length;
} reader;

// ---- Mistakes -------------------------------------------------------------------------------------------------------

__attribute__((format(printf, 3, 4))) static void mistake(reader *r, const char *hint, const char *format, ...)
{
    char text[256], source[160] = "";
    const char *place = r->word ? r->word : r->at;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strcspn(r->line_start, "\r\n");
    memcpy(source, r->line_start, length < sizeof source ? length : sizeof source - 1);
    problems_add(r->problems, &(ph_problem){.severity = PH_ERROR,
                                            .file = r->name,
                                            .line = r->line,
                                            .column = (int)(place - r->line_start) + 1,
                                            .text = text,
                                            .hint = hint,
                                            .source = source});
    r->mistakes++;
}

// ---- Words ----------------------------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The next word into `text`; false, and a mistake, when there is none.
static bool next_word(reader *r, const char *what, char *text)
{
    for (; r->at < r->end && is_space(*r->at); r->at++) {
        if (*r->at != '\n') continue;
        r->line++;
        r->line_start = r->at + 1;
    }
    r->word = NULL;
    if (r->at == r->end) {
        mistake(r, NULL, "the file ends where %s should stand", what);
        return false;
    }
    r->word = r->at;
    while (r->at < r->end && !is_space(*r->at)) r->at++;
    r->word_length = (int)(r->at - r->word);
    if (r->word_length > WORD_MAX) {
        mistake(r, NULL, "%s should stand here, not a word of %d letters", what, r->word_length);
        return false;
    }
    memcpy(text, r->word, (size_t)r->word_length);
    text[r->word_length] = '\0';
    return true;
}

// A whole number from 0 to `most`.
static bool next_integer(reader *r, const char *what, long most, int *value)
{
    char text[WORD_MAX + 1], *end;
    if (!next_word(r, what, text)) return false;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (*end || end == text) {
        mistake(r, NULL, "%s should be a whole number, not \"%s\"", what, text);
        return false;
    }
    *value = (int)number;
    if (errno || number < 0 || number > most) {
        mistake(r, NULL, "%s is %s, it must lie between 0 and %ld", what, text, most);
        *value = 0;
    }
    return r->mistakes < MISTAKES_MAX;
}

// The value of a decimal number. "1.25e3" goes to strtod as "125e1": which character is the point depends on the locale.
static bool parse_number(const char *text, double *value)
{
    char plain[WORD_MAX + 16];
    int used = 0, digits = 0, decimals = 0, exponent = 0, taken = 0;
    bool point = false;
    if (*text == '+' || *text == '-') plain[used++] = *text++;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        point = point || *text == '.';
        if (*text == '.') continue;
        plain[used++] = *text;
        digits++;
        decimals += point;
    }
    if ((*text == 'e' || *text == 'E') && sscanf(text + 1, "%5d%n", &exponent, &taken) == 1) text += 1 + taken;
    if (!digits || *text) return false;
    snprintf(plain + used, sizeof plain - (size_t)used, "e%d", exponent - decimals);
    *value = strtod(plain, NULL);
    return true;
}

static bool is_not_finite(const char *text)
{
    const char *word = text + (*text == '+' || *text == '-');
    return strncasecmp(word, "nan", 3) == 0 || strncasecmp(word, "inf", 3) == 0;
}

static bool next_number(reader *r, const char *what, double *value)
{
    char text[WORD_MAX + 1];
    if (!next_word(r, what, text)) return false;
    const bool words = is_not_finite(text);
    if (!words && !parse_number(text, value)) {
        mistake(r, NULL, "%s should be a number, not \"%s\"", what, text);
        return false;
    }
    if (words || !isfinite(*value)) mistake(r, NULL, "%s is %s, it must be finite", what, text);
    return r->mistakes < MISTAKES_MAX;
}

// ---- Parts of the file ----------------------------------------------------------------------------------------------

static bool read_head(reader *r, int *version, int *contacts, int *count)
{
    char text[WORD_MAX + 1];
    if (!next_word(r, "FC3D", text)) return false;
    if (strcmp(text, "FC3D") != 0) {
        mistake(r, "friction problems begin with the line: FC3D 1", "this is no friction problem");
        return false;
    }
    if (!next_integer(r, "the version of the format", 1000000, version)) return false;
    if (*version != 1 && *version != 2) {
        mistake(r, NULL, "the format has version %d, this program knows versions 1 and 2", *version);
        return false;
    }
    if (!next_integer(r, "the number of contacts", INT32_MAX / 8, contacts)) return false;
    if (!next_integer(r, "the number of matrix entries", INT32_MAX / 4, count) || r->mistakes) return false;
    // Every word takes two bytes: counts that cannot be true are found before memory is taken for them.
    const long long words = (*version == 2 ? 16LL : 4LL) * *contacts + 3LL * *count;
    if (words > ((long long)(r->end - r->at) + 1) / 2) {
        mistake(r, NULL,
                "%d contacts and %d entries do not fit in what follows: the file is cut short, or these are wrong",
                *contacts, *count);
        return false;
    }
    return true;
}

static bool read_contacts(reader *r, ph_fc_problem *fc)
{
    for (int i = 0; i < fc->contacts; i++) {
        fc->cones[i].kind = PH_CONE_FRICTION;
        if (!next_number(r, "a friction coefficient", &fc->cones[i].friction)) return false;
        if (fc->cones[i].friction < 0.0) {
            mistake(r, NULL, "the friction coefficient of contact %d is %g, it must not be negative", i,
                    fc->cones[i].friction);
        }
    }
    for (int i = 0; i < 3 * fc->contacts; i++) {
        if (!next_number(r, "an entry of q", &fc->q[i])) return false;
    }
    return true;
}

static bool read_entries(reader *r, int rows, int count, int *row, int *column, double *value)
{
    for (int k = 0; k < count; k++) {
        if (!next_integer(r, "a row of the matrix", rows - 1, &row[k]) ||
            !next_integer(r, "a column of the matrix", rows - 1, &column[k]) ||
            !next_number(r, "an entry of the matrix", &value[k])) {
            return false;
        }
    }
    return true;
}

static bool read_frames(reader *r, ph_fc_problem *fc)
{
    for (int k = 0; k < 12 * fc->contacts && fc->frames; k++)
        if (!next_number(r, "a point, normal or tangent", &fc->frames[k])) return false;
    return true;
}

static void read_end(reader *r, int count, const char *what)
{
    char text[WORD_MAX + 1];
    while (r->at < r->end && is_space(*r->at)) r->at++;
    if (r->at == r->end) return;
    if (r->word) r->at = r->word + r->word_length; // once more, to count the lines
    next_word(r, "the end", text);
    mistake(r, NULL, "the file goes on after the last of %d %s", count, what);
}

static ph_status read_matrix(reader *r, int count, ph_fc_problem *fc)
{
    int *row = mem_alloc_array(NULL, (size_t)count, sizeof(int));
    int *column = mem_alloc_array(NULL, (size_t)count, sizeof(int));
    double *value = mem_alloc_array(NULL, (size_t)count, sizeof(double));
    ph_status status = row && column && value ? PH_OK : PH_OUT_OF_MEMORY;
    if (status == PH_OK) read_entries(r, 3 * fc->contacts, count, row, column, value);
    if (status == PH_OK && !r->mistakes) {
        status = ph_cone_matrix_create(3 * fc->contacts, count, row, column, value, &fc->matrix, NULL);
    }
    mem_free(NULL, row);
    mem_free(NULL, column);
    mem_free(NULL, value);
    return status;
}

void ph_fc_destroy(ph_fc_problem *fc)
{
    if (!fc) return;
    mem_free(NULL, fc->cones);
    mem_free(NULL, fc->q);
    mem_free(NULL, fc->frames);
    ph_cone_matrix_destroy(fc->matrix);
    mem_free(NULL, fc);
}

static ph_status out_of_memory(const reader *r)
{
    problems_add(r->problems, &(ph_problem){.severity = PH_ERROR, .file = r->name, .text = "out of memory"});
    return PH_OUT_OF_MEMORY;
}

static ph_status read_all(reader *r, ph_fc_problem **result)
{
    int version, contacts, count;
    if (!read_head(r, &version, &contacts, &count)) return PH_BAD_MODEL;
    ph_fc_problem *fc = mem_alloc(NULL, sizeof *fc);
    if (!fc) return out_of_memory(r);
    fc->contacts = contacts;
    fc->cones = mem_alloc_array(NULL, (size_t)contacts, sizeof *fc->cones);
    fc->q = mem_alloc_array(NULL, 3 * (size_t)contacts, sizeof *fc->q);
    fc->frames = version == 2 ? mem_alloc_array(NULL, 12 * (size_t)contacts, sizeof *fc->frames) : NULL;
    ph_status status = fc->cones && fc->q && (fc->frames || version == 1) ? PH_OK : out_of_memory(r);
    if (status == PH_OK && read_contacts(r, fc) && read_matrix(r, count, fc) != PH_OK) status = out_of_memory(r);
    if (status == PH_OK && !r->mistakes && read_frames(r, fc))
        read_end(r, fc->frames ? contacts : count, fc->frames ? "contacts" : "entries");
    if (status == PH_OK && r->mistakes) status = PH_BAD_MODEL;
    if (status != PH_OK) {
        ph_fc_destroy(fc);
        return status;
    }
    *result = fc;
    return PH_OK;
}

ph_status ph_fc_read_text(const char *text, size_t length, const char *name, ph_problems *problems, ph_fc_problem **fc)
{
    if (!fc || (!text && length > 0)) return PH_BAD_ARGUMENT;
    *fc = NULL;
    // A copy that ends with a zero, so that a line can be shown.
    char *copy = length < SIZE_MAX ? mem_alloc(NULL, length + 1) : NULL;
    reader r = {.at = copy, .end = copy ? copy + length : NULL, .name = name, .problems = problems, .line = 1};
    if (!copy) return out_of_memory(&r);
    if (length > 0) memcpy(copy, text, length);
    r.line_start = copy;
    const ph_status status = read_all(&r, fc);
    mem_free(NULL, copy);
    return status;
}

// ---- Files ----------------------------------------------------------------------------------------------------------

static ph_status refuse(ph_problems *problems, const char *path, ph_status status, const char *reason)
{
    problems_printf(problems, &(ph_problem){.severity = PH_ERROR, .file = path}, "cannot read the file: %s", reason);
    return status;
}

static ph_status read_stream(FILE *file, const char *path, ph_problems *problems, ph_fc_problem **fc)
{
    char *text = NULL;
    int room = 0, used = 0;
    ph_status status = PH_OK;
    for (size_t count = 1; status == PH_OK && count > 0; used += (int)count) {
        count = 0;
        if (used > INT32_MAX - (1 << 20) || !mem_reserve(NULL, &text, &room, used + (1 << 16), 1)) {
            status = refuse(problems, path, PH_OUT_OF_MEMORY, "out of memory");
        } else {
            count = fread(text + used, 1, (size_t)(room - used), file);
            if (ferror(file)) status = refuse(problems, path, PH_IO, strerror(errno));
        }
    }
    if (status == PH_OK) status = ph_fc_read_text(text, (size_t)used, path, problems, fc);
    mem_free(NULL, text);
    return status;
}

ph_status ph_fc_read_file(const char *path, ph_problems *problems, ph_fc_problem **fc)
{
    system_facts about;
    if (!fc || !path) return PH_BAD_ARGUMENT;
    *fc = NULL;
    if (!system_look(path, &about)) {
        return refuse(problems, path, errno == ENOENT ? PH_NOT_FOUND : PH_IO, strerror(errno));
    }
    if (about.kind == SYSTEM_FOLDER) return refuse(problems, path, PH_IO, "this is a folder");
    FILE *file = system_stream(path, "rb");
    if (!file) return refuse(problems, path, PH_IO, strerror(errno));
    const ph_status status = read_stream(file, path, problems, fc);
    fclose(file);
    return status;
}
