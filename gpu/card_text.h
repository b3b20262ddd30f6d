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
    int colour_start[CARD_COLOURS + 2], colour_count;
    card_settle *settle;
    void *settle_user;
    card_member *members; // the processor's
    int room_members;
    card_contact *shown;
    float *shown_x;
};

// ---- Memory ---------------------------------------------------------------------------------------------------------

static bool renew(card *c, void **array, size_t old_bytes, size_t bytes)
{
    if (*array) machine_give(&c->m, *array, old_bytes);
    *array = machine_take(&c->m, bytes);
    return *array != NULL;
}

#define RENEW(type, name) good = good && renew(c, (void **)&c->v.name, old * sizeof(type), count * sizeof(type));
#define DROP(type, name) machine_give(&c->m, c->v.name, count * sizeof(type));

static size_t roomy(size_t count)
{
    return count + count / 8 + 256;
}

// Arrays of a group with room for `need` of `each`.
#define GROW(function, ARRAYS, room, each)                                                                             \
    static bool function(card *c, int need)                                                                            \
    {                                                                                                                  \
        bool good = true;                                                                                              \
        if (need <= c->room) return true;                                                                              \
        const size_t old = (size_t)(each) * (size_t)c->room, count = (size_t)(each)*roomy((size_t)need);               \
        if (count / (size_t)(each) > 2000000000u) return false;                                                        \
        ARRAYS(RENEW)                                                                                                  \
        c->room = good ? (int)(count / (size_t)(each)) : 0;                                                            \
        return good;                                                                                                   \
    }

GROW(grow_pairs, PAIR_ARRAYS, room_pairs, 1)
GROW(grow_points, POINT_ARRAYS, room_points, 1)

// Of a contact there are up to CARD_ROWS numbers; arrays with one each waste the rest, so they have sizes of their own.
// clang-format off
#define CONTACT_SIZES(X) \
    X(contact, 1) X(use_key, 2) X(use_key_sorted, 2) X(use, 2) X(use_sorted, 2) X(colour, 1) X(colour_sorted, 1) \
    X(order, 1) X(at_place, 1) X(place, 1) X(end_a, 1) X(end_b, 1) X(x, 3) X(x_last, 3) X(active, 1) X(value, 1)
// clang-format on
#define RENEW_SIZED(name, each)                                                                                        \
    good = good && renew(c, (void **)&c->v.name, (each)*old * sizeof *c->v.name, (each)*count * sizeof *c->v.name);
#define DROP_SIZED(name, each) machine_give(&c->m, c->v.name, (each)*count * sizeof *c->v.name);

static size_t row_count(const card *c)
{
    return c->v.all_balls ? ROW_ARM_A + 2 : CARD_ROWS;
}

static bool grow_contacts(card *c, int need)
{
    bool good = true;
    if (need <= c->room_contacts) return true;
    const size_t old = (size_t)c->room_contacts, count = roomy((size_t)need), rows = row_count(c);
    CONTACT_SIZES(RENEW_SIZED)
    good = good && renew(c, (void **)&c->v.rows, rows * old * sizeof(float), rows * count * sizeof(float));
    c->room_contacts = c->v.stride = good ? (int)count : 0;
    return good;
}

#define OLD_SIZES(X) X(old, 1) X(old_x, 3) X(old_use, 2)

static bool grow_old(card *c, int need)
{
    bool good = true;
    if (need <= c->room_old) return true;
    const size_t old = (size_t)c->room_old, count = roomy((size_t)need);
    OLD_SIZES(RENEW_SIZED)
    c->room_old = good ? (int)count : 0;
    return good;
}

