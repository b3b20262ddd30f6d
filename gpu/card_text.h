// The step, kernel by kernel; one text for all machines.
#include "card.h"
#include "machine.h"
#include "view.h"

#include "kernels_list.h"
#include "kernels_motion.h"
#include "kernels_neighbours.h"
#include "kernels_points.h"
#include "kernels_solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CARD_MACHINE
#define CARD_MACHINE card_machine_host
#endif

enum {
    CHECK_EVERY = 24, // sweeps
    PASSES_AT_ONCE = 8,
    PATIENCE = 30, // passes of polishing without fewer contacts beyond the tolerance
    SETTLES = 6,   // times that clusters are solved before sweeps go on
    SPREADS = 24,  // rounds of detector_cull.c at the most
    REPAIRS = 3,   // times that what single precision has found is taken up again
};

// Contacts that may be solved in clusters for each contact and pass: that takes so much longer than a pass.
static const double CLUSTER_WORK = 1e-4;

struct card {
    machine m;
    card_view v;
    int room_cells, room_pairs, room_points, room_contacts, room_old;
    int tries;
    int *colour_start, colour_count, room_colours;
    int all_contacts; // of all machines
    card_settle *settle;
    void *settle_user;
    card_member *members; // the processor's
    int room_members;
    card_rest *rest; // the processor's
    int room_rest;
    card_contact *shown;
    float *shown_x;
};

#include "card_make.h"

// ---- Counters -------------------------------------------------------------------------------------------------------

static void clear_counter(card *c, int which, int count)
{
    machine_fill(&c->m, c->v.counter + which, 0, (size_t)count * sizeof(int));
}

static int read_int(card *c, const int *at)
{
    int value = 0;
    machine_get(&c->m, &value, at, sizeof value);
    return value;
}

// Of all machines.
static int read_total(card *c, const int *at)
{
    int value = read_int(c, at);
    machine_total(&c->m, &value, 1);
    return value;
}

static double read_largest(card *c, int n)
{
    double value = 0.0;
    machine_largest(&c->m, c->v.value, n, c->v.result);
    machine_get(&c->m, &value, c->v.result, sizeof value);
    return value;
}

static double read_sum(card *c, double *numbers, int n)
{
    double value = 0.0;
    machine_sum(&c->m, numbers, n, c->v.result);
    machine_get(&c->m, &value, c->v.result, sizeof value);
    return value;
}

// The work of all bodies, or that of normal impulses: the same bits in any order (kernels_motion.h).
static double sum_of_bodies(card *c, int which)
{
    card_view *v = &c->v;
    double most = 0.0, *first = (double *)v->free_v;
    LAUNCH(&c->m, size_number, *v, v->bodies, which);
    machine_largest(&c->m, first, v->bodies, v->result);
    machine_get(&c->m, &most, v->result, sizeof most);
    int exponent = 0;
    if (most > 0.0) frexp(most, &exponent);
    v->unit = ldexp(1.0, exponent - 26);
    LAUNCH(&c->m, split_number, *v, v->bodies, which);
    const double sum = read_sum(c, first, v->bodies);
    return sum + read_sum(c, which ? v->normal_sum : v->sum, v->bodies);
}

// ---- Detection ------------------------------------------------------------------------------------------------------

static int bits_of(int most)
{
    int bits = 1;
    while (bits < 31 && most >> bits) bits++;
    return bits;
}

static bool find_pairs(card *c)
{
    card_view *v = &c->v;
    clear_counter(c, COUNT_LEVELS, 1);
    LAUNCH(&c->m, box_shapes, *v, v->shapes, 0);
    machine_sort(&c->m, v->key, v->key_sorted, v->shape, v->sorted, v->shapes, bits_of(v->buckets));
    machine_fill(&c->m, v->cell_start, 0, (size_t)v->buckets * sizeof(int));
    machine_fill(&c->m, v->cell_end, 0, (size_t)v->buckets * sizeof(int));
    LAUNCH(&c->m, bound_cells, *v, v->shapes, 0);
    LAUNCH(&c->m, count_pairs, *v, v->shapes + 1, 0);
    machine_scan(&c->m, v->pair_count, v->pair_start, v->shapes + 1);
    v->pairs = read_int(c, v->pair_start + v->shapes);
    if (c->m.failure[0] || !grow_pairs(c, v->pairs + 1)) return false;
    LAUNCH(&c->m, list_pairs, *v, v->shapes, 0);
    return true;
}

