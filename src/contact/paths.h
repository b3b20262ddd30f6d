// Contacts and stops of trees as path vectors (articulated/articulated.h), and the cone problems of their islands.
//
// A row is what it does to the coordinates z of the trees it acts on: y. With Y of all rows, velocities and impulses are
//
//     u = Y^T z + constant,     z <- z + Y g,     N = Y^T Y + E
//
// Where a group has loops with the basis Q (articulated/loops.h), N is Y^T Y - (Q Y)^T (Q Y) + E. So Q y follows y as one more
// part of the item that counts negative, with places of its own behind those of the forest in z: impulses add up there to
// w = Q Y g, velocities are y . z - (Q y) . w, and when all is done z is left by Q^T w.
//
// Bodies that no joint holds ("loose") and that take part have z of their own, six each, behind those: L^-1 of diag(R J R^T, m)
// times their momenta. Nothing else is needed of them.
//
// An item is a cone with its rows: a contact, or one row along a joint coordinate. Items that act on the same group of trees
// or on the same loose body are in one island; islands know nothing of each other.
#ifndef PH_CONTACT_PATHS_H
#define PH_CONTACT_PATHS_H

#include "articulated/loops.h"
#include "contact/delassus.h"

enum { PATH_PARTS_MAX = 4 };

// The way from a body to the root of its tree; or the six of a loose body; or along the basis of loops.
typedef struct path_part {
    int key;          // of the tree, basis or loose body: parts with the same key meet
    int first, count; // entries of the item
    bool negative;
} path_part;

typedef struct path_item {
    int row, rows;    // in vectors by row
    int first, count; // entries: index[first ..], and from y[at] on `stride` numbers for each: 1, 4 or 8
    int at, stride;
    int part_count;
    path_part parts[PATH_PARTS_MAX];
    int nodes[2]; // groups of the forest, then loose bodies; -1: none
    double soft;  // E of its first row
} path_item;

typedef struct path_island {
    int first, count; // in paths.order
    int rows;
    int freedoms;
    size_t scratch;  // where its part of paths.room begins
    bool has_matrix; // that stands there
    bool is_shared;  // others move some of its loose bodies (paths_beside.c)
} path_island;

typedef struct paths {
    const ph_model *model;
    articulated *tree;
    loops *loops;
    const frame *frames; // by body of the model, where the rows are made

    int loose_count;
    int *loose;    // moving bodies
    int *loose_of; // by moving body: its place there, -1: none
    int loose_room;
    ph_mat3 *root; // by loose body: L^-1 of its rotation, so that y = root torque; and 1/sqrt(m)
    double *root_mass;
    int root_room, root_mass_room;
    double *z; // of the forest, w of loops, then of loose bodies
    int z_room;

    int item_count, row_count, entry_count, number_count;
    path_item *items;
    ph_cone *cones;   // by item
    double *constant; // by row: velocity that motors prescribe
    int *index;       // by entry: place in z
    double *y;
    int items_room, cones_room, constant_room, index_room, y_room;

    int island_count;
    path_island *islands;
    int *order;   // items by island
    int *parent;  // by node: union of islands; by node its island
    double *room; // scratch of solvers
    int islands_room, order_room, parent_room, room_room;
    // The matrix of one island, made when it is asked for:
    int *start, *column;
    double *value, *q, *x;
    ph_cone *island_cones;
    int start_room, column_room, value_room, q_room, x_room, island_cones_room;
    // Loose bodies that others move, too:
    int shared_count;
    int *shared; // moving bodies
    screw *shared_twists;
    bool *shared_moved;
    ph_mat3 *unroot; // from angular velocity to z
    double *free_z;  // without impulses
    double *best;    // impulses by row, with which shared islands were nearest to their law
    int shared_room, shared_twists_room, shared_moved_room, unroot_room, free_z_room, best_room;
    int growths; // how often memory was taken so far
} paths;

bool paths_create(const ph_model *model, articulated *tree, loops *loops, arena *memory, paths *p);
void paths_destroy(paths *p);

// No items; no loose bodies.
void paths_begin(paths *p, const frame *frames);
// A row set of a contact; loose bodies that it meets are taken in, and have no z yet. false: out of memory.
bool paths_add_contact(paths *p, const contact_rows *c, const ph_cone *cone);
// In two steps: all have their places first, and then are filled, side by side.
bool paths_lay_contact(paths *p, const contact_rows *c, const ph_cone *cone); // false: out of memory
void paths_fill_contact(paths *p, int item, const contact_rows *c);
// One row along coordinate k of a joint, times `sign`. Returns false when out of memory; `*moves` says whether it can move.
bool paths_add_coordinate(paths *p, int joint, int k, double sign, double soft, const ph_cone *cone, bool *moves);
// One row that acts on two bodies, moving ones by their number: what it does to each, (torque, body axes | force).
typedef struct path_line {
    int a, b; // moving bodies; -1: cannot move
    ph_wrench on_a, on_b;
} path_line;
bool paths_add_line(paths *p, const path_line *line, double soft, const ph_cone *cone);
// Takes back all items from `count` on.
void paths_drop(paths *p, int count);
// Islands. false: out of memory.
bool paths_end(paths *p);

