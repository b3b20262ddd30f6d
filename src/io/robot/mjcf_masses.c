// Masses of MJCF bodies: from geoms where the file gives none, and the compiler's repairs.

#include "io/robot/mjcf.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static bool weigh(robot *r, const robot_geom *g, double *mass, solid *s)
{
    const bool has = geom_solid(r, g, s);
    if (!has) {
        if (g->kind == GEOM_MESH && !r->out_of_memory) {
            robot_fail(r, g->node, NULL, NULL, "the mesh encloses no volume, so that it has no mass");
        }
        return false;
    }
    *mass = g->has_mass ? g->mass : g->density * s->volume;
    return *mass > 0.0;
}

static void add_geom(robot *r, robot_body *b, const robot_geom *g, ph_mat3 *about_origin, ph_vec3 *first)
{
    double mass;
    solid s;
    if ((g->has_mass && g->mass == 0.0) || (!g->has_mass && g->density == 0.0) || !weigh(r, g, &mass, &s)) {
        return;
    }
    const ph_vec3 com = pose_apply(g->local, s.com);
    const ph_mat3 own = inertia_turned(ph_mat_scale(mass / s.volume, s.inertia), g->local.q);
    b->has_axes = b->mass == 0.0 && g->kind != GEOM_MESH; // the only one so far
    b->axes = g->local.q;
    b->mass += mass;
    *first = ph_madd(*first, mass, com);
    *about_origin = ph_mat_add(*about_origin, inertia_about(own, mass, com));
}

// The next geom of the same body behind each, PH_NONE behind the last; first: of each body. NULL: out of memory.
static int *chain_geoms(robot *r, int **first)
{
    int *next = robot_alloc(r, (size_t)r->geoms_count + 1, sizeof *next);
    *first = robot_alloc(r, (size_t)r->bodies_count + 1, sizeof **first);
    if (!next || !*first) return NULL;
    for (int i = 0; i < r->bodies_count; i++) (*first)[i] = PH_NONE;
    for (int i = r->geoms_count - 1; i >= 0; i--) {
        const int body = r->geoms[i].body;
        if (body < 0) continue;
        next[i] = (*first)[body];
        (*first)[body] = i;
    }
    return next;
}

// Summed about the origin of the body, then shifted.
static void from_geoms_of(robot *r, int body, int at, const int *next)
{
    robot_body *b = &r->bodies[body];
    ph_vec3 first = {0};
    ph_mat3 sum = ph_mat_zero();
    for (int i = at; i >= 0; i = next[i]) {
        if (r->geoms[i].has_weight) add_geom(r, b, &r->geoms[i], &sum, &first);
    }
    if (b->mass > 0.0) {
        b->has_mass = true;
        b->com = ph_scale(1.0 / b->mass, first);
        b->inertia = inertia_about(sum, -b->mass, b->com);
    }
}

// Moments that no body has become three equal ones.
static void balance(robot *r, robot_body *b)
{
    ph_vec3 k;
    ph_mat3 axes;
    ph_eig3(b->inertia, &k, &axes);
    if (k.x + k.y < k.z) {
        b->inertia = ph_mat_scale(ph_trace(b->inertia) / 3.0, ph_identity());
        robot_note(r, b->node, "balanceinertia: an impossible inertia is replaced by its mean");
    }
}

static void bound(mjcf *m, robot_body *b)
{
    ph_vec3 k;
    ph_mat3 axes;
    b->mass = fmax(b->mass, m->bound_mass);
    ph_eig3(b->inertia, &k, &axes);
    if (k.x < m->bound_inertia) {
        const ph_vec3 d = {fmax(k.x, m->bound_inertia), fmax(k.y, m->bound_inertia), fmax(k.z, m->bound_inertia)};
        b->inertia = ph_sym(ph_mat_mult(ph_mat_mul(axes, ph_diag(d)), axes));
        robot_note(m->r, b->node, "boundinertia: small moments of inertia are raised");
    }
    b->has_mass = true;
}

static void set_total(mjcf *m)
{
    double sum = 0.0;
    for (int i = 1; i < m->r->bodies_count; i++) sum += m->r->bodies[i].mass;
    for (int i = 1; sum > 0.0 && i < m->r->bodies_count; i++) {
        robot_body *b = &m->r->bodies[i];
        b->mass *= m->total_mass / sum;
        b->inertia = ph_mat_scale(m->total_mass / sum, b->inertia);
    }
}

// <freejoint align="true"/>: the frame of the body lies in its centre of mass, along its principal axes, the largest moment
// first.
static void align(robot *r, int body)
{
    robot_body *b = &r->bodies[body];
    ph_vec3 k;
    ph_mat3 axes;
    ph_eig3(b->inertia, &k, &axes);
    const ph_vec3 x = ph_mat_col(axes, 2), y = ph_mat_col(axes, 1);
    const pose to = {b->com, ph_quat_from_mat(ph_mat_cols(x, y, ph_cross(x, y)))}, back = pose_inverse(to);
    b->local = pose_mul(b->local, to);
    b->world = pose_mul(b->world, to);
    b->com = ph_zero3();
    b->axes = ph_quat_mul(back.q, b->axes);
    b->inertia = inertia_turned(b->inertia, back.q);
    for (int i = 0; i < r->geoms_count; i++) {
        if (r->geoms[i].body == body) r->geoms[i].local = pose_mul(back, r->geoms[i].local);
    }
    for (int i = 0; i < r->sites_count; i++) {
        if (r->sites[i].body == body) r->sites[i].local = pose_mul(back, r->sites[i].local);
    }
    for (int i = body + 1; i < r->bodies_count; i++) {
        if (r->bodies[i].parent == body) r->bodies[i].local = pose_mul(back, r->bodies[i].local);
    }
}

static void align_free_bodies(const mjcf *m)
{
    robot *r = m->r;
    for (int i = 0; i < r->joints_count; i++) {
        const robot_joint *j = &r->joints[i];
        const char *word = xml_get(j->node, "align");
        const bool asked = word && strcmp(word, "auto") != 0 ? strcmp(word, "true") == 0 : m->align_free;
        if (j->kind == JOINT_FREE && asked && r->bodies[j->body].mass > 0.0) {
            align(r, j->body);
            r->aligned = true;
        }
    }
}

void mjcf_masses(mjcf *m)
{
    robot *r = m->r;
    int *first;
    const int *next = chain_geoms(r, &first);
    for (int i = 1; next && i < r->bodies_count && r->errors == 0; i++) {
        robot_body *b = &r->bodies[i];
        if (b->from_geoms) from_geoms_of(r, i, first[i], next);
        if (m->balance && b->mass > 0.0) balance(r, b);
        if (m->bound_mass > 0.0 || m->bound_inertia > 0.0) bound(m, b);
    }
    if (m->total_mass > 0.0) {
        set_total(m);
    }
    align_free_bodies(m);
}
