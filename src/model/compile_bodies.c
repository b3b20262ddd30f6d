// Bodies: mass, inertia, start.

#include "model/compile.h"

#include "math/quat.h"
#include "model/mass.h"

#include <string.h>

// ---- Mass and inertia -----------------------------------------------------------------------------------------------

static bool finite_matrix(ph_mat3 M)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!isfinite(M.m[i][j])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_zero(ph_mat3 M)
{
    return ph_mat_norm(M) == 0.0;
}

// An inertia tensor is symmetric, and its principal moments I1 <= I2 <= I3 are positive with I1 + I2 >= I3: equality is
// a body without thickness.
static void check_inertia(compiler *c, place owner, ph_mat3 J)
{
    const place where = place_key(owner, "inertia");
    const double slack = 1e-12 * ph_mat_norm(J);
    if (ph_mat_norm(ph_mat_sub(J, ph_transpose(J))) > slack) {
        complain(c, where, "off-diagonal entries are xy, xz, yz on both sides", "the inertia is not symmetric");
        return;
    }
    ph_vec3 moments;
    ph_mat3 axes;
    ph_eig3(J, &moments, &axes);
    if (moments.x < -slack) {
        complain(c, where, "principal moments are integrals of squared distances",
                 "a principal moment of inertia is %.9g, it must be positive", moments.x);
    } else if (moments.x <= slack) {
        complain(c, where, "a thin rod still has a small moment about its axis: give it one, m r^2 / 2",
                 "a principal moment of inertia is zero, the body could spin at no cost");
    } else if (moments.z - (moments.x + moments.y) > 1e-12 * moments.z) {
        complain(c, where, "the largest principal moment is at most the sum of the other two",
                 "no body has the principal moments of inertia %.9g, %.9g, %.9g", moments.x, moments.y, moments.z);
    }
}

static bool has_density(const spec_body *given)
{
    for (int k = 0; k < given->shape_count; k++) {
        if (given->shapes[k].density != 0.0) {
            return true;
        }
    }
    return false;
}

static void mass_from_shapes(compiler *c, place where, const spec_body *given, body *b)
{
    const ph_body_def *def = &given->def;
    if (def->mass != 0.0 || !is_zero(def->inertia) || ph_norm(def->com) != 0.0) {
        const char *key = def->mass != 0.0 ? "mass" : !is_zero(def->inertia) ? "inertia" : "com";
        complain(c, place_key(where, key), "leave out either the density of the shapes or mass, inertia and com",
                 "%s is given together with a density", key);
        return;
    }
    mass_properties sum;
    if (!mass_of_shapes(b->shapes, b->shape_count, true, c->scratch, &sum)) {
        c->out_of_memory = true;
        return;
    }
    if (!(sum.mass > 0.0)) {
        complain(c, where, "the points of a hull must not lie in a plane", "the shapes with a density have no volume");
        return;
    }
    b->mass = sum.mass;
    b->com = sum.com;
    b->J = sum.inertia;
    check_inertia(c, where, b->J);
}

static void mass_as_given(compiler *c, place where, const ph_body_def *def, body *b)
{
    b->mass = def->mass;
    b->com = def->com;
    b->J = ph_sym(def->inertia);
    if (def->mass == 0.0) {
        complain(c, where, "give mass and inertia, or a density for its shapes, or fixed: true",
                 "the body has no mass");
    } else if (def->mass < 0.0) {
        complain(c, place_key(where, "mass"), NULL, "mass is %g, it must be positive", def->mass);
    }
    if (!finite_matrix(def->inertia)) {
        complain(c, place_key(where, "inertia"), NULL, "inertia has an entry that is not a finite number");
    } else if (!is_zero(def->inertia)) {
        check_inertia(c, where, def->inertia);
    } else if (def->mass != 0.0) {
        complain(c, where, "inertia: [Jxx, Jyy, Jzz] about the centre of mass", "the body has no inertia");
    }
}

