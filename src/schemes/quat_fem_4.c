// The quaternion time finite element of degree 2: q(t) and x(t) are parabolas through the nodes at the start, the middle and
// the end of a step, |q| = 1 and the joints hold at these nodes, order 4. What Xu and Zhong 2014 do with straight lines.
//
// With S the kinetic action of the parabolas (quadratic_element.h for turns; m/(6h) (7, -8, 1; -8, 16, -8; 1, -8, 7) for the
// centre of mass) and Simpson's rule for the forces Q, the discrete principle of Lagrange and d'Alembert is
//
//     p_n + h/6 Q_n     - B_n^T mu_n     + dS/dq_n     = 0                                                        (1)
//           2h/3 Q_m    - B_m^T mu_m     + dS/dq_m     = 0                                                        (2)
//     Phi(q_m) = 0,   Phi(q_{n+1}) = 0                                                                            (3)
//     p_{n+1} = dS/dq_{n+1} + h/6 Q_{n+1} - B_{n+1}^T mu_{n+1},   B v_{n+1} = 0                                   (4)
//
// The parabola leaves the constraints between the nodes by a multiple of tau (tau - 1/2) (tau - 1), whose integral is zero:
// that is why constraints at three nodes are enough for order 4.
//
// Newton's method on (1) to (3) with the exact derivatives of S and Phi; those of forces and of B^T mu, smaller by h^2, are
// left out, so that it converges linearly. All turns and moves of the step leave S as it is, so dS/dq_{n+1} is the sum of
// the other two seen from there: momentum is kept to round-off. Forces that depend on velocities take v_n, v_{n+1} and in the
// middle what both ends say of it to O(h^4); (1) to (4) are then solved again until v_{n+1} stays.
#include "dynamics/newton.h"
#include "schemes/quadratic_element.h"
#include "schemes/variational.h"

#include <string.h>

extern const ph_scheme scheme_quat_fem_4;

typedef struct parabola { // of one moving body
    quadratic_turn turn;
    ph_vec3 x_middle;
    ph_wrench start,
        middle; // momentum left of p_n by the impulses of (1); impulses of (2); (angular, body axes | linear)
    ph_vec3 omega_end, v_end;
} parabola;

typedef struct quat_fem_4 {
    variational *stages; // nodes, stage 2
    node middle;
    block_lu lu; // of (1) to (3)
    double *x;
    parabola *bodies;
    ph_vec3 *position; // in the middle, by body
    ph_quat *orientation;
    double *mu;  // mu_m; mu_n is stages->lambda
    double *phi; // residual rows of the middle
    bool kept;   // the factor is of this step, and good enough
} quat_fem_4;

// ---- Life -----------------------------------------------------------------------------------------------------------

// Nodes of the matrix: the bodies in the middle, where (2) stands, and at the end, where (1) stands; the joints at both.
static int body_node(const quat_fem_4 *s, int by, int k)
{
    return by * s->stages->model->moving_count + k;
}

static int joint_node(const quat_fem_4 *s, int by, int j)
{
    const ph_model *model = s->stages->model;
    return 2 * model->moving_count + by * model->joint_count + j;
}

static int list_edges(const quat_fem_4 *s, int (*edges)[2])
{
    const ph_model *model = s->stages->model;
    int count = 0;
    for (int k = 0; k < model->moving_count; k++, count++) {
        edges[count][0] = body_node(s, BY_MIDDLE, k);
        edges[count][1] = body_node(s, BY_END, k);
    }
    for (int by = BY_MIDDLE; by <= BY_END; by++)
        for (int j = 0; j < model->joint_count; j++)
            for (int k = 0; k < model->joints[j].body_count && model->joints[j].row_count > 0; k++, count++) {
                edges[count][0] = body_node(s, by, model->bodies[model->joints[j].bodies[k]].moving);
                edges[count][1] = joint_node(s, by, j);
            }
    return count;
}

