// From the whole scene to parts: bodies by bisection across the longest extent, copies by what may meet.
#include "part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory ---------------------------------------------------------------------------------------------------------

// clang-format off
#define OF_BODIES(X) \
    X(mass_of, 1) X(moves, 1) X(position, 3) X(orientation, 4) X(velocity, 3) X(spin, 3) X(extent, 1) X(reach, 1) \
    X(promise, 1) X(owner, 1) X(there, 1) X(local, 1) X(list, 1)
#define OF_SHAPES(X) X(kind_of, 1) X(body_of, 1)
// clang-format on
#define TAKE(name, each)                                                                                               \
    w->name = calloc((each)*count + 1, sizeof *w->name);                                                               \
    good = good && w->name;
#define GIVE(name, each) free(w->name);

// A body reaches as far as its farthest shape.
static void set_reaches(whole *w, const card_scene *s)
{
    const card_kind *kinds = s->kind;
    for (int k = 0; k < s->shapes; k++) {
        const card_kind *kind = &kinds[s->kind_of[k]];
        const int b = s->body_of[k];
        if (!s->moves[b]) continue;
        const double far = kind->type == CARD_SPHERE    ? kind->radius
                           : kind->type == CARD_CAPSULE ? kind->radius + kind->half_length
                           : kind->type == CARD_BOX     ? norm(kind->half)
                                                        : (double)INFINITY;
        w->extent[b] = fmax(w->extent[b], norm(kind->place) + far);
        w->reach[b] =
            fmax(w->reach[b], norm(kind->place) + far + (s->margin > 0.0 ? 0.5 * s->margin : 0.005 * kind->size));
    }
}

bool whole_take(whole *w, const card_scene *s)
{
    bool good = true;
    const v3 g = {s->gravity[0], s->gravity[1], s->gravity[2]};
    *w = (whole){.bodies = s->bodies, .shapes = s->shapes, .gravity = norm(g)};
    size_t count = (size_t)s->bodies;
    OF_BODIES(TAKE)
    count = (size_t)s->shapes;
    OF_SHAPES(TAKE)
    if (!good) return false;
    memcpy(w->mass_of, s->mass_of, (size_t)s->bodies * sizeof(int));
    memcpy(w->moves, s->moves, (size_t)s->bodies * sizeof(int));
    memcpy(w->kind_of, s->kind_of, (size_t)s->shapes * sizeof(int));
    memcpy(w->body_of, s->body_of, (size_t)s->shapes * sizeof(int));
    for (int b = 0; b < s->bodies; b++) w->moving += w->moves[b] != 0;
    set_reaches(w, s);
    return true;
}

void whole_give(whole *w)
{
    OF_BODIES(GIVE)
    OF_SHAPES(GIVE)
    free(w->old);
    free(w->old_x);
    *w = (whole){0};
}

bool whole_reserve(whole *w, int contacts)
{
    if (contacts <= w->room) return true;
    const size_t room = (size_t)contacts + (size_t)contacts / 8 + 64;
    card_contact *old = realloc(w->old, room * sizeof *old);
    w->old = old ? old : w->old;
    float *x = realloc(w->old_x, 3 * room * sizeof *x);
    w->old_x = x ? x : w->old_x;
    w->room = old && x ? (int)room : w->room;
    return old && x;
}

// ---- Who moves what -----------------------------------------------------------------------------------------------------

enum { SLICES = 4096 };

typedef struct cut {
    const whole *w;
    int axis;
    double low, scale; // slices by place
} cut;

static int slice_of(const cut *c, int body)
{
    const int k = (int)(c->scale * (c->w->position[3 * body + c->axis] - c->low));
    return k < 0 ? 0 : k >= SLICES ? SLICES - 1 : k;
}

