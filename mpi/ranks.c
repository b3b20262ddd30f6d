#include "ranks.h"

#include "clusters.h"
#include "part.h"
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARCEL = 7, STATES, CONTACTS }; // tags
enum { STATE = 13 };                   // numbers of a body

typedef enum order_kind { ORDER_END, ORDER_CREATE, ORDER_DESTROY, ORDER_STEPS, ORDER_STATE, ORDER_CONTACTS } order_kind;

typedef struct order { // of rank 0 to all
    order_kind kind;
    double h;
    long long count;
} order;

typedef struct ranks {
    peers peers;
    bool open;         // there is a scene
    card_scene scene;  // what all ranks have: kinds, masses, surfaces, triangles, numbers
    card_clusters own; // of the ranks but 0
    void *lists[6];    // of the scene
    card *card;        // the kernels' text, on the part; NULL: nothing is divided
    part part;
    double *home; // by body of the part: where it was when the scene was divided
    int *triangle_shape;
    // Rank 0:
    whole whole;
    bool fresh, current; // what counts is the whole; the whole is what the ranks have
    uint64_t seal;       // of the contacts in the whole
} ranks;

static ranks all; // a process is one rank

static void tell(order_kind kind, double h, long long count)
{
    order o = {kind, h, count};
    MPI_Bcast(&o, sizeof o, MPI_BYTE, 0, all.peers.comm);
}

// ---- Versions ---------------------------------------------------------------------------------------------------------

bool ranks_begin(const char *version)
{
    char own[64] = {0}, first[64];
    peers *p = &all.peers;
    p->comm = PETSC_COMM_WORLD;
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->count);
    snprintf(own, sizeof own, "%s/%zu", version, sizeof(card_view) + sizeof(card_member) + sizeof(card_contact));
    memcpy(first, own, sizeof own);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, p->comm);
    int other = strcmp(own, first) != 0 ? p->rank : p->count, odd;
    MPI_Allreduce(&other, &odd, 1, MPI_INT, MPI_MIN, p->comm);
    if (odd == p->count) return true;
    if (p->rank == odd)
        fprintf(stderr, "polhode-mpi: rank %d is of version %s, rank 0 of %s: start the same program on all ranks\n",
                odd, own, first);
    return false;
}

// ---- The scene --------------------------------------------------------------------------------------------------------

// One list of the scene, from rank 0 to all, which own it.
static const void *spread_list(int k, const void *from, size_t bytes)
{
    char *to = peers_take(&all.peers, bytes);
    if (all.peers.rank == 0 && bytes) memcpy(to, from, bytes);
    for (size_t at = 0; at < bytes; at += 1 << 30)
        MPI_Bcast(to + at, (int)(bytes - at < 1 << 30 ? bytes - at : 1 << 30), MPI_BYTE, 0, all.peers.comm);
    all.lists[k] = to;
    return to;
}

// Cells of the grid are those of the whole scene on every rank, so that pairs have the same order.
static double base_of(const card_scene *s)
{
    const card_kind *kind = s->kind;
    double base = 1e300;
    for (int k = 0; k < s->shapes; k++) {
        const card_kind *of = &kind[s->kind_of[k]];
        if (of->type != CARD_PLANE && of->type != CARD_TRIANGLE) base = fmin(base, 2.0 * of->size);
    }
    return base < 1e300 ? 1.1 * base : 1.0;
}

static void spread_scene(const card_scene *from)
{
    card_scene *s = &all.scene;
    if (from) {
        *s = *from;
        s->cells = from->shapes;
        s->base = base_of(from);
    }
    MPI_Bcast(s, sizeof *s, MPI_BYTE, 0, all.peers.comm);
    const size_t triangles = (size_t)s->triangles;
    s->kind = spread_list(0, s->kind, (size_t)s->kinds * sizeof(card_kind));
    s->mass = spread_list(1, s->mass, (size_t)s->masses * sizeof(card_mass));
    s->surface = spread_list(2, s->surface, (size_t)(s->surfaces * s->surfaces) * sizeof(card_surface));
    s->corners = spread_list(3, s->corners, 9 * triangles * sizeof(double));
    s->triangle_shape = spread_list(4, s->triangle_shape, triangles * sizeof(int));
    s->triangle_open = spread_list(5, s->triangle_open, triangles * sizeof(int));
    s->peers = &all.peers;
    s->settle = clusters_settle;
    if (all.peers.rank > 0) s->settle_user = &all.own;
    all.peers.traffic = (peers_traffic){0};
    all.open = true;
}

