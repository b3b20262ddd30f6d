// Free bodies beside bodies that joints hold, in one model: the contacts of a step are parted.
//
// Bodies that contacts, joints and stiff springs connect are an island; what cannot move connects nothing. Contacts between free bodies
// without rolling and spinning friction are what heap/heap.h is made for, and go there where an island has many of them; all others go to
// trees, or by rows where joints cannot. Islands that are of the heap alone know nothing of the rest: the heap begins with the
// velocities that the other path leaves to bodies it does not move. A machine in a heap is one island with it: then both are solved together,
// pass by pass (moreau_linked.c).
//
// While the step is made, the list of the detector has the contacts of the other path first and then those of the heap, each in
// its order. The state gets them in the order of the detector.
#include "schemes/moreau_trees.h"

#include <string.h>

enum {
    SMALL = 16,       // contacts of an island that takes no longer by trees, and comes out exactly there
    LINKED_LEAST = 60 // contacts between free bodies of one with others, which takes more to begin with
};

// Contacts of an island.
struct island_points {
    int free, others; // between free bodies, as the heap has them, and all others
    bool tied;        // joints or springs are in it
    bool bounces;     // some contact has restitution
};

// ---- Life -----------------------------------------------------------------------------------------------------------

static void mark_jointed(const moreau *m)
{
    const ph_model *model = m->model;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++) {
            const int moving = model->bodies[model->joints[j].bodies[k]].moving;
            if (moving >= 0) m->both.jointed[moving] = true;
        }
}

static bool is_auto(const moreau *m)
{
    return strcmp(m->contact.solver, "auto") == 0;
}

bool moreau_both_create(moreau *m)
{
    moreau_both *b = &m->both;
    const bool may = m->mode == MODE_JOINTS || m->mode == MODE_SPRINGS || m->mode == MODE_ROLLING;
    if (!may || !is_auto(m) || m->contact.law != PH_LAW_COULOMB) return true;
    const size_t n = (size_t)m->model->moving_count;
    b->jointed = arena_alloc_array(m->memory, n, sizeof *b->jointed);
    b->heaped = arena_alloc_array(m->memory, n, sizeof *b->heaped);
    b->island = arena_alloc_array(m->memory, n, sizeof *b->island);
    b->points = arena_alloc_array(m->memory, n, sizeof *b->points);
    b->pushed = arena_alloc_array(m->memory, n, sizeof *b->pushed);
    if (!b->jointed || !b->heaped || !b->island || !b->points || !b->pushed) return false;
    memset(b->pushed, 0, n * sizeof *b->pushed);
    memset(b->jointed, 0, n * sizeof *b->jointed);
    mark_jointed(m);
    for (size_t k = 0; k < n; k++) b->may = b->may || !b->jointed[k];
    return true;
}

void moreau_both_destroy(moreau *m)
{
    mem_free(&m->model->allocator, m->both.list.at);
    mem_free(&m->model->allocator, m->both.place.at);
}

// ---- Islands --------------------------------------------------------------------------------------------------------

