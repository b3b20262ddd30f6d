// Derivatives of every force type, of everything a joint drives, of expressions and of callbacks, against differences, on
// random models of any size.

#include "test.h"

#include "dynamics/linearise.h"
#include "dynamics/system.h"
#include "forces/types.h"
#include "math/quat.h"
#include "math/so3.h"
#include "polhode/callback.h"
#include "polhode/model.h"
#include "random_vector.h"

enum { BODIES = 4, SIZE = 6 * BODIES };

static const double scales[] = {1.0, 1e-6, 2e3};

static ph_quat random_turn(double size)
{
    return ph_quat_exp(random_vector(size));
}

// ---- Models: four bodies of size L in a row -------------------------------------------------------------------------

static ph_spec *four_bodies(double L)
{
    static const char *const names[BODIES] = {"a", "b", "c", "d"};
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_add_input(spec, "u", 3.0);
    for (int i = 0; i < BODIES; i++) {
        ph_body_def def = ph_default_body();
        const double J = 0.2 * L * L;
        def.name = names[i];
        def.mass = 1.0 + i;
        def.inertia = (ph_mat3){{{J, 0.0, 0.0}, {0.0, 1.5 * J, 0.0}, {0.0, 0.0, 2.0 * J}}};
        def.com = random_vector(0.1 * L);
        def.position = ph_add(ph_vec(1.5 * L * i, 0.0, 0.0), random_vector(0.2 * L));
        def.orientation = random_turn(1.0);
        ph_spec_add_body(spec, &def);
    }
    return spec;
}

static ph_joint_def random_joint(const char *name, const char *type, int a, int b, double L)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = def.has_axis = true;
    def.anchor = random_vector(L);
    def.axis = random_vector(1.0);
    def.has_axis2 = strcmp(type, "universal") == 0;
    def.axis2 = ph_cross(def.axis, random_vector(1.0));
    def.pitch = strcmp(type, "screw") == 0 ? 0.3 * L : 0.0;
    const bool free_turn = test_random_index(2) == 0,
               lock[6] = {true, true, !free_turn ? false : true, true, true, !free_turn};
    if (strcmp(type, "generic") == 0) memcpy(def.lock, lock, sizeof lock);
    return def;
}

static void random_symmetric(double M[6][6], double L)
{
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++) {
            const double unit = (i < 3 ? L : 1.0) * (k < 3 ? L : 1.0);
            M[i][k] = M[k][i] = unit * (test_uniform(-1.0, 1.0) + (i == k ? 5.0 : 0.0));
        }
}

// Forces of a few newtons, whatever the size: stiffness and damping of lengths go with 1/L.
static ph_force_def random_force(const force_type *type, double L)
{
    ph_force_def def = ph_default_force();
    def.type = type->name;
    def.body_a = force_takes(type, KEY_BODIES) ? 0 : PH_NONE;
    def.body_b = force_takes(type, KEY_BODIES) || force_takes(type, KEY_BODY) ? 2 : PH_NONE;
    def.joint = force_takes(type, KEY_JOINT) ? 0 : PH_NONE;
    def.point_a = random_vector(0.3 * L);
    def.point_b = random_vector(0.3 * L);
    def.stiffness = 7.0 / L;
    def.damping = 2.0 / L;
    random_symmetric(def.stiffness6, L);
    random_symmetric(def.damping6, L);
    def.anchor = random_vector(0.5 * L);
    def.orientation = random_turn(1.0);
    for (const element_key *k = type->keys; k->key; k++) { // acts with about number / L^2
        if (k->kind == KEY_NUMBER && k->needed) CHECK_EQ_INT(ph_force_set(&def, k->key, 3.0 * L * L), PH_OK);
    }
    if (strcmp(type->name, "drag") == 0) {
        const double k = 0.02 / (L * L), e = 0.02 * L; // small: differences across u = 0 see the corner of |u| u
        const double n[8] = {2.0 / L, 3.0 * L, 0.5 * k, 1.5 * k, 2.5 * k, 0.7 * e, 1.7 * e, 0.2 * e};
        memcpy(def.number, n, sizeof n);
    }
    if (force_takes(type, KEY_VALUES3)) {
        def.force[0].expression = "2*sin(t) + u*cos(q.rail*K)";
        def.force[1].expression = "q.hinge^2 - exp(0.3*qd.hinge)*sin(q.far)";
        def.force[2].number = 1.5;
        def.torque[0].expression = "L*atan2(qd.far, 2 + sin(q.hinge))";
        def.torque[1].number = -0.5 * L;
        def.body_frame = test_random_index(2) == 1;
    }
    return def;
}

