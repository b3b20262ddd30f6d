// MuJoCo in the contact scenes. See contact.h.
//
// Settings: "default", its soft contacts as they come (time constant 0.02 s), with elliptic friction cones, which its
// documentation names as the better model; "stiff", contacts as hard as it admits (time constant of two steps, impedance
// 0.9999) and the Newton solver down to 1e-12. Integrator implicitfast, which it recommends.
#include "contact.h"

#include <mujoco/mujoco.h>

typedef struct peer {
    contact_scene c;
    mjModel *m;
    mjData *d;
} peer;

static void set_contact(mjsGeom *geom, const contact_scene *c, int stiff, double h)
{
    geom->friction[0] = c->friction;
    geom->condim = 3;
    if (!stiff) return;
    geom->solref[0] = 2.0 * h, geom->solref[1] = 1.0;
    geom->solimp[0] = geom->solimp[1] = 0.9999;
}

static void add_body(mjsBody *world, const contact_scene *c, int b, int stiff, double h)
{
    const scene_body *from = &c->s.bodies[b];
    const contact_shape *shape = &c->shapes[b];
    mjsBody *body = mjs_addBody(world, NULL);
    mjsGeom *geom = mjs_addGeom(body, NULL);
    memcpy(body->pos, from->x, sizeof from->x);
    memcpy(body->quat, from->q, sizeof from->q);
    body->mass = from->mass;
    body->explicitinertial = 1;
    memset(body->ipos, 0, sizeof body->ipos);
    memcpy(body->inertia, from->I, sizeof body->inertia);
    geom->type = shape->sphere ? mjGEOM_SPHERE : mjGEOM_BOX;
    for (int i = 0; i < 3; i++) geom->size[i] = (shape->sphere ? 1.0 : 0.5) * shape->size[i];
    set_contact(geom, c, stiff, h);
    mjs_addFreeJoint(body);
}

static void add_plane(mjsBody *world, const contact_scene *c, int k, int stiff, double h)
{
    const double *n = c->planes[k];
    mjsGeom *geom = mjs_addGeom(world, NULL);
    geom->type = mjGEOM_PLANE;
    geom->size[0] = geom->size[1] = 0.0, geom->size[2] = 1.0; // infinite
    for (int i = 0; i < 3; i++) geom->pos[i] = n[i] * n[3];
    mju_quatZ2Vec(geom->quat, n);
    set_contact(geom, c, stiff, h);
}

static int step(void *self, double h, long long count)
{
    peer *p = self;
    (void)h;
    for (long long i = 0; i < count; i++) mj_step(p->m, p->d);
    return p->d->warning[mjWARN_BADQACC].number == 0;
}

static void poses(void *self, scene_pose *out)
{
    peer *p = self;
    for (int b = 0; b < p->c.s.body_count; b++) {
        memcpy(out[b].x, p->d->qpos + 7 * b, sizeof out[b].x);
        memcpy(out[b].q, p->d->qpos + 7 * b + 3, sizeof out[b].q);
    }
}

int main(int argc, char **argv)
{
    if (argc != 7 || strcmp(argv[1], "contact") != 0) return 2;
    peer p = {.c = contact_read(argv[2])};
    const int stiff = strcmp(argv[3], "stiff") == 0;
    const double h = atof(argv[4]);
    mjSpec *spec = mj_makeSpec();
    mjsBody *world = mjs_findBody(spec, "world");
    memcpy(spec->option.gravity, p.c.s.gravity, sizeof p.c.s.gravity);
    spec->option.timestep = h;
    spec->option.integrator = mjINT_IMPLICITFAST;
    spec->option.cone = mjCONE_ELLIPTIC;
    spec->memory = 1u << 30;
    if (stiff) spec->option.tolerance = 1e-12;
    for (int k = 0; k < p.c.plane_count; k++) add_plane(world, &p.c, k, stiff, h);
    for (int b = 0; b < p.c.s.body_count; b++) add_body(world, &p.c, b, stiff, h);
    p.m = mj_compile(spec, NULL);
    if (!p.m) {
        fprintf(stderr, "%s\n", mjs_getError(spec));
        scene_stop("the model does not compile");
    }
    p.d = mj_makeData(p.m);
    const scene_driver d = {&p, step, poses};
    return contact_run(&p.c, &d, h, atoll(argv[5]), atoll(argv[6]));
}
