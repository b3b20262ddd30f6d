// Rotors (joints/rotor.c) in the elimination of trees.
//
// A rotor of mass m slides by x, and its row ties that to the coordinate of one freedom y:
//
//     m x - w lambda = r_x,      sqrt(a) y - x = r_phi
//
// So it is no limb. With W the wrench of its row, sqrt(a) times the gradient of the coordinate, the row pulls with
// w lambda W = (m sqrt(a) y - m r_phi - r_x) W, of which
//
//     factor      m a stands beside the inertia of the freedom
//     inwards     r' + (m r_phi + r_x) W while the freedoms are eliminated: the parent feels the opposite, so it gets none of it
//     outwards    x = W . (z - z_parent) - r_phi,      w lambda = m x - r_x
//
// W does no work along what rows hold, so reactions do not ask for it. Rotors of joints that close loops slide alone.
#include "articulated/elimination.h"

#include "base/memory.h"
#include "joints/chain.h"

// ---- Life -----------------------------------------------------------------------------------------------------------

bool elimination_turns_rotor(const ph_model *model, const joint *holds)
{
    bool turns = holds->rotor_rows > 0;
    for (int j = 0; j < model->joint_count && model->rotor_count > 0; j++)
        turns = turns || (model->joints[j].of == holds && model->joints[j].rotor_rows > 0);
    return turns;
}

static void add_rotor(elimination *e, int index)
{
    const joint *j = &e->model->joints[index], *holds = j->of ? j->of : j;
    const int body = j->bodies[j->slot_rotor], moving = e->model->bodies[body].moving;
    const int n = moving - e->first_rotor, i = e->limb_of_joint[holds - e->model->joints];
    elimination_rotor *r = &e->rotors[n];
    *r = (elimination_rotor){.body = body, .moving = moving, .joint = index, .limb = i, .next = -1};
    r->row = j->row_count - 1;
    r->model_row = j->first_row + r->row;
    r->root = joint_root(j, 0);
    if (i < 0) return;
    r->freedom = e->limbs[i].first + (j->of ? j->of_coordinate : 0);
    r->next = e->limbs[i].rotor;
    e->limbs[i].rotor = n;
    e->rotor_of_joint[index] = n;
}

bool rotors_create(elimination *e, arena *memory)
{
    const ph_model *model = e->model;
    e->first_rotor = model->moving_count - model->rotor_count;
    e->rotors = arena_alloc_array(memory, (size_t)model->rotor_count + 1, sizeof *e->rotors);
    e->rotor_of_joint = arena_alloc_array(memory, (size_t)model->joint_count, sizeof *e->rotor_of_joint);
    if (!e->rotors || !e->rotor_of_joint) return false;
    for (int j = 0; j < model->joint_count; j++) {
        e->rotor_of_joint[j] = -1;
        if (model->joints[j].rotor_rows > 0) add_rotor(e, j);
    }
    return true;
}

// ---- At one configuration -------------------------------------------------------------------------------------------

static screw4 times(double s, four turn, four move)
{
    return (screw4){four_splat(s) * turn, four_splat(s) * move};
}

// The columns of freedoms are gradients of their coordinates, too, but for screws, which slide as they turn, and chains.
static screw4 wrench_of(const elimination *e, const limb *l, const elimination_rotor *r, const grips *g,
                        const chain_look *look, const columns *axes)
{
    const joint *j = &e->model->joints[r->joint];
    if (look) {
        const double *w = look->W[j->coordinates[0].i];
        return times(r->root, columns_apply(axes, four_three(w)), columns_apply(axes, four_three(w + 3)));
    }
    const screw4 *N = &g->freedoms[r->freedom];
    return times(r->root, N->turn, l->screws ? four_splat(0.0) : N->move);
}

void rotors_grip(const elimination *e, const limb *l, const motion *at, const chain_look *look, const columns *axes,
                 grips *g, double *phi)
{
    for (int n = l->rotor; n >= 0; n = e->rotors[n].next) {
        const elimination_rotor *r = &e->rotors[n];
        const joint *j = &e->model->joints[r->joint];
        g->rotors[n] = wrench_of(e, l, r, g, look, axes);
        if (!phi) continue;
        const double q = look ? look->q[j->coordinates[0].i] : joint_coordinate_nearly(j, at, 0);
        phi[r->model_row] = joint_rotor_off(j, at->frames, q);
    }
}

screw4 rotors_pull(elimination *e, const limb *l, const grips *g, const double *lambda)
{
    const four sign = four_splat(l->sign);
    screw4 sum = {four_splat(0.0), four_splat(0.0)};
    for (int n = l->rotor; n >= 0; n = e->rotors[n].next) {
        elimination_rotor *r = &e->rotors[n];
        screw4_add(&sum, lambda[r->model_row], &g->rotors[n]);
        r->slide = -lambda[r->model_row];
    }
    return (screw4){sign * sum.turn, sign * sum.move};
}

// ---- The system -----------------------------------------------------------------------------------------------------

void rotors_put(elimination *e, int moving, double mass)
{
    elimination_rotor *r = &e->rotors[moving - e->first_rotor];
    r->mass = mass;
    if (r->limb >= 0) e->freedoms[r->freedom].soft += mass * r->root * r->root;
}

void rotors_load(elimination *e, double *x)
{
    for (int n = 0; n < e->model->rotor_count; n++) {
        elimination_rotor *r = &e->rotors[n];
        double *to = x + e->body_x[r->moving];
        r->load = to[3];
        to[0] = to[1] = to[2] = 0.0; // nothing turns it
        for (int c = 3; c < 6; c++) to[c] /= r->mass;
    }
}

screw4 rotors_push(const elimination *e, const limb *l, const double *x)
{
    const four sign = four_splat(l->sign);
    screw4 sum = {four_splat(0.0), four_splat(0.0)};
    for (int n = l->rotor; n >= 0; n = e->rotors[n].next) {
        const elimination_rotor *r = &e->rotors[n];
        screw4_add(&sum, r->mass * x[e->joint_x[r->joint] + r->row] + r->load, &e->test.rotors[n]);
    }
    return (screw4){sign * sum.turn, sign * sum.move};
}

void rotors_slide(const elimination *e, const limb *l, const screw4 *w, const double *lambda, double *x)
{
    for (int n = l->rotor; n >= 0; n = e->rotors[n].next) {
        const elimination_rotor *r = &e->rotors[n];
        double *row = x + e->joint_x[r->joint] + r->row;
        const double slide = l->sign * screw4_power(&e->trial.rotors[n], w) - *row;
        *row = (r->mass * slide - r->load) / e->weight - (lambda ? lambda[r->model_row] : 0.0);
        x[e->body_x[r->moving] + 3] = slide;
    }
}
