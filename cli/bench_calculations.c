// Each calculation runs over the same SAMPLES random operands again and again; its peer does the same job on the same
// operands. Products are inlined on both sides, all else is called.

#include "bench_calculations.h"

#include "base/clock.h"
#include "bench_spatial.h"
#include "terminal.h"

#include "polhode/clifford_generated.h"
#include "polhode/tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 32, ARM = 7, TREE = 30 };

typedef struct tree_scene {
    ph_tree *tree;
    double q[TREE], u[TREE], u_rate[TREE], tau[TREE], out[TREE];
    double M[TREE * TREE];
} tree_scene;

struct workbench {
    uint64_t random;
    ph_twist s[SAMPLES], s_out[SAMPLES];
    ph_coscrew P[SAMPLES], P_out[SAMPLES];
    ph_hexavector X_out[SAMPLES];
    ph_motor g[SAMPLES], h[SAMPLES], g_out[SAMPLES];
    ph_pose F[SAMPLES];
    ph_inertia N[SAMPLES], N_out[SAMPLES];
    ph_sym4 K[SAMPLES], K_out[SAMPLES];
    double number[SAMPLES];
    // the same operands as 6x6 matrices and vectors
    spatial_vector twist[SAMPLES], wrench[SAMPLES], vector_out[SAMPLES];
    spatial_matrix motion[SAMPLES], motion_h[SAMPLES], inverse[SAMPLES], inertia[SAMPLES], stiffness[SAMPLES];
    spatial_matrix matrix_out[SAMPLES];
    ph_algebra algebra;
    double x[256], y[256], xy[256]; // two elements with all coefficients, and their product
    tree_scene arm, tree;
};

// ---- Operands -------------------------------------------------------------------------------------------------------

// Uniform in -1 .. 1 (a linear congruential generator is random enough here).
static double uniform(workbench *w)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->random >> 11) * 0x1p-52 - 1.0;
}

static ph_vec3 vector(workbench *w)
{
    const double x = uniform(w), y = uniform(w), z = uniform(w);
    return (ph_vec3){x, y, z};
}

static ph_twist random_twist(workbench *w)
{
    const ph_vec3 omega = vector(w), v = vector(w);
    return (ph_twist){omega, v};
}

static spatial_vector as_vector(const void *six)
{
    spatial_vector v;
    memcpy(v.c, six, sizeof v.c);
    return v;
}

// Column j is the image of unit twist j.
static void set_column(spatial_matrix *M, int j, const void *six)
{
    const spatial_vector column = as_vector(six);
    for (int i = 0; i < 6; i++) M->m[i][j] = column.c[i];
}

static ph_twist unit_twist(int j)
{
    spatial_vector v = {{0.0}};
    ph_twist unit;
    v.c[j] = 1.0;
    memcpy(&unit, v.c, sizeof unit);
    return unit;
}

static void set_matrices(workbench *w, int k)
{
    for (int j = 0; j < 6; j++) {
        const ph_twist unit = unit_twist(j);
        const ph_twist moved = ph_move_twist(w->g[k], unit), moved_h = ph_move_twist(w->h[k], unit);
        const ph_twist back = ph_move_twist(ph_motor_conj(w->g[k]), unit);
        const ph_coscrew momentum = ph_momentum(w->N[k], unit), force = ph_shuffle_a(ph_wedge_sym4(w->K[k], unit));
        set_column(&w->motion[k], j, &moved);
        set_column(&w->motion_h[k], j, &moved_h);
        set_column(&w->inverse[k], j, &back);
        set_column(&w->inertia[k], j, &momentum);
        set_column(&w->stiffness[k], j, &force);
    }
}

