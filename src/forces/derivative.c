// Derivatives that several elements share.

#include "forces/derivative.h"

#include "math/mat3.h"

#include <string.h>

// ---- Blocks ---------------------------------------------------------------------------------------------------------

void block_add(double block[36], int row, int column, double s, ph_mat3 A)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block[6 * (row + r) + column + c] += s * A.m[r][c];
}

void block_add_product(double block[36], const ph_wrench *p, const double q[6])
{
    const double rows[6] = {p->torque.x, p->torque.y, p->torque.z, p->force.x, p->force.y, p->force.z};
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * r + c] += rows[r] * q[c];
}

static void put_wrench(double x[6], double s, const ph_wrench *w)
{
    x[0] = s * w->torque.x, x[1] = s * w->torque.y, x[2] = s * w->torque.z;
    x[3] = s * w->force.x, x[4] = s * w->force.y, x[5] = s * w->force.z;
}

// ---- Along joint coordinates ----------------------------------------------------------------------------------------

// x[y] += v_a^T K[a][y] + v_b^T K[b][y]: the derivative of the rate g.v by the motion of body y, where K is that of g.
static void add_rate_by_position(const joint *j, const motion *at, const double K[2][2][36], double x[2][6])
{
    const ph_twist *twists[2] = {&at->twists[j->a], &at->twists[j->b]};
    for (int b = 0; b < 2; b++) {
        const double v[6] = {twists[b]->omega.x, twists[b]->omega.y, twists[b]->omega.z,
                             twists[b]->v.x,     twists[b]->v.y,     twists[b]->v.z};
        for (int y = 0; y < 2; y++)
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) x[y][c] += v[r] * K[b][y][6 * r + c];
    }
}

void derive_along_joint(const joint *j, const motion *at, int k, const joint_line *line, double f, double by_q,
                        double by_rate, derivative *to)
{
    const int bodies[2] = {j->a, j->b};
    const ph_wrench *g[2] = {&line->a, &line->b};
    double K[2][2][36], slope_q[2][6] = {{0}}, slope_v[2][6];
    if (to->position) memset(K, 0, sizeof K);
    if (to->position && !to->rough) {
        joint_line_stiffness(j, at->frames, k, 1.0, K);
        if (by_rate != 0.0) add_rate_by_position(j, at, (const double(*)[2][36])K, slope_q);
    }
    for (int y = 0; y < 2; y++) {
        double own[6];
        put_wrench(own, by_q, g[y]);
        put_wrench(slope_v[y], by_rate, g[y]);
        for (int c = 0; c < 6; c++) slope_q[y][c] = own[c] + by_rate * slope_q[y][c];
    }
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2; y++) {
            double by_velocity[36] = {0};
            if (to->position) {
                for (int e = 0; e < 36 && !to->rough; e++) K[x][y][e] *= f;
                block_add_product(K[x][y], g[x], slope_q[y]);
            }
            if (to->velocity) block_add_product(by_velocity, g[x], slope_v[y]);
            to->add(to->user, bodies[x], bodies[y], to->position ? K[x][y] : NULL, to->velocity ? by_velocity : NULL);
        }
}

// ---- Values ---------------------------------------------------------------------------------------------------------

// w (x) the gradient of coordinate or rate of a joint
static void derive_by_variable(const variable *v, const motion *at, double slope, int row, const ph_wrench *w,
                               derivative *to)
{
    const joint *j = v->joint;
    const int bodies[2] = {j->a, j->b};
    const bool rate = v->kind == VARIABLE_RATE;
    joint_line line;
    joint_line_at(j, at, 0, &line);
    double K[2][2][36] = {{{0}}}, slopes[2][6] = {{0}}, gradient[2][6];
    put_wrench(gradient[0], slope, &line.a);
    put_wrench(gradient[1], slope, &line.b);
    if (rate && to->position && at->twists) {
        joint_line_stiffness(j, at->frames, 0, slope, K);
        add_rate_by_position(j, at, (const double(*)[2][36])K, slopes);
    }
    for (int y = 0; y < 2; y++) {
        double by_position[36] = {0}, by_velocity[36] = {0};
        block_add_product(by_position, w, rate ? slopes[y] : gradient[y]);
        if (rate) block_add_product(by_velocity, w, gradient[y]);
        to->add(to->user, row, bodies[y], by_position, by_velocity);
    }
}

