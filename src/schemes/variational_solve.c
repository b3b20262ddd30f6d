// Stage 1 of the variational schemes: Newton's method on (1) and (2), and what to say where it fails.
#include "dynamics/newton.h"
#include "linalg/small.h"
#include "math/mat3.h"
#include "schemes/variational.h"

#include <stdio.h>

// What of the matrix is assembled beside the residuals.
typedef enum matrix { MATRIX_KEPT, MATRIX_ROWS, MATRIX_TREE } matrix;

static void put_limb(variational *s, int k, const ph_mat3 *dG)
{
    const int b = s->model->moving[k];
    elimination_put_body(s->kkt.tree, k, dG, s->model->bodies[b].kind->mass, &s->stage[k].turn.T, &s->there.frames[b]);
}

// The blocks of bodies, to which the forces of the rule have been added.
static void put_limbs(variational *s)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *block = kkt_body(&s->kkt, k);
        ph_mat3 dG;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) dG.m[r][c] = block[6 * c + r];
        put_limb(s, k, &dG);
    }
}

// Moves all bodies and assembles the residuals of (1), without the constraint forces, and on request the body blocks.
static void assemble_bodies(variational *s, const ph_state *state, double h, matrix matrix)
{
    const double rate = -1.0 / h;
    for (int k = 0; k < s->model->moving_count; k++) {
        const body *body = &s->model->bodies[s->model->moving[k]];
        body_stage *stage = &s->stage[k];
        kinetic kinetic;
        if (matrix == MATRIX_KEPT)
            kinetic.G = s->rule->momentum(&body->kind->J, stage->omega, h, &stage->turn.F);
        else
            s->rule->turn(&body->kind->J, stage->omega, h, &stage->turn, &kinetic);
        variational_move_body(s, state, h, k);
        if (matrix == MATRIX_ROWS || (matrix == MATRIX_TREE && s->rule->assemble))
            node_put_body(kkt_body(&s->kkt, k), &kinetic.dG, body->kind->mass);
        else if (matrix == MATRIX_TREE)
            put_limb(s, k, &kinetic.dG);
        node_put_vectors(kkt_body_x(&s->kkt, k), ph_madd(stage->momentum, rate, kinetic.G),
                         ph_madd(stage->impulse, -body->kind->mass, ph_sub(stage->v, stage->base)));
    }
}

// B^T and C = B(q_{n+1}) diag(T, I), column-major
SMALL_INLINE void put_blocks(const double *here, double weight, const double *there, const ph_mat3 *T, int rows,
                             double *upper, double *lower)
{
    for (int e = 0; e < 6 * rows; e++) upper[e] = weight * here[e];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < rows; r++)
            lower[c * rows + r] =
                there[6 * r] * T->m[0][c] + there[6 * r + 1] * T->m[1][c] + there[6 * r + 2] * T->m[2][c];
    for (int c = 3; c < 6; c++)
        for (int r = 0; r < rows; r++) lower[c * rows + r] = there[6 * r + c];
}

// The constraint forces of (1), and on request the rows of (2), of joint j.
SMALL_INLINE void assemble_slots(variational *s, int j, int rows, bool blocks)
{
    const joint *joint = &s->model->joints[j];
    const double *lambda = s->lambda + joint->first_row;
    for (int k = 0; k < joint->body_count; k++) {
        const int moving = s->model->bodies[joint->bodies[k]].moving, at = s->kkt.joints[j].B + 6 * rows * k;
        const double *here = s->here.B + at;
        node_add_transposed_sized(here, rows, -s->weight, lambda, kkt_body_x(&s->kkt, moving));
        if (blocks)
            put_blocks(here, s->weight, s->there.B + at, &s->stage[moving].turn.T, rows, kkt_upper(&s->kkt, j, k),
                       kkt_lower(&s->kkt, j, k));
    }
}

// Row of C for (5): 1/2 (A_n + A_{n+1}) + h/2 S diag(T, I), into a column-major block
static void put_slip(const double *here, const double *there, const double *S, double h, const ph_mat3 *T, int rows,
                     double *to)
{
    const ph_vec3 turned = ph_tmul(*T, ph_vec(S[0], S[1], S[2]));
    const double slope[6] = {turned.x, turned.y, turned.z, S[3], S[4], S[5]};
    for (int c = 0; c < 6; c++) to[c * rows] = 0.5 * (here[c] + there[c] + h * slope[c]);
}

