#include "dynamics/assemble.h"

#include "dynamics/spanning.h"
#include "math/so3.h"

#include <string.h>

typedef struct assembly {
    const ph_model *model;
    const double *wanted; // coordinates, NAN where free
    double *values;       // what they are held to at present
    double *change;       // coordinate_count: for spanning_move
    held held, freed;     // with and without the given coordinates
    spanning tree;
    placement start; // as given, with the coordinates moved where that is all it takes
    placement trial, best;
    ph_quat *twirl; // by body
    uint64_t random;
    assembly_report *report;
} assembly;

static const double MET = 1e-12; // of the size of the mechanism: nothing is left to be closed

// ---- How far the coordinates have to go -----------------------------------------------------------------------------

static double coordinate_at(const assembly *a, const joint *j, int k, const placement *p)
{
    frame *frames = a->held.node.frames; // scratch
    frames[j->a] = placement_frame(p, j->a);
    frames[j->b] = placement_frame(p, j->b);
    const motion at = {.frames = frames, .turns = p->turns};
    return joint_coordinate(j, &at, k);
}

// The value that coordinate k of a joint must have: given, or prescribed by its motor; else NAN.
static double value_of(const assembly *a, const joint *j, int k)
{
    if (j->motor && k == 0) return joint_motor_target(j, &a->held.at).value;
    return a->wanted[j->first_coordinate + k];
}

// Gears hand changes on to joints that are not given themselves.
static void spread_by_gears(const assembly *a)
{
    const ph_model *model = a->model;
    for (int pass = 0; pass < 4; pass++)
        for (int i = 0; i < model->joint_count; i++) {
            const gear *g = model->joints[i].gear;
            if (!g) continue;
            const joint *one = g->joints[0], *two = g->joints[1];
            double *first = &a->change[one->first_coordinate], *second = &a->change[two->first_coordinate];
            if (isnan(value_of(a, two, 0)) && *first != 0.0)
                *second = g->ratio * *first;
            else if (isnan(value_of(a, one, 0)) && *second != 0.0)
                *first = *second / g->ratio;
        }
}

// a->change: from `p` to the given coordinates. Returns the largest, turns in radians, slides by the size.
static double set_change(assembly *a, const placement *p)
{
    const ph_model *model = a->model;
    double largest = 0.0;
    memset(a->change, 0, (size_t)model->coordinate_count * sizeof *a->change);
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const double value = value_of(a, j, k);
            if (isnan(value)) continue;
            const double change = value - coordinate_at(a, j, k, p);
            const bool slides = coordinate_slides(j->coordinates[k]);
            a->change[j->first_coordinate + k] = change;
            largest = ph_max(largest, fabs(change) / (slides ? a->held.size : 1.0));
        }
    }
    spread_by_gears(a);
    return largest;
}

// ---- Along the branch of the beginning ------------------------------------------------------------------------------

static void scale_change(const assembly *a, double factor)
{
    for (int k = 0; k < a->model->coordinate_count; k++) a->change[k] *= factor;
}

// Held values: a part of the way before the given ones.
static void set_values(const assembly *a, double back)
{
    for (int k = 0; k < a->model->coordinate_count; k++) a->values[k] = a->wanted[k] - back * a->change[k];
}

static bool follow(assembly *a, placement *p)
{
    enum { STEPS_MAX = 4000 };
    static const double LONGEST = 0.2;
    gap left;
    if (held_gap(&a->freed, p).size > MET && !held_close(&a->freed, p, &left)) return false;
    const double way = set_change(a, p);
    if (!(way <= LONGEST * STEPS_MAX)) return false;
    const int steps = way > LONGEST ? (int)ceil(way / LONGEST) : 1;
    scale_change(a, 1.0 / steps);
    for (int k = 1; k <= steps; k++) {
        spanning_move(a->model, &a->tree, a->change, NULL, p);
        set_values(a, (double)(steps - k));
        if (!held_close(&a->held, p, &left)) return false;
    }
    return true;
}

// ---- From several starts --------------------------------------------------------------------------------------------

// Uniform in -1 ... 1. The same numbers for the same model.
static double next_random(assembly *a)
{
    a->random = a->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(a->random >> 11) / 4503599627370496.0 - 1.0;
}

