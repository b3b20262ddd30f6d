// Who collides. Files say it by bit masks of geoms, excluded bodies and pairs; the model by pairs of bodies.

#include "io/robot/build.h"

#include <math.h>

enum { PAIRS_MAX = 20000 };

typedef struct pair_list {
    ph_contact_pair *pairs;
    int count, room;
} pair_list;

static bool masks_meet(const robot_geom *a, const robot_geom *c)
{
    return (a->contact_type & c->contact_with) || (c->contact_type & a->contact_with);
}

static int body_of(const builder *b, const robot_geom *g)
{
    const robot_body *body = &b->r->bodies[g->body];
    return body->carrier == ROBOT_WORLD ? body->index : b->r->bodies[body->carrier].index;
}

ph_contact_pair *build_find_pair(ph_contact_pair *pairs, int count, int a, int c)
{
    for (int i = 0; i < count; i++) {
        ph_contact_pair *p = &pairs[i];
        if ((p->body_a == a && p->body_b == c) || (p->body_a == c && p->body_b == a)) {
            return p;
        }
    }
    return NULL;
}

static void append_pair(builder *b, pair_list *list, ph_contact_pair pair)
{
    if (mem_reserve(NULL, &list->pairs, &list->room, list->count + 1, sizeof *list->pairs)) {
        list->pairs[list->count++] = pair;
    } else {
        b->r->out_of_memory = true;
    }
}

static void put_pair(builder *b, pair_list *list, ph_contact_pair pair)
{
    ph_contact_pair *known = build_find_pair(list->pairs, list->count, pair.body_a, pair.body_b);
    if (known) {
        *known = pair;
    } else {
        append_pair(b, list, pair);
    }
}

// ---- Two bodies -----------------------------------------------------------------------------------------------------------

typedef struct meeting {
    bool any, all; // of the geoms of the two bodies
    double friction, spinning, rolling;
    bool differs; // from what the shapes say, as these count the smaller friction
} meeting;

static void meet(meeting *m, const robot_geom *a, const robot_geom *c)
{
    const robot_geom *first = a->priority > c->priority ? a : c->priority > a->priority ? c : NULL;
    const int condim = first ? first->condim : a->condim > c->condim ? a->condim : c->condim;
    double f[3];
    for (int k = 0; k < 3; k++) f[k] = first ? first->friction[k] : fmax(a->friction[k], c->friction[k]);
    const double sliding = condim == 1 ? 0.0 : f[0], spinning = condim >= 4 ? f[1] : 0.0,
                 rolling = condim >= 6 ? f[2] : 0.0;
    const double own_a = a->condim == 1 ? 0.0 : a->friction[0], own_c = c->condim == 1 ? 0.0 : c->friction[0];
    m->differs = m->differs || sliding != fmin(own_a, own_c);
    m->friction = fmax(m->friction, sliding);
    m->spinning = fmax(m->spinning, spinning);
    m->rolling = fmax(m->rolling, rolling);
}

static meeting meeting_of(const builder *b, const int *first, const int *next, int x, int y)
{
    meeting m = {.all = true};
    for (int i = first[x]; i >= 0; i = next[i]) {
        for (int k = first[y]; k >= 0; k = next[k]) {
            const robot_geom *a = &b->r->geoms[i], *c = &b->r->geoms[k];
            const bool met = masks_meet(a, c);
            m.any = m.any || met;
            m.all = m.all && met;
            if (met) meet(&m, a, c);
        }
    }
    return m;
}

// Geoms of each body of the spec that can collide, as chains.
static bool list_geoms(builder *b, int **first, int **next)
{
    robot *r = b->r;
    const int bodies = b->spec->body_count;
    *first = robot_alloc(r, (size_t)bodies + 1, sizeof **first);
    *next = robot_alloc(r, (size_t)r->geoms_count + 1, sizeof **next);
    for (int i = 0; *first && i < bodies; i++) (*first)[i] = -1;
    for (int i = r->geoms_count - 1; *first && *next && i >= 0; i--) {
        const robot_geom *g = &r->geoms[i];
        const int body = body_of(b, g);
        (*next)[i] = -1;
        if (body >= 0 && (g->contact_type || g->contact_with)) {
            (*next)[i] = (*first)[body];
            (*first)[body] = i;
        }
    }
    return *first && *next;
}

