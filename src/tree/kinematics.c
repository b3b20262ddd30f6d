// Where the links of a tree are and how they move: the sweep from the root outwards.
//
// Loops over k = 0 .. LANES - 1 do the same for the links of a block, side by side.

#include "math/so3.h"
#include "math/trig.h"
#include "tree/tree.h"

// ---- Positions ------------------------------------------------------------------------------------------------------

static ph_motor turn_and_shift(const double *q, bool shift)
{
    const ph_quat r = ph_quat_unit((ph_quat){q[0], q[1], q[2], q[3]});
    return ph_motor_make(r, shift ? ph_vec(q[4], q[5], q[6]) : ph_zero3());
}

// x and y of the one-axis joints.
static void set_weights(ph_tree *tree, const double *q)
{
    for (int j = 0; j < tree->joint_count; j++) {
        const tree_joint *joint = &tree->joints[j];
        const double half = 0.5 * q[joint->first_coordinate];
        double *x = &tree->x[joint->first_link / LANES][joint->first_link % LANES];
        double *y = &tree->y[joint->first_link / LANES][joint->first_link % LANES];
        if (joint->type == PH_TREE_REVOLUTE || joint->type == PH_TREE_SCREW) {
            ph_sincos(half, y, x);
        } else if (joint->type == PH_TREE_PRISMATIC) {
            *y = half;
        }
    }
}

// x K0 + y K1 for a block
static void combine(const double x[LANES], const lane_motor *restrict K0, const double y[LANES],
                    const lane_motor *restrict K1, lane_motor *restrict out)
{
    for (int c = 0; c < 8; c++) {
        for (int k = 0; k < LANES; k++) {
            out->c[c][k] = x[k] * K0->c[c][k] + y[k] * K1->c[c][k];
        }
    }
}

static void advance_screw(ph_tree *tree, const tree_joint *joint, double angle)
{
    const ph_motor turn = LANE_GET(motor, tree->local, joint->first_link);
    const ph_motor shift = ph_motor_make(ph_quat_identity(), ph_scale(angle, joint->lead));
    LANE_SET(motor, tree->local, joint->first_link, ph_cl_motor_mul(turn, shift));
}

// Motors relative to the parents.
static void set_local_motors(ph_tree *tree, const double *q)
{
    for (int b = 0; b < tree->block_count; b++) {
        combine(tree->x[b], &tree->K0[b], tree->y[b], &tree->K1[b], &tree->local[b]);
    }
    for (int j = 0; j < tree->joint_count; j++) {
        const tree_joint *joint = &tree->joints[j];
        if (joint->type == PH_TREE_SCREW) {
            advance_screw(tree, joint, q[joint->first_coordinate]);
        } else if (!one_axis(joint->type)) {
            const ph_motor g = turn_and_shift(q + joint->first_coordinate, joint->type == PH_TREE_FREE);
            LANE_SET(motor, tree->local, joint->first_link,
                     ph_cl_motor_mul(ph_cl_motor_mul(joint->left, g), joint->right));
        }
    }
}

static void place_block(const lane_motor *restrict motors, const lane_twist *restrict home,
                        const lane_body *restrict bodies, lane_twist *restrict screws, lane_inertia *restrict inertias)
{
    for (int k = 0; k < LANES; k++) {
        const ph_pose F = ph_cl_motor_pose(lane_motor_get(motors, k));
        const ph_vec3 d = {bodies->moments[0][k], bodies->moments[1][k], bodies->moments[2][k]};
        lane_twist_set(screws, k, ph_cl_pose_twist(F, lane_twist_get(home, k)));
        lane_inertia_set(inertias, k, ph_cl_pose_diagonal(F, bodies->mass[k], d));
    }
}

void tree_place(ph_tree *tree, const double *q)
{
    set_weights(tree, q);
    set_local_motors(tree, q);
    for (int i = 1; i <= tree->link_count; i++) {
        const ph_motor parent = LANE_GET(motor, tree->motors, tree->parents[i]);
        LANE_SET(motor, tree->motors, i, ph_cl_motor_mul(parent, LANE_GET(motor, tree->local, i)));
    }
    for (int b = 0; b < tree->block_count; b++) {
        place_block(&tree->motors[b], &tree->home_screws[b], &tree->bodies[b], &tree->screws[b], &tree->inertias[b]);
    }
}

// ---- Velocities and accelerations -----------------------------------------------------------------------------------

void tree_velocities(ph_tree *tree, const double *u)
{
    for (int i = 1; i <= tree->link_count; i++) {
        const ph_twist parent = LANE_GET(twist, tree->velocities, tree->parents[i]);
        LANE_SET(twist, tree->velocities, i, twist_madd(parent, u[i - 1], LANE_GET(twist, tree->screws, i)));
        LANE_SET(twist, tree->carried, i, LANE_GET(twist, tree->velocities, tree->carriers[i]));
    }
}

// [velocity of the carrier, velocity]
static void bracket_block(const lane_twist *restrict carried, const lane_twist *restrict v, lane_twist *restrict a)
{
    for (int k = 0; k < LANES; k++) {
        lane_twist_set(a, k, ph_cl_bracket(lane_twist_get(carried, k), lane_twist_get(v, k)));
    }
}