static bool find_points(card *c)
{
    card_view *v = &c->v;
    LAUNCH(&c->m, count_points, *v, v->pairs + 1, 0);
    machine_scan(&c->m, v->point_count, v->point_start, v->pairs + 1);
    v->points = read_int(c, v->point_start + v->pairs);
    if (c->m.failure[0] || !grow_points(c, v->points + 1)) return false;
    LAUNCH(&c->m, list_points, *v, v->pairs, 0);
    return true;
}

// What impacts of this step may change, round by round. Returns whether it has come to an end.
static bool spread_impacts(card *c)
{
    card_view *v = &c->v;
    const size_t bytes = (size_t)(v->bodies + 1) * sizeof(int);
    machine_fill(&c->m, v->disturbance, 0, bytes);
    machine_fill(&c->m, v->disturbance_next, 0, bytes);
    LAUNCH(&c->m, set_approach, *v, v->points, 0);
    for (int round = 0; round < SPREADS; round += 4) {
        for (int k = 0; k < 4; k++) {
            clear_counter(c, COUNT_CHANGED, 1);
            LAUNCH(&c->m, spread, *v, v->points, 0);
            LAUNCH(&c->m, take_disturbance, *v, v->bodies, 0);
            machine_share(&c->m, v->disturbance, sizeof *v->disturbance, NULL);
        }
        if (!read_total(c, v->counter + COUNT_CHANGED)) return true;
    }
    return false;
}

static void count_once(card *c, int *contacts)
{
    clear_counter(c, COUNT_BEYOND, 1);
    LAUNCH(&c->m, count_contacts, c->v, c->v.contacts, 0);
    *contacts = read_total(c, c->v.counter + COUNT_BEYOND);
}

