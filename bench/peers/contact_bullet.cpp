// Bullet (double precision) in the contact scenes. See contact.h.
//
// Settings: "default", sequential impulses with 10 iterations, as it comes; "iterations-50", five times as many, the usual
// way to more accuracy. No damping, no sleeping.
#include "contact.h"

#include <btBulletDynamicsCommon.h>

#include <vector>

struct peer {
    contact_scene c;
    btDiscreteDynamicsWorld *world;
    std::vector<btRigidBody *> bodies;
};

static void add(peer &p, double mass, btCollisionShape *shape, const btTransform &at, const btVector3 &moments)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, moments);
    info.m_startWorldTransform = at;
    info.m_friction = sqrt(p.c.friction); // it multiplies those of a pair
    btRigidBody *body = new btRigidBody(info);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    p.world->addRigidBody(body);
    if (mass > 0) p.bodies.push_back(body);
}

static int step(void *self, double h, long long count)
{
    peer &p = *(peer *)self;
    for (long long i = 0; i < count; i++) p.world->stepSimulation(h, 0);
    return 1;
}

static void poses(void *self, scene_pose *out)
{
    peer &p = *(peer *)self;
    for (size_t b = 0; b < p.bodies.size(); b++) {
        const btTransform &at = p.bodies[b]->getWorldTransform();
        const btQuaternion q = at.getRotation();
        const double x[3] = {at.getOrigin().x(), at.getOrigin().y(), at.getOrigin().z()};
        const double turn[4] = {q.w(), q.x(), q.y(), q.z()};
        memcpy(out[b].x, x, sizeof x);
        memcpy(out[b].q, turn, sizeof turn);
    }
}

int main(int argc, char **argv)
{
    if (argc != 7 || strcmp(argv[1], "contact") != 0) return 2;
    peer p;
    auto *configuration = new btDefaultCollisionConfiguration;
    p.c = contact_read(argv[2]);
    p.world = new btDiscreteDynamicsWorld(new btCollisionDispatcher(configuration), new btDbvtBroadphase,
                                          new btSequentialImpulseConstraintSolver, configuration);
    p.world->setGravity(btVector3(p.c.s.gravity[0], p.c.s.gravity[1], p.c.s.gravity[2]));
    p.world->getSolverInfo().m_numIterations = strcmp(argv[3], "iterations-50") == 0 ? 50 : 10;
    for (int k = 0; k < p.c.plane_count; k++) {
        const double *n = p.c.planes[k];
        add(p, 0, new btStaticPlaneShape(btVector3(n[0], n[1], n[2]), n[3]), btTransform::getIdentity(), btVector3(0, 0, 0));
    }
    for (int b = 0; b < p.c.s.body_count; b++) {
        const scene_body &from = p.c.s.bodies[b];
        const double *size = p.c.shapes[b].size;
        btCollisionShape *shape = p.c.shapes[b].sphere
                                      ? (btCollisionShape *)new btSphereShape(size[0])
                                      : new btBoxShape(btVector3(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]));
        const btQuaternion q(from.q[1], from.q[2], from.q[3], from.q[0]);
        add(p, from.mass, shape, btTransform(q, btVector3(from.x[0], from.x[1], from.x[2])),
            btVector3(from.I[0], from.I[1], from.I[2]));
    }
    const scene_driver d = {&p, step, poses};
    return contact_run(&p.c, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
