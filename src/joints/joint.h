// Joints: what a joint type is, what a compiled joint holds, and the constraint rows it is made of.
//
// A joint carries one frame in each of its two bodies: origin s (from the centre of mass) and axes E (columns, body
// axes), z along the joint axis. All joints are made of a few kinds of rows between these two frames, so that each
// derivative is written, and tested, once (rows.c). With a_i = R_a E_a e_i, b_j = R_b E_b e_j,
// d = x_b + R_b s_b - x_a - R_a s_a:
//
//     POINT      d                          three rows, world axes             [m]
//     ALONG i    a_i . d                    one row                            [m]
//     DOT i j    a_i . b_j                  one row                            [-]
//     LENGTH     |d| - length               one row                            [m]
//     MOTOR i    q_i - target(t)            one row, q_i a joint coordinate    [m, rad]
//     ROTOR      sqrt(a) q - x              one row, x a slide of the rotor (rotor.c)
//     SCREW      slide - pitch turn         one row, both along z              [m]
//     GEAR       q_2 - ratio q_1 - phase    one row, coordinates of two other joints
//     TOUCH      gap of two surfaces        one row (rolling.h)                [m]
//     SLIP i     slip along tangent i       one row of velocities (rolling.h)  [m/s]
//     VELOCITY i A(q) v - b(q, t)           one row of velocities (generic_velocity.c)
//     CHAIN i    q_i of a locked motion     one row (chain.h)                  [m, rad]
//
// SLIP and VELOCITY say nothing of positions: where others have d(phi)/dt = B v they have A(q) v - b(q, t), and no phi whose
// derivative it is. Their `phi` is zero everywhere. All else is the same: B = A, reactions B^T lambda.
//
// A joint type (one file each) says which rows and which coordinates it has.
#ifndef PH_JOINTS_JOINT_H
#define PH_JOINTS_JOINT_H

#include "math/frame.h"
#include "polhode/spec.h"

enum { JOINT_ROWS_MAX = 6, JOINT_BODIES_MAX = 4, JOINT_COORDINATES_MAX = PH_JOINT_COORDINATES };

// Everything that joints and forces may depend on. Arrays have one entry for each body and one for the
// world; frames are rotations body -> world and centres of mass.
typedef struct motion {
    double time;
    const frame *frames;
    const ph_twist *twists; // (omega body | v world); NULL where only positions are asked for
    const double *inputs;
    const double *turns; // angles near the present ones, with whole turns (ph_state); NULL: within half a turn
    const double
        *angles; // the same where the frames stand, of joints with one axis that both share; NULL: not looked up
    const double *targets; // of motors by speed, at target_time (ph_state); NULL: the start
    double target_time;
    const struct motor_target *motors; // what motors ask for at motors_time, by their index; NULL: not looked up
    double motors_time;
    bool exact_friction; // dry friction of joints is not smoothed into a force: the scheme has it as it is
    bool closed;         // joints are closed to round-off, so axes that their frames share are the same vectors
} motion;

typedef enum row_kind {
    ROW_POINT,
    ROW_ALONG,
    ROW_DOT,
    ROW_LENGTH,
    ROW_SCREW,
    ROW_GEAR,
    ROW_MOTOR,
    ROW_ROTOR,
    ROW_TOUCH,
    ROW_SLIP,
    ROW_VELOCITY,
    ROW_CHAIN,
} row_kind;

typedef struct row { // one row, or three for ROW_POINT
    uint8_t kind;    // row_kind
    uint8_t i, j;    // axes of frame a and of frame b, 0..2; of a rotor: which coordinate, which of its slides;
                     // of a slip: which tangent; of a generic velocity: which row; of a chain: which motion
} row;

// With A = E_a^T R_a^T R_b E_b, the axes of b seen in a, and i, j, k cyclic:
//
//     SLIDE i      a_i . d
//     TURN i       turn of b about axis i
//     CARDAN_A i   A = R_j(alpha) R_k(beta): alpha, about a_j
//     CARDAN_B i   beta, about b_k
//     CHAIN i      motion i of a chain: a turn, or a slide
typedef enum coordinate_kind {
    COORDINATE_SLIDE,
    COORDINATE_TURN,
    COORDINATE_CARDAN_A,
    COORDINATE_CARDAN_B,
    COORDINATE_CHAIN_TURN,
    COORDINATE_CHAIN_SLIDE,
} coordinate_kind;