void tree_accelerations(ph_tree *tree, const double *u_rate)
{
    for (int b = 0; b < tree->block_count; b++) {
        bracket_block(&tree->carried[b], &tree->velocities[b], &tree->accelerations[b]);
    }
    LANE_SET(twist, tree->accelerations, 0, ((ph_twist){ph_zero3(), ph_neg(tree->gravity)}));
    for (int i = 1; i <= tree->link_count; i++) {
        ph_twist a =
            twist_add(LANE_GET(twist, tree->accelerations, tree->parents[i]), LANE_GET(twist, tree->accelerations, i));
        a = u_rate ? twist_madd(a, u_rate[i - 1], LANE_GET(twist, tree->screws, i)) : a;
        LANE_SET(twist, tree->accelerations, i, a);
    }
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static void force_block(const lane_inertia *restrict inertias, const lane_twist *restrict velocities,
                        const lane_twist *restrict accelerations, lane_coscrew *restrict forces)
{
    for (int k = 0; k < LANES; k++) {
        const ph_inertia N = lane_inertia_get(inertias, k);
        const ph_twist v = lane_twist_get(velocities, k), a = lane_twist_get(accelerations, k);
        const ph_coscrew P = ph_cl_shuffle_a(ph_cl_wedge_inertia(N, v));
        lane_coscrew_set(forces, k, coscrew_add(ph_cl_shuffle_a(ph_cl_wedge_inertia(N, a)), ph_cl_coadjoint(v, P)));
    }
}

void tree_forces(ph_tree *tree, const ph_coscrew *wrenches)
{
    for (int b = 0; b < tree->block_count; b++) {
        force_block(&tree->inertias[b], &tree->velocities[b], &tree->accelerations[b], &tree->forces[b]);
    }
    for (int j = 0; wrenches && j < tree->joint_count; j++) {
        const int last = last_link(&tree->joints[j]);
        LANE_SET(coscrew, tree->forces, last, coscrew_madd(LANE_GET(coscrew, tree->forces, last), -1.0, wrenches[j]));
    }
}

// ---- Public ---------------------------------------------------------------------------------------------------------

void ph_tree_home(const ph_tree *tree, double *q)
{
    if (!tree || !q) return;
    for (int k = 0; k < tree->coordinate_count; k++) {
        q[k] = 0.0;
    }
    for (int j = 0; j < tree->joint_count; j++) {
        if (!one_axis(tree->joints[j].type)) {
            q[tree->joints[j].first_coordinate] = 1.0;
        }
    }
}

// The motion of a ball or free joint goes on by exp(h u) in link axes.
static void advance_motor(bool shift, const double *q, const double *u, double h, double *out)
{
    const ph_vec3 v = shift ? ph_vec(u[3], u[4], u[5]) : ph_zero3();
    const ph_twist z = {ph_vec(h * u[0], h * u[1], h * u[2]), ph_scale(h, v)};
    const ph_motor g = ph_cl_motor_mul(turn_and_shift(q, shift), ph_motor_exp(z));
    const ph_vec3 t = ph_cl_motor_pose(g).t;
    for (int k = 0; k < 4; k++) {
        out[k] = g.a[k];
    }
    if (shift) {
        out[4] = t.x;
        out[5] = t.y;
        out[6] = t.z;
    }
}

void ph_tree_advance(const ph_tree *tree, const double *q, const double *u, double h, double *out)
{
    if (!tree || !q || !u || !out) return;
    for (int j = 0; j < tree->joint_count; j++) {
        const tree_joint *joint = &tree->joints[j];
        const int c = joint->first_coordinate, k = joint->first_link - 1;
        if (one_axis(joint->type)) {
            out[c] = q[c] + h * u[k];
        } else {
            advance_motor(joint->type == PH_TREE_FREE, q + c, u + k, h, out + c);
        }
    }
}

void ph_tree_motion(ph_tree *tree, const double *q, const double *u, ph_motor *motors, ph_twist *twists)
{
    if (!tree || !q) return;
    tree_place(tree, q);
    if (u && twists) {
        tree_velocities(tree, u);
    }
    for (int j = 0; j < tree->joint_count; j++) {
        const tree_joint *joint = &tree->joints[j];
        const int last = last_link(joint);
        if (motors) {
            motors[j] = ph_cl_motor_mul(LANE_GET(motor, tree->motors, last), ph_cl_motor_conj(joint->home));
        }
        if (u && twists) {
            twists[j] = LANE_GET(twist, tree->velocities, last);
        }
    }
}

void ph_tree_accelerations(ph_tree *tree, const double *q, const double *u, const double *u_rate, ph_twist *rates)
{
    if (!tree || !q || !u || !rates) return;
    tree_place(tree, q);
    tree_velocities(tree, u);
    tree_accelerations(tree, u_rate);
    for (int j = 0; j < tree->joint_count; j++) {
        const int last = last_link(&tree->joints[j]);
        rates[j] = LANE_GET(twist, tree->accelerations, last);
        rates[j].v = ph_add(rates[j].v, tree->gravity); // the world was accelerated against it
    }
}

void ph_tree_jacobian(ph_tree *tree, const double *q, int link, ph_twist *columns)
{
    if (!tree || !q || !columns || link < 0 || link >= tree->joint_count) return;
    tree_place(tree, q);
    for (int k = 0; k < tree->link_count; k++) {
        columns[k] = twist_zero();
    }
    const tree_joint *joint = &tree->joints[link];
    for (int i = last_link(joint); i > 0; i = tree->parents[i]) {
        columns[i - 1] = LANE_GET(twist, tree->screws, i);
    }
}