// y += scale * B v+ of one body
static void add_velocities(const double *B, int rows, double scale, const body_stage *stage, double *y)
{
    const ph_vec3 w = stage->omega, v = stage->v;
    for (int r = 0; r < rows; r++, B += 6)
        y[r] += scale * (B[0] * w.x + B[1] * w.y + B[2] * w.z + B[3] * v.x + B[4] * v.y + B[5] * v.z);
}

// The rows (5) of joint j: h/2 ((A_n + A_{n+1}) v+ - b_n - b_{n+1}) into phi, and on request their blocks, for which
// d(A v - b)/dq at q_{n+1} is needed.
static void assemble_slips(variational *s, double h, int j, bool blocks)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count, bodies = joint->body_count;
    double y[JOINT_ROWS_MAX] = {0}, b[JOINT_ROWS_MAX], S[6 * JOINT_ROWS_MAX * JOINT_BODIES_MAX];
    double *there = s->there.B + s->kkt.joints[j].B;
    const double *here = s->here.B + s->kkt.joints[j].B;
    if (!blocks) joint_jacobian(joint, &s->there.motion, there);
    for (int k = 0; k < bodies; k++) {
        const int body = joint->bodies[k];
        const body_stage *stage = &s->stage[s->model->bodies[body].moving];
        s->there.twists[body] = (ph_twist){stage->omega, stage->v};
        add_velocities(here + 6 * rows * k, rows, 0.5, stage, y);
        add_velocities(there + 6 * rows * k, rows, 0.5, stage, y);
    }
    if (joint_wanted_rates(joint, &s->here.motion, b))
        for (int r = 0; r < rows; r++) y[r] -= 0.5 * b[r];
    if (joint_wanted_rates(joint, &s->there.motion, b))
        for (int r = 0; r < rows; r++) y[r] -= 0.5 * b[r];
    if (blocks) joint_slopes(joint, &s->there.motion, S);
    for (int r = 0; r < rows; r++) {
        if (!joint_row_is_slip(joint, r)) continue;
        s->phi[joint->first_row + r] = h * y[r];
        for (int k = 0; blocks && k < bodies; k++) {
            const int at = 6 * (rows * k + r);
            put_slip(here + at, there + at, S + at, h, &s->stage[s->model->bodies[joint->bodies[k]].moving].turn.T,
                     rows, kkt_lower(&s->kkt, j, k) + r);
        }
    }
}

SMALL_INLINE void assemble_rows(variational *s, double rate, int j, int rows, bool blocks)
{
    const joint *joint = &s->model->joints[j];
    double *phi = s->phi + joint->first_row, *x = kkt_joint_x(&s->kkt, j);
    joint_residual(joint, &s->there.motion, phi);
    if (blocks) joint_jacobian(joint, &s->there.motion, s->there.B + s->kkt.joints[j].B);
    assemble_slots(s, j, rows, blocks);
    if (joint->slips) assemble_slips(s, -1.0 / rate, j, blocks);
    for (int r = 0; r < rows; r++) x[r] = rate * phi[r];
}

static void assemble_joint(variational *s, double h, int j, bool blocks)
{
    const double rate = -1.0 / h;
    const int rows = s->model->joints[j].row_count;
    switch (rows) { // literal sizes unroll
    case 3:
        assemble_rows(s, rate, j, 3, blocks);
        break;
    case 5:
        assemble_rows(s, rate, j, 5, blocks);
        break;
    default:
        assemble_rows(s, rate, j, rows, blocks);
        break;
    }
}

enum { STALLED_MOST = 12 }; // iterations that are spent on joints which rounding keeps open

// Sizes of an update and of the unknowns, turns times the length of the model, and how far the bodies are from the origin.
typedef struct sizes {
    double update, all, reach;
} sizes;

// Adds the solution to the unknowns.
static sizes add_solution(variational *s)
{
    const double unit = s->kkt.unit;
    double update = 0.0, size = 0.0, reach = unit;
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *d = kkt_body_x(&s->kkt, k);
        body_stage *stage = &s->stage[k];
        stage->omega = ph_add(stage->omega, ph_vec(d[0], d[1], d[2]));
        stage->v = ph_add(stage->v, ph_vec(d[3], d[4], d[5]));
        update =
            ph_max(ph_max(unit * ph_max_abs(ph_vec(d[0], d[1], d[2])), ph_max_abs(ph_vec(d[3], d[4], d[5]))), update);
        size = ph_max(size, ph_max(unit * ph_max_abs(stage->omega), ph_max_abs(stage->v)));
        reach = ph_max(reach, ph_max_abs(s->position[s->model->moving[k]]));
    }
    for (int j = 0; j < s->model->joint_count; j++) {
        const double *d = kkt_joint_x(&s->kkt, j);
        double *lambda = s->lambda + s->model->joints[j].first_row;
        for (int r = 0; r < s->model->joints[j].row_count; r++) lambda[r] += d[r];
    }
    return (sizes){update, ph_max(size, update), reach};
}

