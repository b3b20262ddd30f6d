#include "adjoint/numbers.h"

#include "forces/tendon.h"
#include "joints/chain.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <string.h>

// ---- Layout ---------------------------------------------------------------------------------------------------------

static int take(int *count, size_t doubles)
{
    const int at = *count;
    *count += (int)doubles;
    return at;
}

static int values_size(const force *f)
{
    int size = 0;
    for (int k = 0; k < f->value_count; k++) size += value_numbers(&f->values[k], NULL);
    return size;
}

static int shapes_of(const ph_model *model, size_t body)
{
    return model->has_contact ? model->bodies[body].kind->shape_count : 0;
}

int numbers_shape_count(const numbers *n, int body)
{
    return shapes_of(n->model, (size_t)body);
}

// How many there are.
static size_t list_shapes(const numbers *n)
{
    int count = 0;
    for (size_t b = 0; b < model_places(n->model); b++) {
        n->first_shape[b] = count;
        count += shapes_of(n->model, b);
    }
    return (size_t)count;
}

bool numbers_create(const ph_model *model, arena *memory, numbers *n)
{
    const size_t joints = (size_t)model->joint_count, forces = (size_t)model->force_count;
    int count = 3;
    *n = (numbers){.model = model};
    n->motor_values = arena_alloc_array(memory, joints + 1, sizeof(int));
    n->matrices = arena_alloc_array(memory, forces + 1, sizeof(int));
    n->values = arena_alloc_array(memory, forces + 1, sizeof(int));
    n->first_shape = arena_alloc_array(memory, model_places(model) + 1, sizeof(int));
    n->stand = arena_alloc_array(memory, model_places(model), sizeof(int));
    if (!n->stand || !n->motor_values || !n->matrices || !n->values || !n->first_shape) return false;
    n->bodies = take(&count, (size_t)model->moving_count * (sizeof(body_gradient) / sizeof(double)));
    n->joints = take(&count, joints * (sizeof(joint_gradient) / sizeof(double)));
    n->forces = take(&count, forces * (sizeof(force_gradient) / sizeof(double)));
    n->sites = take(&count, 3 * (size_t)model->site_count);
    n->inputs = take(&count, (size_t)model->input_count);
    for (int b = 0; b <= model->body_count; b++)
        n->stand[b] = model->bodies[b].moving < 0 ? take(&count, sizeof(stand_gradient) / sizeof(double)) : -1;
    n->shapes = take(&count, list_shapes(n) * (sizeof(shape_gradient) / sizeof(double)));
    n->pairs = take(&count, (size_t)model->contact.pair_count * (sizeof(pair_gradient) / sizeof(double)));
    for (int j = 0; j < model->joint_count; j++) {
        const joint_motor *motor = model->joints[j].motor;
        n->motor_values[j] = motor ? take(&count, (size_t)value_numbers(motor->value, NULL)) : -1;
    }
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        n->matrices[k] = force_has_matrices(f) ? take(&count, 72) : -1;
        n->values[k] = f->value_count > 0 ? take(&count, (size_t)values_size(f)) : -1;
    }
    n->count = count;
    return true;
}

// Tendons and actuators that act along it too come later, under names of their own.
int numbers_drive(const numbers *n, const joint *j)
{
    const ph_model *model = n->model;
    for (int k = model->element_count; k < model->force_count; k++)
        if (model->forces[k].joint == j && model->forces[k].name == j->name) return k;
    return -1;
}

// ---- Differences ----------------------------------------------------------------------------------------------------

enum { NUMBERS_OF_VALUE = 512 }; // in one expression

// The small rotation e with (1 + e~) E in place of E, from the difference of two E.
static ph_vec3 turn_of(ph_mat3 plus, ph_mat3 minus, ph_mat3 E)
{
    const ph_mat3 W = ph_mat_mult(ph_mat_sub(plus, minus), E);
    return ph_scale(0.5, ph_vec(W.m[2][1] - W.m[1][2], W.m[0][2] - W.m[2][0], W.m[1][0] - W.m[0][1]));
}

static void body_difference(const body *base, const body *plus, const body *minus, body_gradient *x)
{
    const ph_mat3 R = body_turn(base);
    x->rotation = ph_tmul(R, turn_of(body_turn(plus), body_turn(minus), R));
    x->position = ph_sub(plus->position, minus->position);
    x->angular_velocity = ph_sub(plus->start->twist.omega, minus->start->twist.omega);
    x->velocity = ph_sub(plus->start->twist.v, minus->start->twist.v);
    x->mass = plus->kind->mass - minus->kind->mass;
    x->J = ph_mat_sub(plus->kind->J, minus->kind->J);
}

// What stands still may stand elsewhere: its points and axes are seen from where it stands in the model itself.
typedef struct end {
    const body *base, *plus, *minus;
} end;

