// Pinocchio in the comparison: joint coordinates. It has algorithms but no time loop, so the loop is here. See scene.h.
//
// Settings: "euler", semi-implicit, what is usual around Pinocchio; "rk4", the classical Runge-Kutta method on its
// coordinates (quaternions are normalised after each step), the most accurate that users reach with little code.
// Trees by aba; loops by constraintDynamics (proximal, 10 iterations) with Baumgarte's correction of time constant 10
// steps. A hinge that closes a loop is two points 0.1 m to either side of the anchor. Compiled from its headers with
// -O3 -march=native, faster than the library that comes with the package.
#include "scene.h"

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

struct peer {
    scene s;
    pin::Model model;
    pin::Data data;
    VectorXd q, v, zero, tau;
    PINOCCHIO_ALIGNED_STD_VECTOR(pin::Force) pulls; // of springs, by joint, in its axes
    std::vector<pin::JointIndex> joint; // of each body
    std::vector<Vector3d> lever;        // from the joint frame to the centre of mass
    std::vector<pin::RigidConstraintModel> loops;
    std::vector<pin::RigidConstraintData> loop_datas;
    pin::ProximalSettings proximal{1e-12, 1e-10, 10};
    bool rk4 = false;
};

static Matrix3d rotation(const double q[4])
{
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

static pin::SE3 joint_frame(const scene &s, int body) // at the start, in the world
{
    if (body < 0) return pin::SE3::Identity();
    const int holder = scene_holder(&s, body);
    const double *at = holder < 0 ? s.bodies[body].x : s.joints[holder].anchor;
    return pin::SE3(rotation(s.bodies[body].q), Vector3d(at[0], at[1], at[2]));
}

static void add_body(peer &p, int b)
{
    const scene_body &body = p.s.bodies[b];
    const int holder = scene_holder(&p.s, b);
    const scene_joint *j = holder < 0 ? nullptr : &p.s.joints[holder];
    const pin::JointIndex parent = j && j->a >= 0 ? p.joint[j->a] : 0;
    const pin::SE3 placement = joint_frame(p.s, j ? j->a : -1).actInv(joint_frame(p.s, b));
    pin::JointModel kind = pin::JointModelSpherical();
    if (!j) kind = pin::JointModelFreeFlyer();
    if (j && j->revolute) kind = pin::JointModelRevoluteUnaligned(Vector3d(j->axis_b[0], j->axis_b[1], j->axis_b[2]));
    const pin::JointIndex id = p.model.addJoint(parent, kind, placement, body.name);
    const double *I = body.I;
    Matrix3d inertia;
    inertia << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    const Vector3d lever = j ? Vector3d(-j->in_b[0], -j->in_b[1], -j->in_b[2]) : Vector3d::Zero();
    p.model.appendBodyToJoint(id, pin::Inertia(body.mass, lever, inertia), pin::SE3::Identity());
    p.joint.push_back(id);
    p.lever.push_back(lever);
}

static void set_velocity(peer &p, int b)
{
    const int holder = scene_holder(&p.s, b), at = p.model.joints[p.joint[b]].idx_v();
    const scene_body &body = p.s.bodies[b];
    if (holder < 0) {
        scene_unrotate(body.q, body.v, &p.v[at]);
        p.v.segment<3>(at + 3) = Vector3d(body.w[0], body.w[1], body.w[2]);
        return;
    }
    const scene_joint &j = p.s.joints[holder];
    double w[3];
    scene_relative_spin(&p.s, &j, w);
    if (j.revolute)
        p.v[at] = w[0] * j.axis_b[0] + w[1] * j.axis_b[1] + w[2] * j.axis_b[2];
    else
        p.v.segment<3>(at) = Vector3d(w[0], w[1], w[2]);
}

static void add_loop(peer &p, const scene_joint &j, double along, double h)
{
    const Vector3d anchor(j.anchor[0], j.anchor[1], j.anchor[2]), axis(j.axis[0], j.axis[1], j.axis[2]);
    const pin::SE3 point(Matrix3d::Identity(), anchor + along * axis);
    const pin::JointIndex a = j.a < 0 ? 0 : p.joint[j.a], b = p.joint[j.b];
    p.loops.emplace_back(pin::CONTACT_3D, p.model, a, joint_frame(p.s, j.a).actInv(point), b,
                         joint_frame(p.s, j.b).actInv(point), pin::LOCAL);
    const double tau = 10.0 * h;
    p.loops.back().baumgarte_corrector_parameters().Kp = 1.0 / (tau * tau);
    p.loops.back().baumgarte_corrector_parameters().Kd = 2.0 / tau;
}

static void open(peer &p, const char *path, const char *setting, double h)
{
    p.s = scene_read(path);
    p.rk4 = strcmp(setting, "rk4") == 0;
    p.model.gravity.linear(Vector3d(p.s.gravity[0], p.s.gravity[1], p.s.gravity[2]));
    for (int b = 0; b < p.s.body_count; b++) add_body(p, b);
    p.data = pin::Data(p.model);
    p.q = pin::neutral(p.model);
    p.v = p.zero = p.tau = VectorXd::Zero(p.model.nv);
    p.pulls.assign(p.model.joints.size(), pin::Force::Zero());
    for (int b = 0; b < p.s.body_count; b++) {
        const int holder = scene_holder(&p.s, b), at = p.model.joints[p.joint[b]].idx_q();
        set_velocity(p, b);
        if (holder < 0) p.q.segment<3>(at).setZero(); // the placement holds where it starts
    }
    for (int k = 0; k < p.s.joint_count; k++) {
        const scene_joint &j = p.s.joints[k];
        if (!j.closes) continue;
        add_loop(p, j, j.revolute ? 0.1 : 0.0, h);
        if (j.revolute) add_loop(p, j, -0.1, h);
    }
    for (auto &loop : p.loops) p.loop_datas.emplace_back(loop);
    if (!p.loops.empty()) pin::initConstraintDynamics(p.model, p.data, p.loops, p.loop_datas);
}

// ---- Motion ---------------------------------------------------------------------------------------------------------

// kp (target - q) - kd q' of the servos
static void drive(peer &p, const VectorXd &q, const VectorXd &v)
{
    for (int k = 0; k < p.s.joint_count; k++) {
        const scene_joint &j = p.s.joints[k];
        const auto &joint = p.model.joints[p.joint[j.b]];
        if (j.kp != 0.0) p.tau[joint.idx_v()] = j.kp * (j.target - q[joint.idx_q()]) - j.kd * v[joint.idx_v()];
    }
}

struct end {
    Vector3d arm, at, speed; // from the joint, in its axes; in the world
};

static end end_of(const peer &p, int body, const double in[3])
{
    const Vector3d local(in[0], in[1], in[2]);
    if (body < 0) return {local, local, Vector3d::Zero()};
    const pin::JointIndex id = p.joint[body];
    const Vector3d arm = p.lever[body] + local;
    return {arm, p.data.oMi[id].act(arm),
            p.data.oMi[id].rotation() * (p.data.v[id].linear() + p.data.v[id].angular().cross(arm))};
}

static void pull(peer &p, int body, const end &e, const Vector3d &force)
{
    if (body < 0) return;
    const Vector3d own = p.data.oMi[p.joint[body]].rotation().transpose() * force;
    p.pulls[p.joint[body]] += pin::Force(own, e.arm.cross(own));
}

static void stretch(peer &p, const VectorXd &q, const VectorXd &v)
{
    pin::forwardKinematics(p.model, p.data, q, v);
    for (auto &f : p.pulls) f.setZero();
    for (int k = 0; k < p.s.spring_count; k++) {
        const scene_spring &f = p.s.springs[k];
        const end a = end_of(p, f.a, f.in_a), b = end_of(p, f.b, f.in_b);
        const Vector3d d = b.at - a.at, n = d.normalized();
        const Vector3d force = -(f.k * (d.norm() - f.length) + f.c * n.dot(b.speed - a.speed)) * n;
        pull(p, f.b, b, force);
        pull(p, f.a, a, -force);
    }
}

static const VectorXd &acceleration(peer &p, const VectorXd &q, const VectorXd &v)
{
    if (p.s.servo_count > 0) drive(p, q, v);
    if (p.s.spring_count > 0) {
        stretch(p, q, v);
        return pin::aba(p.model, p.data, q, v, p.tau, p.pulls);
    }
    if (p.s.servo_count > 0) return pin::aba(p.model, p.data, q, v, p.tau);
    if (p.loops.empty()) return pin::aba(p.model, p.data, q, v, p.zero);
    return pin::constraintDynamics(p.model, p.data, q, v, p.zero, p.loops, p.loop_datas, p.proximal);
}

// q' of the coordinates: quaternions (x, y, z, w) turn by half the angular velocity in body axes.
static void rate(const peer &p, const VectorXd &q, const VectorXd &v, VectorXd &out)
{
    for (const pin::JointIndex id : p.joint) {
        const auto &joint = p.model.joints[id];
        const int at = joint.idx_q(), from = joint.idx_v();
        if (joint.nq() == 1) {
            out[at] = v[from];
            continue;
        }
        const bool free = joint.nq() == 7;
        const int quat = free ? at + 3 : at, spin = free ? from + 3 : from;
        const Map<const Eigen::Quaterniond> r(q.data() + quat);
        const Vector3d w = v.segment<3>(spin);
        if (free) out.segment<3>(at) = r * v.segment<3>(from);
        out.segment<3>(quat) = 0.5 * (r.w() * w + r.vec().cross(w));
        out[quat + 3] = -0.5 * r.vec().dot(w);
    }
}

static int step(void *self, double h, long long count)
{
    peer &p = *(peer *)self;
    VectorXd q = p.q, v = p.v, dq[4] = {q, q, q, q}, dv[4] = {v, v, v, v};
    for (long long n = 0; n < count; n++) {
        if (!p.rk4) {
            p.v.noalias() += h * acceleration(p, p.q, p.v);
            pin::integrate(p.model, p.q, h * p.v, q);
            p.q.swap(q);
            continue;
        }
        static const double c[4] = {0.0, 0.5, 0.5, 1.0};
        for (int k = 0; k < 4; k++) {
            q = p.q, v = p.v;
            if (k > 0) q.noalias() += c[k] * h * dq[k - 1], v.noalias() += c[k] * h * dv[k - 1];
            rate(p, q, v, dq[k]);
            dv[k] = acceleration(p, q, v);
        }
        p.q.noalias() += h / 6.0 * (dq[0] + 2.0 * dq[1] + 2.0 * dq[2] + dq[3]);
        p.v.noalias() += h / 6.0 * (dv[0] + 2.0 * dv[1] + 2.0 * dv[2] + dv[3]);
        pin::normalize(p.model, p.q);
    }
    return p.v.allFinite();
}

static void poses(void *self, scene_pose *out)
{
    peer &p = *(peer *)self;
    pin::forwardKinematics(p.model, p.data, p.q, p.v);
    for (int b = 0; b < p.s.body_count; b++) {
        const pin::SE3 &M = p.data.oMi[p.joint[b]];
        const pin::Motion &v = p.data.v[p.joint[b]];
        const Vector3d x = M.act(p.lever[b]), w = v.angular();
        const Vector3d speed = M.rotation() * (v.linear() + w.cross(p.lever[b]));
        const Eigen::Quaterniond q(M.rotation());
        const double quat[4] = {q.w(), q.x(), q.y(), q.z()};
        memcpy(out[b].x, x.data(), sizeof out[b].x);
        memcpy(out[b].v, speed.data(), sizeof out[b].v);
        memcpy(out[b].w, w.data(), sizeof out[b].w);
        memcpy(out[b].q, quat, sizeof quat);
    }
}

// ---- Trees ----------------------------------------------------------------------------------------------------------

static VectorXd values(const peer &p, const double *x)
{
    return Map<const VectorXd>(x, p.model.nv);
}

struct tree {
    peer p;
    VectorXd q, u, a, tau;
};

static void inverse(void *self, double *out)
{
    tree &t = *(tree *)self;
    Map<VectorXd>(out, t.p.model.nv) = pin::rnea(t.p.model, t.p.data, t.q, t.u, t.a);
}

static void mass(void *self, double *out)
{
    tree &t = *(tree *)self;
    const int n = t.p.model.nv;
    pin::crba(t.p.model, t.p.data, t.q, pin::Convention::WORLD);
    t.p.data.M.triangularView<Eigen::StrictlyLower>() = t.p.data.M.transpose().triangularView<Eigen::StrictlyLower>();
    Map<Eigen::MatrixXd>(out, n, n) = t.p.data.M;
}

static void forward(void *self, double *out)
{
    tree &t = *(tree *)self;
    Map<VectorXd>(out, t.p.model.nv) = pin::aba(t.p.model, t.p.data, t.q, t.u, t.tau, pin::Convention::WORLD);
}

static int run_tree(const char *path)
{
    tree t;
    open(t.p, path, "euler", 1e-3);
    t.q = values(t.p, t.p.s.q), t.u = values(t.p, t.p.s.u), t.a = values(t.p, t.p.s.a), t.tau = values(t.p, t.p.s.tau);
    const scene_tree_driver d = {&t, inverse, mass, forward};
    return scene_tree(&t.p.s, &d);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "version") == 0) return printf("%s\n", PINOCCHIO_VERSION) < 0;
    if (strcmp(what, "tree") == 0 && argc == 3) return run_tree(argv[2]);
    if (strcmp(what, "run") != 0 || argc != 7) return 2;
    peer p;
    open(p, argv[2], argv[3], atof(argv[4]));
    const scene_driver d = {&p, step, poses};
    return scene_run(&p.s, &d, atof(argv[4]), atoll(argv[5]), atoll(argv[6]));
}