// a->trial: the start with all free coordinates of the tree changed at random.
static void scatter(assembly *a, double amount)
{
    const ph_model *model = a->model;
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const double unit = coordinate_slides(j->coordinates[k]) ? a->held.size : 3.14159265358979323846;
            const double change = amount * unit * next_random(a);
            a->change[j->first_coordinate + k] = isnan(value_of(a, j, k)) ? change : 0.0;
        }
    }
    for (int b = 0; b <= model->body_count; b++)
        a->twirl[b] = ph_quat_exp(ph_scale(3.0 * amount, ph_vec(next_random(a), next_random(a), next_random(a))));
    placement_copy(model, &a->trial, &a->start);
    spanning_move(model, &a->tree, a->change, a->twirl, &a->trial);
}

static double distance(const assembly *a, const placement *p, const placement *q)
{
    double sum = 0.0;
    for (int k = 0; k < a->model->moving_count; k++) {
        const int b = a->model->moving[k];
        const ph_quat turn = ph_quat_mul(ph_quat_conj(p->orientation[b]), q->orientation[b]);
        sum += ph_norm2(ph_sub(p->position[b], q->position[b])) / (a->held.size * a->held.size);
        sum += ph_norm2(ph_quat_log(turn));
    }
    return sum;
}

// A joint that is outside of its limits, or PH_NONE.
static int beyond_limits(const assembly *a, const placement *p)
{
    for (int i = 0; i < a->model->joint_count; i++) {
        const joint *j = &a->model->joints[i];
        const ph_joint_def *def = j->def;
        if (!def->has_limit_low && !def->has_limit_high) continue;
        const double q = coordinate_at(a, j, 0, p);
        if ((def->has_limit_low && q < def->limit_low - 1e-9) || (def->has_limit_high && q > def->limit_high + 1e-9))
            return i;
    }
    return PH_NONE;
}

// Lower is better: inside the limits before outside, near to the start before far.
static double score(const assembly *a, const placement *p)
{
    return distance(a, p, &a->start) + (beyond_limits(a, p) == PH_NONE ? 0.0 : 1e6);
}

static bool search(assembly *a, placement *p, int starts)
{
    bool found = false;
    double best = 0.0;
    gap nearest = {.size = (double)INFINITY, .joint = PH_NONE};
    memcpy(a->values, a->wanted, (size_t)a->model->coordinate_count * sizeof *a->values);
    for (int s = 0; s < starts; s++) {
        gap left;
        if (s == 0)
            placement_copy(a->model, &a->trial, &a->start);
        else
            scatter(a, fmin(1.0, 4.0 * s / starts));
        const bool closed = held_close(&a->held, &a->trial, &left);
        if (left.size < nearest.size) nearest = left;
        if (!closed) continue;
        const double here = score(a, &a->trial);
        if (!found || here < best) placement_copy(a->model, p, &a->trial), best = here;
        found = true;
    }
    a->report->starts = starts;
    a->report->positions = nearest;
    return found;
}

// ---- Other branches -------------------------------------------------------------------------------------------------

// All motion is given: the loops close in a few separate ways.
static bool is_determined(assembly *a, const placement *p)
{
    held *h = &a->held;
    int rank = h->with.row_count;
    held_gap(h, p);
    node_set_jacobian(&h->with, &h->kkt, &h->node);
    if (!node_factor_mass(&h->with, &h->kkt, &h->node)) return false;
    for (int i = 0; i < h->with.joint_count; i++) rank -= __builtin_popcount(kkt_left_out(&h->kkt, i));
    memset(h->kkt.lu.mask, 0, (size_t)h->kkt.lu.pivot_count); // held_close factors with all rows
    return rank == h->with.velocity_count;
}

static void note_branch(const assembly *a, const placement *here, const placement *there, assembly_branch *branch)
{
    double largest = 0.0;
    for (int i = 0; i < a->model->joint_count; i++) {
        const joint *j = &a->model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const double q = coordinate_at(a, j, k, here);
            const double turn = 6.283185307179586476925;
            double other = coordinate_at(a, j, k, there);
            if (!coordinate_slides(j->coordinates[k])) other -= turn * rint((other - q) / turn);
            const double unit = coordinate_slides(j->coordinates[k]) ? a->held.size : 1.0;
            if (!(fabs(other - q) / unit > 1.01 * largest)) continue;
            largest = fabs(other - q) / unit;
            branch->joint = i, branch->coordinate = k, branch->here = q, branch->there = other;
        }
    }
}

