// Every mistake of a spec is reported with its place, and all of them in one pass.

#include "test.h"

#include "math/vec3.h"
#include "polhode/state.h"

// A sound model in pieces, for breaking.
typedef struct draft {
    ph_body_def body[2];
    ph_shape_def shape;
    bool has_shape; // of body 0
    ph_joint_def joint[2];
    ph_force_def force;
    bool has_force;
    ph_vec3 gravity;
    ph_run_settings run;
    double input;
} draft;

static draft sound(void)
{
    draft d = {.gravity = {0.0, 0.0, -9.81}, .run = {.scheme = "rattlie", .step = 1e-3, .until = 1.0}};
    static const char *const body_names[2] = {"rod", "bob"}, *const joint_names[2] = {"O", "A"};
    for (int i = 0; i < 2; i++) {
        d.body[i] = ph_default_body();
        d.body[i].name = body_names[i];
        d.body[i].mass = 2.0;
        d.body[i].inertia = (ph_mat3){{{0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 0.4}}};
        d.body[i].position = ph_vec(0.5 + i, 0.0, 0.0);
        d.joint[i] = ph_default_joint();
        d.joint[i].name = joint_names[i];
        d.joint[i].type = i == 0 ? "ball" : "revolute";
        d.joint[i].body_a = i - 1;
        d.joint[i].body_b = i;
        d.joint[i].has_anchor = true;
        d.joint[i].anchor = ph_vec(i, 0.0, 0.0);
        d.joint[i].has_axis = i == 1;
        d.joint[i].axis = ph_vec(0.0, 0.0, 1.0);
    }
    d.shape = ph_default_shape();
    d.shape.type = "sphere";
    d.shape.radius = 0.1;
    d.force = ph_default_force();
    d.force.type = "spring";
    d.force.body_a = 0;
    d.force.body_b = 1;
    d.force.stiffness = 10.0;
    return d;
}

static ph_spec *spec_of(const draft *d)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, d->gravity);
    ph_spec_set_run(spec, &d->run);
    ph_spec_add_input(spec, "u", d->input);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ_INT(ph_spec_add_body(spec, &d->body[i]), i);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_EQ_INT(ph_spec_add_joint(spec, &d->joint[i]), i);
    }
    if (d->has_shape) {
        CHECK_EQ_INT(ph_spec_add_shape(spec, 0, &d->shape), 0);
    }
    if (d->has_force) {
        CHECK_EQ_INT(ph_spec_add_force(spec, &d->force), 0);
    }
    return spec;
}