static ph_vec3 in_world(const body *b, ph_vec3 s)
{
    return ph_add(b->position, ph_mul(body_turn(b), s));
}

static ph_vec3 point_difference(const end *e, ph_vec3 plus, ph_vec3 minus)
{
    if (e->base->moving >= 0) return ph_sub(plus, minus);
    return ph_tmul(body_turn(e->base), ph_sub(in_world(e->plus, plus), in_world(e->minus, minus)));
}

static ph_vec3 axes_difference(const end *e, ph_mat3 plus, ph_mat3 minus, ph_mat3 E)
{
    if (e->base->moving >= 0) return turn_of(plus, minus, E);
    const ph_mat3 R = body_turn(e->base);
    return ph_tmul(
        R, turn_of(ph_mat_mul(body_turn(e->plus), plus), ph_mat_mul(body_turn(e->minus), minus), ph_mat_mul(R, E)));
}

typedef struct models {
    const ph_model *base, *plus, *minus;
} models;

static end end_at(const models *m, int body)
{
    return (end){&m->base->bodies[body], &m->plus->bodies[body], &m->minus->bodies[body]};
}

static void joint_difference(const models *m, int index, joint_gradient *x)
{
    const joint *base = &m->base->joints[index], *plus = &m->plus->joints[index], *minus = &m->minus->joints[index];
    const end a = end_at(m, base->a), b = end_at(m, base->b);
    x->s_a = point_difference(&a, plus->s_a, minus->s_a), x->s_b = point_difference(&b, plus->s_b, minus->s_b);
    x->e_a = axes_difference(&a, plus->E_a, minus->E_a, base->E_a);
    x->e_b = axes_difference(&b, plus->E_b, minus->E_b, base->E_b);
    x->length = plus->length - minus->length;
    x->pitch = plus->pitch - minus->pitch;
    x->slide = plus->slide - minus->slide;
    for (int k = 0; k < JOINT_COORDINATES_MAX; k++) {
        x->offset[k] = plus->offset[k] - minus->offset[k];
        x->root[k] = joint_root(plus, k) - joint_root(minus, k);
    }
    if (base->gear)
        x->ratio = plus->gear->ratio - minus->gear->ratio, x->phase = plus->gear->phase - minus->gear->phase;
    if (base->motor) x->start = plus->motor->start - minus->motor->start;
    x->limit_low = plus->def->limit_low - minus->def->limit_low;
    x->limit_high = plus->def->limit_high - minus->def->limit_high;
}

static void tendon_difference(const tendon *plus, const tendon *minus, int part, force_gradient *x)
{
    const ph_tendon_def *p = plus->def, *m = minus->def;
    x->number[TENDON_COEFFICIENT] = plus->parts[part].coefficient - minus->parts[part].coefficient;
    if (part > 0) return;
    x->stiffness = p->stiffness - m->stiffness, x->damping = p->damping - m->damping;
    x->rest = plus->rest - minus->rest;
    x->number[TENDON_FIXED] = plus->fixed - minus->fixed;
    x->number[TENDON_LIMIT_LOW] = p->limit_low - m->limit_low;
    x->number[TENDON_LIMIT_HIGH] = p->limit_high - m->limit_high;
    x->number[TENDON_LIMIT_STIFFNESS] = p->limit_stiffness - m->limit_stiffness;
    x->number[TENDON_LIMIT_DAMPING] = p->limit_damping - m->limit_damping;
}

static void stand_difference(const models *m, int b, stand_gradient *x)
{
    const end e = end_at(m, b);
    x->position = ph_sub(e.plus->position, e.minus->position);
    x->rotation = axes_difference(&e, ph_identity(), ph_identity(), ph_identity());
}

static void force_difference(const models *models, int index, force_gradient *x)
{
    const force *base = &models->base->forces[index], *plus = &models->plus->forces[index],
                *minus = &models->minus->forces[index];
    const end a = end_at(models, base->a), b = end_at(models, base->b);
    x->s_a = point_difference(&a, plus->s_a, minus->s_a), x->s_b = point_difference(&b, plus->s_b, minus->s_b);
    x->e_a = axes_difference(&a, plus->E_a, minus->E_a, base->E_a);
    x->e_b = axes_difference(&b, plus->E_b, minus->E_b, base->E_b);
    x->stiffness = plus->stiffness - minus->stiffness, x->damping = plus->damping - minus->damping;
    x->rest = plus->rest - minus->rest;
    x->friction = plus->friction - minus->friction;
    x->friction_speed = plus->friction_speed - minus->friction_speed;
    x->kp = plus->kp - minus->kp, x->kd = plus->kd - minus->kd;
    x->max = plus->max - minus->max;
    for (int k = 0; k < FORCE_NUMBERS && base->def; k++) x->number[k] = plus->def->number[k] - minus->def->number[k];
    if (base->tendon) tendon_difference(plus->tendon, minus->tendon, base->part, x);
}

