#include "adjoint/observable.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "polhode/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Names ----------------------------------------------------------------------------------------------------------

typedef struct quantity {
    const char *name;
    observable_kind kind;
    const char *parts; // letters of its components; NULL: it has none
} quantity;

static const quantity of_bodies[] = {
    {"position", OBSERVE_POSITION, "xyz"},
    {"velocity", OBSERVE_VELOCITY, "xyz"},
    {"angular_velocity", OBSERVE_ANGULAR_VELOCITY, "xyz"},
    {"speed", OBSERVE_SPEED, NULL},
    {"angular_speed", OBSERVE_ANGULAR_SPEED, NULL},
    {"orientation", OBSERVE_ORIENTATION, "wxyz"},
    {"axis_x", OBSERVE_AXIS, "xyz"},
    {"axis_y", OBSERVE_AXIS, "xyz"},
    {"axis_z", OBSERVE_AXIS, "xyz"},
};
enum { OF_BODIES = sizeof of_bodies / sizeof *of_bodies };

static const struct {
    const char *name;
    bool rate;
} of_joints[] = {{"coordinate", false}, {"angle", false}, {"slide", false}, {"rate", true}};
enum { OF_JOINTS = sizeof of_joints / sizeof *of_joints };

static ph_status unknown(const char *name, const char *why, ph_error *error)
{
    return error_set(error, PH_NOT_FOUND, "'%.80s' cannot be differentiated: %s", name, why);
}

static ph_status no_such(const char *name, const char *kind, const char *word, const names *table, int count,
                         ph_error *error)
{
    enum { MOST = 200 };
    const char *known[MOST];
    for (int k = 0; k < count && k < MOST; k++)
        known[k] = *(const char **)((char *)table->names + (size_t)k * table->step);
    const char *near = suggest(word, known, count < MOST ? count : MOST);
    return near ? error_set(error, PH_NOT_FOUND, "'%.80s': there is no %s '%.60s'; did you mean '%s'?", name, kind,
                            word, near)
                : error_set(error, PH_NOT_FOUND, "'%.80s': there is no %s '%.60s'", name, kind, word);
}

// "NAME.what.part" of a body; names of bodies may have dots.
static ph_status find_of_body(const ph_model *model, const char *name, observable *o, ph_error *error)
{
    char word[128];
    bool known = false;
    for (int k = 0; k < OF_BODIES; k++) {
        const quantity *q = &of_bodies[k];
        char tail[40];
        const size_t length = strlen(name);
        for (int p = 0; p < (q->parts ? (int)strlen(q->parts) : 1); p++) {
            snprintf(tail, sizeof tail, q->parts ? ".%s.%c" : ".%s", q->name, q->parts ? q->parts[p] : 0);
            const size_t end = strlen(tail);
            if (length <= end || length - end >= sizeof word || strcmp(name + length - end, tail) != 0) continue;
            snprintf(word, sizeof word, "%.*s", (int)(length - end), name);
            known = true;
            *o = (observable){.kind = q->kind, .index = names_find(&model->body_names, word), .part = p};
            if (q->kind == OBSERVE_AXIS) o->part = 3 * p + (q->name[5] - 'x');
            if (o->index >= 0 && o->index < model->body_count) return PH_OK;
        }
        snprintf(tail, sizeof tail, ".%s", q->name);
        const size_t end = strlen(tail);
        if (q->parts && length > end && strcmp(name + length - end, tail) == 0)
            return error_set(error, PH_NOT_FOUND, "'%.80s' is a vector; say which part: %.80s.%c", name, name,
                             q->parts[0]);
    }
    return known
               ? no_such(name, "body", word, &model->body_names, model->body_count, error)
               : unknown(name,
                         "known are BODY.position.x, .velocity, .angular_velocity, .orientation.w, .axis_x.x, .speed, "
                         ".angular_speed, sites.SITE.position.x, joints.JOINT.coordinate and joints.JOINT.rate",
                         error);
}

// "joints.NAME.coordinate", ".rate", and ".1" ... behind where there are several
static ph_status find_of_joint(const ph_model *model, const char *name, observable *o, ph_error *error)
{
    char word[128];
    snprintf(word, sizeof word, "%s", name + strlen("joints."));
    char *dot = strrchr(word, '.');
    int part = 1;
    if (dot && dot[1] >= '1' && dot[1] <= '9' && !dot[2]) {
        part = dot[1] - '0';
        *dot = '\0';
        dot = strrchr(word, '.');
    }
    if (!dot) return unknown(name, "say joints.JOINT.coordinate or joints.JOINT.rate", error);
    *dot = '\0';
    int what = 0;
    while (what < OF_JOINTS && strcmp(of_joints[what].name, dot + 1) != 0) what++;
    const int index = names_find(&model->joint_names, word);
    if (what == OF_JOINTS) return unknown(name, "of joints there are coordinate (or angle, slide) and rate", error);
    if (index < 0) return no_such(name, "joint", word, &model->joint_names, model->joint_count, error);
    if (part > model->joints[index].coordinate_count)
        return error_set(error, PH_NOT_FOUND, "'%.80s': joint '%s' (%s) has %d coordinate%s", name, word,
                         model->joints[index].type->name, model->joints[index].coordinate_count,
                         model->joints[index].coordinate_count == 1 ? "" : "s");
    *o = (observable){of_joints[what].rate ? OBSERVE_RATE : OBSERVE_COORDINATE, index, part - 1, ""};
    return PH_OK;
}