TEST(the_sound_model_compiles)
{
    draft d = sound();
    d.has_force = d.has_shape = true;
    ph_spec *spec = spec_of(&d);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

// ---- One mistake at a time ------------------------------------------------------------------------------------------

typedef struct mistake {
    const char *name;
    void (*make)(draft *d);
    const char *path, *words; // where it must be reported, and what must be said
} mistake;

#define MISTAKES(X)                                                                                                    \
    X(gravity_nan, "gravity", "finite", d->gravity.z = NAN)                                                            \
    X(negative_step, "run.step", "positive", d->run.step = -1e-3)                                                      \
    X(negative_until, "run.until", "negative", d->run.until = -1.0)                                                    \
    X(input_nan, "inputs.u", "finite", d->input = NAN)                                                                 \
    X(no_name, "bodies[0]", "name is missing", d->body[0].name = NULL)                                                 \
    X(empty_name, "bodies[0].name", "empty", d->body[0].name = "")                                                     \
    X(world_name, "bodies[0].name", "world", d->body[0].name = "world")                                                \
    X(slash_name, "bodies[0].name", "'/'", d->body[0].name = "a/b")                                                    \
    X(same_name, "bodies[1].name", "taken", d->body[1].name = "rod")                                                   \
    X(same_joint_name, "joints[1].name", "taken", d->joint[1].name = "O")                                              \
    X(no_mass, "bodies[1]", "no mass", d->body[1].mass = 0.0)                                                          \
    X(negative_mass, "bodies[1].mass", "-2", d->body[1].mass = -2.0)                                                   \
    X(mass_infinite, "bodies[1].mass", "finite", d->body[1].mass = INFINITY)                                           \
    X(no_inertia, "bodies[1]", "no inertia", d->body[1].inertia = (ph_mat3){0})                                        \
    X(inertia_nan, "bodies[1].inertia", "finite", d->body[1].inertia.m[1][2] = NAN)                                    \
    X(inertia_skew, "bodies[1].inertia", "symmetric", d->body[1].inertia.m[0][1] = 0.01)                               \
    X(inertia_negative, "bodies[1].inertia", "positive", d->body[1].inertia.m[0][0] = -0.2)                            \
    X(inertia_triangle, "bodies[1].inertia", "principal moments", d->body[1].inertia.m[2][2] = 0.6)                    \
    X(inertia_of_a_line, "bodies[1].inertia", "zero",                                                                  \
      d->body[1].inertia = (ph_mat3){{{0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0}}})                                           \
    X(zero_quaternion, "bodies[0].orientation", "zero quaternion", d->body[0].orientation.w = 0.0)                     \
    X(long_quaternion, "bodies[0].orientation", "1.1", d->body[0].orientation.w = 1.1)                                 \
    X(quaternion_nan, "bodies[0].orientation", "finite", d->body[0].orientation.x = NAN)                               \
    X(position_nan, "bodies[0].position", "finite", d->body[0].position.x = NAN)                                       \
    X(velocity_nan, "bodies[0].velocity", "finite", d->body[0].velocity.x = NAN)                                       \
    X(spin_nan, "bodies[0].angular_velocity", "finite", d->body[0].angular_velocity.x = NAN)                           \
    X(com_nan, "bodies[0].com", "finite", d->body[0].com.x = NAN)                                                      \
    X(negative_volume, "bodies[0].volume", "negative", d->body[0].volume = -1.0)                                       \
    X(reference_nan, "bodies[0].reference", "finite", d->body[0].reference = PH_REFERENCE_POINT;                       \
      d->body[0].reference_point.y = NAN)                                                                              \
    X(fixed_moves, "bodies[1]", "fixed", d->body[1].fixed = true; d->body[1].velocity.x = 1.0)                         \
    X(shape_type, "bodies[0].shapes[0].type", "spere", d->has_shape = true; d->shape.type = "spere")                   \
    X(shape_radius, "bodies[0].shapes[0].radius", "positive", d->has_shape = true; d->shape.radius = -1.0)             \
    X(shape_no_radius, "bodies[0].shapes[0]", "radius", d->has_shape = true; d->shape.radius = 0.0)                    \
    X(shape_size, "bodies[0].shapes[0].size", "positive", d->has_shape = true; d->shape.type = "box";                  \
      d->shape.size = ph_vec(1.0, 1.0, 0.0))                                                                           \
    X(shape_friction, "bodies[0].shapes[0].friction", "negative", d->has_shape = true; d->shape.friction = -0.1)       \
    X(shape_axis, "bodies[0].shapes[0].axis", "zero", d->has_shape = true; d->shape.type = "cylinder";                 \
      d->shape.length = 1.0; d->shape.axis = ph_zero3())                                                               \
    X(plane_density, "bodies[0].shapes[0].density", "volume", d->has_shape = true; d->shape.type = "plane";            \
      d->shape.size.z = 1.0; d->shape.density = 1.0)                                                                   \
    X(mass_and_density, "bodies[0].mass", "density", d->has_shape = true; d->shape.density = 100.0)                    \
    X(com_and_density, "bodies[0].com", "density", d->has_shape = true; d->shape.density = 100.0;                      \
      d->body[0].mass = 0.0; d->body[0].inertia = (ph_mat3){0}; d->body[0].com.x = 0.1)                                \
    X(joint_type, "joints[1].type", "revolut", d->joint[1].type = "revolut")                                           \
    X(joint_no_type, "joints[1]", "type", d->joint[1].type = NULL)                                                     \
    X(joint_body, "joints[1].bodies", "index 7", d->joint[1].body_b = 7)                                               \
    X(joint_no_body, "joints[1]", "no body b", d->joint[1].body_b = PH_NONE)                                           \
    X(joint_self, "joints[1].bodies", "itself", d->joint[1].body_a = 1)                                                \
    X(joint_of_fixed, "joints[0].bodies", "fixed", d->body[0].fixed = true)                                            \
    X(joint_no_anchor, "joints[0]", "anchor", d->joint[0].has_anchor = false)                                          \
    X(joint_anchor_nan, "joints[0].anchor", "finite", d->joint[0].anchor.x = NAN)                                      \
    X(joint_two_anchors, "joints[0].anchor", "anchor_a", d->joint[0].has_anchor_a = true)                              \
    X(joint_no_axis, "joints[1]", "axis", d->joint[1].has_axis = false)                                                \
    X(joint_zero_axis, "joints[1].axis", "zero", d->joint[1].axis = ph_zero3())                                        \
    X(joint_two_axes, "joints[1].axis", "axis_a", d->joint[1].has_axis_a = true; d->joint[1].axis_a.x = 1.0)           \
    X(ball_axis, "joints[0].axis", "takes no axis", d->joint[0].has_axis = true)                                       \
    X(ball_pitch, "joints[0].pitch", "takes no pitch", d->joint[0].pitch = 1.0)                                        \
    X(ball_damping, "joints[0].damping", "takes no damping", d->joint[0].damping = 1.0)                                \
    X(ball_lock, "joints[0].lock", "takes no lock", d->joint[0].lock[2] = true)                                        \
    X(screw_pitch, "joints[1]", "pitch", d->joint[1].type = "screw")                                                   \
    X(generic_lock, "joints[1]", "lock", d->joint[1].type = "generic")                                                 \
    X(generic_drive, "joints[1]", "2 coordinates", d->joint[1].type = "generic"; d->joint[1].damping = 1.0;            \
      d->joint[1].lock[0] = d->joint[1].lock[3] = d->joint[1].lock[4] = d->joint[1].lock[5] = true)                    \
    X(universal_axis2, "joints[1]", "axis2", d->joint[1].type = "universal")                                           \
    X(universal_parallel, "joints[1].axis2", "perpendicular", d->joint[1].type = "universal";                          \
      d->joint[1].has_axis2 = true; d->joint[1].axis2 = ph_vec(0.0, 0.0, 2.0))                                         \
    X(distance_anchors, "joints[0]", "anchor_a and anchor_b", d->joint[0].type = "distance")                           \
    X(distance_zero, "joints[0]", "coincide", d->joint[0].type = "distance"; d->joint[0].has_anchor = false;           \
      d->joint[0].has_anchor_a = d->joint[0].has_anchor_b = true; d->joint[0].anchor_b.x = -0.5)                       \
    X(negative_damping, "joints[1].damping", "negative", d->joint[1].damping = -1.0)                                   \
    X(limits_crossed, "joints[1].limits", "above", d->joint[1].has_limit_low = d->joint[1].has_limit_high = true;      \
      d->joint[1].limit_low = 1.0)                                                                                     \
    X(friction_speed, "joints[1].friction_speed", "positive", d->joint[1].friction_speed = 0.0)                        \
    X(motor_expression, "joints[1].motor", "w", d->joint[1].motor = PH_MOTOR_TORQUE;                                   \
      d->joint[1].motor_value.expression = "2*w")                                                                      \
    X(motor_position, "joints[1]", "where its motor wants it", d->joint[1].motor = PH_MOTOR_POSITION;                  \
      d->joint[1].motor_value.number = 0.3)                                                                            \
    X(gear_bodies, "joints[1].bodies", "joints, not bodies", d->joint[1] = ph_default_joint(); d->joint[1].name = "g"; \
      d->joint[1].type = "gear"; d->joint[1].body_a = 0; d->joint[1].body_b = 1)                                       \
    X(gear_of_ball, "joints[1].joints", "0 coordinates", d->joint[1] = ph_default_joint(); d->joint[1].name = "g";     \
      d->joint[1].type = "gear"; d->joint[1].gear_joint[0] = d->joint[1].gear_joint[1] = 0)                            \
    X(open_joint, "joints[1]", "row 2 of 5 is off by 0.25", d->joint[1].has_anchor = false;                            \
      d->joint[1].has_anchor_a = d->joint[1].has_anchor_b = true; d->joint[1].anchor_a = ph_vec(0.5, 0.0, 0.0);        \
      d->joint[1].anchor_b = ph_vec(-0.5, 0.25, 0.0))                                                                  \
    X(torn_joint, "joints[0]", "row 3 of 3 changes at 2", d->body[0].velocity.z = 2.0)                                 \
    X(force_type, "forces[0].type", "sprng", d->has_force = true; d->force.type = "sprng")                             \
    X(force_body, "forces[0].bodies", "index 9", d->has_force = true; d->force.body_b = 9)                             \
    X(force_self, "forces[0].bodies", "itself", d->has_force = true; d->force.body_b = 0)                              \
    X(force_stiffness, "forces[0].stiffness", "negative", d->has_force = true; d->force.stiffness = -1.0)              \
    X(force_length, "forces[0]", "free length", d->has_force = d->force.has_length = true; d->force.length = -1.0)     \
    X(torsion_joint, "forces[0].joint", "0 coordinates", d->has_force = true; d->force.type = "torsion";               \
      d->force.joint = 0)                                                                                              \
    X(bushing_matrix, "forces[0].stiffness", "symmetric", d->has_force = true; d->force.type = "bushing";              \
      d->force.stiffness6[1][2] = 3.0)                                                                                 \
    X(wrench_world, "forces[0].body", "cannot move", d->has_force = true; d->force.type = "wrench";                    \
      d->force.body_b = PH_WORLD)                                                                                      \
    X(wrench_expression, "forces[0].force[1]", "sin(", d->has_force = true; d->force.type = "wrench";                  \
      d->force.force[1].expression = "sin(")

#define MISTAKE_FUNCTION(name, path, words, ...)                                                                       \
    static void make_##name(draft *d)                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
MISTAKES(MISTAKE_FUNCTION)

#define MISTAKE_ENTRY(name, path, words, ...) {#name, make_##name, path, words},
static const mistake mistakes[] = {MISTAKES(MISTAKE_ENTRY)};
enum { MISTAKE_COUNT = sizeof mistakes / sizeof *mistakes };

static bool is_reported(const ph_problems *problems, const mistake *m)
{
    for (int i = 0; i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        if (p->severity == PH_ERROR && strcmp(p->path, m->path) == 0 && strstr(p->text, m->words)) {
            return true;
        }
    }
    return false;
}

static void print_all(const ph_problems *problems)
{
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("    %s: %s\n", ph_problems_get(problems, i)->path, ph_problems_get(problems, i)->text);
    }
}