static void give_all(card *c)
{
    size_t count = 2 * (size_t)c->v.bodies + 2;
    BODY_ARRAYS(DROP)
    count = (size_t)c->v.shapes + 1;
    SHAPE_ARRAYS(DROP)
    count = (size_t)c->v.buckets;
    CELL_ARRAYS(DROP)
    count = (size_t)c->room_pairs;
    PAIR_ARRAYS(DROP)
    count = (size_t)c->room_points;
    POINT_ARRAYS(DROP)
    count = (size_t)c->room_contacts;
    CONTACT_SIZES(DROP_SIZED)
    machine_give(&c->m, c->v.rows, row_count(c) * count * sizeof(float));
    count = (size_t)c->room_old;
    OLD_SIZES(DROP_SIZED)
}

// ---- Making a card --------------------------------------------------------------------------------------------------

static void *put_new(card *c, const void *from, size_t bytes)
{
    void *to = machine_take(&c->m, bytes);
    if (to && bytes) machine_put(&c->m, to, from, bytes);
    return to;
}

static int power_of_two(int least)
{
    int n = 1024;
    while (n < least && n < 1 << 30) n *= 2;
    return n;
}

// Bodies come with one more, that cannot move; arrays of two numbers for each body are as long as all others, for simplicity.
static bool make_bodies(card *c, const card_scene *s)
{
    bool good = true;
    const size_t old = 0, count = 2 * (size_t)s->bodies + 2, n = (size_t)s->bodies;
    BODY_ARRAYS(RENEW)
    if (!good) return false;
    machine_put(&c->m, c->v.mass_of, s->mass_of, n * sizeof(int));
    machine_put(&c->m, c->v.moves, s->moves, n * sizeof(int));
    machine_fill(&c->m, c->v.old_use_start, 0, (n + 1) * sizeof(int));
    machine_fill(&c->m, c->v.disturbance_next, 0, (n + 1) * sizeof(int));
    return true;
}

static bool make_shapes(card *c, const card_scene *s)
{
    bool good = true;
    const size_t old = 0, n = (size_t)s->shapes;
    size_t count = n + 1;
    SHAPE_ARRAYS(RENEW)
    c->v.buckets = power_of_two(2 * s->shapes);
    count = (size_t)c->v.buckets;
    CELL_ARRAYS(RENEW)
    if (!good) return false;
    machine_put(&c->m, c->v.kind_of, s->kind_of, n * sizeof(int));
    machine_put(&c->m, c->v.body_of, s->body_of, n * sizeof(int));
    return true;
}

static bool make_planes(card *c, const card_scene *s)
{
    const card_kind *kind = (const card_kind *)s->kind;
    int *list = (int *)malloc(((size_t)s->shapes + 1) * sizeof *list);
    if (!list) return false;
    c->v.base = 1e300;
    for (int k = 0; k < s->shapes; k++) {
        const card_kind *of = &kind[s->kind_of[k]];
        if (of->type == CARD_PLANE) list[c->v.planes++] = k;
        if (!(of->type == CARD_PLANE || of->type == CARD_TRIANGLE))
            c->v.base = 2.0 * of->size < c->v.base ? 2.0 * of->size : c->v.base;
    }
    c->v.base = c->v.base < 1e300 ? 1.1 * c->v.base : 1.0;
    c->v.plane = (int *)put_new(c, list, ((size_t)c->v.planes + 1) * sizeof *list);
    free(list);
    return c->v.plane;
}

// Triangles by cells, each in all that its box meets: made once, on the host.
typedef struct triangle_cells {
    int count, room;
    uint32_t *bucket;
    int *triangle;
} triangle_cells;

// bucket_of, where the host needs it
static uint32_t host_bucket(int x, int y, int z, int buckets)
{
    return ((uint32_t)x + 40503u * (uint32_t)y + 73856093u * (uint32_t)z) & (uint32_t)(buckets - 1);
}

