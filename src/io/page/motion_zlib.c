// The motion of one result, chosen and packed for the page.

#include "io/page/motion.h"

#include "base/error.h"
#include "base/memory.h"
#include "polhode/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FINEST = 28,            // bits of positions
    COARSEST = 12,          // 1/4096 of the scene
    PLOT_BITS = 24,         // of energies and momenta
    VALUES_MOST = 24000000, // positions and orientations that are packed
    VELOCITIES_MOST = 3000000,
    REACTIONS_MOST = 3000000, // of joint forces, torques, coordinates, rates
    CONTACTS_MOST = 250000,   // in all frames together
    NAME_ROOM = 64,
};

typedef struct table {
    double *values; // [frames][channels]; NULL: there is none
    size_t channels;
} table;

// ---- Reading --------------------------------------------------------------------------------------------------------

static long long row_of(const page_motion *m, long long frame)
{
    return frame == m->frames - 1 ? m->rows - 1 : frame * m->stride;
}

static void set_stride(page_motion *m, long long stride)
{
    const long long whole = (m->rows - 1) / stride;
    m->stride = stride;
    m->frames = whole + 1 + (whole * stride < m->rows - 1);
}

// Every stride-th row, and the last.
static ph_status read_rows(page_motion *m, int field, size_t width, double *to, ph_error *error)
{
    const long long regular = (m->rows - 1) / m->stride + 1;
    ph_status status = ph_result_read(m->result, field, 0, m->stride, regular, 0, width, to, error);
    if (status == PH_OK && m->frames > regular) {
        status = ph_result_read(m->result, field, m->rows - 1, 1, 1, 0, width, to + (size_t)regular * width, error);
    }
    return status;
}

