// Nets: rods between the nodes of an n by n grid, joined by ball joints and hung up along one side. How long the model takes to
// compile, a simulation to be made, and a step; and how the time of a step grows with the number of bodies.
//
//     bench/nets/run [n...]        10 20 40 70 100 when none is given

#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double WIDTH = 0.1; // m: length of a rod

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int add_rod(ph_spec *spec, double x, double y, int along)
{
    char name[32];
    const double mass = 0.1, J = mass * WIDTH * WIDTH / 12.0, axial = 0.01 * J;
    ph_body_def rod = ph_default_body();
    snprintf(name, sizeof name, "r%.17g_%.17g", x, y);
    rod.name = name;
    rod.mass = mass;
    rod.inertia = (ph_mat3){{{along == 0 ? axial : J, 0.0, 0.0}, {0.0, along == 1 ? axial : J, 0.0}, {0.0, 0.0, J}}};
    rod.position = (ph_vec3){x, y, 0.0};
    return ph_spec_add_body(spec, &rod);
}

// The rods that meet at a node hang on the first of them; those at the side y = 0 on the world.
static void join(ph_spec *spec, int *first, int n, int node, int rod, int *joints)
{
    const int holder = node % n == 0 ? PH_WORLD : first[node];
    if (node % n != 0 && first[node] == PH_NONE) {
        first[node] = rod;
        return;
    }
    char name[32];
    ph_joint_def joint = ph_default_joint();
    snprintf(name, sizeof name, "j%d", *joints);
    joint.name = name;
    joint.type = "ball";
    joint.body_a = holder;
    joint.body_b = rod;
    joint.has_anchor = true;
    joint.anchor = (ph_vec3){node / n * WIDTH, node % n * WIDTH, 0.0};
    if (ph_spec_add_joint(spec, &joint) >= 0) *joints += 1;
}

static ph_spec *net(int n, int *joints)
{
    ph_spec *spec = ph_spec_create(NULL);
    int *first = malloc(sizeof(int) * (size_t)(n * n));
    *joints = 0;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    for (int k = 0; k < n * n; k++) first[k] = PH_NONE;
    for (int k = 0; k < 2 * n * n; k++) {
        const int i = k / 2 / n, j = k / 2 % n, along = k % 2, i2 = i + (along == 0), j2 = j + (along == 1);
        if (i2 == n || j2 == n) continue;
        const int rod = add_rod(spec, 0.5 * (i + i2) * WIDTH, 0.5 * (j + j2) * WIDTH, along);
        join(spec, first, n, i * n + j, rod, joints);
        join(spec, first, n, i2 * n + j2, rod, joints);
    }
    free(first);
    return spec;
}

// Seconds of a step, or a negative number.
static double time_steps(ph_sim *sim, ph_state *state)
{
    enum { STEPS = 3 };
    const double began = processor_seconds();
    const ph_status status = ph_sim_advance(sim, state, 1e-3, STEPS, NULL);
    return status == PH_OK ? (processor_seconds() - began) / STEPS : -1.0;
}

static double measure(int n, double last_bodies, double last_step, double *bodies)
{
    int joints;
    ph_spec *spec = net(n, &joints);
    ph_model *model = NULL;
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    const double began = processor_seconds();
    ph_model_compile(spec, NULL, &model);
    const double compiled = processor_seconds();
    if (!model || ph_sim_create(model, &def, &sim, NULL) != PH_OK) return -1.0;
    const double made = processor_seconds();
    ph_state *state = ph_state_create(model);
    time_steps(sim, state); // warm up
    const double step = time_steps(sim, state);
    *bodies = ph_model_bodies(model);
    printf("%4d %8.0f %8d %9.3f %9.3f %11.3f", n, *bodies, joints, compiled - began, made - compiled, 1e3 * step);
    if (last_step > 0.0) printf(" %7.2f", log(step / last_step) / log(*bodies / last_bodies));
    printf("\n");
    fflush(stdout);
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    return step;
}

int main(int argc, char **argv)
{
    static const int standard[] = {10, 20, 40, 70, 100};
    double last_step = -1.0, last_bodies = 0.0;
    printf("%4s %8s %8s %9s %9s %11s %7s\n", "n", "bodies", "joints", "compile s", "sim s", "step ms", "power");
    for (int k = 0; k < (argc > 1 ? argc - 1 : 5); k++) {
        const int n = argc > 1 ? atoi(argv[k + 1]) : standard[k];
        double bodies = 0.0;
        if (n < 2) continue;
        last_step = measure(n, last_bodies, last_step, &bodies);
        last_bodies = bodies;
        if (last_step < 0.0) return 1;
    }
    return 0;
}
