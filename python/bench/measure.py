"""What Python costs: the overhead of a call, the speed of a rollout beside a C program, the memory of a million steps.

    PYTHONPATH=build/release/python python python/bench/measure.py build/release/python/rollout_reference

All times are processor times, and both sides of a comparison take turns, so that other programs on the machine matter little.
"""

from __future__ import annotations

import gc
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import polhode

MODEL = pathlib.Path(__file__).parents[2] / "examples/double_pendulum.yaml"


def call_overhead(steps: int = 500, repeats: int = 400) -> tuple[float, float]:
    """Seconds that `sim.step()` takes beyond the step itself, and the step. Short blocks in turns, of which the quickest tenth counts:
    what other programs do to the caches does not."""
    sim = polhode.Sim(polhode.Model.from_file(MODEL), step=1e-3)
    sim.state.position  # the step looks for edits from here on
    one, whole = [], []
    for _ in range(repeats):
        start = time.process_time_ns()
        for _ in range(steps):
            sim.step()
        middle = time.process_time_ns()
        sim.step(steps)
        end = time.process_time_ns()
        one.append(1e-9 * (middle - start) / steps)
        whole.append(1e-9 * (end - middle) / steps)
    one, whole = sorted(one), sorted(whole)
    tenth = repeats // 10
    return one[tenth] - whole[tenth], whole[tenth]


def reference_speed(reference: str, members: int, steps: int, threads: int) -> float:
    """Seconds of processor time for a step in C, with as many C programs at once as the rollout has threads."""
    command = [reference, str(MODEL), str(members), str(steps)]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(threads)]
    return 1e-9 * sum(float(p.communicate()[0]) for p in programs) / threads


def rollout_speed(reference: str, members: int = 1000, steps: int = 1000, threads: int = 1, repeats: int = 3) -> tuple[float, float]:
    """Seconds of processor time for a step in C and in a rollout: the best of some turns."""
    model = polhode.Model.from_file(MODEL)
    omega = np.zeros((members, 2, 3))
    omega[:, 0, 1] = 3.0 * np.arange(members) / members
    c, python = [], []
    for _ in range(repeats):
        c.append(reference_speed(reference, members, steps, threads))
        start = time.process_time()
        polhode.rollout(model, {"angular_velocity": omega}, steps, step=1e-3, threads=threads)
        python.append((time.process_time() - start) / (members * steps))
    return min(c), min(python)


def resident() -> int:
    """Bytes that this process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def growth(steps: int = 1_000_000) -> tuple[int, int, int]:
    """Bytes and Python blocks by which a loop of steps with a Python force grows, and how often the force was asked."""
    asked = 0

    def push(motion):
        nonlocal asked
        asked += 1
        return 0.0, 0.0, -motion.mass

    sim = polhode.Sim(polhode.Spec().body("b", mass=1, inertia=[1, 2, 2.5]).callback("b", push).compile(), "rk4", 1e-3)
    for _ in range(10000):
        sim.step()
    gc.collect()
    asked, blocks, before = 0, sys.getallocatedblocks(), resident()
    for _ in range(steps):
        sim.step()
    gc.collect()
    return resident() - before, sys.getallocatedblocks() - blocks, asked


def main() -> None:
    overhead, step = call_overhead()
    print(f"sim.step(): {1e9 * overhead:.0f} ns beyond the step of {1e9 * step:.0f} ns")
    if len(sys.argv) > 1:
        for threads in (1, 2):
            c, python = rollout_speed(sys.argv[1], threads=threads)
            print(f"rollout of 1000 x 1000 steps, {threads} threads: {1e9 * python:.0f} ns a step and thread, C {1e9 * c:.0f} ns: "
                  f"{100 * c / python:.0f} % of the speed of C")
    grown, blocks, asked = growth()
    print(f"10^6 steps with a Python force ({asked} calls of it): memory grows by {grown} bytes, {blocks} Python blocks")


if __name__ == "__main__":
    main()
