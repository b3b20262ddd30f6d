// The driver of this engine in the comparison with its peers, and the exporter of the scenes that all of them read.
//
//     ours export NAME FILE                         double_pendulum, heavy_top, four_bar, bricard, dzhanibekov (from the
//                                                   model files in examples/), arm, stewart, quadruped, chain-N, tree-N
//     ours run SCENE SCHEME STEP STEPS BLOCK        see scene.h; dop853 chooses its steps: STEPS chooses its tolerance
//     ours reference SCENE UNTIL                    converged positions, and how far two step sizes are apart
//     ours tree SCENE
//     ours quick                                    a little of everything, without files
#include "machines.h"
#include "scene.h"

#include <polhode/polhode.h>
#include <polhode/tree.h>

#include <unistd.h>

static void fail(const char *text)
{
    fprintf(stderr, "ours: %s\n", text);
    exit(1);
}

// ---- Scenes from model files ----------------------------------------------------------------------------------------

typedef struct example {
    const char *name, *file;
    double axes[6][3]; // of its revolute joints, world frame at the start
} example;

static const example examples[] = {
    {"double_pendulum", "examples/double_pendulum.yaml", {{0}}},
    {"heavy_top", "examples/heavy_top.yaml", {{0}}},
    {"four_bar", "examples/four_bar.yaml", {{0, -1, 0}, {0, -1, 0}, {0, -1, 0}, {0, -1, 0}}},
    {"bricard", "examples/benchmarks/bricard.yaml", {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}},
    {"dzhanibekov", "examples/dzhanibekov.yaml", {{0}}},
};

static void write_body(FILE *out, const char *name, double mass, ph_mat3 I, ph_vec3 x, ph_quat q, ph_vec3 v, ph_vec3 w)
{
    fprintf(out, "body %s %.17g  %.17g %.17g %.17g %.17g %.17g %.17g  %.17g %.17g %.17g  ", name, mass, I.m[0][0],
            I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2], x.x, x.y, x.z);
    fprintf(out, "%.17g %.17g %.17g %.17g  %.17g %.17g %.17g  %.17g %.17g %.17g\n", q.w, q.x, q.y, q.z, v.x, v.y, v.z,
            w.x, w.y, w.z);
}

