// Contacts at the two ends of stage 1 of nonsmooth RATTLie: which are the same, and how their gaps change.
//
// P_1 acts through W(q_n) and is taken back, as far as it is too large, through W(q_{n+1}). So a contact at q_{n+1} is that of
// q_n only where both have nearly the same directions and arms. Shapes and feature must agree, and the point must not have
// jumped: the lowest point of a rim runs round it as the body rolls, but leaps to the other side when the body passes through
// the upright. Where features changed on the way, as on the triangles of a surface, directions and arms decide alone.
#include "math/mat3.h"
#include "math/trig.h"
#include "schemes/nonsmooth.h"

#include <math.h>
#include <string.h>

// ---- Rates ----------------------------------------------------------------------------------------------------------

static ph_vec3 velocity_at(const nonsmooth *s, const node *at, int body, ph_vec3 point)
{
    if (s->model->bodies[body].moving < 0) return ph_zero3();
    const frame *frame = &at->frames[body];
    const ph_vec3 turn = ph_mul(frame->R, at->twists[body].omega);
    return ph_add(at->twists[body].v, ph_cross(turn, ph_sub(point, frame->x)));
}

static double gap_rate(const nonsmooth *s, const node *at, const detected *c)
{
    return ph_dot(c->normal, ph_sub(velocity_at(s, at, c->body_b, c->point), velocity_at(s, at, c->body_a, c->point)));
}

double nonsmooth_rate(const nonsmooth *s, int i)
{
    return gap_rate(s, &s->stages->here, &s->here.detector->found.list[i]);
}

double nonsmooth_gap_ahead(const nonsmooth *s, int i, double h, double *rate)
{
    const detected *now = &s->here.detector->found.list[i];
    if (s->ahead[i] >= 0) {
        const detected *then = &s->there.detector->found.list[s->ahead[i]];
        *rate = gap_rate(s, &s->stages->there, then);
        return then->gap;
    }
    // Too far to be listed, or another feature has taken its place: along its normal.
    node moving = s->stages->here;
    moving.twists = s->stages->there.twists;
    *rate = gap_rate(s, &moving, now);
    return now->gap + h * *rate;
}

static double mass_of(const nonsmooth *s, int body)
{
    return s->model->bodies[body].moving >= 0 ? s->model->bodies[body].kind->mass : 0.0;
}

double nonsmooth_lift(const nonsmooth *s, double h)
{
    const double most = h * s->contact.recovery_speed, gravity = ph_norm(s->model->gravity) + 1e-9;
    double sum = 0.0;
    for (int i = 0; i < s->here.detector->found.count; i++) {
        const detected *c = &s->here.detector->found.list[i];
        if (c->gap >= -NONSMOOTH_TOUCH) continue;
        sum += (mass_of(s, c->body_a) + mass_of(s, c->body_b)) * gravity * fmin(-c->gap, most);
    }
    return sum;
}

const detected *nonsmooth_unforeseen(const nonsmooth *s, double *rate)
{
    const detected *found = NULL;
    for (int k = 0; k < s->there.detector->found.count; k++) {
        const detected *then = &s->there.detector->found.list[k];
        if (s->before[k] >= 0 || (found && !(then->gap < found->gap))) continue;
        found = then;
        *rate = gap_rate(s, &s->stages->there, then);
    }
    return found;
}

// ---- Turning --------------------------------------------------------------------------------------------------------

static double turn_at(const nonsmooth *s, const detector_shape *shape, const detector_shape *other, double h)
{
    const int k = s->model->bodies[shape->body].moving;
    return k < 0 ? 0.0
                 : shape_turn(shape->kind, s->stages->stage[k].omega, h) / shape_turn_most(shape->kind, other->kind);
}

double nonsmooth_turn(const nonsmooth *s, double h)
{
    const contact_set *found = &s->here.detector->found;
    const detector_shape *shapes = found->shapes->shapes;
    double most = 0.0;
    for (int i = 0; i < found->count; i++) {
        const detector_shape *a = &shapes[found->list[i].shape_a], *b = &shapes[found->list[i].shape_b];
        most = ph_max(most, ph_max(turn_at(s, a, b, h), turn_at(s, b, a, h)));
    }
    return most;
}

// ---- Which is which -------------------------------------------------------------------------------------------------

// Half of the width of a shape along d, body axes.
static double half_width(const detector_shape *shape, ph_vec3 d)
{
    const ph_vec3 x = ph_unit(d), y = ph_any_perpendicular(x);
    const ph_mat3 R = ph_transpose(ph_mat_cols(x, y, ph_cross(x, y)));
    const aabb box = collider_bounds(shape->kind->collider, &(frame){R, ph_zero3()});
    return 0.5 * (box.high.x - box.low.x);
}

// On one of two bodies: by more than a rim of that width lets a point run within a step that knows where it is.
static bool jumps_on(const nonsmooth *s, const detector_shape *shape, ph_vec3 now, ph_vec3 then)
{
    const double most = 0.7;
    const frame *here = &s->stages->here.frames[shape->body], *there = &s->stages->there.frames[shape->body];
    if (!shape->kind->moves) return false;
    const ph_vec3 d = ph_sub(ph_tmul(there->R, ph_sub(then, there->x)), ph_tmul(here->R, ph_sub(now, here->x)));
    const double length = ph_norm(d);
    return length > most * shape->kind->size && length > most * half_width(shape, d);
}