static int island_of(const moreau *m, int k)
{
    int *parent = m->both.island;
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void connect(const moreau *m, int a, int b)
{
    if (a < 0 || b < 0) return;
    const int p = island_of(m, a), q = island_of(m, b);
    m->both.island[p > q ? p : q] = p > q ? q : p;
}

static int island_at(const moreau *m, int contact)
{
    const contact_pair pair = contacts_pair(contacts_of(m), contact);
    return island_of(m, pair.a >= 0 ? pair.a : pair.b);
}

static bool rolls(const moreau *m, int contact)
{
    if (!m->detector->shapes.may_roll) return false;
    const detected c = contacts_at(contacts_of(m), contact);
    const pair_surface s = contacts_surface(contacts_of(m), &c);
    return s.rolling > 0.0 || s.spinning > 0.0;
}

static void tie(const moreau *m, int k)
{
    if (k >= 0) m->both.points[island_of(m, k)].tied = true;
}

// Both bodies are free, or cannot move, and friction is all there is.
static bool is_free(const moreau *m, int contact)
{
    const contact_pair pair = contacts_pair(contacts_of(m), contact);
    const bool *jointed = m->both.jointed;
    return !(pair.a >= 0 && jointed[pair.a]) && !(pair.b >= 0 && jointed[pair.b]) && !rolls(m, contact);
}

static bool may_bounce(const moreau *m, int contact)
{
    if (!m->detector->shapes.may_bounce) return false;
    const detected c = contacts_at(contacts_of(m), contact);
    return contacts_surface(contacts_of(m), &c).restitution > 0.0;
}

static void count_points(const moreau *m)
{
    const moreau_both *b = &m->both;
    const int count = contacts_of(m)->count, bodies = m->model->moving_count;
    for (int k = 0; k < bodies; k++) b->island[k] = k, b->points[k] = (struct island_points){0};
    for (int i = 0; i < count; i++) {
        const contact_pair pair = contacts_pair(contacts_of(m), i);
        connect(m, pair.a, pair.b);
    }
    for (int k = 0; k < bodies; k++)
        if (b->jointed[k]) tie(m, k);
    for (int n = 0; m->trees && n < m->trees->spring_count; n++) {
        const tree_spring *s = &m->trees->springs[n];
        if (s->count > 0) tie(m, s->a), tie(m, s->b);
    }
    for (int i = 0; i < count; i++) {
        struct island_points *points = &b->points[island_at(m, i)];
        const bool free = is_free(m, i);
        points->free += free;
        points->others += !free;
        points->bounces = points->bounces || may_bounce(m, i);
    }
}

// Where the contacts of an island between free bodies go to the heap, and the others stay.
static bool is_mixed(const moreau *m, const struct island_points *p)
{
    return m->trees && !p->bounces && p->free > LINKED_LEAST && p->free > p->others;
}

static bool goes_to_heap(const moreau *m, int contact)
{
    const struct island_points *p = &m->both.points[island_at(m, contact)];
    if (p->tied || p->others > 0) return is_mixed(m, p) && is_free(m, contact);
    return p->free > SMALL;
}

// How many contacts go to the heap, and on which bodies.
static int choose_contacts(moreau *m)
{
    moreau_both *b = &m->both;
    int all = 0;
    b->linked = false;
    for (int k = 0; k < m->model->moving_count; k++) {
        const struct island_points *p = &b->points[k];
        const bool alone = !p->tied && p->others == 0, goes = alone ? p->free > SMALL : is_mixed(m, p);
        if (b->island[k] != k || !goes) continue;
        all += p->free;
        b->linked = b->linked || !alone;
    }
    return all;
}

// ---- The list -------------------------------------------------------------------------------------------------------

static bool reserve_list(moreau *m, buffer *b, size_t bytes)
{
    m->now.growths += bytes > b->bytes;
    return buffer_reserve(&m->model->allocator, b, bytes);
}

static contact_set part_of(const contact_set *whole, int from, int to)
{
    contact_set part = *whole;
    part.list = whole->list + from;
    part.count = part.others = to - from;
    return part;
}

static void part_list(moreau *m, int of_heap)
{
    moreau_both *b = &m->both;
    contact_set *found = &m->detector->found;
    detected *list = b->list.at;
    int *place = b->place.at, held = 0, free = found->count - of_heap;
    for (int k = 0; k < m->model->moving_count; k++) b->heaped[k] = false;
    for (int i = 0; i < found->count; i++) {
        const contact_pair pair = contacts_pair(found, i);
        const bool heaped = goes_to_heap(m, i);
        const int to = heaped ? free++ : held++;
        list[to] = found->list[i];
        place[to] = i;
        if (heaped && pair.a >= 0) b->heaped[pair.a] = true;
        if (heaped && pair.b >= 0) b->heaped[pair.b] = true;
    }
    memcpy(found->list, list, sizeof *list * (size_t)found->count);
    b->held = part_of(found, 0, held);
    b->free = part_of(found, held, found->count);
    b->parted = true;
}

bool moreau_part_contacts(moreau *m)
{
    moreau_both *b = &m->both;
    const size_t count = (size_t)contacts_of(m)->count;
    b->parted = false;
    if (!b->may || m->now.h < 0.0 || count <= SMALL) return true;
    count_points(m);
    const int of_heap = choose_contacts(m);
    if (of_heap == 0 || !moreau_suits_heap(m, of_heap)) return true;
    if (!reserve_list(m, &b->list, count * sizeof(detected)) || !reserve_list(m, &b->place, count * sizeof(int)))
        return false;
    part_list(m, of_heap);
    return true;
}

contact_set moreau_sorted_contacts(const moreau *m, detected *list)
{
    contact_set sorted = *contacts_of(m);
    const int *place = m->both.place.at;
    if (!m->both.parted) return sorted;
    for (int i = 0; i < sorted.count; i++) list[place[i]] = sorted.list[i];
    sorted.list = list;
    return sorted;
}

void moreau_sort_by_contact(const moreau *m, bool parts, const ph_vec3 *by_contact, ph_vec3 *to)
{
    const int *place = m->both.place.at;
    for (int i = 0; i < contacts_of(m)->count; i++) {
        const int at = m->both.parted ? place[i] : i;
        to[parts ? i : at] = by_contact[parts ? at : i];
    }
}

// As the detector had it.
void moreau_join_contacts(moreau *m)
{
    contact_set *found = &m->detector->found;
    if (!m->both.parted) return;
    const contact_set sorted = moreau_sorted_contacts(m, m->both.list.at);
    memcpy(found->list, sorted.list, sizeof *sorted.list * (size_t)found->count);
    m->both.parted = false;
}

// ---- The path -------------------------------------------------------------------------------------------------------

static const moreau_path *other_path(const moreau *m)
{
    return m->trees ? &moreau_path_trees : &moreau_path_rows;
}

static ph_status begin(moreau *m)
{
    const ph_status status = other_path(m)->begin(m);
    return status == PH_OK ? moreau_path_heap.begin(m) : status;
}

static void add_report(ph_cone_report *report, const ph_cone_report *heap)
{
    report->solver = report->solver ? "both" : heap->solver;
    if (heap->iterations > report->iterations) report->iterations = heap->iterations;
    report->residual = ph_max(report->residual, heap->residual);
}

// What the heap leaves unsolved goes the other way, as if there were no heap. A machine that jams has no solution, and would be looked at
// for long: beside one the heap is never far off.
static ph_status solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    ph_cone_report own = {0};
    ph_status status = other_path(m)->solve(m, settings, report);
    if (is_linked(m))
        own = m->both.report;
    else if (status == PH_OK)
        status = moreau_path_heap.solve(m, settings, &own);
    const double residual = is_linked(m) ? 0.0 : own.residual;
    const bool missed = own.residual > m->contact.tolerance && moreau_may_finish(m, m->both.free.count, residual);
    if (status != PH_OK || !missed) {
        add_report(report, &own);
        return status;
    }
    moreau_join_contacts(m);
    m->both.far_off = moreau_is_far_off(m, residual);
    m->now.path = other_path(m);
    status = m->now.path->begin(m);
    return status == PH_OK ? m->now.path->solve(m, settings, report) : status;
}

