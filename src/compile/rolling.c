// Joints with rows of velocities: where surfaces that roll lie, and the expressions of belts and of generic_velocity.
#include "compile/compile.h"

#include "joints/rolling.h"
#include "joints/velocity_rows.h"
#include "math/mat3.h"

// ---- Keys -----------------------------------------------------------------------------------------------------------

static bool is_given(const ph_value *v)
{
    return v->expression || v->number != 0.0;
}

static bool has_belt(const ph_joint_def *def)
{
    return is_given(&def->slide[0]) || is_given(&def->slide[1]) || is_given(&def->slide[2]) || is_given(&def->spin);
}

static bool has_semi_axes(const ph_joint_def *def)
{
    return def->semi_axes.x != 0.0 || def->semi_axes.y != 0.0 || def->semi_axes.z != 0.0;
}

static void check_positive(compiler *c, place where, const char *key, double value, const char *hint)
{
    if (!(value > 0.0 && isfinite(value))) {
        complain(c, place_key(where, key), hint, "%s is %g, it must be positive", key, value);
    }
}

static void check_curved(compiler *c, place where, const ph_joint_def *def)
{
    const bool plane = def->surface == PH_SURFACE_PLANE;
    if (plane && (def->surface_radius != 0.0 || def->inside)) {
        complain(c, place_key(where, def->inside ? "inside" : "surface_radius"),
                 "surface: sphere, or surface: cylinder", "a plane has no radius and no inside");
    }
    if (!plane) {
        check_positive(c, where, "surface_radius", def->surface_radius, "of the sphere or cylinder of the first body");
    }
    if (!plane && def->inside && !(def->surface_radius > def->radius)) {
        complain(c, place_key(where, "radius"), NULL, "a ball of radius %g does not fit inside a radius of %g",
                 def->radius, def->surface_radius);
    }
    if (!plane && has_semi_axes(def)) {
        complain(c, place_key(where, "semi_axes"), "give it a radius", "an ellipsoid rolls on planes only");
    }
    if (!plane && !def->has_anchor_a) {
        complain(c, where, "the centre of the sphere, or a point on the axis of the cylinder, in the frame of a",
                 "a body that rolls on a %s needs anchor_a", def->surface == PH_SURFACE_SPHERE ? "sphere" : "cylinder");
    }
}

static void check_size(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const ph_vec3 s = def->semi_axes;
    check_not_negative(c, where, "rim", def->rim);
    if (has_semi_axes(def) && (def->radius != 0.0 || !(s.x > 0.0 && s.y > 0.0 && s.z > 0.0))) {
        complain(c, place_key(where, "semi_axes"),
                 "radius: of a ball; semi_axes: [a, b, c] of an ellipsoid, all positive",
                 "a surface has a radius, or three positive semi-axes");
    } else if ((type->keys & JOINT_RADIUS) && !has_semi_axes(def)) {
        check_positive(c, where, "radius", def->radius, "of the ball or disc of the second body");
    }
    if ((type->keys & JOINT_HEADING) && !def->has_axis_b && !def->has_axis2) {
        complain(c, where, "axis_b: in the frame of b, or axis2: a world direction at the start",
                 "a %s joint needs the %s: axis_b or axis2", type->name,
                 type->keys & JOINT_RADIUS ? "axis of the disc" : "direction of the blade");
    }
    if (def->has_axis_b && def->has_axis2) {
        complain(c, place_key(where, "axis2"), NULL, "axis_b and axis2 both say how b lies");
    }
}

