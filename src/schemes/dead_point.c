// Why a step failed: see dead_point.h.
//
// Close to a dead point the squared sine of a row's angle with the others (dynamics/dependent.h) falls to zero in
// proportion to the time left, as the loop's branches meet there: two values of it tell when.

#include "schemes/dead_point.h"

#include "base/memory.h"
#include "dynamics/dependent.h"
#include "math/quat.h"
#include "math/so3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct look {
    const ph_state *state;
    dependent rows;
    frame *frames;
    double *B;
    unsigned char *left_out;
} look;

static bool look_create(look *l, const ph_state *state, arena *memory)
{
    const ph_model *model = state->model;
    size_t numbers = 0;
    for (int j = 0; j < model->joint_count; j++)
        numbers += (size_t)(6 * model->joints[j].row_count * model->joints[j].body_count);
    *l = (look){.state = state};
    l->frames = arena_alloc_array(memory, model_places(model), sizeof *l->frames);
    l->B = arena_alloc_array(memory, numbers, sizeof *l->B);
    l->left_out = arena_alloc_array(memory, (size_t)model->joint_count, 1);
    return l->frames && l->B && l->left_out && dependent_create(model, false, memory, &l->rows);
}

// Bodies where they were `back` seconds ago. Returns how many rows depend on others there.
static int place(look *l, double back)
{
    const ph_state *s = l->state;
    const ph_model *model = s->model;
    double *B = l->B;
    for (size_t i = 0; i < model_places(model); i++) {
        const bool own = (int)i < model->body_count && model->bodies[i].moving >= 0;
        l->frames[i] = body_frame(&model->bodies[i]);
        if (!own) continue;
        l->frames[i].R =
            ph_mat_mul(ph_quat_to_mat(s->orientation[i]), ph_so3_exp(ph_scale(-back, s->angular_velocity[i])));
        l->frames[i].x = ph_madd(s->position[i], -back, s->velocity[i]);
    }
    const motion at = {.time = s->time, .frames = l->frames, .inputs = s->inputs, .turns = s->turns};
    for (int j = 0; j < model->joint_count; j++) {
        joint_jacobian(&model->joints[j], &at, B);
        B += 6 * model->joints[j].row_count * model->joints[j].body_count;
    }
    return dependent_choose(&l->rows, l->frames, l->B, l->left_out);
}

// The row kept that is nearest to the others: its place in factor.part, and its joint; -1: there are no loops.
static int nearest(const look *l, int *joint)
{
    const block_cholesky *f = &l->rows.factor;
    int best = -1;
    for (int k = 0; k < f->pivot_count; k++)
        for (int r = 0; r < f->pivots[k].size; r++) {
            const int x = f->pivots[k].x + r, j = l->rows.joints[l->rows.node[k]];
            if (l->left_out[j] >> r & 1u || (best >= 0 && f->part[x] >= f->part[best])) continue;
            best = x;
            *joint = j;
        }
    return best;
}

static bool share_body(const joint *a, const joint *b)
{
    for (int k = 0; k < a->body_count; k++)
        for (int l = 0; l < b->body_count; l++)
            if (a->bodies[k] == b->bodies[l]) return true;
    return false;
}

// Joints of loops that hang together with joint j; into left_out, one where they do.
static void mark_loop(look *l, int j)
{
    const joint *joints = l->state->model->joints;
    bool grown = true;
    memset(l->left_out, 0, (size_t)l->state->model->joint_count);
    l->left_out[j] = 1;
    while (grown) {
        grown = false;
        for (int a = 0; a < l->rows.joint_count; a++)
            for (int b = 0; b < l->rows.joint_count && !l->left_out[l->rows.joints[a]]; b++) {
                const int to = l->rows.joints[a], from = l->rows.joints[b];
                if (!l->left_out[from] || !share_body(&joints[to], &joints[from])) continue;
                l->left_out[to] = grown = true;
            }
    }
}

static void describe(const look *l, char *text, size_t size)
{
    enum { NAMED = 6 };
    const ph_model *model = l->state->model;
    char names[200] = "";
    const char *motor = NULL;
    int count = 0;
    size_t n = 0;
    for (int j = 0; j < model->joint_count; j++) {
        if (!l->left_out[j]) continue;
        if (model->joints[j].motor && !motor) motor = model->joints[j].name;
        if (++count <= NAMED && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s'%.24s'", count > 1 ? ", " : "",
                                  model->joints[j].name);
    }
    const char *more = count > NAMED ? " and others" : "";
    if (motor) {
        snprintf(
            text, size,
            "the motor of '%.24s' drives the loop of joints %s%s into a dead point: its other joints cannot follow; "
            "let a torque or a servo drive it, or end before",
            motor, names, more);
    } else {
        snprintf(
            text, size,
            "the loop of joints %s%s is at a dead point; start elsewhere, or try a scheme that crosses it (rattlie)",
            names, more);
    }
}

// Rows that depend on others only here, or that will before three more steps are over.
static bool is_near(look *l, double h, int *joint)
{
    enum { STEPS = 3 };
    const double back = 0.05 * h;
    const int out = place(l, 0.0), row = nearest(l, joint);
    if (row < 0) return false;
    const double now = l->rows.factor.part[row];
    if (place(l, back) != out) return true;
    const double before = l->rows.factor.part[row];
    return now < 0.2 && before > now && now * fabs(back) < STEPS * fabs(h) * (before - now);
}

bool dead_point(const ph_state *state, double h, char *text, size_t size)
{
    arena *memory = arena_create(&state->model->allocator);
    look l;
    int joint = 0;
    const bool found = memory && look_create(&l, state, memory) && is_near(&l, h, &joint);
    if (found) {
        mark_loop(&l, joint);
        describe(&l, text, size);
    }
    arena_destroy(memory);
    return found;
}
