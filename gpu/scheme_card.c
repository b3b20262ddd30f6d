#include "scheme_card.h"

#include "clusters.h"
#include "collide/collider.h"
#include "collide/shape_set.h"
#include "collide/surface.h"
#include "math/mat3.h"
#define TEXT static inline
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Contacts that a state takes back after every call; those of larger heaps stay on the card, for the next call alone.
enum { CONTACTS_BACK = 200000 };

typedef struct card_scheme {
    const ph_model *model;
    const card_machine *machine;
    arena *memory;
    shape_set shapes;
    card_clusters clusters;
    int *surfaces; // by kind: which surface it has
    card *card;
    const ph_state *last; // whose contacts are on the card ...
    double last_time;     // ... at this time
    card_contact *list;   // room to bring contacts to the card
    float *impulse;
    int *use, *use_start, room;
} card_scheme;

// ---- What cannot be done there ----------------------------------------------------------------------------------------

static ph_status refuse(ph_error *error, const char *device, const char *what, const char *name)
{
    return error_set(
        error, PH_NOT_SUPPORTED,
        "the device '%s' moves free bodies under gravity and contact; this model has %s%s%s%s: leave the device "
        "out, and the processor takes it",
        device, what, name ? " '" : "", name ? name : "", name ? "'" : "");
}

static bool is_known(const detector_kind *k)
{
    switch (k->collider->kind) {
    case SHAPE_SPHERE:
    case SHAPE_CAPSULE:
    case SHAPE_BOX:
    case SHAPE_PLANE:
        return true;
    case SHAPE_MESH:
    case SHAPE_HEIGHTFIELD:
        return !k->moves;
    default:
        return false;
    }
}

static ph_status check_shapes(const card_scheme *s, const char *device, ph_error *error)
{
    bool surfaces = false;
    const detector_shape *odd = NULL; // that does not meet triangles
    for (int k = 0; k < s->shapes.count; k++) {
        const detector_shape *it = &s->shapes.shapes[k];
        const shape_kind kind = it->kind->collider->kind;
        const char *body = s->model->bodies[it->body].name;
        if (!is_known(it->kind)) return refuse(error, device, "a shape that is not there yet, of body", body);
        if (it->kind->collider->surface && it->kind->collider->surface->smooth)
            return refuse(error, device, "a smooth height field, of body", body);
        if (it->kind->def->restitution > 0.0) return refuse(error, device, "restitution, of body", body);
        if (it->kind->def->rolling_friction > 0.0 || it->kind->def->spinning_friction > 0.0)
            return refuse(error, device, "rolling or spinning friction, of body", body);
        surfaces = surfaces || kind == SHAPE_MESH || kind == SHAPE_HEIGHTFIELD;
        if (it->kind->moves && kind != SHAPE_SPHERE && !odd) odd = it;
    }
    if (surfaces && odd)
        return refuse(error, device, "meshes or height fields, which only spheres meet there; not so body",
                      s->model->bodies[odd->body].name);
    return PH_OK;
}

static ph_status check_model(const card_scheme *s, const char *device, ph_error *error)
{
    const ph_model *m = s->model;
    const ph_contact_settings *c = &m->contact;
    if (m->joint_count > 0) return refuse(error, device, "joint", m->joints[0].name);
    if (m->force_count > 0) return refuse(error, device, "forces", NULL);
    if (!m->has_contact) return refuse(error, device, "no contact", NULL);
    if (c->pair_count > 0) return refuse(error, device, "named pairs of bodies (contact: pairs)", NULL);
    if (c->sleep > 0.0) return refuse(error, device, "sleep", NULL);
    if (c->law != PH_LAW_COULOMB) return refuse(error, device, "the relaxed law", NULL);
    if (strcmp(c->solver, "auto") != 0) return refuse(error, device, "the solver", c->solver);
    if (c->tolerance < 1e-4)
        return error_set(
            error, PH_NOT_SUPPORTED,
            "the device '%s' solves contacts in single precision, checked in double: a tolerance of %g m/s is "
            "beyond it; 1e-4 or more are not",
            device, c->tolerance);
    return check_shapes(s, device, error);
}

// ---- The scene --------------------------------------------------------------------------------------------------------

static v3 v3_of(ph_vec3 a)
{
    return (v3){a.x, a.y, a.z};
}

