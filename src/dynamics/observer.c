// Measures and forces of a state, the same for every scheme.
//
// Accelerations and multipliers solve the equations of motion at the state:
//
//     [ M  B^T ] [ a      ]   [ Q + gyro ]        gyro = (J Omega x Omega, 0)
//     [ B  0   ] [ lambda ] = [ -B' v    ]
//
// Where rows depend on others, lambda is not unique. The solve leaves the dependent rows d out (their lambda is zero);
// with B_d = C^T B_k in terms of the rows k kept, all solutions are (lambda_k - C z, z), and the shortest has
// (I + C^T C) z = C^T lambda_k, solved by conjugate gradients: C z and C^T y are solves with [I B^T; B 0].
#include "dynamics/observer.h"
#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

ph_status ph_observer_create(const ph_model *model, ph_observer **observer)
{
    if (!model || !observer) return PH_BAD_ARGUMENT;
    arena *memory = arena_create(&model->allocator);
    ph_observer *o = memory ? arena_alloc(memory, sizeof *o) : NULL;
    *observer = NULL;
    if (o) {
        const size_t rows = (size_t)model->row_count + 1;
        *o = (ph_observer){.model = model, .memory = memory};
        double **vectors[] = {&o->lambda, &o->z, &o->r, &o->p, &o->y, &o->first};
        bool ok = kkt_create(model, KKT_DECOUPLED, memory, &o->kkt) && node_create(model, &o->kkt, memory, &o->node);
        ok = ok && (o->left_out = arena_alloc_array(memory, rows, sizeof(bool)));
        ok = ok && (o->solution = arena_alloc_array(memory, (size_t)o->kkt.lu.x_count + 1, sizeof(double)));
        ok = ok && stress_room_create(model, memory, &o->stress);
        for (size_t k = 0; ok && k < sizeof vectors / sizeof *vectors; k++)
            ok = (*vectors[k] = arena_alloc_array(memory, rows, sizeof(double)));
        if (ok) {
            *observer = o;
            return PH_OK;
        }
    }
    arena_destroy(memory);
    return PH_OUT_OF_MEMORY;
}

void ph_observer_destroy(ph_observer *observer)
{
    if (!observer) return;
    if (observer->forget_beside) observer->forget_beside(observer->beside);
    arena_destroy(observer->memory);
}

// ---- Measures -------------------------------------------------------------------------------------------------------

void observer_set_motion(ph_observer *o, const ph_state *state)
{
    node_set_time(state, state->time, &o->node);
    node_set_frames(o->model, state->position, state->orientation, &o->node);
    node_set_twists(o->model, state->angular_velocity, state->velocity, &o->node);
    if (state->touched) node_place_rotors(o->model, &o->node);
}

// ||R^T R - I|| of R(q): for q with |q|^2 = s it is |s^2 - 1| sqrt(3), but measured on the matrix all the same
static double orthogonality(const ph_mat3 *R)
{
    const ph_mat3 E = ph_mat_sub(ph_mat_tmul(*R, *R), ph_identity());
    return ph_mat_norm(E);
}

static void measure_bodies(const ph_observer *o, ph_measures *m)
{
    for (int k = 0; k < o->model->moving_count; k++) {
        const int b = o->model->moving[k];
        const body *body = &o->model->bodies[b];
        const frame *at = &o->node.frames[b];
        const ph_twist *twist = &o->node.twists[b];
        const ph_vec3 JOmega = ph_mul(body->kind->J, twist->omega), p = ph_scale(body->kind->mass, twist->v);
        m->kinetic += 0.5 * (ph_dot(twist->omega, JOmega) + ph_dot(twist->v, p));
        if (body_is_rotor(body)) continue;
        m->linear = ph_add(m->linear, p);
        m->angular = ph_add3(m->angular, ph_mul(at->R, JOmega), ph_cross(at->x, p));
        m->orthogonality = fmax(m->orthogonality, orthogonality(&at->R));
    }
}

static double larger(double a, double b) // keeps NaN, unlike fmax
{
    return b > a || b != b ? b : a;
}