static bool list_what_may_close(card *c)
{
    card_view *v = &c->v;
    v->last_round = !spread_impacts(c);
    LAUNCH(&c->m, mark_listed, *v, v->points + 1, 0);
    machine_scan(&c->m, v->listed, v->list_start, v->points + 1);
    v->contacts = read_int(c, v->list_start + v->points);
    if (c->m.failure[0] || !grow_contacts(c, v->contacts + 1)) return false;
    LAUNCH(&c->m, list_contacts, *v, v->points, 0);
    LAUNCH(&c->m, set_uses, *v, v->contacts, 0);
    machine_sort(&c->m, v->use_key, v->use_key_sorted, v->use, v->use_sorted, 2 * v->contacts, bits_of(v->bodies));
    LAUNCH(&c->m, bound_uses, *v, v->bodies + 1, 0);
    c->all_contacts = v->contacts;
    if (c->m.peers) count_once(c, &c->all_contacts);
    return true;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

static bool grow_colours(card *c, int need)
{
    if (need <= c->room_colours) return true;
    int *start = (int *)realloc(c->colour_start, (size_t)need * sizeof *start);
    if (start) c->colour_start = start, c->room_colours = need;
    return start;
}

static bool grow_rest(card *c, int need)
{
    if (need <= c->room_rest) return true;
    const size_t old = (size_t)c->room_rest * sizeof(card_rest), count = roomy((size_t)need);
    card_rest *own = (card_rest *)realloc(c->rest, count * sizeof *own);
    c->rest = own ? own : c->rest;
    if (!own || !renew(c, (void **)&c->v.rest, old, count * sizeof(card_rest))) return false;
    c->room_rest = (int)count;
    return true;
}

// The contacts that have found no colour, from place `first` on, in levels that are further colours.
static bool colour_rest(card *c, int first)
{
    card_view *v = &c->v;
    const int count = v->contacts - first;
    if (!grow_rest(c, count + 1)) return false;
    LAUNCH(&c->m, list_rest, *v, count, first);
    machine_get(&c->m, c->rest, v->rest, (size_t)count * sizeof *c->rest);
    const int levels = machine_level(&c->m, c->rest, count);
    if (levels < 0 || !grow_colours(c, CARD_COLOURS + levels + 1)) return false;
    qsort(c->rest, (size_t)count, sizeof *c->rest, rest_compare_levels);
    int *place = (int *)malloc(((size_t)count + 1) * sizeof *place);
    if (!place) return false;
    for (int k = 0, level = 0; k <= count; k++) {
        while (level < (k < count ? c->rest[k].level + 1 : levels))
            c->colour_start[c->colour_count++] = first + k, level++;
        if (k < count) place[k] = c->rest[k].contact;
    }
    machine_put(&c->m, v->at_place + first, place, (size_t)count * sizeof *place);
    free(place);
    return true;
}

static bool find_colour_starts(card *c)
{
    int start[CARD_COLOURS + 2], used[CARD_COLOURS + 1];
    machine_fill(&c->m, c->v.counter + COUNT_COLOUR, 255, (CARD_COLOURS + 2) * sizeof(int));
    LAUNCH(&c->m, bound_colours, c->v, c->v.contacts, 0);
    machine_get(&c->m, start, c->v.counter + COUNT_COLOUR, sizeof start);
    for (int k = 0; k < CARD_COLOURS + 1; k++) used[k] = start[k] >= 0;
    machine_total(&c->m, used, CARD_COLOURS + 1);
    if (!grow_colours(c, CARD_COLOURS + 1)) return false;
    if (start[CARD_COLOURS] < 0) start[CARD_COLOURS] = c->v.contacts; // the rest: none
    for (int k = CARD_COLOURS; k > 0; k--)
        if (start[k - 1] < 0) start[k - 1] = start[k]; // of another machine
    c->colour_count = 0;
    for (int k = 0; k < CARD_COLOURS; k++)
        if (used[k]) c->colour_start[c->colour_count++] = start[k];
    if (used[CARD_COLOURS] && !colour_rest(c, start[CARD_COLOURS])) return false;
    c->colour_start[c->colour_count] = c->v.contacts;
    return true;
}

static bool colour(card *c)
{
    card_view *v = &c->v;
    machine_fill(&c->m, v->colours, 0, (size_t)(v->bodies + 1) * sizeof(uint64_t));
    LAUNCH(&c->m, number_contacts, *v, v->contacts, 0);
    for (int left = c->all_contacts, round = 0; left > 0 && round < 4096; round++) {
        machine_fill(&c->m, v->least, 255, (size_t)(v->bodies + 1) * sizeof *v->least);
        clear_counter(c, COUNT_UNCOLOURED, 1);
        LAUNCH(&c->m, draw_lots, *v, v->contacts, 0);
        machine_share(&c->m, v->least, sizeof *v->least, NULL);
        LAUNCH(&c->m, take_colour, *v, v->contacts, 0);
        machine_share(&c->m, v->colours, sizeof *v->colours, NULL);
        if (round % 4 == 3) left = read_total(c, v->counter + COUNT_UNCOLOURED);
    }
    machine_sort(&c->m, v->colour, v->colour_sorted, v->order, v->at_place, v->contacts, bits_of(CARD_COLOURS + 1));
    return find_colour_starts(c);
}

// ---- Solving --------------------------------------------------------------------------------------------------------

typedef struct solving {
    int passes;
    double error, clustered; // contacts solved in clusters so far
    int beyond;
} solving;

static void check(card *c, solving *s)
{
    clear_counter(c, COUNT_BEYOND, 1);
    LAUNCH(&c->m, check_contact, c->v, c->v.contacts, 0);
    s->error = read_largest(c, c->v.contacts);
    s->beyond = read_total(c, c->v.counter + COUNT_BEYOND);
}

static void sweep(card *c)
{
    card_view *v = &c->v;
    const int *start = c->colour_start;
    LAUNCH(&c->m, extrapolate, *v, v->bodies + 1, 0);
    for (int k = 0; k < c->colour_count; k++) {
        LAUNCH(&c->m, sweep_colour, *v, start[k + 1] - start[k], start[k]);
        machine_share(&c->m, v->fast, 2 * sizeof *v->fast, NULL);
    }
    float *x = v->x_last; // what comes after x
    v->x_last = v->x;
    v->x = x;
    machine_sum(&c->m, v->value, v->contacts, &v->sweep->restart);
    LAUNCH(&c->m, next_sweep, *v, 1, 0);
}

static void polish_once(card *c, int pass)
{
    card_view v = c->v;
    const int *start = c->colour_start;
    for (int k = 0; k < c->colour_count; k++) {
        v.first_contact = start[k];
        LAUNCH(&c->m, polish_colour, v, start[k + 1] - start[k], pass);
        machine_share(&c->m, v.fast, 2 * sizeof *v.fast, v.flies);
        if (c->m.peers) LAUNCH(&c->m, wake_changed, v, v.bodies, 0);
    }
}

// Passes over contacts beyond the tolerance alone, while they become fewer.
static void polish(card *c, solving *s)
{
    int least = s->beyond + 1, since = 0, counts[PASSES_AT_ONCE];
    if (c->m.peers) machine_fill(&c->m, c->v.flies, 0, (size_t)(c->v.bodies + 1) * sizeof(int));
    while (since < PATIENCE && s->passes < c->tries) {
        clear_counter(c, COUNT_PASS, PASSES_AT_ONCE);
        for (int k = 0; k < PASSES_AT_ONCE; k++) polish_once(c, k);
        s->passes += PASSES_AT_ONCE;
        machine_get(&c->m, counts, c->v.counter + COUNT_PASS, sizeof counts);
        machine_total(&c->m, counts, PASSES_AT_ONCE);
        for (int k = 0; k < PASSES_AT_ONCE; k++) {
            since = counts[k] < least ? 0 : since + 1;
            least = counts[k] < least ? counts[k] : least;
        }
        if (counts[PASSES_AT_ONCE - 1] == 0) break;
    }
    check(c, s);
}

// ---- Clusters -------------------------------------------------------------------------------------------------------

static bool grow_members(card *c, int need)
{
    if (need <= c->room_members) return true;
    const size_t old = (size_t)c->room_members * sizeof(card_member), count = roomy((size_t)need);
    card_member *own = (card_member *)realloc(c->members, count * sizeof *own);
    c->members = own ? own : c->members;
    if (!own || !renew(c, (void **)&c->v.member, old, count * sizeof(card_member))) return false;
    c->room_members = (int)count;
    return true;
}

static void set_velocities(card *c)
{
    LAUNCH(&c->m, set_after, c->v, c->v.bodies, 0);
    machine_share(&c->m, c->v.after_v, sizeof *c->v.after_v, NULL);
    machine_share(&c->m, c->v.after_w, sizeof *c->v.after_w, NULL);
}

// Velocities in single precision, from all impulses.
static void renew_velocities(card *c)
{
    set_velocities(c);
    LAUNCH(&c->m, load_body, c->v, c->v.bodies + 1, 0);
}

static void count_members_once(card *c, int *members)
{
    clear_counter(c, COUNT_BEYOND, 1);
    LAUNCH(&c->m, count_members, c->v, c->v.contacts, 0);
    *members = read_total(c, c->v.counter + COUNT_BEYOND);
}

// Those of contacts beyond the tolerance, which a check has just found. Returns whether there were any to be solved.
static bool settle(card *c, solving *s)
{
    card_view *v = &c->v;
    const double may = 64.0 + CLUSTER_WORK * c->all_contacts * s->passes - s->clustered;
    if (!c->settle || s->beyond == 0 || s->beyond > may) return false;
    machine_fill(&c->m, v->flies, 0, (size_t)(v->bodies + 1) * sizeof(int));
    LAUNCH(&c->m, flag_bodies, *v, v->contacts, 0);
    machine_share(&c->m, v->flies, sizeof *v->flies, NULL);
    LAUNCH(&c->m, mark_members, *v, v->contacts + 1, 0);
    machine_scan(&c->m, v->order, (int *)v->use_key, v->contacts + 1);
    v->members = read_int(c, (int *)v->use_key + v->contacts);
    int members = v->members;
    if (c->m.peers) count_members_once(c, &members);
    if (members > may || !grow_members(c, v->members)) return false;
    s->clustered += members;
    const size_t bytes = (size_t)v->members * sizeof(card_member);
    LAUNCH(&c->m, list_members, *v, v->contacts, 0);
    machine_get(&c->m, c->members, v->member, bytes);
    machine_settle(&c->m, c->settle, c->settle_user, c->members, v->members, v->tolerance);
    machine_put(&c->m, v->member, c->members, bytes);
    LAUNCH(&c->m, take_members, *v, v->members, 0);
    renew_velocities(c);
    return true;
}

static void restart(card *c)
{
    const card_sweeps none = {1.0, 0.0, 0.0, 0};
    const size_t x = 3 * (size_t)c->v.stride * sizeof(float), fast = 2 * (size_t)(c->v.bodies + 1) * sizeof(f4);
    machine_put(&c->m, c->v.sweep, &none, sizeof none);
    machine_copy(&c->m, c->v.x_last, c->v.x, x);
    machine_copy(&c->m, c->v.fast_last, c->v.fast, fast);
}

static void solve_single(card *c, solving *s)
{
    const double few = fmax(16.0, 0.03 * c->all_contacts);
    restart(c);
    check(c, s);
    while (s->error > c->v.tolerance && s->passes < c->tries && !c->m.failure[0]) {
        if (s->beyond <= few) {
            polish(c, s);
            for (int k = 0; k < SETTLES && s->error > c->v.tolerance && settle(c, s); k++) {
                check(c, s);
                polish(c, s);
            }
            if (s->error <= c->v.tolerance) return;
            machine_copy(&c->m, c->v.x_last, c->v.x, 3 * (size_t)c->v.stride * sizeof(float));
            machine_copy(&c->m, c->v.fast_last, c->v.fast, 2 * (size_t)(c->v.bodies + 1) * sizeof(f4));
        }
        for (int k = 0; k < CHECK_EVERY && s->passes < c->tries; k++, s->passes++) sweep(c);
        check(c, s);
    }
}

static double error_in_double(card *c)
{
    set_velocities(c);
    LAUNCH(&c->m, check_exactly, c->v, c->v.contacts, 0);
    return read_largest(c, c->v.contacts);
}

// In single precision, checked in double from the velocities that the impulses give; what misses the tolerance there goes on
// from those velocities, towards a tolerance that leaves room for rounding.
static void solve(card *c, solving *s)
{
    card_view *v = &c->v;
    const double tolerance = v->tolerance;
    LAUNCH(&c->m, load_contact, *v, v->contacts, 0);
    for (int k = 0; k <= REPAIRS; k++) {
        const double error = error_in_double(c);
        s->error = error;
        if (k > 0 && (error <= tolerance || s->passes >= c->tries)) break;
        LAUNCH(&c->m, load_body, *v, v->bodies + 1, 0); // from the velocities of error_in_double
        v->tolerance = (k == 0 ? 0.97 : 0.8) * tolerance;
        solve_single(c, s);
        v->tolerance = tolerance;
    }
}

// ---- The step -------------------------------------------------------------------------------------------------------

static void fly(card *c)
{
    card_view *v = &c->v;
    LAUNCH(&c->m, begin_flight, *v, v->bodies, 0);
    machine_share(&c->m, v->flies, sizeof *v->flies, NULL);
    machine_fill(&c->m, v->disturbance_next, 0, (size_t)(v->bodies + 1) * sizeof(int));
    for (int round = 0, landed = 1; landed > 0 && round < 64; round++) {
        clear_counter(c, COUNT_LANDED, 1);
        LAUNCH(&c->m, land, *v, v->contacts, 0);
        LAUNCH(&c->m, landed, *v, v->bodies, 0);
        machine_share(&c->m, v->flies, sizeof *v->flies, NULL);
        landed = read_total(c, v->counter + COUNT_LANDED);
    }
}

static bool keep(card *c)
{
    card_view *v = &c->v;
    if (!grow_old(c, v->contacts + 1)) return false;
    LAUNCH(&c->m, keep_contact, *v, v->contacts, 0);
    LAUNCH(&c->m, keep_use, *v, v->bodies + 1, 0);
    v->old_contacts = v->contacts;
    return true;
}

static bool no_memory(card *c)
{
    if (!c->m.failure[0]) snprintf(c->m.failure, sizeof c->m.failure, "out of memory");
    return false;
}

static bool step(card *c, double h, card_report *r)
{
    card_view *v = &c->v;
    solving s = {0, 0.0, 0.0, 0};
    v->h = h;
    v->fall = h * sqrt(v->gravity.x * v->gravity.x + v->gravity.y * v->gravity.y + v->gravity.z * v->gravity.z);
    LAUNCH(&c->m, free_motion, *v, v->bodies, 0);
    if (!find_pairs(c) || !find_points(c) || !list_what_may_close(c)) return false;
    if (!colour(c)) return no_memory(c);
    solve(c, &s);
    LAUNCH(&c->m, overlap_of, *v, v->contacts, 0);
    r->overlap = fmax(r->overlap, read_largest(c, v->contacts));
    fly(c);
    const double work = sum_of_bodies(c, 0), normal = sum_of_bodies(c, 1);
    if (!keep(c) || !isfinite(work)) return false;
    LAUNCH(&c->m, end_motion, *v, v->bodies, 0);
    r->friction += work - normal;
    r->impact += normal;
    r->steps++;
    r->contacts = c->all_contacts > r->contacts ? c->all_contacts : r->contacts;
    r->passes += s.passes;
    r->residual = fmax(r->residual, s.error);
    r->missed += !(s.error <= v->tolerance);
    return !c->m.failure[0];
}

static bool card_steps(card *c, double h, long long count, card_report *report, char why[256])
{
    memset(report, 0, sizeof *report);
    bool good = true;
    for (long long k = 0; k < count && good; k++) good = step(c, h, report);
    report->bytes = c->m.held;
    if (!good)
        snprintf(why, 256, "%.200s",
                 c->m.failure[0] ? c->m.failure : "velocities are no longer finite; try a smaller step");
    return good;
}

#ifdef __CUDACC__
extern "C" const card_machine card_machine_cuda = {
#else
const card_machine CARD_MACHINE = {
#endif
    card_create, card_destroy, card_name, card_put, card_get, card_put_contacts, card_get_contacts, card_steps};
