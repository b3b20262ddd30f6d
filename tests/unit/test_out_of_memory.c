// Memory that runs out: every request in turn is the one that fails, from the spec to the end of a run, under every scheme.
// Each time the answer is that memory ran out, and every block that was given is given back.

#include "rig.h"

#include "folder.h"
#include "scenes.h"

typedef struct purse {
    long given, fail_at; // requests so far; the one that fails, from 1
    long live;           // blocks out
} purse;

static void *purse_allocate(size_t bytes, void *user)
{
    purse *p = user;
    if (++p->given == p->fail_at) {
        return NULL;
    }
    void *block = malloc(bytes);
    p->live += block != NULL;
    return block;
}

static void purse_release(void *block, void *user)
{
    purse *p = user;
    p->live -= block != NULL;
    free(block);
}

// Joints, a loop, springs, a motor, inputs and expressions; with contact where it is asked for. NULL when memory ran out.
static ph_spec *describe(const ph_allocator *allocator, bool contact, const char *torque)
{
    ph_spec *spec = ph_spec_create(allocator);
    if (!spec) {
        return NULL;
    }
    ph_shape_def shape = ph_default_shape(), floor = ph_default_shape();
    shape.type = "box";
    shape.size = (ph_vec3){0.1, 0.9, 0.1};
    floor.type = "plane";
    floor.size = (ph_vec3){0.0, 0.0, 1.0};
    ph_joint_def hinge = scene_joint_def("hinge", "revolute", PH_WORLD, 1, (ph_vec3){0.0, 0.0, 2.0});
    hinge.has_axis = true;
    hinge.axis = (ph_vec3){1.0, 0.0, 0.0};
    hinge.motor = PH_MOTOR_TORQUE;
    hinge.motor_value.expression = torque;
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = 2;
    spring.point_a = (ph_vec3){1.0, 2.0, 1.0};
    spring.stiffness = 20.0;
    const ph_contact_settings settings = ph_default_contact();
    const bool made =
        ph_spec_set_name(spec, "memory") == PH_OK &&
        ph_spec_set_run(spec, &(ph_run_settings){.scheme = "rattlie"}) == PH_OK &&
        scene_fixed(spec, "ground", (ph_vec3){0.0, 0.0, 0.0}) >= 0 &&
        scene_body(spec, "rod1", (ph_vec3){0.0, 0.5, 2.0}) >= 0 &&
        scene_body(spec, "rod2", (ph_vec3){0.0, 1.5, 2.0}) >= 0 && ph_spec_add_shape(spec, 0, &floor) >= 0 &&
        ph_spec_add_shape(spec, 2, &shape) >= 0 && ph_spec_add_input(spec, "u", 4.0) >= 0 &&
        ph_spec_add_joint(spec, &hinge) >= 0 && scene_ball(spec, "ball", 1, 2, (ph_vec3){0.0, 1.0, 2.0}) >= 0 &&
        ph_spec_add_force(spec, &spring) >= 0 && (!contact || ph_spec_set_contact(spec, &settings) == PH_OK);
    if (!made) {
        ph_spec_destroy(spec);
    }
    return made ? spec : NULL;
}

static ph_status run_all(const ph_model *model, const char *scheme, const folder *f)
{
    const file_path out = folder_file(f, "a.csv"), checkpoint = folder_file(f, "a.checkpoint");
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.status = PH_OK};
    def.sim.scheme = scheme;
    def.step = 1e-3;
    def.until = 3e-3;
    def.out = out.text;
    def.checkpoint = checkpoint.text;
    ph_status status = state ? ph_run(model, state, &def, &summary, &error) : PH_OUT_OF_MEMORY;
    if (status == PH_OK) {
        def.resume = true;
        status = ph_run(model, state, &def, &summary, &error);
    }
    CHECK(!state || status == PH_OK || (error.status == status && error.text[0]));
    ph_state_destroy(state);
    return status;
}

static ph_status go(const ph_allocator *allocator, const char *scheme, bool contact, const folder *f)
{
    const bool by_places = strncmp(scheme, "multistep", 9) == 0; // takes no torque that depends on velocities
    ph_spec *spec = describe(allocator, contact, by_places ? "u*sin(3*t) - q.hinge" : "u*sin(3*t) - qd.hinge");
    ph_model *model = NULL;
    ph_status status = spec ? ph_model_compile(spec, NULL, &model) : PH_OUT_OF_MEMORY;
    CHECK((status == PH_OK) == (model != NULL));
    ph_spec_destroy(spec);
    if (model) {
        status = run_all(model, scheme, f);
    }
    ph_model_destroy(model);
    return status;
}

// Returns how many requests there were; 0 when the scheme does not take the model.
static long starve(const char *scheme, bool contact, const folder *f)
{
    purse p = {0};
    const ph_allocator allocator = {purse_allocate, purse_release, &p};
    const ph_status whole = go(&allocator, scheme, contact, f);
    const long requests = p.given;
    CHECK(whole == PH_OK || whole == PH_NOT_SUPPORTED);
    CHECK_EQ_INT(p.live, 0);
    for (long k = 1; k <= requests && whole == PH_OK; k++) {
        p = (purse){.fail_at = k};
        const ph_status status = go(&allocator, scheme, contact, f);
        // Contact memory that cannot grow may be done without.
        if (!CHECK(status == PH_OUT_OF_MEMORY || (contact && status == PH_OK)) || !CHECK_EQ_INT(p.live, 0)) {
            printf("  %s, request %ld of %ld: %s\n", scheme, k, requests, ph_status_name(status));
        }
    }
    return whole == PH_OK ? requests : 0;
}

TEST(every_request_for_memory_may_fail)
{
    const folder f = folder_make();
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        const long requests = starve(info.name, false, &f);
        CHECK(requests > 30 || info.order == 0);
        if (info.traits & PH_HAS_CONTACT) {
            CHECK(starve(info.name, true, &f) > 30);
        }
    }
    folder_remove(&f);
}

// What else takes an allocator or a model.
TEST(statics_modes_trees_and_cones_may_run_out_of_memory)
{
    purse p = {0};
    const ph_allocator allocator = {purse_allocate, purse_release, &p};
    long requests = 1;
    for (long k = 0; k <= requests; k++) {
        p = (purse){.fail_at = k};
        ph_spec *spec = describe(&allocator, false, "u*sin(3*t) - qd.hinge");
        ph_model *model = NULL;
        ph_tree *tree = NULL;
        ph_mode_set *modes = NULL;
        if (spec && ph_model_compile(spec, NULL, &model) == PH_OK) {
            ph_state *state = ph_state_create(model);
            const ph_statics_def def = ph_default_statics();
            if (state) {
                const ph_status found = ph_statics(model, state, &def, NULL, NULL);
                CHECK(found == PH_OK || found == PH_NO_CONVERGENCE || found == PH_OUT_OF_MEMORY);
                const ph_status made = ph_modes(model, state, &modes, NULL);
                CHECK(made == PH_OK || made == PH_OUT_OF_MEMORY);
                const ph_status grown = ph_tree_from_model(model, &tree, NULL, NULL);
                CHECK(grown == PH_OK || grown == PH_OUT_OF_MEMORY);
            }
            ph_state_destroy(state);
        }
        ph_modes_destroy(modes);
        ph_tree_destroy(tree);
        ph_model_destroy(model);
        ph_spec_destroy(spec);
        CHECK_EQ_INT(p.live, 0);
        requests = k == 0 ? p.given : requests;
    }
    CHECK(requests > 15);
}
