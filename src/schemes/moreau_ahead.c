// What the velocities of a step of `moreau` lead to, before the state gets it.
//
// A step asks of the points it knows at its beginning, along the normals they have there, that gaps do not close:
//
//     phi_i + h n_i . u_i(v+) >= 0                                                                          (1)
//
// A body that turns by an angle theta leaves that by r theta^2/2, and edges and corners may close for which no point stood.
// So points are looked for where the step ends, too. Of pairs that overlap there by more than is allowed, and than they did at
// the beginning, they join the list, linear about the end as the others are about the beginning,
//
//     phi_i(q+) + h n_i . (u_i(v) - u_i(v+)) >= 0                                                           (2)
//
// which is (1) with the gap phi_i(q+) - h n_i . u_i(v+); and the step is solved again. Not so of round shapes: the point at which a
// rim touches runs along it, and to hold it at both ends would be to hold what rolls. They may overlap by more.
#include "schemes/moreau.h"

#include <math.h>
#include <string.h>

// ---- The end of the step --------------------------------------------------------------------------------------------

static ph_vec3 moved(const moreau *m, int body)
{
    return ph_sub(m->ahead.frames[body].x, moreau_place(m, body));
}

static void set_ends(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        m->ahead.ways[i] = (body_way){ph_zero3(), 0.0};
        if (is_asleep(m, i) || m->ahead.held[i]) continue;
        const moreau_end end = moreau_end_of(m, k);
        m->ahead.frames[i] = (frame){ph_quat_to_mat(end.orientation), end.position};
        m->ahead.ways[i] = (body_way){moved(m, i), m->now.h * ph_norm(m->bodies.after[k].angular)};
    }
}

// Points at the end of the step, of shapes that all but touch. The list of its beginning is needed still.
static ph_status detect_at_end(moreau *m, contact_set *found)
{
    detector *d = m->detector;
    moreau_ahead *p = &m->ahead;
    const detector kept = *d;
    const poses at = poses_of_frames(p->frames);
    memcpy(p->frames, m->node.frames, sizeof *p->frames * model_places(m->model));
    for_bodies(m, set_ends);
    d->scratch = &p->scratch;
    d->room = p->room;
    d->options = (detector_options){.asleep = kept.options.asleep, .ways = p->ways};
    const ph_status status = detector_run(d, &at, &kept.now.moving, 0.0);
    *found = d->found;
    p->room = d->room;
    m->now.growths += d->growths;
    d->scratch = kept.scratch;
    d->room = kept.room;
    d->options = kept.options;
    d->found = kept.found;
    d->now = kept.now;
    return status;
}

// ---- Overlap --------------------------------------------------------------------------------------------------------

// The overlap that a pair of shapes had when the step began; *at: where to go on in its list.
static double depth_before(const contact_set *found, int a, int b, int *at)
{
    const uint64_t order = shapes_order(found->shapes, a, b);
    double depth = 0.0;
    for (; *at < found->count; ++*at) {
        const detected_gap c = contacts_gap_at(found, *at);
        const uint64_t other = shapes_order(found->shapes, c.shape_a, c.shape_b);
        if (other > order) break;
        if (other == order) depth = ph_max(depth, -c.gap);
    }
    return depth;
}

// By how much an overlap at the end is new, by what is allowed; *at: as above.
static double surprise(const contact_set *begin, const contact_set *end, int first, int last, int *at)
{
    const detected *c = &end->list[first];
    const detector_shape *shapes = end->shapes->shapes;
    double deepest = 0.0;
    for (int i = first; i < last; i++) deepest = ph_max(deepest, -end->list[i].gap);
    if (!(deepest > 0.0) || contacts_surface(end, c).compliance > 0.0) return 0.0;
    const double allowed = fmin(shapes[c->shape_a].kind->slack, shapes[c->shape_b].kind->slack);
    return deepest / ph_max(allowed, 1.1 * depth_before(begin, c->shape_a, c->shape_b, at));
}

// Points of one pair, from `first` on.
static int end_of_pair(const contact_set *c, int first)
{
    int i = first + 1;
    while (i < c->count && c->list[i].shape_a == c->list[first].shape_a && c->list[i].shape_b == c->list[first].shape_b)
        i++;
    return i;
}

