// A step of `rattlie-ns` backwards: stages with contacts and stops at both ends, impacts, and when they are. docs/adjoint.md
#ifndef PH_ADJOINT_NONSMOOTH_SWEEP_H
#define PH_ADJOINT_NONSMOOTH_SWEEP_H

#include "adjoint/contact_sweep.h"
#include "adjoint/nonsmooth_tape.h"

typedef struct nonsmooth_sweep {
    sweep *s;
    const nonsmooth *n;
    arena *memory;
    ph_adjoint_report *report;
    contact_sweep here, there, ahead; // rows at both ends; those of the beginning where they are at the end
    const nonsmooth_tape *tape;       // of the part at hand
    const nonsmooth_part *part;
    const ph_twist *plus; // by moving body
    ph_twist *twist, *change;
    ph_wrench *scratch, *a_q, *a_v, *psi;
    double *mu, *p1, *rhs, *base; // by row of joints; by row of contacts at the beginning: gradient by P_1; of a solve
    ph_vec3 *normal;              // by contact at the beginning: gradient by its normal, from there
    double *saved;                // numbers, inputs and targets, while they are not to change
    int p1_room, normal_room;
    double by_length, by_time; // of the last stages: gradient by their length, and by when they begin
} nonsmooth_sweep;

bool nonsmooth_sweep_create(sweep *s, const nonsmooth *n, ph_adjoint_report *report, arena *memory, nonsmooth_sweep *w);
void nonsmooth_sweep_destroy(nonsmooth_sweep *w);
// The parts `first` to `last` of the step `r`, which ends in `end`. false: a matrix is singular, or out of memory.
bool nonsmooth_sweep_back(nonsmooth_sweep *w, const nonsmooth_tape *t, int first, int last, const tape_record *r,
                          const tape_record *end);

// ---- For nonsmooth_strike.c and nonsmooth_length.c -----------------------------------------------------------------------

// An impact backwards, at the record `r` of its step.
bool strike_back(nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r);

// by_length and by_time, once psi stands in a_q
void ns_take_length(void *user, const tape_record *r);

bool ns_begin_part(nonsmooth_sweep *w, const nonsmooth_tape *t, const nonsmooth_part *p);
// A part as a record of a variational substep
tape_record ns_record_of(const nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r, tape_head *head,
                         ph_twist *plus);
bool ns_make_rows(const nonsmooth_sweep *w, contact_sweep *c, const nonsmooth_list *list, bool ahead);
void ns_add_shifts(const nonsmooth_sweep *w, contact_sweep *c);
// (18), with N, u and g_bar as they stand
void ns_solve_cones(const nonsmooth_sweep *w, contact_sweep *c);
// (twist, multipliers) for the right-hand side (a, 0)
void ns_solve(nonsmooth_sweep *w, kkt *m, const ph_wrench *a, ph_twist *twist, double *multipliers);
// Rows of N, whose matrix is transposed: W_i . m^-1 W_j; and g_bar = W^T m^-1 a.
void ns_find_operator(nonsmooth_sweep *w, contact_sweep *c, kkt *m, const ph_wrench *a);
void ns_pull_surface(const contact_sweep *c, const nonsmooth_item *it, int i, double by_restitution);
// The gradient of g w_g . W^T + y w_y . W^T + by_distance times its distance, of a stop
void ns_pull_stop(const contact_sweep *c, const nonsmooth_item *it, double g, const ph_twist *w_g, double y,
                  const ph_twist *w_y, double by_distance);

static inline const nonsmooth_item *ns_item_at(const nonsmooth_sweep *w, const nonsmooth_list *list, int i)
{
    return &w->tape->items[list->first + i];
}

static inline void ns_add_row(const sweep_row *r, double g, ph_wrench *to)
{
    if (r->a >= 0) wrench_add(&to[r->a], g, &r->on_a);
    if (r->b >= 0) wrench_add(&to[r->b], g, &r->on_b);
}

static inline double ns_along_row(const sweep_row *r, const ph_twist *w)
{
    return (r->a >= 0 ? wrench_power(&r->on_a, &w[r->a]) : 0.0) + (r->b >= 0 ? wrench_power(&r->on_b, &w[r->b]) : 0.0);
}

// What a gap or a distance may be at the end of the stages, and its derivatives by what it was and by h
typedef struct ns_least {
    double value, by_gap, by_h;
} ns_least;

static inline ns_least ns_least_of(const nonsmooth_sweep *w, double gap)
{
    const double speed = w->part->recovers ? w->n->contact.recovery_speed : 0.0, value = gap + w->part->h * speed;
    return value < 0.0 ? (ns_least){value, 1.0, speed} : (ns_least){0.0, 0.0, 0.0};
}

static inline double ns_distance_of(const sweep *s, const node *at, const nonsmooth_item *it)
{
    const joint *j = &s->model->joints[it->joint];
    const double q = joint_coordinate(j, &at->motion, 0);
    return it->kind == STOP_LOW ? q - j->def->limit_low : j->def->limit_high - q;
}

#endif
