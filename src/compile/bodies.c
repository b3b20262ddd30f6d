// Bodies: mass, inertia, start.

#include "compile/compile.h"

#include "compile/mass.h"
#include "math/quat.h"

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
static void check_inertia(compiler *c, place owner, ph_mat3 J, bool any)
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
    } else if (!any && moments.z - (moments.x + moments.y) > 1e-12 * moments.z) {
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

static void mass_from_shapes(compiler *c, place where, const spec_body *given, body_kind *b)
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
    check_inertia(c, where, b->J, false);
}

static void mass_as_given(compiler *c, place where, const ph_body_def *def, body_kind *b)
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
        check_inertia(c, where, def->inertia, def->any_inertia);
    } else if (def->mass != 0.0) {
        complain(c, where, "inertia: [Jxx, Jyy, Jzz] about the centre of mass", "the body has no inertia");
    }
}

static void compile_mass(compiler *c, place where, const spec_body *given, body_kind *b)
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

// The record at `same` where that has the same bits, else a copy; NULL when out of memory.
static const void *share(compiler *c, const void *record, size_t bytes, const void *same)
{
    if (same && memcmp(same, record, bytes) == 0) return same;
    void *copy = arena_alloc(c->model->memory, bytes);
    c->out_of_memory |= !copy;
    return copy ? memcpy(copy, record, bytes) : NULL;
}

void compile_place(compiler *c, int index, ph_vec3 position, ph_quat orientation, ph_twist twist)
{
    body *b = &c->model->bodies[index];
    const body_start start = {orientation, twist};
    b->position = position;
    b->start = share(c, &start, sizeof start, index > 0 ? b[-1].start : NULL);
}

static void compile_pose(compiler *c, place where, const ph_body_def *def, int index, const body_kind *kind)
{
    ph_quat orientation = def->orientation;
    check_finite3(c, where, "position", def->position);
    check_unit_quat(c, where, "orientation", &orientation);
    const bool finite_v = check_finite3(c, where, "velocity", def->velocity);
    const bool finite_w = check_finite3(c, where, "angular_velocity", def->angular_velocity);
    compile_place(c, index, ph_add(def->position, ph_mul(ph_quat_to_mat(orientation), kind->com)), orientation,
                  (ph_twist){def->angular_velocity, def->velocity});
    if (kind->fixed && finite_v && finite_w && (ph_norm(def->velocity) > 0.0 || ph_norm(def->angular_velocity) > 0.0)) {
        complain(c, where, NULL, "a fixed body cannot have a velocity");
    }
}

static void compile_reference(compiler *c, place where, const ph_body_def *def, body_kind *b)
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

// Bodies with the same shapes are mostly of one kind, and those without shapes often of that of the body before.
static const body_kind *share_kind(compiler *c, int index, const body_kind *kind)
{
    const body *bodies = c->model->bodies;
    const body_kind *same = kind->shapes_of < index ? bodies[kind->shapes_of].kind : NULL;
    const body_kind *last = index > 0 ? bodies[index - 1].kind : NULL;
    return share(c, kind, sizeof *kind, last && memcmp(last, kind, sizeof *kind) == 0 ? last : same);
}

static void compile_body(compiler *c, int index)
{
    ph_model *model = c->model;
    const spec_body *given = &c->spec->bodies[index];
    body *b = &model->bodies[index];
    const place where = place_of("bodies[%d]", index);
    body_kind kind;
    memset(&kind, 0, sizeof kind); // kinds are compared byte by byte
    b->name = keep_string(c, given->def.name);
    if (b->name && strcmp(b->name, "world") == 0) {
        complain(c, place_key(where, "name"), "\"world\" is the fixed surrounding of every model",
                 "a body may not be called 'world'");
    } else {
        check_name(c, where, b->name, &model->body_names, index);
    }
    kind.fixed = given->def.fixed;
    if (compile_shapes(c, where, given, index, &kind)) {
        compile_mass(c, where, given, &kind);
    }
    compile_pose(c, where, &given->def, index, &kind);
    compile_reference(c, where, &given->def, &kind);
    b->kind = share_kind(c, index, &kind);
}

static void number_moving(ph_model *model)
{
    for (int i = 0; i <= model->body_count; i++) {
        body *b = &model->bodies[i];
        b->moving = b->velocity = -1;
        if (!b->kind->fixed) {
            b->moving = model->moving_count;
            b->velocity = model->velocity_count;
            model->moving[model->moving_count++] = i;
            model->velocity_count += 6;
        }
    }
}

// Room for the rotors that joints may ask for.
static size_t most_rotors(const ph_spec *spec)
{
    size_t count = 0;
    for (int i = 0; i < spec->joint_count; i++) {
        count += spec->joints[i].armature != 0.0;
    }
    return count;
}

int compile_rotor(compiler *c, int slides)
{
#define UNIT                                                                                                           \
    {                                                                                                                  \
        {                                                                                                              \
            {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},                                                                          \
            {                                                                                                          \
                0.0, 0.0, 1.0                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
    }
    static const body_kind kinds[] = {{.mass = 1.0, .J = UNIT, .J_inverse = UNIT, .slides = 1},
                                      {.mass = 1.0, .J = UNIT, .J_inverse = UNIT, .slides = 2},
                                      {.mass = 1.0, .J = UNIT, .J_inverse = UNIT, .slides = 3}};
#undef UNIT
    static const body_start at_rest = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    ph_model *model = c->model;
    const int index = model->body_count + 1 + model->rotor_count++;
    model->bodies[index] = (body){.name = "rotor",
                                  .kind = &kinds[slides - 1],
                                  .start = &at_rest,
                                  .moving = model->moving_count,
                                  .velocity = model->velocity_count};
    model->moving[model->moving_count++] = index;
    model->velocity_count += 6;
    return index;
}

void compile_bodies(compiler *c)
{
    ph_model *model = c->model;
    const size_t count = (size_t)c->spec->body_count;
    model->body_count = c->spec->body_count;
    const size_t rotors = most_rotors(c->spec);
    model->bodies = arena_alloc_array(model->memory, count + 1 + rotors, sizeof *model->bodies);
    model->moving = arena_alloc_array(model->memory, count + rotors, sizeof *model->moving);
    if (!model->bodies || !model->moving ||
        !names_create_for(&model->body_names, model->body_count + 1, &model->bodies->name, sizeof *model->bodies,
                          model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->body_count && !c->out_of_memory; i++) {
        compile_body(c, i);
    }
    if (c->out_of_memory) {
        return;
    }
    static const body_kind nothing = {.fixed = true};
    static const body_start at_rest = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    model->bodies[count] = (body){.name = "world", .kind = &nothing, .start = &at_rest};
    names_enter(&model->body_names, "world", model->body_count);
    number_moving(model);
}