static void set_operands(workbench *w)
{
    w->algebra = ph_algebra_cl062();
    for (int k = 0; k < 256; k++) {
        w->x[k] = uniform(w);
        w->y[k] = uniform(w);
    }
    for (int k = 0; k < SAMPLES; k++) {
        const ph_mat3 I = {{{2.0 + uniform(w), 0.1, 0.2}, {0.1, 2.0 + uniform(w), 0.3}, {0.2, 0.3, 2.0 + uniform(w)}}};
        w->s[k] = random_twist(w);
        w->P[k] = (ph_coscrew){vector(w), vector(w)};
        w->g[k] = ph_motor_exp(random_twist(w));
        w->h[k] = ph_motor_exp(random_twist(w));
        w->F[k] = ph_motor_pose(w->g[k]);
        w->N[k] = ph_inertia_make(2.0 + uniform(w), vector(w), I);
        w->K[k] = ph_inertia_sym4(w->N[k]);
        w->twist[k] = as_vector(&w->s[k]);
        w->wrench[k] = as_vector(&w->P[k]);
        set_matrices(w, k);
    }
}

// Links of half a metre with revolute joints in all directions; `branches` links hang on each.
static bool set_tree(workbench *w, tree_scene *t, int count, int branches)
{
    ph_link_def links[TREE];
    for (int i = 0; i < count; i++) {
        const double m = 1.5 + 0.5 * uniform(w), r = 0.01 * m;
        ph_link_def link = ph_default_link();
        link.parent = i == 0 ? PH_WORLD : (i - 1) / branches;
        const ph_vec3 from = i == 0 ? (ph_vec3){0.0, 0.0, 0.0} : links[link.parent].com;
        link.anchor = (ph_vec3){from.x + 0.25 * uniform(w), from.y + 0.25 * uniform(w), from.z + 0.25};
        link.axis = vector(w);
        link.mass = m;
        link.com = (ph_vec3){link.anchor.x, link.anchor.y, link.anchor.z + 0.25};
        link.inertia = (ph_mat3){{{r, 0.0, 0.0}, {0.0, 1.5 * r, 0.0}, {0.0, 0.0, r}}};
        links[i] = link;
        t->q[i] = uniform(w);
        t->u[i] = uniform(w);
        t->u_rate[i] = uniform(w);
        t->tau[i] = uniform(w);
    }
    return ph_tree_create(links, count, (ph_vec3){0.0, 0.0, -9.81}, NULL, &t->tree, NULL) == PH_OK;
}

static void workbench_destroy(workbench *w)
{
    if (w) {
        ph_tree_destroy(w->arm.tree);
        ph_tree_destroy(w->tree.tree);
        free(w);
    }
}

static workbench *workbench_create(void)
{
    workbench *w = calloc(1, sizeof *w);
    if (w) {
        w->random = 1;
        set_operands(w);
        if (!set_tree(w, &w->arm, ARM, 1) || !set_tree(w, &w->tree, TREE, 2)) {
            workbench_destroy(w);
            w = NULL;
        }
    }
    return w;
}

// ---- Calculations ---------------------------------------------------------------------------------------------------

// One run of `statement` for each count, with operand k.
#define RUN(name, statement)                                                                                           \
    static void name(workbench *w, long long count)                                                                    \
    {                                                                                                                  \
        for (long long i = 0; i < count; i++) {                                                                        \
            const int k = (int)(i % SAMPLES);                                                                          \
            statement;                                                                                                 \
        }                                                                                                              \
    }