static bool uniform(const robot *r)
{
    const robot_geom *one = NULL;
    for (int i = 0; i < r->geoms_count; i++) {
        const robot_geom *g = &r->geoms[i];
        if (g->contact_type == 0 && g->contact_with == 0) continue;
        if (!one) one = g;
        if (!masks_meet(g, g) || g->contact_type != one->contact_type || g->contact_with != one->contact_with ||
            g->condim != one->condim || g->friction[0] != one->friction[0] || g->priority != one->priority) {
            return false;
        }
    }
    return true;
}

static bool joined(const builder *b, int x, int y)
{
    for (int i = 0; i < b->spec->joint_count; i++) {
        const ph_joint_def *j = &b->spec->joints[i];
        if ((j->body_a == x && j->body_b == y) || (j->body_a == y && j->body_b == x)) {
            return true;
        }
    }
    return false;
}

static bool pair_up(builder *b, pair_list *list, const int *first, const int *next)
{
    const spec_body *bodies = b->spec->bodies;
    bool meets = false, mixed = false;
    for (int x = 0; x < b->spec->body_count; x++) {
        for (int y = x + 1; y < b->spec->body_count && list->count < PAIRS_MAX; y++) {
            if (first[x] < 0 || first[y] < 0 || (bodies[x].def.fixed && bodies[y].def.fixed) || joined(b, x, y)) {
                continue;
            }
            const meeting m = meeting_of(b, first, next, x, y);
            ph_contact_pair pair = ph_default_pair();
            pair.body_a = x, pair.body_b = y, pair.collide = m.any;
            meets = meets || m.any;
            mixed = mixed || (m.any && !m.all);
            if (m.any && m.differs) {
                pair.friction = m.friction, pair.spinning_friction = m.spinning, pair.rolling_friction = m.rolling;
            }
            if (!m.any || m.differs) append_pair(b, list, pair); // each pair of bodies is met once
        }
    }
    if (mixed) {
        robot_approximate(b->r, b->r->geoms[0].node, NULL,
                          "contact masks of geoms: where some geoms of two bodies may meet, all may");
    }
    return meets;
}

// ---- Excludes and pairs of the file -------------------------------------------------------------------------------------

static void add_given(builder *b, pair_list *list)
{
    robot *r = b->r;
    for (int i = 0; i < r->pairs_count; i++) {
        const robot_pair *p = &r->pairs[i];
        int at[2];
        for (int k = 0; k < 2; k++) {
            const robot_body *body = &r->bodies[p->body[k]];
            at[k] = body->carrier == ROBOT_WORLD ? body->index : r->bodies[body->carrier].index;
        }
        if (at[0] < 0 || at[1] < 0 || at[0] == at[1]) {
            continue;
        }
        ph_contact_pair pair = ph_default_pair();
        pair.body_a = at[0], pair.body_b = at[1], pair.collide = p->collide;
        pair.friction = p->friction, pair.spinning_friction = p->spinning, pair.rolling_friction = p->rolling;
        put_pair(b, list, pair);
    }
}

void build_contact(builder *b)
{
    robot *r = b->r;
    pair_list list = {0};
    int *first, *next;
    if (!r->contact || r->options.no_contact || r->geoms_count == 0 || !list_geoms(b, &first, &next)) {
        return;
    }
    const bool meets = uniform(r) || pair_up(b, &list, first, next);
    int moving = 0;
    for (int i = 0; i < b->spec->body_count; i++) moving += first[i] >= 0 && !b->spec->bodies[i].def.fixed;
    add_given(b, &list);
    if (meets && moving > 0) {
        ph_contact_settings contact = ph_default_contact();
        contact.pairs = list.pairs;
        contact.pair_count = list.count;
        r->out_of_memory |= ph_spec_set_contact(b->spec, &contact) != PH_OK;
    }
    mem_free(NULL, list.pairs);
}
