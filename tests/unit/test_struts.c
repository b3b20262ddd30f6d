// Dampers between bodies that a tree has together: the velocity at the end of a step by the tree's elimination, and by the matrix of all
// rows and blocks, which is written another way.
#include "chain_kinds.h"
#include "rig.h"

#include "base/memory.h"
#include "dynamics/damped.h"
#include "math/mat3.h"
#include "random_vector.h"

static const char *const TYPES[] = {"ball",  "revolute", "prismatic", "cylindrical",   "universal",
                                    "fixed", "distance", "planar",    "point_on_line", "point_on_plane",
                                    "screw", "slot",     CHAIN_KINDS};
enum { TYPE_COUNT = sizeof TYPES / sizeof *TYPES, BODIES = 7 };

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static int add_joint(ph_spec *spec, const char *type, int i, int parent, ph_vec3 from, ph_vec3 to)
{
    char name[16];
    const bool apart = is(type, "distance"), turned = i % 3 == 1;
    ph_joint_def def = ph_default_joint();
    snprintf(name, sizeof name, "j%d", i);
    def.name = name;
    def.type = type;
    def.body_a = turned ? i : parent;
    def.body_b = turned ? parent : i;
    def.has_anchor = !apart && !is_chain(type);
    def.anchor = ph_scale(0.5, ph_add(from, to));
    def.has_anchor_a = def.has_anchor_b = apart;
    def.anchor_a = def.body_a == PH_WORLD ? from : ph_zero3();
    def.has_axis = !apart && !is(type, "ball") && !is(type, "fixed") && !is_chain(type);
    def.axis = random_vector(1.0);
    def.has_axis2 = is(type, "universal") || is(type, "slot");
    def.axis2 = ph_cross(def.axis, ph_vec(0.3, 0.5, -0.7));
    def.pitch = is(type, "screw") ? 0.05 : 0.0;
    if (is(type, "revolute")) def.damping = 0.3;
    if (is_chain(type)) set_chain(&def, type);
    const int joint = ph_spec_add_joint(spec, &def);
    CHECK(joint >= 0);
    return joint;
}

static int coordinates_of(const char *type)
{
    static const char *const two[] = {"cylindrical", "universal", "point_on_plane", "slot"};
    for (size_t k = 0; k < sizeof two / sizeof *two; k++)
        if (is(type, two[k])) return 2;
    return is_chain(type) ? (int)strlen(type) - 6 : is(type, "planar") ? 3 : 0;
}