typedef struct coordinate {
    uint8_t kind; // coordinate_kind
    uint8_t i;    // axis, 0..2
    uint8_t turn; // which angle of the joint it is: angle `turn` is counted in turns[first_turn + turn]
} coordinate;

static inline bool coordinate_slides(coordinate c) // else it is an angle
{
    return c.kind == COORDINATE_SLIDE || c.kind == COORDINATE_CHAIN_SLIDE;
}

typedef struct joint_type joint_type;
typedef struct chain chain;
typedef struct gear gear;
typedef struct joint_motor joint_motor;
typedef struct rolling rolling;
typedef struct velocity_rows velocity_rows;

// What every step reads comes first; a ball joint needs the first two cache lines only.
typedef struct joint {
    int a, b;         // body indices; the world is index model->body_count
    ph_vec3 s_a, s_b; // joint frames: origins from the centres of mass, body axes
    int first_row, row_count;
    int first_own_row;             // among the rows that users count: all but those of rotors
    int bodies[JOINT_BODIES_MAX];  // indices of the moving bodies it acts on: a first, then b, then its rotor
    int8_t body_count;             // how many
    int8_t slot_a, slot_b;         // where a and b stand there; -1: it cannot move
    int8_t slot_rotor, rotor_rows; // coordinates with an armature: their rows are the last; 0: none
    int8_t kind_count;             // of `rows`
    row rows[JOINT_ROWS_MAX];
    uint8_t axial;    // bit i: rows keep axis i of both frames together
    uint8_t lengths;  // bit r: row r is a length, else an angle or a direction cosine (model/scales.h)
    uint8_t slips;    // bit r: row r is one of velocities alone
    ph_mat3 E_a, E_b; // joint frames: axes
    double length;    // ROW_LENGTH
    double pitch;     // ROW_SCREW
    double slide;     // a_z . d at the start, where the turn is zero: ROW_SCREW counts from there
    int coordinate_count;
    coordinate coordinates[JOINT_COORDINATES_MAX];
    int first_turn, turn_count;           // its angles in ph_state.turns
    int first_coordinate;                 // among the coordinates of all joints
    int of_coordinate;                    // type coordinate: which one of `of` it is
    double offset[JOINT_COORDINATES_MAX]; // added to what the frames give, so that a coordinate begins at 0 or `start`
    const double *roots;                  // of armatures, by coordinate; NULL: it has none
    const gear *gear;                     // what it couples; NULL for all other types
    const joint_motor *motor;             // what prescribes its coordinate; NULL: nothing
    const rolling *rolling;               // surfaces that touch; NULL for all types that have none
    const velocity_rows *velocities;      // of generic_velocity; NULL for all other types
    const chain *chain;                   // its motions; NULL for types that are no chain
    const struct joint *of;               // type coordinate: the joint whose coordinate it is; else NULL
    const joint_type *type;
    const char *name;
    const ph_joint_def
        *def; // start, damping, stiffness, limits, motor as given; the default where there is none of them
} joint;

// Of the armature of coordinate k.
static inline double joint_root(const joint *j, int k)
{
    return j->roots ? j->roots[k] : 0.0;
}

// A gear acts on the first coordinates of two other joints.
struct gear {
    const joint *joints[2];
    int slots[2][2]; // of bodies a and b of each in joint.bodies, or -1
    double ratio;
    double phase; // q_2 - ratio q_1 at the start
};

// A motor that prescribes the coordinate: by its value, or by its rate. Its row is the last but for those of rotors.
struct joint_motor {
    const struct value *value; // of t and inputs
    int index;                 // among all of the model
    bool by_speed;
    int target;   // by speed: index in ph_state.targets, where the coordinate has come to so far
    double start; // by speed: where it begins
};

