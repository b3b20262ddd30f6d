// Results as comma-separated values, with the columns that result_csv.c writes: time, positions, orientations, velocities of all
// bodies, energies, momenta, violations, solver of contacts, joints, stress. Contacts, of which each row has its own number, are left out.

#include "io/export/convert.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct csv {
    conversion *c;
    ph_error *error;
    ph_status status;
    char *text;
    int length, capacity;
    bool follows; // in its line
} csv;

static void put_bytes(csv *w, const char *bytes, size_t count)
{
    if (w->status == PH_OK && !mem_reserve(NULL, &w->text, &w->capacity, w->length + (int)count + 1, 1)) {
        w->status = error_set(w->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    if (w->status == PH_OK) {
        memcpy(w->text + w->length, bytes, count);
        w->length += (int)count;
    }
}

static void send(csv *w, int least)
{
    if (w->status == PH_OK && w->length > least) {
        w->status = output_file_append(&w->c->file, w->text, (size_t)w->length, w->error);
        w->length = 0;
    }
}

static void end_line(csv *w)
{
    put_bytes(w, "\n", 1);
    w->follows = false;
    send(w, 1 << 16);
}

// ---- Column names ---------------------------------------------------------------------------------------------------

// "a.b.c", in quotes when it holds a comma, a quote or a line break.
static void put_name(csv *w, const char *name)
{
    const bool quoted = strpbrk(name, ",\"\r\n");
    put_bytes(w, ",", w->follows);
    put_bytes(w, "\"", quoted);
    for (; *name; name++) {
        put_bytes(w, "\"", *name == '"');
        put_bytes(w, name, 1);
    }
    put_bytes(w, "\"", quoted);
    w->follows = true;
}

static const char *const entries[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};

// What follows the name of the body for value `k` of a field.
static void body_column(const ph_result_field *f, size_t k, char *text, size_t size)
{
    static const char *const letters[] = {"x", "y", "z"}, *const quaternion[] = {"qw", "qx", "qy", "qz"};
    static const char *const momentum[] = {"pw", "px", "py", "pz", "lambda"};
    if (strcmp(f->name, "quaternion") == 0) {
        snprintf(text, size, "quaternion.%s", momentum[k % 5]);
    } else if (strcmp(f->name, "orientation") == 0) {
        snprintf(text, size, "%s", quaternion[k % 4]);
    } else if (f->rank == 3) {
        snprintf(text, size, "%s.%s", f->name, entries[k % 9]);
    } else {
        const char *prefix = strcmp(f->name, "velocity") == 0           ? "v"
                             : strcmp(f->name, "angular_velocity") == 0 ? "w"
                                                                        : "";
        snprintf(text, size, "%s%s", prefix, letters[k % 3]);
    }
}

static void put_columns(csv *w, const ph_result_field *f)
{
    enum { ROOM = 4096 };
    char name[ROOM], column[64];
    const size_t each = f->bodies > 0 ? f->width / (size_t)f->bodies : 1;
    const bool vector = f->width == 3 && (strcmp(f->part, "force") == 0 || strcmp(f->part, "torque") == 0 ||
                                          strncmp(f->name, "momentum/", 9) == 0);
    for (size_t k = 0; k < f->width; k++) {
        if (f->bodies > 0) {
            body_column(f, k % each, column, sizeof column);
            snprintf(name, sizeof name, "%s.%s", ph_result_body(w->c->result, f->body[k / each]), column);
        } else {
            size_t length = (size_t)snprintf(name, sizeof name - 32, "%s", f->name);
            length = length < sizeof name - 32 ? length : sizeof name - 33;
            for (char *slash = strchr(name, '/'); slash; slash = f->joint >= 0 ? NULL : strchr(slash, '/')) {
                *slash = '.';
            }
            char *last = strrchr(name, '/'); // before the part of a joint
            if (last) {
                *last = '.';
            }
            if (vector) {
                snprintf(name + length, 32, ".%c", "xyz"[k]);
            } else if (f->width > 1) {
                snprintf(name + length, 32, ".%zu", k + 1);
            }
        }
        put_name(w, name);
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

typedef struct column_list {
    int count;
    int *fields;
    size_t widest;
} column_list;

static bool is_column(const ph_result_field *f)
{
    return strncmp(f->name, "contacts/", 9) != 0;
}

// In the order of the file that `polhode run` writes.
static bool choose_columns(const ph_result *r, column_list *list)
{
    static const char *const first[] = {"time",
                                        "position",
                                        "orientation",
                                        "velocity",
                                        "angular_velocity",
                                        "energy/kinetic",
                                        "energy/potential",
                                        "energy/work",
                                        "energy/total",
                                        "momentum/linear",
                                        "momentum/angular",
                                        "violation/position",
                                        "violation/velocity",
                                        "contact/solver"};
    static const char *const parts[] = {"force", "torque", "coordinate", "rate"};
    static const char *const last[] = {"stress", "multiplier", "quaternion"};
    const size_t most = sizeof first / sizeof *first + 4 * (size_t)ph_result_joints(r) + 3; // there or not
    list->fields = mem_alloc_array(NULL, most, sizeof *list->fields);
    if (!list->fields) {
        return false;
    }
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        list->fields[list->count++] = ph_result_find(r, first[i]);
    }
    for (int joint = 0; joint < ph_result_joints(r); joint++) {
        for (int i = 0; i < 4; i++) {
            list->fields[list->count++] = ph_result_find_joint(r, joint, parts[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        list->fields[list->count++] = ph_result_find(r, last[i]);
    }
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        const ph_result_field f = ph_result_field_get(r, list->fields[i]);
        if (list->fields[i] != PH_NONE && is_column(&f)) {
            list->widest = f.width > list->widest ? f.width : list->widest;
            list->fields[kept++] = list->fields[i];
        }
    }
    list->count = kept;
    return true;
}

static void put_row(csv *w, const column_list *list, long long row, double *values)
{
    char digits[40];
    for (int i = 0; i < list->count && w->status == PH_OK; i++) {
        const size_t width = ph_result_field_get(w->c->result, list->fields[i]).width;
        w->status = ph_result_read(w->c->result, list->fields[i], row, 1, 1, 0, width, values, w->error);
        for (size_t k = 0; k < width && w->status == PH_OK; k++) {
            const int length = snprintf(digits, sizeof digits, w->follows ? ",%.17g" : "%.17g", values[k]);
            put_bytes(w, digits, (size_t)length);
            w->follows = true;
        }
    }
    end_line(w);
}

static ph_status write_rows(conversion *c, const column_list *list, double *values, ph_error *error)
{
    csv w = {.c = c, .error = error, .status = PH_OK};
    for (int i = 0; i < list->count; i++) {
        const ph_result_field f = ph_result_field_get(c->result, list->fields[i]);
        put_columns(&w, &f);
    }
    end_line(&w);
    for (long long i = 0; i < c->count && w.status == PH_OK; i++) {
        put_row(&w, list, c->rows[i], values);
    }
    send(&w, 0);
    mem_free(NULL, w.text);
    return w.status;
}

ph_status convert_csv(conversion *c, ph_error *error)
{
    column_list list = {0};
    number_locale numbers; // a decimal point, whatever is set
    double *values = choose_columns(c->result, &list) ? mem_alloc_array(NULL, list.widest + 1, sizeof *values) : NULL;
    ph_status status = PH_OUT_OF_MEMORY;
    if (values && number_locale_enter(&numbers)) {
        status = write_rows(c, &list, values, error);
        number_locale_leave(&numbers);
    } else {
        error_set(error, status, "out of memory");
    }
    mem_free(NULL, values);
    mem_free(NULL, list.fields);
    return status;
}
