// A step of `moreau` backwards: contacts, stops and joints (moreau.c). Letters and numbers of equations: docs/adjoint.md.
#ifndef PH_ADJOINT_CONTACT_SWEEP_H
#define PH_ADJOINT_CONTACT_SWEEP_H

#include "adjoint/contact_cones.h"
#include "adjoint/contact_shape.h"
#include "adjoint/contact_tape.h"
#include "adjoint/sweep.h"
#include "polhode/adjoint.h"

typedef struct sweep_row { // what a unit impulse of a row does to its bodies: (torque, body axes | force, world axes)
    int a, b;              // bodies; -1: cannot move
    ph_wrench on_a, on_b;
} sweep_row;

typedef struct sweep_pose {
    ph_vec3 x;
    ph_quat q;
} sweep_pose;

typedef struct contact_sweep {
    sweep *s;
    const moreau *m; // NULL: rows of another scheme
    const shape_set *shapes;
    arena *memory;
    // By place:
    ph_twist *plus, *end; // V+; velocities at the end, moved onto the joints
    ph_wrench *a_plus;    // gradient by V+
    ph_wrench *momentum;  // k
    ph_wrench *scratch;
    ph_twist *twist;
    double *tau;         // by moving body: gradient by when it bounces
    double *lambda, *mu; // by row of joints
    sweep_pose *poses;   // POSES_MAX x moving
    int pose_count;
    // Of the part at hand, by row, cone or contact:
    int row_count, cone_count;
    sweep_row *rows;
    cone *cones;
    contact_rows *contacts;
    contact_cotangent *by;
    double *g, *u, *y, *g_bar, *N, *room, *coefficients;
    int rows_room, cones_room, contacts_room, by_room, g_room, u_room, y_room, g_bar_room, N_room, room_room,
        coefficients_room;
    ph_adjoint_report *report;
    bool out_of_memory;
} contact_sweep;

bool contact_sweep_create(sweep *s, const moreau *m, ph_adjoint_report *report, arena *memory, contact_sweep *c);
void contact_sweep_destroy(contact_sweep *c);
// Part `p` of the step `r`; `last`: of its step. false: a matrix is singular, or out of memory.
bool contact_sweep_back(contact_sweep *c, const contact_tape *t, const contact_part *p, const tape_record *r,
                        bool last);

// The cone problem at its solution, with N, u and g_bar as they stand.
cone_point contact_cone_point(const contact_sweep *c, ph_contact_law law);

// ---- contact_pull.c -------------------------------------------------------------------------------------------------

// The node `here` stands at the beginning of the part, with V in its twists: rows and cones there. false: out of memory.
bool contact_rows_make(contact_sweep *c, const contact_tape *t, const contact_part *p);
void contact_rows_velocities(contact_sweep *c, const contact_tape *t, const contact_part *p); // w of all rows, from V+
// What contacts and stops add: the gradient of g . D^T beta + y . (D^T V+ + b) by positions, velocities and numbers.
void contact_rows_pull(contact_sweep *c, const contact_tape *t, const contact_part *p);

// Its pieces, for any rows at the node `here`: begin, contacts, stops. false: out of memory.
bool contact_rows_begin(contact_sweep *c, int contacts, int stops);
void contact_rows_put(contact_sweep *c, const detected *at, const double *g, double softness);
void contact_rows_put_stop(contact_sweep *c, int joint, stop_kind kind, double bound, double impulse);
// Adds the gradient of the weighted rows of contact i along w: to a_q and, by point and normal, to by[i].
void contact_rows_field(contact_sweep *c, int i, const double *weights, const ph_twist *w);
void contact_rows_surface(const contact_sweep *c, const detected *at,
                          const pair_gradient *by); // by numbers of surfaces
// What by[0] to by[count - 1] are by places and sizes of shapes. Items lie `stride` bytes apart, those of a pair side by side.
void contact_rows_pairs(contact_sweep *c, const contact_item *items, int count, size_t stride);

#endif
