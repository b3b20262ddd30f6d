// Writer of friction problems: the format of fc_read.c, numbers with all their digits.
#include "base/error.h"
#include "base/file.h"
#include "polhode/cone.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct fc_writer {
    output_file file;
    ph_status status;
    ph_error *error;
    char text[1 << 14];
    size_t used;
} fc_writer;

static void flush(fc_writer *w)
{
    if (w->status == PH_OK) w->status = output_file_append(&w->file, w->text, w->used, w->error);
    w->used = 0;
}

// The point of the C locale, whatever the program has set.
__attribute__((format(printf, 2, 3))) static void put(fc_writer *w, const char *format, ...)
{
    enum { LINE = 128 };
    va_list arguments;
    if (w->used + LINE > sizeof w->text) flush(w);
    char *text = w->text + w->used;
    va_start(arguments, format);
    const int length = vsnprintf(text, LINE, format, arguments);
    va_end(arguments);
    for (int k = 0; k < length; k++)
        if (text[k] == ',') text[k] = '.';
    w->used += (size_t)length;
}

static void put_number(fc_writer *w, double x, char end)
{
    put(w, "%.17g%c", x, end);
}

static void put_all(fc_writer *w, const ph_fc_problem *fc)
{
    const ph_cone_matrix *N = fc->matrix;
    put(w, "FC3D %d\n%d %d\n", fc->frames ? 2 : 1, fc->contacts, N->start[N->rows]);
    for (int i = 0; i < fc->contacts; i++) put_number(w, fc->cones[i].friction, '\n');
    for (int i = 0; i < 3 * fc->contacts; i++) put_number(w, fc->q[i], i % 3 == 2 ? '\n' : ' ');
    for (int r = 0; r < N->rows; r++)
        for (int k = N->start[r]; k < N->start[r + 1]; k++) {
            put(w, "%d %d ", r, N->column[k]);
            put_number(w, N->value[k], '\n');
        }
    for (int i = 0; fc->frames && i < 12 * fc->contacts; i++) put_number(w, fc->frames[i], i % 12 == 11 ? '\n' : ' ');
    flush(w);
}

ph_status ph_fc_write_file(const ph_fc_problem *fc, const char *path, ph_error *error)
{
    if (!fc || !path || !fc->matrix) return error_set(error, PH_BAD_ARGUMENT, "there is no problem to write");
    fc_writer w = {.status = PH_OK, .error = error};
    w.status = output_file_open(&w.file, path, true, error);
    if (w.status != PH_OK) return w.status;
    put_all(&w, fc);
    if (w.status == PH_OK) w.status = output_file_publish(&w.file, error);
    const ph_status closed = output_file_close(&w.file, w.status == PH_OK ? error : NULL);
    return w.status == PH_OK ? closed : w.status;
}