// K and L in the expressions are 1/L and L.
static void set_scale(ph_value *v, double L, char text[256])
{
    if (!v->expression) return;
    char *to = text;
    for (const char *s = v->expression; *s; s++) {
        if (*s == 'K' || *s == 'L')
            to += sprintf(to, "%.17g", *s == 'K' ? 1.0 / L : L);
        else
            *to++ = *s;
    }
    *to = '\0';
    v->expression = text;
}

static ph_model *compiled(ph_spec *spec)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_compile(spec, problems, &model);
    for (int i = 0; !model && i < ph_problems_count(problems); i++) {
        printf("  %s: %s\n", ph_problems_get(problems, i)->path, ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    CHECK(model);
    return model;
}

// A hinge between a and b, a rail between b and c, and a joint of d on the world, all of which expressions name.
static ph_spec *jointed_bodies(double L)
{
    static const char *const types[] = {"revolute", "universal", "cylindrical", "screw"};
    ph_spec *spec = four_bodies(L);
    ph_joint_def hinge = random_joint("hinge", "revolute", 0, 1, L), rail = random_joint("rail", "prismatic", 1, 2, L);
    const ph_joint_def far = random_joint("far", types[test_random_index(4)], PH_WORLD, 3, L);
    ph_spec_add_joint(spec, &hinge);
    ph_spec_add_joint(spec, &rail);
    ph_spec_add_joint(spec, &far);
    return spec;
}

static ph_model *model_with(const force_type *type, double L)
{
    ph_spec *spec = jointed_bodies(L);
    ph_force_def def = random_force(type, L);
    char texts[6][256];
    for (int k = 0; k < 6; k++) set_scale(k < 3 ? &def.force[k] : &def.torque[k - 3], L, texts[k]);
    ph_spec_add_force(spec, &def);
    return compiled(spec);
}

typedef enum cut { FREE, WITHIN, BEYOND } cut;

// Spring, damper, friction and motor along the coordinate of one joint, the motor by expressions of itself and another.
static ph_model *model_with_drive(const char *type, ph_drive motor, cut limit, double L)
{
    ph_spec *spec = four_bodies(L);
    ph_joint_def def = random_joint("own", type, 1, 2, L);
    const ph_joint_def far = random_joint("far", "revolute", PH_WORLD, 3, L);
    const bool slides = strcmp(type, "prismatic") == 0 || strcmp(type, "point_on_line") == 0 ||
                        (strcmp(type, "generic") == 0 && !def.lock[2]);
    const double unit = slides ? L : 1.0; // of the coordinate; forces along it in newtons, or newtons times L
    const double acts = slides ? 1.0 : L;
    char text[256];
    def.stiffness = 3.0 * acts / unit;
    def.rest = 0.2 * unit;
    def.damping = 0.7 * acts / unit;
    def.friction = 0.4 * acts;
    def.friction_speed = 0.5 * unit;
    def.motor = motor;
    snprintf(text, sizeof text, "%.17g*(%g + t*u - sin(q.own*%.17g) + 0.2*qd.own*%.17g*qd.far + cos(q.far))",
             motor == PH_MOTOR_SERVO ? unit : acts, limit == BEYOND ? 30.0 : 0.3, 1.0 / unit, 1.0 / unit);
    def.motor_value.expression = text;
    def.motor_kp = motor == PH_MOTOR_SERVO ? 2.0 * acts / unit : 0.0;
    def.motor_kd = motor == PH_MOTOR_SERVO ? 0.6 * acts / unit : 0.0;
    def.motor_max = motor == PH_MOTOR_NONE || limit == FREE ? 0.0 : limit == WITHIN ? 1e3 * acts : 1e-3 * acts;
    ph_spec_add_joint(spec, &def);
    ph_spec_add_joint(spec, &far);
    return compiled(spec);
}

// ---- Random motions -------------------------------------------------------------------------------------------------

typedef struct scene {
    frame frames[BODIES + 1];
    ph_twist twists[BODIES + 1];
    double inputs[1], turns[8];
    double L;
} scene;

static scene random_scene(const ph_model *model, double L)
{
    scene s = {.inputs = {0.7}, .L = L};
    for (int i = 0; i <= BODIES; i++) {
        s.frames[i] = body_frame(&model->bodies[i]);
        if (i < BODIES) {
            s.frames[i].R = ph_mat_mul(s.frames[i].R, ph_so3_exp(random_vector(0.4)));
            s.frames[i].x = ph_add(s.frames[i].x, random_vector(0.3 * L));
            s.twists[i] = (ph_twist){random_vector(1.0), random_vector(L)};
        }
    }
    return s;
}

static motion motion_of(const scene *s)
{
    return (motion){.time = 0.4, .frames = s->frames, .twists = s->twists, .inputs = s->inputs, .turns = s->turns};
}

// What acts on all bodies, forces times L.
static void forces_of(const ph_model *model, const scene *s, double Q[SIZE])
{
    ph_wrench all[BODIES + 1];
    const motion at = motion_of(s);
    system_forces(model, &at, all, NULL);
    for (int i = 0; i < BODIES; i++) {
        const ph_vec3 t = all[i].torque, f = ph_madd(all[i].force, -model->bodies[i].kind->mass, model->gravity);
        const double six[6] = {t.x, t.y, t.z, s->L * f.x, s->L * f.y, s->L * f.z};
        memcpy(Q + 6 * i, six, sizeof six);
    }
}

// Direction k of 2 SIZE: positions, then velocities; translations in units of L.
static scene moved(const scene *s, int k, double step)
{
    scene to = *s;
    const int body = k % SIZE / 6, c = k % 6;
    const ph_vec3 way = ph_vec(c % 3 == 0 ? step : 0.0, c % 3 == 1 ? step : 0.0, c % 3 == 2 ? step : 0.0);
    frame *at = &to.frames[body];
    ph_twist *v = &to.twists[body];
    if (k < SIZE && c < 3) at->R = ph_mat_mul(at->R, ph_so3_exp(way));
    if (k < SIZE && c >= 3) at->x = ph_madd(at->x, s->L, way);
    if (k >= SIZE && c < 3) v->omega = ph_add(v->omega, way);
    if (k >= SIZE && c >= 3) v->v = ph_madd(v->v, s->L, way);
    return to;
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

typedef struct blocks {
    double by[2][SIZE][SIZE]; // positions, velocities
    double L;
} blocks;

static void add_block(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    blocks *b = user;
    for (int kind = 0; kind < 2; kind++)
        for (int e = 0; e < 36; e++) {
            const double unit = (e / 6 < 3 ? 1.0 : b->L) * (e % 6 < 3 ? 1.0 : b->L);
            const double *from = kind ? by_velocity : by_position;
            if (from) b->by[kind][6 * row + e / 6][6 * column + e % 6] += unit * from[e];
        }
}

static double largest_of(const double *x, size_t count)
{
    double largest = 0.0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(x[k]));
    return largest;
}

// Differences of sixth order: exact to some 1e-11 of the forces.
static bool check_model(const ph_model *model, double L, double tolerance)
{
    const scene s = random_scene(model, L);
    const motion at = motion_of(&s);
    static blocks b;
    double Q[7][SIZE], here[SIZE], worst = 0.0;
    memset(&b, 0, sizeof b);
    b.L = L;
    linearise_forces(model, &at, LINEARISE_POSITION | LINEARISE_VELOCITY | LINEARISE_PRECISE, add_block, &b);
    forces_of(model, &s, here);
    const double size = fmax(largest_of(here, SIZE), largest_of(&b.by[0][0][0], 2 * SIZE * SIZE));
    for (int k = 0; k < 2 * SIZE; k++) {
        const double h = 2e-3;
        for (int n = -3; n <= 3; n++) {
            const scene to = moved(&s, k, n * h);
            forces_of(model, &to, Q[n + 3]);
        }
        for (int r = 0; r < SIZE; r++) {
            const double slope =
                (45.0 * (Q[4][r] - Q[2][r]) - 9.0 * (Q[5][r] - Q[1][r]) + (Q[6][r] - Q[0][r])) / (60.0 * h);
            worst = fmax(worst, fabs(slope - b.by[k / SIZE][r][k % SIZE]) / size);
        }
    }
    return CHECK_NEAR(worst, 0.0, tolerance);
}

// Asking for velocities alone gives the same blocks.
static void check_velocity_alone(const ph_model *model, double L)
{
    const scene s = random_scene(model, L);
    const motion at = motion_of(&s);
    static blocks all, alone;
    memset(&all, 0, sizeof all);
    memset(&alone, 0, sizeof alone);
    all.L = alone.L = L;
    linearise_forces(model, &at, LINEARISE_POSITION | LINEARISE_VELOCITY, add_block, &all);
    linearise_forces(model, &at, LINEARISE_VELOCITY, add_block, &alone);
    CHECK(memcmp(all.by[1], alone.by[1], sizeof all.by[1]) == 0);
    CHECK_NEAR(largest_of(&alone.by[0][0][0], SIZE * SIZE), 0.0, 0.0);
}

// ---- Joint coordinates ----------------------------------------------------------------------------------------------

// Coordinate, rate and gradient at once are what they are one by one, for every coordinate of every joint.
TEST(lines_of_joints_are_their_coordinates)
{
    static const char *const types[] = {"revolute", "prismatic", "cylindrical",  "universal",
                                        "screw",    "planar",    "point_on_line"};
    for (int t = 0; t < 7; t++) {
        ph_spec *spec = four_bodies(1.0);
        const ph_joint_def def = random_joint("own", types[t], 0, 1, 1.0);
        ph_spec_add_joint(spec, &def);
        ph_model *model = compiled(spec);
        if (!model) return;
        const joint *j = &model->joints[0];
        for (int k = 0; k < j->coordinate_count; k++) {
            const scene s = random_scene(model, 1.0);
            const motion at = motion_of(&s);
            ph_wrench Q[BODIES + 1] = {0};
            joint_line line;
            joint_line_at(j, &at, k, &line);
            joint_push(j, at.frames, k, 1.0, Q);
            CHECK_NEAR(line.q, joint_coordinate(j, &at, k), 1e-14);
            CHECK_NEAR(line.rate, joint_rate(j, &at, k), 1e-13);
            CHECK_NEAR(ph_norm(ph_sub(line.a.torque, Q[0].torque)) + ph_norm(ph_sub(line.a.force, Q[0].force)), 0.0,
                       1e-14);
            CHECK_NEAR(ph_norm(ph_sub(line.b.torque, Q[1].torque)) + ph_norm(ph_sub(line.b.force, Q[1].force)), 0.0,
                       1e-14);
        }
        ph_model_destroy(model);
    }
}

// ---- Tests ----------------------------------------------------------------------------------------------------------

TEST(every_force_type_has_exact_derivatives)
{
    for (int t = 0; force_types[t]; t++)
        for (int k = 0; k < 24; k++) {
            const double L = scales[k % 3];
            ph_model *model = model_with(force_types[t], L);
            if (model && !check_model(model, L, 1e-8)) printf("  %s, size %g m\n", force_types[t]->name, L);
            if (model) check_velocity_alone(model, L);
            ph_model_destroy(model);
        }
}

TEST(every_drive_of_a_joint_has_exact_derivatives)
{
    static const char *const types[] = {"revolute", "prismatic", "screw", "point_on_line", "generic"};
    static const ph_drive motors[] = {PH_MOTOR_NONE, PH_MOTOR_TORQUE, PH_MOTOR_SERVO};
    for (int k = 0; k < 5 * 3 * 3 * 6; k++) {
        const double L = scales[k % 3];
        const char *type = types[k / 3 % 5];
        const ph_drive motor = motors[k / 15 % 3];
        const cut limit = (cut)(k / 45 % 3);
        ph_model *model = model_with_drive(type, motor, limit, L);
        if (model && !check_model(model, L, 1e-8))
            printf("  %s, motor %d, limit %d, size %g m\n", type, motor, limit, L);
        if (model) check_velocity_alone(model, L);
        ph_model_destroy(model);
    }
}

// Elements that do not depend on velocities say so, and those that do no work likewise: nothing is spent on them.
TEST(springs_alone_need_no_velocity)
{
    ph_spec *spec = jointed_bodies(1.0);
    ph_force_def spring = random_force(&force_spring, 1.0), torsion = random_force(&force_torsion, 1.0);
    ph_force_def bushing = random_force(&force_bushing, 1.0);
    spring.damping = torsion.damping = 0.0;
    memset(bushing.damping6, 0, sizeof bushing.damping6);
    ph_spec_add_force(spec, &spring);
    ph_spec_add_force(spec, &torsion);
    ph_spec_add_force(spec, &bushing);
    ph_model *model = compiled(spec);
    if (!model) return;
    CHECK(!system_needs_velocity(model) && !system_does_work(model));
    ph_model_destroy(model);
}

// ---- Callbacks ------------------------------------------------------------------------------------------------------

typedef struct field {
    double k, c, L;
    int calls;
} field;

// A spring and damper from `other` to `body`, centre to centre, and drag against turning.
static void pull(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    field *f = user;
    (void)time;
    const ph_vec3 d = ph_sub(bodies[0].position, bodies[1].position),
                  v = ph_sub(bodies[0].velocity, bodies[1].velocity);
    const ph_vec3 force = ph_madd(ph_scale(-f->k * ph_dot(d, d) / (f->L * f->L), d), -f->c, v);
    f->calls++;
    ph_load_add_force(&loads[0], force, ph_zero3());
    ph_load_add_force(&loads[1], ph_neg(force), ph_zero3());
    ph_load_add_torque(&loads[0],
                       ph_scale(-f->c * f->L * f->L, ph_mul(bodies[0].rotation, bodies[0].angular_velocity)));
}

static void put(double M[6][6], int row, int column, double s, ph_mat3 A)
{
    for (int k = 0; k < 9; k++) M[row + k / 3][column + k % 3] += s * A.m[k / 3][k % 3];
}

static void pull_derivative(const ph_body_motion *bodies, double time, void *user, ph_load_derivative *by)
{
    const field *f = user;
    (void)time;
    const ph_vec3 d = ph_sub(bodies[0].position, bodies[1].position),
                  w = ph_mul(bodies[0].rotation, bodies[0].angular_velocity);
    const double k = f->k / (f->L * f->L), c = f->c * f->L * f->L;
    const ph_mat3 K = ph_mat_madd(ph_mat_scale(-k * ph_dot(d, d), ph_identity()), -2.0 * k, ph_outer(d, d));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            put(by->position[i][j], 3, 3, i == j ? 1.0 : -1.0, K);
            put(by->velocity[i][j], 3, 3, i == j ? -f->c : f->c, ph_identity());
        }
    put(by->position[0][0], 0, 0, c, ph_hat(w)); // d(-c R omega) = c w~ alpha
    put(by->velocity[0][0], 0, 0, -c, bodies[0].rotation);
}