RUN(wedge_inertia, w->X_out[k] = ph_cl_wedge_inertia(w->N[k], w->s[k]))
RUN(wedge_inertia_6x6, spatial_apply(&w->inertia[k], &w->twist[k], &w->vector_out[k]))
RUN(wedge_sym4, w->X_out[k] = ph_cl_wedge_sym4(w->K[k], w->s[k]))
RUN(wedge_sym4_6x6, spatial_apply(&w->stiffness[k], &w->twist[k], &w->vector_out[k]))
RUN(energy, w->number[k] = 0.5 * ph_cl_shuffle(ph_cl_bar_twist(w->s[k]), ph_cl_wedge_inertia(w->N[k], w->s[k])))
RUN(energy_6x6, w->number[k] = spatial_energy(&w->inertia[k], &w->twist[k]))
RUN(bracket, w->s_out[k] = ph_cl_bracket(w->s[k], w->s[(k + 1) % SAMPLES]))
RUN(bracket_6x6, spatial_cross(&w->twist[k], &w->twist[(k + 1) % SAMPLES], &w->vector_out[k]))
RUN(coadjoint, w->P_out[k] = ph_cl_coadjoint(w->s[k], w->P[k]))
RUN(coadjoint_6x6, spatial_cross_force(&w->twist[k], &w->wrench[k], &w->vector_out[k]))
RUN(motor_product, w->g_out[k] = ph_cl_motor_mul(w->g[k], w->h[k]))
RUN(motor_product_6x6, spatial_compose(&w->motion[k], &w->motion_h[k], &w->matrix_out[k]))
RUN(move_twist, w->s_out[k] = ph_cl_pose_twist(w->F[k], w->s[k]))
RUN(move_twist_6x6, spatial_move(&w->motion[k], &w->twist[k], &w->vector_out[k]))
RUN(move_inertia, w->N_out[k] = ph_cl_pose_inertia(w->F[k], w->N[k]))
RUN(move_inertia_6x6, spatial_move_inertia(&w->inverse[k], &w->inertia[k], &w->matrix_out[k]))
RUN(move_sym4, w->K_out[k] = ph_cl_pose_sym4(w->F[k], w->K[k]))
RUN(move_sym4_6x6, spatial_move_inertia(&w->inverse[k], &w->stiffness[k], &w->matrix_out[k]))
RUN(motor_exp, w->g_out[k] = ph_motor_exp(w->s[k]))
RUN(motor_pose, w->F[k] = ph_cl_motor_pose(w->g[k]))

static void full_product(workbench *w, long long count)
{
    const ph_multivector x = {&w->algebra, w->x}, y = {&w->algebra, w->y}, xy = {&w->algebra, w->xy};
    for (long long i = 0; i < count; i++) ph_multivector_geometric(x, y, xy, NULL);
}

#define RUN_TREE(name, scene, call)                                                                                    \
    static void scene##_##name(workbench *w, long long count)                                                          \
    {                                                                                                                  \
        tree_scene *t = &w->scene;                                                                                     \
        for (long long i = 0; i < count; i++) call;                                                                    \
    }

RUN_TREE(inverse, arm, ph_tree_inverse_dynamics(t->tree, t->q, t->u, t->u_rate, NULL, t->out))
RUN_TREE(inverse, tree, ph_tree_inverse_dynamics(t->tree, t->q, t->u, t->u_rate, NULL, t->out))
RUN_TREE(forward, arm, ph_tree_forward_dynamics(t->tree, t->q, t->u, t->tau, NULL, t->out))
RUN_TREE(forward, tree, ph_tree_forward_dynamics(t->tree, t->q, t->u, t->tau, NULL, t->out))
RUN_TREE(mass, arm, ph_tree_mass_matrix(t->tree, t->q, t->M))
RUN_TREE(mass, tree, ph_tree_mass_matrix(t->tree, t->q, t->M))