static m3 m3_of(ph_mat3 a)
{
    return (m3){
        {a.m[0][0], a.m[0][1], a.m[0][2]}, {a.m[1][0], a.m[1][1], a.m[1][2]}, {a.m[2][0], a.m[2][1], a.m[2][2]}};
}

static bool is_round(const body_kind *k)
{
    const ph_mat3 *J = &k->J;
    return J->m[0][0] == J->m[1][1] && J->m[0][0] == J->m[2][2] && J->m[0][1] == 0.0 && J->m[0][2] == 0.0 &&
           J->m[1][2] == 0.0;
}

static int type_of(shape_kind kind)
{
    return kind == SHAPE_SPHERE    ? CARD_SPHERE
           : kind == SHAPE_CAPSULE ? CARD_CAPSULE
           : kind == SHAPE_BOX     ? CARD_BOX
           : kind == SHAPE_PLANE   ? CARD_PLANE
                                   : CARD_TRIANGLE;
}

// Kinds with the same properties of their surface share one number. Returns how many there are.
static int number_surfaces(card_scheme *s, const detector_kind **of)
{
    int count = 0;
    for (int k = 0; k < s->shapes.kind_count; k++) {
        const ph_shape_def *def = s->shapes.kinds[k].def;
        int at = 0;
        while (at < count && !(of[at]->def->friction == def->friction && of[at]->def->compliance == def->compliance))
            at++;
        if (at == count) of[count++] = &s->shapes.kinds[k];
        s->surfaces[k] = at;
    }
    return count;
}

static card_kind kind_of(const card_scheme *s, int k)
{
    const detector_kind *d = &s->shapes.kinds[k];
    const collider *c = d->collider;
    return (card_kind){.type = type_of(c->kind),
                       .group = d->def->group,
                       .moves = d->moves,
                       .surface = s->surfaces[k],
                       .turn = m3_of(c->local.R),
                       .place = v3_of(c->local.x),
                       .half = v3_of(c->half),
                       .radius = c->radius,
                       .half_length = c->half_length,
                       .swing = d->swing,
                       .size = d->size};
}

static card_mass mass_of(const body_kind *k)
{
    return (card_mass){.inverse_mass = k->fixed ? 0.0 : 1.0 / k->mass,
                       .mass = k->fixed ? 1e300 : k->mass,
                       .J = m3_of(k->J),
                       .J_inverse = m3_of(k->J_inverse),
                       .round = is_round(k)};
}

typedef struct triangle_list {
    double *corners;
    int *shape, *open;
    int count, room;
    const surface *surface;
    frame at;
    int of;
    bool counts;
} triangle_list;

// Which corners and edges stand out: a direction that leans a little over them must not lead over what is beyond.
static int open_sides(const surface *s, const surface_triangle *t)
{
    int bits = 0;
    const ph_vec3 middle = ph_scale(1.0 / 3.0, ph_add3(t->p[0], t->p[1], t->p[2]));
    for (int behind = 0; behind < 2; behind++) {
        const ph_vec3 n = behind ? ph_neg(t->n) : t->n;
        for (int k = 0; k < 3; k++) {
            const ph_vec3 edge = ph_sub(t->p[(k + 1) % 3], t->p[k]), out = ph_unit(ph_cross(edge, t->n));
            const ph_vec3 over_edge = ph_unit(ph_madd(n, 0.05, out));
            const ph_vec3 over_corner = ph_unit(ph_madd(n, 0.05, ph_unit(ph_sub(t->p[k], middle))));
            if (surface_allows_corner(s, t, k, over_corner)) bits |= 1 << (k + 6 * behind);
            if (surface_allows_edge(s, t, k, over_edge)) bits |= 1 << (3 + k + 6 * behind);
        }
    }
    return bits;
}

static void see_triangle(void *user, const surface_triangle *t)
{
    triangle_list *l = user;
    if (!l->counts) {
        for (int k = 0; k < 3; k++) {
            const ph_vec3 p = frame_point(&l->at, t->p[k]);
            memcpy(l->corners + 9 * l->count + 3 * k, &p, sizeof p);
        }
        l->shape[l->count] = l->of;
        l->open[l->count] = open_sides(l->surface, t);
    }
    l->count++;
}

static void see_surfaces(const card_scheme *s, triangle_list *l)
{
    l->count = 0;
    for (int k = 0; k < s->shapes.count; k++) {
        const detector_shape *it = &s->shapes.shapes[k];
        const collider *c = it->kind->collider;
        if (!c->surface) continue;
        const frame body = body_frame(&s->model->bodies[it->body]);
        l->surface = c->surface;
        l->at = frame_mul(&body, &c->local);
        l->of = k;
        surface_visit(c->surface, &c->surface->box, see_triangle, l);
    }
}

