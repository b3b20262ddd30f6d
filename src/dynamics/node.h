// Everything a scheme needs at one configuration (frames, velocities, constraint Jacobians, forces) and the solves with
// the constrained mass matrix [M B^T; B 0] there.
#ifndef PH_DYNAMICS_NODE_H
#define PH_DYNAMICS_NODE_H

#include "dynamics/kkt.h"
#include "linalg/small.h"
#include "model/state.h"

typedef struct node {
    frame *frames;        // model_places
    ph_twist *twists;     // model_places
    double *B;            // all joints' Jacobians; joint j from kkt->joints[j].B on; NULL: kkt has no rows either
    grips grips;          // where kkt->tree is used: what trees have in place of B
    ph_wrench *Q;         // model_places: (torque, body axes | force, world axes)
    ph_wrench *W;         // likewise, the part of Q without potential; NULL: there is none, or no Q
    motion motion;        // of the arrays above, with time, inputs and turns of the state at hand
    motor_target *motors; // what motors ask for at that time; NULL: there are none
    double *angles;       // of joints (motion.angles), when they were looked up; NULL: there are none
    unsigned without;     // what Q leaves out (system.h), because the scheme evaluates it elsewhere
} node;

bool node_create(const ph_model *model, const kkt *kkt, arena *memory, node *node);
// With frames, with twists and forces? Those that are not wanted are NULL, and what needs them cannot be asked for.
bool node_create_with(const ph_model *model, const kkt *kkt, bool frames, bool twists, arena *memory, node *node);
// What `kkt` and the node lack of rows. false: out of memory.
bool node_need_rows(kkt *kkt, node *node);

// Time, inputs and counted turns; frames, twists and the rest follow separately.
void node_set_time(const ph_state *state, double time, node *node);
void node_keep_time(const ph_state *state, node *node); // the time is the node's own, and so are the inputs
// Looks up the angles of joints; they hold until the time is set again.
void node_set_angles(const ph_model *model, node *node);
void node_set_frames(const ph_model *model, const ph_vec3 *position, const ph_quat *orientation, node *node);
void node_set_twists(const ph_model *model, const ph_vec3 *angular_velocity, const ph_vec3 *velocity, node *node);
// Rotors as the frames and twists of their joints say, whatever the state has.
void node_place_rotors(const ph_model *model, node *node);
void node_set_jacobian(const ph_model *model, const kkt *kkt, node *node);
// What trees have in place of the Jacobian; and residuals, by row of the model, where they are asked for.
static inline void node_set_grips(const kkt *kkt, node *node, double *phi)
{
    elimination_grip(kkt->tree, &node->motion, &node->grips, phi);
}
// The Jacobian of joints that go by rows where a tree is used.
void node_set_closing(const ph_model *model, const kkt *kkt, node *node);
void node_set_forces(const ph_model *model, node *node);

// Power of what has no potential, from W and the twists.
double node_force_power(const ph_model *model, const node *node);

// Writes [M B^T; B 0] into `kkt` ...
void node_put_mass(const ph_model *model, kkt *kkt, const node *node);
void node_put_tree(const ph_model *model, kkt *kkt, const node *node); // the same for kkt->tree, from the grips
// ... factors it, and finds the dependent rows of closed loops. false when singular.
bool node_factor_mass(const ph_model *model, kkt *kkt, node *node);
// The same with the rows that were found last: for the stages and inner nodes of one step, where another choice would make
// the accelerations jump.
bool node_factor_kept(const ph_model *model, kkt *kkt, node *node);
// Both where the grips are set, and the Jacobian of joints that close loops, but perhaps of no others.
bool node_factor_gripped(const ph_model *model, kkt *kkt, node *node); // with the rows found last
bool node_choose_gripped(const ph_model *model, kkt *kkt, node *node); // as node_factor_mass
// All of these where nothing but time and frames is set: grips and Jacobians are, as far as the factor needs them.
bool node_factor_placed(const ph_model *model, kkt *kkt, node *node, bool keep_rows);

// Sets the right-hand side (Q + gyroscopic torque, -B' v) and solves: accelerations and multipliers are left in kkt->x.
// Needs frames, twists, Jacobian, forces and the factor.
void node_accelerate(const ph_model *model, kkt *kkt, const node *node);
// The same, refined until it settles: light bodies beside heavy ones keep their digits. `room`: kkt->lu.x_count numbers.
void node_accelerate_finely(const ph_model *model, kkt *kkt, const node *node, double *room);

// Writes -dPhi/dt, or b(q, t), into the right-hand sides of the rows of motors and of velocities; no other row depends on time.
void node_put_motor_rates(const ph_model *model, kkt *kkt, const node *node);
// Power of what prescribes a motion (motors, moving surfaces, b(q, t)), from the multipliers of all rows.
double node_motor_power(const ph_model *model, const node *node, const double *lambda);

// Moves the configuration onto the constraints, in the metric of M: Newton on Phi = 0. Leaves `node` there, with
// what the factor needs of its joints set and the factor made. false when it does not converge.
bool node_project_position(const ph_model *model, kkt *kkt, ph_vec3 *position, ph_quat *orientation, node *node);
// Velocities <- the nearest with B v + dPhi/dt = 0, in the metric of M. Needs the factor.
void node_project_velocity(const ph_model *model, kkt *kkt, ph_vec3 *angular_velocity, ph_vec3 *velocity,
                           const node *node);

// Do the velocities miss B v + dPhi/dt = 0 by no more than round-off? What they miss is left in the right-hand side.
bool node_velocity_fits(const ph_model *model, kkt *kkt, const ph_vec3 *angular_velocity, const ph_vec3 *velocity,
                        const node *node);
// Where the velocities miss B v + dPhi/dt = 0 by more than round-off, the nearest that do not. That happens where a light
// body sits between heavy ones: its velocity is a small difference of large momenta, divided by a small mass. Needs the
// factor.
void node_settle_velocity(const ph_model *model, kkt *kkt, ph_vec3 *angular_velocity, ph_vec3 *velocity,
                          const node *node);

// Are the residuals phi of all rows as small as rounding makes them, for bodies within `reach` of the origin? Newton's
// updates may be larger where rows are nearly dependent: they divide by the sine of their angle.
bool node_is_closed(const ph_model *model, const kkt *kkt, const double *phi, double reach);

// y += scale * B^T lambda, for one block of `rows` rows: six entries.
SMALL_INLINE void node_add_transposed_sized(const double *B, int rows, double scale, const double *lambda, double *y)
{
    double sum[6] = {0};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 6; c++) sum[c] += B[6 * r + c] * lambda[r];
    for (int c = 0; c < 6; c++) y[c] += scale * sum[c];
}

SMALL_INLINE void node_add_transposed(const double *B, int rows, double scale, const double *lambda, double *y)
{
    if (rows == 3) // the compiler unrolls what it knows
        node_add_transposed_sized(B, 3, scale, lambda, y);
    else
        node_add_transposed_sized(B, rows, scale, lambda, y);
}

// diag(P, m I) into a 6x6 block
void node_put_body(double *block, const ph_mat3 *P, double m);

static inline void node_put_vectors(double *x, ph_vec3 a, ph_vec3 b)
{
    x[0] = a.x, x[1] = a.y, x[2] = a.z;
    x[3] = b.x, x[4] = b.y, x[5] = b.z;
}

#endif
