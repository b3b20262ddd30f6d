// The equations of constrained trees of bodies by elimination in joint coordinates: the same system as dynamics/kkt.h,
//
//     [ A  w B^T ] [ dv     ]   [ r_v   ]
//     [ C   0    ] [ lambda ] = [ r_phi ],
//
// with B at one configuration ("here": test directions) and C at another ("there": trial directions), so unsymmetric in the
// stages of implicit schemes; both are the same where velocities or accelerations are asked for. In place of the rows of a
// joint it has what the joint leaves free: one pivot for a hinge, where rows have five.
//
// Unknowns of a body are (turn, world axes | move of the centre of mass), and its block is [A B; C M] by 3x3 parts. With
// the levers l of the joint's point P in the body and k in its parent, here l, k and there l+, k+, and the basis N, Y of
// the joint (basis.h):
//
//     to P        C' = C + M l+~,   A' = A + B l+~ - l~ C',   B' = B - l~ M,   r' = (tau - l x f | f)
//     motion      z = z_parent + N+ y + Y+ r_phi,        so r'' = r' - H' Y+ r_phi
//     freedoms    one after the other: D = n^T H' s + soft,  u = (n . r'')/D,  r'' -= H' s u,  H' -= (H' s)(n^T H')/D
//     to parent   A -> A - B k+~ + k~ (C - M k+~),  B -> B + k~ M,  C -> C - M k+~,  M;   r -> (tau + k x f | f)
//     outwards    y = u - (n^T H' z)/D, from the last freedom to the first
//     reactions   w lambda = Y^T (r' - H' z)
//
// Joints that leave all three turns free (ball, distance, point on a line, on a plane) begin with these: their D is A', and only
// F = M - C' A'^-1 B' goes on, less what is free to move beside. `soft` is what holds a freedom beside inertia: damping in its
// coordinate. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 7, with test and trial directions apart.
//
// Test and trial directions of one freedom need not be near each other though those of all freedoms of a joint span nearly the same:
// bodies turn in a step, and of two directions across a line neither is chosen. One after the other would then meet pivots that are
// nought or nearly so. So the freedoms of such a joint are eliminated together, with the largest pivot of each column (several.c).
#ifndef PH_ARTICULATED_ELIMINATION_H
#define PH_ARTICULATED_ELIMINATION_H

#include "articulated/basis.h"
#include "articulated/forest.h"
#include "math/quad.h"

// ---- Joints at one configuration (grip.c) ----------------------------------------------------------------------------

typedef struct grip {
    four_stored own, parents; // l, k
    columns turn;             // body axes to world axes
} grip;

typedef struct grips {
    grip *limbs;
    screw4 *freedoms; // N: n or s
    screw4 *rows;     // Y, then the wrenches of rows on b where they are not the same numbers
    screw4 *rotors;   // W: of their rows on b
} grips;

// ---- The tree -------------------------------------------------------------------------------------------------------

typedef struct limb { // a branch of the forest
    int parent;       // limb; -1: none
    int moving, joint;
    int rows, kinds;       // of the joint, but for that of its rotor
    int body, parent_body; // of the model
    int first, count;      // freedoms
    int kind;              // motion_kind
    int first_row;         // of its joint, among those of grips
    int first_pull;        // the wrenches of its rows there: where rows are of ordinary kinds, as first_row
    int model_row;         // of its joint, in the model
    int rotor;             // that its joint turns, the first of them; -1: none
    double sign;           // 1: the joint's b is the child; -1: a is
    bool has_point;
    bool screws;
    bool swivels;  // all turns are free; freedoms are what may move beside
    bool damped;   // between it and its parent, by a matrix
    int braces;    // dampers between them along one line each
    bool together; // its freedoms were eliminated together
    bool hinge;    // a point and two rows between axes: the short way; with a motor, its turn is the last row
    basis_needs needs;
    ph_vec3 axis, across[2]; // of a hinge: a_i of its joint frame a, and those axes of b that stay across it; body axes
    ph_vec3 s_own, s_parent; // the joint's point in the child and in its parent, body axes
    columns A, B, C, M;      // own and of what hangs on it; after the factor at P
    columns D, E, F;         // where it swivels: A'^-1, A'^-1 B', M - C' A'^-1 B'; free: inverses
    columns out;             // turn there, world axes, to the unknowns of the caller
    screw4
        load; // what hangs on it gives to r; then r', and where it swivels what goes to the parent; zero between solves
    screw4 given;            // Y+ r_phi, of the child
    screw4 z;                // of the body; or a wrench on it
    struct several *several; // room for them; NULL: they never are
} limb;

typedef struct limb_freedom {
    screw4 h, g;    // H' s, n^T H' / D
    double over[2]; // of what may move beside free turns: row of D^-1; of others 1/D
    bool moves;     // else it only turns
    double soft;
    double u;
} limb_freedom;

