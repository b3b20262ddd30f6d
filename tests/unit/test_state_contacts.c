// Contacts between balls, of which the state keeps the force alone: what ph_state_contacts, copies and checkpoints make of
// them, with several threads and without memory.
#include "test.h"

#include "math/vec3.h"
#include "model/state.h"
#include "polhode/polhode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 5, LAYERS = 3, STEPS = 60, READERS = 4 };
static const double RADIUS = 0.1;

// How memory is given: not at all, or after a tenth of a second.
enum { GIVES, REFUSES, DAWDLES };

static void *allocate(size_t bytes, void *user)
{
    const int how = *(const int *)user;
    if (how == DAWDLES) nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    return how == REFUSES ? NULL : malloc(bytes);
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

typedef struct heap {
    int memory;
    ph_model *model;
    ph_state *state, *other;
    ph_sim *sim;
    ph_vec3 *before; // where the bodies were before the last step
} heap;

// Balls that fall on a plane and on a ball that cannot move. Their first shape does not touch.
static ph_model *heap_model(const ph_allocator *allocator, double tolerance)
{
    ph_spec *spec = ph_spec_create(allocator);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = tolerance;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_set_contact(spec, &contact);
    ph_body_def floor = ph_default_body();
    floor.name = "floor";
    floor.fixed = true;
    ph_shape_def plane = ph_default_shape(), ball = ph_default_shape(), sign = ph_default_shape();
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    ball.type = sign.type = "sphere";
    ball.radius = RADIUS;
    sign.radius = 0.5 * RADIUS;
    sign.collide = false;
    sign.density = 0.0;
    ball.density = 1000.0;
    const int fixed = ph_spec_add_body(spec, &floor);
    ph_spec_add_shape(spec, fixed, &plane);
    ph_spec_add_shape(spec, fixed, &ball);
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        ph_body_def body = ph_default_body();
        body.name = name;
        const double jitter = 0.02 * test_uniform(-1.0, 1.0);
        body.position = (ph_vec3){0.21 * (k % SIDE - 1) + jitter, 0.21 * (k / SIDE % SIDE - 1) - jitter,
                                  0.32 + 0.21 * (k / SIDE / SIDE)};
        const int b = ph_spec_add_body(spec, &body);
        ph_spec_add_shape(spec, b, &sign);
        ph_spec_add_shape(spec, b, &ball);
    }
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static void step(heap *h, ph_state *state)
{
    memcpy(h->before, ph_state_positions(state), sizeof *h->before * (size_t)h->model->body_count);
    CHECK_EQ_INT(ph_sim_step(h->sim, state, 0.005, NULL), PH_OK);
}

static const double SINGLE = 1e-3, DOUBLE = 2e-5; // m/s: tolerances that are met in this precision

static void open_heap(heap *h, double tolerance)
{
    const ph_allocator allocator = {allocate, release, &h->memory};
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    *h = (heap){.memory = GIVES};
    h->model = heap_model(&allocator, tolerance);
    h->state = ph_state_create(h->model);
    h->other = ph_state_create(h->model);
    h->before = calloc((size_t)h->model->body_count, sizeof *h->before);
    CHECK_EQ_INT(ph_sim_create(h->model, &def, &h->sim, NULL), PH_OK);
    for (int k = 0; k < STEPS; k++) step(h, h->state);
    CHECK(h->state->ball_count > 20);
    CHECK(h->state->contact_count > 5);
    CHECK(h->state->ball_impulses.single == (tolerance == SINGLE));
}

static void close_heap(heap *h)
{
    ph_sim_destroy(h->sim);
    ph_state_destroy(h->state);
    ph_state_destroy(h->other);
    ph_model_destroy(h->model);
    free(h->before);
}

static void check_same_contacts(const ph_state *a, const ph_state *b)
{
    int count_a, count_b;
    const ph_contact *of_a = ph_state_contacts(a, &count_a), *of_b = ph_state_contacts(b, &count_b);
    CHECK_EQ_INT(count_a, count_b);
    CHECK(count_a == count_b && memcmp(of_a, of_b, (size_t)count_a * sizeof *of_a) == 0);
}

TEST(balls_are_shown_as_they_were)
{
    heap h;
    open_heap(&h, SINGLE);
    int count, with_fixed = 0;
    const ph_contact *contacts = ph_state_contacts(h.state, &count);
    CHECK_EQ_INT(count, state_contact_count(h.state));
    for (int k = 0; k < count; k++) {
        const ph_contact *c = &contacts[k], one = state_contact(h.state, k);
        CHECK(memcmp(c, &one, sizeof one) == 0);
        CHECK(ph_norm(c->torque) == 0.0 && c->feature == 0);
        if (k < h.state->contact_count) continue;
        const ph_vec3 p = h.before[c->body_a], q = h.before[c->body_b], d = ph_sub(q, p);
        const bool fixed = c->body_a == 0;
        const double behind = fixed ? RADIUS : 0.5 * (ph_norm(d) - 2.0 * RADIUS) + RADIUS; // from the point to q
        with_fixed += fixed;
        CHECK_EQ_INT(c->shape_a, 1);
        CHECK_EQ_INT(c->shape_b, 1);
        CHECK_NEAR(c->gap, ph_norm(d) - 2.0 * RADIUS, 1e-15);
        CHECK_NEAR(ph_norm(ph_sub(ph_scale(ph_norm(d), c->normal), d)), 0.0, 1e-15);
        CHECK_NEAR(ph_norm(ph_sub(ph_madd(c->point, behind, c->normal), q)), 0.0, 1e-15);
    }
    CHECK(with_fixed > 0);
    ph_state_touch(h.state);
    CHECK(ph_state_contacts(h.state, &count) != NULL);
    CHECK_EQ_INT(count, 0);
    close_heap(&h);
}

// A copy goes on as the state does; so does a checkpoint, in which all contacts are whole.
static void go_on(double tolerance)
{
    heap h;
    open_heap(&h, tolerance);
    CHECK_EQ_INT(ph_state_copy(h.other, h.state), PH_OK);
    check_same_contacts(h.other, h.state);
    const size_t size = ph_state_saved_size(h.state);
    void *saved = malloc(size);
    CHECK_EQ_INT(ph_state_save_memory(h.state, saved, size, NULL), PH_OK);
    for (int k = 0; k < 5; k++) {
        step(&h, h.state);
        step(&h, h.other);
    }
    check_same_contacts(h.other, h.state);
    CHECK_EQ_INT(ph_state_load_memory(h.other, saved, size, NULL), PH_OK);
    CHECK_EQ_INT(h.other->ball_count, 0);
    for (int k = 0; k < 5; k++) step(&h, h.other);
    CHECK(h.other->ball_count > 20);
    check_same_contacts(h.other, h.state);
    const size_t bytes = sizeof(ph_vec3) * (size_t)h.model->body_count;
    CHECK(memcmp(h.other->position, h.state->position, bytes) == 0);
    CHECK(memcmp(h.other->velocity, h.state->velocity, bytes) == 0);
    free(saved);
    close_heap(&h);
}

TEST(copies_and_checkpoints_go_on)
{
    go_on(SINGLE);
    go_on(DOUBLE);
}

TEST(without_memory_there_is_no_list)
{
    heap h;
    open_heap(&h, SINGLE);
    int count;
    h.memory = REFUSES;
    CHECK(ph_state_contacts(h.state, &count) == NULL);
    CHECK_EQ_INT(count, 0);
    h.memory = GIVES;
    CHECK(ph_state_contacts(h.state, &count) != NULL);
    CHECK_EQ_INT(count, state_contact_count(h.state));
    step(&h, h.state);
    h.memory = REFUSES; // there is room from the last time, unless there are more contacts now
    const ph_contact *contacts = ph_state_contacts(h.state, &count);
    CHECK(!contacts || count == state_contact_count(h.state));
    h.memory = GIVES;
    close_heap(&h);
}

static void *read_contacts(void *user)
{
    int count;
    const ph_contact *contacts = ph_state_contacts(user, &count);
    return count == state_contact_count(user) ? (void *)contacts : NULL;
}

TEST(threads_read_one_list)
{
    heap h;
    open_heap(&h, SINGLE);
    for (int round = 0; round < 20; round++) {
        pthread_t readers[READERS];
        void *seen[READERS];
        step(&h, h.state);
        for (int k = 0; k < READERS; k++) CHECK(pthread_create(&readers[k], NULL, read_contacts, h.state) == 0);
        for (int k = 0; k < READERS; k++) pthread_join(readers[k], &seen[k]);
        for (int k = 0; k < READERS; k++) CHECK(seen[k] && seen[k] == seen[0]);
    }
    close_heap(&h);
}

static void *wait_for_contacts(void *user)
{
    static double used; // s of the processor
    struct timespec t;
    ph_state_contacts(user, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    used = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    return &used;
}

// The second thread sleeps while the first makes the list.
TEST(who_waits_for_the_list_does_not_spin)
{
    heap h;
    open_heap(&h, SINGLE);
    pthread_t first, second;
    void *used = NULL;
    h.memory = DAWDLES;
    CHECK(pthread_create(&first, NULL, read_contacts, h.state) == 0);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    CHECK(pthread_create(&second, NULL, wait_for_contacts, h.state) == 0);
    pthread_join(second, &used);
    pthread_join(first, NULL);
    CHECK(*(double *)used < 0.02);
    h.memory = GIVES;
    close_heap(&h);
}
