// Random models, most of them broken or extreme: mass ratios to 1e12, steps from 1e-9 to 1e3, stiff springs and dampers,
// overlapping and disconnected parts, redundant and contradicting loops, motors and forces that blow up, contact. Each
// must end in a finished run with finite numbers or in an error with words, within its time.
//
//     bad_models COUNT [FIRST]     models number FIRST (default 0) to FIRST + COUNT - 1
//     bad_models --one NUMBER      one model, with what it is and how it ends

#include "polhode/polhode.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { SLOWER = 4 }; // than without: a stiff model takes all of the 100 000 steps that dop853 may make
#else
enum { SLOWER = 1 };
#endif

enum { BODIES_MAX = 7, STEPS_MAX = 12, SECONDS_MAX = 30 * SLOWER, NAMES = 32 };

// ---- Chance ---------------------------------------------------------------------------------------------------------

static uint64_t chance;
static bool broken; // every third model has mistakes in it; the others are only extreme

static uint64_t bits(void)
{
    uint64_t z = chance += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(bits() >> 11) * 0x1p-53;
}

static int below(int count)
{
    return (int)(bits() % (uint64_t)count);
}

static bool once_in(int count)
{
    return below(count) == 0;
}

static double log_uniform(double low, double high)
{
    return exp(uniform(log(low), log(high)));
}

// Numbers as they come, and now and then one that has no business there.
static double number(double size)
{
    static const double odd[] = {0.0, -0.0, 1e-320, 1e300, -1e300, 1e-30, NAN, INFINITY, -1.0};
    return broken && once_in(60) ? odd[below(sizeof odd / sizeof *odd)] : uniform(-size, size);
}

static ph_vec3 vector(double size)
{
    if (once_in(12)) {
        return (ph_vec3){0.0, 0.0, 0.0};
    }
    return (ph_vec3){number(size), number(size), number(size)};
}

static ph_vec3 axis(void)
{
    static const ph_vec3 units[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}, {1e-200, 0, 0}};
    return once_in(2) ? units[below(broken && once_in(20) ? 5 : 3)] : vector(1.0);
}