static bool make_triangles(const card_scheme *s, triangle_list *l)
{
    *l = (triangle_list){.counts = true};
    see_surfaces(s, l);
    const size_t n = (size_t)l->count;
    l->corners = arena_alloc_array(s->memory, 9 * n + 1, sizeof *l->corners);
    l->shape = arena_alloc_array(s->memory, n + 1, sizeof *l->shape);
    l->open = arena_alloc_array(s->memory, n + 1, sizeof *l->open);
    l->counts = false;
    if (!l->corners || !l->shape || !l->open) return false;
    see_surfaces(s, l);
    return true;
}

typedef struct scene_arrays { // that live while the card is made
    card_kind *kind;
    card_mass *mass;
    card_surface *surface;
    int *kind_of, *body_of, *mass_of, *moves;
} scene_arrays;

static int list_masses(const card_scheme *s, const scene_arrays *a)
{
    int count = 0;
    const body_kind *last = NULL;
    for (int b = 0; b < s->model->body_count; b++) {
        const body *it = &s->model->bodies[b];
        if (it->kind != last) a->mass[count++] = mass_of(it->kind);
        last = it->kind;
        a->mass_of[b] = count - 1;
        a->moves[b] = it->moving >= 0;
    }
    return count;
}

static void set_surfaces(const card_scheme *s, const detector_kind **of, int count, card_surface *to)
{
    (void)s;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            to[i * count + j] = (card_surface){(float)fmin(of[i]->def->friction, of[j]->def->friction),
                                               (float)(of[i]->def->compliance + of[j]->def->compliance)};
}

static bool take_arrays(card_scheme *s, scene_arrays *a)
{
    const size_t bodies = (size_t)s->model->body_count + 1, shapes = (size_t)s->shapes.count + 1,
                 kinds = (size_t)s->shapes.kind_count + 1;
    arena *m = s->memory;
    a->kind = arena_alloc_array(m, kinds, sizeof *a->kind);
    a->mass = arena_alloc_array(m, bodies, sizeof *a->mass);
    a->kind_of = arena_alloc_array(m, shapes, sizeof *a->kind_of);
    a->body_of = arena_alloc_array(m, shapes, sizeof *a->body_of);
    a->mass_of = arena_alloc_array(m, bodies, sizeof *a->mass_of);
    a->moves = arena_alloc_array(m, bodies, sizeof *a->moves);
    s->surfaces = arena_alloc_array(m, kinds, sizeof *s->surfaces);
    s->use_start = arena_alloc_array(m, bodies + 1, sizeof *s->use_start);
    return a->kind && a->mass && a->kind_of && a->body_of && a->mass_of && a->moves && s->surfaces && s->use_start;
}

static ph_status make_card(card_scheme *s, ph_error *error)
{
    const ph_model *m = s->model;
    scene_arrays a;
    triangle_list triangles;
    char why[256] = "out of memory";
    const detector_kind **of = arena_alloc_array(s->memory, (size_t)s->shapes.kind_count + 1, sizeof *of);
    if (!of || !take_arrays(s, &a) || !make_triangles(s, &triangles))
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const int surfaces = number_surfaces(s, of);
    a.surface = arena_alloc_array(s->memory, (size_t)surfaces * (size_t)surfaces + 1, sizeof *a.surface);
    if (!a.surface) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    set_surfaces(s, of, surfaces, a.surface);
    for (int k = 0; k < s->shapes.kind_count; k++) a.kind[k] = kind_of(s, k);
    for (int k = 0; k < s->shapes.count; k++) {
        a.kind_of[k] = (int)(s->shapes.shapes[k].kind - s->shapes.kinds);
        a.body_of[k] = s->shapes.shapes[k].body;
    }
    card_scene scene = {.bodies = m->body_count,
                        .shapes = s->shapes.count,
                        .kinds = s->shapes.kind_count,
                        .surfaces = surfaces,
                        .triangles = triangles.count,
                        .mass_of = a.mass_of,
                        .moves = a.moves,
                        .kind_of = a.kind_of,
                        .body_of = a.body_of,
                        .mass = a.mass,
                        .kind = a.kind,
                        .surface = a.surface,
                        .corners = triangles.corners,
                        .triangle_shape = triangles.shape,
                        .triangle_open = triangles.open,
                        .gravity = {m->gravity.x, m->gravity.y, m->gravity.z},
                        .tolerance = m->contact.tolerance,
                        .recovery = m->contact.recovery_speed,
                        .margin = m->contact.margin,
                        .passes = m->contact.iterations > 0 ? m->contact.iterations : 500,
                        .all_balls = shapes_are_single_balls(&s->shapes),
                        .settle = clusters_settle,
                        .settle_user = &s->clusters};
    scene.masses = list_masses(s, &a);
    scene.all_round = true;
    for (int k = 0; k < scene.masses; k++)
        scene.all_round = scene.all_round && (a.mass[k].round || a.mass[k].inverse_mass == 0.0);
    s->card = s->machine->create(&scene, why);
    return s->card ? PH_OK : error_set(error, PH_NOT_SUPPORTED, "device: %.200s", why);
}