// Keys of the model file that a joint type takes beyond name, type, bodies.
enum {
    JOINT_ANCHOR = 1 << 0,
    JOINT_ANCHOR_OPTIONAL = 1 << 1, // missing: b's centre of mass
    JOINT_AXIS = 1 << 2,
    JOINT_AXIS2 = 1 << 3,
    JOINT_NORMAL = 1 << 4, // the axis, under another name
    JOINT_PITCH = 1 << 5,
    JOINT_LENGTH = 1 << 6,
    JOINT_LOCK = 1 << 7,
    JOINT_GEAR = 1 << 8,
    JOINT_DRIVE = 1 << 9,          // start, limits, damping, stiffness, rest, friction, armature, motor: one coordinate
    JOINT_APART = 1 << 10,         // each body has its own anchor
    JOINT_AXIS_OPTIONAL = 1 << 11, // missing: world axes at the start
    JOINT_ROLLING = 1 << 12,       // surface, surface_radius, inside, slide, spin; places itself (compile/rolling.c)
    JOINT_RADIUS = 1 << 13,        // radius of what rolls
    JOINT_RIM = 1 << 14,           // of a rolling disc: radius of its rim
    JOINT_SEMI_AXES = 1 << 15,     // of an ellipsoid
    JOINT_VELOCITIES = 1 << 16,    // rows of velocities
    JOINT_CURVED = 1 << 17,        // what it rolls on may be curved: surface, surface_radius, inside
    JOINT_HEADING = 1 << 18,       // an axis of b beside the normal: axis_b, or axis2 in the world
    JOINT_CHAIN = 1 << 19,         // motions
    JOINT_OF = 1 << 20,            // of, index: a coordinate of another joint
};

// Turns of everything together that a joint to the world allows.
typedef enum joint_symmetry {
    JOINT_BREAKS,  // none, as far as is known
    JOINT_CENTRAL, // all about its point in the world
    JOINT_AXIAL,   // those about its axis, unless something acts along its coordinate
} joint_symmetry;

struct joint_type {
    const char *name, *title;
    uint32_t keys;
    joint_symmetry symmetry;
    const char *synonyms; // other names that people know, "hinge pin"; they are told ours. NULL: none
    // On the page: what it looks like, "ball" (NULL), "pin", "rod", "slider", "plate", "ring", "block" or "none"; and what the
    // world holds a body with, "knob" (NULL), "rail" or "none".
    const char *mark, *hold;
    // Fills rows and coordinates of `joint`, whose frames are set. NULL on success, else what is wrong.
    const char *(*make)(joint *j);
};

extern const joint_type *const joint_types[]; // registry.c, ends with NULL

static inline void joint_add_row(joint *j, row_kind kind, int of_a, int of_b)
{
    for (int k = 0; k < j->kind_count && kind == ROW_DOT; k++) // two axes of b across one of a
        if (j->rows[k].kind == ROW_DOT && j->rows[k].i == of_a) j->axial |= (uint8_t)(1u << of_a);
    j->rows[j->kind_count++] = (row){(uint8_t)kind, (uint8_t)of_a, (uint8_t)of_b};
    if (kind == ROW_SLIP || kind == ROW_VELOCITY) j->slips |= (uint8_t)(1u << j->row_count);
    j->row_count += kind == ROW_POINT ? 3 : 1;
}

static inline void joint_add_coordinate(joint *j, coordinate_kind kind, int i)
{
    const int turn = j->turn_count;
    const coordinate c = {(uint8_t)kind, (uint8_t)i, (uint8_t)turn};
    j->turn_count += !coordinate_slides(c);
    j->coordinates[j->coordinate_count++] = c;
}

// ---- rows.c, stiffness.c: the values and derivatives of all rows of a joint -----------------------------------------

// phi[row_count]; and of the row of its motor, or of a screw, alone
double joint_motor_residual(const joint *j, const motion *at);
double joint_screw_residual(const joint *j, const motion *at);
void joint_residual(const joint *j, const motion *at, double *phi);

// B: for body slot k (j->bodies[k]) the block B + k * 6 * row_count, row_count rows of 6, by (rotation in body
// axes | translation of the centre of mass in world axes).
void joint_jacobian(const joint *j, const motion *at, double *B);

// rate[row_count] = d(phi)/dt = B v - joint_wanted_rates
void joint_velocity_residual(const joint *j, const motion *at, double *rate);

// bias[row_count] = (dB/dt) v, so that d2(phi)/dt2 = B a + bias.
void joint_bias(const joint *j, const motion *at, double *bias);

