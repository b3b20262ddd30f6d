// The exact motion, where it is known: bodies that fly freely under their weight, and tops that turn about a fixed point
// (symmetric ones under their weight, any without). What others are measured against.
//
// The state it starts from is kept in the history as an anchor, and every step evaluates the closed form at the time since
// then: nothing adds up from step to step.
#include "base/memory.h"
#include "exact/tops.h"
#include "math/quat.h"
#include "schemes/scheme.h"

extern const ph_scheme scheme_exact;

// How one moving body moves.
typedef struct exact_body {
    bool hinged;     // it turns about the point below; else it is free
    ph_vec3 pivot;   // world
    ph_vec3 arm;     // from the pivot to the centre of mass, body axes
    ph_mat3 inertia; // about the pivot or the centre of mass
    double weight;   // m g |arm|; 0: no torque
    double transverse, axial;
    ph_quat up, axis; // turn the upward direction into world z; body z into the direction of the arm
} exact_body;

typedef struct exact {
    const ph_model *model;
    arena *memory;
    exact_body *bodies; // by moving body
} exact;

// ---- Which models ---------------------------------------------------------------------------------------------------

// The shortest turn from z to the unit vector n. Of 1 + n_z, which is small when n points down, no digit is lost.
static ph_quat turn_from_z(ph_vec3 n)
{
    const double across = n.x * n.x + n.y * n.y;
    const double w = n.z >= 0.0 ? 1.0 + n.z : across / (1.0 - n.z);
    return w == 0.0 ? (ph_quat){0.0, 1.0, 0.0, 0.0} : ph_quat_unit((ph_quat){w, -n.y, n.x, 0.0});
}

// J + m (|r|^2 I - r r^T)
static ph_mat3 inertia_about(const body *body, ph_vec3 r)
{
    const ph_mat3 shift = ph_mat_sub(ph_mat_scale(ph_norm2(r), ph_identity()), ph_outer(r, r));
    return ph_mat_madd(body->kind->J, body->kind->mass, shift);
}

// Moments along and across the unit vector n, and how far the inertia is from being symmetric about it.
static double split_moments(const ph_mat3 *J, ph_vec3 n, double *transverse, double *axial)
{
    *axial = ph_dot(n, ph_mul(*J, n));
    *transverse = 0.5 * (ph_trace(*J) - *axial);
    const ph_mat3 symmetric =
        ph_mat_madd(ph_mat_scale(*transverse, ph_identity()), *axial - *transverse, ph_outer(n, n));
    return ph_mat_norm(ph_mat_sub(*J, symmetric)) / ph_mat_norm(*J);
}

static ph_status refuse(ph_error *error, const char *kind, const char *name, const char *why)
{
    return error_set(
        error, PH_NOT_SUPPORTED,
        "scheme 'exact' knows the motion of free bodies and of symmetric tops on a ball joint alone: %s '%s' %s", kind,
        name ? name : "(unnamed)", why);
}

static ph_status hang(exact *s, const joint *joint, ph_error *error)
{
    const ph_model *model = s->model;
    const int moving = joint->bodies[0], fixed = joint->a == moving ? joint->b : joint->a;
    const ph_vec3 s_moving = joint->a == moving ? joint->s_a : joint->s_b,
                  s_fixed = joint->a == moving ? joint->s_b : joint->s_a;
    const body *body = &model->bodies[moving];
    exact_body *e = &s->bodies[body->moving];
    if (joint->row_count != 3 || joint->rows[0].kind != ROW_POINT)
        return refuse(error, "joint", joint->name, "is not a ball joint");
    if (joint->body_count != 1) return refuse(error, "joint", joint->name, "ties two moving bodies together");
    if (e->hinged) return refuse(error, "body", body->name, "hangs on two joints");
    e->hinged = true;
    e->pivot = ph_add(model->bodies[fixed].position, ph_mul(body_turn(&model->bodies[fixed]), s_fixed));
    e->arm = ph_neg(s_moving);
    e->inertia = inertia_about(body, e->arm);
    const double length = ph_norm(e->arm), gravity = ph_norm(model->gravity);
    e->weight = body->kind->mass * gravity * length;
    if (e->weight == 0.0) return PH_OK;
    const ph_vec3 axis = ph_scale(1.0 / length, e->arm);
    e->axis = turn_from_z(axis);
    e->up = ph_quat_conj(turn_from_z(ph_scale(-1.0 / gravity, model->gravity)));
    if (!(split_moments(&e->inertia, axis, &e->transverse, &e->axial) <= 1e-12))
        return refuse(error, "body", body->name,
                      "is not symmetric about the line from its joint to its centre of mass");
    return PH_OK;
}