static bool make_matrix(quat_fem_4 *s)
{
    const ph_model *model = s->stages->model;
    arena *memory = s->stages->memory;
    const int bodies = 2 * model->moving_count, count = bodies + 2 * model->joint_count;
    const size_t most = (size_t)model->moving_count + 2 * JOINT_BODIES_MAX * (size_t)model->joint_count + 1;
    int *size = arena_alloc_array(memory, (size_t)count + 1, sizeof(int));
    bool *is_constraint = arena_alloc_array(memory, (size_t)count + 1, sizeof(bool));
    bool *is_rotor = arena_alloc_array(memory, (size_t)count + 1, sizeof(bool));
    int(*edges)[2] = arena_alloc_array(memory, most, sizeof *edges);
    if (!size || !is_constraint || !is_rotor || !edges) return false;
    for (int k = 0; k < count; k++) {
        is_constraint[k] = k >= bodies;
        is_rotor[k] = k < bodies && body_is_rotor(&model->bodies[model->moving[k % model->moving_count]]);
        size[k] = is_constraint[k] ? model->joints[(k - bodies) % model->joint_count].row_count : 6;
    }
    const block_graph graph = {.node_count = count,
                               .size = size,
                               .is_constraint = is_constraint,
                               .is_rotor = is_rotor,
                               .edge_count = list_edges(s, edges),
                               .edges = (const int(*)[2])edges};
    if (!block_lu_create(&graph, memory, &s->lu)) return false;
    s->x = arena_alloc_array(memory, (size_t)s->lu.x_count + 1, sizeof(double));
    return s->x != NULL;
}

static bool make_room(quat_fem_4 *s)
{
    const ph_model *model = s->stages->model;
    arena *memory = s->stages->memory;
    const size_t places = model_places(model), rows = (size_t)model->row_count + 1;
    s->bodies = arena_alloc_array(memory, places, sizeof *s->bodies);
    s->position = arena_alloc_array(memory, places, sizeof *s->position);
    s->orientation = arena_alloc_array(memory, places, sizeof *s->orientation);
    s->mu = arena_alloc_array(memory, rows, sizeof(double));
    s->phi = arena_alloc_array(memory, rows, sizeof(double));
    if (!s->bodies || !s->position || !s->orientation || !s->mu || !s->phi) return false;
    memcpy(s->position, s->stages->position, places * sizeof *s->position); // of bodies that cannot move
    memcpy(s->orientation, s->stages->orientation, places * sizeof *s->orientation);
    return node_create(model, &s->stages->kkt, memory, &s->middle) && make_matrix(s);
}

static void destroy(void *self)
{
    variational_destroy(((quat_fem_4 *)self)->stages);
}

static ph_status refuse_rolling(const ph_model *model, ph_error *error)
{
    for (int j = 0; j < model->joint_count; j++)
        if (model->joints[j].slips)
            return error_set(error, PH_NOT_SUPPORTED,
                             "scheme 'quat-fem-4' knows no rows of velocities, which joint '%s' (%s) has; use quat-fem "
                             "or rattlie",
                             model->joints[j].name, model->joints[j].type->name);
    return PH_OK;
}

static const variational_rule rule = {.rotation = rotation_geodesic};

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    void *stages = NULL;
    ph_status status = refuse_rolling(model, error);
    if (status == PH_OK) status = variational_create(model, &scheme_quat_fem_4, settings, &rule, &stages, error);
    if (status != PH_OK) return status;
    quat_fem_4 *s = arena_alloc(((variational *)stages)->memory, sizeof *s);
    if (s) *s = (quat_fem_4){.stages = stages};
    if (!s || !variational_keep_rows(stages) || !make_room(s)) { // nodes have their Jacobians, for the matrix of both
        variational_destroy(stages);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = s;
    return PH_OK;
}

// ---- Unknowns -------------------------------------------------------------------------------------------------------

// From the velocities of the state and the multipliers of the last step.
static void guess(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const ph_vec3 f = ph_scale(h, state->angular_velocity[b]);
        s->bodies[k] = (parabola){.turn = {ph_quat_exp(ph_scale(0.5, f)), ph_quat_exp(f)},
                                  .x_middle = ph_madd(state->position[b], 0.5 * h, state->velocity[b]),
                                  .omega_end = state->angular_velocity[b],
                                  .v_end = state->velocity[b]};
        v->position[b] = ph_madd(state->position[b], h, state->velocity[b]);
    }
    for (int j = 0; j < v->model->joint_count; j++)
        for (int r = 0; r < v->model->joints[j].row_count; r++) {
            const int at = v->model->joints[j].first_row + r;
            const double h_lambda = kkt_left_out(&v->kkt, j) >> r & 1u ? 0.0 : state->multipliers[at];
            v->lambda[at] = h_lambda / 6.0;
            s->mu[at] = 2.0 / 3.0 * h_lambda;
        }
}

