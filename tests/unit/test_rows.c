// Rows of every joint type at random poses, on and off the constraint manifold, against central differences.

#include "test.h"

#include "joints/chain.h"
#include "joints/rolling.h"
#include "joints/velocity_rows.h"
#include "math/quat.h"
#include "math/so3.h"
#include "random_vector.h"

enum { BODIES = 6, POSES = 50, ROTOR = 4 };

typedef struct scene {
    frame frames[BODIES];
    ph_twist twists[BODIES];
} scene;

static ph_mat3 random_rotation(void)
{
    return ph_quat_to_mat(
        ph_quat_unit((ph_quat){test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)}));
}

static scene random_scene(void)
{
    scene s = {0};
    for (int i = 0; i < ROTOR; i++) {
        s.frames[i] = (frame){random_rotation(), ph_add(ph_vec(3.0 * i, 0.0, 0.0), random_vector(0.5))};
        s.twists[i] = (ph_twist){random_vector(2.0), random_vector(2.0)};
    }
    for (int i = ROTOR; i < BODIES; i++) {
        s.frames[i] = (frame){ph_identity(), ph_vec(0.3 * i, -7.0, 1.0)};
        s.twists[i] = (ph_twist){ph_zero3(), ph_vec(0.4, -0.7, 0.2 * i)};
    }
    return s;
}

static motion motion_of(const scene *s)
{
    return (motion){.frames = s->frames, .twists = s->twists};
}

static int turn_name(const char *name, double *constant, void *user)
{
    (void)name, (void)constant, (void)user;
    return 0;
}

static void add_surfaces(joint *j, const scene *s, bool fits);
static void add_velocities(joint *j);
static void add_chain(joint *j, const scene *s);

// A joint of `type` between bodies 0 and 1. `fits`: its frames coincide in the scene, so that its rows are met; else they
// are well apart.
static joint joint_between(const joint_type *type, const scene *s, int first, int second, bool fits)
{
    static ph_joint_def def; // only `make` reads it
    def = ph_default_joint();
    def.lock[test_random_index(6)] = true;
    for (int k = 0; k < 6; k++) {
        def.lock[k] |= test_random_index(2) == 1;
    }
    joint j = {
        .type = type, .def = &def, .a = first, .b = second, .body_count = 2, .bodies = {first, second}, .slot_b = 1};
    const frame *a = &s->frames[first], *b = &s->frames[second];
    j.s_a = random_vector(0.5);
    j.E_a = random_rotation();
    const ph_vec3 point = ph_add(a->x, ph_mul(a->R, j.s_a));
    j.s_b = ph_tmul(b->R, ph_sub(point, b->x));
    j.E_b = ph_mat_tmul(b->R, ph_mat_mul(a->R, j.E_a));
    if (type->keys & JOINT_APART) {
        j.s_b = ph_add(j.s_b, ph_unit(random_vector(1.0)));
    }
    j.length = ph_norm(ph_sub(ph_add(b->x, ph_mul(b->R, j.s_b)), point));
    j.pitch = test_uniform(0.2, 0.5);
    if (!fits) {
        j.s_b = ph_add(j.s_b, random_vector(0.4));
        j.E_b = ph_mat_mul(j.E_b, ph_so3_exp(random_vector(0.8)));
    }
    def.velocity_count = 2;
    if (type->keys & JOINT_ROLLING) add_surfaces(&j, s, fits);
    if (type->keys & JOINT_VELOCITIES) add_velocities(&j);
    if (type->keys & (JOINT_CHAIN | JOINT_OF)) add_chain(&j, s);
    CHECK(type->make(&j) == NULL);
    return j;
}

// Off the axis of a cylinder, not where the tangents of a sphere change, and no disc nearly flat.
static bool well_placed(const joint *j, const geometry *g)
{
    double along[3];
    for (int i = 0; i < 3; i++) along[i] = fabs(ph_dot(ph_unit(g->d), axis_a(j, g, i)));
    const double least = fmin(along[0], fmin(along[1], along[2]));
    int near = 0;
    for (int i = 0; i < 3; i++) near += along[i] < least + 0.1;
    const ph_vec3 heading = axis_b(j, g, j->rolling->blade ? 0 : 2);
    return along[2] < 0.8 && near == 1 && fabs(ph_dot(heading, axis_a(j, g, 2))) < 0.8;
}