static bool put_cell(triangle_cells *t, uint32_t bucket, int triangle)
{
    if (t->count == t->room) {
        t->room = 2 * t->room + 1024;
        uint32_t *b = (uint32_t *)realloc(t->bucket, (size_t)t->room * sizeof *b);
        int *k = (int *)realloc(t->triangle, (size_t)t->room * sizeof *k);
        t->bucket = b ? b : t->bucket;
        t->triangle = k ? k : t->triangle;
        if (!b || !k) return false;
    }
    t->bucket[t->count] = bucket;
    t->triangle[t->count++] = triangle;
    return true;
}

static bool enter_triangle(card *c, triangle_cells *t, const double *x, int triangle)
{
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        const double least = fmin(x[k], fmin(x[3 + k], x[6 + k])), most = fmax(x[k], fmax(x[3 + k], x[6 + k]));
        low[k] = (int)floor(least / c->v.triangle_cell);
        high[k] = (int)floor(most / c->v.triangle_cell);
    }
    for (int i = low[0]; i <= high[0]; i++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int k = low[2]; k <= high[2]; k++)
                if (!put_cell(t, host_bucket(i, j, k, c->v.triangle_buckets), triangle)) return false;
    return true;
}

static bool list_triangles(card *c, const triangle_cells *t)
{
    const size_t buckets = (size_t)c->v.triangle_buckets;
    int *start = (int *)calloc(buckets + 1, sizeof *start), *end = (int *)calloc(buckets + 1, sizeof *end);
    int *list = (int *)malloc(((size_t)t->count + 1) * sizeof *list);
    if (start && end && list) {
        for (int k = 0; k < t->count; k++) start[t->bucket[k] + 1]++;
        for (size_t b = 0; b < buckets; b++) start[b + 1] += start[b];
        memcpy(end, start, buckets * sizeof *end);
        for (int k = 0; k < t->count; k++) list[end[t->bucket[k]]++] = t->triangle[k];
        c->v.triangle_start = (int *)put_new(c, start, buckets * sizeof *start);
        c->v.triangle_end = (int *)put_new(c, end, buckets * sizeof *end);
        c->v.triangle_list = (int *)put_new(c, list, (size_t)t->count * sizeof *list);
    }
    free(start);
    free(end);
    free(list);
    return c->v.triangle_list;
}

static bool make_triangles(card *c, const card_scene *s)
{
    const size_t n = (size_t)s->triangles;
    triangle_cells t = {0, 0, NULL, NULL};
    bool good = true;
    c->v.triangles = s->triangles;
    c->v.triangle_cell = 2.0 * c->v.base;
    c->v.triangle_buckets = power_of_two(4 * s->triangles);
    c->v.corner = (v3 *)put_new(c, s->corners, 9 * n * sizeof(double));
    c->v.triangle_shape = (int *)put_new(c, s->triangle_shape, n * sizeof(int));
    c->v.triangle_open = (int *)put_new(c, s->triangle_open, n * sizeof(int));
    for (int k = 0; k < s->triangles && good; k++) good = enter_triangle(c, &t, s->corners + 9 * k, k);
    good = good && c->v.corner && c->v.triangle_shape && c->v.triangle_open && list_triangles(c, &t);
    free(t.bucket);
    free(t.triangle);
    return good;
}

static void set_numbers(card *c, const card_scene *s)
{
    card_view *v = &c->v;
    v->bodies = s->bodies;
    v->shapes = s->shapes;
    v->kinds = s->kinds;
    v->surfaces = s->surfaces;
    v->all_round = s->all_round;
    v->all_balls = s->all_balls;
    v->tolerance = s->tolerance;
    v->slack = 3.0 * s->tolerance;
    v->recovery = s->recovery;
    v->margin = s->margin;
    v->relaxation = 0.8f;
    c->tries = s->passes;
    c->settle = s->settle;
    c->settle_user = s->settle_user;
    v3 g = {s->gravity[0], s->gravity[1], s->gravity[2]};
    v->gravity = g;
}