// The Jacobian of all joints, and what trees have beside it.
static void grip_joints(const variational *v, node *at)
{
    node_set_jacobian(v->model, &v->kkt, at);
    if (v->kkt.tree) node_set_grips(&v->kkt, at, NULL);
}

// Both nodes at the unknowns as they are.
static void place(quat_fem_4 *s, const ph_state *state)
{
    variational *v = s->stages;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const parabola *p = &s->bodies[k];
        s->orientation[b] = ph_quat_polish(ph_quat_mul(state->orientation[b], p->turn.to_middle));
        s->position[b] = p->x_middle;
        v->orientation[b] = ph_quat_polish(ph_quat_mul(state->orientation[b], p->turn.to_end));
    }
    node_set_frames(v->model, s->position, s->orientation, &s->middle);
    node_set_frames(v->model, v->position, v->orientation, &v->there);
    grip_joints(v, &s->middle);
}

static void set_middle_twists(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const parabola *p = &s->bodies[k];
        const ph_vec3 chord = ph_scale(1.5 / h, ph_sub(v->position[b], state->position[b]));
        s->middle.twists[b] = (ph_twist){quadratic_velocity(&p->turn, h, state->angular_velocity[b], p->omega_end),
                                         ph_madd(chord, -0.25, ph_add(state->velocity[b], p->v_end))};
    }
}

// The momenta that the impulses of (1) leave and those of (2); stages->stage is room for them.
static void set_impulses(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    const ph_model *model = v->model;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        v->stage[k].momentum =
            ph_madd(ph_mul(model->bodies[b].kind->J, state->angular_velocity[b]), h / 6.0, v->here.Q[b].torque);
        v->stage[k].impulse = ph_scale(h / 6.0, v->here.Q[b].force);
    }
    variational_apply(v, &v->here, 1.0, v->lambda);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        s->bodies[k].start = (ph_wrench){v->stage[k].momentum, v->stage[k].impulse};
        v->stage[k].momentum = ph_scale(2.0 * h / 3.0, s->middle.Q[b].torque);
        v->stage[k].impulse = ph_scale(2.0 * h / 3.0, s->middle.Q[b].force);
    }
    variational_apply(v, &s->middle, 1.0, s->mu);
    for (int k = 0; k < model->moving_count; k++)
        s->bodies[k].middle = (ph_wrench){v->stage[k].momentum, v->stage[k].impulse};
}

// ---- Newton's method ------------------------------------------------------------------------------------------------

static double *x_of(quat_fem_4 *s, int node)
{
    return s->x + s->lu.pivots[s->lu.position[node]].x;
}

// (1) and (2) of body k
static void put_body_residual(quat_fem_4 *s, const ph_state *state, double h, int k)
{
    const variational *v = s->stages;
    const int b = v->model->moving[k], middle = body_node(s, BY_MIDDLE, k), end = body_node(s, BY_END, k);
    const body_kind *kind = v->model->bodies[b].kind;
    const parabola *p = &s->bodies[k];
    const ph_vec3 X = ph_sub(p->x_middle, state->position[b]), Y = ph_sub(v->position[b], state->position[b]);
    const double rate = kind->mass / (3.0 * h);
    const ph_vec3 p_n = ph_scale(kind->mass, state->velocity[b]);
    ph_vec3 turns[2];
    quadratic_slopes(&kind->J, &p->turn, h, turns);
    node_put_vectors(x_of(s, end), ph_neg(ph_add(p->start.torque, turns[AT_START])),
                     ph_neg(ph_add3(p_n, p->start.force, ph_scale(rate, ph_madd(Y, -8.0, X)))));
    node_put_vectors(x_of(s, middle), ph_neg(ph_add(p->middle.torque, turns[AT_MIDDLE])),
                     ph_neg(ph_madd(p->middle.force, rate, ph_madd(ph_scale(16.0, X), -8.0, Y))));
}