// Across the longest extent of the bodies.
static cut cut_of(const whole *w, const int *list, int count)
{
    cut c = {.w = w};
    double longest = -1.0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < count; k++) {
            low = fmin(low, w->position[3 * list[k] + axis]);
            high = fmax(high, w->position[3 * list[k] + axis]);
        }
        if (!(high - low > longest)) continue;
        longest = high - low;
        c.axis = axis;
        c.low = low;
        c.scale = longest > 0.0 ? SLICES / longest : 0.0;
    }
    return c;
}

// The first `left` bodies along the axis come first in the list; those of the slice in between by their numbers.
static void split(const cut *c, int *list, int *room, int count, int left)
{
    int in_slice[SLICES] = {0}, middle = 0, before = 0;
    for (int k = 0; k < count; k++) in_slice[slice_of(c, list[k])]++;
    while (before + in_slice[middle] < left) before += in_slice[middle++];
    int first = 0, second = left;
    for (int k = 0, some = left - before; k < count; k++) {
        const int s = slice_of(c, list[k]);
        const bool is_left = s < middle || (s == middle && some-- > 0);
        room[is_left ? first++ : second++] = list[k];
    }
    memcpy(list, room, (size_t)count * sizeof *list);
}

// Bodies of the list to ranks first ... first + ranks - 1, as many to each.
static void give_to_ranks(whole *w, int *list, int *room, int count, int first, int ranks)
{
    if (ranks == 1) {
        for (int k = 0; k < count; k++) w->owner[list[k]] = first;
        return;
    }
    const int half = ranks / 2, left = (int)((long long)count * half / ranks);
    const cut c = cut_of(w, list, count);
    split(&c, list, room, count, left);
    give_to_ranks(w, list, room, left, first, half);
    give_to_ranks(w, list + left, room, count - left, first + half, ranks - half);
}

// ---- Who needs copies of what ---------------------------------------------------------------------------------------------

double part_reach(double reach, double extent, const double *velocity, const double *spin, double gravity, double h)
{
    const double v = sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2]);
    const double turn = extent * sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    return (1.0 + 1e-9) * (reach + h * h * gravity + 0.5 * h * (v + turn) + h * v);
}

// Room to move for some steps.
static double skin_of(const whole *w, int b, double h)
{
    const double *v = w->velocity + 3 * b, speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    return 0.3 * w->extent[b] + 8.0 * h * (speed + 4.0 * h * w->gravity);
}

typedef struct bounds {
    double low[3], high[3];
} bounds;

static void bound_ranks(const whole *w, bounds *of, int ranks)
{
    for (int r = 0; r < ranks; r++) of[r] = (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int b = 0; b < w->bodies; b++) {
        if (w->owner[b] < 0) continue;
        bounds *to = &of[w->owner[b]];
        for (int k = 0; k < 3; k++) {
            to->low[k] = fmin(to->low[k], w->position[3 * b + k] - w->promise[b]);
            to->high[k] = fmax(to->high[k], w->position[3 * b + k] + w->promise[b]);
        }
    }
}