static bool make(card *c, const card_scene *s)
{
    set_numbers(c, s);
    if (!make_bodies(c, s) || !make_shapes(c, s) || !make_planes(c, s) || !make_triangles(c, s)) return false;
    c->v.kind = (card_kind *)put_new(c, s->kind, (size_t)s->kinds * sizeof(card_kind));
    c->v.mass = (card_mass *)put_new(c, s->mass, (size_t)s->masses * sizeof(card_mass));
    c->v.surface = (card_surface *)put_new(c, s->surface, (size_t)(s->surfaces * s->surfaces) * sizeof(card_surface));
    c->v.counter = (int *)machine_take(&c->m, CARD_COUNTERS * sizeof(int));
    c->v.result = (double *)machine_take(&c->m, 8 * sizeof(double));
    c->v.sweep = (card_sweeps *)machine_take(&c->m, sizeof(card_sweeps));
    return c->v.kind && c->v.mass && c->v.surface && c->v.counter && c->v.result && c->v.sweep && grow_old(c, 1);
}

// About what a body of a heap takes, with its contacts.
static void explain(const card *c, const card_scene *s, char why[256])
{
    const size_t each = s->all_balls ? 1100 : 4000;
    if (c->m.held > 0)
        snprintf(
            why, 256,
            "%.120s: %d bodies take about %.1f GB of the card's memory; take fewer bodies, or leave out the device",
            c->m.failure, s->bodies, 1e-9 * (double)each * (double)s->bodies);
    else
        snprintf(why, 256, "%.200s", c->m.failure[0] ? c->m.failure : "no card was found");
}

static void card_destroy(card *c);

static card *card_create(const card_scene *s, char why[256])
{
    card *c = (card *)calloc(1, sizeof *c);
    if (!c) {
        snprintf(why, 256, "out of memory");
        return NULL;
    }
    const bool open = machine_open(&c->m);
    if (open && make(c, s)) return c;
    explain(c, s, why);
    if (open)
        card_destroy(c);
    else
        free(c);
    return NULL;
}

static void card_destroy(card *c)
{
    if (!c) return;
    void *once[] = {c->v.kind,           c->v.mass,          c->v.surface,        c->v.plane,        c->v.corner,
                    c->v.triangle_shape, c->v.triangle_open, c->v.triangle_start, c->v.triangle_end, c->v.triangle_list,
                    c->v.counter,        c->v.result,        c->v.sweep,          c->v.member};
    give_all(c);
    for (size_t k = 0; k < sizeof once / sizeof *once; k++) machine_give(&c->m, once[k], 0);
    machine_close(&c->m);
    free(c->members);
    free(c->shown);
    free(c->shown_x);
    free(c);
}

static const char *card_name(const card *c)
{
    return c->m.name;
}

// ---- State ----------------------------------------------------------------------------------------------------------

static bool card_put(card *c, const card_state *s)
{
    const size_t n = (size_t)c->v.bodies;
    machine_put(&c->m, c->v.position, s->position, n * sizeof(v3));
    machine_put(&c->m, c->v.orientation, s->orientation, n * sizeof(q4));
    machine_put(&c->m, c->v.velocity, s->velocity, n * sizeof(v3));
    machine_put(&c->m, c->v.spin, s->spin, n * sizeof(v3));
    return !c->m.failure[0];
}

static bool card_get(card *c, const card_state *s)
{
    const size_t n = (size_t)c->v.bodies;
    machine_get(&c->m, s->position, c->v.position, n * sizeof(v3));
    machine_get(&c->m, s->orientation, c->v.orientation, n * sizeof(q4));
    machine_get(&c->m, s->velocity, c->v.velocity, n * sizeof(v3));
    machine_get(&c->m, s->spin, c->v.spin, n * sizeof(v3));
    return !c->m.failure[0];
}

