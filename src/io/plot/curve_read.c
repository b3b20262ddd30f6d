// The values of a quantity, row by row.

#include "io/plot/curve.h"

#include "base/error.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- From one row ---------------------------------------------------------------------------------------------------

static double size3(const double *v)
{
    return ph_norm((ph_vec3){v[0], v[1], v[2]});
}

static ph_stress mean_stress(const curve *q, const double *integral)
{
    ph_mat3 sum;
    ph_stress stress;
    memcpy(&sum, integral, sizeof sum);
    ph_stress_mean(sum, q->volume, ph_quat_identity(), &stress);
    return stress;
}

static double from_row(const curve *q, const double *row)
{
    switch (q->kind) {
    case CURVE_SIZE:
        return size3(row);
    case CURVE_AXIS:
        return ph_quat_to_mat((ph_quat){row[0], row[1], row[2], row[3]}).m[q->entry / 3][q->entry % 3];
    case CURVE_MEAN:
        return row[0] / q->volume;
    case CURVE_MISES:
        return mean_stress(q, row).von_mises;
    case CURVE_PRESSURE:
        return -(row[0] + row[4] + row[8]) / (3.0 * q->volume);
    default:
        return row[0];
    }
}

static ph_status read_rows(ph_curves *all, const curve *q, double *to, ph_error *error)
{
    enum { BATCH = 1024 };
    const long long rows = ph_result_rows(all->result);
    double batch[BATCH * 9];
    ph_status status = PH_OK;
    for (long long first = 0; status == PH_OK && first < rows; first += BATCH) {
        const long long count = rows - first < BATCH ? rows - first : BATCH;
        status =
            ph_result_read(all->result, q->field, first, 1, count, (size_t)q->from, (size_t)q->width, batch, error);
        for (long long i = 0; status == PH_OK && i < count; i++) {
            to[first + i] = from_row(q, batch + i * q->width);
        }
    }
    return status;
}

// ---- Against other rows ---------------------------------------------------------------------------------------------

static ph_status subtract_first(ph_curves *all, const curve *q, double *to, ph_error *error)
{
    const long long rows = ph_result_rows(all->result);
    const double first = rows > 0 ? to[0] : 0.0;
    double scale = 1.0;
    if (q->kind == CURVE_RELATIVE) {
        const double *kinetic = ph_result_values(all->result, ph_result_find(all->result, "energy/kinetic"), error);
        if (!kinetic) {
            return PH_BAD_ARGUMENT;
        }
        scale = 0.0;
        for (long long i = 0; i < rows; i++) {
            scale = fmax(scale, kinetic[i]);
        }
    }
    for (long long i = 0; i < rows; i++) {
        to[i] = (to[i] - first) / scale;
    }
    return PH_OK;
}

// ---- From the contacts of a row -------------------------------------------------------------------------------------

static double from_contacts(const curve *q, const double *values, long long count)
{
    double result = q->kind == CURVE_GAP ? (double)NAN : 0.0; // without contacts there is no gap
    for (long long i = 0; i < count; i++) {
        const double *v = values + i * q->width;
        switch (q->kind) {
        case CURVE_FORCE:
            result += size3(v);
            break;
        case CURVE_LARGEST:
            result = fmax(result, size3(v));
            break;
        case CURVE_GAP:
            result = fmin(result, v[0]); // fmin takes the number beside a NaN
            break;
        default:
            result = fmax(result, -v[0]);
            break;
        }
    }
    return result;
}

static ph_status read_contacts(ph_curves *all, const curve *q, double *to, ph_error *error)
{
    ph_result *r = all->result;
    const int field = ph_result_find(r, "contacts/offset");
    const double *offset = ph_result_values(r, field, error);
    const double *values = offset && q->kind != CURVE_COUNT ? ph_result_values(r, q->field, error) : offset;
    if (!values) {
        return PH_BAD_ARGUMENT;
    }
    const double all_contacts =
        q->kind == CURVE_COUNT ? offset[ph_result_rows(r)] : (double)ph_result_field_rows(r, q->field);
    for (long long i = 0; i < ph_result_rows(r); i++) {
        if (!(offset[i] >= 0.0 && offset[i] <= offset[i + 1] && offset[i + 1] <= all_contacts)) {
            return error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged: '/contacts/offset' does not grow",
                             ph_result_path(r));
        }
        const long long first = (long long)offset[i], count = (long long)offset[i + 1] - first;
        to[i] = q->kind == CURVE_COUNT ? (double)count : from_contacts(q, values + first * q->width, count);
    }
    return PH_OK;
}

ph_status ph_curves_read(ph_curves *all, int index, double *to, ph_error *error)
{
    if (!all || !to || index < 0 || index >= all->count) {
        return error_set(error, PH_BAD_ARGUMENT, "there is no quantity %d", index);
    }
    const curve *q = &all->list[index];
    if (q->kind >= CURVE_COUNT) {
        return read_contacts(all, q, to, error);
    }
    const ph_status status = read_rows(all, q, to, error);
    const bool change = q->kind == CURVE_CHANGE || q->kind == CURVE_RELATIVE;
    return status == PH_OK && change ? subtract_first(all, q, to, error) : status;
}