static void drop_part(void)
{
    if (all.card) card_machine_part.destroy(all.card);
    all.card = NULL;
    part_give(&all.part);
    free(all.home);
    free(all.triangle_shape);
    all.home = NULL;
    all.triangle_shape = NULL;
}

// What has gone over the network, on average over steps; the most of any rank.
static void print_traffic(void)
{
    const peers_traffic *t = &all.peers.traffic;
    const double steps = t->steps > 0 ? (double)t->steps : 1.0, rounds = t->divisions > 0 ? (double)t->divisions : 1.0;
    const double own[6] = {t->sent / steps,  t->received / steps, t->messages / steps,
                           t->waits / steps, t->divided / rounds, (double)all.part.bodies};
    double most[6];
    MPI_Reduce(own, most, 6, MPI_DOUBLE, MPI_MAX, 0, all.peers.comm);
    if (all.peers.rank > 0 || t->steps == 0) return;
    fprintf(
        stderr,
        "polhode-mpi: %d rank%s, %lld steps: a rank has at most %.0f bodies with copies, and in a step sends %.0f bytes, "
        "gets %.0f, in %.0f messages and %.0f sums; %lld divisions of %.0f bytes for a rank\n",
        all.peers.count, all.peers.count == 1 ? "" : "s", t->steps, most[5], most[0], most[1], most[2], most[3],
        t->divisions, most[4]);
}

static void drop_scene(void)
{
    print_traffic();
    drop_part();
    for (int k = 0; k < 6; k++) free(all.lists[k]);
    memset(all.lists, 0, sizeof all.lists);
    if (all.peers.rank == 0) whole_give(&all.whole);
    peers_disconnect(&all.peers);
    all.open = false;
}

// ---- Parts ------------------------------------------------------------------------------------------------------------

static void send_part(const part *p, int to)
{
    const int counts[4] = {p->bodies, p->shapes, p->ghosts, p->contacts};
    peers_send(&all.peers, counts, sizeof counts, to, PARCEL);
    peers_send(&all.peers, p->memory, p->bytes, to, PARCEL);
}

static void get_part(part *p)
{
    size_t bytes;
    int *counts = peers_get(&all.peers, &bytes, 0, PARCEL);
    if (!part_take(p, counts[0], counts[1], counts[2], counts[3])) peers_give_up(&all.peers, "out of memory");
    free(counts);
    void *from = peers_get(&all.peers, &bytes, 0, PARCEL);
    memcpy(p->memory, from, bytes < p->bytes ? bytes : p->bytes);
    free(from);
}

static void put_old_contacts(void)
{
    const part *p = &all.part;
    int *start = peers_take(&all.peers, ((size_t)p->bodies + 2) * sizeof *start),
        *use = peers_take(&all.peers, 2 * (size_t)p->contacts * sizeof *use);
    memset(start, 0, ((size_t)p->bodies + 2) * sizeof *start);
    for (int i = 0; i < 2 * p->contacts; i++) start[(i & 1 ? p->old[i / 2].body_b : p->old[i / 2].body_a) + 2]++;
    for (int b = 0; b < p->bodies; b++) start[b + 2] += start[b + 1];
    for (int i = 0; i < 2 * p->contacts; i++)
        use[start[(i & 1 ? p->old[i / 2].body_b : p->old[i / 2].body_a) + 1]++] = i;
    const card_contacts contacts = {p->contacts, p->old, p->old_x, start, use};
    if (!card_machine_part.put_contacts(all.card, &contacts)) peers_give_up(&all.peers, "out of memory");
    free(start);
    free(use);
}

static card_state state_of_part(void)
{
    const part *p = &all.part;
    return (card_state){p->position, p->orientation, p->velocity, p->spin};
}

static void name_triangles(card_scene *s)
{
    all.triangle_shape = peers_take(&all.peers, (size_t)s->triangles * sizeof(int));
    for (int k = 0; k < s->triangles; k++)
        all.triangle_shape[k] = part_number(s->shape_name, s->shapes, s->triangle_shape[k]);
    s->triangle_shape = all.triangle_shape;
}

