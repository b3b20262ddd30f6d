// This engine in the contact scenes, and their exporter. See contact.h.
//
//     ours_contact export NAME FILE            spheres-N, boxes-N, stack-N, pyramid-N, incline-above, incline-below
//     ours_contact contact SCENE SETTING STEP STEPS BLOCK
//
// Settings: "coulomb", scheme moreau as it comes, each step solved to 1e-8 m/s with exact Coulomb friction; "coulomb-1e-3", each
// step solved to 1e-3 m/s only, nearer to what peers with a fixed number of iterations do.
#include "contact.h"

#include <polhode/polhode.h>

static void fail(const char *text)
{
    fprintf(stderr, "ours_contact: %s\n", text);
    exit(1);
}

// ---- Scenes ---------------------------------------------------------------------------------------------------------

static double uniform(unsigned long long *seed) // -1 .. 1
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static void write_body(FILE *out, int index, double mass, const double I[3], double x, double y, double z,
                       const double q[4])
{
    fprintf(out, "body b%d %.17g  %.17g %.17g %.17g 0 0 0  %.17g %.17g %.17g  %.17g %.17g %.17g %.17g  0 0 0  0 0 0\n",
            index, mass, I[0], I[1], I[2], x, y, z, q[0], q[1], q[2], q[3]);
}

static void write_box(FILE *out, int index, const double size[3], double density, double x, double y, double z,
                      const double q[4])
{
    const double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2];
    const double mass = density * size[0] * size[1] * size[2];
    const double I[3] = {mass * (b + c) / 12.0, mass * (a + c) / 12.0, mass * (a + b) / 12.0};
    write_body(out, index, mass, I, x, y, z, q);
    fprintf(out, "shape %d box %.17g %.17g %.17g\n", index, size[0], size[1], size[2]);
}

static const double upright[4] = {1, 0, 0, 0};

static void write_walls(FILE *out, double half)
{
    fprintf(out, "friction 0.5\ngravity 0 0 -9.81\nplane 0 0 1 0\n");
    fprintf(out, "plane 1 0 0 %.17g\nplane -1 0 0 %.17g\nplane 0 1 0 %.17g\nplane 0 -1 0 %.17g\n", -half, -half, -half,
            -half);
}

// Things on a loose grid with 10 x 10 (5 x 5 for boxes) on a layer, a little off their places, fall into a box.
static void write_heap(FILE *out, int count, int boxes)
{
    const int side = boxes ? 5 : 10;
    const double pitch = boxes ? 0.2 : 0.11;
    unsigned long long seed = 7;
    write_walls(out, 0.5 * pitch * side + 0.02);
    for (int i = 0; i < count; i++) {
        const double x = pitch * (i % side - 0.5 * (side - 1)) + 0.003 * uniform(&seed);
        const double y = pitch * (i / side % side - 0.5 * (side - 1)) + 0.003 * uniform(&seed);
        const double z = pitch * (i / (side * side) + 0.7), m = 1000.0 * 4.0 / 3.0 * M_PI * 0.05 * 0.05 * 0.05;
        if (boxes) {
            const double size[3] = {0.1, 0.1, 0.1};
            double q[4], norm = 0.0;
            for (int k = 0; k < 4; k++) q[k] = (k == 0) + 0.3 * uniform(&seed), norm += q[k] * q[k];
            for (int k = 0; k < 4; k++) q[k] /= sqrt(norm);
            write_box(out, i, size, 1000.0, x, y, z, q);
        } else {
            const double I[3] = {0.4 * m * 0.0025, 0.4 * m * 0.0025, 0.4 * m * 0.0025};
            write_body(out, i, m, I, x, y, z, upright);
            fprintf(out, "shape %d sphere 0.05\n", i);
        }
    }
}

static void write_stack(FILE *out, int count)
{
    const double size[3] = {1, 1, 1};
    fprintf(out, "friction 0.5\ngravity 0 0 -9.81\nplane 0 0 1 0\n");
    for (int i = 0; i < count; i++) write_box(out, i, size, 1000.0, 0.0, 0.0, i + 0.5, upright);
}

static void write_pyramid(FILE *out, int rows)
{
    const double size[3] = {1, 1, 1};
    fprintf(out, "friction 0.5\ngravity 0 0 -9.81\nplane 0 0 1 0\n");
    for (int row = 0, index = 0; row < rows; row++)
        for (int i = 0; i < rows - row; i++, index++)
            write_box(out, index, size, 1000.0, 1.1 * (i - 0.5 * (rows - row - 1)), 0.0, row + 0.5, upright);
}