// Loose bodies: z from momenta (angular in world axes), and twists from z.
void paths_put_loose(paths *p, int place, ph_vec3 angular, ph_vec3 linear);
screw paths_loose_twist(const paths *p, int place);
static inline int paths_loose_z(const paths *p, int place)
{
    return p->tree->forest->freedom_count + p->loops->row_count + 6 * place;
}

// w of loops is zero from here on ...
void paths_clear_loops(const paths *p);
// ... and z of the forest is on them again.
void paths_close_loops(const paths *p);

// u (rows of the item) <- Y^T z + constant; z += Y g
void paths_velocity(const paths *p, const path_item *item, double *u);
void paths_push(const paths *p, const path_item *item, const double *g);
// block <- N of two items, one->rows x other->rows; without E.
void paths_block(const paths *p, const path_item *one, const path_item *other, double *block);

// The impulses of a contact, along a coordinate or of a line, as momenta and tau of the trees.
void paths_apply_contact(const paths *p, const contact_rows *c, const double *g);
void paths_apply_coordinate(const paths *p, int joint, int k, double impulse);
void paths_apply_line(const paths *p, const path_line *line, double impulse);

// ---- paths_solve.c --------------------------------------------------------------------------------------------------

typedef struct path_settings {
    double tolerance;
    int sweeps; // at the most, of islands that are too large for a dense matrix
} path_settings;

typedef struct path_report {
    double residual;
    int iterations;
} path_report;

// Island i: impulses g (by row; first guesses on entry) with u = N g + bias + Y^T z + constant under Coulomb's law, z without
// impulses on entry and with them on return. Islands may be solved side by side.
path_report paths_solve(paths *p, int island, const path_settings *settings, const double *bias, double *g);
bool paths_reserve_solve(paths *p); // room for all of them; false: out of memory

// An island that is not solved, or under another law: by the solvers of polhode/cone.h, one island at a time. g and z as
// paths_solve has left them.
ph_status paths_finish(paths *p, int island, ph_cone_workspace *workspace, const ph_cone_settings *settings,
                       const double *bias, double *g, ph_cone_report *report);

// g and z of an island <- those with the impulses `with`.
void paths_replace(paths *p, int island, const double *with, double *g);

// ---- paths_sweep.c --------------------------------------------------------------------------------------------------

size_t paths_sweep_doubles(const path_island *island); // of scratch
path_report paths_sweep(paths *p, const path_island *island, const path_settings *settings, const double *bias,
                        double *g);

// Pass by pass.
typedef struct path_sums {
    double restart; // positive when a sweep goes against the extrapolation
    double beyond;  // items beyond the tolerance
    double error;   // m/s, largest
} path_sums;

// Items as they are; impulses are in z already, or get there otherwise.
void paths_pass_load(paths *p, const path_island *island, const double *bias, const double *g);
void paths_pass_rest(paths *p, const path_island *island, const double *g); // nothing is extrapolated yet
void paths_pass_extrapolate(paths *p, const path_island *island, double c, double *g);
path_sums paths_pass_sweep(paths *p, const path_island *island, double *g);
// Items beyond the tolerance are moved by a part of what would solve them; 0: they are counted alone.
path_sums paths_pass_polish(paths *p, const path_island *island, double tolerance, double part, double *g);

// ---- paths_beside.c -------------------------------------------------------------------------------------------------

// Islands with loose bodies that have contacts elsewhere (by moving body) are shared; after paths_end. false: out of memory.
bool paths_share(paths *p, const bool *elsewhere);

// Solves them pass by pass beside what moves these bodies elsewhere. Their twists are handed over in shared_twists, and
// `shared_moved` says which a pass has changed.
void paths_beside_begin(paths *p, const double *bias, const double *g); // z without impulses
void paths_beside_push(paths *p, const double *g);                      // twists without these impulses, on entry
path_sums paths_beside_sweep(paths *p, double c, double *g);
path_sums paths_beside_polish(paths *p, double tolerance, double part, double *g);
void paths_beside_rest(paths *p, const double *g);
void paths_beside_keep(paths *p, const double *g);
void paths_beside_return(const paths *p, double *g);
// What these impulses do to shared bodies, by moving body, at their centres of mass in world axes; z of all others gets them ...
void paths_beside_impulses(paths *p, const double *g, screw *pushed);
void paths_beside_end(paths *p); // ... and that of shared ones is as their twists are

static inline const path_item *paths_item(const paths *p, const path_island *island, int k)
{
    return &p->items[p->order[island->first + k]];
}

#endif
