// How the numbers of a compiled model change with the mass, centre of mass and inertia of a body. With its centre of mass a
// body's position moves, and all points on it are seen from there: x += R dc, s -= dc.
#include "adjoint/parameters.h"

#include "math/mat3.h"
#include "model/log_cholesky.h"

#include <stdio.h>
#include <string.h>

typedef struct piece {
    int body; // index
    inertial now;
} piece;

static bool has_joints(const ph_model *model, int body)
{
    for (int j = 0; j < model->joint_count; j++)
        if (model->joints[j].a == body || model->joints[j].b == body) return true;
    return false;
}

// The points of joints, forces, shapes and sites on the body. A force that acts at the centre of mass stays there.
static void move_points(const numbers *n, int body, ph_vec3 by, double *x)
{
    const ph_model *model = n->model;
    for (int j = 0; j < model->joint_count; j++) {
        joint_gradient *g = &numbers_joints(n, x)[j];
        if (model->joints[j].a == body) g->s_a = ph_sub(g->s_a, by);
        if (model->joints[j].b == body) g->s_b = ph_sub(g->s_b, by);
    }
    for (int k = 0; k < model->force_count; k++) {
        force_gradient *g = &numbers_forces(n, x)[k];
        const force *f = &model->forces[k];
        if ((!f->def && !f->tendon) || f->callback) continue;
        if (f->a == body) g->s_a = ph_sub(g->s_a, by);
        if (f->b == body && !(f->def && f->def->at_com)) g->s_b = ph_sub(g->s_b, by);
    }
    for (int k = 0; k < numbers_shape_count(n, body); k++) {
        shape_gradient *g = &numbers_shapes(n, x, body)[k];
        g->place = ph_sub(g->place, by);
    }
    for (int k = 0; k < model->site_count; k++)
        if (model->sites[k].body == body) numbers_sites(n, x)[k] = ph_sub(numbers_sites(n, x)[k], by);
}

static void add_change(const numbers *n, int body, const inertial *d, double *x)
{
    const struct body *b = &n->model->bodies[body];
    body_gradient *g = &numbers_bodies(n, x)[b->moving];
    const ph_mat3 R = body_turn(b);
    g->mass += d->mass;
    for (int i = 0; i < 9; i++) g->J.m[i / 3][i % 3] += d->J.m[i / 3][i % 3];
    if (ph_max_abs(d->com) == 0.0) return;
    g->position = ph_add(g->position, ph_mul(R, d->com));
    if (has_joints(n->model,
                   body)) // the body moves as before; what is given of a free one is the velocity of its centre
        g->velocity = ph_add(g->velocity, ph_mul(R, ph_cross(b->start->twist.omega, d->com)));
    move_points(n, body, d->com, x);
}

// ---- Names ----------------------------------------------------------------------------------------------------------

static int letter(char c)
{
    return c >= 'x' && c <= 'z' ? c - 'x' : -1;
}

static double *entry(ph_vec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

static bool com_change(const piece *p, const char *part, double *value, inertial *d)
{
    ph_vec3 now = p->now.com;
    const int k = letter(part[0]);
    if (k < 0 || part[1]) return false;
    *value = *entry(&now, k);
    *entry(&d->com, k) = 1.0;
    return true;
}

static bool inertia_change(const piece *p, const char *part, double *value, inertial *d)
{
    const int i = letter(part[0]), j = i < 0 ? -1 : letter(part[1]);
    if (j < 0 || part[2]) return false;
    *value = p->now.J.m[i][j];
    d->J.m[i][j] = d->J.m[j][i] = 1.0;
    return true;
}

static bool log_cholesky_number(const piece *p, const char *part, double *value, inertial *d)
{
    double x[LOG_CHOLESKY];
    int k = 0;
    while (k < LOG_CHOLESKY && strcmp(log_cholesky_names[k], part) != 0) k++;
    if (k == LOG_CHOLESKY || !log_cholesky_of(&p->now, x)) return false;
    *value = x[k];
    *d = log_cholesky_change(x, k);
    return true;
}

static const struct {
    const char *name;
    bool (*change)(const piece *p, const char *part, double *value, inertial *d);
} kinds[] = {{".com.", com_change}, {".inertia.", inertia_change}, {".log_cholesky.", log_cholesky_number}};

// "BODY.kind.part"; names of bodies may have dots.
static bool find_inertial(const numbers *n, const char *name, double *value, int *body, inertial *d)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *at = strstr(name, kinds[k].name);
        char word[128];
        if (!at || at - name >= (long)sizeof word) continue;
        snprintf(word, sizeof word, "%.*s", (int)(at - name), name);
        *body = names_find(&n->model->body_names, word);
        if (*body < 0 || *body >= n->model->body_count || n->model->bodies[*body].moving < 0) continue;
        const body_kind *kind = n->model->bodies[*body].kind;
        const piece p = {*body, {kind->mass, kind->com, kind->J}};
        *d = (inertial){0};
        if (kinds[k].change(&p, at + strlen(kinds[k].name), value, d)) return true;
    }
    return false;
}

bool numbers_direction(const numbers *n, const char *name, double *value, double *direction)
{
    inertial d;
    int body;
    const int at = numbers_find(n, name, value);
    if (at >= 0) {
        if (direction) direction[at] = 1.0;
        return true;
    }
    if (!find_inertial(n, name, value, &body, &d)) return false;
    if (direction) add_change(n, body, &d, direction);
    return true;
}