// A damper along a coordinate of a joint.
static void drive_coordinate(ph_spec *spec, int i, int joint, int index)
{
    char name[16];
    ph_joint_def def = ph_default_joint();
    snprintf(name, sizeof name, "c%d_%d", i, index);
    def.name = name;
    def.type = "coordinate";
    def.of_joint = joint;
    def.of_coordinate = index;
    def.damping = test_uniform(1.0, 20.0);
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

static void close_loop(ph_spec *spec)
{
    ph_joint_def def = ph_default_joint();
    def.name = "loop";
    def.type = "distance";
    def.body_a = PH_WORLD;
    def.body_b = BODIES - 1;
    def.has_anchor_a = def.has_anchor_b = true;
    def.anchor_a = ph_vec(1.0, 2.0, 3.0);
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

static void add_spring(ph_spec *spec, int a, int b)
{
    ph_force_def def = ph_default_force();
    def.type = "spring";
    def.body_a = a;
    def.body_b = b;
    def.point_a = random_vector(0.3);
    def.point_b = random_vector(0.3);
    def.stiffness = 20.0;
    def.damping = test_uniform(1.0, 50.0);
    CHECK(ph_spec_add_force(spec, &def) >= 0);
}

static void add_bushing(ph_spec *spec, int a, int b, double skew)
{
    ph_force_def def = ph_default_force();
    def.type = "bushing";
    def.body_a = a;
    def.body_b = b;
    def.anchor = random_vector(0.5);
    for (int k = 0; k < 6; k++) def.stiffness6[k][k] = 5.0, def.damping6[k][k] = test_uniform(0.5, 5.0);
    def.damping6[1][2] = def.damping6[2][1] = 0.2;
    def.damping6[0][1] = skew;
    CHECK(ph_spec_add_force(spec, &def) >= 0);
}

typedef enum ties { TO_PARENTS = 1, TO_WORLD = 2, ELSEWHERE = 4, SKEW = 8, DRIVES = 16, TWICE = 32, THRICE = 64 } ties;

static ph_model *make(const char *type, bool root, bool loop, unsigned ties)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_vec3 place[BODIES];
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        ph_body_def body = ph_default_body();
        snprintf(name, sizeof name, "b%d", i);
        body.name = name;
        body.mass = test_uniform(0.5, 2.0);
        body.inertia = ph_diag(ph_vec(test_uniform(0.02, 0.03), test_uniform(0.02, 0.03), test_uniform(0.02, 0.03)));
        body.position = place[i] = ph_add(i == 0 ? ph_zero3() : place[(i - 1) / 2], random_vector(0.5));
        CHECK(ph_spec_add_body(spec, &body) >= 0);
    }
    for (int i = root ? 0 : 1; i < BODIES; i++) {
        const int parent = i == 0 ? PH_WORLD : (i - 1) / 2;
        const int joint =
            add_joint(spec, i % 2 == 0 ? type : "ball", i, parent, i ? place[parent] : ph_vec(0.1, 0.2, 0.3), place[i]);
        for (int k = 0; ties & DRIVES && k < (i % 2 == 0 ? coordinates_of(type) : 0); k++)
            drive_coordinate(spec, i, joint, k);
        for (int k = ties & THRICE ? 3 : ties & TWICE ? 2 : ties & TO_PARENTS ? 1 : 0; k > 0; k--)
            add_spring(spec, i % 2 ? parent : i, i % 2 ? i : parent);
        if (ties & TO_PARENTS && i % 3 == 0) add_bushing(spec, parent, i, ties & SKEW ? 0.4 : 0.0);
        if (ties & TO_WORLD) add_spring(spec, PH_WORLD, i);
    }
    if (ties & TO_WORLD) add_bushing(spec, 0, PH_WORLD, 0.0);
    if (ties & ELSEWHERE) add_spring(spec, 3, 6);
    if (loop) close_loop(spec);
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_spec_destroy(spec);
    return model;
}

typedef struct solution {
    damped damped;
    node at;
} solution;

static solution solve(const ph_model *model, const double *p, bool by_tree, arena *memory)
{
    solution s;
    CHECK(damped_create(model, memory, &s.damped));
    CHECK(node_create(model, &s.damped.kkt, memory, &s.at) && node_need_rows(&s.damped.kkt, &s.at));
    s.at.motion.closed = true;
    for (int b = 0; b < BODIES; b++)
        s.at.twists[b] = (ph_twist){ph_vec(0.1 * b, 0.2, -0.3), ph_vec(0.4, -0.1, 0.05 * b)};
    node_set_jacobian(model, &s.damped.kkt, &s.at);
    if (by_tree && CHECK(s.damped.kkt.tree)) node_set_grips(&s.damped.kkt, &s.at, NULL);
    if (!by_tree) s.damped.kkt.tree = NULL, s.damped.kkt.closing = NULL;
    CHECK(damped_solve(model, &s.damped, p, 0.02, &s.at));
    return s;
}

static double apart(ph_vec3 a, ph_vec3 b, double *size)
{
    *size = fmax(*size, fmax(ph_max_abs(a), ph_max_abs(b)));
    return ph_max_abs(ph_sub(a, b));
}

// Velocities, forces and multipliers are the same either way; and it is the tree that was factored where it can be.
static void check(ph_model *model, bool tree, const char *what)
{
    if (!model) return;
    arena *memory = arena_create(NULL);
    double p[6 * BODIES], size[2] = {0}, off[2] = {0}, mu = 0.0, mu_off = 0.0;
    for (int k = 0; k < 6 * BODIES; k++) p[k] = test_uniform(-1.0, 1.0);
    const solution a = solve(model, p, true, memory), b = solve(model, p, false, memory);
    if (!CHECK_EQ_INT(a.damped.kkt.by_tree, tree)) printf("  %s\n", what);
    CHECK(a.damped.strut_count + a.damped.drive_count > 0);
    for (int i = 0; i < BODIES; i++) {
        off[0] = fmax(off[0], apart(a.at.twists[i].omega, b.at.twists[i].omega, &size[0]));
        off[0] = fmax(off[0], apart(a.at.twists[i].v, b.at.twists[i].v, &size[0]));
        off[1] = fmax(off[1], apart(a.at.Q[i].torque, b.at.Q[i].torque, &size[1]));
        off[1] = fmax(off[1], apart(a.at.W[i].force, b.at.W[i].force, &size[1]));
    }
    for (int r = 0; r < model->row_count; r++) {
        mu = fmax(mu, fabs(b.damped.mu[r]));
        mu_off = fmax(mu_off, fabs(a.damped.mu[r] - b.damped.mu[r]));
    }
    if (!CHECK(off[0] <= 1e-11 * size[0] && off[1] <= 1e-10 * size[1] && mu_off <= 1e-10 * mu))
        printf("  %s: %g of %g, %g of %g, %g of %g\n", what, off[0], size[0], off[1], size[1], mu_off, mu);
    arena_destroy(memory);
    ph_model_destroy(model);
}

