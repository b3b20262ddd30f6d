#include "dynamics/node.h"

#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/so3.h"
#include "model/scales.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool make_jacobian(const kkt *kkt, arena *memory, node *node)
{
    return (node->B = arena_alloc_array(memory, (size_t)kkt->B_count + 1, sizeof(double)));
}

bool node_need_rows(kkt *kkt, node *node)
{
    return kkt_need_rows(kkt) && (node->B || make_jacobian(kkt, kkt->memory, node));
}

bool node_create_with(const ph_model *model, const kkt *kkt, bool frames, bool twists, arena *memory, node *node)
{
    const size_t bodies = model_places(model), framed = frames ? bodies : 0, moving = twists ? bodies : 0;
    node->frames = arena_alloc_array(memory, framed, sizeof(frame));
    node->twists = arena_alloc_array(memory, moving, sizeof(ph_twist));
    node->Q = arena_alloc_array(memory, moving, sizeof(ph_wrench));
    node->B = NULL;
    if (!node->frames || !node->twists || !node->Q) return false;
    if (kkt->has_rows && !make_jacobian(kkt, memory, node)) return false;
    for (size_t b = 0; b < framed; b++) node->frames[b] = body_frame(&model->bodies[b]);
    if (!frames) node->frames = NULL;
    if (!twists) node->twists = NULL, node->Q = NULL;
    node->W = NULL;
    if (twists && system_does_work(model) && !(node->W = arena_alloc_array(memory, bodies, sizeof(ph_wrench))))
        return false;
    node->motion = (motion){.frames = node->frames, .twists = node->twists};
    node->without = 0;
    node->motors = NULL;
    node->angles = NULL;
    const size_t turns = (size_t)model->turn_count;
    if (turns > 0 && !(node->angles = arena_alloc_array(memory, turns, sizeof *node->angles))) return false;
    const size_t motors = (size_t)model->motor_count;
    if (motors > 0 && !(node->motors = arena_alloc_array(memory, motors, sizeof *node->motors))) return false;
    return !kkt->tree || grips_create(kkt->tree, memory, &node->grips);
}

bool node_create(const ph_model *model, const kkt *kkt, arena *memory, node *node)
{
    return node_create_with(model, kkt, true, true, memory, node);
}

// ---- Configuration, velocity, force ---------------------------------------------------------------------------------

// The expressions of motors are evaluated once for each time.
static void look_up_motors(const ph_model *model, node *node)
{
    motion *at = &node->motion;
    if (!node->motors) return;
    at->motors = NULL;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        if (it->motor) node->motors[it->motor->index] = joint_motor_target(it, at);
    }
    at->motors = node->motors;
    at->motors_time = at->time;
}

static void take_state(const ph_state *state, node *node)
{
    node->motion.inputs = state->inputs;
    node->motion.turns = state->turns;
    node->motion.angles = NULL;
    node->motion.targets = state->targets;
    node->motion.target_time = state->target_time;
}

void node_set_time(const ph_state *state, double time, node *node)
{
    node->motion.time = time;
    take_state(state, node);
    look_up_motors(state->model, node);
}

void node_keep_time(const ph_state *state, node *node)
{
    take_state(state, node);
}

void node_set_angles(const ph_model *model, node *node)
{
    if (!node->angles || !node->motion.turns) return;
    memcpy(node->angles, node->motion.turns, (size_t)model->turn_count * sizeof *node->angles);
    model_count_turns(model, node->frames, node->angles);
    node->motion.angles = node->angles;
}

void node_set_frames(const ph_model *model, const ph_vec3 *position, const ph_quat *orientation, node *node)
{
    node->motion.angles = NULL;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        node->frames[b] = (frame){ph_quat_to_mat(orientation[b]), position[b]};
    }
}

void node_set_twists(const ph_model *model, const ph_vec3 *angular_velocity, const ph_vec3 *velocity, node *node)
{
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        node->twists[b] = (ph_twist){angular_velocity[b], velocity[b]};
    }
}

void node_place_rotors(const ph_model *model, node *node)
{
    for (int i = 0; i < model->joint_count && model->rotor_count > 0; i++) {
        const joint *j = &model->joints[i];
        for (int n = 0; 3 * n < j->rotor_rows; n++) {
            const int r = j->bodies[j->slot_rotor + n];
            joint_place_rotor(j, &node->motion, n, &node->frames[r].x, &node->twists[r].v);
        }
    }
}

