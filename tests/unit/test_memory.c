// Memory: steps allocate nothing, a chain needs less than 4 kB for each rod with its joint and a heap of balls less than
// 1.2 kB for each with its contacts, everything is given back, and running out of memory at any point is reported.
//
// The program's own malloc counts what the library takes and can be told to fail. Sanitizers bring a malloc of their own;
// there these tests are skipped.

#include "test.h"

#include "four_bars.h"
#include "scenes.h"

#include <malloc.h>
#include <string.h>
#include <time.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define NEEDS_MALLOC SKIP("the C library's malloc is replaced")
static struct {
    long long calls, bytes, fail_at;
} heap;
#else
#define NEEDS_MALLOC (void)0

// The C library's own functions, whatever stands before them.
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t bytes);
extern void __libc_free(void *block);

static struct {
    long long calls;   // of malloc and its like
    long long bytes;   // held
    long long fail_at; // the call with this number, and all after it, find no memory; 0: none
} heap;

static bool heap_fails(void)
{
    heap.calls++;
    return heap.fail_at && heap.calls >= heap.fail_at;
}

static void *heap_count(void *block)
{
    heap.bytes += block ? (long long)malloc_usable_size(block) : 0;
    return block;
}

void *malloc(size_t bytes)
{
    return heap_fails() ? NULL : heap_count(__libc_malloc(bytes));
}

void *calloc(size_t count, size_t size)
{
    return heap_fails() ? NULL : heap_count(__libc_calloc(count, size));
}

void *realloc(void *block, size_t bytes)
{
    if (heap_fails()) {
        return NULL;
    }
    heap.bytes -= block ? (long long)malloc_usable_size(block) : 0;
    return heap_count(__libc_realloc(block, bytes));
}

void free(void *block)
{
    heap.bytes -= block ? (long long)malloc_usable_size(block) : 0;
    __libc_free(block);
}
#endif

// ---- Scenes ---------------------------------------------------------------------------------------------------------

// A four-bar linkage of unit bars, with three redundant rows, a driven hinge, a spring and a damper: everything that a
// step may meet. (The unit square stands upright in the plane y = 0.)
static ph_spec *build_linkage(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    if (!spec) {
        return NULL;
    }
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    const ph_vec3 y = {0.0, 1.0, 0.0};
    const int crank = scene_body(spec, "crank", (ph_vec3){0.0, 0.0, 0.5});
    const int coupler = scene_body(spec, "coupler", (ph_vec3){0.5, 0.0, 1.0});
    const int rocker = scene_body(spec, "rocker", (ph_vec3){1.0, 0.0, 0.5});
    ph_joint_def hinge = scene_joint_def("A", "revolute", PH_WORLD, crank, (ph_vec3){0.0, 0.0, 0.0});
    hinge.has_axis = true;
    hinge.axis = y;
    hinge.damping = 0.1;
    hinge.friction = 0.01;
    hinge.motor = PH_MOTOR_TORQUE;
    hinge.motor_value.expression = "2*sin(t) + u";
    bool good = ph_spec_add_input(spec, "u", 1.0) >= 0 && ph_spec_add_joint(spec, &hinge) >= 0;
    good = good && scene_axial(spec, "B", "revolute", crank, coupler, (ph_vec3){0.0, 0.0, 1.0}, y) >= 0;
    good = good && scene_axial(spec, "C", "revolute", coupler, rocker, (ph_vec3){1.0, 0.0, 1.0}, y) >= 0;
    good = good && scene_axial(spec, "D", "revolute", PH_WORLD, rocker, (ph_vec3){1.0, 0.0, 0.0}, y) >= 0;
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = coupler;
    spring.point_a = (ph_vec3){2.0, 0.0, 1.0};
    spring.stiffness = 5.0;
    good = good && ph_spec_add_force(spec, &spring) >= 0;
    if (!good) {
        ph_spec_destroy(spec);
    }
    return good ? spec : NULL;
}

// ---- Tests ----------------------------------------------------------------------------------------------------------