static bool jumps(const nonsmooth *s, const detected *now, const detected *then)
{
    const detector_shape *shapes = s->here.detector->shapes.shapes;
    return jumps_on(s, &shapes[now->shape_a], now->point, then->point) ||
           jumps_on(s, &shapes[now->shape_b], now->point, then->point);
}

// How much the arm on a body changes, by its length.
static double arm_change(const nonsmooth *s, int body, ph_vec3 now, ph_vec3 then)
{
    if (s->model->bodies[body].moving < 0) return 0.0;
    const ph_vec3 a = ph_sub(now, s->stages->here.frames[body].x), b = ph_sub(then, s->stages->there.frames[body].x);
    return ph_norm(ph_sub(b, a)) / (ph_norm(a) + 1e-300);
}

// How different the directions of two contacts are: 0 for none.
static double difference(const nonsmooth *s, const detected *now, const detected *then)
{
    return ph_max(ph_norm(ph_sub(then->normal, now->normal)),
                  ph_max(arm_change(s, now->body_a, now->point, then->point),
                         arm_change(s, now->body_b, now->point, then->point)));
}

static bool same_pair(const detected *a, const detected *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

static void join(nonsmooth *s, int i, int k)
{
    s->ahead[i] = k;
    s->before[k] = i;
}

// Contacts i .. i_end - 1 and k .. k_end - 1 of one pair of shapes.
static void match_pair(nonsmooth *s, int i, int i_end, int first, int k_end)
{
    const double alike = 0.2;
    const detected *now = s->here.detector->found.list, *then = s->there.detector->found.list;
    for (int n = i; n < i_end; n++)
        for (int k = first; k < k_end && s->ahead[n] < 0; k++)
            if (now[n].feature == then[k].feature && s->before[k] < 0 && !jumps(s, &now[n], &then[k])) join(s, n, k);
    for (int n = i; n < i_end; n++) {
        int nearest = -1;
        double least = alike;
        for (int k = first; k < k_end && s->ahead[n] < 0; k++) {
            const double d = s->before[k] < 0 ? difference(s, &now[n], &then[k]) : PH_INF;
            if (d < least) nearest = k, least = d;
        }
        if (nearest >= 0) join(s, n, nearest);
    }
}

static int end_of_pair(const contact_set *d, int i)
{
    int end = i + 1;
    while (end < d->count && same_pair(&d->list[end], &d->list[i])) end++;
    return end;
}

// Both lists have the same order of pairs.
static void match(nonsmooth *s)
{
    const contact_set *now = &s->here.detector->found, *then = &s->there.detector->found;
    for (int i = 0; i < now->count; i++) s->ahead[i] = -1;
    for (int k = 0; k < then->count; k++) s->before[k] = -1;
    for (int i = 0, k = 0; i < now->count && k < then->count;) {
        const uint64_t a = shapes_order(now->shapes, now->list[i].shape_a, now->list[i].shape_b),
                       b = shapes_order(now->shapes, then->list[k].shape_a, then->list[k].shape_b);
        const int i_end = a <= b ? end_of_pair(now, i) : i, k_end = b <= a ? end_of_pair(then, k) : k;
        if (a == b) match_pair(s, i, i_end, k, k_end);
        i = i_end;
        k = k_end;
    }
}

void nonsmooth_set_stage_twists(nonsmooth *s)
{
    variational *v = s->stages;
    for (int k = 0; k < s->model->moving_count; k++)
        v->there.twists[s->model->moving[k]] = (ph_twist){v->stage[k].omega, v->stage[k].v};
}

ph_status nonsmooth_look_ahead(nonsmooth *s, const ph_state *state, double h)
{
    variational_place(s->stages, state, h);
    nonsmooth_set_stage_twists(s);
    return nonsmooth_detect_there(s, h);
}

ph_status nonsmooth_detect_there(nonsmooth *s, double h)
{
    const variational *v = s->stages;
    const poses at = poses_of_frames(v->there.frames);
    const movement moving = movement_of_twists(v->there.twists);
    const ph_status status = detector_run(s->there.detector, &at, &moving, h);
    s->growths += s->there.detector->growths;
    if (status != PH_OK) return status;
    if (!mem_reserve_counted(&s->model->allocator, &s->before, &s->before_room, s->there.detector->found.count + 1,
                             sizeof *s->before, &s->growths))
        return PH_OUT_OF_MEMORY;
    match(s);
    return PH_OK;
}

double nonsmooth_limit_distance(const nonsmooth *s, const node *at, int j, stop_kind kind)
{
    const joint *joint = &s->model->joints[j];
    const double coordinate = joint_coordinate(joint, &at->motion, 0);
    return kind == STOP_LOW ? coordinate - joint->def->limit_low : joint->def->limit_high - coordinate;
}

bool nonsmooth_passes_limits(nonsmooth *s)
{
    bool any = false;
    for (int j = 0; j < s->model->joint_count; j++) {
        const ph_joint_def *def = s->model->joints[j].def;
        for (stop_kind kind = STOP_LOW; kind <= STOP_HIGH; kind++) {
            bool *passed = &s->passed[2 * j + (int)kind];
            if (!(kind == STOP_LOW ? def->has_limit_low : def->has_limit_high) || *passed) continue;
            if (nonsmooth_limit_distance(s, &s->stages->here, j, kind) <= NONSMOOTH_TOUCH) continue; // it has a row
            *passed = !(nonsmooth_limit_distance(s, &s->stages->there, j, kind) >= 0.0);
            any = any || *passed;
        }
    }
    return any;
}