static double work_of(moreau *m)
{
    const double other = other_path(m)->end.work(m);
    const contact_work work = m->now.work;
    const double all = other + moreau_path_heap.end.work(m);
    m->now.work.friction += work.friction;
    m->now.work.impact += work.impact;
    return all;
}

static ph_vec3 impulse_of(const moreau *m, int contact)
{
    const moreau_path *path = contact < m->both.held.count ? other_path(m) : &moreau_path_heap;
    return path->end.impulse(m, contact);
}

static bool reserve(const moreau *m, ph_state *state, int more)
{
    return state_reserve_contacts(state, contacts_of(m)->count + more);
}

// Into the order of the detector.
static void sort_contacts(const moreau *m, ph_contact *contacts)
{
    int *place = m->both.place.at;
    for (int i = 0; i < contacts_of(m)->count; i++)
        while (place[i] != i) {
            const int to = place[i];
            const ph_contact it = contacts[i];
            contacts[i] = contacts[to];
            contacts[to] = it;
            place[i] = place[to];
            place[to] = to;
        }
}

static void keep(const moreau *m, ph_state *state, int at)
{
    other_path(m)->end.keep(m, state, at);
    moreau_path_heap.end.keep(m, state, at + m->both.held.count);
    sort_contacts(m, state->contacts + at);
}

const moreau_path moreau_path_both = {"both", begin, solve, {work_of, impulse_of, reserve, keep}};