static frame place_of(const body *b, const ph_shape_def *shape)
{
    const frame at = body_frame(b), local = collider_place(shape, b->kind->com);
    return b->moving < 0 ? frame_mul(&at, &local) : local;
}

static void shape_difference(const ph_model *models[3], size_t b, int k, shape_gradient *x)
{
    const body *base = &models[0]->bodies[b], *plus = &models[1]->bodies[b], *minus = &models[2]->bodies[b];
    const ph_shape_def *p = &plus->kind->shapes[k], *m = &minus->kind->shapes[k];
    const frame at = place_of(base, &base->kind->shapes[k]), up = place_of(plus, p), down = place_of(minus, m);
    const shape_sizes s = collider_sizes(p), t = collider_sizes(m);
    *x = (shape_gradient){
        .place = ph_sub(up.x, down.x),
        .turn = turn_of(up.R, down.R, at.R),
        .sizes = {ph_sub(s.half, t.half), s.radius - t.radius, s.half_length - t.half_length},
        .friction = p->friction - m->friction,
        .restitution = p->restitution - m->restitution,
        .rolling = p->rolling_friction - m->rolling_friction,
        .spinning = p->spinning_friction - m->spinning_friction,
        .compliance = p->compliance - m->compliance,
    };
}

static void shapes_difference(const numbers *n, const ph_model *plus, const ph_model *minus, double *x)
{
    const ph_model *models[3] = {n->model, plus, minus};
    for (size_t b = 0; b < model_places(n->model); b++)
        for (int k = 0; k < shapes_of(n->model, b); k++)
            shape_difference(models, b, k, &numbers_shapes(n, x, (int)b)[k]);
    for (int k = 0; k < n->model->contact.pair_count; k++) {
        const ph_contact_pair *p = &plus->contact.pairs[k], *m = &minus->contact.pairs[k];
        numbers_pairs(n, x)[k] = (pair_gradient){
            p->friction - m->friction, p->restitution - m->restitution, p->rolling_friction - m->rolling_friction,
            p->spinning_friction - m->spinning_friction, p->compliance - m->compliance};
    }
}

static void matrix_difference(const force *plus, const force *minus, double *x)
{
    for (int k = 0; k < 36; k++) {
        x[k] = plus->def->stiffness6[k / 6][k % 6] - minus->def->stiffness6[k / 6][k % 6];
        x[36 + k] = plus->def->damping6[k / 6][k % 6] - minus->def->damping6[k / 6][k % 6];
    }
}

static bool value_difference(const value *base, const value *plus, const value *minus, double **x)
{
    double p[NUMBERS_OF_VALUE], m[NUMBERS_OF_VALUE];
    const int count = value_numbers(base, NULL);
    if (count > NUMBERS_OF_VALUE || !value_same_form(base, plus) || !value_same_form(base, minus)) return false;
    value_numbers(plus, p);
    value_numbers(minus, m);
    for (int k = 0; k < count; k++) (*x)[k] = p[k] - m[k];
    *x += count;
    return true;
}

// ---- Form -----------------------------------------------------------------------------------------------------------

static bool same_joint(const joint *a, const joint *b)
{
    return a->type == b->type && a->a == b->a && a->b == b->b && a->row_count == b->row_count &&
           !a->motor == !b->motor && a->rotor_rows == b->rotor_rows;
}

static bool same_tendon(const tendon *a, const tendon *b)
{
    return a->part_count == b->part_count && a->def->cable == b->def->cable &&
           a->def->has_limit_low == b->def->has_limit_low && a->def->has_limit_high == b->def->has_limit_high;
}

// Slopes by the axes and points of a chain are not known.
static bool same_chain(const joint *a, const joint *b)
{
    bool same = !a->chain == !b->chain;
    for (int k = 0; k < CHAIN_MOTIONS && same && a->chain; k++) {
        const chain_motion *m = &a->chain->motions[k], *n = &b->chain->motions[k];
        const double apart = ph_max_abs(ph_sub(m->axis, n->axis)) + ph_max_abs(ph_sub(m->point, n->point));
        same = apart <= 1e-13 * (1.0 + ph_max_abs(m->point));
    }
    return same;
}

static bool same_force(const force *a, const force *b)
{
    return a->type == b->type && a->a == b->a && a->b == b->b && a->value_count == b->value_count &&
           a->needs_velocity == b->needs_velocity && (!a->tendon || same_tendon(a->tendon, b->tendon));
}