TEST(dampers_to_the_parent_stand_beside_the_freedoms)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int root = 0; root < 2; root++) check(make(TYPES[i], root, false, TO_PARENTS), true, TYPES[i]);
}

TEST(several_dampers_of_one_joint)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int root = 0; root < 2; root++) {
            check(make(TYPES[i], root, false, TWICE), true, TYPES[i]);
            check(make(TYPES[i], root, false, THRICE), true, TYPES[i]);
            if (!is(TYPES[i], "fixed")) check(make(TYPES[i], true, true, TWICE | TO_WORLD), true, TYPES[i]);
        }
}

TEST(dampers_to_the_world_are_in_the_block_of_the_body)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int root = 0; root < 2; root++) check(make(TYPES[i], root, false, TO_PARENTS | TO_WORLD), true, TYPES[i]);
}

TEST(dampers_beside_loops)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (!is(TYPES[i], "fixed")) // a chain of these cannot move, and its multipliers could be any
            check(make(TYPES[i], true, true, TO_PARENTS | TO_WORLD), true, TYPES[i]);
}

TEST(drives_along_coordinates_of_joints_with_several)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int root = 0; coordinates_of(TYPES[i]) > 0 && root < 2; root++) {
            check(make(TYPES[i], root, false, DRIVES), true, TYPES[i]);
            check(make(TYPES[i], root, false, DRIVES | TO_PARENTS), true, TYPES[i]);
            check(make(TYPES[i], true, true, DRIVES), true, TYPES[i]);
        }
}

// Such a joint is not in the tree, and damps all the same.
TEST(drives_of_joints_that_close_loops)
{
    for (int to_world = 0; to_world < 2; to_world++) {
        ph_spec *spec = ph_spec_create(NULL);
        ph_model *model = NULL;
        for (int i = 0; i < BODIES; i++) {
            char name[16];
            ph_body_def body = ph_default_body();
            snprintf(name, sizeof name, "b%d", i);
            body.name = name;
            body.mass = 1.0 + 0.1 * i;
            body.inertia = ph_diag(ph_vec(0.02, 0.03, 0.025));
            body.position = ph_vec(0.5 * i, 0.1 * i * i, -0.2 * i);
            CHECK(ph_spec_add_body(spec, &body) >= 0);
            add_joint(spec, i == 2 ? "revolute" : "ball", i, i == 0 ? PH_WORLD : i - 1, ph_zero3(), body.position);
        }
        ph_joint_def def = ph_default_joint();
        def.name = "closing";
        def.type = "point_on_line";
        def.body_a = to_world ? PH_WORLD : 1;
        def.body_b = BODIES - 1;
        def.has_anchor = def.has_axis = true;
        def.anchor = ph_vec(1.0, 0.0, 0.3);
        def.axis = ph_vec(0.3, 0.4, 0.2);
        def.damping = 7.0;
        CHECK(ph_spec_add_joint(spec, &def) >= 0);
        CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
        ph_spec_destroy(spec);
        check(model, true, to_world ? "to the world" : "between two");
    }
}

// Between bodies of two branches, beside loops and without.
TEST(other_dampers_are_rows_that_give_way)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        for (int way = 0; way < 4; way++)
            if (!is(TYPES[i], "fixed")) check(make(TYPES[i], way & 1, way & 2, TO_PARENTS | ELSEWHERE), true, TYPES[i]);
}

TEST(dampers_of_matrices_that_are_not_symmetric_go_by_rows)
{
    check(make("universal", true, false, TO_PARENTS | SKEW), false, "skew");
}