static void check_steps(ph_model *model, const char *scheme, double h)
{
    ph_state *state = ph_state_create(model);
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    const ph_status made = state ? ph_sim_create(model, &def, &sim, NULL) : PH_OUT_OF_MEMORY;
    if (made == PH_NOT_SUPPORTED || !CHECK_EQ_INT(made, PH_OK)) {
        ph_state_destroy(state); // a scheme may refuse a model
        return;
    }
    const bool forward = ph_scheme_get(ph_scheme_find(scheme)).traits & PH_HAS_CONTACT; // dry friction has no way back
    const bool many = strncmp(scheme, "multistep", 9) == 0; // nodes, for which the state has no room at first
    ph_step_report report = {0};
    ph_status status = many ? ph_sim_step(sim, state, h, &report) : PH_OK;
    CHECK_EQ_INT(report.growths, many);
    const long long before = heap.calls;
    for (int k = 0; k < 200 && status == PH_OK; k++) {
        status = ph_sim_step(sim, state, k % 3 || forward ? h : -0.5 * h, NULL);
    }
    const ph_status failed = ph_sim_step(sim, state, (double)INFINITY, NULL);
    const long long calls = heap.calls - before;
    CHECK_EQ_INT(status, PH_OK);
    CHECK(failed != PH_OK);
    CHECK_EQ_INT(calls, 0);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
}

TEST(steps_of_every_scheme_allocate_nothing)
{
    NEEDS_MALLOC;
    ph_model *models[] = {scene_chain(1), scene_pendulum(), scene_chain(10), scene_finish(build_linkage())};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (int s = 0; s < ph_scheme_count() && CHECK(models[m]); s++) {
            check_steps(models[m], ph_scheme_get(s).name, 1e-3);
        }
        ph_model_destroy(models[m]);
    }
}

typedef struct counted {
    long long taken, held;
} counted;

static void *take(size_t bytes, void *user)
{
    counted *c = user;
    c->taken++, c->held++;
    return malloc(bytes);
}

static void give_back(void *block, void *user)
{
    ((counted *)user)->held--;
    free(block);
}

// Order and pattern of a mechanism with loops, under every scheme.
TEST(all_memory_comes_from_the_callers_allocator)
{
    NEEDS_MALLOC;
    counted mine = {0};
    const ph_allocator allocator = {take, give_back, &mine};
    const four_bars thin = {.loops = 12, .axial = 1e-5, .coupler = 1.0, .size = 1.0};
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = four_bars_spec(&thin, &allocator);
    const long long before = heap.calls - mine.taken;
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int s = 0; s < ph_scheme_count() && model; s++) {
        ph_sim_def def = ph_default_sim();
        ph_sim *sim = NULL;
        def.scheme = ph_scheme_get(s).name;
        ph_state *state = ph_state_create(model);
        if (ph_sim_create(model, &def, &sim, NULL) == PH_OK) {
            ph_sim_step(sim, state, 1e-4, NULL);
        }
        ph_sim_destroy(sim);
        ph_state_destroy(state);
    }
    ph_observer *observer = NULL;
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    ph_observer_destroy(observer);
    CHECK_EQ_INT(heap.calls - mine.taken, before);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    CHECK_EQ_INT(mine.held, 0);
}

// Compiling is linear in the number of bodies: about 6 us each.
TEST(a_chain_of_10000_rods_is_made_within_a_second_of_processor_time)
{
    NEEDS_MALLOC; // sanitizers slow everything down
    const clock_t began = clock();
    ph_model *model = scene_chain(10000);
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK((double)(clock() - began) / CLOCKS_PER_SEC < 1.0);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
}

TEST(a_chain_of_10000_rods_needs_less_than_4_kB_for_each_rod_with_its_joint)
{
    NEEDS_MALLOC;
    enum { RODS = 10000 };
    const long long before = heap.bytes;
    ph_model *model = scene_chain(RODS);
    ph_state *state = ph_state_create(model);
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    const double bytes = (double)(heap.bytes - before) / RODS;
    printf("  %.0f bytes for each rod with its joint: model, state and rattlie\n", bytes);
    CHECK(bytes < 4096.0);
    CHECK_EQ_INT(ph_sim_step(sim, state, 1e-4, NULL), PH_OK);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    CHECK_EQ_INT(heap.bytes, before);
}