// Any surface that the type may have; b somewhere on it, or near.
static void add_surfaces(joint *j, const scene *s, bool fits)
{
    static rolling it;
    const uint32_t keys = j->type->keys;
    const ph_surface surface = keys & JOINT_CURVED ? (ph_surface)test_random_index(3) : PH_SURFACE_PLANE;
    const bool ellipsoid = (keys & JOINT_SEMI_AXES) && surface == PH_SURFACE_PLANE && test_random_index(2);
    it = (rolling){.surface = surface,
                   .radius = 1.1,
                   .side = surface != PH_SURFACE_PLANE && test_random_index(2) ? -1.0 : 1.0,
                   .rho = ellipsoid ? 0.0 : 0.2,
                   .squares = keys & JOINT_RIM ? ph_vec(0.3, 0.3, 0.0)
                              : ellipsoid      ? ph_vec(0.3, 0.5, 0.2)
                                               : ph_zero3(),
                   .blade = !(keys & JOINT_RADIUS)};
    it.rho = it.blade ? 0.0 : it.rho;
    j->rolling = &it;
    const frame *b = &s->frames[j->b];
    const ph_vec3 origin = j->s_b;
    geometry g;
    do {
        j->s_b = ph_add(origin, ph_unit(random_vector(1.0)));
        j->E_b = random_rotation();
        g = joint_geometry(j, s->frames);
    } while (!well_placed(j, &g));
    const ph_vec3 n = rolling_contact(j, &g).n;
    if (fits) j->s_b = ph_sub(j->s_b, ph_tmul(b->R, ph_scale(rolling_gap(j, &g), n)));
}

// Two rows whose coefficients depend on the turn of a joint of its own bodies.
static void add_velocities(joint *j)
{
    static joint named;
    static value values[2 * VELOCITY_VALUES];
    static const variable turn = {.kind = VARIABLE_COORDINATE, .joint = &named};
    static velocity_rows rows = {.values = values};
    static arena *memory;
    if (!memory) memory = arena_create(NULL);
    named = *j;
    named.row_count = named.kind_count = 0;
    CHECK(joint_types[2]->make(&named) == NULL && named.coordinate_count == 1); // revolute
    for (int k = 0; k < 2 * VELOCITY_VALUES; k++) values[k] = (value){.number = test_uniform(-1.0, 1.0)};
    values[1] = (value){.program = expression_compile("sin(x) + 0.3", turn_name, NULL, memory, &(expression_error){0}),
                        .variable_count = 1,
                        .variables = &turn};
    values[VELOCITY_VALUES + 4] = values[1];
    values[6].number = values[VELOCITY_VALUES + 6].number = 0.0;
    rows.in_b = test_random_index(2);
    j->velocities = &rows;
}

// Two to six turns and slides that are well apart from each other where the joint is.
static void add_chain(joint *j, const scene *s)
{
    static chain made[4];
    static int used;
    chain *c = &made[used++ % 4];
    const geometry g = joint_geometry(j, s->frames);
    for (int tries = 0; tries < 10000; tries++) {
        chain_motion free[6];
        chain_look look;
        double most = 0.0;
        const int count = 2 + test_random_index(5);
        const bool parallel = count == 2 && test_random_index(3) == 0;
        for (int k = 0; k < count; k++) {
            free[k] = (chain_motion){.slides = !parallel && test_random_index(2) == 1,
                                     .axis = k > 0 && parallel ? free[0].axis : ph_unit(random_vector(1.0)),
                                     .point = random_vector(0.5)};
        }
        j->chain = c;
        if (chain_make(free, count, c) || !chain_at(j, &g, &look)) continue;
        for (int i = 0; i < 36; i++) most = fmax(most, fabs(look.W[i / 6][i % 6]));
        if (most < 1.6) break;
    }
    if (j->type->keys & JOINT_OF) {
        const int i = c->free[test_random_index(c->free_count)];
        joint_add_coordinate(j, c->motions[i].slides ? COORDINATE_CHAIN_SLIDE : COORDINATE_CHAIN_TURN, i);
    }
}

static const joint_type *random_driven_type(void)
{
    int count = 0;
    while (joint_types[count]) {
        count++;
    }
    for (;;) {
        const joint_type *type = joint_types[test_random_index(count)];
        if ((type->keys & JOINT_DRIVE) && !(type->keys & JOINT_LOCK)) {
            return type;
        }
    }
}