typedef struct elimination_rotor { // (rotors.c)
    int body, moving;
    int joint, row, model_row; // its row: of which joint, where there, where in the model
    int limb, freedom;         // that it turns with; -1: it slides alone
    int next;                  // of the same limb; -1: none
    double root, mass;
    double load, slide; // r_x; what the row does to it
} elimination_rotor;

typedef struct spatial4 {
    columns A, B, C, M;
} spatial4;

typedef struct brace { // a damper along one line (brace.c), at P
    double c, s;       // c; c/(1 + c k.m)
    screw4 k, m, q;    // line, motion by it alone, H' m
    screw4 t;          // what given motions do to it
    double sigma;
} brace;

enum { BRACES_MAX = 2 };

typedef struct several { // (several.c)
    brace braces[BRACES_MAX];
    spatial4 K;        // of dampers, at P
    double D[36];      // inverse
    screw4 h[6], g[6]; // H' N+, D^-1 N^T H'
    double u[6];
} several;

typedef struct elimination {
    const ph_model *model;
    forest forest;
    int limb_count, freedom_count; // freedoms: but for those of ball joints
    limb *limbs;
    limb_freedom *freedoms;
    elimination_rotor *rotors;   // by rotor of the model
    int first_rotor;             // among moving bodies
    int *rotor_of_joint;         // by joint of the model: of its row; -1: none in a tree
    int *limb_of;                // by moving body; of no meaning for rotors
    int *limb_of_joint;          // by joint of the model; -1: it closes a loop
    const int *body_x, *joint_x; // where right-hand sides stand
    int row_count;               // of grips.rows
    grips test, trial;           // here and there
    double weight;
} elimination;

// Can it be used: all joints of known rows, but for gears, which are left to dynamics/closing.h?
bool elimination_fits(const ph_model *model);
// Right-hand side and solution of moving body k: six numbers from body_x[k] on; of joint j: its rows, from joint_x[j] on. Both
// arrays must stay. false: out of memory.
bool elimination_create(const ph_model *model, const int *body_x, const int *joint_x, arena *memory, elimination *e);

bool grips_create(const elimination *e, arena *memory, grips *g); // false: out of memory
// Levers and bases at a configuration; and the residuals of all rows, by row of the model, where they are asked for.
void elimination_grip(const elimination *e, const motion *at, grips *g, double *phi);
// The sum of the columns of a hinge, each times its number.
FOUR_INLINE screw4 elimination_hinge_sum(const limb *l, const screw4 *Y, const double *x)
{
    const four sign = four_splat(l->sign);
    four turn = Y[3].turn * four_splat(x[3]) + Y[4].turn * four_splat(x[4]);
    if (l->rows == 6) turn += Y[5].turn * four_splat(x[5]);
    return (screw4){turn * sign, four_three(x) * sign};
}

// The wrench of a joint's rows on the child at P. `lambda`: of its rows.
FOUR_INLINE screw4 elimination_pull_of(const elimination *e, const limb *l, const grips *g, const double *lambda)
{
    const four sign = four_splat(l->sign);
    if (l->kind == MOTION_BALL) return (screw4){four_splat(0.0), four_three(lambda) * sign};
    const screw4 *W = g->rows + l->first_pull;
    if (l->hinge) return elimination_hinge_sum(l, W, lambda);
    const joint *j = &e->model->joints[l->joint];
    four turn = four_splat(0.0), move = four_splat(0.0);
    for (int k = 0; k < l->kinds; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            move += four_three(lambda);
            lambda += 3, W += 3;
            continue;
        }
        const four r = four_splat(*lambda++);
        turn += W->turn * r;
        move += W->move * r;
        W++;
    }
    return (screw4){turn * sign, move * sign};
}

// The wrench of B^T lambda on each body, world axes, about its centre of mass: into limb.z, and into the slide of each rotor.
// `lambda`: by row of the model.
void elimination_pull(elimination *e, const grips *g, const double *lambda);
// Does it know the rows of this joint? All but those of joints that close loops.
static inline bool elimination_has_rows(const elimination *e, int joint)
{
    return e->limb_of_joint[joint] >= 0 || e->rotor_of_joint[joint] >= 0;
}
// The limb whose motion they are of.
static inline const limb *elimination_limb(const elimination *e, int joint)
{
    const int i = e->limb_of_joint[joint];
    return &e->limbs[i >= 0 ? i : e->rotors[e->rotor_of_joint[joint]].limb];
}
// B v of them, from twists of its limb's body and of the parent (body axes | world axes), and how fast the joint's rotor slides.
void elimination_rates(const elimination *e, const grips *g, int joint, const ph_twist *child, const ph_twist *parent,
                       double slide, double *rates);
