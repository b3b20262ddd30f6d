"""Calls everything with everything. Exceptions are welcome; whatever ends the interpreter is not.

    python fuzz.py SEED CALLS
"""

import gc
import inspect
import os
import random
import resource
import signal
import sys
import tempfile

import numpy as np
import polhode
from polhode import _core, clifford

def pendulum():
    return (polhode.Spec("fuzz", gravity=[0, 0, -9.81]).body("rod", mass=2, inertia=[0.17, 0.01, 0.17], position=[0, 0.5, 0])
            .joint("hinge", "revolute", "world", "rod", anchor=[0, 0, 0], axis=[1, 0, 0])
            .wrench("rod", torque=["u", 0, 0]).input(u=0).run(step=1e-3, until=0.01))


class Evil:
    """Lies about itself."""

    def __len__(self):
        return random.choice([-1, 0, 3, 5])

    def __getitem__(self, index):
        return random.choice([1.0, "x", None, self])

    def __float__(self):
        raise ZeroDivisionError("no")

    def __index__(self):
        return random.choice([-5, 0, 2**70])

    def __fspath__(self):
        return random.choice(["/no/such", b"\xff\0", 3])

    def __call__(self, *arguments):
        return random.choice([None, (1, 2, 3), "abc", self, arguments])


def scenery():
    """Objects to call and to pass, some of them with their parents gone."""
    model = pendulum().compile()
    sim = polhode.Sim(model)
    forced = polhode.Spec().body("b", mass=1, inertia=[1, 1, 1]).callback("b", Evil()).compile()
    orphan = polhode.Sim(pendulum().compile()).state.position
    result = polhode.Sim(pendulum().compile()).run()
    tree = polhode.Tree.from_model(model)
    algebra = clifford.Algebra(2, 1, 1)
    twist = clifford.Twist(np.arange(6.0))
    return [model, sim, sim.state, forced, polhode.Sim(forced, step=1e-3), orphan, result, result._recording, tree, algebra,
            algebra["e1"], twist, twist.exp(), clifford.Inertia(np.ones(10)), clifford.Point.make([1, 2, 3]), polhode.Spec("s"),
            pendulum(), polhode.Link(mass=1), polhode.Cone.free()]


def junk(objects):
    frozen = np.zeros(6)
    frozen.flags.writeable = False
    return [None, True, False, 0, 1, -1, 3, 10**6, 2**31, 2**63, 10**30, 0.0, 1e-3, -1e300, float("nan"), float("inf"), "", "rod",
            "rattlie", "hinge", "\0", "ü" * 100, "x" * 100000, "\ud800", b"bytes", (), (1, 2, 3), ("rattlie",), [], [1.0] * 6, {},
            {"position": [1]}, {"l": [1, 2]}, {1: 2}, set(), object(), Evil(), lambda *a: None, np.zeros(0), np.zeros(3), np.zeros(6),
            np.zeros((2, 6)), np.zeros((1, 3)), np.zeros(7)[::2], np.zeros(6, dtype=np.float32), np.zeros(6, dtype=object),
            np.zeros((3, 3)), np.full(6, np.nan), frozen, np.array(1.0), np.arange(4, dtype=np.int32), memoryview(b"abcd"),
            np.eye(3), range(3), iter([1, 2]), int, polhode.Model, Evil, *objects]


def targets(objects):
    """Every function and method there is, but for what would only make files or windows."""
    skipped = {"save", "to_hdf5", "to_csv", "write", "open", "sweep", "page", "view", "__class__", "__init_subclass__", "__subclasshook__",
               "__del__", "__sizeof__", "__reduce_ex__", "__reduce__", "__dir__", "__getattribute__"}
    found = []
    for place in [polhode, _core, clifford, *objects]:
        for name in dir(place):
            if name in skipped or (name.startswith("__") and inspect.ismodule(place)):
                continue
            try:
                value = getattr(place, name)
            except Exception:
                continue
            if callable(value) and not (inspect.isclass(value) and issubclass(value, BaseException)):
                found.append((place, name))
    return found