TEST(every_mistake_is_reported_in_its_place)
{
    for (int k = 0; k < MISTAKE_COUNT; k++) {
        draft d = sound();
        mistakes[k].make(&d);
        ph_spec *spec = spec_of(&d);
        ph_problems *problems = ph_problems_create();
        ph_model *model = NULL;
        const ph_status status = ph_model_compile(spec, problems, &model);
        if (!CHECK_EQ_INT(status, PH_BAD_MODEL) || !CHECK(is_reported(problems, &mistakes[k]))) {
            printf("  %s, expected %s: ...%s...\n", mistakes[k].name, mistakes[k].path, mistakes[k].words);
            print_all(problems);
        }
        CHECK(!model);
        ph_problems_destroy(problems);
        ph_spec_destroy(spec);
    }
}

TEST(unknown_words_get_a_suggestion)
{
    draft d = sound();
    d.joint[1].type = "revolut";
    ph_spec *spec = spec_of(&d);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_compile(spec, problems, &model);
    if (CHECK_EQ_INT(ph_problems_count(problems), 1)) {
        CHECK_STR(ph_problems_get(problems, 0)->hint, "did you mean 'revolute'?");
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

TEST(all_mistakes_are_reported_at_once)
{
    draft d = sound();
    d.gravity.x = NAN;
    d.body[0].mass = -1.0;
    d.body[0].orientation.w = 2.0;
    d.body[1].inertia.m[2][2] = 9.0;
    d.joint[0].type = "boll";
    d.joint[1].axis = ph_zero3();
    d.has_force = true;
    d.force.stiffness = -1.0;
    ph_spec *spec = spec_of(&d);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_BAD_MODEL);
    if (!CHECK_EQ_INT(ph_problems_errors(problems), 7)) {
        print_all(problems);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

TEST(definitions_without_their_cookie_are_refused)
{
    ph_spec *spec = ph_spec_create(NULL);
    CHECK_EQ_INT(ph_spec_add_body(spec, &(ph_body_def){.name = "a", .mass = 1.0}), PH_NONE);
    CHECK_EQ_INT(ph_spec_add_joint(spec, &(ph_joint_def){.name = "a"}), PH_NONE);
    CHECK_EQ_INT(ph_spec_add_force(spec, &(ph_force_def){.name = "a"}), PH_NONE);
    CHECK_EQ_INT(ph_spec_add_shape(spec, 0, &(ph_shape_def){.radius = 1.0}), PH_NONE);
    ph_spec_destroy(spec);
}

// A failed call must not hand out an index that means something: -1 is the world.
TEST(a_failed_add_used_as_a_body_is_an_error_not_the_world)
{
    draft d = sound();
    ph_spec *spec = spec_of(&d);
    ph_joint_def joint = d.joint[0];
    joint.name = "lost";
    joint.body_a = ph_spec_add_body(spec, &(ph_body_def){.name = "no cookie", .mass = 1.0});
    CHECK(joint.body_a != PH_WORLD);
    CHECK(ph_spec_add_joint(spec, &joint) >= 0);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_BAD_MODEL);
    ph_spec_destroy(spec);
}

TEST(nearly_unit_quaternions_are_normalised)
{
    draft d = sound();
    d.body[0].orientation.w = 1.0 + 5e-7;
    ph_spec *spec = spec_of(&d);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(planar_bodies_are_allowed)
{
    draft d = sound();
    d.body[1].inertia = (ph_mat3){{{0.2, 0.0, 0.0}, {0.0, 0.3, 0.0}, {0.0, 0.0, 0.5}}};
    ph_spec *spec = spec_of(&d);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

typedef struct meter {
    int left;   // allocations that succeed
    int blocks; // given out and not returned
} meter;

static void *metered_allocate(size_t bytes, void *user)
{
    meter *m = user;
    if (m->left-- <= 0) {
        return NULL;
    }
    m->blocks++;
    return malloc(bytes);
}

static void metered_release(void *block, void *user)
{
    ((meter *)user)->blocks--;
    free(block);
}

TEST(running_out_of_memory_is_reported_and_nothing_leaks)
{
    draft d = sound();
    d.has_force = d.has_shape = true;
    bool done = false;
    for (int allowed = 0; allowed < 200 && !done; allowed++) {
        meter m = {.left = allowed};
        const ph_allocator allocator = {metered_allocate, metered_release, &m};
        ph_spec *spec = ph_spec_create(&allocator);
        bool whole = spec != NULL;
        for (int i = 0; i < 2 && whole; i++) {
            whole = ph_spec_add_body(spec, &d.body[i]) >= 0 && ph_spec_add_joint(spec, &d.joint[i]) >= 0;
        }
        whole = whole && ph_spec_add_shape(spec, 0, &d.shape) >= 0 && ph_spec_add_force(spec, &d.force) >= 0;
        ph_model *model = NULL;
        const ph_status status = whole ? ph_model_compile(spec, NULL, &model) : PH_OUT_OF_MEMORY;
        ph_state *state = status == PH_OK ? ph_state_create(model) : NULL;
        CHECK(status == PH_OK || status == PH_OUT_OF_MEMORY);
        done = state != NULL;
        if (state) {
            ph_state_destroy(state);
        }
        ph_model_destroy(model);
        ph_spec_destroy(spec);
        CHECK_EQ_INT(m.blocks, 0);
    }
    CHECK(done);
}