static void put_block(quat_fem_4 *s, int row, int column, const ph_mat3 *turn, double mass)
{
    node_put_body(s->lu.values + block_lu_block(&s->lu, row, column), turn, mass);
}

// The derivatives of these by h^-1 times its moves.
static void put_body_blocks(quat_fem_4 *s, int k)
{
    const variational *v = s->stages;
    const int middle = body_node(s, BY_MIDDLE, k), end = body_node(s, BY_END, k);
    const body_kind *kind = v->model->bodies[v->model->moving[k]].kind;
    ph_mat3 K[2][2];
    quadratic_blocks(&kind->J, &s->bodies[k].turn, K);
    put_block(s, end, end, &K[AT_START][BY_END], kind->mass / 3.0);
    put_block(s, end, middle, &K[AT_START][BY_MIDDLE], -8.0 / 3.0 * kind->mass);
    put_block(s, middle, end, &K[AT_MIDDLE][BY_END], -8.0 / 3.0 * kind->mass);
    put_block(s, middle, middle, &K[AT_MIDDLE][BY_MIDDLE], 16.0 / 3.0 * kind->mass);
}

// The rows (3) of joint j at one of both nodes
static void put_joint_residual(quat_fem_4 *s, double h, int j, int by)
{
    const variational *v = s->stages;
    const joint *joint = &v->model->joints[j];
    const node *at = by == BY_END ? &v->there : &s->middle;
    double *phi = (by == BY_END ? v->phi : s->phi) + joint->first_row, *x = x_of(s, joint_node(s, by, j));
    joint_residual(joint, &at->motion, phi);
    for (int r = 0; r < joint->row_count; r++) x[r] = -phi[r] / h;
}

// Their derivatives, and where their impulses act.
static void put_joint_blocks(quat_fem_4 *s, int j, int by)
{
    const variational *v = s->stages;
    const joint *joint = &v->model->joints[j];
    const int rows = joint->row_count, row = joint_node(s, by, j);
    const node *at = by == BY_END ? &v->there : &s->middle, *acts = by == BY_END ? &v->here : &s->middle;
    for (int k = 0; k < joint->body_count && rows > 0; k++) {
        const int body = body_node(s, by, v->model->bodies[joint->bodies[k]].moving);
        const int from = v->kkt.joints[j].B + 6 * rows * k;
        double *upper = s->lu.values + block_lu_block(&s->lu, body, row);
        double *lower = s->lu.values + block_lu_block(&s->lu, row, body);
        for (int e = 0; e < 6 * rows; e++) upper[e] = -acts->B[from + e];
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 6; c++) lower[c * rows + r] = at->B[from + 6 * r + c];
    }
}

static bool factor(quat_fem_4 *s)
{
    variational *v = s->stages;
    node_set_jacobian(v->model, &v->kkt, &v->there);
    for (int k = 0; k < v->model->moving_count; k++) put_body_blocks(s, k);
    for (int j = 0; j < v->model->joint_count; j++)
        for (int by = BY_MIDDLE; by <= BY_END; by++) {
            put_joint_blocks(s, j, by);
            s->lu.mask[s->lu.position[joint_node(s, by, j)]] = (unsigned char)kkt_left_out(&v->kkt, j);
        }
    block_lu_clear(&s->lu);
    return block_lu_factor(&s->lu);
}

static bool assemble(quat_fem_4 *s, const ph_state *state, double h)
{
    const variational *v = s->stages;
    if (!s->kept && !factor(s)) return false;
    for (int k = 0; k < v->model->moving_count; k++) put_body_residual(s, state, h, k);
    for (int j = 0; j < v->model->joint_count; j++)
        for (int by = BY_MIDDLE; by <= BY_END; by++) put_joint_residual(s, h, j, by);
    return true;
}

static double size_of(ph_vec3 turn, ph_vec3 move, double unit)
{
    return ph_max(unit * ph_max_abs(turn), ph_max_abs(move));
}

