// Making a card: its memory, and the scene and states that go there and back. Part of card_text.h.
#ifndef CARD_CARD_MAKE_H
#define CARD_CARD_MAKE_H

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
    c->v.buckets = power_of_two(2 * (s->cells > s->shapes ? s->cells : s->shapes));
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
    c->v.base = s->base > 0.0 ? s->base : c->v.base < 1e300 ? 1.1 * c->v.base : 1.0;
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

static double least_mass(const card_scene *s)
{
    const card_mass *mass = (const card_mass *)s->mass;
    double least = 1e300;
    for (int k = 0; k < s->masses; k++) least = mass[k].mass < least ? mass[k].mass : least;
    return least < 1e300 ? least : 1.0;
}

static bool make_names(card *c, const card_scene *s)
{
    const size_t bodies = (size_t)s->bodies * sizeof(int), shapes = (size_t)s->shapes * sizeof(int);
    if (!s->owned) return true;
    c->v.owned = (int *)put_new(c, s->owned, bodies);
    c->v.body_name = (int *)put_new(c, s->body_name, bodies);
    c->v.shape_name = (int *)put_new(c, s->shape_name, shapes);
    return c->v.owned && c->v.body_name && c->v.shape_name;
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
    v->grain = 0.1 * s->tolerance * s->tolerance * least_mass(s);
    c->m.peers = s->peers;
    c->tries = s->passes;
    c->settle = s->settle;
    c->settle_user = s->settle_user;
    v3 g = {s->gravity[0], s->gravity[1], s->gravity[2]};
    v->gravity = g;
}

static bool make(card *c, const card_scene *s)
{
    set_numbers(c, s);
    if (!make_bodies(c, s) || !make_shapes(c, s) || !make_planes(c, s) || !make_triangles(c, s) || !make_names(c, s))
        return false;
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
    void *once[] = {c->v.kind,          c->v.mass,           c->v.surface,
                    c->v.plane,         c->v.corner,         c->v.triangle_shape,
                    c->v.triangle_open, c->v.triangle_start, c->v.triangle_end,
                    c->v.triangle_list, c->v.counter,        c->v.result,
                    c->v.sweep,         c->v.member,         c->v.owned,
                    c->v.body_name,     c->v.shape_name,     c->v.rest};
    give_all(c);
    for (size_t k = 0; k < sizeof once / sizeof *once; k++) machine_give(&c->m, once[k], 0);
    machine_close(&c->m);
    free(c->members);
    free(c->rest);
    free(c->colour_start);
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

#endif
