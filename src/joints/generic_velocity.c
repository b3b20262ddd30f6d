// Generic velocity: rows A(q) v = b(q, t), as expressions say.
//
// Geometry: the axes of both frames are the world's at the start, or have z along `axis`. With the velocity of b relative to
// a at the origin of frame b, along the axes Q of frame a, or of frame b,
//
//     x  = (Q^T (d' - w_a x d), Q^T (w_b - w_a)),     Q = R_a E_a or R_b E_b,
//
// each row is k . x = b, where the six coefficients k and b are expressions of t, inputs and coordinates of joints. It does
// not say anything of positions. With f = Q k_v and m = Q k_w its gradient is
//
//     alpha_a = f x (r_a + d) - m,     alpha_b = r_b x f + m,     u_b = f.
//
// Freedom left: six, of velocities six less the number of rows.
#include "joints/geometry.h"
#include "joints/types.h"
#include "joints/velocity_rows.h"

static const char *make(joint *j)
{
    for (int i = 0; i < j->def->velocity_count; i++) joint_add_row(j, ROW_VELOCITY, i, 0);
    return j->row_count ? NULL : "a generic_velocity joint needs rows: [{x: .., y: .., equals: ..}, ..]";
}

const joint_type joint_generic_velocity = {
    .name = "generic_velocity",
    .title = "rows of velocities from expressions",
    .keys = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL | JOINT_AXIS_OPTIONAL | JOINT_VELOCITIES,
    .hold = "none",
    .make = make,
};

// ---- The row --------------------------------------------------------------------------------------------------------

static const value *coefficients(const joint *j, int i)
{
    return j->velocities->values + VELOCITY_VALUES * i;
}

static void forces(const joint *j, const geometry *g, const motion *at, int i, ph_vec3 *f, ph_vec3 *m)
{
    const value *k = coefficients(j, i);
    const ph_mat3 Q = j->velocities->in_b ? ph_mat_mul(*g->R_b, j->E_b) : ph_mat_mul(*g->R_a, j->E_a);
    *f = ph_mul(Q, ph_vec(value_at(&k[0], at), value_at(&k[1], at), value_at(&k[2], at)));
    *m = ph_mul(Q, ph_vec(value_at(&k[3], at), value_at(&k[4], at), value_at(&k[5], at)));
}

gradient velocity_gradient(const joint *j, const geometry *g, const motion *at, int i)
{
    ph_vec3 f, m;
    forces(j, g, at, i, &f, &m);
    return (gradient){ph_sub(ph_cross(f, ph_add(g->r_a, g->d)), m), ph_add(ph_cross(g->r_b, f), m), f};
}

double velocity_wanted(const joint *j, const motion *at, int i)
{
    return value_at(&coefficients(j, i)[6], at);
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

// f . s + m . (w_b - w_a), s = d' - w_a x d: f and m turn with a, or with b.
gradient velocity_slope(const joint *j, const geometry *g, const rates *r, const motion *at, int i)
{
    ph_vec3 f, m;
    forces(j, g, at, i, &f, &m);
    const ph_vec3 s = ph_sub(r->d1, ph_cross(r->w_a, g->d)), turn = ph_sub(r->w_b, r->w_a);
    const ph_vec3 by_d = ph_cross(r->w_a, f); // -f . (w_a x delta d)
    gradient w = {.u_b = by_d};
    *(j->velocities->in_b ? &w.alpha_b : &w.alpha_a) = ph_add(ph_cross(f, s), ph_cross(m, turn)); // (alpha x f) . s
    // -f . (alpha x (w_a x r_a)) - f . ((alpha x w_a) x d) - m . (alpha x w_a)
    w.alpha_a = ph_sub(w.alpha_a, ph_cross(ph_cross(r->w_a, g->r_a), f));
    w.alpha_a = ph_sub(w.alpha_a, ph_cross(r->w_a, ph_add(ph_cross(g->d, f), m)));
    w.alpha_a = ph_add(w.alpha_a, ph_cross(by_d, g->r_a));
    w.alpha_b = ph_add3(w.alpha_b, ph_cross(ph_cross(r->w_b, g->r_b), f), ph_cross(r->w_b, m));
    w.alpha_b = ph_add(w.alpha_b, ph_cross(g->r_b, by_d));
    return w;
}

// How much of a change of value n of a row is one of the row itself: x_n, and -1 for b.
static double weight_of(const joint *j, const geometry *g, const rates *r, int n)
{
    if (n == 6) return -1.0;
    const ph_vec3 v = n < 3 ? ph_sub(r->d1, ph_cross(r->w_a, g->d)) : ph_sub(r->w_b, r->w_a);
    return ph_dot(j->velocities->in_b ? axis_b(j, g, n % 3) : axis_a(j, g, n % 3), v);
}

static void add_scaled(const joint *j, int body, double scale, const ph_wrench *w, int row, double *S)
{
    for (int k = 0; k < j->body_count; k++) {
        double *to = S + 6 * (j->row_count * k + row);
        if (j->bodies[k] != body) continue;
        to[0] += scale * w->torque.x, to[1] += scale * w->torque.y, to[2] += scale * w->torque.z;
        to[3] += scale * w->force.x, to[4] += scale * w->force.y, to[5] += scale * w->force.z;
    }
}

void velocity_add_slopes(const joint *j, const geometry *g, const rates *r, const motion *at, int i, bool with_b,
                         int row, double *S)
{
    for (int n = 0; n < (with_b ? 7 : 6); n++) {
        const value *k = &coefficients(j, i)[n];
        double slopes[VALUE_VARIABLES_MAX] = {0};
        if (!value_needs_joints(k)) continue;
        value_slopes(k, at, slopes);
        for (int v = 0; v < k->variable_count; v++) {
            if (k->variables[v].kind != VARIABLE_COORDINATE) continue;
            const double scale = slopes[v] * weight_of(j, g, r, n);
            joint_line line;
            joint_line_at(k->variables[v].joint, at, 0, &line);
            add_scaled(j, k->variables[v].joint->a, scale, &line.a, row, S);
            add_scaled(j, k->variables[v].joint->b, scale, &line.b, row, S);
        }
    }
}

double velocity_drift(const joint *j, const geometry *g, const rates *r, const motion *at, int i)
{
    double drift = 0.0;
    for (int n = 0; n < VELOCITY_VALUES; n++) {
        const value *k = &coefficients(j, i)[n];
        double slopes[VALUE_VARIABLES_MAX] = {0}, change = 0.0;
        if (!k->program) continue;
        value_slopes(k, at, slopes);
        for (int v = 0; v < k->variable_count; v++) {
            if (k->variables[v].kind == VARIABLE_TIME) change += slopes[v];
            if (k->variables[v].kind == VARIABLE_COORDINATE)
                change += slopes[v] * joint_rate(k->variables[v].joint, at, 0);
        }
        drift += change * weight_of(j, g, r, n);
    }
    return drift;
}