static bool card_put_contacts(card *c, const card_contacts *from)
{
    const size_t n = (size_t)from->count;
    if (!grow_old(c, from->count + 1)) return false;
    c->v.old_contacts = from->count;
    machine_put(&c->m, c->v.old, from->list, n * sizeof(card_contact));
    machine_put(&c->m, c->v.old_x, from->impulse, 3 * n * sizeof(float));
    machine_put(&c->m, c->v.old_use, from->use, 2 * n * sizeof(int));
    machine_put(&c->m, c->v.old_use_start, from->use_start, ((size_t)c->v.bodies + 1) * sizeof(int));
    return !c->m.failure[0];
}

static bool card_get_contacts(card *c, card_contacts *to)
{
    const size_t n = (size_t)c->v.old_contacts;
    card_contact *list = (card_contact *)realloc(c->shown, (n + 1) * sizeof *list);
    c->shown = list ? list : c->shown;
    float *x = (float *)realloc(c->shown_x, (3 * n + 1) * sizeof *x);
    c->shown_x = x ? x : c->shown_x;
    if (!list || !x) return false;
    machine_get(&c->m, list, c->v.old, n * sizeof *list);
    machine_get(&c->m, x, c->v.old_x, 3 * n * sizeof *x);
    to->count = c->v.old_contacts;
    to->list = list;
    to->impulse = x;
    return !c->m.failure[0];
}

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
        }
        if (!read_int(c, v->counter + COUNT_CHANGED)) return true;
    }
    return false;
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
    return true;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

static void find_colour_starts(card *c)
{
    int start[CARD_COLOURS + 2];
    machine_fill(&c->m, c->v.counter + COUNT_COLOUR, 255, (CARD_COLOURS + 2) * sizeof(int));
    LAUNCH(&c->m, bound_colours, c->v, c->v.contacts, 0);
    machine_get(&c->m, start, c->v.counter + COUNT_COLOUR, sizeof start);
    c->colour_count = 0;
    for (int k = 0; k < CARD_COLOURS; k++)
        if (start[k] >= 0) c->colour_start[c->colour_count++] = start[k];
    c->colour_start[c->colour_count] = start[CARD_COLOURS] >= 0 ? start[CARD_COLOURS] : c->v.contacts; // the rest
}

static void colour(card *c)
{
    card_view *v = &c->v;
    machine_fill(&c->m, v->colours, 0, (size_t)(v->bodies + 1) * sizeof(uint64_t));
    LAUNCH(&c->m, number_contacts, *v, v->contacts, 0);
    for (int left = v->contacts, round = 0; left > 0 && round < 4096; round++) {
        machine_fill(&c->m, v->least, 255, (size_t)(v->bodies + 1) * sizeof(uint32_t));
        clear_counter(c, COUNT_UNCOLOURED, 1);
        LAUNCH(&c->m, draw_lots, *v, v->contacts, 0);
        LAUNCH(&c->m, take_colour, *v, v->contacts, 0);
        if (round % 4 == 3) left = read_int(c, v->counter + COUNT_UNCOLOURED);
    }
    machine_sort(&c->m, v->colour, v->colour_sorted, v->order, v->at_place, v->contacts, bits_of(CARD_COLOURS + 1));
    find_colour_starts(c);
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
    s->beyond = read_int(c, c->v.counter + COUNT_BEYOND);
}

static void sweep(card *c)
{
    card_view *v = &c->v;
    const int *start = c->colour_start, rest = start[c->colour_count];
    LAUNCH(&c->m, extrapolate, *v, v->bodies + 1, 0);
    for (int k = 0; k < c->colour_count; k++) LAUNCH(&c->m, sweep_colour, *v, start[k + 1] - start[k], start[k]);
    if (rest < v->contacts) LAUNCH(&c->m, sweep_rest, *v, 1, rest);
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
        v.last_round = start[k];
        LAUNCH(&c->m, polish_colour, v, start[k + 1] - start[k], pass);
    }
    v.last_round = start[c->colour_count];
    if (v.last_round < v.contacts) LAUNCH(&c->m, polish_rest, v, 1, pass);
}

