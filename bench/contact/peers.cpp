// The heaps of `polhode bench` in Polhode, ODE and Bullet, one after the other in one process and one thread: time per step
// in processor time, largest overlap over all steps, ratios to Polhode.
//
// Overlap is what each engine's own collision detection finds at the start of a step. Margins: Bullet's boxes keep their
// 4 cm collision margin inside the box, ODE has none. Peers make 50 iterations of their default solvers with warm start
// where they have it (Bullet); neither says how far it is from a solution.
#include "../../cli/bench_heaps.h"

#include <btBulletDynamicsCommon.h>
#include <ode/ode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace {

const int iterations = 50;

struct outcome {
    double ms, overlap, contacts;
};

double seconds()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

const double walls[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};

int wall_count(const heap &h)
{
    return h.width > 0.0 ? 5 : 1;
}

// ---- ODE ------------------------------------------------------------------------------------------------------------

struct ode_world {
    dWorldID world;
    dJointGroupID group;
    double overlap;
    int contacts;
};

void ode_near(void *data, dGeomID a, dGeomID b)
{
    ode_world *o = static_cast<ode_world *>(data);
    dContact contact[4];
    const int count = dCollide(a, b, 4, &contact[0].geom, sizeof(dContact));
    for (int k = 0; k < count; k++) {
        contact[k].surface.mode = dContactApprox1;
        contact[k].surface.mu = HEAP_FRICTION;
        o->overlap = std::max(o->overlap, double(contact[k].geom.depth));
        dJointAttach(dJointCreateContact(o->world, o->group, &contact[k]), dGeomGetBody(a), dGeomGetBody(b));
    }
    o->contacts += count;
}

outcome run_ode(const heap &h)
{
    dInitODE();
    ode_world o = {dWorldCreate(), dJointGroupCreate(0), 0.0, 0};
    dSpaceID space = dSimpleSpaceCreate(nullptr), moving = dHashSpaceCreate(nullptr); // planes; bodies
    dHashSpaceSetLevels(moving, -4, 0);
    dWorldSetGravity(o.world, 0, 0, -HEAP_GRAVITY);
    dWorldSetQuickStepNumIterations(o.world, iterations);
    for (int k = 0; k < wall_count(h); k++) dCreatePlane(space, walls[k][0], walls[k][1], walls[k][2], k ? -0.5 * h.width : 0.0);
    for (int k = 0; k < h.bodies; k++) {
        const heap_body at = heap_place(&h, k);
        dBodyID body = dBodyCreate(o.world);
        dMass mass;
        const double side = 2.0 * h.half;
        dGeomID geom = h.kind == HEAP_SPHERES ? dCreateSphere(moving, h.half) : dCreateBox(moving, side, side, side);
        if (h.kind == HEAP_SPHERES)
            dMassSetSphere(&mass, HEAP_DENSITY, h.half);
        else
            dMassSetBox(&mass, HEAP_DENSITY, side, side, side);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, at.position[0], at.position[1], at.position[2]);
        const dQuaternion q = {at.orientation[0], at.orientation[1], at.orientation[2], at.orientation[3]};
        dBodySetQuaternion(body, q);
        dGeomSetBody(geom, body);
    }
    double contacts = 0.0;
    const double began = seconds();
    for (int step = 0; step < h.steps; step++) {
        o.contacts = 0;
        dSpaceCollide(moving, &o, ode_near);
        dSpaceCollide2(reinterpret_cast<dGeomID>(space), reinterpret_cast<dGeomID>(moving), &o, ode_near);
        dWorldQuickStep(o.world, HEAP_STEP);
        dJointGroupEmpty(o.group);
        contacts += double(o.contacts) / h.steps;
    }
    const double ms = 1e3 * (seconds() - began) / h.steps;
    dJointGroupDestroy(o.group);
    dSpaceDestroy(space);
    dSpaceDestroy(moving);
    dWorldDestroy(o.world);
    dCloseODE();
    return {ms, o.overlap, contacts};
}

// ---- Bullet ---------------------------------------------------------------------------------------------------------