const calculation calculations[] = {
    {"wedge-inertia", "N ^ s, rigid inertia", wedge_inertia, wedge_inertia_6x6},
    {"wedge-sym4", "K ^ s, 21 components", wedge_sym4, wedge_sym4_6x6},
    {"energy", "1/2 s~ v (N ^ s)", energy, energy_6x6},
    {"bracket", "[x, y]", bracket, bracket_6x6},
    {"coadjoint", "{s, P}", coadjoint, coadjoint_6x6},
    {"motor-product", "g h", motor_product, motor_product_6x6},
    {"move-twist", "g s g*, g as a pose", move_twist, move_twist_6x6},
    {"move-inertia", "(g g~) N (g g~)*", move_inertia, move_inertia_6x6},
    {"move-sym4", "(g g~) K (g g~)*", move_sym4, move_sym4_6x6},
    {"motor-exp", "exp(z/2)", motor_exp, NULL},
    {"motor-pose", "g as R and t", motor_pose, NULL},
    {"full-product", "x y, all 256 coefficients of each", full_product, NULL},
    {"arm-7-inverse", "inverse dynamics, arm of 7 joints", arm_inverse, NULL},
    {"arm-7-forward", "forward dynamics, arm of 7 joints", arm_forward, NULL},
    {"arm-7-mass", "mass matrix, arm of 7 joints", arm_mass, NULL},
    {"tree-30-inverse", "inverse dynamics, tree of 30 joints", tree_inverse, NULL},
    {"tree-30-forward", "forward dynamics, tree of 30 joints", tree_forward, NULL},
    {"tree-30-mass", "mass matrix, tree of 30 joints", tree_mass, NULL},
};
const int calculation_count = sizeof calculations / sizeof calculations[0];

// ---- Time -----------------------------------------------------------------------------------------------------------

static double time_once(void (*run)(workbench *, long long), workbench *w, long long count)
{
    const double began = clock_process_seconds();
    run(w, count);
    return clock_process_seconds() - began;
}

// How often it must run for a measurement that the clock resolves.
static long long count_for(void (*run)(workbench *, long long), workbench *w)
{
    static const double SHORTEST = 2e-4; // s
    long long count = 1;
    while (time_once(run, w, count) < SHORTEST) count *= 2;
    return count;
}

// The fastest of many: what else the machine does only adds. A calculation and its peer take turns, so that both meet the
// same weather.
static void time_pair(const calculation *c, workbench *w, double *ns, double *peer_ns)
{
    enum { REPEATS = 300 };
    const long long count = count_for(c->run, w), peer_count = c->peer ? count_for(c->peer, w) : 0;
    double best = 1e9, peer_best = 1e9;
    for (int i = 0; i < REPEATS; i++) {
        const double time = time_once(c->run, w, count), peer_time = c->peer ? time_once(c->peer, w, peer_count) : 0.0;
        best = time < best ? time : best;
        peer_best = peer_time < peer_best ? peer_time : peer_best;
    }
    *ns = 1e9 * best / (double)count;
    *peer_ns = c->peer ? 1e9 * peer_best / (double)peer_count : 0.0;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

static void print_head(void)
{
    const colours c = colours_of(stdout);
    printf("%s%-16s %9s %9s %7s%s\n", c.bold, "calculation", "ns", "6x6 code", "ratio", c.off);
}

static void print_row(const calculation *c, double ns, double peer_ns)
{
    if (c->peer)
        printf("%-16s %9.1f %9.1f %7.2f   %s\n", c->name, ns, peer_ns, ns / peer_ns, c->title);
    else
        printf("%-16s %9.1f %9s %7s   %s\n", c->name, ns, "", "", c->title);
    fflush(stdout);
}

static void json_row(json *j, const calculation *c, double ns, double peer_ns)
{
    json_object(j, NULL);
    json_string(j, "name", c->name);
    json_string(j, "title", c->title);
    json_number(j, "ns", ns);
    if (c->peer) {
        json_number(j, "peer_ns", peer_ns);
        json_number(j, "ratio", ns / peer_ns);
    }
    json_end_object(j);
}

bool time_calculations(const char *only, tally *done, json *j)
{
    int timed = 0;
    workbench *w = workbench_create();
    if (!w) print_error("out of memory");
    for (int i = 0; w && i < calculation_count; i++) {
        const calculation *c = &calculations[i];
        if (only && strcmp(only, c->name) != 0) continue;
        double ns, peer_ns;
        tally_begin(done, c->name);
        time_pair(c, w, &ns, &peer_ns);
        tally_end(done);
        if (timed++ == 0 && !j) print_head();
        if (j)
            json_row(j, c, ns, peer_ns);
        else
            print_row(c, ns, peer_ns);
    }
    workbench_destroy(w);
    return w != NULL;
}
