// MuJoCo in the comparison: joint coordinates, loops closed by its (soft) equality constraints. See scene.h.
//
// Settings: "implicitfast", which its documentation recommends; "implicit", which it names for fast spin, as it knows the
// derivative of gyroscopic forces; "rk4", its most accurate integrator. Contacts are switched
// off (nothing can touch), the Newton solver may go down to 1e-14. Equality constraints get the stiffest behaviour that
// MuJoCo admits: time constant of two steps (its lower bound), impedance 0.9999 (its upper bound). A hinge that closes a
// loop is two `connect` points 0.1 m to either side of the anchor. Trees: only the stages that the result needs.
#include "scene.h"

#include <mujoco/mujoco.h>

typedef struct peer {
    scene s;
    mjModel *m;
    mjData *d;
} peer;

static void relative_pose(const scene *s, const scene_joint *j, int b, double pos[3], double quat[4])
{
    const int a = j ? j->a : -1;
    memcpy(pos, s->bodies[b].x, sizeof(double[3]));
    memcpy(quat, s->bodies[b].q, sizeof(double[4]));
    if (a < 0) return;
    const scene_body *parent = &s->bodies[a];
    const double d[3] = {pos[0] - parent->x[0], pos[1] - parent->x[1], pos[2] - parent->x[2]};
    double back[4];
    scene_unrotate(parent->q, d, pos);
    mju_negQuat(back, parent->q);
    mju_mulQuat(quat, back, s->bodies[b].q);
}

static void add_body(const scene *s, mjsBody **bodies, mjsBody *world, int b)
{
    const int holder = scene_holder(s, b);
    const scene_joint *j = holder < 0 ? NULL : &s->joints[holder];
    mjsBody *body = bodies[b] = mjs_addBody(j && j->a >= 0 ? bodies[j->a] : world, NULL);
    relative_pose(s, j, b, body->pos, body->quat);
    mjs_setName(body->element, s->bodies[b].name);
    body->mass = s->bodies[b].mass;
    body->explicitinertial = 1;
    memset(body->ipos, 0, sizeof body->ipos);
    memcpy(body->fullinertia, s->bodies[b].I, sizeof s->bodies[b].I);
    mjsJoint *joint = j ? mjs_addJoint(body, NULL) : mjs_addFreeJoint(body);
    if (!j) return;
    joint->type = j->revolute ? mjJNT_HINGE : mjJNT_BALL;
    memcpy(joint->pos, j->in_b, sizeof joint->pos);
    memcpy(joint->axis, j->axis_b, sizeof joint->axis);
    joint->stiffness[0] = j->kp, joint->damping[0] = j->kd, joint->springref = j->target;
}

static void add_site(mjsBody **bodies, mjsBody *world, int body, const double in[3], const char *name)
{
    mjsSite *site = mjs_addSite(body < 0 ? world : bodies[body], NULL);
    mjs_setName(site->element, name);
    memcpy(site->pos, in, sizeof site->pos);
}

static void add_spring(const scene *s, mjSpec *spec, mjsBody **bodies, mjsBody *world, int k)
{
    const scene_spring *f = &s->springs[k];
    char name[2][32];
    snprintf(name[0], sizeof name[0], "a%d", k), snprintf(name[1], sizeof name[1], "b%d", k);
    add_site(bodies, world, f->a, f->in_a, name[0]);
    add_site(bodies, world, f->b, f->in_b, name[1]);
    mjsTendon *tendon = mjs_addTendon(spec, NULL);
    tendon->stiffness[0] = f->k, tendon->damping[0] = f->c;
    tendon->springlength[0] = tendon->springlength[1] = f->length;
    mjs_wrapSite(tendon, name[0]);
    mjs_wrapSite(tendon, name[1]);
}

static void add_connect(const scene *s, mjSpec *spec, const scene_joint *j, double along, double h)
{
    mjsEquality *e = mjs_addEquality(spec, NULL);
    e->type = mjEQ_CONNECT;
    e->objtype = mjOBJ_BODY;
    mjs_setString(e->name1, s->bodies[j->b].name);
    mjs_setString(e->name2, j->a < 0 ? "world" : s->bodies[j->a].name);
    for (int i = 0; i < 3; i++) e->data[i] = j->in_b[i] + along * j->axis_b[i];
    e->solref[0] = 2.0 * h, e->solref[1] = 1.0;
    e->solimp[0] = e->solimp[1] = 0.9999;
}

