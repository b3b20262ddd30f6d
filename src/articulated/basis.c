#include "articulated/basis.h"

#include "joints/chain.h"

#include <string.h>

// Kinds of rows but for that of a rotor, which is the last.
static int kinds_of(const joint *j)
{
    return j->kind_count - j->rotor_rows;
}

bool basis_known(const joint *j)
{
    if (j->of) return false; // a coordinate, not a joint
    for (int k = 0; k < kinds_of(j); k++) {
        const row_kind kind = (row_kind)j->rows[k].kind;
        if (kind != ROW_POINT && kind != ROW_ALONG && kind != ROW_DOT && kind != ROW_LENGTH && kind != ROW_SCREW &&
            kind != ROW_MOTOR && kind != ROW_CHAIN)
            return false;
    }
    return freedoms_of(j).count == 6 - joint_own_rows(j);
}

bool basis_has_point(const joint *j)
{
    for (int k = 0; k < j->kind_count; k++)
        if (j->rows[k].kind == ROW_POINT) return true;
    return false;
}

bool basis_is_plain(const joint *j)
{
    for (int k = 0; k < j->kind_count; k++)
        if (j->rows[k].kind == ROW_SCREW || j->rows[k].kind == ROW_MOTOR || j->rows[k].kind == ROW_CHAIN) return false;
    return true;
}

FOUR_INLINE screw4 turning(four axis)
{
    return (screw4){axis, four_splat(0.0)};
}

FOUR_INLINE screw4 moving(four axis)
{
    return (screw4){four_splat(0.0), axis};
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
    case FREEDOM_SPIN: // all turns
    case FREEDOM_ORBIT:
    case FREEDOM_CHAIN: // basis_of_chain
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

void basis_turn(const joint *j, basis_needs needs, const columns *R_a, const columns *R_b, basis_axes *axes)
{
    for (int i = 0; i < 3; i++) {
        if (needs.a >> i & 1u) axes->a[i] = columns_turn(R_a, ph_mat_col(j->E_a, i));
        if (needs.b >> i & 1u) axes->b[i] = columns_turn(R_b, ph_mat_col(j->E_b, i));
    }
}

// ---- Columns --------------------------------------------------------------------------------------------------------

// Two directions across d.
static four across(four d, int k)
{
    const ph_vec3 v = four_vec(d), t = ph_any_perpendicular(v);
    return four_of(k == 0 ? t : ph_cross(ph_unit(v), t));
}

static inline screw4 column_of(const joint *j, const basis_axes *axes, freedom f)
{
    const int i = f.i;
    switch ((freedom_kind)f.kind) {
    case FREEDOM_TURN:
        break;
    case FREEDOM_SLIDE:
        return moving(axes->a[i]);
    case FREEDOM_ORBIT:
        return moving(across(axes->d, i));
    case FREEDOM_SCREW:
        return (screw4){axes->a[i], four_splat(j->pitch) * axes->a[i]};
    case FREEDOM_CARDAN_A:
        return turning(axes->a[(i + 1) % 3]);
    case FREEDOM_CARDAN_B:
        return turning(axes->b[(i + 2) % 3]);
    case FREEDOM_SPIN:  // basis_freedoms
    case FREEDOM_CHAIN: // basis_of_chain
        break;
    }
    return turning(axes->a[i]);
}

void basis_freedoms(const joint *j, const freedoms *m, const basis_axes *axes, screw4 *N)
{
    for (int k = 0; k < m->count; k++) {
        const freedom f = m->list[m->driven + k];
        if (f.kind != FREEDOM_SPIN) *N++ = column_of(j, axes, f);
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

void basis_rows(const joint *j, const freedoms *m, const basis_axes *axes, screw4 *Y, double *phi)
{
    double unused[JOINT_ROWS_MAX];
    if (!phi) phi = unused;
    for (int k = 0; k < kinds_of(j); k++, Y++, phi++) {
        const row it = j->rows[k];
        const four d = axes->d;
        switch ((row_kind)it.kind) {
        case ROW_POINT:
            for (int c = 0; c < 3; c++) phi[c] = d[c];
            Y += 2, phi += 2;
            break;
        case ROW_DOT:
            *Y = turning(four_cross(axes->b[it.j], axes->a[it.i]));
            *phi = four_dot(axes->a[it.i], axes->b[it.j]);
            break;
        case ROW_ALONG:
            *Y = moving(axes->a[it.i]);
            *phi = four_dot(axes->a[it.i], d);
            break;
        case ROW_LENGTH:
            *Y = moving(four_of(ph_unit(four_vec(d))));
            *phi = ph_norm(four_vec(d)) - j->length;
            break;
        case ROW_SCREW:
            *Y = moving(axes->a[2]);
            break;
        default: // ROW_MOTOR: basis_known
            *Y = column_of(j, axes, m->list[0]);
            break;
        }
    }
}

static screw4 pull_of(const joint *j, const motion *at, const basis_axes *axes, row it)
{
    if (at->closed && it.kind == ROW_SCREW) return (screw4){four_splat(-j->pitch) * axes->a[2], axes->a[2]};
    const geometry g = joint_geometry(j, at->frames);
    const gradient w = row_gradient(j, &g, it, at);
    const four force = four_of(w.u_b);
    return (screw4){four_of(w.alpha_b) - four_cross(axes->r_b, force), force};
}

// A motor of the one turn or slide that there is pulls along it.
static bool is_axis(const freedoms *m, coordinate c)
{
    return c.kind == COORDINATE_SLIDE || (c.kind == COORDINATE_TURN && m->turn == TURN_ONE && !m->screws);
}

void basis_pulls(const joint *j, const freedoms *m, const motion *at, const basis_axes *axes, const screw4 *Y,
                 screw4 *W)
{
    memcpy(W, Y, (size_t)joint_own_rows(j) * sizeof *W);
    for (int k = 0; k < kinds_of(j); k++) {
        const row it = j->rows[k];
        const bool other = it.kind == ROW_SCREW || (it.kind == ROW_MOTOR && !is_axis(m, j->coordinates[it.i]));
        if (other) *W = pull_of(j, at, axes, it);
        W += it.kind == ROW_POINT ? 3 : 1;
    }
}

// ---- Chains ---------------------------------------------------------------------------------------------------------

// Column i of J, in axes of the world.
FOUR_INLINE screw4 chain_direction(const chain *c, const chain_look *look, const columns *A, int i)
{
    const four u = columns_turn(A, look->u[i]);
    if (c->motions[i].slides) return moving(u);
    return (screw4){u, four_cross(u, columns_turn(A, look->arm[i]))};
}

void basis_of_chain(const joint *j, const chain_look *look, const columns *axes, screw4 *N, screw4 *Y, screw4 *W)
{
    const chain *c = j->chain;
    for (int k = 0; k < c->free_count; k++) N[k] = chain_direction(c, look, axes, c->free[k]);
    for (int k = 0; k < CHAIN_MOTIONS - c->free_count; k++) {
        const double *w = look->W[c->locked[k]];
        Y[k] = chain_direction(c, look, axes, c->locked[k]);
        W[k] = (screw4){columns_apply(axes, four_three(w)), columns_apply(axes, four_three(w + 3))};
    }
}