void node_set_jacobian(const ph_model *model, const kkt *kkt, node *node)
{
    for (int j = 0; j < model->joint_count; j++)
        joint_jacobian(&model->joints[j], &node->motion, node->B + kkt->joints[j].B);
}

void node_set_closing(const ph_model *model, const kkt *kkt, node *node)
{
    for (int k = 0; k < kkt_row_joint_count(kkt); k++) {
        const int j = kkt_row_joint(kkt, k);
        joint_jacobian(&model->joints[j], &node->motion, node->B + kkt->joints[j].B);
    }
}

void node_set_forces(const ph_model *model, node *node)
{
    system_forces_part(model, &node->motion, node->without, node->Q, node->W);
}

double node_force_power(const ph_model *model, const node *node)
{
    return node->W ? system_power_of(model, node->W, node->twists) : 0.0;
}

// ---- Solves with the mass matrix ------------------------------------------------------------------------------------

void node_put_body(double *block, const ph_mat3 *P, double m)
{
    memset(block, 0, 36 * sizeof(double));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block[6 * c + r] = P->m[r][c];
    block[21] = block[28] = block[35] = m;
}

void node_put_mass(const ph_model *model, kkt *kkt, const node *node)
{
    kkt_clear_pairs(kkt); // a stage that couples bodies by forces may have left its blocks there
    for (int k = 0; k < model->moving_count; k++) {
        const body *body = &model->bodies[model->moving[k]];
        node_put_body(kkt_body(kkt, k), &body->kind->J, body->kind->mass);
    }
    for (int j = 0; j < model->joint_count; j++) {
        const double *B = node->B + kkt->joints[j].B;
        kkt_set_joint(kkt, j, B, 1.0, B);
    }
}

bool node_factor_mass(const ph_model *model, kkt *kkt, node *node)
{
    kkt_choose_rows(kkt, node->frames, node->B);
    return node_factor_kept(model, kkt, node);
}

void node_put_tree(const ph_model *model, kkt *kkt, const node *node)
{
    elimination_place(kkt->tree, &node->grips, &node->grips, 1.0);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body_kind *kind = model->bodies[b].kind;
        elimination_put_body(kkt->tree, k, &kind->J, kind->mass, NULL, &node->frames[b]);
    }
    if (kkt->closing) closing_put(kkt->closing, 1.0, node->B, node->B, NULL, 0);
}

bool node_factor_kept(const ph_model *model, kkt *kkt, node *node)
{
    if (kkt_goes_by_tree(kkt) && node->grips.limbs) {
        node_set_grips(kkt, node, NULL);
        node_put_tree(model, kkt, node);
        if (kkt_factor_tree(kkt)) return true;
    }
    if (!node_need_rows(kkt, node)) return false;
    node_put_mass(model, kkt, node);
    return kkt_factor(kkt);
}

static bool factor_rows(const ph_model *model, kkt *kkt, node *node)
{
    if (!node_need_rows(kkt, node)) return false;
    node_set_jacobian(model, kkt, node);
    node_put_mass(model, kkt, node);
    return kkt_factor(kkt);
}

bool node_factor_gripped(const ph_model *model, kkt *kkt, node *node)
{
    if (kkt_goes_by_tree(kkt)) {
        node_put_tree(model, kkt, node);
        if (kkt_factor_tree(kkt)) return true;
    }
    return factor_rows(model, kkt, node);
}

bool node_choose_gripped(const ph_model *model, kkt *kkt, node *node)
{
    node_put_tree(model, kkt, node);
    if (kkt_choose_tree(kkt)) return true;
    if (!node_need_rows(kkt, node)) return false;
    node_set_jacobian(model, kkt, node);
    kkt_choose_rows(kkt, node->frames, node->B);
    return node_factor_gripped(model, kkt, node);
}