// A gear between a joint of bodies 0, 1 and one of bodies 1, 2 (three bodies take part) or 2, 3 (four).
static joint gear_between(const joint_type *type, const scene *s, bool fits)
{
    static joint parts[2];
    static gear pair;
    const int first = 1 + test_random_index(2);
    parts[0] = joint_between(random_driven_type(), s, 0, 1, fits);
    parts[1] = joint_between(random_driven_type(), s, first, first + 1, fits);
    pair = (gear){
        .joints = {&parts[0], &parts[1]}, .slots = {{0, 1}, {first, first + 1}}, .ratio = test_uniform(0.5, 2.0)};
    joint j = {
        .type = type, .a = 1, .b = first + 1, .body_count = (int8_t)(first + 2), .bodies = {0, 1, 2, 3}, .gear = &pair};
    CHECK(type->make(&j) == NULL);
    return j;
}

static joint random_joint(const joint_type *type, const scene *s, bool fits)
{
    return type->keys & JOINT_GEAR ? gear_between(type, s, fits) : joint_between(type, s, 0, 1, fits);
}

// The frame of body i moved by h along direction k: rotations in body axes, then translations in world axes.
static scene moved(const scene *s, int i, int k, double h)
{
    scene to = *s;
    double q[6] = {0};
    q[k] = h;
    to.frames[i].R = ph_mat_mul(s->frames[i].R, ph_so3_exp(ph_vec(q[0], q[1], q[2])));
    to.frames[i].x = ph_add(s->frames[i].x, ph_vec(q[3], q[4], q[5]));
    return to;
}

// All bodies moved for a time h at constant omega and v.
static scene flown(const scene *s, double h)
{
    scene to = *s;
    for (int i = 0; i < BODIES; i++) {
        to.frames[i].R = ph_mat_mul(s->frames[i].R, ph_so3_exp(ph_scale(h, s->twists[i].omega)));
        to.frames[i].x = ph_madd(s->frames[i].x, h, s->twists[i].v);
    }
    return to;
}

// Fourth-order central difference: with h = 5e-4 it is good to about 1e-11.
enum { STENCIL = 4 };
static const double stencil[STENCIL] = {-1e-3, -5e-4, 5e-4, 1e-3};

static double derivative(double at[STENCIL][JOINT_ROWS_MAX], int r)
{
    return (8.0 * (at[2][r] - at[1][r]) - (at[3][r] - at[0][r])) / (12.0 * 5e-4);
}

typedef void joint_check(const joint *j, const scene *s);

// Rotors for all coordinates of a joint, where the solver has room for their rows.
static void add_rotors(joint *j, const scene *s)
{
    static const double roots[JOINT_COORDINATES_MAX] = {0.6, 0.8, 1.0, 1.2, 1.4, 1.6};
    j->slot_rotor = j->body_count;
    j->roots = roots;
    for (int k = 0; k < j->coordinate_count && j->row_count < JOINT_ROWS_MAX; k++) {
        joint_add_row(j, ROW_ROTOR, k, j->rotor_rows++);
    }
    for (int n = 0; 3 * n < j->rotor_rows; n++) {
        j->bodies[j->body_count++] = ROTOR + n;
    }
    const motion at = motion_of(s);
    for (int k = 0; k < j->rotor_rows; k++) { // its slide is where the coordinate is, but for turns
        const ph_vec3 x = s->frames[ROTOR + k / 3].x;
        const double slide = k % 3 == 0 ? x.x : k % 3 == 1 ? x.y : x.z;
        const int c = j->rows[j->kind_count - j->rotor_rows + k].i;
        j->offset[c] = slide / joint_root(j, c) - joint_coordinate(j, &at, c) + 0.01;
    }
}

static void for_all_types(joint_check *check)
{
    for (int t = 0; joint_types[t]; t++) {
        for (int k = 0; k < POSES; k++) {
            const scene s = random_scene();
            joint j = random_joint(joint_types[t], &s, k % 2 == 0);
            check(&j, &s);
            add_rotors(&j, &s);
            check(&j, &s);
        }
    }
}