// Adds the solution to the unknowns of body k; returns its size, as velocities.
static double update_body(quat_fem_4 *s, double h, int k)
{
    variational *v = s->stages;
    parabola *p = &s->bodies[k];
    const double *m = x_of(s, body_node(s, BY_MIDDLE, k)), *e = x_of(s, body_node(s, BY_END, k));
    const ph_vec3 turn_m = ph_vec(m[0], m[1], m[2]), turn_e = ph_vec(e[0], e[1], e[2]);
    const ph_vec3 move_m = ph_vec(m[3], m[4], m[5]), move_e = ph_vec(e[3], e[4], e[5]);
    ph_vec3 *end = &v->position[v->model->moving[k]];
    p->turn.to_middle = ph_quat_unit(ph_quat_mul(p->turn.to_middle, ph_quat_exp(ph_scale(h, turn_m))));
    p->turn.to_end = ph_quat_unit(ph_quat_mul(p->turn.to_end, ph_quat_exp(ph_scale(h, turn_e))));
    p->x_middle = ph_madd(p->x_middle, h, move_m);
    *end = ph_madd(*end, h, move_e);
    return ph_max(size_of(turn_m, move_m, v->kkt.unit), size_of(turn_e, move_e, v->kkt.unit));
}

// The matrix is kept where its first update is small, and while updates shrink as fast as this, from pass to pass too: what is
// left out of it makes them shrink by a factor, however new it is.
static const double KEPT_BELOW = 0.1, KEPT_WHILE = 0.1;

enum { STALLED_MOST = 12 }; // iterations that are spent on joints which rounding keeps open

static newton_verdict add_update(quat_fem_4 *s, const ph_state *state, double h, newton *newton)
{
    variational *v = s->stages;
    double update = 0.0, size = 0.0, reach = v->kkt.unit;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        update = ph_max(update, update_body(s, h, k));
        const ph_vec3 way = ph_scale(1.0 / h, ph_sub(v->position[b], state->position[b]));
        size = ph_max(size, size_of(state->angular_velocity[b], ph_vec(ph_max_abs(way), 0.0, 0.0), v->kkt.unit));
        reach = ph_max(reach, ph_max_abs(v->position[b]));
    }
    for (int j = 0; j < v->model->joint_count; j++) {
        const double *start = x_of(s, joint_node(s, BY_END, j)), *middle = x_of(s, joint_node(s, BY_MIDDLE, j));
        for (int r = 0; r < v->model->joints[j].row_count; r++) {
            v->lambda[v->model->joints[j].first_row + r] += start[r];
            s->mu[v->model->joints[j].first_row + r] += middle[r];
        }
    }
    s->kept = update <= (newton->iterations == 0 ? KEPT_BELOW * size : KEPT_WHILE * newton->last);
    const double scale = ph_max(size, update), noise = 64.0 * DBL_EPSILON * reach / fabs(h);
    const newton_verdict verdict = newton_judge(newton, update, scale, noise);
    if (update <= noise) return NEWTON_DONE;
    if (!newton->stalled) return verdict;
    if (node_is_closed(v->model, &v->kkt, v->phi, reach) && node_is_closed(v->model, &v->kkt, s->phi, reach))
        return NEWTON_DONE;
    return newton->iterations < STALLED_MOST ? NEWTON_GO_ON : verdict;
}

// Half a turn in a step is as far as the way is clear.
static bool turns_too_far(const quat_fem_4 *s)
{
    bool too_far = false;
    for (int k = 0; k < s->stages->model->moving_count; k++) too_far = too_far || !(s->bodies[k].turn.to_end.w > 0.0);
    return too_far;
}

static const char too_strong[] =
    "forces that depend on velocities (dampers, friction) may be too strong for this scheme; try a smaller step, or rattlie";