// Positions are rounded to DBL_EPSILON |x|, which Phi/h turns into a noise of the velocities.
static double noise_of(const sizes *x, double h)
{
    return 256.0 * DBL_EPSILON * x->reach / fabs(h);
}

// Adds the solution to the unknowns and judges it.
static newton_verdict add_update(variational *s, double h, newton *newton)
{
    const sizes x = add_solution(s);
    const bool refines = s->kkt.extra && newton->iterations == 0; // unlike bodies: the second update mends the first
    const newton_verdict verdict = newton_judge(newton, x.update, x.all, refines ? 0.0 : noise_of(&x, h));
    if (!newton->stalled) return verdict;
    if (node_is_closed(s->model, &s->kkt, s->phi, x.reach)) return NEWTON_DONE;
    return newton->iterations < STALLED_MOST ? NEWTON_GO_ON : verdict;
}

ph_status variational_fail(const variational *s, ph_status status, ph_step_report *report, const char *advice)
{
    report->worst_row = -1.0;
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++) {
            const double size = fabs(s->phi[s->model->joints[j].first_row + r]);
            if (!(size <= report->worst_row)) report->worst_row = size, report->worst_joint = j;
        }
    report->advice = advice;
    return status;
}

bool variational_turns_too_far(const variational *s, double h)
{
    const double furthest = half_turn * half_turn, h2 = h * h;
    bool too_far = false;
    for (int k = 0; k < s->model->moving_count; k++) too_far = too_far || h2 * ph_norm2(s->stage[k].omega) > furthest;
    return too_far;
}

// Those of rotors.
static void assemble_rotors(variational *s, double rate, matrix matrix)
{
    for (int n = 0; n < s->model->rotor_count; n++) {
        const elimination_rotor *r = &s->kkt.tree->rotors[n];
        const joint *j = &s->model->joints[r->joint];
        if (r->limb < 0) continue;
        if (matrix == MATRIX_KEPT)
            s->phi[r->model_row] = joint_rotor_off(j, s->there.frames, joint_coordinate_nearly(j, &s->there.motion, 0));
        kkt_joint_x(&s->kkt, r->joint)[r->row] = rate * s->phi[r->model_row];
    }
}

// The rows of (2) by grips. Where the matrix is kept, so are those that it was made with.
static void assemble_limbs(variational *s, double h, matrix matrix)
{
    const double rate = -1.0 / h;
    if (matrix == MATRIX_TREE) node_set_grips(&s->kkt, &s->there, s->phi);
    for (int i = 0; i < s->kkt.tree->limb_count; i++) {
        const limb *l = &s->kkt.tree->limbs[i];
        if (l->joint < 0) continue;
        double *phi = s->phi + l->model_row, *x = kkt_joint_x(&s->kkt, l->joint);
        if (matrix == MATRIX_KEPT) joint_residual(&s->model->joints[l->joint], &s->there.motion, phi);
        for (int r = 0; r < l->rows; r++) x[r] = rate * phi[r];
    }
    assemble_rotors(s, rate, matrix);
    for (int k = 0; k < kkt_row_joint_count(&s->kkt); k++)
        assemble_rows(s, rate, kkt_row_joint(&s->kkt, k), s->model->joints[kkt_row_joint(&s->kkt, k)].row_count, false);
    if (matrix != MATRIX_TREE || !s->kkt.closing) return;
    node_set_closing(s->model, &s->kkt, &s->there);
    closing_put(s->kkt.closing, s->weight, s->here.B, s->there.B, &s->stage[0].turn.T, sizeof *s->stage);
}

