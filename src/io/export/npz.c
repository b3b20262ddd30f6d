// Results for NumPy: a ZIP file (APPNOTE 6.3, stored, with the 64-bit sizes where needed) of .npy arrays (format 1.0), named as
// in the HDF5 file: numpy.load("out.npz")["joints/A/force"]. Names of bodies and joints are arrays of text, the model is
// one text.

#include "io/export/convert.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct entry {
    char *name;
    uint32_t crc;
    uint64_t size, offset;
} entry;

typedef struct npz {
    conversion *c;
    ph_error *error;
    ph_status status;
    uint64_t place; // in the file
    int count, capacity;
    entry *entries;
    uint32_t table[256]; // of the checksum
} npz;

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static void send(npz *z, const void *data, size_t bytes)
{
    if (z->status == PH_OK) {
        z->status = output_file_append(&z->c->file, data, bytes, z->error);
        z->place += bytes;
    }
}

static void out_of_memory(npz *z)
{
    z->status = error_set(z->error, PH_OUT_OF_MEMORY, "out of memory");
}

static void make_table(npz *z)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
        z->table[i] = crc;
    }
}

static uint32_t add_crc(const npz *z, uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc = z->table[(crc ^ at[i]) & 0xff] ^ crc >> 8;
    }
    return ~crc;
}

static uint8_t *put_little(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *to++ = (uint8_t)(value >> 8 * i);
    }
    return to;
}

// ---- ZIP ------------------------------------------------------------------------------------------------------------

enum { ZIP_VERSION = 45, CRC_AT = 14, DOS_DATE = 0x21 }; // the first day of 1980: the same result gives the same file

// Local header. The checksum is not known yet: it goes to its place later.
static void begin_entry(npz *z, const char *name, uint64_t size)
{
    uint8_t head[64], *at = head;
    if (z->status == PH_OK && !mem_reserve(NULL, &z->entries, &z->capacity, z->count + 1, sizeof *z->entries)) {
        out_of_memory(z);
    }
    if (z->status != PH_OK) {
        return;
    }
    entry *e = &z->entries[z->count++];
    *e = (entry){mem_copy_string(NULL, name), 0, size, z->place};
    if (!e->name) {
        out_of_memory(z);
        return;
    }
    at = put_little(at, 0x04034b50, 4);
    at = put_little(at, ZIP_VERSION, 2);
    at = put_little(at, 0x0800, 2); // names are UTF-8
    at = put_little(at, 0, 2);      // stored
    at = put_little(at, 0, 2);
    at = put_little(at, DOS_DATE, 2);
    at = put_little(at, 0, 4);
    at = put_little(at, 0xffffffff, 4); // sizes: in the extra field
    at = put_little(at, 0xffffffff, 4);
    at = put_little(at, strlen(name), 2);
    at = put_little(at, 20, 2);
    send(z, head, (size_t)(at - head));
    send(z, name, strlen(name));
    at = put_little(head, 1, 2);
    at = put_little(at, 16, 2);
    at = put_little(at, size, 8);
    at = put_little(at, size, 8);
    send(z, head, (size_t)(at - head));
}

static void put_central(npz *z, const entry *e)
{
    uint8_t head[128], *at = put_little(head, 0x02014b50, 4);
    at = put_little(at, ZIP_VERSION, 2);
    at = put_little(at, ZIP_VERSION, 2);
    at = put_little(at, 0x0800, 2);
    at = put_little(at, 0, 2);
    at = put_little(at, 0, 2);
    at = put_little(at, DOS_DATE, 2);
    at = put_little(at, e->crc, 4);
    at = put_little(at, 0xffffffff, 4);
    at = put_little(at, 0xffffffff, 4);
    at = put_little(at, strlen(e->name), 2);
    at = put_little(at, 28, 2);
    at = put_little(at, 0, 2);
    at = put_little(at, 0, 2);
    at = put_little(at, 0, 2);
    at = put_little(at, 0, 4);
    at = put_little(at, 0xffffffff, 4);
    send(z, head, (size_t)(at - head));
    send(z, e->name, strlen(e->name));
    at = put_little(head, 1, 2);
    at = put_little(at, 24, 2);
    at = put_little(at, e->size, 8);
    at = put_little(at, e->size, 8);
    at = put_little(at, e->offset, 8);
    send(z, head, (size_t)(at - head));
}

static void put_end(npz *z)
{
    const uint64_t start = z->place;
    for (int i = 0; i < z->count; i++) {
        put_central(z, &z->entries[i]);
    }
    const uint64_t end = z->place, count = (uint64_t)z->count;
    uint8_t head[128], *at = put_little(head, 0x06064b50, 4); // the end in 64 bits
    at = put_little(at, 44, 8);
    at = put_little(at, ZIP_VERSION, 2);
    at = put_little(at, ZIP_VERSION, 2);
    at = put_little(at, 0, 8);
    at = put_little(at, count, 8);
    at = put_little(at, count, 8);
    at = put_little(at, end - start, 8);
    at = put_little(at, start, 8);
    at = put_little(at, 0x07064b50, 4); // where that stands
    at = put_little(at, 0, 4);
    at = put_little(at, end, 8);
    at = put_little(at, 1, 4);
    at = put_little(at, 0x06054b50, 4); // and the end for everybody
    at = put_little(at, 0, 4);
    at = put_little(at, 0xffff, 2);
    at = put_little(at, 0xffff, 2);
    at = put_little(at, 0xffffffff, 4);
    at = put_little(at, 0xffffffff, 4);
    at = put_little(at, 0, 2);
    send(z, head, (size_t)(at - head));
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
    put_little((uint8_t *)to + 8, whole - 10, 2);
    return whole;
}

static void send_data(npz *z, const void *data, size_t bytes)
{
    if (z->status == PH_OK) {
        entry *e = &z->entries[z->count - 1];
        e->crc = add_crc(z, e->crc, data, bytes);
        send(z, data, bytes);
    }
}

static void begin_array(npz *z, const char *name, const char *type, const char *shape, uint64_t data_bytes)
{
    char head[512], file[4096];
    const size_t length = put_npy_head(head, sizeof head, type, shape);
    snprintf(file, sizeof file, "%s.npy", name);
    begin_entry(z, file, length + data_bytes);
    send_data(z, head, length);
}

// The checksum goes to its place when the data has been sent.
static void end_array(npz *z)
{
    if (z->status == PH_OK) {
        uint8_t crc[4];
        const entry *e = &z->entries[z->count - 1];
        put_little(crc, e->crc, 4);
        z->status = output_file_write(&z->c->file, crc, 4, (long long)e->offset + CRC_AT, z->error);
    }
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
    for (long long i = 0; i < rows && z->status == PH_OK; i++) {
        z->status = ph_result_read(c->result, field, contacts ? i : c->rows[i], 1, 1, 0, f.width, values, z->error);
        send_data(z, values, bytes);
    }
    end_array(z);
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
        send_data(z, letters, widest * sizeof *letters);
    }
    end_array(z);
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
    npz z = {.c = c, .error = error, .status = PH_OK};
    const double step = ph_result_step(c->result);
    make_table(&z);
    for (int i = 0; i < ph_result_fields(c->result) && z.status == PH_OK; i++) {
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
    send_data(&z, &step, sizeof step);
    end_array(&z);
    put_end(&z);
    for (int i = 0; i < z.count; i++) {
        mem_free(NULL, z.entries[i].name);
    }
    mem_free(NULL, z.entries);
    return z.status;
}