outcome run_bullet(const heap &h)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, 0, btScalar(-HEAP_GRAVITY)));
    world.getSolverInfo().m_numIterations = iterations;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    const auto add = [&](double mass, btCollisionShape *shape, const btTransform &at) {
        btVector3 inertia(0, 0, 0);
        if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
        btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape, inertia);
        info.m_startWorldTransform = at;
        info.m_friction = btScalar(std::sqrt(HEAP_FRICTION)); // a pair has the product
        bodies.emplace_back(new btRigidBody(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
    };
    const double side = 2.0 * h.half, pi = 3.14159265358979323846;
    const double mass = HEAP_DENSITY * (h.kind == HEAP_SPHERES ? 4.0 / 3.0 * pi * h.half * h.half * h.half : side * side * side);
    for (int k = 0; k < wall_count(h); k++) {
        const btVector3 n(btScalar(walls[k][0]), btScalar(walls[k][1]), btScalar(walls[k][2]));
        shapes.emplace_back(new btStaticPlaneShape(n, btScalar(k ? -0.5 * h.width : 0.0)));
        add(0.0, shapes.back().get(), btTransform::getIdentity());
    }
    if (h.kind == HEAP_SPHERES)
        shapes.emplace_back(new btSphereShape(btScalar(h.half)));
    else
        shapes.emplace_back(new btBoxShape(btVector3(btScalar(h.half), btScalar(h.half), btScalar(h.half))));
    btCollisionShape *shape = shapes.back().get();
    for (int k = 0; k < h.bodies; k++) {
        const heap_body at = heap_place(&h, k);
        const btQuaternion q(btScalar(at.orientation[1]), btScalar(at.orientation[2]), btScalar(at.orientation[3]),
                             btScalar(at.orientation[0]));
        add(mass, shape, btTransform(q, btVector3(btScalar(at.position[0]), btScalar(at.position[1]), btScalar(at.position[2]))));
    }
    double overlap = 0.0, contacts = 0.0, spent = 0.0;
    for (int step = 0; step < h.steps; step++) {
        const double began = seconds();
        world.stepSimulation(btScalar(HEAP_STEP), 0, btScalar(HEAP_STEP));
        spent += seconds() - began;
        for (int m = 0; m < dispatcher.getNumManifolds(); m++) {
            const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(m);
            for (int k = 0; k < manifold->getNumContacts(); k++)
                overlap = std::max(overlap, -double(manifold->getContactPoint(k).getDistance()));
            contacts += double(manifold->getNumContacts()) / h.steps;
        }
    }
    for (auto &body : bodies) world.removeRigidBody(body.get());
    return {1e3 * spent / h.steps, overlap, contacts};
}

// ---- Polhode, by its own command ------------------------------------------------------------------------------------

double field(const char *text, const char *name)
{
    const char *at = std::strstr(text, name);
    double value = 0.0;
    if (at) std::sscanf(at + std::strlen(name), "\":%lf", &value);
    return value;
}

outcome run_polhode(const char *program, const heap &h)
{
    char command[1024], text[16384];
    std::snprintf(command, sizeof command, "'%s' bench --json --only %s", program, h.name);
    FILE *pipe = popen(command, "r");
    const size_t length = pipe ? std::fread(text, 1, sizeof text - 1, pipe) : 0;
    text[length] = '\0';
    if (pipe) pclose(pipe);
    return {field(text, "ms_per_step"), field(text, "penetration_max"), field(text, "contacts_mean")};
}

void print(const char *engine, const outcome &o, const outcome &ours)
{
    std::printf("  %-9s %9.3f ms/step %9.1e m overlap %8.0f contacts   time x %5.2f   overlap x %7.1f\n", engine, o.ms,
                o.overlap, o.contacts, o.ms / ours.ms, o.overlap / ours.overlap);
    std::fflush(stdout);
}

} // namespace

int main(int count, char **arguments)
{
    std::printf("ODE in %s, Bullet in %s precision; %d iterations each; step %g s, friction %g\n",
                sizeof(dReal) == 8 ? "double" : "single", sizeof(btScalar) == 8 ? "double" : "single", iterations,
                HEAP_STEP, HEAP_FRICTION);
    for (int i = 0; i < heap_count; i++) {
        bool wanted = count < 3 && !heaps[i].large;
        for (int k = 2; k < count; k++) wanted = wanted || std::strcmp(arguments[k], heaps[i].name) == 0;
        if (!wanted) continue;
        std::printf("%s: %s\n", heaps[i].name, heaps[i].title);
        const outcome ours = run_polhode(arguments[1], heaps[i]);
        print("polhode", ours, ours);
        print("ODE", run_ode(heaps[i]), ours);
        print("Bullet", run_bullet(heaps[i]), ours);
    }
    return 0;
}