// K += d(B^T lambda)/dq as 6x6 blocks K[slot][slot], by (rotation in body axes | translation).
void joint_stiffness(const joint *j, const motion *at, const double *lambda,
                     double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36]);

// wanted[row_count]: B v shall be this; not zero for motors, and for rows of velocities with b(q, t) alone. false: all are
// zero, and nothing was written.
bool joint_wanted_rates(const joint *j, const motion *at, double *wanted);

// ---- slopes.c: rows of velocities -----------------------------------------------------------------------------------

// S = d(A v - b)/dq at fixed twists, in the layout of B. Rows of positions are left as they are.
void joint_slopes(const joint *j, const motion *at, double *S);

static inline bool joint_row_is_slip(const joint *j, int r)
{
    return j->slips >> r & 1u;
}

// Rows that hold the two bodies together: all but those of its rotors.
static inline int joint_own_rows(const joint *j)
{
    return j->row_count - j->rotor_rows;
}

static inline int joint_motor_row(const joint *j)
{
    return j->row_count - j->rotor_rows - 1;
}

// ---- rotor.c --------------------------------------------------------------------------------------------------------

// The residual of a joint's last row, that of a rotor, where the frames give its coordinate the value q.
double joint_rotor_off(const joint *j, const frame *frames, double q);

// Where rotor `which` of a joint is and how fast it slides, by the coordinates.
void joint_place_rotor(const joint *j, const motion *at, int which, ph_vec3 *position, ph_vec3 *velocity);

// ---- motor.c --------------------------------------------------------------------------------------------------------

// What the motor of a joint asks for at the time of `at`: coordinate, rate, acceleration.
typedef struct motor_target {
    double value, rate, acceleration;
} motor_target;
motor_target joint_motor_target(const joint *j, const motion *at);
// Adds the gradient of by_value times that coordinate and by_rate times its rate, by inputs and by the numbers of the
// motor's value; either may be NULL. By speed, the target so far is not among them.
void joint_motor_pull(const joint *j, const motion *at, double by_value, double by_rate, double *inputs,
                      double *numbers);

// ---- coordinates.c --------------------------------------------------------------------------------------------------

// Coordinate k and its rate.
double joint_coordinate(const joint *j, const motion *at, int k);
double joint_rate(const joint *j, const motion *at, int k);

// As the frames give it, as if the joint were closed: wrong by the square of what it is open. Without turns and offset.
double joint_coordinate_nearly(const joint *j, const motion *at, int k);

// Q += the force f along coordinate k, on body a and body b: (torque, body axes | force, world axes).
void joint_push(const joint *j, const frame *frames, int k, double f, ph_wrench *Q);

// All of that from one look at the frames. A force f along the coordinate acts on the bodies with f a and f b.
typedef struct joint_line {
    double q, rate; // rate: 0 where `at` has no twists
    ph_wrench a, b; // derivative of q by (rotation, body axes | translation, world axes) of each body
} joint_line;
void joint_line_at(const joint *j, const motion *at, int k, joint_line *line);
bool joint_line_stays(const joint *j, const motion *at, int k); // its derivatives are the same wherever the bodies are

// K[x][y] += weight * the derivative of line.x by the motion of body y, x and y from {a, b}: 6x6, row-major.
void joint_line_stiffness(const joint *j, const frame *frames, int k, double weight, double K[2][2][36]);

// Counts turns: brings the angles of `turns` (j->turn_count of them) to those of the frames of a and b.
void joint_count_turns(const joint *j, const frame *a, const frame *b, double *turns);

// ---- place.c --------------------------------------------------------------------------------------------------------

// Where b is after its coordinates have changed by `change` (coordinate_count of them) while a stays at `a`, or a while b
// stays: `a` and `b` are where they are now. A screw advances with its turn.
frame joint_move_b(const joint *j, const frame *a, const frame *b, const double *change);
frame joint_move_a(const joint *j, const frame *a, const frame *b, const double *change);

// Angular velocity of b relative to a, and velocity of the origin of b's joint frame relative to a's frame, world axes, that
// belong to the rates of all coordinates.
void joint_relative_velocity(const joint *j, const frame *a, const frame *b, const double *rates, ph_vec3 *turn,
                             ph_vec3 *slide);

#endif