static void write_example(const example *e, FILE *out)
{
    ph_model *model = NULL;
    if (ph_model_read_file(e->file, NULL, 0, NULL, &model) != PH_OK) fail(e->file);
    ph_state *state = ph_state_create(model);
    const ph_vec3 g = ph_model_gravity(model), *x = ph_state_positions(state);
    fprintf(out, "gravity %.17g %.17g %.17g\n", g.x, g.y, g.z);
    for (int b = 0; b < ph_model_bodies(model); b++) {
        const ph_body_info info = ph_model_body(model, b);
        write_body(out, info.name, info.mass, info.inertia, x[b], ph_state_orientations(state)[b],
                   ph_state_velocities(state)[b], ph_state_angular_velocities(state)[b]);
    }
    for (int j = 0; j < ph_model_joints(model); j++) {
        const ph_joint_info info = ph_model_joint(model, j);
        const ph_quat q = ph_state_orientations(state)[info.body_b];
        const double quat[4] = {q.w, q.x, q.y, q.z};
        double anchor[3] = {info.anchor_b.x, info.anchor_b.y, info.anchor_b.z};
        scene_rotate(quat, anchor, anchor);
        fprintf(out, "joint %s %s %d %d  %.17g %.17g %.17g  %.17g %.17g %.17g\n", info.name, info.type,
                info.body_a == PH_WORLD ? -1 : info.body_a, info.body_b, x[info.body_b].x + anchor[0],
                x[info.body_b].y + anchor[1], x[info.body_b].z + anchor[2], e->axes[j][0], e->axes[j][1],
                e->axes[j][2]);
    }
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Scenes that grow -----------------------------------------------------------------------------------------------

static ph_mat3 diagonal(double x, double y, double z)
{
    return (ph_mat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

// The hanging chain of `polhode bench`: rods of 1 m and 1 kg that start to swing in waves of ten rods.
static void write_chain(int links, FILE *out)
{
    const double radius = 0.05, across = (3.0 * radius * radius + 1.0) / 12.0, along = 0.5 * radius * radius;
    double velocity = 0.0;
    fprintf(out, "gravity 0 0 -9.81\n");
    for (int i = 0; i < links; i++) {
        const double omega = sin(2.0 * 3.14159265358979323846 * (i + 0.5) / 10.0);
        char name[32];
        snprintf(name, sizeof name, "rod%d", i);
        write_body(out, name, 1.0, diagonal(across, across, along), (ph_vec3){0.0, 0.0, -(i + 0.5)},
                   (ph_quat){1.0, 0.0, 0.0, 0.0}, (ph_vec3){velocity - 0.5 * omega, 0.0, 0.0},
                   (ph_vec3){0.0, omega, 0.0});
        velocity -= omega;
    }
    for (int i = 0; i < links; i++) fprintf(out, "joint j%d ball %d %d  0 0 %d  0 0 1\n", i, i - 1, i, -i);
}

static double uniform(unsigned long long *seed) // -1 .. 1
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void write_values(FILE *out, const char *name, int count, unsigned long long *seed)
{
    fprintf(out, "values %s %d", name, count);
    for (int i = 0; i < count; i++) fprintf(out, " %.17g", uniform(seed));
    fprintf(out, "\n");
}

// A random tree of revolute joints, depth first: a link hangs on the one before it or on one of its ancestors.
static void write_tree(int links, FILE *out)
{
    unsigned long long seed = 20 + (unsigned long long)links;
    double(*x)[3] = calloc((size_t)links, sizeof *x), (*anchor)[3] = calloc((size_t)links, sizeof *anchor);
    int *parent = calloc((size_t)links, sizeof *parent);
    fprintf(out, "gravity 0 0 -9.81\n");
    for (int i = 0; i < links; i++) {
        parent[i] = i - 1;
        for (int up = (int)(2.0 * (1.0 + uniform(&seed))) - 1; up > 0 && parent[i] > 0; up--)
            parent[i] = parent[parent[i]];
        for (int k = 0; k < 3; k++) {
            anchor[i][k] = (parent[i] < 0 ? 0.0 : x[parent[i]][k]) + 0.2 * uniform(&seed);
            x[i][k] = anchor[i][k] + 0.2 * uniform(&seed);
        }
        const double m = 1.5 + uniform(&seed), r = 0.02 * m;
        const ph_mat3 I = {{{r * (1.2 + 0.1 * uniform(&seed)), 0.1 * r, 0.05 * r},
                            {0.1 * r, r * (1.3 + 0.1 * uniform(&seed)), 0.1 * r},
                            {0.05 * r, 0.1 * r, r}}};
        char name[32];
        snprintf(name, sizeof name, "link%d", i);
        write_body(out, name, m, I, (ph_vec3){x[i][0], x[i][1], x[i][2]}, (ph_quat){1.0, 0.0, 0.0, 0.0},
                   (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){0.0, 0.0, 0.0});
    }
    for (int i = 0; i < links; i++) {
        double u[3], norm = 0.0;
        for (int k = 0; k < 3; k++) u[k] = uniform(&seed), norm += u[k] * u[k];
        for (int k = 0; k < 3; k++) u[k] /= sqrt(norm);
        fprintf(out, "joint j%d revolute %d %d  %.17g %.17g %.17g  %.17g %.17g %.17g\n", i, parent[i], i, anchor[i][0],
                anchor[i][1], anchor[i][2], u[0], u[1], u[2]);
    }
    static const char *const names[] = {"q", "u", "a", "tau"};
    for (int k = 0; k < 4; k++) write_values(out, names[k], links, &seed);
    free(x), free(anchor), free(parent);
}

static const struct {
    const char *name;
    void (*write)(FILE *out);
} machines[] = {{"arm", write_arm}, {"stewart", write_stewart}, {"quadruped", write_quadruped}};

static int export(const char *name, const char *path)
{
    FILE *out = fopen(path, "w");
    const char *number = strchr(name, '-');
    int known = number != NULL;
    if (!out) fail(path);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].name, name) == 0) write_example(&examples[i], out), known = 1;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0) machines[i].write(out), known = 1;
    if (strncmp(name, "chain-", 6) == 0) write_chain(atoi(number + 1), out);
    if (strncmp(name, "tree-", 5) == 0) write_tree(atoi(number + 1), out);
    if (fclose(out) != 0 || !known) fail(name);
    return 0;
}

