// See data_file.h.

#include "data_file.h"

#include "base/system.h"
#include "load.h"
#include "terminal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void data_file_free(data_file *d)
{
    free(d->names);
    free(d->times);
    free(d->values);
    *d = (data_file){0};
}

// ---- Names ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *tail, *full;
} short_names[] = {
    {".x", ".position.x"},          {".y", ".position.y"},          {".z", ".position.z"},
    {".qw", ".orientation.w"},      {".qx", ".orientation.x"},      {".qy", ".orientation.y"},
    {".qz", ".orientation.z"},      {".vx", ".velocity.x"},         {".vy", ".velocity.y"},
    {".vz", ".velocity.z"},         {".wx", ".angular_velocity.x"}, {".wy", ".angular_velocity.y"},
    {".wz", ".angular_velocity.z"},
};

void quantity_name(const char *column, char name[DATA_NAME])
{
    const char *dot = strchr(column, '.');
    snprintf(name, DATA_NAME, "%s", column);
    if (!dot || strchr(dot + 1, '.')) return;
    for (size_t k = 0; k < sizeof short_names / sizeof *short_names; k++)
        if (strcmp(dot, short_names[k].tail) == 0)
            snprintf(name, DATA_NAME, "%.*s%s", (int)(dot - column), column, short_names[k].full);
}

// ---- CSV ------------------------------------------------------------------------------------------------------------

static char *trim(char *text)
{
    while (isspace((unsigned char)*text) || *text == '"') text++;
    char *end = text + strlen(text);
    while (end > text && (isspace((unsigned char)end[-1]) || end[-1] == '"')) *--end = '\0';
    return text;
}

// The next cell of a line, which is cut there; NULL: there is none.
static char *next_cell(char **line, char separator)
{
    char *cell = *line;
    if (!cell) return NULL;
    char *end = strchr(cell, separator);
    *line = end ? end + 1 : NULL;
    if (end) *end = '\0';
    return trim(cell);
}

static bool is_gap(const char *cell)
{
    return !*cell || strcmp(cell, "nan") == 0 || strcmp(cell, "NaN") == 0 || strcmp(cell, "NA") == 0 ||
           strcmp(cell, "-") == 0;
}

static char separator_of(const char *line)
{
    return strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
}

static bool is_time(const char *name)
{
    return strcmp(name, "t") == 0 || strcmp(name, "time") == 0 || strncmp(name, "time ", 5) == 0 ||
           strcmp(name, "time_s") == 0;
}

static bool read_header(data_file *d, char *line, char separator)
{
    char *first = next_cell(&line, separator);
    if (!first || !is_time(first)) {
        print_error("%s: line 1: the first column must be 't' or 'time', in seconds; it is '%.60s'", d->path,
                    first ? first : "");
        return false;
    }
    for (char *cell; (cell = next_cell(&line, separator)) && d->columns < DATA_COLUMNS;)
        snprintf(d->names[d->columns++], DATA_NAME, "%s", cell);
    if (d->columns == 0) print_error("%s: line 1: there are no columns beside the time", d->path);
    return d->columns > 0;
}

static bool make_room(data_file *d)
{
    if (d->rows < d->capacity) return true;
    const int capacity = d->capacity ? 2 * d->capacity : 256;
    double *times = realloc(d->times, (size_t)capacity * sizeof *times);
    if (times) d->times = times;
    double *values = realloc(d->values, (size_t)capacity * (size_t)d->columns * sizeof *values);
    if (values) d->values = values;
    if (!times || !values) return print_error("%s", ph_status_text(PH_OUT_OF_MEMORY)), false;
    d->capacity = capacity;
    return true;
}

static bool number(const data_file *d, const char *cell, long long line, const char *column, double *value)
{
    char *end;
    *value = (double)NAN;
    if (is_gap(cell)) return true;
    *value = strtod(cell, &end);
    if (end != cell && !*end && isfinite(*value)) return true;
    print_error(
        "%s: line %lld: '%.40s' in column '%.60s' is not a number; leave a cell empty where nothing was measured",
        d->path, line, cell, column);
    return false;
}

static bool read_row(data_file *d, char *line, char separator, long long index, double until)
{
    char *cell = next_cell(&line, separator);
    double time;
    if (!make_room(d) || !number(d, cell, index, "time", &time)) return false;
    if (isnan(time)) {
        print_error("%s: line %lld has no time", d->path, index);
        return false;
    }
    if (until > 0.0 && time > until * (1.0 + 1e-12)) return true;
    double *to = d->values + (size_t)d->rows * (size_t)d->columns;
    for (int k = 0; k < d->columns; k++) {
        cell = next_cell(&line, separator);
        if (!number(d, cell ? cell : "", index, d->names[k], &to[k])) return false;
    }
    if (next_cell(&line, separator)) {
        print_error("%s: line %lld has more cells than the header has names", d->path, index);
        return false;
    }
    d->times[d->rows++] = time;
    return true;
}

