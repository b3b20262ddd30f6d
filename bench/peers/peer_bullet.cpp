// Bullet (double precision) in the comparison. See scene.h.
//
// Settings: "multibody", btMultiBody, joint coordinates by Featherstone's algorithm (what its authors recommend for
// mechanisms), semi-implicit Euler; "bodies", btRigidBody with point and hinge constraints in maximal coordinates, 50
// iterations. No damping, no sleeping; rigid bodies with the implicit gyroscopic term, its default and best. A joint that
// closes a loop in "multibody" is one point constraint, for a hinge two, 0.1 m to either side of the anchor.
#include "scene.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletDynamicsCommon.h>

#include <vector>

struct peer {
    scene s;
    btMultiBodyDynamicsWorld *world;
    std::vector<btRigidBody *> bodies;
    btMultiBody *tree = nullptr;
};

static btVector3 vec(const double x[3])
{
    return btVector3(x[0], x[1], x[2]);
}

static btQuaternion quat(const double q[4])
{
    return btQuaternion(q[1], q[2], q[3], q[0]);
}

// Bullet knows principal moments only: all scenes have them along the body axes.
static btVector3 moments(const scene_body &b)
{
    if (fabs(b.I[3]) + fabs(b.I[4]) + fabs(b.I[5]) > 1e-12 * (b.I[0] + b.I[1] + b.I[2]))
        scene_stop("Bullet knows principal moments only");
    return btVector3(b.I[0], b.I[1], b.I[2]);
}

// ---- Maximal coordinates --------------------------------------------------------------------------------------------

