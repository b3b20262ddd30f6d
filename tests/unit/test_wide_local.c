// Groups of contacts solved by themselves: Coulomb's law holds in them, bodies move by their impulses, all others stay.
#include "test.h"

#include "contact/wide_inside.h"
#include "math/mat3.h"

#include "polhode/polhode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 24, CONTACTS = 3 * BODIES };

// A ring of bodies: contact 3 k holds body k to the ground, 3 k + 1 and 3 k + 2 body k to the next one.
typedef struct ring {
    int left;  // requests for memory that are granted; negative: all
    int group; // contacts that are solved at once
    ph_model *model;
    wide *w;
    wide_problem problem;
    wide_contact contacts[CONTACTS];
    wide_pair pairs[CONTACTS];
    int use_start[BODIES + 1], uses[2 * CONTACTS];
    double inverse_mass[BODIES];
    ph_mat3 inverse_inertia[BODIES];
    screw twists[BODIES];
} ring;

static void *allocate(size_t bytes, void *user)
{
    int *left = user;
    if (*left == 0) return NULL;
    *left -= *left > 0;
    return malloc(bytes);
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

static wide_contact contact_of(const void *user, int i)
{
    return ((const ring *)user)->contacts[i];
}

static wide_pair pair_of(const void *user, int i)
{
    return ((const ring *)user)->pairs[i];
}

static ph_mat3 inertia_of(const void *user, int k)
{
    return ((const ring *)user)->inverse_inertia[k];
}

static ph_vec3 position_of(const void *user, int k)
{
    (void)user;
    return ph_vec((double)k, 0.0, 0.0);
}

static ph_vec3 random_vector(double size)
{
    const double x = test_uniform(-size, size), y = test_uniform(-size, size);
    return ph_vec(x, y, test_uniform(-size, size));
}

static ph_model *free_bodies(const ph_allocator *allocator)
{
    ph_spec *spec = ph_spec_create(allocator);
    for (int k = 0; k < BODIES; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        ph_body_def body = ph_default_body();
        body.name = name;
        body.mass = 1.0;
        body.inertia = ph_diag(ph_vec(0.1, 0.15, 0.2));
        ph_spec_add_body(spec, &body);
    }
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static void list_uses(ring *r)
{
    int count = 0;
    for (int k = 0; k < BODIES; k++) {
        r->use_start[k] = count;
        for (int i = 0; i < CONTACTS; i++) {
            if (r->pairs[i].a == k) r->uses[count++] = 2 * i;
            if (r->pairs[i].b == k) r->uses[count++] = 2 * i + 1;
        }
    }
    r->use_start[BODIES] = count;
}

static bool make_ring(ring *r, bool single)
{
    const ph_allocator allocator = {allocate, release, &r->left};
    *r = (ring){.left = -1, .group = CONTACTS};
    r->model = free_bodies(&allocator);
    r->w = r->model ? wide_create(r->model, WIDE_BEST, NULL) : NULL;
    if (!CHECK(r->w)) return false;
    for (int k = 0; k < BODIES; k++) {
        r->inverse_mass[k] = test_uniform(0.5, 2.0);
        r->inverse_inertia[k] = ph_diag(ph_vec(10.0, test_uniform(5.0, 10.0), 5.0));
        r->twists[k] = (screw){.turn = random_vector(1.0), .move = ph_add(random_vector(0.3), ph_vec(0, 0, -1.0))};
    }
    for (int i = 0; i < CONTACTS; i++) {
        const int k = i / 3, ground = i % 3 == 0;
        const ph_vec3 n = ph_add(ground ? ph_vec(0, 0, 2.0) : ph_vec(2.0, 0, 0), random_vector(0.5));
        r->pairs[i] = ground ? (wide_pair){-1, k} : (wide_pair){k, (k + 1) % BODIES};
        r->contacts[i] = (wide_contact){
            ph_scale(1.0 / ph_norm(n), n), random_vector(0.3), random_vector(0.3), test_uniform(-0.1, 0.1), 0.5,
            i % 4 == 0 ? 0.01 : 0.0};
    }
    list_uses(r);
    r->problem = (wide_problem){.contact_count = CONTACTS,
                                .use_start = r->use_start,
                                .uses = r->uses,
                                .contact = contact_of,
                                .pair = pair_of,
                                .position = position_of,
                                .user = r,
                                .inverse_mass = r->inverse_mass,
                                .inverse_inertia = r->inverse_inertia,
                                .inertia = inertia_of,
                                .twists = r->twists};
    r->w->single = single;
    const bool room = room_reserve(&r->model->allocator, wide_scratch(r->w), CONTACTS, sizeof(ph_vec3));
    if (room) memset(wide_scratch(r->w)->at, 0, CONTACTS * sizeof(ph_vec3));
    const bool ok = room && wide_sort(r->w, &r->problem) && wide_load(r->w, &r->problem);
    if (ok) memset(r->w->due.at, 0, WIDE * (size_t)r->w->block_count);
    return CHECK(ok);
}

static void free_ring(ring *r)
{
    wide_destroy(r->w);
    ph_model_destroy(r->model);
}

static int place_of(const ring *r, int contact)
{
    return ((const int *)r->w->place.at)[contact];
}

static void set_beyond(const ring *r, int contact) // the tolerance
{
    ((unsigned char *)r->w->due.at)[place_of(r, contact)] = 255;
}

static ph_vec3 impulse_of(const ring *r, int contact)
{
    const size_t at = wide_impulse(place_of(r, contact));
    const wide_array *x = &r->w->x[X_NOW];
    return ph_vec(wide_get(r->w, x, at), wide_get(r->w, x, at + WIDE), wide_get(r->w, x, at + 2 * WIDE));
}

static ph_vec3 velocity_of(const ring *r, int body, int first)
{
    const size_t at = BODY * (size_t)((const int *)r->w->body_place.at)[body] + (size_t)first;
    const wide_array *v = &r->w->bodies;
    return ph_vec(wide_get(r->w, v, at), wide_get(r->w, v, at + 1), wide_get(r->w, v, at + 2));
}

static int solve(ring *r, int most)
{
    const wide_local_task task = {.problem = &r->problem,
                                  .end = r->w->node_count,
                                  .due = r->w->due.at,
                                  .x = r->w->x[X_NOW].at,
                                  .tolerance = 1e-4,
                                  .most = most,
                                  .group = r->group};
    return wide_local_solve(r->w, &task);
}

// The largest difference between the velocities of bodies and what the impulses give.
static double velocity_error(const ring *r)
{
    double most = 0.0;
    for (int k = 0; k < BODIES; k++) {
        screw v = r->twists[k];
        for (int i = 0; i < CONTACTS; i++) {
            const double sign = (r->pairs[i].b == k) - (r->pairs[i].a == k);
            const ph_vec3 x = ph_scale(sign, impulse_of(r, i));
            const ph_vec3 arm = sign > 0.0 ? r->contacts[i].arm_b : r->contacts[i].arm_a;
            v.move = ph_madd(v.move, r->inverse_mass[k], x);
            v.turn = ph_add(v.turn, ph_mul(r->inverse_inertia[k], ph_cross(arm, x)));
        }
        most = fmax(most, ph_norm(ph_sub(v.move, velocity_of(r, k, 0))));
        most = fmax(most, ph_norm(ph_sub(v.turn, velocity_of(r, k, BODY_W))));
    }
    return most;
}

static ph_vec3 point_velocity(const ring *r, int body, ph_vec3 arm)
{
    if (body < 0) return ph_zero3();
    return ph_add(velocity_of(r, body, 0), ph_cross(velocity_of(r, body, BODY_W), arm));
}

// How far contact i is from Coulomb's law, in m/s and Ns: its parts one by one.
static double law_error(const ring *r, int i)
{
    const wide_contact *c = &r->contacts[i];
    const ph_vec3 x = impulse_of(r, i), b = point_velocity(r, r->pairs[i].b, c->arm_b);
    const ph_vec3 u = ph_sub(b, point_velocity(r, r->pairs[i].a, c->arm_a));
    const double xn = ph_dot(c->n, x), un = ph_dot(c->n, u), gap = un + c->bias + c->softness * xn;
    const ph_vec3 xt = ph_madd(x, -xn, c->n), ut = ph_madd(u, -un, c->n);
    double error = fmax(fmax(-xn, -gap), fmin(fabs(xn), fabs(gap)));
    error = fmax(error, ph_norm(xt) - c->friction * xn);
    const double slack = c->friction * xn - ph_norm(xt), slides = ph_norm(ut);
    error = fmax(error, fmin(slack, slides)); // inside its cone it sticks
    if (slack < 1e-6 && slides > 1e-3)        // on it friction is against the motion
        error = fmax(error, ph_norm(ph_add(ph_scale(ph_norm(xt) / slides, ut), xt)));
    return error;
}

// Groups of `group` contacts at the most, in turn.
static void solve_all(bool single, double rounding, int group, int turns)
{
    ring r;
    if (make_ring(&r, single)) {
        r.group = group;
        for (int i = 0; i < CONTACTS; i++) set_beyond(&r, i);
        for (int k = 0; k < turns; k++) CHECK(solve(&r, CONTACTS) == CONTACTS);
        double most = 0.0, sum = 0.0;
        for (int i = 0; i < CONTACTS; i++) {
            most = fmax(most, law_error(&r, i));
            sum += ph_norm(impulse_of(&r, i));
        }
        CHECK(sum > 1.0);
        CHECK(most < 1e-3);
        CHECK(velocity_error(&r) < rounding);
    }
    free_ring(&r);
}

TEST(coulombs_law_holds_in_a_group)
{
    solve_all(false, 1e-12, CONTACTS, 1);
    solve_all(true, 1e-4, CONTACTS, 1);
}

TEST(coulombs_law_holds_in_groups_that_are_solved_in_turn)
{
    solve_all(false, 1e-11, 16, 50);
    solve_all(true, 1e-4, 16, 50);
}

TEST(contacts_that_share_no_body_with_a_bad_one_stay)
{
    ring r;
    if (make_ring(&r, false)) {
        set_beyond(&r, 31); // bodies 10 and 11: contacts 27 to 29, 30 to 32, 33 to 35
        CHECK(solve(&r, CONTACTS) == 8);
        for (int i = 0; i < CONTACTS; i++) {
            const bool near = i >= 28 && i <= 35;
            CHECK(near ? law_error(&r, i) < 1e-3 : ph_norm(impulse_of(&r, i)) == 0.0);
        }
        CHECK(velocity_error(&r) < 1e-12);
        for (int k = 0; k < BODIES; k++)
            CHECK((k >= 9 && k <= 12) || ph_norm(ph_sub(velocity_of(&r, k, 0), r.twists[k].move)) == 0.0);
    }
    free_ring(&r);
}

TEST(larger_groups_than_allowed_stay)
{
    ring r;
    if (make_ring(&r, false)) {
        set_beyond(&r, 31);
        CHECK(solve(&r, 7) == 0);
        for (int i = 0; i < CONTACTS; i++) CHECK(ph_norm(impulse_of(&r, i)) == 0.0);
        CHECK(solve(&r, 8) == 8); // nothing of the first try is left over
    }
    free_ring(&r);
}

// Wherever memory runs out, no contact has lost its place, and the next try is as good as the first.
TEST(without_memory_contacts_keep_their_places)
{
    int refused = 0, solved = -1;
    for (int left = 0; solved < 0; left++) {
        ring r;
        int places[CONTACTS];
        if (!make_ring(&r, false)) break;
        set_beyond(&r, 4);
        set_beyond(&r, 31);
        memcpy(places, r.w->place.at, sizeof places);
        r.left = left;
        solved = solve(&r, CONTACTS);
        r.left = -1;
        refused += solved < 0;
        CHECK(memcmp(places, r.w->place.at, sizeof places) == 0);
        memset(r.w->due.at, 0, WIDE * (size_t)r.w->block_count); // a group that was solved has disturbed others
        set_beyond(&r, 4);
        set_beyond(&r, 31);
        CHECK(solved >= 0 || solve(&r, CONTACTS) == 16);
        free_ring(&r);
    }
    CHECK_EQ_INT(solved, 16);
    CHECK(refused > 10);
}