// Points of hulls and meshes are no numbers.
static bool same_shape(const ph_shape_def *a, const ph_shape_def *b)
{
    const size_t bytes = sizeof(double) * (size_t)a->data_rows * (size_t)a->data_columns;
    return strcmp(a->type, b->type) == 0 && a->data_rows == b->data_rows && a->data_columns == b->data_columns &&
           !a->data == !b->data && (!a->data || memcmp(a->data, b->data, bytes) == 0);
}

static const char *different_shapes(const ph_model *a, const ph_model *b)
{
    if (a->contact.pair_count != b->contact.pair_count) return "the pairs of bodies in contact change";
    for (size_t i = 0; i < model_places(a); i++) {
        if (shapes_of(a, i) != shapes_of(b, i)) return "the shapes change";
        for (int k = 0; k < shapes_of(a, i); k++)
            if (!same_shape(&a->bodies[i].kind->shapes[k], &b->bodies[i].kind->shapes[k]))
                return "the points of a hull, mesh or height field change, by which there is no derivative";
    }
    return NULL;
}

static const char *different_form(const ph_model *a, const ph_model *b)
{
    if (a->body_count != b->body_count || a->moving_count != b->moving_count) return "the number of bodies changes";
    if (a->joint_count != b->joint_count || a->row_count != b->row_count) return "the joints change";
    if (a->force_count != b->force_count) return "the number of forces changes";
    if (a->input_count != b->input_count) return "the inputs change";
    if (a->site_count != b->site_count) return "the sites change";
    for (int j = 0; j < a->joint_count; j++)
        if (!same_joint(&a->joints[j], &b->joints[j])) return "a joint becomes another one";
    for (int j = 0; j < a->joint_count; j++)
        if (!same_chain(&a->joints[j], &b->joints[j]))
            return "the axes or points of a joint of type chain change, by which there is no derivative";
    for (int k = 0; k < a->force_count; k++)
        if (!same_force(&a->forces[k], &b->forces[k])) return "a force becomes another one";
    return different_shapes(a, b);
}

// ---------------------------------------------------------------------------------------------------------------------

static bool values_difference(const numbers *n, const ph_model *plus, const ph_model *minus, double *x)
{
    const ph_model *model = n->model;
    bool ok = true;
    for (int j = 0; j < model->joint_count; j++) {
        double *to = x + n->motor_values[j];
        if (n->motor_values[j] >= 0)
            ok = ok && value_difference(model->joints[j].motor->value, plus->joints[j].motor->value,
                                        minus->joints[j].motor->value, &to);
    }
    for (int k = 0; k < model->force_count; k++) {
        double *to = x + n->values[k];
        for (int i = 0; n->values[k] >= 0 && i < model->forces[k].value_count; i++)
            ok = ok && value_difference(&model->forces[k].values[i], &plus->forces[k].values[i],
                                        &minus->forces[k].values[i], &to);
    }
    return ok;
}

bool numbers_difference(const numbers *n, const ph_model *plus, const ph_model *minus, double scale, double *x,
                        const char **why)
{
    const ph_model *model = n->model;
    const models all = {model, plus, minus};
    *why = different_form(model, plus);
    if (!*why) *why = different_form(model, minus);
    if (*why) return false;
    memset(x, 0, sizeof(double) * (size_t)n->count);
    memcpy(x,
           &(ph_vec3){plus->gravity.x - minus->gravity.x, plus->gravity.y - minus->gravity.y,
                      plus->gravity.z - minus->gravity.z},
           sizeof(ph_vec3));
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        body_difference(&model->bodies[b], &plus->bodies[b], &minus->bodies[b], &numbers_bodies(n, x)[k]);
    }
    for (int b = 0; b <= model->body_count; b++)
        if (n->stand[b] >= 0) stand_difference(&all, b, numbers_stand(n, x, b));
    for (int j = 0; j < model->joint_count; j++) joint_difference(&all, j, &numbers_joints(n, x)[j]);
    for (int k = 0; k < model->force_count; k++) {
        force_difference(&all, k, &numbers_forces(n, x)[k]);
        if (n->matrices[k] >= 0) matrix_difference(&plus->forces[k], &minus->forces[k], x + n->matrices[k]);
    }
    for (int k = 0; k < model->site_count; k++) {
        const end on = end_at(&all, model->sites[k].body);
        numbers_sites(n, x)[k] = point_difference(&on, plus->sites[k].at, minus->sites[k].at);
    }
    for (int k = 0; k < model->input_count; k++) x[n->inputs + k] = plus->inputs[k].start - minus->inputs[k].start;
    shapes_difference(n, plus, minus, x);
    if (!values_difference(n, plus, minus, x)) {
        *why = "an expression changes its form";
        return false;
    }
    for (int k = 0; k < n->count; k++) x[k] *= scale;
    return true;
}
