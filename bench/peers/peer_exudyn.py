"""EXUDYN in the comparison: redundant coordinates with constraints. See scene.h.

Settings: "generalized-alpha", its default implicit solver (spectral radius 0.9, index 3); "trapezoidal", its index-2
trapezoidal rule, which does not damp and is its most accurate for constrained bodies; "rk44", explicit Runge-Kutta on the Lie
group, for bodies without joints. Euler parameters, except for rk44. Newton to 1e-10; dense solver for small scenes, sparse for
chains; loops with redundant constraints by the Eigen solver that tolerates them. Nothing is written to files. The loop runs
inside SolveDynamic; where the motion is measured on the way, the time of that is taken off.
"""

import time

import exudyn as exu
from exudyn.utilities import RigidBodyInertia

from scene import Record, Scene, main, stop


class Peer:
    def __init__(self, path, setting, h):
        self.scene = s = Scene(path)
        self.setting, self.h = setting, h
        self.system = exu.SystemContainer()
        self.mbs = mbs = self.system.AddSystem()
        if setting == "rk44" and s.joints:
            stop("explicit integrators have no joints")
        lie = setting == "rk44"
        node = exu.NodeType.RotationRotationVector if lie else exu.NodeType.RotationEulerParameters
        ground = mbs.CreateGround()
        self.bodies = [mbs.CreateRigidBody(inertia=RigidBodyInertia(mass=b.mass, inertiaTensor=b.I), nodeType=node,
                                           referencePosition=list(b.x), referenceRotationMatrix=b.R,
                                           initialVelocity=list(b.v), initialAngularVelocity=list(b.R @ b.w),
                                           gravity=list(s.gravity)) for b in s.bodies]
        for j in s.joints:
            pair = [ground if j.a < 0 else self.bodies[j.a], self.bodies[j.b]]
            if j.revolute:
                mbs.CreateRevoluteJoint(itemNumbers=pair, position=list(j.anchor), axis=list(j.axis))
            else:
                mbs.CreateSphericalJoint(itemNumbers=pair, position=list(j.anchor))
        mbs.Assemble()

    def settings(self, steps):
        s = exu.SimulationSettings()
        s.timeIntegration.numberOfSteps = steps
        s.timeIntegration.endTime = steps * self.h
        s.timeIntegration.verboseMode = 0
        s.timeIntegration.automaticStepSize = False
        s.timeIntegration.adaptiveStep = False
        s.timeIntegration.generalizedAlpha.spectralRadius = 0.9
        s.timeIntegration.newton.relativeTolerance = 1e-10
        s.timeIntegration.newton.useModifiedNewton = True
        s.solutionSettings.writeSolutionToFile = False
        s.solutionSettings.sensorsWritePeriod = 1e9
        loops = any(j.closes for j in self.scene.joints)
        if len(self.bodies) > 10:
            s.linearSolverType = exu.LinearSolverType.EigenSparse
        elif loops:
            s.linearSolverType = exu.LinearSolverType.EigenDense
            s.linearSolverSettings.ignoreSingularJacobian = True
        else:
            s.linearSolverType = exu.LinearSolverType.EXUdense
        return s

    def poses(self):
        V, get = exu.OutputVariableType, self.mbs.GetObjectOutputBody
        out = []
        for body in self.bodies:
            R = get(body, V.RotationMatrix, [0, 0, 0]).reshape(3, 3)
            out.append((get(body, V.Position, [0, 0, 0]), R, get(body, V.Velocity, [0, 0, 0]),
                        get(body, V.AngularVelocityLocal, [0, 0, 0])))
        return out

    def run(self, steps, block):
        kinds = exu.DynamicSolverType
        kind = {"generalized-alpha": kinds.GeneralizedAlpha, "trapezoidal": kinds.TrapezoidalIndex2, "rk44": kinds.RK44}
        record, lost, seen = Record(self.scene), [0.0], [0]
        record.measure(self.poses(), 0.0)

        def before_step(mbs, t):
            n = round(t / self.h) - 1  # steps made so far
            if n > seen[0] and n % block == 0:
                began = time.thread_time()
                record.measure(self.poses(), n * self.h)
                seen[0] = n
                lost[0] += time.thread_time() - began
            return True

        if block < steps:
            self.mbs.SetPreStepUserFunction(before_step)
        began = time.thread_time()
        good = self.mbs.SolveDynamic(self.settings(steps), solverType=kind[self.setting], updateInitialValues=True,
                                     autoAssemble=False)
        cpu = time.thread_time() - began - lost[0]
        if not good:
            stop("the solver gave up")
        record.measure(self.poses(), steps * self.h)
        return record.result(self.poses(), cpu, steps)


def move(path, setting, h, steps, block):
    return Peer(path, setting, h).run(steps, block)


main(lambda: exu.__version__, move)