static void check_fit(const joint *j, const scene *s)
{
    double phi[JOINT_ROWS_MAX];
    const motion at = motion_of(s);
    joint_residual(j, &at, phi);
    for (int r = 0; r < j->row_count; r++) {
        CHECK_NEAR(phi[r], 0.0, 5e-14); // slides of some twenty metres among them
    }
}

TEST(rows_vanish_when_the_frames_coincide)
{
    for (int t = 0; joint_types[t]; t++) {
        const scene s = random_scene();
        const joint j = random_joint(joint_types[t], &s, true);
        check_fit(&j, &s);
    }
}

static void check_jacobian(const joint *j, const scene *s)
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], at[STENCIL][JOINT_ROWS_MAX];
    joint_jacobian(j, &(motion){.frames = s->frames}, B);
    for (int slot = 0; slot < j->body_count; slot++) {
        for (int k = 0; k < 6; k++) {
            for (int n = 0; n < STENCIL; n++) {
                const scene p = moved(s, j->bodies[slot], k, stencil[n]);
                const motion there = motion_of(&p);
                joint_residual(j, &there, at[n]);
            }
            for (int r = 0; r < j->row_count; r++) {
                if (joint_row_is_slip(j, r)) continue; // no residual
                CHECK_NEAR(B[(slot * j->row_count + r) * 6 + k], derivative(at, r), 1e-9);
            }
        }
    }
}

// S of rows of velocities
static void check_slopes(const joint *j, const scene *s)
{
    double S[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], at[STENCIL][JOINT_ROWS_MAX];
    const motion here = motion_of(s);
    if (!j->slips || j->rotor_rows) return;
    joint_slopes(j, &here, S);
    for (int slot = 0; slot < j->body_count; slot++) {
        for (int k = 0; k < 6; k++) {
            for (int n = 0; n < STENCIL; n++) {
                const scene p = moved(s, j->bodies[slot], k, stencil[n]);
                const motion there = motion_of(&p);
                joint_velocity_residual(j, &there, at[n]);
            }
            for (int r = 0; r < j->row_count; r++) {
                if (!joint_row_is_slip(j, r)) continue;
                CHECK_NEAR(S[(slot * j->row_count + r) * 6 + k], derivative(at, r), 1e-7 * (1.0 + fabs(at[0][r])));
            }
        }
    }
}

TEST(slopes_are_the_derivatives_of_slips)
{
    for_all_types(check_slopes);
}

TEST(jacobian_is_the_derivative_of_the_residual)
{
    for_all_types(check_jacobian);
}

static void check_rate(const joint *j, const scene *s)
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
    joint_jacobian(j, &(motion){.frames = s->frames}, B);
    const motion at = motion_of(s);
    joint_velocity_residual(j, &at, rate);
    for (int r = 0; r < j->row_count; r++) {
        double Bv = 0.0;
        for (int slot = 0; slot < j->body_count; slot++) {
            const double *row_of_B = B + (slot * j->row_count + r) * 6;
            const ph_twist v = s->twists[j->bodies[slot]];
            Bv += ph_dot(ph_vec(row_of_B[0], row_of_B[1], row_of_B[2]), v.omega);
            Bv += ph_dot(ph_vec(row_of_B[3], row_of_B[4], row_of_B[5]), v.v);
        }
        CHECK_NEAR(rate[r], Bv, 1e-13);
    }
}

TEST(velocity_residual_is_jacobian_times_velocity)
{
    for_all_types(check_rate);
}

static void check_bias(const joint *j, const scene *s)
{
    double bias[JOINT_ROWS_MAX], at[STENCIL][JOINT_ROWS_MAX];
    const motion here = motion_of(s);
    joint_bias(j, &here, bias);
    for (int k = 0; k < STENCIL; k++) {
        const scene p = flown(s, stencil[k]);
        const motion there = motion_of(&p);
        joint_velocity_residual(j, &there, at[k]);
    }
    for (int r = 0; r < j->row_count; r++) {
        // the tangents of surfaces bend faster than the stencil likes
        CHECK_NEAR(bias[r], derivative(at, r), (j->rolling ? 1e-6 : 1e-8) * (1.0 + fabs(bias[r])));
    }
}

TEST(bias_is_the_time_derivative_of_the_rate)
{
    for_all_types(check_bias);
}