// ---- Motion ---------------------------------------------------------------------------------------------------------

typedef struct engine {
    const scene *scene;
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
} engine;

static ph_vec3 vec(const double x[3])
{
    return (ph_vec3){x[0], x[1], x[2]};
}

static ph_mat3 inertia_of(const scene_body *b)
{
    return (ph_mat3){{{b->I[0], b->I[3], b->I[4]}, {b->I[3], b->I[1], b->I[5]}, {b->I[4], b->I[5], b->I[2]}}};
}

static void add_spring(ph_spec *spec, const scene_spring *from)
{
    ph_force_def f = ph_default_force();
    f.type = "spring";
    f.body_a = from->a < 0 ? PH_WORLD : from->a;
    f.body_b = from->b < 0 ? PH_WORLD : from->b;
    f.point_a = vec(from->in_a);
    f.point_b = vec(from->in_b);
    f.stiffness = from->k;
    f.damping = from->c;
    f.has_length = true;
    f.length = from->length;
    ph_spec_add_force(spec, &f);
}

static ph_model *build(const scene *s)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_model *model = NULL;
    ph_spec_set_gravity(spec, vec(s->gravity));
    for (int k = 0; k < s->body_count; k++) {
        const scene_body *from = &s->bodies[k];
        ph_body_def b = ph_default_body();
        b.name = from->name;
        b.mass = from->mass;
        b.inertia = inertia_of(from);
        b.position = vec(from->x);
        b.orientation = (ph_quat){from->q[0], from->q[1], from->q[2], from->q[3]};
        b.velocity = vec(from->v);
        b.angular_velocity = vec(from->w);
        ph_spec_add_body(spec, &b);
    }
    for (int k = 0; k < s->joint_count; k++) {
        const scene_joint *from = &s->joints[k];
        ph_joint_def j = ph_default_joint();
        j.name = from->name;
        j.type = from->revolute ? "revolute" : "ball";
        j.body_a = from->a < 0 ? PH_WORLD : from->a;
        j.body_b = from->b;
        j.has_anchor = true;
        j.anchor = vec(from->anchor);
        if (from->revolute) j.has_axis = true, j.axis = vec(from->axis);
        j.stiffness = from->kp, j.damping = from->kd, j.rest = from->target;
        ph_spec_add_joint(spec, &j);
    }
    for (int k = 0; k < s->spring_count; k++) add_spring(spec, &s->springs[k]);
    ph_problems *problems = ph_problems_create();
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) fprintf(stderr, "%s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    if (!model) scene_stop("the model does not compile");
    return model;
}

static engine engine_open(const scene *s, const char *scheme)
{
    engine e = {.scene = s, .model = build(s)};
    ph_sim_def def = ph_default_sim();
    ph_error error;
    def.scheme = scheme;
    e.state = ph_state_create(e.model);
    if (ph_sim_create(e.model, &def, &e.sim, &error) != PH_OK) scene_stop(error.text);
    return e;
}

static void engine_close(engine *e)
{
    ph_sim_destroy(e->sim);
    ph_state_destroy(e->state);
    ph_model_destroy(e->model);
}

static int step(void *self, double h, long long count)
{
    engine *e = self;
    return ph_sim_advance(e->sim, e->state, h, count, NULL) == PH_OK;
}

static void poses(void *self, scene_pose *out)
{
    engine *e = self;
    for (int k = 0; k < e->scene->body_count; k++) {
        memcpy(out[k].x, &ph_state_positions(e->state)[k], sizeof out[k].x);
        memcpy(out[k].q, &ph_state_orientations(e->state)[k], sizeof out[k].q);
        memcpy(out[k].v, &ph_state_velocities(e->state)[k], sizeof out[k].v);
        memcpy(out[k].w, &ph_state_angular_velocities(e->state)[k], sizeof out[k].w);
    }
}

