// Results for NumPy: a ZIP file of .npy arrays (format 1.0), named as
// in the HDF5 file: numpy.load("out.npz")["joints/A/force"]. Names of bodies and joints are arrays of text, the model is
// one text.

#include "io/export/convert.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/zip.h"

#include <stdio.h>
#include <string.h>

typedef struct npz {
    conversion *c;
    zip zip;
} npz;

static void out_of_memory(npz *z)
{
    z->zip.status = error_set(z->zip.error, PH_OUT_OF_MEMORY, "out of memory");
}

// ---- Arrays ---------------------------------------------------------------------------------------------------------

// Magic, version, and a dictionary padded so that the data begins at a multiple of 64 bytes.
static size_t put_npy_head(char *to, size_t room, const char *type, const char *shape)
{
    static const char magic[8] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const int length =
        snprintf(to + 10, room - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    const size_t whole = (10 + (size_t)length + 1 + 63) / 64 * 64;
    memset(to + 10 + length, ' ', whole - 10 - (size_t)length);
    to[whole - 1] = '\n';
    memcpy(to, magic, sizeof magic);
    to[8] = (char)((whole - 10) & 0xff);
    to[9] = (char)((whole - 10) >> 8);
    return whole;
}

static void begin_array(npz *z, const char *name, const char *type, const char *shape, uint64_t data_bytes)
{
    char head[512], file[4096];
    const size_t length = put_npy_head(head, sizeof head, type, shape);
    snprintf(file, sizeof file, "%s.npy", name);
    zip_begin(&z->zip, file, length + data_bytes);
    zip_data(&z->zip, head, length);
}

static void put_shape(const ph_result_field *f, long long rows, char *text, size_t size)
{
    int length = snprintf(text, size, "%lld,", rows);
    for (int i = 0; i < f->rank; i++) {
        length += snprintf(text + length, size - (size_t)length, " %d,", f->shape[i]);
    }
}

// Contacts belong to rows in a way of their own: they are written whole when all rows are.
static bool is_written(const npz *z, const ph_result_field *f)
{
    return strncmp(f->name, "contacts/", 9) != 0 || z->c->count == ph_result_rows(z->c->result);
}

static void put_field(npz *z, int field)
{
    conversion *c = z->c;
    const ph_result_field f = ph_result_field_get(c->result, field);
    const bool contacts = strncmp(f.name, "contacts/", 9) == 0;
    const long long rows = contacts ? ph_result_field_rows(c->result, field) : c->count;
    const size_t bytes = f.width * sizeof(double);
    double *values = mem_alloc(NULL, bytes + 1);
    char shape[128];
    if (!values) {
        out_of_memory(z);
        return;
    }
    put_shape(&f, rows, shape, sizeof shape);
    begin_array(z, f.name, "<f8", shape, (uint64_t)rows * bytes);
    for (long long i = 0; i < rows && z->zip.status == PH_OK; i++) {
        z->zip.status =
            ph_result_read(c->result, field, contacts ? i : c->rows[i], 1, 1, 0, f.width, values, z->zip.error);
        zip_data(&z->zip, values, bytes);
    }
    zip_end(&z->zip);
    mem_free(NULL, values);
}

// ---- Texts ----------------------------------------------------------------------------------------------------------

// UTF-8 to the four bytes a character that NumPy keeps.
static size_t decode(const char *text, uint32_t *to)
{
    size_t count = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int more = *s < 0xc0 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
        uint32_t code = more ? *s & (0x3fu >> more) : *s;
        s++;
        for (int i = 0; i < more && (*s & 0xc0) == 0x80; i++) {
            code = code << 6 | (*s++ & 0x3fu);
        }
        if (to) {
            to[count] = code;
        }
        count++;
    }
    return count;
}

static void put_texts(npz *z, const char *name, const char *(*get)(const ph_result *, int), int count, bool list)
{
    size_t widest = 1;
    char type[32], shape[32] = "";
    for (int i = 0; i < count; i++) {
        const size_t length = decode(get(z->c->result, i), NULL);
        widest = length > widest ? length : widest;
    }
    uint32_t *letters = mem_alloc_array(NULL, widest, sizeof *letters);
    if (!letters) {
        out_of_memory(z);
        return;
    }
    snprintf(type, sizeof type, "<U%zu", widest);
    if (list) {
        snprintf(shape, sizeof shape, "%d,", count);
    }
    begin_array(z, name, type, shape, (uint64_t)count * widest * sizeof *letters);
    for (int i = 0; i < count; i++) {
        memset(letters, 0, widest * sizeof *letters);
        decode(get(z->c->result, i), letters);
        zip_data(&z->zip, letters, widest * sizeof *letters);
    }
    zip_end(&z->zip);
    mem_free(NULL, letters);
}

static const char *get_scheme(const ph_result *r, int i)
{
    (void)i;
    return ph_result_scheme(r);
}

static const char *get_model(const ph_result *r, int i)
{
    (void)i;
    return ph_result_text(r);
}

static const char *get_name(const ph_result *r, int i)
{
    (void)i;
    return ph_result_name(r);
}

ph_status convert_npz(conversion *c, ph_error *error)
{
    npz z = {.c = c};
    const double step = ph_result_step(c->result);
    zip_open(&z.zip, &c->file, error);
    for (int i = 0; i < ph_result_fields(c->result) && z.zip.status == PH_OK; i++) {
        const ph_result_field f = ph_result_field_get(c->result, i);
        if (is_written(&z, &f)) {
            put_field(&z, i);
        }
    }
    put_texts(&z, "bodies", ph_result_body, ph_result_bodies(c->result), true);
    put_texts(&z, "joint_names", ph_result_joint, ph_result_joints(c->result), true);
    put_texts(&z, "name", get_name, 1, false);
    put_texts(&z, "scheme", get_scheme, 1, false);
    put_texts(&z, "model", get_model, 1, false);
    begin_array(&z, "step", "<f8", "", sizeof step);
    zip_data(&z.zip, &step, sizeof step);
    zip_end(&z.zip);
    return zip_close(&z.zip);
}