// ---- Life -------------------------------------------------------------------------------------------------------------

void card_scheme_destroy(void *self)
{
    card_scheme *s = self;
    if (!s) return;
    const ph_allocator *allocator = &s->model->allocator;
    if (s->card) s->machine->destroy(s->card);
    void *arrays[] = {s->list, s->impulse, s->use};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(allocator, arrays[k]);
    pool_destroy(s->clusters.pool);
    shape_set_destroy(&s->shapes);
    arena_destroy(s->memory);
}

ph_status card_scheme_create(const ph_model *model, const card_machine *machine, const char *device, int threads,
                             void **self, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    card_scheme *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    if (!s) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *s = (card_scheme){.model = model, .machine = machine, .memory = memory};
    s->clusters = (card_clusters){pool_create(threads, &model->allocator)};
    ph_status status = shape_set_create(model, memory, &s->shapes, error);
    if (status == PH_OK) status = check_model(s, device, error);
    if (status == PH_OK) status = make_card(s, error);
    if (status == PH_OK)
        *self = s;
    else
        card_scheme_destroy(s);
    return status;
}

// ---- To the card and back ---------------------------------------------------------------------------------------------

static card_state arrays_of(const ph_state *state)
{
    return (card_state){&state->position->x, &state->orientation->w, &state->velocity->x, &state->angular_velocity->x};
}

static bool reserve(card_scheme *s, int contacts)
{
    const ph_allocator *allocator = &s->model->allocator;
    if (contacts <= s->room) return true;
    int rooms[3] = {s->room, s->room, s->room}, growths = 0;
    const bool good =
        mem_reserve_counted(allocator, &s->list, &rooms[0], contacts, sizeof *s->list, &growths) &&
        mem_reserve_counted(allocator, &s->impulse, &rooms[1], contacts, 3 * sizeof *s->impulse, &growths) &&
        mem_reserve_counted(allocator, &s->use, &rooms[2], contacts, 2 * sizeof *s->use, &growths);
    s->room = good ? contacts : 0;
    return good;
}

static card_contact contact_of(const card_scheme *s, const ph_contact *c)
{
    return (card_contact){.shape_a = shapes_find(&s->shapes, c->body_a, c->shape_a),
                          .shape_b = shapes_find(&s->shapes, c->body_b, c->shape_b),
                          .body_a = c->body_a,
                          .body_b = c->body_b,
                          .feature = (uint32_t)c->feature};
}

static void list_uses(const card_scheme *s, int count)
{
    const int bodies = s->model->body_count;
    memset(s->use_start, 0, sizeof(int) * ((size_t)bodies + 2));
    for (int i = 0; i < 2 * count; i++) s->use_start[(i & 1 ? s->list[i / 2].body_b : s->list[i / 2].body_a) + 1]++;
    for (int b = 0; b < bodies; b++) s->use_start[b + 1] += s->use_start[b];
    for (int i = 0; i < 2 * count; i++)
        s->use[s->use_start[i & 1 ? s->list[i / 2].body_b : s->list[i / 2].body_a]++] = i;
    for (int b = bodies; b > 0; b--) s->use_start[b] = s->use_start[b - 1];
    s->use_start[0] = 0;
}