static ph_model *model_with_callback(field *f, double L, bool told, bool pair)
{
    ph_spec *spec = four_bodies(L);
    ph_callback_def def = ph_default_callback();
    *f = (field){.k = 3.0 / L, .c = 0.5 / L, .L = L};
    def.body = 1;
    def.other = pair ? 2 : PH_NONE;
    def.force = pull;
    def.derivative = told ? pull_derivative : NULL;
    def.user = f;
    ph_spec_add_callback(spec, &def);
    return compiled(spec);
}

TEST(callbacks_may_tell_their_derivative)
{
    for (int k = 0; k < 12; k++) {
        field f;
        const double L = scales[k % 3];
        ph_model *model = model_with_callback(&f, L, true, k % 2);
        if (model) check_model(model, L, 1e-9);
        ph_model_destroy(model);
    }
}

// Forward: some 1e-7; from both sides: 1e-9, also for bodies of a micrometre.
TEST(other_callbacks_are_differentiated_by_differences_of_their_size)
{
    for (int k = 0; k < 12; k++) {
        field f;
        const double L = scales[k % 3];
        ph_model *model = model_with_callback(&f, L, false, k % 2);
        if (model) check_model(model, L, 1e-8);
        ph_model_destroy(model);
    }
}

TEST(differences_ask_once_for_each_direction)
{
    field f;
    static blocks b;
    for (int pair = 0; pair < 2; pair++) {
        ph_model *model = model_with_callback(&f, 1.0, false, pair);
        if (!model) return;
        const scene s = random_scene(model, 1.0);
        const motion at = motion_of(&s);
        b.L = 1.0;
        f.calls = 0;
        linearise_forces(model, &at, LINEARISE_VELOCITY, add_block, &b);
        CHECK_EQ_INT(f.calls, 1 + 6 * (1 + pair));
        f.calls = 0;
        linearise_forces(model, &at, LINEARISE_POSITION | LINEARISE_VELOCITY, add_block, &b);
        CHECK_EQ_INT(f.calls, 1 + 12 * (1 + pair));
        ph_model_destroy(model);
    }
}