// A result may lack a field: then the table has no values, and that is no error.
static ph_status read_table(page_motion *m, int field, table *out, ph_error *error)
{
    *out = (table){0};
    if (field < 0) {
        return PH_OK;
    }
    const size_t width = ph_result_field_get(m->result, field).width;
    if (width == 0) {
        return PH_OK;
    }
    out->channels = width;
    out->values = mem_alloc_array(NULL, (size_t)m->frames, width * sizeof *out->values);
    return out->values ? read_rows(m, field, width, out->values, error)
                       : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static ph_status add_table(page_motion *m, const char *name, const table *t, int bits, ph_error *error)
{
    return page_stream_add(m->stream, &m->fields, name, t->values, m->frames, t->channels, bits)
               ? PH_OK
               : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// ---- Changes of tables before they are packed -----------------------------------------------------------------------

typedef void (*table_change)(table *t, long long frames);

// q and -q are the same rotation: neighbours in time get the nearer ones.
static void join_signs(table *t, long long frames)
{
    for (size_t i = (size_t)t->channels; i < (size_t)frames * t->channels; i += 4) {
        double *q = t->values + i;
        const double *p = q - t->channels;
        if (q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0.0) {
            for (int k = 0; k < 4; k++) {
                q[k] = -q[k];
            }
        }
    }
}

static void take_start_off(table *t, long long frames)
{
    for (size_t i = (size_t)frames * t->channels; i-- > 0;) {
        t->values[i] -= t->values[i % t->channels];
    }
}

static ph_status add_field(page_motion *m, int field, const char *as, table_change change, int bits, ph_error *error)
{
    table t;
    ph_status status = read_table(m, field, &t, error);
    if (status == PH_OK && t.values) {
        if (change) {
            change(&t, m->frames);
        }
        status = add_table(m, as, &t, bits, error);
    }
    mem_free(NULL, t.values);
    return status;
}

// ---- What is packed -------------------------------------------------------------------------------------------------

static ph_status damaged(const page_motion *m, const char *what, ph_error *error)
{
    return error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged: its %s do not fit", ph_result_path(m->result), what);
}

static bool has_width(const page_motion *m, const char *field, size_t width)
{
    const int index = ph_result_find(m->result, field);
    return index >= 0 && ph_result_field_get(m->result, index).width == width;
}

static ph_status add_poses(page_motion *m, ph_error *error)
{
    const size_t bodies = (size_t)ph_result_bodies(m->result);
    if (!has_width(m, "position", 3 * bodies) || !has_width(m, "orientation", 4 * bodies)) {
        return damaged(m, "positions", error);
    }
    ph_status status = add_field(m, ph_result_find(m->result, "position"), "position", NULL, m->bits, error);
    if (status == PH_OK) {
        status = add_field(m, ph_result_find(m->result, "orientation"), "orientation", join_signs, m->bits, error);
    }
    const double values = 6.0 * (double)m->frames * ph_result_bodies(m->result);
    if (values > VELOCITIES_MOST) {
        return status; // the page finds speeds from neighbouring positions
    }
    static const char *const rates[] = {"velocity", "angular_velocity"};
    for (int i = 0; status == PH_OK && i < 2; i++) {
        status = add_field(m, ph_result_find(m->result, rates[i]), rates[i], NULL, PLOT_BITS, error);
    }
    return status;
}

static ph_status add_histories(page_motion *m, ph_error *error)
{
    static const struct {
        const char *field, *as;
        table_change change;
        int bits;
    } list[] = {
        {"energy/kinetic", "energy.kinetic", NULL, PLOT_BITS},
        {"energy/potential", "energy.potential", NULL, PLOT_BITS},
        {"energy/work", "energy.work", NULL, PLOT_BITS},
        {"energy/total", "energy.total", NULL, PLOT_BITS},
        {"energy/total", "energy.error", take_start_off, PLOT_BITS},
        {"momentum/linear", "momentum.linear", NULL, PLOT_BITS},
        {"momentum/angular", "momentum.angular", NULL, PLOT_BITS},
        {"momentum/linear", "momentum.linear_change", take_start_off, PLOT_BITS},
        {"momentum/angular", "momentum.angular_change", take_start_off, PLOT_BITS},
        {"violation/position", "violation.position", NULL, 0},
        {"violation/velocity", "violation.velocity", NULL, 0},
    };
    ph_status status = PH_OK;
    for (size_t i = 0; status == PH_OK && i < sizeof list / sizeof *list; i++) {
        const int field = ph_result_find(m->result, list[i].field);
        status = add_field(m, field, list[i].as, list[i].change, list[i].bits, error);
    }
    return status;
}

static void note(page_motion *m, const char *sentence)
{
    put_text(&m->notes, m->notes.length > 1 ? "," : "");
    put_json_string(&m->notes, sentence);
}

// "joints.<name>.force"
static ph_status add_joint_part(page_motion *m, int joint, const char *part, ph_error *error)
{
    page_text name = {0};
    put_text(&name, "joints.");
    put_text(&name, ph_result_joint(m->result, joint));
    put_text(&name, ".");
    put_raw(&name, part, strlen(part) + 1);
    const int field = ph_result_find_joint(m->result, joint, part);
    const ph_status status = name.failed ? error_set(error, PH_OUT_OF_MEMORY, "out of memory")
                                         : add_field(m, field, name.data, NULL, PLOT_BITS - 4, error);
    page_text_free(&name);
    return status;
}

static ph_status add_joints(page_motion *m, ph_error *error)
{
    static const char *const parts[] = {"force", "torque", "coordinate", "rate"};
    const int joints = ph_result_joints(m->result);
    const int most = (int)fmin(joints, REACTIONS_MOST / (8.0 * (double)m->frames));
    ph_status status = PH_OK;
    for (int i = 0; i < most; i++) {
        for (int p = 0; status == PH_OK && p < 4; p++) {
            status = add_joint_part(m, i, parts[p], error);
        }
    }
    if (most < joints) {
        char text[NAME_ROOM + 32];
        snprintf(text, sizeof text, "reactions of %d of %d joints", most, joints);
        note(m, text);
    }
    return status;
}

// ---- Stress ---------------------------------------------------------------------------------------------------------

static double von_mises(const double *integral, double volume)
{
    ph_mat3 I;
    ph_stress stress;
    memcpy(&I, integral, sizeof I);
    const ph_quat unit = {.w = 1.0};
    return ph_stress_mean(I, volume, unit, &stress) ? stress.von_mises : (double)NAN;
}

static void list_stressed(page_motion *m, const ph_result_field *field)
{
    put_text(&m->stressed, "[");
    for (int b = 0; b < field->bodies; b++) {
        put_text(&m->stressed, b ? "," : "");
        put_number(&m->stressed, field->body[b], 9);
    }
    put_text(&m->stressed, "]");
}

static ph_status add_stress(page_motion *m, ph_error *error)
{
    const int index = ph_result_find(m->result, "stress");
    if (index < 0) {
        return PH_OK;
    }
    const ph_result_field field = ph_result_field_get(m->result, index);
    if (!field.body_volume || field.bodies < 1 || field.width != 9 * (size_t)field.bodies) {
        return PH_OK;
    }
    table all, mises = {.channels = (size_t)field.bodies};
    ph_status status = read_table(m, index, &all, error);
    mises.values = mem_alloc_array(NULL, (size_t)m->frames, mises.channels * sizeof *mises.values);
    if (status == PH_OK && (!mises.values || !all.values)) {
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (size_t i = 0; status == PH_OK && i < (size_t)m->frames * mises.channels; i++) {
        mises.values[i] = von_mises(all.values + 9 * i, field.body_volume[i % mises.channels]);
    }
    if (status == PH_OK) {
        list_stressed(m, &field);
        status = add_table(m, "stress.mises", &mises, 16, error);
    }
    mem_free(NULL, all.values);
    mem_free(NULL, mises.values);
    return status;
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

typedef struct contacts {
    double *count, *point, *force; // [frames], [k][3], [k][3]
    long long total, left_out;
} contacts;

static double size2(const double *f)
{
    return f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
}

// Keeps those of a frame whose force is at least the `most`-th largest: a pass for each halving of the bound.
static double force_bound(const double *force, long long count, long long most)
{
    double low = 0.0, high = 0.0;
    for (long long i = 0; i < count; i++) {
        high = fmax(high, size2(force + 3 * i));
    }
    for (int pass = 0; pass < 40; pass++) {
        const double middle = 0.5 * (low + high);
        long long above = 0;
        for (long long i = 0; i < count; i++) {
            above += size2(force + 3 * i) >= middle;
        }
        *(above > most ? &low : &high) = middle;
    }
    return high;
}

static void collect_frame(contacts *c, long long frame, const double *point, const double *force, long long count,
                          long long most)
{
    const double bound = count > most ? force_bound(force, count, most) : 0.0;
    long long kept = 0;
    for (long long i = 0; i < count && kept < most; i++) {
        if (count <= most || size2(force + 3 * i) >= bound) {
            memcpy(c->point + 3 * (c->total + kept), point + 3 * i, 3 * sizeof *point);
            memcpy(c->force + 3 * (c->total + kept), force + 3 * i, 3 * sizeof *force);
            kept++;
        }
    }
    c->count[frame] = (double)kept;
    c->total += kept;
    c->left_out += count - kept;
}

static ph_status pack_contacts(page_motion *m, const contacts *c, ph_error *error)
{
    const bool good = page_stream_add(m->stream, &m->fields, "contacts.count", c->count, m->frames, 1, 24) &&
                      page_stream_add(m->stream, &m->fields, "contacts.point", c->point, c->total, 3, 14) &&
                      page_stream_add(m->stream, &m->fields, "contacts.force", c->force, c->total, 3, 12);
    if (c->left_out > 0) {
        note(m, "the largest contact forces of each frame");
    }
    return good ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// False when the offsets lead nowhere.
static bool collect_contacts(const page_motion *m, contacts *c, const double *offset, const double *point,
                             const double *force, long long most)
{
    const double all = (double)ph_result_field_rows(m->result, ph_result_find(m->result, "contacts/force"));
    for (long long f = 0; f < m->frames; f++) {
        const long long row = row_of(m, f);
        if (!(offset[row] >= 0.0 && offset[row] <= offset[row + 1] && offset[row + 1] <= all)) {
            return false;
        }
        const long long first = (long long)offset[row];
        collect_frame(c, f, point + 3 * first, force + 3 * first, (long long)offset[row + 1] - first, most);
    }
    return true;
}

// Counts are whole numbers from 0: rounding to 24 bits of their range keeps them.
static ph_status add_contacts(page_motion *m, ph_error *error)
{
    ph_result *r = m->result;
    const int offset_field = ph_result_find(r, "contacts/offset");
    if (offset_field < 0) {
        return PH_OK;
    }
    if (!has_width(m, "contacts/point", 3) || !has_width(m, "contacts/force", 3)) {
        return damaged(m, "contacts", error);
    }
    const double *offset = ph_result_values(r, offset_field, error);
    const double *point = ph_result_values(r, ph_result_find(r, "contacts/point"), error);
    const double *force = ph_result_values(r, ph_result_find(r, "contacts/force"), error);
    const long long most = CONTACTS_MOST / m->frames + 1;
    contacts c = {0};
    c.count = mem_alloc_array(NULL, (size_t)m->frames, sizeof *c.count);
    c.point = mem_alloc_array(NULL, (size_t)(m->frames * most), 3 * sizeof *c.point);
    c.force = mem_alloc_array(NULL, (size_t)(m->frames * most), 3 * sizeof *c.force);
    ph_status status = PH_OK;
    if (!c.count || !c.point || !c.force) {
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    } else if (offset && offset[m->rows] > 0.0 && point && force) {
        status = collect_contacts(m, &c, offset, point, force, most) ? pack_contacts(m, &c, error)
                                                                     : damaged(m, "contacts", error);
    }
    mem_free(NULL, c.count);
    mem_free(NULL, c.point);
    mem_free(NULL, c.force);
    return status;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static void clear(page_motion *m)
{
    page_stream_destroy(m->stream);
    page_text_free(&m->fields);
    page_text_free(&m->stressed);
    page_text_free(&m->notes);
    m->stream = NULL;
}

static ph_status pack_once(page_motion *m, ph_error *error)
{
    clear(m);
    m->stream = page_stream_create();
    if (!m->stream) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    put_text(&m->fields, "[");
    put_text(&m->notes, "[");
    if (m->stride > 1) {
        char text[NAME_ROOM + 32];
        snprintf(text, sizeof text, "%lld of %lld recorded frames", m->frames, m->rows);
        note(m, text);
    }
    ph_status (*const parts[])(page_motion *, ph_error *) = {add_poses, add_histories, add_joints, add_stress,
                                                             add_contacts};
    ph_status status = add_field(m, ph_result_find(m->result, "time"), "time", NULL, 31, error);
    for (size_t i = 0; status == PH_OK && i < sizeof parts / sizeof *parts; i++) {
        status = parts[i](m, error);
    }
    put_text(&m->fields, "]");
    put_text(&m->notes, "]");
    if (status == PH_OK && (!page_stream_finish(m->stream, &m->bytes, &m->count) || m->fields.failed)) {
        status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    return status;
}

// Fewer bits first; when these are at their least, fewer frames.
static void make_coarser(page_motion *m)
{
    if (m->bits > COARSEST) {
        m->bits -= m->bits > 16 ? 4 : 2;
    } else {
        set_stride(m, 2 * m->stride);
        m->bits = 16;
    }
}

ph_status page_motion_pack(page_motion *m, double most, ph_error *error)
{
    m->rows = ph_result_rows(m->result);
    if (m->rows < 1) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' has no frames: the run ended before the first was recorded",
                         ph_result_path(m->result));
    }
    const double values = 7.0 * (double)m->rows * fmax(ph_result_bodies(m->result), 1.0);
    set_stride(m, values > VALUES_MOST ? (long long)ceil(values / VALUES_MOST) : 1);
    m->bits = values > 8e6 ? 16 : values > 2e6 ? 20 : FINEST;
    ph_status status = pack_once(m, error);
    while (status == PH_OK && (double)m->count * 4.0 / 3.0 > most && m->frames > 2) {
        make_coarser(m);
        status = pack_once(m, error);
    }
    return status;
}

void page_motion_free(page_motion *m)
{
    clear(m);
    page_text_free(&m->scene);
    ph_result_destroy(m->result);
}