// The body of that rotor; `none`: it has none.
static inline int elimination_rotor_body(const elimination *e, int joint, int none)
{
    const int n = e->rotor_of_joint[joint];
    return n < 0 ? none : e->rotors[n].body;
}

// ---- The system -----------------------------------------------------------------------------------------------------

// What is factored: test and trial directions, whose arrays must stay. `weight`: w.
void elimination_place(elimination *e, const grips *here, const grips *there, double weight);
// The block of a moving body: (A, rows in body axes here, by the unknowns of the caller; mass). `T`: the turn there, body axes, for
// a change of these unknowns; NULL: the identity. After elimination_place.
void elimination_put_body(elimination *e, int moving, const ph_mat3 *A, double mass, const ph_mat3 *T,
                          const frame *there);
// Is coordinate k of the joint a freedom of the tree, or one that a motor prescribes there?
bool elimination_leaves(const elimination *e, int joint, int coordinate);
// Adds to what holds it; where it is prescribed it needs nothing. All are zero after elimination_place.
void elimination_soften(elimination *e, int joint, int coordinate, double soft);
// Adds c x y^T, x and y wrenches on the body of a limb about its centre of mass, world axes: of a damper that ties it to the world,
// after elimination_put_body; of one between it and its parent, which feels the opposite. The latter needs room.
void elimination_damp_body(elimination *e, int limb, double c, const screw4 *x, const screw4 *y);
void elimination_damp_joint(elimination *e, int limb, double c, const screw4 *x, const screw4 *y);
bool elimination_keep_dampers(elimination *e, arena *memory); // false: out of memory
bool elimination_factor(elimination *e);                      // false: singular
// In place. `lambda`: multipliers, by row of the model, whose forces w B^T lambda are taken from the right-hand side first; the
// solution is the change of them; NULL: none.
void elimination_solve(elimination *e, const double *lambda, double *x);
// The same of right-hand sides of bodies alone: those of rows, but of rotors', are not looked at.
void elimination_solve_loads(elimination *e, double *x);

// ---- elimination_many.c: four right-hand sides at once ---------------------------------------------------------------

size_t elimination_many_room(const elimination *e); // quads that a solve needs to work in
bool elimination_can_many(const elimination *e);    // freedoms one after the other, balls, bodies that float
// In place of the velocities alone; multipliers stay what the right-hand side had there.
void elimination_solve_many(const elimination *e, quad *room, quad *x);

// ---- several.c: freedoms together, and dampers beside them ------------------------------------------------

bool several_create(elimination *e, arena *memory);        // false: out of memory
bool several_factor(elimination *e, limb *l, spatial4 *H); // H': what goes to the parent is left in it
void several_inwards(elimination *e, limb *l, screw4 *load);
void several_outwards(elimination *e, limb *l, screw4 *z, screw4 *load);

// ---- rotors.c ---------------------------------------------------------------------------------------------------------

bool elimination_turns_rotor(const ph_model *model, const joint *holds); // by any of its coordinates
bool rotors_create(elimination *e, arena *memory);                       // false: out of memory
// W of the rotors of a limb, after its freedoms; residuals where asked for. Of a chain: its look, and its axes.
void rotors_grip(const elimination *e, const limb *l, const motion *at, const struct chain_look *look,
                 const columns *axes, grips *g, double *phi);
screw4 rotors_pull(elimination *e, const limb *l, const grips *g, const double *lambda); // on the child at P
void rotors_put(elimination *e, int moving, double mass);
void rotors_load(elimination *e, double *x);                              // all, first
screw4 rotors_push(const elimination *e, const limb *l, const double *x); // inwards, at P
void rotors_slide(const elimination *e, const limb *l, const screw4 *w, const double *lambda,
                  double *x); // outwards; w: z - z_parent at P

// ---- brace.c: dampers along one line ----------------------------------------------------------------------------------

FOUR_INLINE double screw4_power(const screw4 *x, const screw4 *y)
{
    return four_dot(x->turn, y->turn) + four_dot(x->move, y->move);
}
FOUR_INLINE void screw4_add(screw4 *to, double s, const screw4 *x)
{
    to->turn += four_splat(s) * x->turn;
    to->move += four_splat(s) * x->move;
}
// c k k^T between a limb and its parent, the line k a wrench at P. Where the matrix is symmetric; false: no room.
bool brace_add(limb *l, double c, const screw4 *k);
void braces_factor(elimination *e, limb *l, limb *parent, const grip *here); // after the factor of the limb
void braces_inwards(limb *l, const screw4 *r, screw4 *load);                 // r'; what the parent gets is left in load
// z of the parent; z of the body, as if there were none, which is mended. f k of all lines is left in `pull`.
void braces_outwards(limb *l, const screw4 *parent, screw4 *z, screw4 *pull);

#endif
