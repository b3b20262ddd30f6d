// Which components of momentum a model conserves (Noether): linear momentum along directions in which everything may be
// moved, angular momentum about lines about which everything may be turned, without the forces and constraints noticing.
//
// Gravity g allows moves perpendicular to g and turns about lines parallel to g. What acts between two moving bodies
// depends on their relative motion alone and allows every move and turn. What ties a body to the world forbids moves,
// and allows turns
//     about every line through its world point    when its force points there: ball, distance, spring
//     about its own axis                          when it transmits no torque about it: free revolute, cylindrical
//     about no line                               in all other cases; the answer is never a conserved quantity too many.

#include "polhode/analysis.h"

#include "math/mat3.h"
#include "model/model.h"

static const double TOLERANCE = 1e-12; // relative; anchors that are meant to lie on one line do so to round-off

// The lines about which the model may be turned, narrowed down by each element in turn.
typedef struct turns {
    bool none;
    bool tied; // something acts between a body and the world
    bool has_point, has_axis;
    ph_vec3 point, axis; // unit
} turns;

// ---- Narrowing down -------------------------------------------------------------------------------------------------

static void must_have_axis(turns *t, ph_vec3 axis)
{
    if (!t->has_axis) {
        t->has_axis = true;
        t->axis = axis;
    } else if (ph_norm(ph_cross(t->axis, axis)) > TOLERANCE) {
        t->none = true;
    }
}

static void must_pass_through(turns *t, ph_vec3 point)
{
    if (!t->has_point) {
        t->has_point = true;
        t->point = point;
        return;
    }
    const ph_vec3 d = ph_sub(point, t->point);
    const double room = TOLERANCE * (1.0 + ph_norm(point) + ph_norm(t->point));
    if (ph_norm(d) <= room) {
        return;
    }
    if (!t->has_axis) {
        must_have_axis(t, ph_unit(d));
    } else if (ph_norm(ph_cross(d, t->axis)) > room) {
        t->none = true;
    }
}

static void breaks(turns *t)
{
    t->tied = true;
    t->none = true;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

static bool in_world(const ph_model *model, int index)
{
    return model->bodies[index].moving < 0;
}

static bool touches_world(const ph_model *model, const joint *j)
{
    if (j->gear) {
        return touches_world(model, &model->joints[j->def->gear_joint[0]]) ||
               touches_world(model, &model->joints[j->def->gear_joint[1]]);
    }
    return in_world(model, j->a) || in_world(model, j->b);
}

static bool is_driven(const ph_joint_def *def)
{
    return def->motor != PH_MOTOR_NONE || def->damping != 0.0 || def->stiffness != 0.0 || def->friction != 0.0 ||
           def->has_limit_low || def->has_limit_high;
}

static void narrow_by_joint(turns *t, const ph_model *model, const joint *j)
{
    if (!touches_world(model, j)) {
        return;
    }
    t->tied = true;
    const bool a_in_world = in_world(model, j->a);
    const frame start = body_frame(&model->bodies[a_in_world ? j->a : j->b]);
    const ph_vec3 point = ph_add(start.x, ph_mul(start.R, a_in_world ? j->s_a : j->s_b));
    if (j->type->symmetry == JOINT_CENTRAL) {
        must_pass_through(t, point);
    } else if (j->type->symmetry == JOINT_AXIAL && !is_driven(j->def)) {
        must_have_axis(t, ph_mul(start.R, ph_mat_col(a_in_world ? j->E_a : j->E_b, 2)));
        must_pass_through(t, point);
    } else {
        breaks(t);
    }
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static void narrow_by_force(turns *t, const ph_model *model, const force *f)
{
    const bool a_in_world = in_world(model, f->a), b_in_world = in_world(model, f->b);
    const bool tied = a_in_world || b_in_world;
    if (f->type->symmetry == FORCE_FIXED_IN_SPACE || (f->type->symmetry == FORCE_RELATIVE && tied)) {
        breaks(t);
    } else if (tied) { // central
        const frame start = body_frame(&model->bodies[a_in_world ? f->a : f->b]);
        t->tied = true;
        must_pass_through(t, ph_add(start.x, ph_mul(start.R, a_in_world ? f->s_a : f->s_b)));
    }
}

// Bodies that collide with each other act on each other; what they hit in the world acts from there.
static void narrow_by_contact(turns *t, const ph_model *model)
{
    for (int i = 0; model->has_contact && i < model->body_count; i++) {
        if (in_world(model, i) && model->bodies[i].kind->shape_count > 0) {
            breaks(t);
        }
    }
}

ph_symmetry ph_model_symmetry(const ph_model *model)
{
    if (!model) return (ph_symmetry){0};
    turns t = {0};
    if (ph_norm2(model->gravity) > 0.0) {
        must_have_axis(&t, ph_sub(ph_zero3(), ph_unit(model->gravity))); // up, without negative zeros
    }
    for (int i = 0; i < model->joint_count; i++) {
        narrow_by_joint(&t, model, &model->joints[i]);
    }
    for (int i = 0; i < model->force_count; i++) {
        narrow_by_force(&t, model, &model->forces[i]);
    }
    narrow_by_contact(&t, model);
    const bool turn = !t.none && model->moving_count > 0, move = !t.tied && model->moving_count > 0;
    return (ph_symmetry){
        .linear = {move && model->gravity.x == 0.0, move && model->gravity.y == 0.0, move && model->gravity.z == 0.0},
        .angular = turn && t.has_axis,
        .angular_all = turn && !t.has_axis,
        .point = t.point,
        .axis = t.axis,
    };
}