// An adaptive scheme makes one step of all, to a tolerance as fine as that many steps would ask for.
static int run_adaptive(const scene *s, double until, long long steps)
{
    char scheme[64];
    snprintf(scheme, sizeof scheme, "dop853:rtol=%.3g", fmax(1e-1 * pow(16.0 / (double)steps, 3.0), 3e-14));
    engine e = engine_open(s, scheme);
    const int status = scene_run(s, &(scene_driver){&e, step, poses}, until, 1, 1);
    engine_close(&e);
    return status;
}

static int run(const char *path, const char *scheme, double h, long long steps, long long block)
{
    const scene s = scene_read(path);
    if (strcmp(scheme, "dop853") == 0 && block >= steps) return run_adaptive(&s, h * (double)steps, steps);
    engine e = engine_open(&s, scheme);
    const int status = scene_run(&s, &(scene_driver){&e, step, poses}, h, steps, block);
    engine_close(&e);
    return status;
}

// rattlie6 with 1000 and 2000 steps a second, extrapolated; "apart" is how far the extrapolation moves it. Machines with springs and
// dampers: dop853 at 3e-14 in the second place and at 1e-12 in the first, as they are.
static int reference(const char *path, double until)
{
    const scene s = scene_read(path);
    scene_pose *p[2];
    double apart = 0.0;
    const int damped = s.servo_count + s.spring_count > 0;
    for (int k = 0; k < 2; k++) {
        engine e = engine_open(&s, !damped ? "rattlie6" : k ? "dop853:rtol=3e-14" : "dop853:rtol=1e-12");
        const long long steps = damped ? 1 : (long long)(until * (k ? 2000.0 : 1000.0) + 0.5);
        p[k] = calloc((size_t)s.body_count, sizeof *p[k]);
        if (!step(&e, until / (double)steps, steps)) scene_stop("the reference failed");
        poses(&e, p[k]);
        engine_close(&e);
    }
    printf("{\"positions\": [");
    for (int k = 0; k < s.body_count; k++) {
        printf("%s[", k ? ", " : "");
        for (int i = 0; i < 3; i++) {
            const double change = (p[1][k].x[i] - p[0][k].x[i]) / (damped ? 1.0 : 63.0);
            apart = fmax(apart, fabs(change));
            printf("%s%.17g", i ? ", " : "", p[1][k].x[i] + (damped ? 0.0 : change));
        }
        printf("]");
    }
    printf("], \"apart\": %.3g}\n", apart);
    free(p[0]), free(p[1]);
    return 0;
}

// ---- Trees ----------------------------------------------------------------------------------------------------------

typedef struct tree {
    const scene *scene;
    ph_tree *tree;
} tree;

static void tree_inverse(void *self, double *tau)
{
    tree *t = self;
    ph_tree_inverse_dynamics(t->tree, t->scene->q, t->scene->u, t->scene->a, NULL, tau);
}

static void tree_mass(void *self, double *M)
{
    tree *t = self;
    ph_tree_mass_matrix(t->tree, t->scene->q, M);
}

static void tree_forward(void *self, double *a)
{
    tree *t = self;
    ph_tree_forward_dynamics(t->tree, t->scene->q, t->scene->u, t->scene->tau, NULL, a);
}

static ph_tree *open_tree(const scene *s)
{
    ph_link_def *links = calloc((size_t)s->body_count, sizeof *links);
    ph_tree *made = NULL;
    ph_error error;
    for (int k = 0; k < s->joint_count; k++) {
        const scene_body *b = &s->bodies[s->joints[k].b];
        links[k] = ph_default_link();
        links[k].parent = s->joints[k].a < 0 ? PH_WORLD : s->joints[k].a;
        links[k].anchor = vec(s->joints[k].anchor);
        links[k].axis = vec(s->joints[k].axis);
        links[k].mass = b->mass;
        links[k].com = vec(b->x);
        links[k].inertia = inertia_of(b);
    }
    if (ph_tree_create(links, s->body_count, vec(s->gravity), NULL, &made, &error) != PH_OK) scene_stop(error.text);
    free(links);
    return made;
}