bool node_factor_placed(const ph_model *model, kkt *kkt, node *node, bool keep_rows)
{
    if (kkt->tree && node->grips.limbs) {
        node_set_closing(model, kkt, node);
        node_set_grips(kkt, node, NULL);
        return keep_rows ? node_factor_gripped(model, kkt, node) : node_choose_gripped(model, kkt, node);
    }
    node_set_jacobian(model, kkt, node);
    return keep_rows ? node_factor_kept(model, kkt, node) : node_factor_mass(model, kkt, node);
}

static void put_loads(const ph_model *model, kkt *kkt, const node *node)
{
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const ph_vec3 omega = node->twists[b].omega;
        const ph_vec3 gyro = ph_cross(ph_mul(model->bodies[b].kind->J, omega), omega);
        node_put_vectors(kkt_body_x(kkt, k), ph_add(node->Q[b].torque, gyro), node->Q[b].force);
    }
    for (int j = 0; j < model->joint_count; j++) {
        double *x = kkt_joint_x(kkt, j);
        joint_bias(&model->joints[j], &node->motion, x);
        for (int r = 0; r < model->joints[j].row_count; r++) x[r] = -x[r];
    }
}

void node_accelerate(const ph_model *model, kkt *kkt, const node *node)
{
    put_loads(model, kkt, node);
    kkt_solve(kkt);
}

// x <- x - [M B^T; B 0] y, without the rows left out
static void subtract_product(const ph_model *model, kkt *kkt, const node *node, const double *y)
{
    for (int k = 0; k < model->moving_count; k++) {
        const body_kind *kind = model->bodies[model->moving[k]].kind;
        const double *a = y + kkt->body_x[k];
        double *x = kkt_body_x(kkt, k);
        const ph_vec3 turn = ph_mul(kind->J, ph_vec(a[0], a[1], a[2]));
        x[0] -= turn.x, x[1] -= turn.y, x[2] -= turn.z;
        for (int c = 3; c < 6; c++) x[c] -= kind->mass * a[c];
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        double *x = kkt_joint_x(kkt, j);
        const double *lambda = y + (x - kkt->x);
        for (int k = 0; k < joint->body_count; k++) {
            const double *B = node->B + kkt->joints[j].B + 6 * k * joint->row_count;
            const int body = model->bodies[joint->bodies[k]].moving;
            node_add_transposed(B, joint->row_count, -1.0, lambda, kkt_body_x(kkt, body));
            for (int r = 0; r < joint->row_count; r++)
                for (int c = 0; c < 6; c++) x[r] -= B[6 * r + c] * y[kkt->body_x[body] + c];
        }
        for (int r = 0; r < joint->row_count; r++)
            if (kkt_left_out(kkt, j) >> r & 1u) x[r] = 0.0;
    }
}

// How much a correction changes. `own`: each number beside itself, the largest, so that light bodies count as much as heavy
// ones. But a number that is zero, as where a loop holds a body at rest, is all error until the end: beside itself it
// changes as much as ever. So also accelerations (as moves) and multipliers (as torques) beside the largest of them.
typedef struct correction {
    double own, accelerations, multipliers;
} correction;

typedef struct largest {
    double change, sum;
} largest;

// x <- x + y for `count` numbers
static void add_to(double *x, const double *y, int count, double unit, largest *all, double *own)
{
    for (int i = 0; i < count; i++) {
        const double change = fabs(x[i]), sum = x[i] + y[i];
        if (sum != 0.0) *own = ph_max(*own, change / fabs(sum));
        all->change = ph_max(all->change, unit * change);
        all->sum = ph_max(all->sum, unit * fabs(sum));
        x[i] = sum;
    }
}

static double share(largest all)
{
    return all.sum > 0.0 ? all.change / all.sum : 0.0;
}

static correction add_solution(const ph_model *model, kkt *kkt, const double *y)
{
    largest moves = {0}, pulls = {0};
    double own = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int at = kkt->body_x[k];
        add_to(kkt->x + at, y + at, 3, kkt->unit, &moves, &own);
        add_to(kkt->x + at + 3, y + at + 3, 3, 1.0, &moves, &own);
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++) {
            const int at = kkt->joints[j].x + r;
            const double unit = joint_row_is_length(&model->joints[j], r) ? kkt->unit : 1.0;
            add_to(kkt->x + at, y + at, 1, unit, &pulls, &own);
        }
    return (correction){own, share(moves), share(pulls)};
}