// ---- Tendons --------------------------------------------------------------------------------------------------------

// Over all four bodies and the world, and two joints; taut, with damping, a winch by expressions, and beyond a limit.
static ph_model *model_with_tendon(double L, bool cable, bool beyond)
{
    ph_spec *spec = jointed_bodies(L);
    ph_tendon_point path[] = {{PH_WORLD, random_vector(L)},      {0, random_vector(0.3 * L)},
                              {2, random_vector(0.3 * L)},       {2, random_vector(0.3 * L)},
                              {1, random_vector(0.3 * L)},       {3, random_vector(0.3 * L)},
                              {PH_WORLD, random_vector(2.0 * L)}};
    const ph_tendon_joint joints[] = {{0, 0.4 * L}, {1, -0.7}};
    ph_tendon_def def = ph_default_tendon();
    char text[256] = "3 + u*sin(q.far) + 0.1*qd.hinge*cos(q.hinge)";
    def.name = "cord";
    def.path = path;
    def.path_count = 7;
    def.joints = joints;
    def.joint_count = 2;
    def.stiffness = 5.0 / L;
    def.damping = 1.3 / L;
    def.has_length = true;
    def.length = 0.5 * L;
    def.cable = cable;
    def.tension.expression = text;
    if (beyond) {
        def.has_limit_high = true;
        def.limit_high = 0.6 * L;
        def.limit_stiffness = 11.0 / L;
        def.limit_damping = 0.4 / L;
    }
    CHECK_EQ_INT(ph_spec_add_tendon(spec, &def), 0);
    return compiled(spec);
}

TEST(tendons)
{
    for (int k = 0; k < 24; k++) {
        const double L = scales[k % 3];
        ph_model *model = model_with_tendon(L, k / 3 % 2 == 1, k / 6 % 2 == 1);
        if (!model) return;
        check_model(model, L, 1e-9);
        check_velocity_alone(model, L);
        ph_model_destroy(model);
    }
}
