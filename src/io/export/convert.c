// Results as other files. See polhode/convert.h.

#include "io/export/convert.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending;
    ph_status (*write)(conversion *c, ph_error *error);
    bool streams; // a pipe will do
} formats[] = {{".csv", convert_csv, true}, {".npz", convert_npz, false}, {".glb", convert_glb, false}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

ph_convert_def ph_default_convert(void)
{
    return (ph_convert_def){.from = (double)NAN, .to = (double)NAN};
}

// The rows between the two times, every so many of them and the last.
static ph_status choose_rows(conversion *c, const ph_convert_def *def, ph_error *error)
{
    const long long all = ph_result_rows(c->result), every = def->every > 0 ? def->every : 1;
    const double *time = ph_result_values(c->result, ph_result_find(c->result, "time"), error);
    if (!time) {
        return PH_BAD_ARGUMENT;
    }
    c->rows = mem_alloc_array(NULL, (size_t)all + 1, sizeof *c->rows);
    if (!c->rows) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    long long inside = 0, last = -1;
    for (long long i = 0; i < all; i++) {
        if (!(time[i] < def->from) && !(time[i] > def->to)) {
            if (inside++ % every == 0) {
                c->rows[c->count++] = i;
            }
            last = i;
        }
    }
    if (c->count == 0) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' holds no moment of the motion%s", ph_result_path(c->result),
                         all > 0 ? " between these times" : "");
    }
    if (c->rows[c->count - 1] != last) {
        c->rows[c->count++] = last;
    }
    return PH_OK;
}

static ph_status write_file(conversion *c, int format, ph_error *error)
{
    ph_status status = output_file_open(&c->file, c->path, formats[format].streams, error);
    if (status != PH_OK) {
        return status;
    }
    status = formats[format].write(c, error);
    status = status == PH_OK ? output_file_publish(&c->file, error) : status;
    const ph_status closed = output_file_close(&c->file, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

ph_status ph_result_convert(ph_result *result, const char *path, const ph_convert_def *def, ph_convert_report *report,
                            ph_error *error)
{
    if (!result || !path || !def)
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_convert needs a result, a path and a definition");
    const size_t length = strlen(path);
    ph_convert_report own;
    conversion c = {.result = result, .path = path, .report = report ? report : &own};
    *c.report = (ph_convert_report){0};
    for (int i = 0; i < FORMATS; i++) {
        const size_t n = strlen(formats[i].ending);
        if (length > n && strcasecmp(path + length - n, formats[i].ending) == 0) {
            ph_status status = choose_rows(&c, def, error);
            status = status == PH_OK ? write_file(&c, i, error) : status;
            c.report->rows = c.count;
            mem_free(NULL, c.rows);
            return status;
        }
    }
    return error_set(error, PH_BAD_ARGUMENT,
                     "cannot tell the format of '%s' by its ending: it must end with .csv, .npz or .glb", path);
}