static void look_for_branches(assembly *a, const placement *p)
{
    enum { STARTS = 10, BODIES_MAX = 20, KEPT = 4 };
    assembly_branch *branch = &a->report->branch;
    placement kept[KEPT];
    if (!a->tree.closes_loops || a->model->moving_count > BODIES_MAX || !is_determined(a, p)) return;
    arena *memory = arena_create(&a->model->allocator);
    bool room = memory;
    for (int k = 0; room && k < KEPT; k++) room = placement_create(a->model, memory, &kept[k]);
    if (room) placement_copy(a->model, &kept[0], p), branch->found = 1;
    for (int s = 1; room && s <= STARTS && branch->found < KEPT; s++) {
        gap left;
        bool known = false;
        scatter(a, fmin(1.0, 2.0 * s / STARTS));
        if (!held_close(&a->held, &a->trial, &left)) continue;
        for (int k = 0; k < branch->found; k++) known |= distance(a, &a->trial, &kept[k]) < 1e-6;
        if (known) continue;
        if (branch->found == 1) note_branch(a, p, &a->trial, branch);
        placement_copy(a->model, &kept[branch->found++], &a->trial);
    }
    arena_destroy(memory);
}

// ---- Velocities -----------------------------------------------------------------------------------------------------

static double rate_at(const assembly *a, const joint *j, int k, const placement *p)
{
    frame *frames = a->held.node.frames; // scratch
    ph_twist *twists = a->held.node.twists;
    const int pair[2] = {j->a, j->b};
    for (int n = 0; n < 2; n++) {
        frames[pair[n]] = placement_frame(p, pair[n]);
        twists[pair[n]] = (ph_twist){p->angular_velocity[pair[n]], p->velocity[pair[n]]};
    }
    const motion at = {.frames = frames, .twists = twists};
    return joint_rate(j, &at, k);
}

// The rate that coordinate k must have: given, or prescribed by its motor; else NAN.
static double wanted_rate(const assembly *a, const double *rates, const joint *j, int k)
{
    if (j->motor && k == 0) return joint_motor_target(j, &a->held.at).rate;
    return rates[j->first_coordinate + k];
}

// What hangs on a joint is pushed to its rate, so that bodies that carry others move as they did.
static void push(assembly *a, const double *rates, placement *p)
{
    const ph_model *model = a->model;
    memset(a->change, 0, (size_t)model->coordinate_count * sizeof *a->change);
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const double wanted = wanted_rate(a, rates, j, k);
            if (!isnan(wanted)) a->change[j->first_coordinate + k] = wanted - rate_at(a, j, k, p);
        }
    }
    spread_by_gears(a);
    spanning_push(model, &a->tree, a->change, p);
}

// Of rates that exclude each other it is a given one that misses, whatever row was worst.
static void note_missed_rate(const assembly *a, const double *rates, const placement *p)
{
    assembly_report *report = a->report;
    gap worst = {.joint = PH_NONE};
    for (int i = 0; i < a->model->joint_count; i++) {
        const joint *j = &a->model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            const double wanted = rates[j->first_coordinate + k];
            const double off = isnan(wanted) ? 0.0 : rate_at(a, j, k, p) - wanted;
            if (fabs(off) > worst.size) worst = (gap){fabs(off), i, k, off};
        }
    }
    if (worst.joint == PH_NONE) return;
    report->velocities = worst;
    report->rate_had = rates[a->model->joints[worst.joint].first_coordinate + worst.row] + worst.off;
}