// "sites.NAME.position.x": where a marker is
static ph_status find_of_site(const ph_model *model, const char *name, observable *o, ph_error *error)
{
    static const char tail[] = ".position.";
    const size_t length = strlen(name), first = strlen("sites."), end = strlen(tail) + 1;
    char word[128];
    const char part = name[length - 1];
    if (length < first + end || strncmp(name + length - end, tail, end - 1) != 0 || part < 'x' || part > 'z')
        return unknown(name, "of sites there is sites.SITE.position.x (y, z)", error);
    snprintf(word, sizeof word, "%.*s", (int)(length - first - end), name + first);
    *o = (observable){.kind = OBSERVE_SITE, .index = ph_model_find_site(model, word), .part = part - 'x'};
    if (o->index >= 0) return PH_OK;
    return no_such(name, "site", word, &model->site_names, model->site_count, error);
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static ph_status find(const ph_model *model, const char *name, observable *o, ph_error *error)
{
    const ph_status status = begins(name, "joints.")  ? find_of_joint(model, name, o, error)
                             : begins(name, "sites.") ? find_of_site(model, name, o, error)
                                                      : find_of_body(model, name, o, error);
    snprintf(o->name, sizeof o->name, "%s", name);
    return status;
}

ph_status ph_observables_create(const ph_model *model, int count, const char *const *names, ph_observables **made,
                                ph_error *error)
{
    enum { MOST = 1 << 20 };
    if (!model || count < 1 || count > MOST || !names || !made)
        return error_set(error, PH_BAD_ARGUMENT, "ph_observables_create needs a model and 1 to %d names", MOST);
    *made = NULL;
    arena *memory = arena_create(&model->allocator);
    ph_observables *o = memory ? arena_alloc(memory, sizeof *o) : NULL;
    if (o) {
        *o = (ph_observables){.model = model, .memory = memory, .count = count};
        o->list = arena_alloc_array(memory, (size_t)count, sizeof *o->list);
        o->frames = arena_alloc_array(memory, model_places(model), sizeof(frame));
        o->twists = arena_alloc_array(memory, model_places(model), sizeof(ph_twist));
        o->bodies = arena_alloc_array(memory, model_places(model), sizeof(ph_wrench));
    }
    if (!o || !o->list || !o->frames || !o->twists || !o->bodies) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    ph_status status = PH_OK;
    for (int k = 0; k < count && status == PH_OK; k++)
        status = find(model, names[k] ? names[k] : "", &o->list[k], error);
    if (status == PH_OK)
        *made = o;
    else
        arena_destroy(memory);
    return status;
}

void ph_observables_destroy(ph_observables *o)
{
    if (o) arena_destroy(o->memory);
}

// ---- Values ---------------------------------------------------------------------------------------------------------

static double component(ph_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static motion look(const ph_observables *o, const ph_state *state)
{
    system_frames(o->model, state, o->frames);
    system_twists(o->model, state, o->twists);
    return (motion){.time = state->time,
                    .frames = o->frames,
                    .twists = o->twists,
                    .inputs = state->inputs,
                    .turns = state->turns,
                    .targets = state->targets,
                    .target_time = state->target_time};
}

static double value_of(const ph_observables *o, const observable *q, const ph_state *s, const motion *at)
{
    const ph_quat Q = q->kind < OBSERVE_SITE ? s->orientation[q->index] : ph_quat_identity();
    switch (q->kind) {
    case OBSERVE_POSITION:
        return component(s->position[q->index], q->part);
    case OBSERVE_VELOCITY:
        return component(s->velocity[q->index], q->part);
    case OBSERVE_ANGULAR_VELOCITY:
        return component(s->angular_velocity[q->index], q->part);
    case OBSERVE_SPEED:
        return ph_norm(s->velocity[q->index]);
    case OBSERVE_ANGULAR_SPEED:
        return ph_norm(s->angular_velocity[q->index]);
    case OBSERVE_ORIENTATION:
        return q->part == 0 ? Q.w : component(ph_vec(Q.x, Q.y, Q.z), q->part - 1);
    case OBSERVE_AXIS:
        return ph_quat_to_mat(Q).m[q->part / 3][q->part % 3];
    case OBSERVE_SITE:
        return component(ph_state_site(s, q->index).position, q->part);
    case OBSERVE_COORDINATE:
        return joint_coordinate(&o->model->joints[q->index], at, q->part);
    case OBSERVE_RATE:
        break;
    }
    return joint_rate(&o->model->joints[q->index], at, q->part);
}

void ph_observables_values(ph_observables *o, const ph_state *state, double *values)
{
    if (!o || !state || !values || state->model != o->model) return;
    const motion at = look(o, state);
    for (int k = 0; k < o->count; k++) values[k] = value_of(o, &o->list[k], state, &at);
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

static ph_vec3 unit(int k)
{
    return ph_vec(k == 0, k == 1, k == 2);
}

static void add(ph_vec3 *to, double s, ph_vec3 v)
{
    *to = ph_madd(*to, s, v);
}

static void pull_joint(ph_observables *o, const observable *q, const ph_state *state, double weight,
                       ph_cotangent *bodies, const numbers *n, double *gradient)
{
    const joint *j = &o->model->joints[q->index];
    const motion at = look(o, state);
    const int ends[2] = {j->a, j->b};
    const bool rate = q->kind == OBSERVE_RATE;
    joint_line line;
    o->bodies[j->a] = o->bodies[j->b] = (ph_wrench){ph_zero3(), ph_zero3()};
    const pull_to to = {o->bodies, gradient ? numbers_joints(n, gradient) : NULL, o->model->joints};
    joint_pull_coordinate(j, o->frames, o->twists, q->part, rate ? 0.0 : weight, rate ? weight : 0.0, &to);
    joint_line_at(j, &at, q->part, &line);
    for (int k = 0; k < 2; k++) {
        if (o->model->bodies[ends[k]].moving < 0) continue; // where it stands is in the numbers of the joint
        ph_cotangent *c = &bodies[ends[k]];
        const ph_wrench *w = &o->bodies[ends[k]], *g = k ? &line.b : &line.a;
        add(&c->rotation, 1.0, w->torque), add(&c->position, 1.0, w->force);
        if (rate) add(&c->angular_velocity, weight, g->torque), add(&c->velocity, weight, g->force);
    }
}

// x + R s: by the position, by a small rotation s x R^T e, and by s itself R^T e
static void pull_site(const observable *q, const ph_state *state, double weight, ph_cotangent *bodies, const numbers *n,
                      double *gradient)
{
    const site *s = &state->model->sites[q->index];
    const ph_vec3 e = ph_mat_row(ph_quat_to_mat(state->orientation[s->body]), q->part);
    if (gradient) add(&numbers_sites(n, gradient)[q->index], weight, e);
    if (state->model->bodies[s->body].moving < 0) return; // where it stands is in that of the site
    add(&bodies[s->body].position, weight, unit(q->part));
    add(&bodies[s->body].rotation, weight, ph_cross(s->at, e));
}

void observable_pull(ph_observables *o, int k, const ph_state *s, double weight, ph_cotangent *bodies, const numbers *n,
                     double *gradient)
{
    const observable *q = &o->list[k];
    const int p = q->part;
    if (q->kind == OBSERVE_SITE) {
        pull_site(q, s, weight, bodies, n, gradient);
        return;
    }
    if (q->kind >= OBSERVE_COORDINATE) {
        pull_joint(o, q, s, weight, bodies, n, gradient);
        return;
    }
    ph_cotangent *c = &bodies[q->index];
    const ph_mat3 R = ph_quat_to_mat(s->orientation[q->index]);
    const ph_vec3 v = s->velocity[q->index], omega = s->angular_velocity[q->index];
    if (q->kind == OBSERVE_POSITION) add(&c->position, weight, unit(p));
    if (q->kind == OBSERVE_VELOCITY) add(&c->velocity, weight, unit(p));
    if (q->kind == OBSERVE_ANGULAR_VELOCITY) add(&c->angular_velocity, weight, unit(p));
    if (q->kind == OBSERVE_SPEED && ph_norm(v) > 0.0) add(&c->velocity, weight / ph_norm(v), v);
    if (q->kind == OBSERVE_ANGULAR_SPEED && ph_norm(omega) > 0.0)
        add(&c->angular_velocity, weight / ph_norm(omega), omega);
    if (q->kind == OBSERVE_ORIENTATION)
        ph_cotangent_add_quaternion(
            c, s->orientation[q->index],
            (ph_quat){weight * (p == 0), weight * (p == 1), weight * (p == 2), weight * (p == 3)});
    if (q->kind == OBSERVE_AXIS) // (R e_k)_i: rotation e_k x (row i of R)
        add(&c->rotation, weight, ph_cross(unit(p % 3), ph_mat_row(R, p / 3)));
}