// Passes over contacts beyond the tolerance alone, while they become fewer.
static void polish(card *c, solving *s)
{
    int least = s->beyond + 1, since = 0, counts[PASSES_AT_ONCE];
    while (since < PATIENCE && s->passes < c->tries) {
        clear_counter(c, COUNT_PASS, PASSES_AT_ONCE);
        for (int k = 0; k < PASSES_AT_ONCE; k++) polish_once(c, k);
        s->passes += PASSES_AT_ONCE;
        machine_get(&c->m, counts, c->v.counter + COUNT_PASS, sizeof counts);
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

// Velocities in single precision, from all impulses.
static void renew_velocities(card *c)
{
    LAUNCH(&c->m, set_after, c->v, c->v.bodies, 0);
    LAUNCH(&c->m, load_body, c->v, c->v.bodies + 1, 0);
}

// Those of contacts beyond the tolerance, which a check has just found. Returns whether there were any to be solved.
static bool settle(card *c, solving *s)
{
    card_view *v = &c->v;
    const double may = 64.0 + CLUSTER_WORK * v->contacts * s->passes - s->clustered;
    if (!c->settle || s->beyond == 0 || s->beyond > may) return false;
    machine_fill(&c->m, v->flies, 0, (size_t)(v->bodies + 1) * sizeof(int));
    LAUNCH(&c->m, flag_bodies, *v, v->contacts, 0);
    LAUNCH(&c->m, mark_members, *v, v->contacts + 1, 0);
    machine_scan(&c->m, v->order, (int *)v->use_key, v->contacts + 1);
    v->members = read_int(c, (int *)v->use_key + v->contacts);
    if (v->members > may || !grow_members(c, v->members)) return false;
    s->clustered += v->members;
    const size_t bytes = (size_t)v->members * sizeof(card_member);
    LAUNCH(&c->m, list_members, *v, v->contacts, 0);
    machine_get(&c->m, c->members, v->member, bytes);
    c->settle(c->settle_user, c->members, v->members, v->tolerance);
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
    const double few = fmax(16.0, 0.03 * c->v.contacts);
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
    LAUNCH(&c->m, set_after, c->v, c->v.bodies, 0);
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
    machine_fill(&c->m, v->disturbance_next, 0, (size_t)(v->bodies + 1) * sizeof(int));
    for (int round = 0, landed = 1; landed > 0 && round < 64; round++) {
        clear_counter(c, COUNT_LANDED, 1);
        LAUNCH(&c->m, land, *v, v->contacts, 0);
        LAUNCH(&c->m, landed, *v, v->bodies, 0);
        landed = read_int(c, v->counter + COUNT_LANDED);
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

static bool step(card *c, double h, card_report *r)
{
    card_view *v = &c->v;
    solving s = {0, 0.0, 0.0, 0};
    v->h = h;
    v->fall = h * sqrt(v->gravity.x * v->gravity.x + v->gravity.y * v->gravity.y + v->gravity.z * v->gravity.z);
    LAUNCH(&c->m, free_motion, *v, v->bodies, 0);
    if (!find_pairs(c) || !find_points(c) || !list_what_may_close(c)) return false;
    colour(c);
    solve(c, &s);
    LAUNCH(&c->m, overlap_of, *v, v->contacts, 0);
    r->overlap = fmax(r->overlap, read_largest(c, v->contacts));
    fly(c);
    const double work = read_sum(c, v->sum, v->bodies), normal = read_sum(c, v->normal_sum, v->bodies);
    if (!keep(c) || !isfinite(work)) return false;
    LAUNCH(&c->m, end_motion, *v, v->bodies, 0);
    r->friction += work - normal;
    r->impact += normal;
    r->steps++;
    r->contacts = v->contacts > r->contacts ? v->contacts : r->contacts;
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
const card_machine card_machine_host = {
#endif
    card_create, card_destroy, card_name, card_put, card_get, card_put_contacts, card_get_contacts, card_steps};