static bool put_contacts(card_scheme *s, const ph_state *state, double h)
{
    const int count = state->touched ? 0 : state_contact_count(state);
    if (!state->touched && count == 0 && s->last == state && s->last_time == state->time)
        return true; // are there still
    if (!reserve(s, count + 1)) return false;
    for (int k = 0; k < count; k++) {
        const ph_contact c = state_contact(state, k);
        s->list[k] = contact_of(s, &c);
        for (int j = 0; j < 3; j++) s->impulse[3 * k + j] = (float)(h * (&c.force.x)[j]);
    }
    list_uses(s, count);
    const card_contacts all = {count, s->list, s->impulse, s->use_start, s->use};
    return s->machine->put_contacts(s->card, &all);
}

static ph_contact shown(const card_scheme *s, const card_contact *c, const float *x, double h)
{
    return (ph_contact){.body_a = c->body_a,
                        .body_b = c->body_b,
                        .shape_a = s->shapes.shapes[c->shape_a].kind->index,
                        .shape_b = s->shapes.shapes[c->shape_b].kind->index,
                        .feature = c->feature,
                        .point = {c->point.x, c->point.y, c->point.z},
                        .normal = {c->n.x, c->n.y, c->n.z},
                        .force = {(double)x[0] / h, (double)x[1] / h, (double)x[2] / h},
                        .gap = c->gap};
}

// An order that follows from who touches alone.
static int compare_contacts(const void *a, const void *b)
{
    const ph_contact *p = a, *q = b;
    if (p->body_a != q->body_a) return p->body_a < q->body_a ? -1 : 1;
    if (p->body_b != q->body_b) return p->body_b < q->body_b ? -1 : 1;
    if (p->shape_a != q->shape_a) return p->shape_a < q->shape_a ? -1 : 1;
    if (p->shape_b != q->shape_b) return p->shape_b < q->shape_b ? -1 : 1;
    return (p->feature > q->feature) - (p->feature < q->feature);
}

static bool get_contacts(card_scheme *s, ph_state *state, double h)
{
    card_contacts all = {0};
    if (!s->machine->get_contacts(s->card, &all)) return false;
    const int count = all.count <= CONTACTS_BACK || s->model->record.contacts ? all.count : 0;
    if (!state_reserve_contacts(state, count)) return false;
    for (int k = 0; k < count; k++)
        state->contacts[k] = shown(s, (const card_contact *)all.list + k, all.impulse + 3 * k, h);
    if (count > 1) qsort(state->contacts, (size_t)count, sizeof *state->contacts, compare_contacts);
    state_set_contacts(state, count, 0);
    return true;
}

static void fill(const card_report *r, ph_step_report *report)
{
    report->steps = r->steps;
    report->contacts = r->contacts;
    report->contact_iterations = (int)(r->passes < 2000000000 ? r->passes : 2000000000);
    report->contact_residual = r->residual;
    report->contact_missed = r->missed;
    report->penetration = r->overlap;
    report->contact_solver = r->contacts > 0 ? "heap" : NULL;
    report->solver_steps[r->contacts > 0 ? 1 : 0] = r->steps;
}

// Steps on the card. The state is as it was when one of them fails.
static ph_status make_steps(card_scheme *s, ph_state *state, double h, long long count, card_report *r,
                            ph_step_report *report)
{
    const card_state arrays = arrays_of(state);
    char why[256];
    if (!(h > 0.0)) {
        report->advice = "contacts cannot be undone: go forward";
        return PH_NOT_SUPPORTED;
    }
    if (!s->machine->put(s->card, &arrays) || !put_contacts(s, state, h)) return PH_OUT_OF_MEMORY;
    if (!s->machine->steps(s->card, h, count, r, why)) {
        report->advice =
            "the device gave up: velocities are not finite, or its memory is full; try a smaller step or fewer bodies";
        s->last = NULL;
        return PH_NOT_FINITE;
    }
    if (!s->machine->get(s->card, &arrays) || !get_contacts(s, state, h)) return PH_OUT_OF_MEMORY;
    state_add_work(state, (contact_work){r->friction, r->impact});
    state->contact_solver = r->contacts > 0 ? 1 : 0;
    state->touched = false;
    fill(r, report);
    return PH_OK;
}

ph_status card_scheme_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    card_scheme *s = self;
    card_report r;
    const ph_status status = make_steps(s, state, h, 1, &r, report);
    s->last = state;
    s->last_time = state_time_after(state, h);
    return status;
}

ph_status card_scheme_advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    card_scheme *s = self;
    card_report r;
    const ph_status status = make_steps(s, state, h, count, &r, report);
    if (status != PH_OK) return status;
    state_end_steps(state, h, count);
    s->last = state;
    s->last_time = state->time;
    return PH_OK;
}