// A block of balls that touch, ten to a side, in a bin.
static ph_model *build_heap(int across)
{
    static const ph_vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    ph_body_def bin = ph_default_body();
    const double half = 0.05 * across;
    contact.tolerance = 1e-3;
    bin.name = "bin";
    bin.fixed = true;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_set_contact(spec, &contact);
    ph_spec_add_body(spec, &bin);
    for (int k = 0; k < 5; k++) {
        ph_shape_def wall = ph_default_shape();
        wall.type = "plane";
        wall.size = normals[k];
        wall.position = (ph_vec3){-half * normals[k].x, -half * normals[k].y, 0.0};
        ph_spec_add_shape(spec, 0, &wall);
    }
    for (int k = 0; k < across * across * across; k++) {
        char name[16];
        ph_body_def ball = ph_default_body();
        ph_shape_def shape = ph_default_shape();
        snprintf(name, sizeof name, "b%d", k);
        ball.name = name;
        ball.position = (ph_vec3){0.1 * (k % across) + 0.05 - half, 0.1 * (k / across % across) + 0.05 - half,
                                  0.1 * (k / (across * across)) + 0.05};
        shape.type = "sphere";
        shape.radius = 0.05;
        shape.density = 1000.0;
        shape.friction = 0.5;
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &ball), &shape);
    }
    return scene_finish(spec);
}

// 3.3 contacts to a ball, more than in heaps that have settled.
TEST(a_heap_of_1000_balls_needs_less_than_1200_bytes_for_each_with_its_contacts)
{
    NEEDS_MALLOC;
    enum { ACROSS = 10, BALLS = ACROSS * ACROSS * ACROSS };
    const long long before = heap.bytes;
    ph_model *model = build_heap(ACROSS);
    ph_state *state = ph_state_create(model);
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    for (int k = 0; k < 20; k++) CHECK_EQ_INT(ph_sim_step(sim, state, 0.005, NULL), PH_OK);
    const double bytes = (double)(heap.bytes - before) / BALLS; // before anybody asks for the list of contacts
    int contacts = 0;
    ph_state_contacts(state, &contacts);
    printf("  %.0f bytes for each ball with %.2f contacts: model, state and moreau\n", bytes, (double)contacts / BALLS);
    CHECK(contacts > 2 * BALLS);
    CHECK(bytes < 1200.0);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    CHECK_EQ_INT(heap.bytes, before);
}

// From nothing to a step, with every call of malloc in turn being the first that fails.
static ph_status build_and_step(const char *scheme)
{
    ph_status status = PH_OUT_OF_MEMORY;
    ph_model *model = NULL;
    ph_sim *sim = NULL;
    ph_observer *observer = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    ph_spec *spec = build_linkage();
    if (spec) {
        status = ph_model_compile(spec, NULL, &model);
    }
    ph_spec_destroy(spec);
    ph_state *state = model ? ph_state_create(model) : NULL;
    if (model && !state) {
        status = PH_OUT_OF_MEMORY;
    }
    if (state) {
        status = ph_sim_create(model, &def, &sim, NULL);
    }
    if (sim) {
        status = ph_observer_create(model, &observer);
    }
    if (observer) {
        status = ph_sim_step(sim, state, 1e-3, NULL);
    }
    ph_observer_destroy(observer);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return status;
}

TEST(running_out_of_memory_anywhere_is_reported_and_leaks_nothing)
{
    NEEDS_MALLOC;
    for (int s = 0; s < ph_scheme_count(); s++) {
        const char *scheme = ph_scheme_get(s).name;
        ph_status status = PH_OUT_OF_MEMORY;
        int failures = 0;
        for (int n = 1; status != PH_OK && status != PH_NOT_SUPPORTED && n < 2000; n++) {
            const long long before = heap.bytes;
            heap.calls = 0;
            heap.fail_at = n;
            status = build_and_step(scheme);
            heap.fail_at = 0;
            failures += status != PH_OK;
            const bool ended = status == PH_OK || status == PH_OUT_OF_MEMORY || status == PH_NOT_SUPPORTED;
            if (!CHECK(ended) || !CHECK_EQ_INT(heap.bytes, before)) {
                printf("  %s: when allocation %d fails: %s\n", scheme, n, ph_status_text(status));
                break;
            }
        }
        CHECK(status == PH_OK || status == PH_NOT_SUPPORTED);
        CHECK(failures > 10);
    }
}
