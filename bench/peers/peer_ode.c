// ODE (Open Dynamics Engine, double precision) in the comparison: maximal coordinates, semi-implicit Euler. See scene.h.
//
// Settings: "step", dWorldStep, which solves the joints exactly (its most accurate); "quick", dWorldQuickStep with 50
// iterations, which its manual recommends for large systems. Error reduction 0.8 (more closes joints faster, the manual
// names 0.1 to 0.8), constraint softness 1e-10 (its default; redundant loops need some), no auto-disable, no damping;
// gyroscopic torque and finite rotations on.
#include "scene.h"

#include <ode/ode.h>
#include <ode/version.h>

typedef struct peer {
    scene s;
    dWorldID world;
    dBodyID *bodies;
    int quick;
} peer;

static void add_body(peer *p, int b)
{
    const scene_body *from = &p->s.bodies[b];
    const dBodyID body = p->bodies[b] = dBodyCreate(p->world);
    double w[3];
    dMass mass;
    dMassSetParameters(&mass, from->mass, 0, 0, 0, from->I[0], from->I[1], from->I[2], from->I[3], from->I[4],
                       from->I[5]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from->x[0], from->x[1], from->x[2]);
    dBodySetQuaternion(body, from->q);
    dBodySetLinearVel(body, from->v[0], from->v[1], from->v[2]);
    scene_rotate(from->q, from->w, w);
    dBodySetAngularVel(body, w[0], w[1], w[2]);
    dBodySetGyroscopicMode(body, 1);
    dBodySetFiniteRotationMode(body, 1);
    dBodySetAutoDisableFlag(body, 0);
}

static void add_joint(peer *p, const scene_joint *j)
{
    const dJointID joint = j->revolute ? dJointCreateHinge(p->world, 0) : dJointCreateBall(p->world, 0);
    dJointAttach(joint, p->bodies[j->b], j->a < 0 ? 0 : p->bodies[j->a]);
    if (j->revolute) {
        dJointSetHingeAnchor(joint, j->anchor[0], j->anchor[1], j->anchor[2]);
        dJointSetHingeAxis(joint, j->axis[0], j->axis[1], j->axis[2]);
    } else {
        dJointSetBallAnchor(joint, j->anchor[0], j->anchor[1], j->anchor[2]);
    }
}

static int step(void *self, double h, long long count)
{
    peer *p = self;
    for (long long i = 0; i < count; i++)
        if (!(p->quick ? dWorldQuickStep(p->world, h) : dWorldStep(p->world, h))) return 0;
    return 1;
}

static void poses(void *self, scene_pose *out)
{
    peer *p = self;
    for (int b = 0; b < p->s.body_count; b++) {
        const dBodyID body = p->bodies[b];
        memcpy(out[b].x, dBodyGetPosition(body), sizeof out[b].x);
        memcpy(out[b].q, dBodyGetQuaternion(body), sizeof out[b].q);
        memcpy(out[b].v, dBodyGetLinearVel(body), sizeof out[b].v);
        scene_unrotate(out[b].q, dBodyGetAngularVel(body), out[b].w);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "version") == 0) return printf("%s\n", dODE_VERSION) < 0;
    if (strcmp(what, "run") != 0 || argc != 7) return 2;
    dInitODE2(0);
    if (!dCheckConfiguration("ODE_double_precision")) scene_stop("ODE is not in double precision");
    peer p = {.s = scene_read(argv[2]), .world = dWorldCreate(), .quick = strcmp(argv[3], "quick") == 0};
    scene_refuse_machines(&p.s);
    p.bodies = calloc((size_t)p.s.body_count, sizeof *p.bodies);
    dWorldSetGravity(p.world, p.s.gravity[0], p.s.gravity[1], p.s.gravity[2]);
    dWorldSetERP(p.world, 0.8);
    dWorldSetCFM(p.world, 1e-10);
    dWorldSetQuickStepNumIterations(p.world, 50);
    for (int b = 0; b < p.s.body_count; b++) add_body(&p, b);
    for (int k = 0; k < p.s.joint_count; k++) add_joint(&p, &p.s.joints[k]);
    const scene_driver d = {&p, step, poses};
    return scene_run(&p.s, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
