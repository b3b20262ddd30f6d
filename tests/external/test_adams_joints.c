// Single joints, computed by MSC ADAMS and printed every 0.01 s for 5 s: the reference files of Project Chrono's tests
// of joints (https://projectchrono.org, data/testing/joints).
//
// A bar of 1 kg, inertia (0.04, 0.1, 0.1), centre of mass 2 m from the joint along its x axis, gravity 9.80665 along
// -z, at rest. The files lie in the folder adams/ of POLHODE_EXTERNAL_DATA, by default ../shared/data beside the source
// tree; where they are missing the tests are skipped.
//
// Positions, velocities and angular velocities are in the world. Reactions act on the ground, at the joint's place
// there, in the world: the opposite of ours.

#include "benchmark.h"

#include "scenes.h"

#include <ctype.h>

typedef struct joint_case {
    const char *name; // of the files
    const char *type;
    ph_vec3 place;
    double turn; // of the joint's frame, about x
} joint_case;

static const double QUARTER = 0.78539816339744830962; // pi/4

enum { ROWS = 501, COLUMNS = 4 };

typedef struct table {
    int columns; // without the time
    double time[ROWS], value[ROWS][COLUMNS];
} table;

// ---- Files ----------------------------------------------------------------------------------------------------------

static FILE *open_table(const joint_case *c, const char *quantity)
{
    char path[1024];
    const char *folder = getenv("POLHODE_EXTERNAL_DATA");
    snprintf(path, sizeof path, "%s/adams/%s_ADAMS_%s.txt", folder ? folder : TEST_SOURCE_DIR "/../shared/data",
             c->name, quantity);
    return fopen(path, "r");
}

static bool has_files(const joint_case *c)
{
    FILE *file = open_table(c, "Pos");
    if (file) {
        fclose(file);
    }
    return file != NULL;
}

// false after a failed check.
static bool read_table(const joint_case *c, const char *quantity, int columns, table *t)
{
    char line[256];
    int rows = 0;
    FILE *file = open_table(c, quantity);
    t->columns = columns;
    while (file && fgets(line, sizeof line, file) && rows <= ROWS) {
        if (line[0] == '#' || isalpha((unsigned char)line[0])) {
            continue;
        }
        char *at = line;
        double *value = t->value[rows < ROWS ? rows : 0];
        t->time[rows < ROWS ? rows : 0] = strtod(at, &at);
        for (int k = 0; k < columns; k++) {
            value[k] = strtod(at, &at);
        }
        rows++;
    }
    if (file) {
        fclose(file);
    }
    return CHECK_EQ_INT(rows, ROWS);
}

// ---- The model ------------------------------------------------------------------------------------------------------

static ph_model *make_model(const joint_case *c)
{
    ph_spec *spec = scene_start();
    const ph_quat turned = {cos(0.5 * c->turn), sin(0.5 * c->turn), 0.0, 0.0};
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.80665});
    ph_body_def bar = ph_default_body();
    bar.name = "bar";
    bar.mass = 1.0;
    bar.inertia = (ph_mat3){{{0.04, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}}};
    bar.com = (ph_vec3){2.0, 0.0, 0.0};
    bar.position = c->place;
    bar.orientation = turned;
    ph_joint_def joint = scene_joint_def("joint", c->type, PH_WORLD, ph_spec_add_body(spec, &bar), c->place);
    joint.has_axis = strcmp(c->type, "ball") != 0;
    joint.axis = ph_quat_rotate(turned, ph_vec(0.0, 0.0, 1.0));
    ph_spec_add_joint(spec, &joint);
    return scene_finish(spec);
}

// ---- Quantities -----------------------------------------------------------------------------------------------------

typedef struct quantity {
    const char *file;
    int columns;
    void (*of)(const rig *r, double value[COLUMNS]);
} quantity;

static void put(ph_vec3 v, double value[COLUMNS])
{
    value[0] = v.x, value[1] = v.y, value[2] = v.z;
}

static void position(const rig *r, double value[COLUMNS])
{
    put(rig_position(r, 0), value);
}

static void velocity(const rig *r, double value[COLUMNS])
{
    put(ph_state_velocities(r->state)[0], value);
}

static void angular_velocity(const rig *r, double value[COLUMNS])
{
    put(ph_quat_rotate(ph_state_orientations(r->state)[0], ph_state_angular_velocities(r->state)[0]), value);
}

static void orientation(const rig *r, double value[COLUMNS])
{
    const ph_quat q = ph_state_orientations(r->state)[0];
    value[0] = q.w, value[1] = q.x, value[2] = q.y, value[3] = q.z;
}

static void force(const rig *r, double value[COLUMNS])
{
    ph_wrench reaction;
    CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, NULL, &reaction), PH_OK);
    put(ph_neg(reaction.force), value);
}