// Keys that only some of these joints take.
static void check_keys(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const bool slides = is_given(&def->slide[0]) || is_given(&def->slide[1]) || is_given(&def->slide[2]);
    const struct {
        const char *key;
        bool given;
        uint32_t takers;
    } keys[] = {
        {"radius", def->radius != 0.0, JOINT_RADIUS},
        {"rim", def->rim != 0.0, JOINT_RIM},
        {"semi_axes", has_semi_axes(def), JOINT_SEMI_AXES},
        {"surface", def->surface != PH_SURFACE_PLANE, JOINT_CURVED},
        {"surface_radius", def->surface_radius != 0.0, JOINT_CURVED},
        {"inside", def->inside, JOINT_CURVED},
        {"slide", slides, JOINT_ROLLING},
        {"spin", is_given(&def->spin), JOINT_ROLLING},
        {"rows", def->velocity_count != 0, JOINT_VELOCITIES},
        {"frame", def->frame_b, JOINT_VELOCITIES},
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (keys[k].given && !(type->keys & keys[k].takers)) {
            complain(c, place_key(where, keys[k].key), NULL, "a %s joint takes no %s", type->name, keys[k].key);
        }
    }
}

bool compile_check_rolling(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const int errors = c->errors;
    check_keys(c, where, type, def);
    if (type->keys & JOINT_ROLLING) {
        check_size(c, where, type, def);
        if (type->keys & JOINT_CURVED) {
            check_curved(c, where, def);
        }
    }
    return c->errors == errors;
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

// Right-handed axes with one of them as given: z, or x where `first` is set; the next as near to `beside` as that allows.
static ph_mat3 axes_with(ph_vec3 given, ph_vec3 beside, bool first)
{
    ph_vec3 across = ph_madd(beside, -ph_dot(beside, given), given);
    across = ph_norm(across) > 1e-3 ? ph_unit(across) : ph_any_perpendicular(given);
    const ph_vec3 third = ph_cross(given, across);
    return first ? ph_mat_cols(given, across, third) : ph_mat_cols(across, third, given);
}

static void place_axes(const ph_model *model, const ph_joint_def *def, joint *j)
{
    const ph_mat3 R_a = body_turn(&model->bodies[j->a]), R_b = body_turn(&model->bodies[j->b]);
    const ph_vec3 up = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0};
    const ph_vec3 normal = def->has_axis_a ? def->axis_a : ph_tmul(R_a, def->has_axis ? def->axis : up);
    j->E_a = axes_with(ph_unit(normal), x, false);
    j->E_b = ph_identity();
    if (def->has_axis_b || def->has_axis2) {
        const ph_vec3 heading = def->has_axis_b ? def->axis_b : ph_tmul(R_b, def->axis2);
        j->E_b = axes_with(ph_unit(heading), x, !(j->type->keys & JOINT_RADIUS));
    }
}

static ph_vec3 to_body(const body *b, ph_vec3 point)
{
    return ph_tmul(body_turn(b), ph_sub(point, b->position));
}

// The centre is where it is given, or the centre of mass. A plane that is not given goes through the lowest point.
static void place_origins(const ph_model *model, const ph_joint_def *def, joint *j)
{
    const body *a = &model->bodies[j->a], *b = &model->bodies[j->b];
    j->s_b = def->has_anchor_b ? ph_sub(def->anchor_b, b->kind->com)
             : def->has_anchor ? to_body(b, def->anchor)
                               : ph_zero3();
    const frame frames[2] = {body_frame(a), body_frame(b)};
    if (def->has_anchor_a) {
        j->s_a = ph_sub(def->anchor_a, a->kind->com);
        return;
    }
    const geometry g = joint_geometry_between(j, &frames[0], &frames[1]);
    j->s_a = to_body(a, ph_add3(b->position, g.r_b, rolling_contact(j, &g).c));
}

