// ODE (double precision) in the contact scenes. See contact.h.
//
// Settings: "quick", dWorldQuickStep with 50 iterations, which its manual recommends for many contacts; "step", dWorldStep,
// exact and of cubic cost, where it is affordable. Contacts with the friction pyramid that follows the contact's own
// directions (dContactApprox1), error reduction 0.2 and softness 1e-10, its defaults; correction speed 1 m/s; at most eight
// points for a pair; no auto-disable, no damping.
#include "contact.h"

#include <ode/ode.h>

typedef struct peer {
    contact_scene c;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    int quick;
} peer;

static void add_body(peer *p, int b)
{
    const scene_body *from = &p->c.s.bodies[b];
    const contact_shape *shape = &p->c.shapes[b];
    const dBodyID body = p->bodies[b] = dBodyCreate(p->world);
    const dGeomID geom = shape->sphere ? dCreateSphere(p->space, shape->size[0])
                                       : dCreateBox(p->space, shape->size[0], shape->size[1], shape->size[2]);
    dMass mass;
    dMassSetParameters(&mass, from->mass, 0, 0, 0, from->I[0], from->I[1], from->I[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from->x[0], from->x[1], from->x[2]);
    dBodySetQuaternion(body, from->q);
    dBodySetAutoDisableFlag(body, 0);
    dGeomSetBody(geom, body);
}

static void touch(void *self, dGeomID a, dGeomID b)
{
    enum { POINTS = 8 };
    peer *p = self;
    dContactGeom found[POINTS];
    const int count = dCollide(a, b, POINTS, found, sizeof found[0]);
    for (int i = 0; i < count; i++) {
        dContact contact = {.surface = {.mode = dContactApprox1, .mu = p->c.friction}, .geom = found[i]};
        dJointAttach(dJointCreateContact(p->world, p->contacts, &contact), dGeomGetBody(a), dGeomGetBody(b));
    }
}

static int step(void *self, double h, long long count)
{
    peer *p = self;
    for (long long i = 0; i < count; i++) {
        dSpaceCollide(p->space, p, touch);
        if (!(p->quick ? dWorldQuickStep(p->world, h) : dWorldStep(p->world, h))) return 0;
        dJointGroupEmpty(p->contacts);
    }
    return 1;
}

static void poses(void *self, scene_pose *out)
{
    peer *p = self;
    for (int b = 0; b < p->c.s.body_count; b++) {
        memcpy(out[b].x, dBodyGetPosition(p->bodies[b]), sizeof out[b].x);
        memcpy(out[b].q, dBodyGetQuaternion(p->bodies[b]), sizeof out[b].q);
    }
}

int main(int argc, char **argv)
{
    if (argc != 7 || strcmp(argv[1], "contact") != 0) return 2;
    dInitODE2(0);
    peer p = {.c = contact_read(argv[2]), .world = dWorldCreate(), .quick = strcmp(argv[3], "quick") == 0};
    p.space = dHashSpaceCreate(0);
    p.contacts = dJointGroupCreate(0);
    p.bodies = calloc((size_t)p.c.s.body_count, sizeof *p.bodies);
    dWorldSetGravity(p.world, p.c.s.gravity[0], p.c.s.gravity[1], p.c.s.gravity[2]);
    dWorldSetERP(p.world, 0.2);
    dWorldSetCFM(p.world, 1e-10);
    dWorldSetContactMaxCorrectingVel(p.world, 1.0);
    dWorldSetQuickStepNumIterations(p.world, 50);
    for (int k = 0; k < p.c.plane_count; k++) {
        const double *n = p.c.planes[k];
        dCreatePlane(p.space, n[0], n[1], n[2], n[3]);
    }
    for (int b = 0; b < p.c.s.body_count; b++) add_body(&p, b);
    const scene_driver d = {&p, step, poses};
    return contact_run(&p.c, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