static void adopt_part(void)
{
    const part *p = &all.part;
    char why[256] = "";
    card_scene s = all.scene;
    s.bodies = p->bodies;
    s.shapes = p->shapes;
    s.mass_of = p->mass_of;
    s.moves = p->moves;
    s.kind_of = p->kind_of;
    s.body_of = p->body_of;
    s.owned = p->owned;
    s.body_name = p->body_name;
    s.shape_name = p->shape_name;
    name_triangles(&s);
    peers_connect(&all.peers, p->bodies, p->ghosts, p->ghost, p->owner, p->there);
    all.card = card_machine_part.create(&s, why);
    if (!all.card) peers_give_up(&all.peers, why);
    const card_state state = state_of_part();
    card_machine_part.put(all.card, &state);
    put_old_contacts();
    all.home = peers_take(&all.peers, 3 * (size_t)p->bodies * sizeof(double));
    memcpy(all.home, p->position, 3 * (size_t)p->bodies * sizeof(double));
}

// ---- To rank 0 --------------------------------------------------------------------------------------------------------

typedef struct body_parcel {
    int name;
    double numbers[STATE];
} body_parcel;

static void take_bodies(const body_parcel *list, size_t count)
{
    whole *w = &all.whole;
    for (size_t k = 0; k < count; k++) {
        const int b = list[k].name;
        const double *x = list[k].numbers;
        memcpy(w->position + 3 * b, x, 3 * sizeof *x);
        memcpy(w->orientation + 4 * b, x + 3, 4 * sizeof *x);
        memcpy(w->velocity + 3 * b, x + 7, 3 * sizeof *x);
        memcpy(w->spin + 3 * b, x + 10, 3 * sizeof *x);
    }
}

static size_t list_own_bodies(body_parcel *to)
{
    const part *p = &all.part;
    size_t count = 0;
    for (int b = 0; b < p->bodies; b++) {
        if (!p->owned[b]) continue;
        body_parcel *it = &to[count++];
        it->name = p->body_name[b];
        memcpy(it->numbers, p->position + 3 * b, 3 * sizeof(double));
        memcpy(it->numbers + 3, p->orientation + 4 * b, 4 * sizeof(double));
        memcpy(it->numbers + 7, p->velocity + 3 * b, 3 * sizeof(double));
        memcpy(it->numbers + 10, p->spin + 3 * b, 3 * sizeof(double));
    }
    return count;
}

// What each rank has listed, at rank 0.
static void collect(void *own, size_t count, size_t size, int tag, void (*accept)(const void *list, size_t count))
{
    if (all.peers.rank > 0) {
        peers_send(&all.peers, own, count * size, 0, tag);
        return;
    }
    accept(own, count);
    for (int r = 1; r < all.peers.count; r++) {
        size_t bytes;
        void *list = peers_get(&all.peers, &bytes, r, tag);
        accept(list, bytes / size);
        free(list);
    }
}

static void accept_bodies(const void *list, size_t count)
{
    take_bodies(list, count);
}

static void collect_state(void)
{
    const card_state state = state_of_part();
    body_parcel *list = peers_take(&all.peers, (size_t)all.part.bodies * sizeof *list);
    card_machine_part.get(all.card, &state);
    collect(list, list_own_bodies(list), sizeof *list, STATES, accept_bodies);
    free(list);
}

typedef struct contact_parcel {
    card_contact contact; // names
    float x[3];
} contact_parcel;

static size_t list_own_contacts(const card_contacts *from, contact_parcel *to)
{
    const part *p = &all.part;
    const card_contact *list = from->list;
    size_t count = 0;
    for (int k = 0; k < from->count; k++) {
        card_contact c = list[k];
        if (!p->owned[p->moves[c.body_a] ? c.body_a : c.body_b]) continue;
        c.shape_a = p->shape_name[c.shape_a];
        c.shape_b = p->shape_name[c.shape_b];
        c.body_a = p->body_name[c.body_a];
        c.body_b = p->body_name[c.body_b];
        to[count].contact = c;
        memcpy(to[count++].x, from->impulse + 3 * k, 3 * sizeof(float));
    }
    return count;
}

static void accept_contacts(const void *list, size_t count)
{
    whole *w = &all.whole;
    const contact_parcel *from = list;
    if (!whole_reserve(w, w->contacts + (int)count)) peers_give_up(&all.peers, "out of memory");
    for (size_t k = 0; k < count; k++) {
        w->old[w->contacts] = from[k].contact;
        memcpy(w->old_x + 3 * w->contacts++, from[k].x, sizeof from[k].x);
    }
}