static bool falls(double change, double last)
{
    return change > 1e-15 && change < 0.7 * last;
}

void node_accelerate_finely(const ph_model *model, kkt *kkt, const node *node, double *room)
{
    enum { REFINED = 12 };
    correction last = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    node_accelerate(model, kkt, node);
    for (int k = 0; k < REFINED; k++) {
        memcpy(room, kkt->x, sizeof(double) * (size_t)kkt->lu.x_count);
        put_loads(model, kkt, node);
        subtract_product(model, kkt, node, room);
        kkt_solve(kkt);
        const correction now = add_solution(model, kkt, room);
        if (k > 0 && !falls(now.own, last.own) && !falls(now.accelerations, last.accelerations) &&
            !falls(now.multipliers, last.multipliers))
            break;
        last = now;
    }
}

void node_put_motor_rates(const ph_model *model, kkt *kkt, const node *node)
{
    double wanted[JOINT_ROWS_MAX];
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint_wanted_rates(joint, &node->motion, wanted)) continue;
        for (int r = 0; r < joint->row_count; r++) kkt_joint_x(kkt, j)[r] = wanted[r];
    }
}

double node_motor_power(const ph_model *model, const node *node, const double *lambda)
{
    double power = 0.0, wanted[JOINT_ROWS_MAX];
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint_wanted_rates(joint, &node->motion, wanted)) continue;
        for (int r = 0; r < joint->row_count; r++) power -= lambda[joint->first_row + r] * wanted[r];
    }
    return power;
}

// ---- Projections ----------------------------------------------------------------------------------------------------

// What lengths of joint j are compared with: its size, and how far away its bodies are, as that is rounded.
static double length_scale(const ph_model *model, int j, const node *node)
{
    double scale = joint_size(model, &model->joints[j]);
    for (int k = 0; k < model->joints[j].body_count; k++)
        scale = ph_max(scale, ph_max_abs(node->frames[model->joints[j].bodies[k]].x));
    return scale > 0.0 ? scale : 1.0;
}

// Right-hand sides (0, -Phi); returns the largest |Phi|, of lengths relative to their scale.
static double put_residual(const ph_model *model, kkt *kkt, const node *node)
{
    double largest = 0.0;
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int j = 0; j < model->joint_count; j++) {
        const double scale = length_scale(model, j, node);
        double *x = kkt_joint_x(kkt, j);
        joint_residual(&model->joints[j], &node->motion, x);
        for (int r = 0; r < model->joints[j].row_count; r++) {
            const double whole = fabs(x[r]) / joint_row_weight(&model->joints[j], r);
            const double size = joint_row_is_length(&model->joints[j], r) ? whole / scale : whole;
            if (!(size <= largest)) largest = size;
            x[r] = -x[r];
        }
    }
    return largest;
}

bool node_project_position(const ph_model *model, kkt *kkt, ph_vec3 *position, ph_quat *orientation, node *node)
{
    enum { MOST = 20 };
    double last = (double)INFINITY;
    for (int iteration = 0; iteration < MOST; iteration++) {
        node_set_frames(model, position, orientation, node);
        if (!node_factor_placed(model, kkt, node, false)) return false;
        const double size = put_residual(model, kkt, node);
        if (size <= 1e-15 || (size >= 0.5 * last && size < 1e-10)) return true; // met, or at round-off
        if (!isfinite(size)) return false;
        last = size;
        kkt_solve(kkt);
        for (int k = 0; k < model->moving_count; k++) {
            const int b = model->moving[k];
            const double *d = kkt_body_x(kkt, k);
            orientation[b] = ph_quat_unit(ph_quat_mul(orientation[b], ph_quat_exp(ph_vec(d[0], d[1], d[2]))));
            position[b] = ph_add(position[b], ph_vec(d[3], d[4], d[5]));
        }
    }
    return false;
}

void node_project_velocity(const ph_model *model, kkt *kkt, ph_vec3 *angular_velocity, ph_vec3 *velocity,
                           const node *node)
{
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body *body = &model->bodies[b];
        node_put_vectors(kkt_body_x(kkt, k), ph_mul(body->kind->J, angular_velocity[b]),
                         ph_scale(body->kind->mass, velocity[b]));
    }
    node_put_motor_rates(model, kkt, node);
    kkt_solve(kkt);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const double *v = kkt_body_x(kkt, k);
        angular_velocity[b] = ph_vec(v[0], v[1], v[2]);
        velocity[b] = ph_vec(v[3], v[4], v[5]);
    }
    node_settle_velocity(model, kkt, angular_velocity, velocity, node);
}