// (1) to (3), where the forces of the middle take the velocities as they are known. `accept`: relative error that may be left.
static ph_status solve(quat_fem_4 *s, const ph_state *state, double h, double accept, ph_step_report *report)
{
    variational *v = s->stages;
    newton newton = {.tolerance = ph_max(v->settings.tolerance, accept),
                     .max_iterations = 2 * v->settings.max_iterations,
                     .linear = true,
                     .accept = accept};
    newton_verdict verdict = NEWTON_GO_ON;
    while (verdict == NEWTON_GO_ON) {
        place(s, state);
        set_middle_twists(s, state, h);
        node_set_forces(v->model, &s->middle);
        set_impulses(s, state, h);
        if (!assemble(s, state, h)) {
            const bool away = newton.iterations > 0 && v->needs_velocity;
            return away ? variational_fail(v, PH_NO_CONVERGENCE, report, too_strong)
                        : variational_fail(v, PH_SINGULAR, report, "the constraints are singular here");
        }
        block_lu_solve(&s->lu, s->x);
        verdict = add_update(s, state, h, &newton);
        report->iterations++;
        report->residual = newton.size;
    }
    if (verdict == NEWTON_FAILED)
        return variational_fail(v, PH_NO_CONVERGENCE, report,
                                v->needs_velocity ? too_strong : scheme_advise_shorter(v->model));
    if (turns_too_far(s))
        return variational_fail(v, PH_NO_CONVERGENCE, report,
                                "a body makes half a turn in this step; try a smaller one");
    return variational_check_left_out(v, report);
}

// ---- The end of the step --------------------------------------------------------------------------------------------

// The configuration and the momenta that the impulses ask for: X = h (8 P + I)/16m and Y = h (P + I/2)/m, P the momentum that
// (1) leaves and I the impulse of (2).
static void settle(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    set_impulses(s, state, h);
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const double m = v->model->bodies[b].kind->mass;
        parabola *p = &s->bodies[k];
        const ph_vec3 P = ph_madd(p->start.force, m, state->velocity[b]), I = p->middle.force;
        p->x_middle = ph_add(state->position[b], ph_scale(h / (16.0 * m), ph_madd(I, 8.0, P)));
        v->position[b] = ph_add(state->position[b], ph_scale(h / m, ph_madd(P, 0.5, I)));
        const ph_vec3 all = ph_add(p->start.torque, ph_quat_rotate(p->turn.to_middle, p->middle.torque));
        v->stage[k].momentum = ph_quat_rotate(ph_quat_conj(p->turn.to_end), all);
        v->stage[k].impulse = ph_add(p->start.force, I);
    }
    place(s, state);
    grip_joints(v, &v->there);
}

// Q at the end. What depends on the velocity there is found together with it.
static bool push_end(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    const ph_model *model = v->model;
    bool good = true;
    for (int k = 0; k < model->moving_count; k++)
        v->there.twists[model->moving[k]] = (ph_twist){s->bodies[k].omega_end, s->bodies[k].v_end};
    if (v->needs_velocity) {
        for (int k = 0; k < model->moving_count; k++) {
            const int b = model->moving[k];
            node_put_vectors(v->momentum + 6 * k, v->stage[k].momentum,
                             ph_madd(v->stage[k].impulse, model->bodies[b].kind->mass, state->velocity[b]));
        }
        good = damped_solve(model, &v->damped, v->momentum, h / 3.0, &v->there);
    } else {
        node_set_forces(model, &v->there);
    }
    for (int k = 0; k < model->moving_count; k++) {
        const ph_wrench *Q = &v->there.Q[model->moving[k]];
        v->stage[k].momentum = ph_madd(v->stage[k].momentum, h / 6.0, Q->torque);
        v->stage[k].impulse = ph_madd(v->stage[k].impulse, h / 6.0, Q->force);
    }
    return good;
}

static const char singular_at_end[] = "the constraints are singular at the end of the step";

// v_{n+1} from the momenta; returns by which part of itself it has changed, or of what forces give in a step where the joints hold them.
static double set_end_velocities(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    double change = 0.0, size = DBL_MIN;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const body_kind *kind = v->model->bodies[b].kind;
        parabola *p = &s->bodies[k];
        const ph_vec3 omega = ph_mul(kind->J_inverse, v->stage[k].momentum);
        const ph_vec3 end = ph_madd(state->velocity[b], 1.0 / kind->mass, v->stage[k].impulse);
        change = ph_max(change, size_of(ph_sub(omega, p->omega_end), ph_sub(end, p->v_end), v->kkt.unit));
        size = ph_max(size, size_of(omega, end, v->kkt.unit));
        const ph_wrench *Q = &v->there.Q[b];
        const ph_vec3 spun = ph_mul(kind->J_inverse, Q->torque), pushed = ph_scale(1.0 / kind->mass, Q->force);
        size = ph_max(size, fabs(h) * size_of(spun, pushed, v->kkt.unit));
        p->omega_end = omega;
        p->v_end = end;
    }
    return change / size;
}