static bool has_corners(const contact_set *c, int i)
{
    const detector_shape *shapes = c->shapes->shapes;
    return !shapes[c->list[i].shape_a].kind->is_round && !shapes[c->list[i].shape_b].kind->is_round;
}

static bool is_held(const moreau *m, int body_a, int body_b)
{
    return m->ahead.held[body_a] || m->ahead.held[body_b];
}

// Points at the end of pairs with corners that surprise move to the front of their list. Returns how many.
static int choose_surprising(moreau *m, const contact_set *begin, contact_set *end)
{
    int chosen = 0, at = 0;
    m->ahead.overlap = 0.0;
    for (int i = 0, next; i < end->count; i = next) {
        next = end_of_pair(end, i);
        if (is_held(m, end->list[i].body_a, end->list[i].body_b)) continue;
        const double by = surprise(begin, end, i, next, &at);
        m->ahead.overlap = ph_max(m->ahead.overlap, by);
        for (int k = i; k < next && by > 1.0 && has_corners(end, i); k++) end->list[chosen++] = end->list[k];
    }
    return chosen;
}

// ---- The longer list ------------------------------------------------------------------------------------------------

static ph_vec3 velocity_at(const moreau *m, int body, ph_vec3 point)
{
    const int k = m->detector->shapes.moving[body];
    if (k < 0) return ph_zero3();
    return ph_add(m->bodies.after[k].linear,
                  ph_cross(m->bodies.after[k].angular, ph_sub(point, moreau_place(m, body))));
}

// (2), as a point of the beginning: where forces act moves back with the bodies, with the mean of two that move.
static detected point_of_end(const moreau *m, detected c)
{
    enum { AT_END = 60 }; // features of the end have a bit of their own
    const shape_set *shapes = &m->detector->shapes;
    const bool a = shapes->moving[c.body_a] >= 0, b = shapes->moving[c.body_b] >= 0;
    const ph_vec3 way_a = a ? moved(m, c.body_a) : moved(m, c.body_b),
                  way_b = b ? moved(m, c.body_b) : moved(m, c.body_a);
    c.point = ph_madd(c.point, -0.5, ph_add(way_a, way_b));
    const ph_vec3 u = ph_sub(velocity_at(m, c.body_b, c.point), velocity_at(m, c.body_a, c.point));
    c.gap -= m->now.h * ph_dot(c.normal, u);
    c.feature ^= (uint64_t)1 << AT_END << m->ahead.passes;
    return c;
}

static bool is_later(const shape_set *shapes, const detected *a, const detected *b)
{
    const uint64_t own = shapes_order(shapes, a->shape_a, a->shape_b),
                   other = shapes_order(shapes, b->shape_a, b->shape_b);
    return own > other || (own == other && a->feature > b->feature);
}

static void sort_pairs(const shape_set *shapes, detected *list, int count)
{
    for (int k = 1; k < count; k++) {
        const detected it = list[k];
        int at = k;
        for (; at > 0 && is_later(shapes, &list[at - 1], &it); at--) list[at] = list[at - 1];
        list[at] = it;
    }
}

static bool reserve(moreau *m, buffer *b, size_t bytes)
{
    m->now.growths += bytes > b->bytes;
    return buffer_reserve(&m->model->allocator, b, bytes);
}

// Both lists in `to`, in the order of the detector, whose contacts have the impulses `own`.
static void merge(moreau *m, const ph_vec3 *own, const detected *more, int count, detected *to)
{
    contact_set *c = &m->detector->found;
    const int all = c->count + count;
    ph_vec3 *impulse = m->ahead.impulses.at;
    for (int i = 0, k = 0, n = 0; n < all; n++) {
        const bool first = k == count || (i < c->count && !is_later(c->shapes, &c->list[i], &more[k]));
        impulse[n] = first ? own[i] : ph_zero3();
        to[n] = first ? c->list[i++] : more[k++];
    }
    c->list = to;
    c->count = c->others = all;
}