static ph_quat turn(void)
{
    ph_quat q = {1.0, 0.0, 0.0, 0.0};
    if (once_in(3)) {
        const double angle = uniform(0.0, 6.28);
        q = (ph_quat){cos(angle), sin(angle), 0.0, 0.0};
    }
    if (broken && once_in(20)) {
        q.w = number(2.0);
    }
    return q;
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

typedef struct maker {
    ph_spec *spec;
    int bodies, joints;
    int turn[BODIES_MAX], turning; // joints with one coordinate
    double size, speed;
    bool contact;
} maker;

static ph_mat3 inertia(double mass, double size)
{
    const double a = uniform(0.05, 1.0), b = uniform(0.05, 1.0), c = uniform(0.0, 0.5);
    double x = a + b, y = a + c, z = b + c; // what sums of squares make: any c >= 0 is a body
    if (broken && once_in(20)) {
        x = log_uniform(1e-12, 1e6); // and mostly no body at all
    }
    const double k = mass * size * size * (once_in(10) ? log_uniform(1e-10, 1e4) : 0.1);
    return (ph_mat3){{{k * x, 0.0, 0.0}, {0.0, k * y, 0.0}, {0.0, 0.0, k * z}}};
}

static void add_shape(maker *m, int body)
{
    static const char *const types[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "plane", "sphere", "box"};
    ph_shape_def shape = ph_default_shape();
    shape.type = types[below(8)];
    shape.size = (ph_vec3){uniform(0.1, 1.0), uniform(0.1, 1.0), uniform(0.1, 1.0)};
    shape.radius = log_uniform(1e-3, 1.0) * m->size;
    shape.length = uniform(0.1, 1.0);
    shape.friction = broken && once_in(10) ? number(2.0) : uniform(0.0, 1.0);
    shape.restitution = once_in(3) ? uniform(0.0, 1.0) : 0.0;
    shape.compliance = once_in(10) ? log_uniform(1e-12, 1.0) : 0.0;
    shape.position = once_in(3) ? vector(0.3) : (ph_vec3){0.0, 0.0, 0.0};
    ph_spec_add_shape(m->spec, body, &shape);
}

static void add_body(maker *m, int index)
{
    char name[NAMES];
    ph_body_def body = ph_default_body();
    snprintf(name, sizeof name, broken && once_in(50) ? "same" : "b%d", index);
    body.name = name;
    body.fixed = once_in(8);
    body.mass = broken && once_in(20) ? number(1.0) : once_in(3) ? log_uniform(1e-6, 1e6) : log_uniform(0.1, 10.0);
    body.inertia = inertia(body.mass, m->size);
    body.com = once_in(5) ? vector(0.1 * m->size) : (ph_vec3){0.0, 0.0, 0.0};
    body.position = vector(m->size);
    body.orientation = turn();
    if (once_in(3) && (broken || !body.fixed)) {
        body.velocity = vector(m->speed);
        body.angular_velocity = vector(m->speed);
    }
    const int at = ph_spec_add_body(m->spec, &body);
    if (m->contact && at >= 0) {
        add_shape(m, at);
    }
    m->bodies += at >= 0;
}

static const char *expression(void)
{
    static const char *const texts[] = {"sin(10*t)", "1/t",       "exp(1000*t)", "sqrt(t - 0.5)", "log(t)",
                                        "u",         "tan(t)",    "1e308*t*10",  "u/(u - u)",     "max(1, min(t, u))",
                                        "q.j0",      "qd.j0*1e9", "t^t",         "atan2(0,0)",    "abs(t)^-1",
                                        "1e-300*t",  "-5",        "nonsense + 1"};
    return texts[below(sizeof texts / sizeof *texts - !broken)];
}

static int any_body(const maker *m)
{
    return once_in(4) ? PH_WORLD : broken && once_in(30) ? 99 : below(m->bodies);
}

// Is `key` one of the words a joint of this type takes in a model file? Broken models do not ask.
static bool takes(const ph_joint_type_info *type, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = type->keys; (at = strstr(at, key)); at += length) {
        if ((at == type->keys || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return broken && once_in(30);
}

static void place_joint(const maker *m, const ph_joint_type_info *type, ph_joint_def *joint)
{
    if (strcmp(type->name, "distance") == 0) {
        joint->has_anchor_a = joint->has_anchor_b = true;
        joint->anchor_a = vector(m->size);
        joint->anchor_b = vector(m->size);
    }
    joint->has_anchor = !joint->has_anchor_a && takes(type, "anchor");
    joint->anchor = vector(m->size);
    joint->has_axis = takes(type, "axis") || takes(type, "normal");
    joint->axis = axis();
    joint->has_axis2 = takes(type, "axis2");
    joint->axis2 = axis();
    if (joint->has_axis2 && !broken) { // at a right angle
        joint->axis = (ph_vec3){0.0, 0.6, 0.8};
        joint->axis2 = (ph_vec3){1.0, 0.0, 0.0};
    }
}

static void drive_joint(const maker *m, ph_joint_def *joint)
{
    if (once_in(4)) {
        joint->damping = once_in(2) ? log_uniform(1e-6, 1e12) : 1.0;
        joint->stiffness = log_uniform(1e-6, 1e15);
    }
    if (once_in(8)) {
        joint->friction = log_uniform(1e-3, 1e9);
    }
    if (once_in(5)) {
        joint->motor = (ph_drive)below(5);
        joint->motor_value = (ph_value){number(100.0), once_in(2) ? expression() : NULL};
        joint->motor_kp = log_uniform(1e-3, 1e12);
        joint->motor_kd = log_uniform(1e-3, 1e9);
    }
    if (m->contact && once_in(4)) {
        joint->has_limit_low = true;
        joint->limit_low = number(1.0) - 1.0;
        joint->has_limit_high = once_in(2);
        joint->limit_high = number(1.0);
    }
}

static void add_joint(maker *m, int index)
{
    char name[NAMES];
    ph_joint_def joint = ph_default_joint();
    snprintf(name, sizeof name, "j%d", index);
    joint.name = name;
    ph_joint_type_info type = ph_joint_type(below(ph_joint_type_count()));
    if (strcmp(type.name, "gear") == 0 && (m->turning < 2 && !broken)) {
        type = ph_joint_type(1);
    }
    const bool drives = takes(&type, "motor");
    joint.type = type.name;
    joint.body_a = any_body(m);
    joint.body_b = any_body(m);
    if (!broken && joint.body_b == joint.body_a) {
        joint.body_b = joint.body_a == PH_WORLD ? 0 : PH_WORLD;
    }
    if (strcmp(type.name, "gear") == 0) {
        joint.body_a = joint.body_b = ph_default_joint().body_a;
    }
    place_joint(m, &type, &joint);
    joint.pitch = !takes(&type, "pitch") ? joint.pitch : once_in(5) ? number(1e6) : 0.1;
    joint.length = takes(&type, "length") && once_in(4) ? fabs(number(2.0)) : 0.0;
    if (takes(&type, "joints")) {
        joint.gear_joint[0] = broken ? below(m->joints + 1) : m->turn[below(m->turning)];
        joint.gear_joint[1] = broken ? below(m->joints + 1) : m->turn[below(m->turning)];
        joint.ratio = once_in(4) ? number(1e6) : 2.0;
    }
    for (int k = 0; k < 6 && takes(&type, "lock"); k++) {
        joint.lock[k] = once_in(2);
    }
    if (drives) drive_joint(m, &joint);
    if (ph_spec_add_joint(m->spec, &joint) >= 0) {
        if (drives && m->turning < BODIES_MAX) {
            m->turn[m->turning++] = m->joints;
        }
        m->joints++;
    }
}

static void add_force(maker *m)
{
    static const char *const types[] = {"spring", "torsion", "bushing", "wrench"};
    ph_force_def force = ph_default_force();
    force.type = types[below(4)];
    force.body_a = any_body(m);
    force.body_b = any_body(m);
    if (!broken && (force.body_b == force.body_a || force.body_b == PH_WORLD)) {
        force.body_b = force.body_a == 0 ? m->bodies - 1 : 0;
    }
    force.point_a = vector(m->size);
    force.point_b = vector(m->size);
    force.joint = below(m->joints ? m->joints : 1);
    force.stiffness = once_in(3) ? log_uniform(1e-3, 1e15) : fabs(number(100.0));
    force.damping = once_in(3) ? log_uniform(1e-3, 1e12) : 0.0;
    force.has_length = once_in(2);
    force.length = fabs(number(2.0));
    for (int k = 0; k < 6; k++) {
        force.stiffness6[k][k] = log_uniform(1e-3, 1e12);
        force.damping6[k][k] = once_in(2) ? log_uniform(1e-3, 1e9) : 0.0;
    }
    force.anchor = vector(m->size);
    for (int k = 0; k < 3; k++) {
        force.force[k] = (ph_value){number(1e3), once_in(3) ? expression() : NULL};
        force.torque[k] = (ph_value){number(10.0), NULL};
    }
    ph_spec_add_force(m->spec, &force);
}

static ph_spec *make_spec(void)
{
    maker m = {.spec = ph_spec_create(NULL), .contact = once_in(4)};
    const int bodies = 1 + below(BODIES_MAX), joints = below(bodies + 3), forces = once_in(2) ? below(4) : 0;
    m.size = once_in(5) ? log_uniform(1e-6, 1e6) : 1.0;
    m.speed = once_in(5) ? log_uniform(1e-3, 1e6) : 1.0;
    ph_spec_set_gravity(m.spec, once_in(10) ? vector(1e9) : (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_set_project(m.spec, !once_in(4));
    ph_spec_add_input(m.spec, "u", number(3.0));
    for (int i = 0; i < bodies; i++) {
        add_body(&m, i);
    }
    for (int i = 0; i < joints; i++) {
        add_joint(&m, i);
    }
    for (int i = 0; i < forces; i++) {
        add_force(&m);
    }
    if (m.contact) {
        const ph_contact_settings contact = ph_default_contact();
        ph_spec_set_contact(m.spec, &contact);
    }
    return m.spec;
}

// ---- One model ------------------------------------------------------------------------------------------------------

typedef enum ending { REFUSED, NOT_TAKEN, FAILED, FINISHED, WRONG, ENDINGS } ending;
static const char *const ending_names[ENDINGS] = {"refused by the compiler", "not taken by the scheme",
                                                  "ended with an error in the run", "finished", "WRONG"};

static bool all_finite(ph_state *state, int bodies)
{
    bool finite = true;
    for (int i = 0; i < bodies; i++) {
        const ph_vec3 x = ph_state_positions(state)[i], v = ph_state_velocities(state)[i];
        const ph_vec3 w = ph_state_angular_velocities(state)[i];
        const ph_quat q = ph_state_orientations(state)[i];
        finite = finite && isfinite(x.x + x.y + x.z) && isfinite(v.x + v.y + v.z) && isfinite(w.x + w.y + w.z) &&
                 fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-6;
    }
    return finite;
}

static ending run_model(const ph_model *model, bool talk)
{
    ph_state *state = ph_state_create(model);
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    const ph_scheme_info scheme = ph_scheme_get(below(ph_scheme_count()));
    def.sim.scheme = scheme.name;
    def.step = once_in(2) ? log_uniform(1e-9, 1e3) : log_uniform(1e-4, 1e-1);
    def.until = def.step * (1 + below(STEPS_MAX));
    const ph_status status = ph_run(model, state, &def, &summary, &error);
    ending end = status == PH_OK ? FINISHED : summary.steps == 0 && status == PH_NOT_SUPPORTED ? NOT_TAKEN : FAILED;
    if (status == PH_OK && (!all_finite(state, ph_model_bodies(model)) || !isfinite(summary.energy_max_abs_error))) {
        end = WRONG;
    }
    if (status != PH_OK && (status >= PH_STATUS_COUNT || !error.text[0])) {
        end = WRONG;
    }
    if (talk) {
        printf("scheme %s, step %g, %lld steps: %s %s\n", scheme.name, def.step, summary.steps, ph_status_name(status),
               error.text);
    }
    ph_state_destroy(state);
    return end;
}

static ending try_model(uint64_t index, bool talk)
{
    chance = index * 0xd1342543de82ef95u + 1;
    broken = index % 3 == 0;
    ph_spec *spec = make_spec();
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    const ph_status status = ph_model_compile(spec, problems, &model);
    ending end = REFUSED;
    if (talk) {
        for (int i = 0; i < ph_problems_count(problems); i++) {
            printf("%s: %s\n", ph_problems_get(problems, i)->path, ph_problems_get(problems, i)->text);
        }
    }
    if (model) {
        end = run_model(model, talk);
    } else if (status == PH_OK || ph_problems_errors(problems) == 0) {
        end = WRONG;
    }
    ph_problems_destroy(problems);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    return end;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

static volatile uint64_t current;

static void on_signal(int signal_number)
{
    char text[96];
    const int length = snprintf(text, sizeof text, "FAIL model %llu: %s\n", (unsigned long long)current,
                                signal_number == SIGVTALRM ? "takes too long" : "crash");
    const ssize_t ignored = write(STDOUT_FILENO, text, (size_t)length);
    (void)ignored;
    _exit(1);
}

// Seconds of processor time from now on, whatever else the machine does; 0: any.
static void allow(int seconds)
{
    const struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "--one") == 0) {
        const ending end = try_model(strtoull(words[2], NULL, 10), true);
        printf("%s\n", ending_names[end]);
        return end == WRONG;
    }
    const uint64_t models = count > 1 ? strtoull(words[1], NULL, 10) : 1000;
    const uint64_t first = count > 2 ? strtoull(words[2], NULL, 10) : 0;
    uint64_t ends[ENDINGS] = {0};
    signal(SIGVTALRM, on_signal);
    signal(SIGSEGV, on_signal);
    signal(SIGFPE, on_signal);
    signal(SIGABRT, on_signal);
    for (uint64_t i = first; i < first + models; i++) {
        current = i;
        allow(SECONDS_MAX);
        const ending end = try_model(i, false);
        allow(0);
        ends[end]++;
        if (end == WRONG) {
            printf("FAIL model %llu\n", (unsigned long long)i);
        }
    }
    for (int k = 0; k < ENDINGS; k++) {
        printf("  %8llu %s\n", (unsigned long long)ends[k], ending_names[k]);
    }
    printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)(models - ends[WRONG]),
           (unsigned long long)ends[WRONG]);
    return ends[WRONG] != 0;
}