static void add_rigid(peer &p, int b)
{
    const scene_body &from = p.s.bodies[b];
    double w[3];
    btRigidBody::btRigidBodyConstructionInfo info(from.mass, nullptr, new btEmptyShape, moments(from));
    info.m_startWorldTransform = btTransform(quat(from.q), vec(from.x));
    btRigidBody *body = new btRigidBody(info);
    body->setDamping(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    body->setFlags(BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY);
    scene_rotate(from.q, from.w, w);
    body->setLinearVelocity(vec(from.v));
    body->setAngularVelocity(vec(w));
    p.world->addRigidBody(body, 0, 0);
    p.bodies.push_back(body);
}

static btTransform hinge_frame(const double at[3], const double axis[3])
{
    const btVector3 z = vec(axis).normalized();
    btVector3 x, y;
    btPlaneSpace1(z, x, y);
    return btTransform(btMatrix3x3(x.x(), y.x(), z.x(), x.y(), y.y(), z.y(), x.z(), y.z(), z.z()), vec(at));
}

static void add_constraint(peer &p, const scene_joint &j)
{
    btRigidBody &b = *p.bodies[j.b], &a = j.a < 0 ? btTypedConstraint::getFixedBody() : *p.bodies[j.a];
    if (!j.revolute) {
        p.world->addConstraint(new btPoint2PointConstraint(b, a, vec(j.in_b), vec(j.in_a)), true);
        return;
    }
    const btTransform frame = hinge_frame(j.anchor, j.axis); // the same at the start, seen from both
    p.world->addConstraint(new btHingeConstraint(b, a, b.getWorldTransform().inverse() * frame,
                                                 a.getWorldTransform().inverse() * frame),
                           true);
}

// ---- Joint coordinates ----------------------------------------------------------------------------------------------

// Where parent and child stand to each other at the start: Bullet wants the turn from parent to child.
static void setup_link(peer &p, int b)
{
    const int holder = scene_holder(&p.s, b);
    const scene_joint &j = p.s.joints[holder];
    const scene_body &body = p.s.bodies[b];
    const btQuaternion parent = j.a < 0 ? btQuaternion::getIdentity() : quat(p.s.bodies[j.a].q);
    const btQuaternion turn = quat(body.q).inverse() * parent;
    const btVector3 to_pivot = vec(j.in_a), to_com = -vec(j.in_b);
    if (j.revolute)
        p.tree->setupRevolute(b, body.mass, moments(body), j.a, turn, vec(j.axis_b), to_pivot, to_com, true);
    else
        p.tree->setupSpherical(b, body.mass, moments(body), j.a, turn, to_pivot, to_com, true);
}

static void set_velocity(peer &p, int b)
{
    const scene_joint &j = p.s.joints[scene_holder(&p.s, b)];
    double w[3];
    scene_relative_spin(&p.s, &j, w);
    const double along = w[0] * j.axis_b[0] + w[1] * j.axis_b[1] + w[2] * j.axis_b[2];
    if (j.revolute)
        p.tree->setJointVel(b, along);
    else
        p.tree->setJointVelMultiDof(b, w);
}

// Constraints act only on links that have a collider, even one without shape and partners.
static void add_collider(peer &p, int link)
{
    auto *collider = new btMultiBodyLinkCollider(p.tree, link);
    collider->setCollisionShape(new btEmptyShape);
    p.world->addCollisionObject(collider, 0, 0);
    (link < 0 ? p.tree->setBaseCollider(collider) : (void)(p.tree->getLink(link).m_collider = collider));
}

static void close_loop(peer &p, const scene_joint &j, double along)
{
    const btVector3 in_b = vec(j.in_b) + along * vec(j.axis_b);
    const btVector3 at = vec(j.anchor) + along * vec(j.axis);
    auto *point = j.a < 0 ? new btMultiBodyPoint2Point(p.tree, j.b, (btRigidBody *)nullptr, in_b, at)
                          : new btMultiBodyPoint2Point(p.tree, j.b, p.tree, j.a, in_b, vec(j.in_a) + along * vec(j.axis_a));
    point->setMaxAppliedImpulse(1e30);
    p.world->addMultiBodyConstraint(point);
}

static void set_base_velocity(peer &p)
{
    double w[3];
    scene_rotate(p.s.bodies[0].q, p.s.bodies[0].w, w);
    p.tree->setBaseVel(vec(p.s.bodies[0].v));
    p.tree->setBaseOmega(vec(w));
}

static void build_tree(peer &p)
{
    const bool free = p.s.joint_count == 0; // a base without links
    if (free) {
        p.tree = new btMultiBody(0, p.s.bodies[0].mass, moments(p.s.bodies[0]), false, false);
        p.tree->setBasePos(vec(p.s.bodies[0].x));
        p.tree->setWorldToBaseRot(quat(p.s.bodies[0].q).inverse());
    } else {
        p.tree = new btMultiBody(p.s.body_count, 0, btVector3(0, 0, 0), true, false);
        p.tree->setBasePos(btVector3(0, 0, 0));
        p.tree->setWorldToBaseRot(btQuaternion::getIdentity());
        for (int b = 0; b < p.s.body_count; b++) setup_link(p, b);
    }
    p.tree->finalizeMultiDof();
    p.tree->setLinearDamping(0);
    p.tree->setAngularDamping(0);
    p.tree->setUseGyroTerm(true);
    p.tree->setMaxCoordinateVelocity(1e10);
    p.world->addMultiBody(p.tree);
    if (free) set_base_velocity(p);
    for (int b = 0; b < p.s.body_count && !free; b++) set_velocity(p, b);
    for (int k = 0; k < p.s.joint_count; k++) {
        const scene_joint &j = p.s.joints[k];
        if (!j.closes) continue;
        for (int b = -1; b < p.s.body_count; b++) add_collider(p, b);
        close_loop(p, j, j.revolute ? 0.1 : 0.0);
        if (j.revolute) close_loop(p, j, -0.1);
    }
}

// ---- Motion ---------------------------------------------------------------------------------------------------------

static int step(void *self, double h, long long count)
{
    peer &p = *(peer *)self;
    for (long long i = 0; i < count; i++) p.world->stepSimulation(h, 0);
    return 1;
}

static void set_pose(scene_pose &out, const btVector3 &x, const btQuaternion &q, const btVector3 &v, const btVector3 &w)
{
    const double all[3][3] = {{x.x(), x.y(), x.z()}, {v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}};
    const double turn[4] = {q.w(), q.x(), q.y(), q.z()};
    memcpy(out.x, all[0], sizeof out.x);
    memcpy(out.v, all[1], sizeof out.v);
    memcpy(out.w, all[2], sizeof out.w);
    memcpy(out.q, turn, sizeof out.q);
}

static void poses(void *self, scene_pose *out)
{
    peer &p = *(peer *)self;
    for (int b = 0; b < (int)p.bodies.size(); b++) {
        const btTransform &at = p.bodies[b]->getWorldTransform();
        set_pose(out[b], at.getOrigin(), at.getRotation(), p.bodies[b]->getLinearVelocity(),
                 at.getBasis().transpose() * p.bodies[b]->getAngularVelocity());
    }
    if (!p.tree) return;
    if (p.s.joint_count == 0) {
        const btQuaternion q = p.tree->getWorldToBaseRot().inverse();
        set_pose(out[0], p.tree->getBasePos(), q, p.tree->getBaseVel(), quatRotate(q.inverse(), p.tree->getBaseOmega()));
        return;
    }
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places, omega, velocity;
    omega.resize(p.s.body_count + 1), velocity.resize(p.s.body_count + 1);
    p.tree->forwardKinematics(turns, places);
    p.tree->compTreeLinkVelocities(&omega[0], &velocity[0]); // both in link axes
    for (int b = 0; b < p.s.body_count; b++) {
        const btTransform at = p.tree->getLink(b).m_cachedWorldTransform;
        set_pose(out[b], at.getOrigin(), at.getRotation(), at.getBasis() * velocity[b + 1], omega[b + 1]);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "version") == 0) return printf("%d.%02d\n", btGetVersion() / 100, btGetVersion() % 100) < 0;
    if (strcmp(what, "run") != 0 || argc != 7) return 2;
    peer p;
    auto *configuration = new btDefaultCollisionConfiguration;
    p.s = scene_read(argv[2]);
    scene_refuse_machines(&p.s);
    p.world = new btMultiBodyDynamicsWorld(new btCollisionDispatcher(configuration), new btDbvtBroadphase,
                                           new btMultiBodyConstraintSolver, configuration);
    p.world->setGravity(vec(p.s.gravity));
    p.world->getSolverInfo().m_numIterations = 50;
    if (strcmp(argv[3], "multibody") == 0) {
        build_tree(p);
    } else {
        for (int b = 0; b < p.s.body_count; b++) add_rigid(p, b);
        for (int k = 0; k < p.s.joint_count; k++) add_constraint(p, p.s.joints[k]);
    }
    const scene_driver d = {&p, step, poses};
    return scene_run(&p.s, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