// The same for the same contacts, whatever their order.
static uint64_t seal_of(int count, const card_contact *list, const float *x)
{
    uint64_t sum = (uint64_t)count;
    for (int k = 0; k < count; k++) {
        uint32_t bits[6] = {(uint32_t)list[k].shape_a, (uint32_t)list[k].shape_b, list[k].feature};
        memcpy(bits + 3, x + 3 * k, 3 * sizeof(float));
        uint64_t h = 0;
        for (int j = 0; j < 6; j++) h = (h ^ bits[j]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
        sum += h;
    }
    return sum;
}

static void collect_contacts(void)
{
    card_contacts contacts = {0};
    if (!card_machine_part.get_contacts(all.card, &contacts)) peers_give_up(&all.peers, "out of memory");
    contact_parcel *list = peers_take(&all.peers, (size_t)contacts.count * sizeof *list);
    all.whole.contacts = 0;
    collect(list, list_own_contacts(&contacts, list), sizeof *list, CONTACTS, accept_contacts);
    free(list);
    if (all.peers.rank == 0) all.seal = seal_of(all.whole.contacts, all.whole.old, all.whole.old_x);
}

// ---- Division -----------------------------------------------------------------------------------------------------------

// Has a body gone farther than it has promised?
static int is_broken(double h)
{
    const part *p = &all.part;
    const card_state state = state_of_part();
    const double *g = all.scene.gravity, gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    card_machine_part.get(all.card, &state);
    for (int b = 0; b < p->bodies; b++) {
        if (!p->owned[b]) continue;
        const double *x = p->position + 3 * b, *from = all.home + 3 * b;
        const double way = sqrt((x[0] - from[0]) * (x[0] - from[0]) + (x[1] - from[1]) * (x[1] - from[1]) +
                                (x[2] - from[2]) * (x[2] - from[2]));
        const double now = part_reach(p->reach[b], p->extent[b], p->velocity + 3 * b, p->spin + 3 * b, gravity, h);
        if (!(way + now <= p->promise[b])) return 1;
    }
    return 0;
}

static void divide(double h, bool fresh)
{
    part *parts = all.peers.rank == 0 ? peers_take(&all.peers, (size_t)all.peers.count * sizeof *parts) : NULL;
    if (all.card && !fresh) {
        collect_state();
        collect_contacts();
    }
    drop_part();
    if (all.peers.rank == 0) {
        if (!whole_divide(&all.whole, h, parts, all.peers.count)) peers_give_up(&all.peers, "out of memory");
        for (int r = 1; r < all.peers.count; r++) {
            send_part(&parts[r], r);
            part_give(&parts[r]);
        }
        all.part = parts[0];
    } else
        get_part(&all.part);
    free(parts);
    adopt_part();
    all.fresh = false;
    all.peers.traffic.divisions++;
}

// ---- Steps ------------------------------------------------------------------------------------------------------------

static void add_report(const card_report *one, card_report *to)
{
    to->steps += one->steps;
    to->contacts = one->contacts > to->contacts ? one->contacts : to->contacts;
    to->missed += one->missed;
    to->passes += one->passes;
    to->residual = fmax(to->residual, one->residual);
    to->overlap = fmax(to->overlap, one->overlap);
    to->friction += one->friction;
    to->impact += one->impact;
    to->bytes = one->bytes;
}

static bool make_steps(double h, long long count, card_report *report, char why[256])
{
    bool good = true;
    memset(report, 0, sizeof *report);
    for (long long k = 0; k < count && good; k++) {
        card_report one;
        int flags[2] = {all.fresh || !all.card || is_broken(h), all.fresh};
        MPI_Allreduce(MPI_IN_PLACE, flags, 2, MPI_INT, MPI_MAX, all.peers.comm);
        if (flags[0]) divide(h, flags[1]);
        good = card_machine_part.steps(all.card, h, 1, &one, why);
        if (!good && strstr(why, "memory")) peers_give_up(&all.peers, why);
        add_report(&one, report);
        all.peers.traffic.steps++;
    }
    all.current = false;
    return good;
}

void ranks_serve(void)
{
    for (;;) {
        order o;
        card_report report;
        char why[256];
        MPI_Bcast(&o, sizeof o, MPI_BYTE, 0, all.peers.comm);
        if (o.kind == ORDER_END) break;
        if (o.kind == ORDER_CREATE) spread_scene(NULL);
        if (o.kind == ORDER_DESTROY) drop_scene();
        if (o.kind == ORDER_STEPS) make_steps(o.h, o.count, &report, why);
        if (o.kind == ORDER_STATE) collect_state();
        if (o.kind == ORDER_CONTACTS) collect_contacts();
    }
    peers_close(&all.peers);
}

void ranks_end(void)
{
    if (all.open) {
        tell(ORDER_DESTROY, 0.0, 0);
        drop_scene();
    }
    tell(ORDER_END, 0.0, 0);
    peers_close(&all.peers);
}

// ---- Rank 0 -----------------------------------------------------------------------------------------------------------

static bool may_create(const card_scene *s, char why[256])
{
    if (all.open) {
        snprintf(why, 256, "one simulation at a time runs on all ranks");
        return false;
    }
    if (!whole_take(&all.whole, s)) {
        snprintf(why, 256, "out of memory");
        return false;
    }
    bool finite = true;
    for (int b = 0; b < s->bodies; b++) finite = finite && isfinite(all.whole.reach[b]);
    if (!finite)
        snprintf(why, 256, "a plane that moves has no end, and every rank would need a copy: leave it fixed");
    else if (all.whole.moving < all.peers.count)
        snprintf(why, 256, "%d ranks for %d bodies that move: start at most %d ranks", all.peers.count,
                 all.whole.moving, all.whole.moving);
    return finite && all.whole.moving >= all.peers.count;
}

static card *create(const card_scene *s, char why[256])
{
    if (!may_create(s, why)) {
        if (!all.open) whole_give(&all.whole);
        return NULL;
    }
    tell(ORDER_CREATE, 0.0, 0);
    spread_scene(s);
    all.fresh = true;
    return (card *)&all;
}

static void destroy(card *c)
{
    (void)c;
    tell(ORDER_DESTROY, 0.0, 0);
    drop_scene();
}

static const char *name(const card *c)
{
    (void)c;
    return "ranks of MPI";
}

static bool is_same(const card_state *s)
{
    const whole *w = &all.whole;
    const size_t n = (size_t)w->bodies * sizeof(double);
    return memcmp(w->position, s->position, 3 * n) == 0 && memcmp(w->orientation, s->orientation, 4 * n) == 0 &&
           memcmp(w->velocity, s->velocity, 3 * n) == 0 && memcmp(w->spin, s->spin, 3 * n) == 0;
}

static bool put(card *c, const card_state *s)
{
    (void)c;
    const whole *w = &all.whole;
    const size_t n = (size_t)w->bodies * sizeof(double);
    if (all.card && all.current && is_same(s)) return true;
    memcpy(w->position, s->position, 3 * n);
    memcpy(w->orientation, s->orientation, 4 * n);
    memcpy(w->velocity, s->velocity, 3 * n);
    memcpy(w->spin, s->spin, 3 * n);
    all.fresh = true;
    return true;
}

static bool get(card *c, const card_state *s)
{
    (void)c;
    const whole *w = &all.whole;
    const size_t n = (size_t)w->bodies * sizeof(double);
    tell(ORDER_STATE, 0.0, 0);
    collect_state();
    all.current = true;
    memcpy(s->position, w->position, 3 * n);
    memcpy(s->orientation, w->orientation, 4 * n);
    memcpy(s->velocity, w->velocity, 3 * n);
    memcpy(s->spin, w->spin, 3 * n);
    return true;
}

static bool put_contacts(card *c, const card_contacts *from)
{
    (void)c;
    whole *w = &all.whole;
    if (all.card && seal_of(from->count, from->list, from->impulse) == all.seal) return true;
    if (!whole_reserve(w, from->count)) return false;
    if (from->count) memcpy(w->old, from->list, (size_t)from->count * sizeof *w->old);
    if (from->count) memcpy(w->old_x, from->impulse, 3 * (size_t)from->count * sizeof *w->old_x);
    w->contacts = from->count;
    all.fresh = true;
    return true;
}

static bool get_contacts(card *c, card_contacts *to)
{
    (void)c;
    tell(ORDER_CONTACTS, 0.0, 0);
    collect_contacts();
    *to = (card_contacts){.count = all.whole.contacts, .list = all.whole.old, .impulse = all.whole.old_x};
    return true;
}

static bool steps(card *c, double h, long long count, card_report *report, char why[256])
{
    (void)c;
    tell(ORDER_STEPS, h, count);
    return make_steps(h, count, report, why);
}

const card_machine card_machine_ranks = {create, destroy, name, put, get, put_contacts, get_contacts, steps};