// Does a rank have a body, of its own or as a copy? What cannot move is everywhere.
static bool has(const whole *w, const bounds *of, int rank, int b)
{
    if (w->owner[b] < 0 || w->owner[b] == rank) return true;
    bool meets = true;
    for (int k = 0; k < 3; k++)
        meets = meets && w->position[3 * b + k] - w->promise[b] <= of[rank].high[k] &&
                w->position[3 * b + k] + w->promise[b] >= of[rank].low[k];
    return meets;
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

// Bodies that have come so far apart that one of them is not there cannot touch again in the next step.
static bool is_of(const whole *w, const card_contact *c, int rank)
{
    return (w->owner[c->body_a] == rank || w->owner[c->body_b] == rank) && w->local[c->body_a] >= 0 &&
           w->local[c->body_b] >= 0;
}

// local <- numbers in the part of a rank, rising as in the whole; -1: not there
static part count_part(const whole *w, const bounds *of, int rank)
{
    part p = {0};
    for (int b = 0; b < w->bodies; b++) {
        w->local[b] = has(w, of, rank, b) ? p.bodies++ : -1;
        p.ghosts += w->local[b] >= 0 && w->owner[b] >= 0 && w->owner[b] != rank;
        if (w->owner[b] == rank) w->there[b] = w->local[b];
    }
    for (int s = 0; s < w->shapes; s++) p.shapes += w->local[w->body_of[s]] >= 0;
    for (int k = 0; k < w->contacts; k++) p.contacts += is_of(w, &w->old[k], rank);
    return p;
}

static void put_body(const whole *w, part *p, int rank, int b, int *ghosts)
{
    const int k = w->local[b];
    const size_t three = 3 * sizeof(double);
    p->body_name[k] = b;
    p->owned[k] = w->owner[b] == rank;
    p->mass_of[k] = w->mass_of[b];
    p->moves[k] = w->moves[b];
    memcpy(p->position + 3 * k, w->position + 3 * b, three);
    memcpy(p->orientation + 4 * k, w->orientation + 4 * b, 4 * sizeof(double));
    memcpy(p->velocity + 3 * k, w->velocity + 3 * b, three);
    memcpy(p->spin + 3 * k, w->spin + 3 * b, three);
    p->extent[k] = w->extent[b];
    p->reach[k] = w->reach[b];
    p->promise[k] = w->promise[b];
    if (w->owner[b] < 0 || w->owner[b] == rank) return;
    p->ghost[*ghosts] = k;
    p->owner[*ghosts] = w->owner[b];
    p->there[(*ghosts)++] = w->there[b];
}

static void put_shapes(const whole *w, part *p)
{
    int shapes = 0;
    for (int s = 0; s < w->shapes; s++) {
        if (w->local[w->body_of[s]] < 0) continue;
        p->shape_name[shapes] = s;
        p->kind_of[shapes] = w->kind_of[s];
        p->body_of[shapes++] = w->local[w->body_of[s]];
    }
}

int part_number(const int *names, int count, int name)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (names[middle] < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void put_contacts(const whole *w, part *p, int rank)
{
    int at = 0;
    for (int k = 0; k < w->contacts; k++) {
        if (!is_of(w, &w->old[k], rank)) continue;
        card_contact c = w->old[k];
        c.shape_a = part_number(p->shape_name, p->shapes, c.shape_a);
        c.shape_b = part_number(p->shape_name, p->shapes, c.shape_b);
        c.body_a = w->local[c.body_a];
        c.body_b = w->local[c.body_b];
        p->old[at] = c;
        memcpy(p->old_x + 3 * at++, w->old_x + 3 * k, 3 * sizeof(float));
    }
}

static void fill_part(const whole *w, part *p, const bounds *of, int rank)
{
    int ghosts = 0, bodies = 0;
    for (int b = 0; b < w->bodies; b++) {
        w->local[b] = has(w, of, rank, b) ? bodies++ : -1;
        if (w->local[b] >= 0) put_body(w, p, rank, b, &ghosts);
    }
    put_shapes(w, p);
    put_contacts(w, p, rank);
}

bool whole_divide(whole *w, double h, part *parts, int ranks)
{
    bounds *of = malloc((size_t)ranks * sizeof *of);
    int count = 0;
    bool good = of != NULL;
    for (int b = 0; b < w->bodies; b++) {
        w->owner[b] = -1;
        if (!w->moves[b]) continue;
        w->list[count++] = b;
        w->promise[b] = part_reach(w->reach[b], w->extent[b], w->velocity + 3 * b, w->spin + 3 * b, w->gravity, h) +
                        skin_of(w, b, h);
    }
    give_to_ranks(w, w->list, w->local, count, 0, ranks);
    if (good) bound_ranks(w, of, ranks);
    for (int r = 0; r < ranks && good; r++) {
        const part p = count_part(w, of, r);
        good = part_take(&parts[r], p.bodies, p.shapes, p.ghosts, p.contacts);
    }
    for (int r = 0; r < ranks && good; r++) fill_part(w, &parts[r], of, r);
    free(of);
    return good;
}