// Residuals and, unless it is kept, the matrix of (1) and (2) at the unknowns as they are, factored. false: singular.
static bool assemble(variational *s, const ph_state *state, double h, matrix matrix)
{
    if (matrix == MATRIX_ROWS && !(node_need_rows(&s->kkt, &s->here) && node_need_rows(&s->kkt, &s->there)))
        return false;
    if (matrix == MATRIX_ROWS && !s->with_rows) node_set_jacobian(s->model, &s->kkt, &s->here);
    if (matrix == MATRIX_TREE) elimination_place(s->kkt.tree, &s->here.grips, &s->there.grips, s->weight);
    assemble_bodies(s, state, h, matrix);
    if (s->rule->assemble) s->rule->assemble(s, h, matrix != MATRIX_KEPT);
    if (matrix == MATRIX_TREE || (matrix == MATRIX_KEPT && s->kkt.by_tree))
        assemble_limbs(s, h, matrix);
    else
        for (int j = 0; j < s->model->joint_count; j++) assemble_joint(s, h, j, matrix == MATRIX_ROWS);
    if (matrix == MATRIX_KEPT) return true;
    if (matrix == MATRIX_ROWS) return kkt_factor(&s->kkt);
    if (s->rule->assemble) put_limbs(s);
    return kkt_factor_tree(&s->kkt) || assemble(s, state, h, MATRIX_ROWS);
}

// The update of the unknowns as they are, into s->kkt.x.
static ph_status find_update(variational *s, const ph_state *state, double h, bool kept, ph_step_report *report)
{
    if (!assemble(s, state, h, kept ? MATRIX_KEPT : kkt_goes_by_tree(&s->kkt) ? MATRIX_TREE : MATRIX_ROWS))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular here; try a smaller step");
    if (s->kkt.by_tree)
        kkt_solve_under(&s->kkt, s->lambda);
    else
        kkt_solve(&s->kkt);
    return PH_OK;
}

ph_status variational_improve(variational *s, const ph_state *state, double h, bool kept, double *update,
                              ph_step_report *report)
{
    const ph_status status = find_update(s, state, h, kept, report);
    if (status != PH_OK) return status;
    const sizes x = add_solution(s);
    const double noise = noise_of(&x, h);
    *update = x.update <= noise ? 0.0 : x.update;
    report->iterations++;
    report->residual = x.all > 0.0 ? x.update / x.all : 0.0;
    return isfinite(x.update) ? PH_OK : variational_fail(s, PH_NO_CONVERGENCE, report, scheme_advise_shorter(s->model));
}

ph_status variational_solve(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    newton newton = {.tolerance = s->settings.tolerance,
                     .max_iterations = s->settings.max_iterations,
                     .plain = !s->kkt.has_loops && s->model->joint_count > 0, // free bodies have no rounding of rows
                     .chords = s->chords,
                     .accept = s->accept,
                     .curvature = s->kkt.extra ? 0.0 : s->curvature};
    newton_verdict verdict = NEWTON_GO_ON;
    while (verdict == NEWTON_GO_ON) {
        const ph_status status = find_update(s, state, h, newton.chord, report);
        if (status != PH_OK) return status;
        verdict = add_update(s, h, &newton);
        report->iterations = newton.iterations;
        report->residual = newton.size;
    }
    s->curvature = newton.curvature;
    if (verdict == NEWTON_FAILED || variational_turns_too_far(s, h))
        return variational_fail(s, PH_NO_CONVERGENCE, report, scheme_advise_shorter(s->model));
    return PH_OK;
}

// ---- The limit of a rule --------------------------------------------------------------------------------------------

static double fastest_turn(const ph_model *model, const ph_state *state)
{
    double fastest = 0.0;
    for (int k = 0; k < model->moving_count; k++)
        fastest = ph_max(fastest, ph_norm(state->angular_velocity[model->moving[k]]));
    return fastest;
}

ph_status variational_explain(variational *s, const ph_state *state, double h, double limit, variational_trial works,
                              void *self, ph_status status, ph_step_report *report)
{
    const double turned = fastest_turn(s->model, state) * fabs(h);
    double good = 0.5 * limit / turned, bad = 1.0; // as parts of h
    if (!(limit > 0.0 && turned > 0.5 * limit) || !works(self, state, good * h)) return status;
    while (bad - good > 1e-4 * good) {
        const double middle = 0.5 * (good + bad);
        *(works(self, state, middle * h) ? &good : &bad) = middle;
    }
    snprintf(s->advice, sizeof s->advice,
             "a body turns by |omega| h = %.3g in this step, the scheme follows to about %.3g; the largest step that "
             "works here is %.6g",
             turned, limit, 0.9999 * good * h);
    report->advice = s->advice;
    report->worst_joint = PH_NONE;
    return PH_NO_CONVERGENCE;
}
