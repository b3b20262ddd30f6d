// Rows of surfaces that touch and rows of velocities: how A(q) v - b(q, t) changes with the positions.
//
// With S = d(A v - b)/dq at fixed twists, (dA/dt) v - db/dt is S v and what b and A do in time by themselves; and as
// S is linear in v, the derivative of the reactions A^T lambda is made of S for unit twists: K_ik = sum_r lambda_r S_rk(e_i).
#include "joints/rolling.h"

#include <string.h>

static bool is_slip(row it)
{
    return it.kind == ROW_SLIP || it.kind == ROW_VELOCITY;
}

// The slip with the motion of the surface, or the rate of the gap, which knows nothing of it.
static rolling_slopes shared(const joint *j, const geometry *g, const rates *r, const belt *moving)
{
    return j->rolling ? rolling_slopes_at(j, g, r, moving) : (rolling_slopes){.s = ph_zero3()};
}

static gradient slope_of(const joint *j, const geometry *g, const rates *r, const motion *at, const rolling_slopes *all,
                         row it)
{
    if (it.kind == ROW_VELOCITY) return velocity_slope(j, g, r, at, it.i);
    return rolling_slope(j, g, all, it.kind == ROW_SLIP ? it.i : 0);
}

static void store(double *to, ph_vec3 turn, ph_vec3 move)
{
    to[0] = turn.x, to[1] = turn.y, to[2] = turn.z;
    to[3] = move.x, to[4] = move.y, to[5] = move.z;
}

// Row r of S, in all slots.
static void put_slope(const joint *j, const geometry *g, const rates *r, const motion *at, const rolling_slopes *all,
                      int n, bool with_b, double *S)
{
    const gradient w = slope_of(j, g, r, at, all, j->rows[n]);
    for (int k = 0; k < j->body_count; k++) memset(S + 6 * (j->row_count * k + n), 0, 6 * sizeof *S);
    if (j->slot_a >= 0) store(S + 6 * (j->row_count * j->slot_a + n), ph_tmul(*g->R_a, w.alpha_a), ph_neg(w.u_b));
    if (j->slot_b >= 0) store(S + 6 * (j->row_count * j->slot_b + n), ph_tmul(*g->R_b, w.alpha_b), w.u_b);
    if (j->rows[n].kind == ROW_VELOCITY) velocity_add_slopes(j, g, r, at, j->rows[n].i, with_b, n, S);
}

static belt belt_of(const joint *j, const geometry *g, const motion *at)
{
    return j->rolling ? rolling_belt(j, g, at) : (belt){0};
}

void joint_slopes(const joint *j, const motion *at, double *S)
{
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    const belt moving = belt_of(j, &g, at);
    const rolling_slopes all = shared(j, &g, &r, &moving);
    for (int n = 0; n < j->kind_count; n++)
        if (is_slip(j->rows[n])) put_slope(j, &g, &r, at, &all, n, true, S);
}

double slip_bias(const joint *j, const geometry *g, const rates *r, const motion *at, row it)
{
    const belt moving = belt_of(j, g, at);
    const rolling_slopes all = shared(j, g, r, it.kind == ROW_SLIP ? &moving : &(belt){0});
    const gradient w = slope_of(j, g, r, at, &all, it);
    const double bias = gradient_rate(&w, r, &at->twists[j->a], &at->twists[j->b]);
    if (it.kind == ROW_VELOCITY) return bias + velocity_drift(j, g, r, at, it.i);
    if (it.kind != ROW_SLIP || !j->rolling->belt) return bias;
    const contact touch = rolling_contact(j, g);
    const belt rates_alone = {.slide = moving.slide_rate, .spin = moving.spin_rate};
    return bias - rolling_wanted(g, &touch, &rates_alone, it.i);
}

// S of all rows along component i of the twist of one body, into column i of B^T lambda.
static void add_column(const joint *j, const geometry *g, const motion *at, const double *lambda, bool of_a, int i,
                       double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    double S[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], e[6] = {0};
    e[i] = 1.0;
    const ph_twist unit = {ph_vec(e[0], e[1], e[2]), ph_vec(e[3], e[4], e[5])}, none = {ph_zero3(), ph_zero3()};
    const rates r = rates_of(g, of_a ? &unit : &none, of_a ? &none : &unit);
    const int slot = of_a ? j->slot_a : j->slot_b;
    const rolling_slopes all = shared(j, g, &r, &(belt){0});
    for (int n = 0; n < j->kind_count; n++) {
        if (!is_slip(j->rows[n]) && j->rows[n].kind != ROW_TOUCH) continue;
        put_slope(j, g, &r, at, &all, n, false, S);
        for (int k = 0; k < j->body_count; k++)
            for (int c = 0; c < 6; c++) K[slot][k][6 * i + c] += lambda[n] * S[6 * (j->row_count * k + n) + c];
    }
}

void slip_stiffness(const joint *j, const motion *at, const double *lambda,
                    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    const geometry g = joint_geometry(j, at->frames);
    for (int i = 0; i < 6; i++) {
        if (j->slot_a >= 0) add_column(j, &g, at, lambda, true, i, K);
        if (j->slot_b >= 0) add_column(j, &g, at, lambda, false, i, K);
    }
}