// (1) to (4) once, (1) to (3) as far as `accept` says; *change: of v_{n+1}.
static ph_status pass(quat_fem_4 *s, const ph_state *state, double h, double accept, ph_step_report *report,
                      double *change)
{
    variational *v = s->stages;
    const ph_status status = solve(s, state, h, accept, report);
    if (status != PH_OK) return status;
    settle(s, state, h);
    if (!push_end(s, state, h))
        return variational_fail(v, PH_NO_CONVERGENCE, report,
                                "the velocity that the dampers ask for was not found; try a smaller step");
    if (!variational_finite(v)) return variational_fail(v, PH_NOT_FINITE, report, "try a smaller step");
    if (!v->needs_velocity && !variational_factor(v, &v->there))
        return variational_fail(v, PH_SINGULAR, report, singular_at_end);
    variational_project(v, state);
    *change = set_end_velocities(s, state, h);
    return PH_OK;
}

enum { PASSES_MOST = 40 };
static const double ACCEPTED = 1e-3;

// What is left of (1) to (3) need not be less than a part of what the next velocities will change.
static ph_status find_end(quat_fem_4 *s, const ph_state *state, double h, ph_step_report *report)
{
    variational *v = s->stages;
    double change = 1.0, before = 1.0, accept = v->needs_velocity ? ACCEPTED : 0.0;
    s->kept = false;
    for (int k = 0; k < PASSES_MOST; k++, before = change) {
        const ph_status status = pass(s, state, h, accept, report, &change);
        if (status != PH_OK || !v->needs_velocity) return status;
        const bool rounding = k > 0 && change > 0.5 * before && change < (k > 2 ? 1e-9 : 1e-12);
        const bool settled = change <= 1e-14 || rounding;
        if (settled && accept == 0.0)
            return variational_factor(v, &v->there) ? PH_OK : variational_fail(v, PH_SINGULAR, report, singular_at_end);
        accept = settled || change * change <= 1e-14 * before ? 0.0 : ACCEPTED * change; // is the next the last?
    }
    return variational_fail(v, PH_NO_CONVERGENCE, report, too_strong);
}

static double work(quat_fem_4 *s, const ph_state *state, double h)
{
    variational *v = s->stages;
    const ph_model *model = v->model;
    double sum = 0.0;
    if (model->motor_count > 0)
        sum = node_motor_power(model, &v->here, v->lambda) + node_motor_power(model, &s->middle, s->mu) +
              node_motor_power(model, &v->there, v->phi);
    if (!v->here.W) return sum;
    set_middle_twists(s, state, h);
    for (int k = 0; k < model->moving_count; k++)
        v->there.twists[model->moving[k]] = (ph_twist){s->bodies[k].omega_end, s->bodies[k].v_end};
    return sum + h / 6.0 *
                     (node_force_power(model, &v->here) + 4.0 * node_force_power(model, &s->middle) +
                      node_force_power(model, &v->there));
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    quat_fem_4 *s = self;
    variational *v = s->stages;
    report->iterations = 0;
    variational_enter(v, state, h);
    node_set_time(state, state->time + 0.5 * h, &s->middle);
    node_set_twists(v->model, state->angular_velocity, state->velocity, &v->here);
    node_set_forces(v->model, &v->here);
    guess(s, state, h);
    const ph_status status = find_end(s, state, h, report);
    if (status != PH_OK) {
        v->here_valid = false;
        return status;
    }
    state->work += work(s, state, h);
    variational_take_over(v, state);
    for (int r = 0; r < v->model->row_count; r++) state->multipliers[r] = 1.5 * s->mu[r];
    if (!variational_solves_stage_2(v, state))
        node_settle_velocity(v->model, &v->kkt, state->angular_velocity, state->velocity, &v->there);
    variational_go_on(v);
    v->rows_chosen = true;
    return PH_OK;
}

const ph_scheme scheme_quat_fem_4 = {
    .name = "quat-fem-4",
    .title = "Quaternion time finite element of degree 2",
    .reference = "Xu and Zhong 2014, with parabolas in place of chords",
    .aliases = "quaternion-fem-4",
    .order = 4,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM,
    .create = create,
    .step = step,
    .destroy = destroy,
};