def good_calls(objects):
    """Calls that are right, to be spoilt in one or two places."""
    model, sim, state, tree, algebra = objects[0], objects[1], objects[2], objects[8], objects[9]
    push = Evil()
    outs = (np.zeros((2, 2, 1, 3)), np.zeros((2, 2, 1, 4)), np.zeros((2, 2, 1, 3)), np.zeros((2, 2, 1, 3)), np.zeros((2, 2)),
            np.zeros((2, 2)), np.zeros(2))
    starts = (np.zeros((2, 1, 3)), np.ones((2, 1, 4)), np.zeros((2, 1, 3)), np.zeros((2, 1, 3)), np.zeros((2, 1)))
    index = np.arange(3, dtype=np.int32)
    links = ((-1, 0, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0, (1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)),) * 2
    return [
        (_core.run, (state, None, None, 1e-14, 30, 1, 1e-3, 0.01, 1, ("position",), True, "", push, None)),
        (_core.rollout, ((model, model), None, starts, outs, 10, 10, 1e-3, 2, "rattlie", None, 1e-14, 30)),
        (_core.rollout, ((model, model), (state, state), (None,) * 5, outs, 10, 10, 1e-3, 2, None, None, 1e-14, 30)),
        (_core.cone_solve, (3, index, index, np.ones(3), -np.ones(3), np.zeros(3), np.zeros(3), ((3, 0.5, None, None, 0.0, 0.0),),
                            "newton", False, 0, 1e-8, 10, False, True)),
        (_core.compare, (model, ("rattlie", "rk4"), None, 1e-3, 0.01, 10, -2)),
        (_core.order, (model, ("rattlie",), np.array([2e-3, 1e-3]), np.array([0.01]), None, 0)),
        (_core.clifford, ("motor_mul", 2, (np.zeros((2, 8)), np.zeros((2, 8))), np.zeros((2, 8)))),
        (_core.clifford_convert, (0, np.zeros(6), np.zeros(256), -1.0)),
        (_core.plot, ("t", (("a", "x", "y", False, True, False, False, (("s", np.ones(3), np.ones(3), 0, 1, "#aabbcc"),)),))),
        (tree._call, ("inverse_dynamics", 2, 0.0, (np.zeros(2), np.zeros(2), None, None, np.zeros(2)))),
        (tree._call, ("jacobian", 1, 0.0, (np.zeros(1), np.zeros(6)))),
        (_core.Tree._from_links, (links, (0.0, 0.0, -9.81))),
        (algebra.apply, (0, np.ones(16), np.ones(16), 1)),
        (polhode.Model._read, (None, pendulum().to_text(), "x", (("u", "1"),), ((0, -2, push, None, None, "f"),))),
        (_core.Sim, (state, 1e-3, "rattlie", None, 1e-14, 30, 1)),
        (_core.Algebra, ((1, -1, 0), ("a", "b", "c"))),
        (sim.step, (3, 1e-3)),
        (polhode.rollout, (model, {"velocity": np.zeros((2, 1, 3))}, 5)),
        (polhode.cone_solve, (np.eye(3), np.ones(3), [0.5])),
        (sim.state._load, (sim.state._save(),)),
    ]


def spoil(value, pool):
    """Replaces one part of a nested tuple, or all of it."""
    if isinstance(value, tuple) and value and random.random() < 0.8:
        k = random.randrange(len(value))
        return (*value[:k], spoil(value[k], pool), *value[k + 1:])
    if isinstance(value, bytes) and value and random.random() < 0.7:
        k = random.randrange(len(value))
        return value[:k] + bytes([random.randrange(256)]) + value[k + 1:]
    return random.choice(pool)


class TooLong(Exception):
    pass


def interrupt(*_):
    raise TooLong


def main(seed, calls):
    random.seed(seed)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    signal.signal(signal.SIGALRM, interrupt)
    sys.unraisablehook = lambda *_: None
    np.seterr(all="ignore")
    raised = 0
    for k in range(calls):
        if k % 200 == 0:
            objects = scenery()
            pool, all_targets, calls_to_spoil = junk(objects), targets(objects), good_calls(objects)
            gc.collect()
        keywords = {}
        if random.random() < 0.6:
            function, arguments = random.choice(calls_to_spoil)
            for _ in range(random.choice([0, 1, 1, 1, 2])):
                arguments = spoil(arguments, pool) if isinstance(arguments, tuple) else (arguments,)
            arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        else:
            place, name = random.choice(all_targets)
            function = getattr(place, name, None)
            arguments = [random.choice(pool) for _ in range(random.choice([0, 1, 1, 2, 2, 3, 4, 7, 12]))]
            if random.random() < 0.2:
                keywords = {random.choice(["n", "h", "step", "scheme", "until", "threads", "record", "steps"]): random.choice(pool)}
        print(k, getattr(function, "__qualname__", function), file=sys.stderr, flush=True)
        thing = random.choice(objects)
        attribute = random.choice(["position", "orientation", "time", "step_size", "inputs", "model", "algebra", "array"])
        value, edits = random.choice(pool), random.random() < 0.2
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            if edits:
                setattr(thing, attribute, value)
            function(*arguments, **keywords)
        except BaseException:
            raised += 1
        finally:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
            except TooLong:
                pass
    print(f"{calls} calls, {raised} exceptions")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(int(sys.argv[1]), int(sys.argv[2]))