// Ours is about the anchor in the bar; that of a slider moves away from the joint's place on the ground.
static void torque(const rig *r, double value[COLUMNS])
{
    ph_wrench reaction;
    const ph_joint_info joint = ph_model_joint(r->model, 0);
    const ph_vec3 arm = ph_sub(benchmark_point(r, "bar", joint.anchor_b), joint.anchor_a);
    CHECK_EQ_INT(ph_observer_dynamics(r->observer, r->state, NULL, &reaction), PH_OK);
    put(ph_neg(ph_add(reaction.torque, ph_cross(arm, reaction.force))), value);
}

static const quantity Pos = {"Pos", 3, position}, Vel = {"Vel", 3, velocity}, Avel = {"Avel", 3, angular_velocity},
                      Quat = {"Quat", 4, orientation}, Rforce = {"Rforce", 3, force}, Rtorque = {"Rtorque", 3, torque};

// Six digits are printed: half a unit of the last.
static double print_precision(double value)
{
    return value == 0.0 ? 0.0 : 0.5 * pow(10.0, floor(log10(fabs(value))) - 5.0);
}

// Runs along the table. The largest difference beyond print precision, relative to the largest value printed.
static double difference(const joint_case *c, const quantity *q, const char *scheme, double h)
{
    static table t;
    double excess = 0.0, largest = 1.0;
    if (!read_table(c, q->file, q->columns, &t)) {
        return (double)NAN;
    }
    rig r = rig_open(make_model(c), scheme);
    for (int k = 0; k < ROWS; k++) {
        double value[COLUMNS] = {0};
        q->of(&r, value);
        for (int i = 0; i < q->columns; i++) {
            const double apart = fabs(value[i] - t.value[k][i]) - print_precision(t.value[k][i]);
            excess = apart <= excess ? excess : apart;
            largest = fmax(largest, fabs(t.value[k][i]));
        }
        if (k + 1 < ROWS && !rig_step(&r, 0.01 / round(0.01 / h), (int)round(0.01 / h))) {
            break;
        }
    }
    rig_close(&r);
    printf("  %-8s %-16s %-8s largest %-8.3g apart beyond print precision %.2e of it\n", scheme, c->name, q->file,
           largest, excess / largest);
    return excess / largest;
}

// ---- Cases ----------------------------------------------------------------------------------------------------------

// Motion: to print precision. Reactions of the files follow the motion with steps of their own that show in the fourth
// or fifth digit (those of the slider are constants of the motion, and vary by 3e-4).
static void check_case(const joint_case *c, const quantity *const *motion, int count)
{
    for (int k = 0; k < count; k++) {
        CHECK(difference(c, motion[k], "rattlie6", 1e-2) <= 1e-8);
    }
    CHECK(difference(c, &Rforce, "rattlie6", 1e-2) <= 2e-4);
    CHECK(difference(c, &Rtorque, "rattlie6", 1e-2) <= 2e-4);
    CHECK(difference(c, &Pos, "rattlie", 1e-4) <= 1e-6);
    CHECK(difference(c, &Rforce, "rattlie", 1e-4) <= 2e-4);
}

static const quantity *const everything[] = {&Pos, &Vel, &Quat, &Avel}, *const translation[] = {&Pos, &Vel};

TEST(revolute_at_the_origin)
{
    const joint_case c = {"Revolute_Case01", "revolute", {0.0, 0.0, 0.0}, -2.0 * QUARTER};
    if (!has_files(&c)) {
        SKIP("the files of ADAMS are not here");
    }
    check_case(&c, everything, 4);
}

TEST(revolute_aslant)
{
    const joint_case c = {"Revolute_Case02", "revolute", {1.0, 2.0, 3.0}, -QUARTER};
    if (!has_files(&c)) {
        SKIP("the files of ADAMS are not here");
    }
    check_case(&c, everything, 4);
}

TEST(spherical)
{
    const joint_case c = {"Spherical_Case02", "ball", {1.0, 2.0, 3.0}, -QUARTER};
    if (!has_files(&c)) {
        SKIP("the files of ADAMS are not here");
    }
    check_case(&c, everything, 4);
}

// The slider does not turn; the torque about its place grows as it slides away.
TEST(prismatic_aslant)
{
    const joint_case c = {"Prismatic_Case02", "prismatic", {1.0, 2.0, 3.0}, -QUARTER};
    if (!has_files(&c)) {
        SKIP("the files of ADAMS are not here");
    }
    check_case(&c, translation, 2);
}

// Between the lines of a file, the error of rattlie in what ADAMS prints: order 2 until print precision is reached.
TEST(rattlie_converges_at_order_2)
{
    const joint_case c = {"Revolute_Case02", "revolute", {1.0, 2.0, 3.0}, -QUARTER};
    if (!has_files(&c)) {
        SKIP("the files of ADAMS are not here");
    }
    const double coarse = difference(&c, &Pos, "rattlie", 1e-2), fine = difference(&c, &Pos, "rattlie", 5e-3);
    printf("  order %.3f\n", log2(coarse / fine));
    CHECK_NEAR(log2(coarse / fine), 2.0, 0.2);
}