// Both lists in one; impulses go on from where they are.
static ph_status join(moreau *m, detected *more, int count)
{
    const contact_set *c = contacts_of(m);
    const size_t before = (size_t)c->count, all = before + (size_t)count;
    buffer *list = &m->ahead.joined[m->ahead.passes % 2]; // the other one may be the list
    if (!reserve(m, list, sizeof(detected) * all) || !reserve(m, &m->ahead.impulses, sizeof(ph_vec3) * all) ||
        !reserve(m, &m->ahead.own, sizeof(ph_vec3) * all))
        return PH_OUT_OF_MEMORY;
    for (int k = 0; k < count; k++) more[k] = point_of_end(m, more[k]);
    sort_pairs(c->shapes, more, count);
    ph_vec3 *impulses = m->ahead.impulses.at, *own = m->ahead.own.at;
    for (int i = 0; i < c->count; i++) impulses[i] = m->now.path->end.impulse(m, i);
    moreau_sort_by_contact(m, false, impulses, own);
    moreau_join_contacts(m);
    merge(m, own, more, count, list->at);
    memcpy(own, impulses, sizeof *own * all);
    if (!moreau_part_contacts(m)) return PH_OUT_OF_MEMORY;
    moreau_sort_by_contact(m, true, own, impulses);
    return PH_OK;
}

// ---- The door -------------------------------------------------------------------------------------------------------

static void mark_held(const moreau *m)
{
    const ph_model *model = m->model;
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++) m->ahead.held[model->joints[j].bodies[k]] = true;
    for (size_t i = 0; i < model_places(model); i++)
        m->ahead.held[i] = m->ahead.held[i] && model->bodies[i].moving >= 0;
}

// Whether there is anything to look for: in the grip of a machine a body need not be looked at.
static bool may_surprise(const moreau *m)
{
    const contact_set *c = contacts_of(m);
    bool may = !has_joints(m);
    for (int i = 0; i < c->count && !may; i++) may = !is_held(m, c->list[i].body_a, c->list[i].body_b);
    return may;
}

bool moreau_ahead_create(moreau *m)
{
    moreau_ahead *p = &m->ahead;
    const shape_set *shapes = &m->detector->shapes;
    p->held = arena_alloc_array(m->memory, model_places(m->model), sizeof *p->held);
    if (!p->held) return false;
    memset(p->held, 0, sizeof *p->held * model_places(m->model));
    mark_held(m);
    for (int k = 0; k < shapes->count; k++) {
        const detector_shape *s = &shapes->shapes[k];
        p->watches = p->watches || (s->kind->moves && !s->kind->is_ball && !p->held[s->body]);
    }
    p->watches = p->watches && m->node.frames;
    const size_t places = p->watches ? model_places(m->model) : 0;
    p->frames = arena_alloc_array(m->memory, places, sizeof *p->frames);
    p->ways = arena_alloc_array(m->memory, places, sizeof *p->ways);
    if (!p->frames || !p->ways) return false;
    memset(p->ways, 0, places * sizeof *p->ways); // of bodies that cannot move
    return true;
}

void moreau_ahead_destroy(moreau *m)
{
    const ph_allocator *allocator = &m->model->allocator;
    scratch_free(allocator, &m->ahead.scratch);
    void *arrays[] = {m->ahead.room.at, m->ahead.joined[0].at, m->ahead.joined[1].at, m->ahead.impulses.at,
                      m->ahead.own.at};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(allocator, arrays[k]);
}

ph_status moreau_look_ahead(moreau *m, bool *again)
{
    enum { PASSES_MOST = 3 };
    moreau_ahead *p = &m->ahead;
    contact_set end;
    *again = false;
    p->overlap = 0.0;
    if (!p->watches || m->now.h < 0.0 || !may_surprise(m)) return PH_OK;
    const ph_status status = detect_at_end(m, &end);
    if (status != PH_OK) return status;
    const contact_set begin = moreau_sorted_contacts(m, m->both.list.at);
    const int count = choose_surprising(m, &begin, &end);
    if (count == 0 || p->passes == PASSES_MOST) return PH_OK;
    *again = true;
    const ph_status joined = join(m, end.list, count);
    p->passes++;
    return joined;
}