void derive_by_value(const value *v, const motion *at, int row, const ph_wrench *w, derivative *to)
{
    double slopes[VALUE_VARIABLES_MAX];
    if (!value_needs_joints(v)) return;
    value_slopes(v, at, slopes);
    for (int k = 0; k < v->variable_count; k++) {
        const variable *of = &v->variables[k];
        const bool moves = of->kind == VARIABLE_RATE || (of->kind == VARIABLE_COORDINATE && to->position);
        if (moves && slopes[k] != 0.0) derive_by_variable(of, at, slopes[k], row, w, to);
    }
}

// ---- Between two points ---------------------------------------------------------------------------------------------

// One end of a force between points: its sign in d, and for small motions (theta | u) of its body
//     dd = sign (u - r~ R theta),    dd' = sign (-(w x r)~ R theta)
typedef struct end {
    int body;
    double sign;
    ph_mat3 R;
    ph_vec3 r, turning; // turning: w x r, the velocity of the point about the centre of mass
} end;

static end end_of(const motion *at, int body, double sign, ph_vec3 s)
{
    end e = {.body = body, .sign = sign, .R = at->frames[body].R};
    e.r = ph_mul(e.R, s);
    if (at->twists) e.turning = ph_cross(ph_mul(e.R, at->twists[body].omega), e.r);
    return e;
}

// The force changes by [G | F] (theta | u) with the motion of another end, or of its own. On this one acts sign [G F], and in
// body axes the torque R^T r~ times that; where its own axes turn, d(R^T tau) = R^T r x (df + f x R theta).
static void put_block(const end *x, ph_mat3 G, ph_mat3 F, ph_mat3 turning, double block[36])
{
    const ph_mat3 lever = ph_mat_tmul(x->R, ph_hat(x->r));
    block_add(block, 0, 0, x->sign, ph_mat_mul(lever, ph_mat_add(G, turning)));
    block_add(block, 0, 3, x->sign, ph_mat_mul(lever, F));
    block_add(block, 3, 0, x->sign, G);
    block_add(block, 3, 3, x->sign, F);
}

static void derive_by_end(const end ends[2], const end *y, const point_force *p, derivative *to)
{
    const ph_mat3 moved = ph_mat_scale(-y->sign, ph_hat_mul(y->r, y->R));
    const ph_mat3 swung = ph_mat_scale(-y->sign, ph_hat_mul(y->turning, y->R));
    const ph_mat3 G = ph_mat_add(ph_mat_mul(p->by_d, moved), ph_mat_mul(p->by_rate, swung));
    const ph_mat3 F = ph_mat_scale(y->sign, p->by_d);
    const ph_mat3 G_rate = ph_mat_mul(p->by_rate, moved), F_rate = ph_mat_scale(y->sign, p->by_rate);
    for (const end *x = ends; x < ends + 2; x++) {
        double by_position[36] = {0}, by_velocity[36] = {0};
        const ph_mat3 turning = x == y ? ph_hat_mul(p->force, x->R) : ph_mat_zero();
        if (to->position) put_block(x, G, F, turning, by_position);
        if (to->velocity) put_block(x, G_rate, F_rate, ph_mat_zero(), by_velocity);
        to->add(to->user, x->body, y->body, by_position, by_velocity);
    }
}

void derive_between_points(const force *f, const motion *at, const point_force *p, derivative *to)
{
    const end ends[2] = {end_of(at, f->a, -1.0, f->s_a), end_of(at, f->b, 1.0, f->s_b)};
    derive_by_end(ends, &ends[0], p, to);
    derive_by_end(ends, &ends[1], p, to);
}
