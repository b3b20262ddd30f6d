"""What scene.h is for drivers in Python: reads a scene, measures a motion in the same way, prints the same JSON."""

import json
import math
import sys
import time
from types import SimpleNamespace

import numpy as np


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Failed(Exception):
    """Told to the caller as {"failed": why}."""


def stop(why):
    raise Failed(why)


class Scene:
    def __init__(self, path):
        self.bodies, self.joints, self.values = [], [], {}
        for line in open(path):
            word, *rest = line.split()
            if word == "gravity":
                self.gravity = np.array(rest, float)
            elif word == "body":
                n = np.array(rest[1:], float)
                I = np.array([[n[1], n[4], n[5]], [n[4], n[2], n[6]], [n[5], n[6], n[3]]])
                self.bodies.append(SimpleNamespace(name=rest[0], mass=n[0], I=I, x=n[7:10], q=n[10:14], R=matrix(n[10:14]),
                                                   v=n[14:17], w=n[17:20]))
            elif word == "joint":
                self.add_joint(rest)
            elif word in ("servo", "spring"):
                stop("explicit: this driver has no servos and springs")
            elif word == "values":
                self.values[rest[0]] = np.array(rest[2:], float)

    def add_joint(self, rest):
        n = np.array(rest[4:], float)
        j = SimpleNamespace(name=rest[0], revolute=rest[1] == "revolute", a=int(rest[2]), b=int(rest[3]), anchor=n[:3],
                            axis=n[3:])
        j.closes = any(other.b == j.b for other in self.joints)
        for body, end in ((j.a, "a"), (j.b, "b")):
            x, R = (self.bodies[body].x, self.bodies[body].R) if body >= 0 else (np.zeros(3), np.eye(3))
            setattr(j, "in_" + end, R.T @ (j.anchor - x))
            setattr(j, "axis_" + end, R.T @ j.axis)
        self.joints.append(j)

    def relative_spin(self, j):
        """Angular velocity of the child relative to the parent at the start, in the axes of the child."""
        parent = self.bodies[j.a].R @ self.bodies[j.a].w if j.a >= 0 else np.zeros(3)
        return self.bodies[j.b].w - self.bodies[j.b].R.T @ parent

    def holder(self, b):
        return next((j for j in self.joints if j.b == b and not j.closes), None)

    # A pose is (x, R, v, w), w in body axes.

    def energy(self, poses):
        T = sum(0.5 * b.mass * v @ v + 0.5 * w @ b.I @ w for b, (_, _, v, w) in zip(self.bodies, poses))
        return T, T - sum(b.mass * self.gravity @ x for b, (x, _, _, _) in zip(self.bodies, poses))

    def violation(self, poses):
        worst = 0.0
        for j in self.joints:
            ends = []
            for body, point, axis in ((j.a, j.in_a, j.axis_a), (j.b, j.in_b, j.axis_b)):
                x, R = poses[body][:2] if body >= 0 else (np.zeros(3), np.eye(3))
                ends.append((x + R @ point, R @ axis))
            worst = max(worst, float(np.linalg.norm(ends[0][0] - ends[1][0])))
            if j.revolute:
                worst = max(worst, float(np.linalg.norm(np.cross(ends[0][1], ends[1][1]))))
        return worst


class Record:
    def __init__(self, scene):
        self.scene, self.flips = scene, []
        self.scale = self.energy_max = self.energy_end = self.worst = 0.0

    def measure(self, poses, time):
        kinetic, energy = self.scene.energy(poses)
        spin = poses[0][3][1]
        if time == 0.0:
            self.start = energy
        elif spin * self.last[1] < 0.0:
            self.flips.append(self.last[0] + (time - self.last[0]) * self.last[1] / (self.last[1] - spin))
        self.last = time, spin
        self.scale = max(self.scale, kinetic)
        self.energy_end = energy - self.start
        if not math.isfinite(energy):
            stop("the motion blew up")
        self.energy_max = max(self.energy_max, abs(self.energy_end))
        self.worst = max(self.worst, self.scene.violation(poses))

    def result(self, poses, cpu, steps):
        return {"cpu_s": cpu, "steps": steps, "energy_scale": self.scale, "energy_max": self.energy_max,
                          "energy_end": self.energy_end, "violation": self.worst,
                          "positions": [list(map(float, p[0])) for p in poses[:16]], "flips": self.flips}


def run(scene, advance, poses, h, steps, block):
    """advance(count) makes steps; poses() tells where the bodies are. Only advance is timed."""
    record, cpu, done = Record(scene), 0.0, 0
    record.measure(poses(), 0.0)
    while done < steps:
        count = min(block, steps - done)
        began = time.thread_time()
        try:
            advance(count)
        except Exception as problem:
            raise Failed("a step failed: " + str(problem).split("\n")[0][:80])
        cpu += time.thread_time() - began
        done += count
        record.measure(poses(), h * done)
    return record.result(poses(), cpu, steps)


def time_of(call):
    """Time of one call: the middle of many short measurements."""
    times, count = [], 1
    while len(times) < 21:
        began = time.thread_time()
        for _ in range(count):
            call()
        took = time.thread_time() - began
        if took < 4e-3 and count < 1 << 30:
            count *= 2
        else:
            times.append(took / count)
    return sorted(times)[len(times) // 2]


def attempt(move, *arguments):
    try:
        return move(*arguments)
    except Exception as problem:
        return {"failed": str(problem).strip().split("\n")[0][:80] or type(problem).__name__}


def main(version, move, tree=None):
    """move(path, setting, h, steps, block) gives a result. `sweep` halves the step twice from run to run, as measure.py does."""
    what, *rest = sys.argv[1:]
    if what == "version":
        print(version())
    elif what == "tree":
        print(json.dumps(tree(*rest)))
    elif what in ("run", "contact"):
        path, setting, h, steps, block = rest
        print(json.dumps(attempt(move, path, setting, float(h), int(steps), int(block))))
    elif what == "sweep":
        path, setting, until, steps, finest, longest = rest[:2] + [float(rest[2]), int(rest[3]), int(rest[4]), float(rest[5])]
        results = []
        while steps <= finest and (not results or results[-1].get("cpu_s", 0.0) <= longest):
            results.append(attempt(move, path, setting, until / steps, steps, steps))
            steps *= 4
        print(json.dumps(results))