static ph_status classify(exact *s, ph_error *error)
{
    const ph_model *model = s->model;
    if (model->force_count > 0) return refuse(error, "force", model->forces[0].name, "acts, too");
    for (int k = 0; k < model->moving_count; k++) s->bodies[k].inertia = model->bodies[model->moving[k]].kind->J;
    for (int j = 0; j < model->joint_count; j++) {
        const ph_status status = hang(s, &model->joints[j], error);
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    (void)settings;
    arena *memory = arena_create(&model->allocator);
    exact *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    exact_body *bodies = s ? arena_alloc_array(memory, (size_t)model->moving_count, sizeof *bodies) : NULL;
    ph_status status = bodies ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        *s = (exact){model, memory, bodies};
        status = classify(s, error);
    }
    if (status == PH_OK)
        *self = s;
    else
        arena_destroy(memory);
    return status;
}

static void destroy(void *self)
{
    arena_destroy(((exact *)self)->memory);
}

// ---- The anchor -----------------------------------------------------------------------------------------------------

typedef struct anchor {
    ph_vec3 position, velocity;
    attitude attitude;
} anchor;

// The history holds the time of the anchor and, for each moving body, its state then.
enum { ANCHOR_SIZE = sizeof(anchor) / sizeof(double) };
_Static_assert(1 + ANCHOR_SIZE <= HISTORY_PER_BODY, "the anchor has its place in the history");

static void set_anchor(ph_state *state)
{
    const ph_model *model = state->model;
    double *history = state_history(state, &scheme_exact);
    history[0] = state->time;
    anchor *anchors = (anchor *)(history + 1);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        anchors[k] =
            (anchor){state->position[b], state->velocity[b], {state->orientation[b], state->angular_velocity[b]}};
    }
}

// ---- The step -------------------------------------------------------------------------------------------------------

static attitude attitude_at(const exact_body *e, const attitude *start, double time)
{
    if (e->weight == 0.0) {
        const euler_top top = euler_top_of(e->inertia, start);
        return euler_top_at(&top, time);
    }
    const attitude aligned = {ph_quat_mul(ph_quat_mul(e->up, start->q), e->axis),
                              ph_quat_rotate(ph_quat_conj(e->axis), start->omega)};
    const lagrange_top top = lagrange_top_of(e->transverse, e->axial, e->weight, &aligned);
    const attitude at = lagrange_top_at(&top, time);
    return (attitude){ph_quat_unit(ph_quat_mul(ph_quat_mul(ph_quat_conj(e->up), at.q), ph_quat_conj(e->axis))),
                      ph_quat_rotate(e->axis, at.omega)};
}

static void place(const exact_body *e, const anchor *from, ph_vec3 gravity, double time, ph_state *state, int b)
{
    const attitude at = attitude_at(e, &from->attitude, time);
    state->orientation[b] = at.q;
    state->angular_velocity[b] = at.omega;
    if (e->hinged) {
        state->position[b] = ph_add(e->pivot, ph_quat_rotate(at.q, e->arm));
        state->velocity[b] = ph_quat_rotate(at.q, ph_cross(at.omega, e->arm));
    } else {
        state->position[b] = ph_madd(ph_madd(from->position, time, from->velocity), 0.5 * time * time, gravity);
        state->velocity[b] = ph_madd(from->velocity, time, gravity);
    }
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    const exact *s = self;
    (void)report;
    if (!state_past(state, &scheme_exact)) set_anchor(state);
    const double *history = state->history, time = state->time + h - history[0];
    const anchor *anchors = (const anchor *)(history + 1);
    for (int k = 0; k < s->model->moving_count; k++)
        place(&s->bodies[k], &anchors[k], s->model->gravity, time, state, s->model->moving[k]);
    state->time += h;
    return PH_OK;
}

const ph_scheme scheme_exact = {
    .name = "exact",
    .title = "The exact motion of free bodies and of symmetric tops, for reference",
    .reference = "Euler 1758, Lagrange 1788, Jacobi 1849; Whittaker, Analytical Dynamics, ch. VI",
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM,
    .create = create,
    .step = step,
    .destroy = destroy,
};