void compile_rolling(compiler *c, place where, const ph_joint_def *def, joint *j)
{
    rolling *it = arena_alloc(c->model->memory, sizeof *it);
    if (!it) {
        c->out_of_memory = true;
        return;
    }
    const bool disc = j->type->keys & JOINT_RIM, blade = !(j->type->keys & JOINT_RADIUS);
    const double R2 = def->radius * def->radius;
    *it = (rolling){.surface = def->surface,
                    .radius = def->surface_radius,
                    .side = def->inside ? -1.0 : 1.0,
                    .rho = disc                          ? def->rim
                           : blade || has_semi_axes(def) ? 0.0
                                                         : def->radius,
                    .squares = disc ? ph_vec(R2, R2, 0.0)
                                    : ph_vec(def->semi_axes.x * def->semi_axes.x, def->semi_axes.y * def->semi_axes.y,
                                             def->semi_axes.z * def->semi_axes.z),
                    .blade = blade};
    j->rolling = it;
    place_axes(c->model, def, j);
    const frame frames[2] = {body_frame(&c->model->bodies[j->a]), body_frame(&c->model->bodies[j->b])};
    joint here = *j;
    here.a = 0;
    here.b = 1;
    if (rolling_is_flat(&here, frames)) {
        complain(c, where, disc ? "start it with the axis of the disc off the normal" : "turn the blade into the plane",
                 disc ? "the disc of joint '%s' lies flat: it has no lowest point to roll on"
                      : "the blade of joint '%s' stands upright on the plane: it has no direction",
                 j->name);
        return;
    }
    place_origins(c->model, def, j);
    j->type->make(j);
}

// ---- Expressions ----------------------------------------------------------------------------------------------------

// Of t and inputs alone.
static void compile_belt(compiler *c, place where, const ph_joint_def *def, joint *j)
{
    value *belt = arena_alloc_array(c->model->memory, 4, sizeof *belt);
    if (!belt) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < 4; i++) {
        const place at = i < 3 ? place_of("%s.slide[%d]", where.text, i) : place_key(where, "spin");
        compile_value(c, at, i < 3 ? &def->slide[i] : &def->spin, &belt[i]);
        if (value_needs_joints(&belt[i])) {
            complain(c, at, NULL, "how a surface moves may depend on t and inputs, not on q. or qd. of joints");
        }
    }
    ((rolling *)j->rolling)->belt = belt;
    c->model->motor_count++;
}

// The derivative of a row needs the bodies of the joints that it names.
static void list_bodies(compiler *c, place where, const value *v, joint *j)
{
    for (int k = 0; k < v->variable_count; k++) {
        const joint *named = v->variables[k].joint;
        for (int side = 0; named && side < 2; side++) {
            const int body = side ? named->b : named->a;
            int slot = 0;
            while (slot < j->body_count && j->bodies[slot] != body) slot++;
            if (slot < j->body_count || c->model->bodies[body].kind->fixed) continue;
            if (slot == JOINT_BODIES_MAX) {
                complain(c, where, NULL, "the rows of a joint may depend on at most %d bodies", JOINT_BODIES_MAX);
                return;
            }
            j->bodies[j->body_count++] = body;
        }
    }
}

static void compile_rows(compiler *c, place where, const ph_joint_def *def, joint *j)
{
    const size_t count = (size_t)(VELOCITY_VALUES * def->velocity_count);
    velocity_rows *rows = arena_alloc(c->model->memory, sizeof *rows);
    value *values = arena_alloc_array(c->model->memory, count, sizeof *values);
    if (!rows || !values) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < def->velocity_count; i++) {
        const ph_velocity_row *given = &def->velocities[i];
        const place at = place_of("%s.rows[%d]", where.text, i);
        for (int n = 0; n < VELOCITY_VALUES; n++) {
            value *to = &values[VELOCITY_VALUES * i + n];
            compile_value(c, at, n < 6 ? &given->of[n] : &given->equals, to);
            if (values_need_rates(to, 1)) {
                complain(c, at, NULL,
                         "a row is linear in the velocities as it stands: qd. cannot be in its coefficients");
            }
            list_bodies(c, at, to, j);
        }
    }
    rows->values = values;
    rows->in_b = def->frame_b;
    j->velocities = rows;
    c->model->motor_count++;
}

void compile_velocities(compiler *c)
{
    for (int i = 0; i < c->model->joint_count; i++) {
        joint *j = &c->model->joints[i];
        const ph_joint_def *def = &c->spec->joints[i];
        const place where = place_of("joints[%d]", i);
        if (j->rolling && has_belt(def)) {
            compile_belt(c, where, def, j);
        }
        if (j->type && (j->type->keys & JOINT_VELOCITIES) && j->row_count > 0) {
            compile_rows(c, where, def, j);
        }
        c->model->slips = c->model->slips || j->slips;
    }
}