// A line of any length, its end included; false at the end of the file.
static bool next_line(char **line, size_t *room, FILE *file)
{
    size_t used = 0;
    do {
        if (used + 2 > *room) {
            char *larger = realloc(*line, *room = 2 * *room + 256);
            if (!larger) return false;
            *line = larger;
        }
        if (!fgets(*line + used, (int)(*room - used), file)) return used > 0;
        used += strlen(*line + used);
    } while ((*line)[used - 1] != '\n');
    return true;
}

static bool read_lines(data_file *d, FILE *file, double until)
{
    char *line = NULL, separator = 0;
    size_t room = 0;
    long long index = 0;
    bool good = true;
    while (good && next_line(&line, &room, file)) {
        char *text = trim(line);
        index++;
        if (!*text || *text == '#') continue;
        if (!separator) {
            separator = separator_of(text);
            good = read_header(d, text, separator);
        } else {
            good = read_row(d, line, separator, index, until);
        }
    }
    free(line);
    return good;
}

static bool read_csv(data_file *d, double until)
{
    FILE *file = system_stream(d->path, "r");
    if (!file) {
        print_error("cannot read '%s': %s", d->path, strerror(errno));
        return false;
    }
    const bool good = read_lines(d, file, until);
    fclose(file);
    return good;
}

// ---- Results --------------------------------------------------------------------------------------------------------

static bool add_curve(data_file *d, ph_result *result, ph_curves *all, const char *name)
{
    int list[16];
    const int count = ph_curves_match(all, name, list, 16);
    (void)result;
    if (count == 0) print_error("%s: there is no quantity '%s'", d->path, name);
    for (int k = 0; k < count && k < 16 && d->columns < DATA_COLUMNS; k++)
        snprintf(d->names[d->columns++], DATA_NAME, "%s", ph_curves_get(all, list[k]).name);
    return count > 0;
}

static bool choose(data_file *d, ph_result *result, ph_curves *all, const text_list *wanted)
{
    bool good = true;
    for (int k = 0; wanted && k < wanted->count; k++) good = add_curve(d, result, all, wanted->texts[k]) && good;
    for (int b = 0; !wanted && b < ph_result_bodies(result); b++) {
        char name[2][DATA_NAME];
        snprintf(name[0], DATA_NAME, "%.100s.position", ph_result_body(result, b));
        snprintf(name[1], DATA_NAME, "%.100s.orientation", ph_result_body(result, b));
        good = add_curve(d, result, all, name[0]) && add_curve(d, result, all, name[1]) && good;
    }
    return good;
}

static bool read_curves(data_file *d, ph_result *result, ph_curves *all, double until)
{
    ph_error error = {0};
    const long long rows = ph_result_rows(result);
    double *column = malloc(((size_t)rows + 1) * sizeof *column);
    d->times = malloc(((size_t)rows + 1) * sizeof(double));
    d->values = malloc(((size_t)rows + 1) * (size_t)d->columns * sizeof(double));
    bool good = column && d->times && d->values;
    good = good && ph_curves_read(all, ph_curves_find(all, "time"), d->times, &error) == PH_OK;
    for (int k = 0; k < d->columns && good; k++) {
        good = ph_curves_read(all, ph_curves_find(all, d->names[k]), column, &error) == PH_OK;
        for (long long i = 0; i < rows && good; i++) d->values[i * d->columns + k] = column[i];
    }
    if (!good) print_error("%s: %s", d->path, error.text[0] ? error.text : ph_status_text(PH_OUT_OF_MEMORY));
    free(column);
    d->rows = (int)rows;
    while (good && until > 0.0 && d->rows > 0 && d->times[d->rows - 1] > until * (1.0 + 1e-12)) d->rows--;
    return good;
}

static bool read_result(data_file *d, const text_list *wanted, double until)
{
    ph_result *result = load_result(d->path);
    if (!result) return false;
    ph_curves *all = ph_curves_create(result);
    const bool good = all && choose(d, result, all, wanted) && read_curves(d, result, all, until);
    ph_curves_destroy(all);
    ph_result_destroy(result);
    return good;
}

// ---------------------------------------------------------------------------------------------------------------------

bool data_file_read(data_file *d, const char *path, const text_list *wanted, double until)
{
    *d = (data_file){.path = path};
    d->names = calloc(DATA_COLUMNS, sizeof *d->names);
    const char *dot = strrchr(path, '.');
    const bool hdf5 = dot && (strcmp(dot, ".h5") == 0 || strcmp(dot, ".hdf5") == 0);
    if (!d->names) return print_error("%s", ph_status_text(PH_OUT_OF_MEMORY)), false;
    if (!(hdf5 ? read_result(d, wanted, until) : read_csv(d, until))) return false;
    if (d->rows == 0) print_error("%s: there are no rows", path);
    return d->rows > 0;
}