static void measure_joints(const ph_observer *o, const motion *at, ph_measures *m)
{
    for (int j = 0; j < o->model->joint_count; j++) {
        const joint *joint = &o->model->joints[j];
        double phi[JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
        joint_residual(joint, at, phi);
        joint_velocity_residual(joint, at, rate);
        for (int r = 0; r < joint->row_count; r++) {
            m->position_violation = larger(m->position_violation, fabs(phi[r]));
            m->velocity_violation = larger(m->velocity_violation, fabs(rate[r]));
        }
    }
}

void ph_observer_measure(ph_observer *o, const ph_state *state, ph_measures *measures)
{
    if (!measures) return;
    *measures = (ph_measures){0};
    if (!o || !state || state->model != o->model) return;
    observer_set_motion(o, state);
    ph_measures m = {.potential = system_potential(o->model, &o->node.motion), .work = state->work};
    ph_state_contact_work(state, &m.friction_work, &m.impact_work);
    measure_bodies(o, &m);
    measure_joints(o, &o->node.motion, &m);
    m.total = m.kinetic + m.potential - m.work;
    *measures = m;
}

// ---- Accelerations and reactions ------------------------------------------------------------------------------------

// The size of the levers in loops: what turns are measured by, so that lengths may be in any unit.
static double lever(const ph_observer *o)
{
    double longest = 0.0;
    for (int k = 0; k < o->kkt.dependent.group_count; k++) longest = larger(longest, o->kkt.dependent.groups[k].length);
    return longest > 0.0 ? longest : 1.0;
}

// [M B^T; B 0] with M = 1 for shifts and a squared length for turns, with the dependent rows found last
static bool factor_geometry(ph_observer *o)
{
    const double length = lever(o);
    const ph_mat3 turns = ph_mat_scale(length * length, ph_identity());
    for (int k = 0; k < o->model->moving_count; k++) node_put_body(kkt_body(&o->kkt, k), &turns, 1.0);
    for (int j = 0; j < o->model->joint_count; j++) {
        const double *B = o->node.B + o->kkt.joints[j].B;
        kkt_set_joint(&o->kkt, j, B, 1.0, B);
    }
    return kkt_factor(&o->kkt);
}

static int note_left_out(ph_observer *o)
{
    int count = 0;
    for (int j = 0; o->kkt.has_loops && j < o->model->joint_count; j++)
        for (int r = 0; r < o->model->joints[j].row_count; r++) {
            const bool out = kkt_left_out(&o->kkt, j) >> r & 1u;
            o->left_out[o->model->joints[j].first_row + r] = out;
            count += out;
        }
    return count;
}

// Body right-hand sides <- B^T z over the rows left out, joint right-hand sides <- y over the rows kept; then solve.
static void solve_geometry(ph_observer *o, const double *z, const double *y)
{
    memset(o->kkt.x, 0, sizeof(double) * (size_t)o->kkt.lu.x_count);
    for (int j = 0; j < o->model->joint_count; j++) {
        const joint *joint = &o->model->joints[j];
        const double *B = o->node.B + o->kkt.joints[j].B;
        for (int r = 0; r < joint->row_count; r++) {
            const int row = joint->first_row + r;
            if (!o->left_out[row]) kkt_joint_x(&o->kkt, j)[r] = y ? y[row] : 0.0;
            for (int k = 0; z && o->left_out[row] && k < joint->body_count; k++)
                node_add_transposed(B + 6 * (k * joint->row_count + r), 1, 1.0, &z[row],
                                    kkt_body_x(&o->kkt, o->model->bodies[joint->bodies[k]].moving));
        }
    }
    kkt_solve(&o->kkt);
}

// y <- C z on the rows kept, zero elsewhere
static void apply_C(ph_observer *o, const double *z, double *y)
{
    solve_geometry(o, z, NULL);
    for (int j = 0; j < o->model->joint_count; j++)
        for (int r = 0; r < o->model->joints[j].row_count; r++) {
            const int row = o->model->joints[j].first_row + r;
            y[row] = o->left_out[row] ? 0.0 : kkt_joint_x(&o->kkt, j)[r];
        }
}

// z <- C^T y on the rows left out, zero elsewhere
static void apply_Ct(ph_observer *o, const double *y, double *z)
{
    solve_geometry(o, NULL, y);
    for (int j = 0; j < o->model->joint_count; j++) {
        const joint *joint = &o->model->joints[j];
        const double *B = o->node.B + o->kkt.joints[j].B;
        for (int r = 0; r < joint->row_count; r++) {
            double sum = 0.0;
            for (int k = 0; o->left_out[joint->first_row + r] && k < joint->body_count; k++) {
                const double *w = kkt_body_x(&o->kkt, o->model->bodies[joint->bodies[k]].moving);
                for (int c = 0; c < 6; c++) sum += B[6 * (k * joint->row_count + r) + c] * w[c];
            }
            z[joint->first_row + r] = sum;
        }
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

// What rounding has taken from the forces B^T lambda goes back onto the rows kept.
static void restore(ph_observer *o)
{
    memset(o->kkt.x, 0, sizeof(double) * (size_t)o->kkt.lu.x_count);
    for (int j = 0; j < o->model->joint_count; j++) {
        const joint *joint = &o->model->joints[j];
        const double *B = o->node.B + o->kkt.joints[j].B;
        double missing[JOINT_ROWS_MAX];
        for (int r = 0; r < joint->row_count; r++)
            missing[r] = o->first[joint->first_row + r] - o->lambda[joint->first_row + r];
        for (int k = 0; k < joint->body_count; k++)
            node_add_transposed(B + 6 * k * joint->row_count, joint->row_count, 1.0, missing,
                                kkt_body_x(&o->kkt, o->model->bodies[joint->bodies[k]].moving));
    }
    kkt_solve(&o->kkt);
    for (int j = 0; j < o->model->joint_count; j++)
        for (int r = 0; r < o->model->joints[j].row_count; r++) {
            const int row = o->model->joints[j].first_row + r;
            if (!o->left_out[row]) o->lambda[row] += kkt_joint_x(&o->kkt, j)[r];
        }
}

// The shortest multipliers with the same forces.
static void shorten(ph_observer *o, int left_out)
{
    enum { RESTORED = 3 };
    const int n = o->model->row_count;
    if (!factor_geometry(o)) return;
    memcpy(o->first, o->lambda, sizeof(double) * (size_t)n);
    apply_Ct(o, o->lambda, o->r);
    memcpy(o->p, o->r, sizeof(double) * (size_t)n);
    memset(o->z, 0, sizeof(double) * (size_t)n);
    double rr = dot(o->r, o->r, n);
    const double target = 1e-30 * rr;
    for (int k = 0; k < 2 * left_out + 2 && rr > target; k++) {
        apply_C(o, o->p, o->y);
        const double curvature = dot(o->p, o->p, n) + dot(o->y, o->y, n);
        const double step = rr / curvature;
        for (int i = 0; i < n; i++) {
            o->z[i] += step * o->p[i];
            o->lambda[i] -= step * o->y[i];
        }
        apply_Ct(o, o->y, o->y);
        for (int i = 0; i < n; i++) o->r[i] -= step * (o->p[i] + o->y[i]);
        const double next = dot(o->r, o->r, n), turn = next / rr;
        for (int i = 0; i < n; i++) o->p[i] = o->r[i] + turn * o->p[i];
        rr = next;
    }
    for (int i = 0; i < n; i++)
        if (o->left_out[i]) o->lambda[i] = o->z[i];
    for (int k = 0; k < RESTORED; k++) restore(o);
}

// Reaction on body b at its anchor: the constraint force is -B^T lambda, (torque about the centre of mass, body axes |
// force, world axes). Where b cannot move, minus that on a.
static ph_wrench reaction(const ph_observer *o, int j)
{
    const joint *joint = &o->model->joints[j];
    const int slot = joint->slot_b >= 0 ? joint->slot_b : joint->slot_a, body = joint->bodies[slot];
    double w[6] = {0};
    node_add_transposed(o->node.B + o->kkt.joints[j].B + 6 * joint->row_count * slot, joint->row_count, -1.0,
                        o->lambda + joint->first_row, w);
    const frame *at = &o->node.frames[body];
    const ph_vec3 arm = ph_mul(at->R, body == joint->b ? joint->s_b : joint->s_a);
    const ph_vec3 force = ph_vec(w[3], w[4], w[5]);
    const ph_vec3 torque = ph_sub(ph_mul(at->R, ph_vec(w[0], w[1], w[2])), ph_cross(arm, force));
    const double sign = body == joint->b ? 1.0 : -1.0;
    return (ph_wrench){ph_scale(sign, torque), ph_scale(sign, force)};
}

// A force at a world point, and a torque, on a body: into Q.
static void add_force(const frame *at, ph_vec3 force, ph_vec3 point, ph_vec3 torque, double sign, ph_wrench *Q)
{
    const ph_vec3 about = ph_add(torque, ph_cross(ph_sub(point, at->x), force));
    Q->force = ph_madd(Q->force, sign, force);
    Q->torque = ph_madd(Q->torque, sign, ph_tmul(at->R, about));
}

// Did a scheme with contact make the last step? Then dry friction of joints is among the forces in the state.
static bool has_contact(const ph_state *state)
{
    return state->history_owner && state->stops_act && !state->touched;
}

// Contacts, limits and dry friction of joints act with their mean forces in the last step; none where a state was edited.
static void add_contacts(ph_observer *o, const ph_state *state)
{
    for (int k = 0; k < state_shown_contacts(state); k++) {
        const ph_contact c = state_contact(state, k);
        add_force(&o->node.frames[c.body_a], c.force, c.point, c.torque, -1.0, &o->node.Q[c.body_a]);
        add_force(&o->node.frames[c.body_b], c.force, c.point, c.torque, 1.0, &o->node.Q[c.body_b]);
    }
    for (int j = 0; j < o->model->joint_count && has_contact(state); j++) {
        const double *stop = state->stops + 3 * j; // lower limit, upper limit, friction
        const double force = stop[0] - stop[1] + stop[2];
        if (force != 0.0) joint_push(&o->model->joints[j], o->node.frames, 0, force, o->node.Q);
    }
}

ph_status ph_observer_dynamics(ph_observer *o, const ph_state *state, ph_twist *accelerations, ph_wrench *reactions)
{
    if (!o || !state || state->model != o->model) return PH_BAD_ARGUMENT;
    observer_set_motion(o, state);
    node_set_jacobian(o->model, &o->kkt, &o->node);
    o->node.motion.exact_friction = has_contact(state);
    node_set_forces(o->model, &o->node);
    o->node.motion.exact_friction = false;
    add_contacts(o, state);
    if (!node_factor_mass(o->model, &o->kkt, &o->node)) return PH_SINGULAR;
    node_accelerate_finely(o->model, &o->kkt, &o->node, o->solution);
    for (int j = 0; j < o->model->joint_count; j++)
        memcpy(o->lambda + o->model->joints[j].first_row, kkt_joint_x(&o->kkt, j),
               sizeof(double) * (size_t)o->model->joints[j].row_count);
    for (int b = 0; accelerations && b < o->model->body_count; b++) {
        const int k = o->model->bodies[b].moving;
        const double *a = k < 0 ? (double[6]){0} : kkt_body_x(&o->kkt, k);
        accelerations[b] = (ph_twist){ph_vec(a[0], a[1], a[2]), ph_vec(a[3], a[4], a[5])};
    }
    if (!reactions) return PH_OK;
    const int left_out = note_left_out(o);
    if (left_out) shorten(o, left_out);
    for (int j = 0; j < o->model->joint_count; j++) reactions[j] = reaction(o, j);
    return PH_OK;
}

void ph_observer_joint(ph_observer *o, const ph_state *state, int j, double *coordinates, double *rates)
{
    if (!o || !state || state->model != o->model || j < 0 || j >= o->model->joint_count) return;
    const joint *joint = &o->model->joints[j];
    node_set_time(state, state->time, &o->node);
    for (int k = 0; k < joint->body_count; k++) { // only these: asking for every joint in turn stays linear
        const int b = joint->bodies[k];
        o->node.frames[b] = (frame){ph_quat_to_mat(state->orientation[b]), state->position[b]};
        o->node.twists[b] = (ph_twist){state->angular_velocity[b], state->velocity[b]};
    }
    const motion at = o->node.motion;
    for (int k = 0; k < joint->coordinate_count; k++) {
        if (coordinates) coordinates[k] = joint_coordinate(joint, &at, k);
        if (rates) rates[k] = joint_rate(joint, &at, k);
    }
}
