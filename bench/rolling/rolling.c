// A thousand balls that roll beside a thousand bodies on ball joints: both in one process, a few steps of each in turn, so that a machine whose
// speed changes slows both alike.
//
//     bench/rolling/run                 builds and runs this
#include <polhode/polhode.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BODIES = 1000, STEPS = 10, ROUNDS = 41 };

typedef struct scene {
    ph_model *model;
    ph_sim *sim;
    ph_state *state;
    double seconds[ROUNDS];
} scene;

static void add_body(ph_spec *spec, int i, bool rolls)
{
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    ph_body_def body = ph_default_body();
    body.name = name;
    body.mass = 1.0;
    body.inertia = (ph_mat3){{{0.004, 0, 0}, {0, 0.004, 0}, {0, 0, 0.004}}};
    body.position = (ph_vec3){i, 0.0, 0.1};
    body.angular_velocity = (ph_vec3){3.0, 2.0, 1.0};
    body.velocity = rolls ? (ph_vec3){0.2, -0.3, 0.0} : (ph_vec3){-0.2, 0.3, 0.0};
    ph_spec_add_body(spec, &body);
}

static void add_joint(ph_spec *spec, int i, bool rolls)
{
    char name[16];
    snprintf(name, sizeof name, "j%d", i);
    ph_joint_def joint = ph_default_joint();
    joint.name = name;
    joint.type = rolls ? "rolling_sphere" : "ball";
    joint.body_a = PH_WORLD;
    joint.body_b = i;
    joint.radius = rolls ? 0.1 : 0.0;
    joint.has_anchor = !rolls;
    joint.anchor = (ph_vec3){i, 0.0, 0.2};
    ph_spec_add_joint(spec, &joint);
}

static scene make(bool rolls)
{
    scene s = {0};
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    for (int i = 0; i < BODIES; i++) add_body(spec, i, rolls);
    for (int i = 0; i < BODIES; i++) add_joint(spec, i, rolls);
    const ph_sim_def def = ph_default_sim();
    if (ph_model_compile(spec, problems, &s.model) != PH_OK || ph_sim_create(s.model, &def, &s.sim, NULL) != PH_OK) {
        fprintf(stderr, "%s\n", ph_problems_count(problems) ? ph_problems_get(problems, 0)->text : "no model");
        exit(1);
    }
    s.state = ph_state_create(s.model);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return s;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void step(scene *s, int round)
{
    const double start = seconds();
    for (int k = 0; k < STEPS; k++)
        if (ph_sim_step(s->sim, s->state, 0.002, NULL) != PH_OK) exit(1);
    s->seconds[round] = seconds() - start;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(double *x)
{
    qsort(x, ROUNDS, sizeof *x, compare);
    return x[ROUNDS / 2];
}

int main(void)
{
    scene joints = make(false), balls = make(true);
    double ratios[ROUNDS];
    step(&joints, 0), step(&balls, 0); // the first steps take memory
    for (int k = 0; k < ROUNDS; k++) {
        step(&joints, k);
        step(&balls, k);
        ratios[k] = balls.seconds[k] / joints.seconds[k];
    }
    const double each = 1e6 / (BODIES * STEPS), ratio = middle(ratios);
    printf(
        "ball joints %.3f us, rolling balls %.3f us for a body and step; in turn: %.2f times (middle of %d, from %.2f to %.2f)\n",
        each * middle(joints.seconds), each * middle(balls.seconds), ratio, ROUNDS, ratios[0], ratios[ROUNDS - 1]);
    return ratio <= 2.0 ? 0 : 1;
}
