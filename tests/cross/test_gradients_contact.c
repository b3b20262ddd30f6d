// Random scenes with contact: derivatives along a random change of the start against differences of whole runs of the same discrete
// motion. Where differences over two widths do not agree some contact changes its mode between them: such scenes are counted and left.
#include "adjoint_rig.h"

#include <math.h>
#include <stdarg.h>

enum { SCENES = 150 };

// The schemes, as they are differentiated and as they run.
static const char *const schemes[][2] = {{"moreau", "moreau:exact=1"}, {"rattlie-ns", "rattlie-ns"}};
static int scheme; // the one at hand

typedef struct text {
    char at[8192];
    size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, list);
    va_end(list);
}

static void add_shape(text *t)
{
    static const char *const types[] = {"sphere, radius: %.3f", "box, size: [%.3f, %.3f, %.3f]",
                                        "capsule, radius: %.3f, length: %.3f", "cylinder, radius: %.3f, length: %.3f",
                                        "ellipsoid, radii: [%.3f, %.3f, %.3f]"};
    char shape[128];
    const int kind = (int)test_uniform(0, 4.999);
    snprintf(shape, sizeof shape, types[kind], test_uniform(0.08, 0.15), test_uniform(0.1, 0.3),
             test_uniform(0.1, 0.2));
    add(t, "shapes: [{type: %s, friction: %.3f, restitution: %.3f}]", shape, test_uniform(0.1, 0.9),
        test_uniform(0, 1) < 0.5 ? 0.0 : test_uniform(0.2, 0.9));
}

static void add_vector(text *t, const char *key, double size, double height)
{
    add(t, "%s: [%.4f + s*%.4f, %.4f + s*%.4f, %.4f + s*%.4f], ", key, test_uniform(-size, size), test_uniform(-1, 1),
        test_uniform(-size, size), test_uniform(-1, 1), height + test_uniform(-size, size) * (height == 0.0),
        test_uniform(-1, 1));
}

// s moves all starts at once.
static void make_text(text *t, bool joint)
{
    const int count = 1 + (int)test_uniform(0, 2.999) + joint;
    *t = (text){0};
    add(t, "polhode: 1\nparameters: {s: 0}\ngravity: [0.4, -0.2, -9.81]\ncontact: {}\nbodies:\n"
           "  - {name: ground, fixed: true, shapes: [{type: plane, friction: 0.7}]}\n");
    for (int k = 0; k < count; k++) {
        add(t, "  - {name: b%d, mass: %.3f, inertia: [0.012, 0.014, 0.0097], ", k, test_uniform(0.5, 3));
        add_vector(t, "position", 0.25, 0.32 + 0.4 * k);
        add_vector(t, "velocity", 1.0, 0.0);
        add_vector(t, "angular_velocity", 4.0, 0.0);
        add(t, "orientation: {axis: [%.3f, 1, %.3f], angle: %.3f}, ", test_uniform(-1, 1), test_uniform(-1, 1),
            test_uniform(-3, 3));
        add_shape(t);
        add(t, "}\n");
    }
    if (joint) add(t, "joints: [{name: J, type: ball, bodies: [b0, b1], anchor: [0, 0, 0.5]}]\ninitial: project\n");
}

static ph_model *model_at(const text *t, double s)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", s);
    return read_model_with(t->at, &(ph_setting){"s", number}, 1);
}

static ph_model *make(int parameter, double value, void *user, ph_error *error)
{
    (void)error, (void)parameter;
    return model_at(user, value);
}

enum { STEPS = 120 };
static const double STEP = 3e-3;

static double cost(const ph_state *s)
{
    double sum = 0.0;
    for (int b = 1; b < s->model->body_count; b++)
        sum += ph_dot(ph_vec(1, -2, 0.5), s->position[b]) + ph_dot(ph_vec(0.2, 0.3, 0.1), s->velocity[b]);
    return sum;
}

static void source(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)inputs, (void)user;
    for (int b = 1; b < s->model->body_count && n == STEPS; b++)
        to[b].position = ph_vec(1, -2, 0.5), to[b].velocity = ph_vec(0.2, 0.3, 0.1);
}

static double run(const text *t, double s)
{
    ph_model *model = model_at(t, s);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = schemes[scheme][1];
    ph_state *state = ph_state_create(model);
    ph_sim_create(model, &def, &sim, NULL);
    for (int n = 0; n < STEPS; n++) ph_sim_step(sim, state, STEP, NULL);
    const double end = cost(state);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return end;
}

static double difference(const text *t, double s)
{
    const double wide = (run(t, s) - run(t, -s)) / (2 * s), half = (run(t, s / 2) - run(t, -s / 2)) / s;
    return half + (half - wide) / 3.0;
}

typedef struct tally {
    int agree, changes, searched, wrong;
    double worst;
} tally;

static void check(const text *t, int index, tally *all)
{
    ph_model *model = model_at(t, 0.0);
    ph_adjoint *a = adjoint_of(model, schemes[scheme][0], 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    double gradient = NAN;
    CHECK(ph_parameters_create(model, 1, &(ph_parameter){"s", 0.0, false}, make, (void *)t, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, STEP, STEPS, NULL, NULL, NULL, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, NULL, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, &gradient);
    const ph_adjoint_report r = ph_adjoint_get_report(a);
    const double one = difference(t, 2e-6), other = difference(t, 1e-6), size = fabs(other) + 1.0;
    const double off = fabs(gradient - other) / size;
    if (fabs(one - other) > 1e-5 * size)
        all->changes++;
    else if (off < 1e-4)
        all->agree++, all->worst = fmax(all->worst, off);
    else if (r.fixed + r.held + r.kinks > 0)
        all->searched++;
    else {
        all->wrong++;
        printf("  scene %d, %s: %.10g, differences %.10g and %.10g\n%s\n", index, schemes[scheme][0], gradient, one,
               other, t->at);
    }
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

static void check_scenes(int count)
{
    tally all = {0};
    ph_model *any = read_model("polhode: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n");
    if (!any) SKIP("no YAML");
    ph_model_destroy(any);
    for (int k = 0; k < count; k++) {
        text t;
        make_text(&t, k % 3 == 2);
        check(&t, k, &all);
    }
    printf("%s: %d scenes agree, worst %.1e; %d change a mode, %d hold the outcome of a search, %d wrong\n",
           schemes[scheme][0], all.agree, all.worst, all.changes, all.searched, all.wrong);
    CHECK_EQ_INT(all.wrong, 0);
    CHECK(all.agree > count / 2);
}

TEST(random_scenes)
{
    check_scenes(SCENES);
}

TEST(random_scenes_of_rattlie_ns)
{
    scheme = 1;
    check_scenes(SCENES / 3);
    scheme = 0;
}