static void compile_mass(compiler *c, place where, const spec_body *given, body *b)
{
    const ph_body_def *def = &given->def;
    const int errors = c->errors;
    check_finite(c, where, "mass", def->mass);
    check_finite3(c, where, "com", def->com);
    check_not_negative(c, where, "volume", def->volume);
    if (c->errors > errors) {
        return;
    }
    if (b->fixed) {
        b->com = def->com;
    } else if (has_density(given)) {
        mass_from_shapes(c, where, given, b);
    } else {
        mass_as_given(c, where, def, b);
    }
    if (!b->fixed && c->errors == errors) {
        b->J_inverse = ph_inverse(b->J);
    }
    mass_properties sum;
    c->out_of_memory |= !mass_of_shapes(b->shapes, b->shape_count, false, c->scratch, &sum);
    b->volume = def->volume > 0.0 ? def->volume : sum.volume;
}

// ---- Start ----------------------------------------------------------------------------------------------------------

static void compile_pose(compiler *c, place where, const ph_body_def *def, body *b)
{
    check_finite3(c, where, "position", def->position);
    b->start_orientation = def->orientation;
    check_unit_quat(c, where, "orientation", &b->start_orientation);
    b->start.R = ph_quat_to_mat(b->start_orientation);
    b->start.x = ph_add(def->position, ph_mul(b->start.R, b->com));

    const bool finite_v = check_finite3(c, where, "velocity", def->velocity);
    const bool finite_w = check_finite3(c, where, "angular_velocity", def->angular_velocity);
    b->start_twist = (ph_twist){def->angular_velocity, def->velocity};
    if (b->fixed && finite_v && finite_w && (ph_norm(def->velocity) > 0.0 || ph_norm(def->angular_velocity) > 0.0)) {
        complain(c, where, NULL, "a fixed body cannot have a velocity");
    }
}

static void compile_reference(compiler *c, place where, const ph_body_def *def, body *b)
{
    switch (def->reference) {
    case PH_REFERENCE_COM:
        b->reference = b->com;
        break;
    case PH_REFERENCE_ORIGIN:
        break;
    case PH_REFERENCE_POINT:
        check_finite3(c, where, "reference", def->reference_point);
        b->reference = def->reference_point;
        break;
    }
}

static void compile_body(compiler *c, int index)
{
    ph_model *model = c->model;
    const spec_body *given = &c->spec->bodies[index];
    body *b = &model->bodies[index];
    const place where = place_of("bodies[%d]", index);
    b->name = keep_string(c, given->def.name);
    if (b->name && strcmp(b->name, "world") == 0) {
        complain(c, place_key(where, "name"), "\"world\" is the fixed surrounding of every model",
                 "a body may not be called 'world'");
    } else {
        check_name(c, where, b->name, &model->body_names, index);
    }
    b->fixed = given->def.fixed;
    if (compile_shapes(c, where, given, b)) {
        compile_mass(c, where, given, b);
    }
    compile_pose(c, where, &given->def, b);
    compile_reference(c, where, &given->def, b);
}

static void number_moving(ph_model *model)
{
    for (int i = 0; i <= model->body_count; i++) {
        body *b = &model->bodies[i];
        b->moving = b->velocity = -1;
        if (!b->fixed) {
            b->moving = model->moving_count;
            b->velocity = model->velocity_count;
            model->moving[model->moving_count++] = i;
            model->velocity_count += 6;
        }
    }
}

void compile_bodies(compiler *c)
{
    ph_model *model = c->model;
    const size_t count = (size_t)c->spec->body_count;
    model->body_count = c->spec->body_count;
    model->bodies = arena_alloc_array(model->memory, count + 1, sizeof *model->bodies);
    model->moving = arena_alloc_array(model->memory, count, sizeof *model->moving);
    if (!model->bodies || !model->moving || !names_create(&model->body_names, model->body_count + 1, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->body_count; i++) {
        compile_body(c, i);
    }
    model->bodies[count] =
        (body){.name = "world", .fixed = true, .start = {.R = ph_identity()}, .start_orientation = ph_quat_identity()};
    names_enter(&model->body_names, "world", model->body_count);
    number_moving(model);
}