static void set_velocities(peer *p)
{
    for (int b = 0; b < p->s.body_count; b++) {
        const int holder = scene_holder(&p->s, b), joint = p->m->body_jntadr[b + 1];
        mjtNum *v = p->d->qvel + p->m->jnt_dofadr[joint];
        if (holder < 0) {
            memcpy(v, p->s.bodies[b].v, sizeof(double[3]));
            memcpy(v + 3, p->s.bodies[b].w, sizeof(double[3]));
            continue;
        }
        double w[3];
        scene_relative_spin(&p->s, &p->s.joints[holder], w);
        const double *u = p->s.joints[holder].axis_b;
        if (p->s.joints[holder].revolute)
            v[0] = w[0] * u[0] + w[1] * u[1] + w[2] * u[2];
        else
            memcpy(v, w, sizeof w);
    }
}

static peer peer_open(const char *path, const char *setting, double h)
{
    peer p = {.s = scene_read(path)};
    mjSpec *spec = mj_makeSpec();
    mjsBody **bodies = calloc((size_t)p.s.body_count, sizeof *bodies), *world = mjs_findBody(spec, "world");
    memcpy(spec->option.gravity, p.s.gravity, sizeof p.s.gravity);
    spec->option.timestep = h;
    spec->compiler.degree = 0;
    spec->option.integrator = strcmp(setting, "rk4") == 0        ? mjINT_RK4
                              : strcmp(setting, "implicit") == 0 ? mjINT_IMPLICIT
                                                                 : mjINT_IMPLICITFAST;
    spec->option.tolerance = 1e-14;
    spec->option.disableflags |= mjDSBL_CONTACT;
    for (int b = 0; b < p.s.body_count; b++) add_body(&p.s, bodies, world, b);
    for (int k = 0; k < p.s.spring_count; k++) add_spring(&p.s, spec, bodies, world, k);
    for (int k = 0; k < p.s.joint_count; k++) {
        const scene_joint *j = &p.s.joints[k];
        if (!j->closes) continue;
        add_connect(&p.s, spec, j, j->revolute ? 0.1 : 0.0, h);
        if (j->revolute) add_connect(&p.s, spec, j, -0.1, h);
    }
    p.m = mj_compile(spec, NULL);
    if (!p.m) {
        fprintf(stderr, "%s\n", mjs_getError(spec));
        scene_stop("the model does not compile");
    }
    p.d = mj_makeData(p.m);
    if (!p.d) scene_stop("not enough memory");
    set_velocities(&p);
    free(bodies);
    return p;
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
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
    mj_comVel(p->m, p->d);
    for (int b = 0; b < p->s.body_count; b++) {
        mjtNum v[6];
        memcpy(out[b].x, p->d->xpos + 3 * (b + 1), sizeof out[b].x);
        memcpy(out[b].q, p->d->xquat + 4 * (b + 1), sizeof out[b].q);
        mj_objectVelocity(p->m, p->d, mjOBJ_XBODY, b + 1, v, 1);
        memcpy(out[b].w, v, sizeof out[b].w);
        scene_rotate(out[b].q, v + 3, out[b].v);
    }
}

// ---- Trees ----------------------------------------------------------------------------------------------------------

static void kinematics(peer *p)
{
    mj_kinematics(p->m, p->d);
    mj_comPos(p->m, p->d);
}

static void inverse(void *self, double *tau)
{
    peer *p = self;
    kinematics(p);
    mj_comVel(p->m, p->d);
    memcpy(p->d->qacc, p->s.a, sizeof(double) * (size_t)p->m->nv);
    mj_rne(p->m, p->d, 1, tau);
}

static void mass(void *self, double *M)
{
    peer *p = self;
    kinematics(p);
    mj_makeM(p->m, p->d);
    mj_fullM(p->m, p->d, M);
}

static void forward(void *self, double *a)
{
    peer *p = self;
    kinematics(p);
    mj_makeM(p->m, p->d);
    mj_factorM(p->m, p->d);
    mj_comVel(p->m, p->d);
    mj_rne(p->m, p->d, 0, a);
    for (int i = 0; i < p->m->nv; i++) a[i] = p->s.tau[i] - a[i];
    mj_solveM(p->m, p->d, a, a, 1);
}

static int run_tree(peer *p)
{
    memcpy(p->d->qpos, p->s.q, sizeof(double) * (size_t)p->m->nq);
    memcpy(p->d->qvel, p->s.u, sizeof(double) * (size_t)p->m->nv);
    const scene_tree_driver d = {p, inverse, mass, forward};
    return scene_tree(&p->s, &d);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "version") == 0) return printf("%s\n", mj_versionString()) < 0;
    if (strcmp(what, "tree") == 0 && argc == 3) {
        peer p = peer_open(argv[2], "implicitfast", 1e-3);
        return run_tree(&p);
    }
    if (strcmp(what, "run") != 0 || argc != 7) return 2;
    peer p = peer_open(argv[2], argv[3], atof(argv[4]));
    const scene_driver d = {&p, step, poses};
    return scene_run(&p.s, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