// f = B^T lambda at a scene, slot after slot.
static void constraint_force(const joint *j, const scene *s, const double *lambda, double f[6 * JOINT_BODIES_MAX])
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX];
    joint_jacobian(j, &(motion){.frames = s->frames}, B);
    for (int n = 0; n < 6 * j->body_count; n++) {
        f[n] = 0.0;
        for (int r = 0; r < j->row_count; r++) {
            f[n] += B[(n / 6 * j->row_count + r) * 6 + n % 6] * lambda[r];
        }
    }
}

static void check_stiffness(const joint *j, const scene *s)
{
    double lambda[JOINT_ROWS_MAX], K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36] = {0}, f[STENCIL][6 * JOINT_BODIES_MAX];
    for (int r = 0; r < j->row_count; r++) {
        lambda[r] = test_uniform(-1.0, 1.0);
    }
    joint_stiffness(j, &(motion){.frames = s->frames}, lambda, K);
    for (int column = 0; column < 6 * j->body_count; column++) {
        for (int n = 0; n < STENCIL; n++) {
            const scene p = moved(s, j->bodies[column / 6], column % 6, stencil[n]);
            constraint_force(j, &p, lambda, f[n]);
        }
        for (int r = 0; r < 6 * j->body_count; r++) {
            const double slope = (8.0 * (f[2][r] - f[1][r]) - (f[3][r] - f[0][r])) / (12.0 * 5e-4);
            CHECK_NEAR(K[r / 6][column / 6][6 * (r % 6) + column % 6], slope, 1e-8);
        }
    }
}

TEST(stiffness_is_the_derivative_of_the_constraint_force)
{
    for_all_types(check_stiffness);
}

static double coordinate_at(const joint *j, const scene *s, int k)
{
    const motion at = motion_of(s);
    return joint_coordinate(j, &at, k);
}

static void check_coordinate_rate(const joint *j, const scene *s)
{
    for (int k = 0; k < j->coordinate_count; k++) {
        double at[STENCIL][JOINT_ROWS_MAX];
        for (int n = 0; n < STENCIL; n++) {
            const scene p = flown(s, 0.1 * stencil[n]);
            at[n][0] = coordinate_at(j, &p, k);
        }
        if (fabs(at[3][0] - at[0][0]) < 3.0) { // no whole turn in between
            CHECK_NEAR(joint_rate(j, &(motion){.frames = s->frames, .twists = s->twists}, k), 10.0 * derivative(at, 0),
                       1e-6);
        }
    }
}

TEST(rate_is_the_time_derivative_of_the_coordinate)
{
    for_all_types(check_coordinate_rate);
}

// b turned by `angle` about z of its joint frame and moved by `slide` along it.
static scene screwed(const scene *s, const joint *j, double angle, double slide)
{
    scene to = *s;
    frame *b = &to.frames[1];
    const ph_vec3 z = ph_mat_col(j->E_b, 2), origin = ph_add(b->x, ph_mul(b->R, j->s_b)), z_world = ph_mul(b->R, z);
    b->R = ph_mat_mul(b->R, ph_so3_exp(ph_scale(angle, z)));
    b->x = ph_add(ph_sub(origin, ph_mul(b->R, j->s_b)), ph_scale(slide, z_world));
    return to;
}

TEST(coordinates_are_right_handed_motions_of_b_in_a)
{
    for (int t = 0; joint_types[t]; t++) {
        const scene s = random_scene();
        const joint j = random_joint(joint_types[t], &s, true);
        for (int k = 0; k < j.coordinate_count; k++) {
            const coordinate c = j.coordinates[k];
            const scene turned = screwed(&s, &j, 0.3, 0.7);
            if (c.kind == COORDINATE_TURN && c.i == 2) {
                CHECK_NEAR(coordinate_at(&j, &turned, k) - coordinate_at(&j, &s, k), 0.3, 1e-14);
            } else if (c.kind == COORDINATE_SLIDE && c.i == 2) {
                CHECK_NEAR(coordinate_at(&j, &turned, k) - coordinate_at(&j, &s, k), 0.7, 1e-14);
            }
        }
    }
}

