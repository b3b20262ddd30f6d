#include "articulated/basis.h"

bool basis_known(const joint *j)
{
    if (j->chain || j->of) return false; // their columns are not among those below
    for (int k = 0; k < j->kind_count; k++) {
        const row_kind kind = (row_kind)j->rows[k].kind;
        if (kind != ROW_POINT && kind != ROW_ALONG && kind != ROW_DOT && kind != ROW_LENGTH && kind != ROW_SCREW &&
            kind != ROW_MOTOR)
            return false;
    }
    return freedoms_of(j).count == 6 - j->row_count;
}

bool basis_has_point(const joint *j)
{
    for (int k = 0; k < j->kind_count; k++)
        if (j->rows[k].kind == ROW_POINT) return true;
    return false;
}

FOUR_INLINE screw4 turning(ph_vec3 axis)
{
    return (screw4){four_of(axis), four_splat(0.0)};
}

FOUR_INLINE screw4 moving(ph_vec3 axis)
{
    return (screw4){four_splat(0.0), four_of(axis)};
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

static void need_freedom(freedom f, basis_needs *n)
{
    const unsigned i = f.i;
    switch ((freedom_kind)f.kind) {
    case FREEDOM_SLIDE:
    case FREEDOM_SCREW:
    case FREEDOM_TURN:
        n->a |= (uint8_t)(1u << i);
        break;
    case FREEDOM_CARDAN_A:
        n->a |= (uint8_t)(1u << (i + 1) % 3);
        break;
    case FREEDOM_CARDAN_B:
        n->b |= (uint8_t)(1u << (i + 2) % 3);
        break;
    case FREEDOM_SPIN:
        n->b |= (uint8_t)(1u << i);
        break;
    case FREEDOM_ORBIT:
    case FREEDOM_CHAIN: // basis_known
        break;
    }
}

basis_needs basis_needs_of(const joint *j, const freedoms *m)
{
    basis_needs n = {0};
    for (int k = 0; k < freedoms_listed(m); k++) need_freedom(m->list[k], &n);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_ALONG || it.kind == ROW_DOT) n.a |= (uint8_t)(1u << it.i);
        if (it.kind == ROW_DOT) n.b |= (uint8_t)(1u << it.j);
        if (it.kind == ROW_SCREW) n.a |= 1u << 2;
    }
    return n;
}

void basis_turn(const joint *j, basis_needs needs, const geometry *g, basis_axes *axes)
{
    for (int i = 0; i < 3; i++) {
        if (needs.a >> i & 1u) axes->a[i] = axis_a(j, g, i);
        if (needs.b >> i & 1u) axes->b[i] = axis_b(j, g, i);
    }
}

// ---- Columns --------------------------------------------------------------------------------------------------------

// Two directions across d.
static ph_vec3 across(ph_vec3 d, int k)
{
    const ph_vec3 t = ph_any_perpendicular(d);
    return k == 0 ? t : ph_cross(ph_unit(d), t);
}

static inline screw4 column_of(const joint *j, const geometry *g, const basis_axes *axes, freedom f)
{
    const int i = f.i;
    switch ((freedom_kind)f.kind) {
    case FREEDOM_SLIDE:
        return moving(axes->a[i]);
    case FREEDOM_ORBIT:
        return moving(across(g->d, i));
    case FREEDOM_SCREW:
        return (screw4){four_of(axes->a[i]), four_of(ph_scale(j->pitch, axes->a[i]))};
    case FREEDOM_TURN:
        return turning(axes->a[i]);
    case FREEDOM_CARDAN_A:
        return turning(axes->a[(i + 1) % 3]);
    case FREEDOM_CARDAN_B:
        return turning(axes->b[(i + 2) % 3]);
    case FREEDOM_SPIN:
    case FREEDOM_CHAIN:
        break;
    }
    return turning(axes->b[i]);
}

void basis_freedoms(const joint *j, const freedoms *m, const geometry *g, const basis_axes *axes, screw4 *N)
{
    for (int k = 0; k < m->count; k++) N[k] = column_of(j, g, axes, m->list[m->driven + k]);
}

static inline screw4 dual_of(const joint *j, const freedoms *m, const geometry *g, const basis_axes *axes, row it)
{
    switch ((row_kind)it.kind) {
    case ROW_ALONG:
        return moving(axes->a[it.i]);
    case ROW_DOT:
        return turning(ph_cross(axes->b[it.j], axes->a[it.i]));
    case ROW_LENGTH:
        return moving(ph_unit(g->d));
    case ROW_SCREW:
        return moving(axes->a[2]);
    default: // ROW_MOTOR: basis_known
        return column_of(j, g, axes, m->list[0]);
    }
}

void basis_rows(const joint *j, const freedoms *m, const geometry *g, const basis_axes *axes, screw4 *Y)
{
    for (int k = 0; k < j->kind_count; k++) {
        const bool point = j->rows[k].kind == ROW_POINT;
        if (!point) *Y = dual_of(j, m, g, axes, j->rows[k]);
        Y += point ? 3 : 1;
    }
}