static int run_tree(const char *path)
{
    const scene s = scene_read(path);
    tree t = {&s, open_tree(&s)};
    const scene_tree_driver driver = {&t, tree_inverse, tree_mass, tree_forward};
    const int status = scene_tree(&s, &driver);
    ph_tree_destroy(t.tree);
    return status;
}

// ---- The command ----------------------------------------------------------------------------------------------------

typedef struct check {
    const char *name;
    double h;
    long long steps, block;
    double energy, violation; // what must hold, relative and absolute
} check;

static const check checks[] = {
    {"double_pendulum", 1e-3, 2000, 20, 1e-4, 1e-14}, {"heavy_top", 1e-3, 1000, 10, 1e-5, 1e-14},
    {"four_bar", 1e-3, 2000, 1, 1e-3, 1e-14},         {"bricard", 1e-3, 1000, 1, 1e-5, 1e-14},
    {"chain-100", 1e-3, 100, 100, 1e-3, 1e-12},       {"dzhanibekov", 1e-2, 10000, 10, 1e-4, 0.0},
};

static int quick_run(const check *c, const char *path)
{
    export(c->name, path);
    scene s = scene_read(path);
    engine e = engine_open(&s, "rattlie");
    scene_record *r = calloc(1, sizeof *r);
    scene_pose *p = calloc((size_t)s.body_count, sizeof *p);
    const scene_driver driver = {&e, step, poses};
    const double cpu = scene_move(&s, &driver, c->h, c->steps, c->block, r, p), energy = r->energy_max / r->scale;
    const int good = energy <= c->energy && r->violation <= c->violation;
    printf("%s %-16s %8.3f us/step, energy error %.1e, joints open by %.1e\n", good ? "ok" : "FAIL", c->name,
           1e6 * cpu / (double)c->steps, energy, r->violation);
    engine_close(&e);
    scene_free(&s);
    free(r), free(p);
    return good;
}

// Forward dynamics of what inverse dynamics asks for gives back the accelerations.
static int quick_tree(const char *path)
{
    export("tree-30", path);
    scene s = scene_read(path);
    tree t = {&s, open_tree(&s)};
    double *a = calloc((size_t)s.value_count, sizeof *a), worst = 0.0;
    tree_inverse(&t, s.tau);
    const double time = scene_time(tree_forward, &t, a);
    for (int i = 0; i < s.value_count; i++) worst = fmax(worst, fabs(a[i] - s.a[i]));
    printf("%s tree-30          %8.3f us forward dynamics, undoes inverse dynamics to %.1e\n",
           worst <= 1e-9 ? "ok" : "FAIL", 1e6 * time, worst);
    ph_tree_destroy(t.tree);
    scene_free(&s);
    free(a);
    return worst <= 1e-9;
}

static int quick(void)
{
    enum { COUNT = sizeof checks / sizeof *checks };
    char path[] = "/tmp/polhode-peers-XXXXXX";
    const int file = mkstemp(path);
    int passed = 0;
    if (file < 0) fail("no temporary file");
    for (int i = 0; i < COUNT; i++) passed += quick_run(&checks[i], path);
    passed += quick_tree(path);
    close(file);
    remove(path);
    printf("%d passed, %d failed, 0 skipped\n", passed, COUNT + 1 - passed);
    return passed == COUNT + 1 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "version") == 0) return printf("%s\n", ph_version()) < 0;
    if (strcmp(what, "export") == 0 && argc == 4) return export(argv[2], argv[3]);
    if (strcmp(what, "run") == 0 && argc == 7)
        return run(argv[2], argv[3], atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
    if (strcmp(what, "reference") == 0 && argc == 4) return reference(argv[2], atof(argv[3]));
    if (strcmp(what, "tree") == 0 && argc == 3) return run_tree(argv[2]);
    if (strcmp(what, "quick") == 0) return quick();
    fprintf(stderr, "usage: ours export|run|reference|tree|quick ..., see the head of ours.c\n");
    return 2;
}
