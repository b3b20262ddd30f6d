"""Drake in the comparison: joint coordinates. See scene.h.

Settings: "rk3", a continuous plant under its default integrator, Runge-Kutta of order 3, with a fixed step here so that the
cost can be set; "discrete", a discrete plant with the SAP solver, what it recommends for contact and the only way to close a
loop (ball constraints; a hinge is two, 0.1 m to either side of the anchor). A ball joint has roll-pitch-yaw angles in Drake:
its frames are turned so that the axis about which the body spins at the start is the roll axis, which keeps heavy tops away
from the singular pitch. The loop runs inside Simulator.AdvanceTo.
"""

import importlib.metadata

import numpy as np
from pydrake.all import (BallRpyJoint, FixedOffsetFrame, MultibodyPlant, RevoluteJoint,
                         RigidTransform, RotationMatrix, Simulator, SpatialInertia, SpatialVelocity, UnitInertia)
from pydrake.multibody.tree import MultibodyForces

from scene import Scene, main, run, stop, time_of


def inertia(body):
    I = body.I / body.mass
    return SpatialInertia(body.mass, np.zeros(3), UnitInertia(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))


def spin_frame(w):
    """A rotation whose x axis is along w."""
    if np.linalg.norm(w) == 0.0:
        return RotationMatrix()
    x = w / np.linalg.norm(w)
    z = np.cross(x, np.eye(3)[int(np.argmin(abs(x)))])
    z /= np.linalg.norm(z)
    return RotationMatrix(np.column_stack([x, np.cross(z, x), z]))


class Peer:
    def __init__(self, path, setting, h):
        self.scene = s = Scene(path)
        # Ball constraints with the world crash in this version, so loops are cut between moving bodies.
        s.joints.sort(key=lambda j: j.a >= 0)
        for k, j in enumerate(s.joints):
            j.closes = any(other.b == j.b for other in s.joints[:k])
        self.discrete = setting == "discrete"
        self.plant = plant = MultibodyPlant(h if self.discrete else 0.0)
        plant.mutable_gravity_field().set_gravity_vector(s.gravity)
        self.bodies = [plant.AddRigidBody(b.name, inertia(b)) for b in s.bodies]
        self.joints = [self.add_joint(j) for j in s.joints]
        plant.Finalize()
        self.simulator = Simulator(plant)
        self.context = self.simulator.get_mutable_context()
        self.start()
        if not self.discrete:
            integrator = self.simulator.get_mutable_integrator()
            integrator.set_maximum_step_size(h)
            integrator.set_fixed_step_mode(True)
        self.simulator.Initialize()

    def frame(self, body, point, R, name):
        base = self.plant.world_frame() if body < 0 else self.bodies[body].body_frame()
        return self.plant.AddFrame(FixedOffsetFrame(name, base, RigidTransform(R, point)))

    def add_joint(self, j):
        s, plant = self.scene, self.plant
        if j.closes:
            if not self.discrete:
                stop("continuous plants have no loops")
            for along in (0.1, -0.1) if j.revolute else (0.0,):
                a = plant.world_body() if j.a < 0 else self.bodies[j.a]
                plant.AddBallConstraint(self.bodies[j.b], j.in_b + along * j.axis_b, a, j.in_a + along * j.axis_a)
            return None
        turn = spin_frame(s.bodies[j.b].w) if not j.revolute else RotationMatrix()
        R_a = RotationMatrix(s.bodies[j.a].R.T @ s.bodies[j.b].R if j.a >= 0 else s.bodies[j.b].R)
        on_a = self.frame(j.a, j.in_a, R_a @ turn, j.name + "_a")
        on_b = self.frame(j.b, j.in_b, turn, j.name + "_b")
        joint = RevoluteJoint(j.name, on_a, on_b, j.axis_b) if j.revolute else BallRpyJoint(j.name, on_a, on_b)
        return plant.AddJoint(joint)

    def start(self):
        for k, b in enumerate(self.scene.bodies):
            j = self.scene.holder(k)
            if j is None:
                self.plant.SetFreeBodyPose(self.context, self.bodies[k], RigidTransform(RotationMatrix(b.R), b.x))
                self.plant.SetFreeBodySpatialVelocity(self.context, self.bodies[k], SpatialVelocity(b.R @ b.w, b.v))
                continue
            joint, spin = self.joints[self.scene.joints.index(j)], self.scene.relative_spin(j)
            if j.revolute:
                joint.set_angular_rate(self.context, float(spin @ j.axis_b))
            else:
                turn = spin_frame(b.w).matrix()
                joint.set_angular_velocity(self.context, turn.T @ spin)

    def advance(self, h, count):
        self.done = getattr(self, "done", 0) + count
        self.simulator.AdvanceTo(self.done * h)

    def poses(self):
        out = []
        for body in self.bodies:
            X = self.plant.EvalBodyPoseInWorld(self.context, body)
            V = self.plant.EvalBodySpatialVelocityInWorld(self.context, body)
            R = X.rotation().matrix()
            out.append((X.translation(), R, V.translational(), R.T @ V.rotational()))
        return out


def run_tree(path):
    """Through Python, as Drake's wheel has no headers: about a microsecond a call is Python's."""
    p = Peer(path, "rk3", 1e-3)
    s, plant, context = p.scene, p.plant, p.context
    order = [joint.velocity_start() for joint in p.joints]
    n = len(order)

    def put(x):
        out = np.zeros(n)
        out[order] = x
        return out

    q, u, a, tau = (put(s.values[k]) for k in ("q", "u", "a", "tau"))
    state, none = np.concatenate([q, u]), MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, none)

    def fresh():  # nothing of an earlier call may be kept
        plant.SetPositionsAndVelocities(context, state)

    def inverse():
        fresh()
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcInverseDynamics(context, a, forces)

    def mass():
        fresh()
        return plant.CalcMassMatrix(context)

    def forward():
        fresh()
        plant.get_applied_generalized_force_input_port().FixValue(context, tau)
        return plant.get_generalized_acceleration_output_port().Eval(context)

    out = {}
    for name, call in (("inverse", inverse), ("mass", mass), ("forward", forward)):
        result = call()
        result = result[np.ix_(order, order)] if name == "mass" else result[order]
        out[name] = {"time_s": time_of(call), "values": list(map(float, result.ravel()))}
    return out


def move(path, setting, h, steps, block):
    p = Peer(path, setting, h)
    return run(p.scene, lambda count: p.advance(h, count), p.poses, h, steps, block)


main(lambda: importlib.metadata.version("drake"), move, run_tree)