// x -= B v of a joint, by its Jacobian ...
static void subtract_product_of(const joint *joint, const double *B, const ph_vec3 *angular_velocity,
                                const ph_vec3 *velocity, double *x)
{
    for (int k = 0; k < joint->body_count; k++) {
        const ph_vec3 w = angular_velocity[joint->bodies[k]], v = velocity[joint->bodies[k]];
        for (int r = 0; r < joint->row_count; r++, B += 6)
            x[r] -= B[0] * w.x + B[1] * w.y + B[2] * w.z + B[3] * v.x + B[4] * v.y + B[5] * v.z;
    }
}

// ... and by its grip
static void subtract_rates(const kkt *kkt, int j, const ph_vec3 *angular_velocity, const ph_vec3 *velocity,
                           const node *node, double *x)
{
    const limb *l = elimination_limb(kkt->tree, j);
    const int rotor = elimination_rotor_body(kkt->tree, j, l->body);
    const ph_twist own = {angular_velocity[l->body], velocity[l->body]};
    const ph_twist other = {angular_velocity[l->parent_body], velocity[l->parent_body]};
    double rates[JOINT_ROWS_MAX];
    elimination_rates(kkt->tree, &node->grips, j, &own, &other, velocity[rotor].x, rates);
    for (int r = 0; r < kkt->model->joints[j].row_count; r++) x[r] -= rates[r];
}

// Right-hand sides (0, -dPhi/dt - B v); returns the largest of the rows, as a speed.
static double put_velocity_residual(const ph_model *model, kkt *kkt, const ph_vec3 *angular_velocity,
                                    const ph_vec3 *velocity, const node *node)
{
    double largest = 0.0;
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    node_put_motor_rates(model, kkt, node);
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        double *x = kkt_joint_x(kkt, j);
        if ((kkt->by_tree || !node->B) && elimination_has_rows(kkt->tree, j))
            subtract_rates(kkt, j, angular_velocity, velocity, node, x);
        else
            subtract_product_of(joint, node->B + kkt->joints[j].B, angular_velocity, velocity, x);
        for (int r = 0; r < joint->row_count; r++)
            largest = ph_max(largest, joint_row_is_length(joint, r) ? fabs(x[r]) : kkt->unit * fabs(x[r]));
    }
    return largest;
}

bool node_velocity_fits(const ph_model *model, kkt *kkt, const ph_vec3 *angular_velocity, const ph_vec3 *velocity,
                        const node *node)
{
    double fastest = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        fastest = ph_max(fastest, ph_max(kkt->unit * ph_max_abs(angular_velocity[b]), ph_max_abs(velocity[b])));
    }
    const double miss = put_velocity_residual(model, kkt, angular_velocity, velocity, node);
    return miss <= 32.0 * DBL_EPSILON * fastest;
}

void node_settle_velocity(const ph_model *model, kkt *kkt, ph_vec3 *angular_velocity, ph_vec3 *velocity,
                          const node *node)
{
    if (node_velocity_fits(model, kkt, angular_velocity, velocity, node)) return;
    kkt_solve(kkt);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const double *d = kkt_body_x(kkt, k);
        angular_velocity[b] = ph_add(angular_velocity[b], ph_vec(d[0], d[1], d[2]));
        velocity[b] = ph_add(velocity[b], ph_vec(d[3], d[4], d[5]));
    }
}

bool node_is_closed(const ph_model *model, const kkt *kkt, const double *phi, double reach)
{
    const double rounding = 64.0 * DBL_EPSILON;
    bool closed = true;
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++) {
            const double size = fabs(phi[model->joints[j].first_row + r]);
            const double weight = joint_row_weight(&model->joints[j], r);
            const double unit = joint_row_is_length(&model->joints[j], r) ? reach : weight;
            closed = closed && (size <= rounding * unit || kkt_left_out(kkt, j) >> r & 1u);
        }
    return closed;
}
