// Chains: the motions that are given in the frame of b, and where the joint frames lie.
//
// With T_b the pose of b and T_a that of a, b's joint frame has b's axes and its origin on the axis of the last turn. Where all
// coordinates are `zero` the frame of a is there, too: the pose given, less the motions by their starts.
#include "compile/compile.h"

#include "joints/chain.h"
#include "math/mat3.h"

static bool check_motions(compiler *c, place where, const ph_joint_def *def)
{
    const int errors = c->errors;
    if (def->motion_count < 1 || def->motion_count > PH_JOINT_COORDINATES) {
        complain(c, where, "motions: [{turn: [x, y, z], at: [x, y, z]}, {slide: [x, y, z]}, ..]",
                 "a chain needs one to six motions");
        return false;
    }
    for (int k = 0; k < def->motion_count; k++) {
        const ph_chain_motion *m = &def->motions[k];
        check_direction(c, place_key(where, "motions"), m->slides ? "slide" : "turn", m->axis);
        check_finite3(c, place_key(where, "motions"), "at", m->point);
        check_finite(c, place_key(where, "motions"), "start", m->start);
        check_finite(c, place_key(where, "motions"), "zero", m->zero);
    }
    return c->errors == errors;
}

// The point of the last turn; without one, the origin of b's frame.
static ph_vec3 origin_of(const ph_joint_def *def)
{
    ph_vec3 origin = ph_zero3();
    for (int k = 0; k < def->motion_count; k++)
        if (!def->motions[k].slides) origin = def->motions[k].point;
    return origin;
}

// The frame of a: b's joint frame as it is, moved back.
static void place_frame_a(const ph_model *model, const ph_joint_def *def, joint *j)
{
    const body *a = &model->bodies[j->a], *b = &model->bodies[j->b];
    double q[CHAIN_MOTIONS] = {0};
    chain_look look;
    for (int k = 0; k < def->motion_count; k++) {
        q[j->chain->free[k]] = def->motions[k].start - def->motions[k].zero;
    }
    chain_place(j->chain, q, &look);
    const frame none = {ph_identity(), ph_zero3()}, back = frame_relative(&look.pose, &none);
    const frame at = {ph_mat_mul(body_turn(b), j->E_b), ph_add(b->position, ph_mul(body_turn(b), j->s_b))};
    const frame zero = frame_mul(&at, &back);
    j->E_a = ph_mat_tmul(body_turn(a), zero.R);
    j->s_a = ph_tmul(body_turn(a), ph_sub(zero.x, a->position));
}

bool compile_chain(compiler *c, place where, const ph_joint_def *def, joint *j)
{
    chain_motion free[PH_JOINT_COORDINATES];
    chain *made = arena_alloc(c->model->memory, sizeof *made);
    c->out_of_memory |= !made;
    if (!made || !check_motions(c, where, def)) return false;
    const ph_vec3 origin = origin_of(def);
    for (int k = 0; k < def->motion_count; k++) {
        const ph_chain_motion *m = &def->motions[k];
        free[k] = (chain_motion){.slides = m->slides, .axis = m->axis, .point = ph_sub(m->point, origin)};
    }
    const char *wrong = chain_make(free, def->motion_count, made);
    if (wrong) {
        complain(c, place_key(where, "motions"), NULL, "%s", wrong);
        return false;
    }
    j->chain = made;
    j->E_b = ph_identity();
    j->s_b = ph_sub(origin, c->model->bodies[j->b].kind->com);
    place_frame_a(c->model, def, j);
    j->type->make(j);
    return true;
}