static ph_status assemble_velocities(assembly *a, const motion *at, const double *rates, arena *memory, placement *p)
{
    static const double MISSED = 1e-9;
    held h;
    if (!held_create(a->model, rates, at, memory, &h)) return PH_OUT_OF_MEMORY;
    push(a, rates, p);
    a->report->velocities = held_velocities(&h, p);
    a->report->rates_miss = !(a->report->velocities.size <= MISSED);
    if (a->report->rates_miss) note_missed_rate(a, rates, p);
    return a->report->rates_miss ? PH_NO_CONVERGENCE : PH_OK;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static bool assembly_create(const ph_model *model, const motion *at, const double *coordinates, const double *rates,
                            arena *memory, assembly *a)
{
    const size_t count = (size_t)model->coordinate_count + 1;
    double *nothing = arena_alloc_array(memory, count, sizeof(double));
    bool *first = arena_alloc_array(memory, (size_t)model->joint_count + 1, sizeof(bool));
    a->values = arena_alloc_array(memory, count, sizeof(double));
    a->change = arena_alloc_array(memory, count, sizeof(double));
    a->twirl = arena_alloc_array(memory, (size_t)model->body_count + 1, sizeof *a->twirl);
    if (!nothing || !first || !a->values || !a->change || !a->twirl) return false;
    memcpy(a->values, coordinates, (size_t)model->coordinate_count * sizeof *a->values);
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        first[i] = j->motor;
        for (int k = 0; k < j->coordinate_count; k++) {
            nothing[j->first_coordinate + k] = (double)NAN;
            first[i] |= !isnan(coordinates[j->first_coordinate + k]) || !isnan(rates[j->first_coordinate + k]);
        }
    }
    return held_create(model, a->values, at, memory, &a->held) && held_create(model, nothing, at, memory, &a->freed) &&
           spanning_create(model, first, memory, &a->tree) && placement_create(model, memory, &a->start) &&
           placement_create(model, memory, &a->trial) && placement_create(model, memory, &a->best);
}

static bool assemble_positions(assembly *a, placement *p)
{
    enum { FEW = 24, MANY_BODIES = 60, FEWER = 6 };
    const ph_model *model = a->model;
    gap left = {.joint = PH_NONE};
    placement_copy(model, &a->start, p);
    set_change(a, p);
    spanning_move(model, &a->tree, a->change, NULL, &a->start);
    a->report->positions = held_gap(&a->held, &a->start);
    if (a->report->positions.size <= MET) {
        placement_copy(model, p, &a->start);
        return true;
    }
    if (!a->tree.closes_loops) { // rough positions of a tree
        placement_copy(model, &a->trial, &a->start);
        if (held_close(&a->held, &a->trial, &left)) {
            placement_copy(model, p, &a->trial);
            return true;
        }
    }
    placement_copy(model, &a->best, p);
    if (follow(a, &a->best)) {
        a->report->way = ASSEMBLY_FOLLOWED;
    } else if (search(a, &a->best, model->moving_count > MANY_BODIES ? FEWER : FEW)) {
        a->report->way = ASSEMBLY_SEARCHED;
    } else {
        return false;
    }
    memcpy(a->values, a->wanted, (size_t)model->coordinate_count * sizeof *a->values);
    a->report->positions = held_gap(&a->held, &a->best);
    look_for_branches(a, &a->best);
    placement_copy(model, p, &a->best);
    return true;
}

ph_status assemble(const ph_model *given, const motion *at, const double *coordinates, const double *rates,
                   placement *p, assembly_report *report)
{
    arena *memory = arena_create(&given->allocator);
    const ph_model *model = memory ? model_without_rotors(given, memory) : NULL;
    assembly a = {.model = model, .wanted = coordinates, .report = report};
    placement result;
    *report = (assembly_report){.beyond_limit = PH_NONE, .branch = {.joint = PH_NONE}};
    ph_status status = PH_OUT_OF_MEMORY;
    if (model && assembly_create(model, at, coordinates, rates, memory, &a) &&
        placement_create(model, memory, &result)) {
        placement_copy(model, &result, p);
        status = assemble_positions(&a, &result) ? PH_OK : PH_NO_CONVERGENCE;
        report->beyond_limit = status == PH_OK ? beyond_limits(&a, &result) : PH_NONE;
        if (status == PH_OK) status = assemble_velocities(&a, at, rates, memory, &result);
        if (status == PH_OK) placement_copy(model, p, &result);
    }
    arena_destroy(memory);
    return status;
}

// What is given for a coordinate of another joint is given for that joint.
void assemble_hand_on(const ph_model *model, double *values)
{
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        if (!j->of || isnan(values[j->first_coordinate])) continue;
        values[j->of->first_coordinate + j->of_coordinate] = values[j->first_coordinate];
        values[j->first_coordinate] = (double)NAN;
    }
}