TEST(screw_keeps_its_thread_over_many_turns)
{
    const scene s = random_scene();
    for (int t = 0; joint_types[t]; t++) {
        if (!(joint_types[t]->keys & JOINT_PITCH)) {
            continue;
        }
        const joint j = random_joint(joint_types[t], &s, true);
        for (int turn = -10; turn <= 10; turn++) {
            const double angle = 0.9 * turn * 6.283185307179586;
            const scene there = screwed(&s, &j, angle, j.pitch * angle);
            check_fit(&j, &there);
        }
    }
}

TEST(universal_angles_are_those_of_its_two_axes)
{
    const scene s = random_scene();
    for (int t = 0; joint_types[t]; t++) {
        if (strcmp(joint_types[t]->name, "universal") != 0) {
            continue;
        }
        const joint j = random_joint(joint_types[t], &s, true);
        const ph_mat3 A = ph_mat_mul(ph_so3_exp(ph_vec(0.0, 0.0, 0.4)), ph_so3_exp(ph_vec(-0.7, 0.0, 0.0)));
        scene there = s;
        const frame *a = &s.frames[0];
        frame *b = &there.frames[1];
        b->R = ph_mat_mult(ph_mat_mul(ph_mat_mul(a->R, j.E_a), A), j.E_b);
        b->x = ph_sub(ph_add(a->x, ph_mul(a->R, j.s_a)), ph_mul(b->R, j.s_b));
        check_fit(&j, &there);
        CHECK_NEAR(coordinate_at(&j, &there, 0), 0.4, 1e-15);
        CHECK_NEAR(coordinate_at(&j, &there, 1), -0.7, 1e-15);
    }
}

TEST(turns_are_counted)
{
    const scene s = random_scene();
    for (int t = 0; joint_types[t]; t++) {
        const joint j = random_joint(joint_types[t], &s, true);
        if (j.turn_count != 1 || j.coordinates[0].i != 2 || j.coordinates[0].kind != COORDINATE_TURN) {
            continue;
        }
        double turns = coordinate_at(&j, &s, 0);
        const double begin = turns;
        for (int step = 1; step <= 40; step++) {
            const scene there = screwed(&s, &j, 0.5 * step, 0.0);
            const motion at = {.frames = there.frames, .turns = &turns};
            CHECK_NEAR(joint_coordinate(&j, &at, 0), begin + 0.5 * step, 1e-12);
            joint_count_turns(&j, &there.frames[0], &there.frames[1], &turns);
            CHECK_NEAR(turns, begin + 0.5 * step, 1e-12);
        }
    }
}

// Where a joint is closed its line may be read from the axes that its frames share.
TEST(closed_joints_have_the_same_line)
{
    const scene s = random_scene();
    int looked = 0;
    for (int t = 0; joint_types[t]; t++) {
        const joint j = random_joint(joint_types[t], &s, true);
        if (j.turn_count != 1 || j.coordinates[0].i != 2 || j.coordinates[0].kind != COORDINATE_TURN) continue;
        const scene there = screwed(&s, &j, 0.7, 0.0);
        motion at = {.frames = there.frames, .twists = there.twists};
        joint_line general, closed;
        joint_line_at(&j, &at, 0, &general);
        at.closed = true;
        joint_line_at(&j, &at, 0, &closed);
        CHECK_NEAR(closed.q, general.q, 1e-14);
        CHECK_NEAR(closed.rate, general.rate, 1e-13);
        CHECK_NEAR(ph_max_abs(ph_sub(closed.a.torque, general.a.torque)), 0.0, 1e-14);
        CHECK_NEAR(ph_max_abs(ph_sub(closed.b.torque, general.b.torque)), 0.0, 1e-14);
        looked += j.axial != 0;
    }
    CHECK(looked > 0);
}

TEST(push_is_the_gradient_of_the_coordinate)
{
    for (int trial = 0; trial < POSES; trial++) {
        const scene s = random_scene();
        const joint j = joint_between(random_driven_type(), &s, 0, 1, trial % 2);
        const motion at = motion_of(&s);
        ph_wrench Q[BODIES] = {0};
        joint_push(&j, s.frames, 0, 2.5, Q);
        double power = 0.0;
        for (int i = 0; i < BODIES; i++) {
            power += ph_dot(Q[i].torque, s.twists[i].omega) + ph_dot(Q[i].force, s.twists[i].v);
        }
        CHECK_NEAR(power, 2.5 * joint_rate(&j, &at, 0), 1e-12);
    }
}
