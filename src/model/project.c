// `initial: project`: moves the start onto the constraints.
//
// Positions by Newton steps of least mass-weighted length, (M, B^T; B, 0) (dq, lambda) = (0, -Phi); then the velocities
// to the nearest ones with B v = 0 in the same metric.

#include "model/compile.h"

#include "math/so3.h"
#include "schemes/node.h"

typedef struct start {
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
} start;

static bool start_create(const ph_model *model, arena *scratch, start *s)
{
    const size_t count = (size_t)model->body_count + 1;
    s->position = arena_alloc_array(scratch, count, sizeof *s->position);
    s->velocity = arena_alloc_array(scratch, count, sizeof *s->velocity);
    s->angular_velocity = arena_alloc_array(scratch, count, sizeof *s->angular_velocity);
    s->orientation = arena_alloc_array(scratch, count, sizeof *s->orientation);
    if (!s->position || !s->velocity || !s->angular_velocity || !s->orientation) {
        return false;
    }
    for (int i = 0; i <= model->body_count; i++) {
        const body *b = &model->bodies[i];
        s->position[i] = b->position;
        s->orientation[i] = b->start->orientation;
        s->velocity[i] = b->start->twist.v;
        s->angular_velocity[i] = b->start->twist.omega;
    }
    return true;
}

typedef struct largest {
    double size;
    const char *name; // of the body
} largest;

static void note_move(largest *m, double size, const body *b)
{
    if (size > m->size) {
        *m = (largest){size, b->name};
    }
}

// Takes the projected start over and says how far it is from the given one.
static void take_over(compiler *c, const start *s)
{
    largest move = {0.0, "none"}, turn = {0.0, "none"}, change = {0.0, "none"};
    for (int k = 0; k < c->model->moving_count; k++) {
        const int i = c->model->moving[k];
        const body *b = &c->model->bodies[i];
        const ph_quat relative = ph_quat_mul(ph_quat_conj(b->start->orientation), s->orientation[i]);
        note_move(&move, ph_norm(ph_sub(s->position[i], b->position)), b);
        note_move(&turn, ph_norm(ph_quat_log(relative)), b);
        note_move(&change, ph_norm(ph_sub(s->velocity[i], b->start->twist.v)), b);
        compile_place(c, i, s->position[i], s->orientation[i], (ph_twist){s->angular_velocity[i], s->velocity[i]});
    }
    remark(
        c, place_of("initial"), NULL,
        "the start was moved onto the constraints: at most %.3g m (%s), %.3g rad (%s), and %.3g m/s (%s) in velocity",
        move.size, move.name, turn.size, turn.name, change.size, change.name);
}

void compile_projection(compiler *c)
{
    const ph_model *model = c->model;
    start s;
    kkt system = {0};
    node at = {0};
    const double *inputs = compile_start_inputs(c);
    if (!inputs || !start_create(model, c->scratch, &s) || !kkt_create(model, KKT_DECOUPLED, c->scratch, &system) ||
        !node_create(model, &system, c->scratch, &at)) {
        c->out_of_memory = true;
        return;
    }
    at.motion.inputs = inputs;
    if (!node_project_position(model, &system, s.position, s.orientation, &at)) {
        return; // what is off is reported joint by joint
    }
    node_project_velocity(model, &system, s.angular_velocity, s.velocity, &at);
    take_over(c, &s);
}