// The incline is level and gravity is tilted.
static void write_incline(FILE *out, double beyond)
{
    const double size[3] = {0.4, 0.3, 0.2}, angle = atan(0.5) + beyond;
    fprintf(out, "friction 0.5\ngravity %.17g 0 %.17g\nplane 0 0 1 0\n", 9.81 * sin(angle), -9.81 * cos(angle));
    write_box(out, 0, size, 500.0, 0.0, 0.0, 0.1, upright);
}

static int export(const char *name, const char *path)
{
    FILE *out = fopen(path, "w");
    const char *number = strchr(name, '-');
    if (!out || !number) fail(name);
    const int count = atoi(number + 1);
    if (strncmp(name, "spheres", 7) == 0) write_heap(out, count, 0);
    if (strncmp(name, "boxes", 5) == 0) write_heap(out, count, 1);
    if (strncmp(name, "stack", 5) == 0) write_stack(out, count);
    if (strncmp(name, "pyramid", 7) == 0) write_pyramid(out, count);
    if (strncmp(name, "incline", 7) == 0) write_incline(out, strcmp(number, "-above") == 0 ? 0.01 : -0.01);
    return fclose(out) != 0;
}

// ---- Motion ---------------------------------------------------------------------------------------------------------

typedef struct engine {
    contact_scene c;
    ph_state *state;
    ph_sim *sim;
} engine;

static void add_body(ph_spec *spec, const contact_scene *c, int b)
{
    const scene_body *from = &c->s.bodies[b];
    const contact_shape *s = &c->shapes[b];
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    body.name = from->name;
    body.mass = from->mass;
    body.inertia = (ph_mat3){{{from->I[0], 0, 0}, {0, from->I[1], 0}, {0, 0, from->I[2]}}};
    body.position = (ph_vec3){from->x[0], from->x[1], from->x[2]};
    body.orientation = (ph_quat){from->q[0], from->q[1], from->q[2], from->q[3]};
    shape.type = s->sphere ? "sphere" : "box";
    shape.radius = s->size[0];
    shape.size = (ph_vec3){s->size[0], s->size[1], s->size[2]};
    shape.friction = c->friction;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
}

static void add_planes(ph_spec *spec, const contact_scene *c)
{
    for (int k = 0; k < c->plane_count; k++) {
        const double *n = c->planes[k];
        char name[16];
        snprintf(name, sizeof name, "plane%d", k);
        ph_body_def body = ph_default_body();
        ph_shape_def shape = ph_default_shape();
        body.name = name;
        body.fixed = true;
        body.position = (ph_vec3){n[0] * n[3], n[1] * n[3], n[2] * n[3]};
        shape.type = "plane";
        shape.size = (ph_vec3){n[0], n[1], n[2]};
        shape.friction = c->friction;
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    }
}

static void open(engine *e, const char *path, const char *setting)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_model *model = NULL;
    ph_contact_settings contact = ph_default_contact();
    ph_sim_def def = ph_default_sim();
    ph_problems *problems = ph_problems_create();
    ph_error error;
    e->c = contact_read(path);
    if (strcmp(setting, "coulomb-1e-3") == 0) contact.tolerance = 1e-3;
    ph_spec_set_gravity(spec, (ph_vec3){e->c.s.gravity[0], e->c.s.gravity[1], e->c.s.gravity[2]});
    for (int b = 0; b < e->c.s.body_count; b++) add_body(spec, &e->c, b);
    add_planes(spec, &e->c);
    ph_spec_set_contact(spec, &contact);
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) fprintf(stderr, "%s\n", ph_problems_get(problems, i)->text);
    def.scheme = "moreau";
    if (!model) scene_stop("the model does not compile");
    e->state = ph_state_create(model);
    if (ph_sim_create(model, &def, &e->sim, &error) != PH_OK) scene_stop(error.text);
}

static int step(void *self, double h, long long count)
{
    engine *e = self;
    for (long long i = 0; i < count; i++)
        if (ph_sim_step(e->sim, e->state, h, NULL) != PH_OK) return 0;
    return 1;
}

static void poses(void *self, scene_pose *out)
{
    engine *e = self;
    for (int b = 0; b < e->c.s.body_count; b++) {
        memcpy(out[b].x, &ph_state_positions(e->state)[b], sizeof out[b].x);
        memcpy(out[b].q, &ph_state_orientations(e->state)[b], sizeof out[b].q);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "export") == 0 && argc == 4) return export(argv[2], argv[3]);
    if (strcmp(what, "contact") != 0 || argc != 7) return 2;
    engine e;
    open(&e, argv[2], argv[3]);
    const scene_driver driver = {&e, step, poses};
    return contact_run(&e.c, &driver, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
