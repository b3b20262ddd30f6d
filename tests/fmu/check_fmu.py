"""FMUs of several models: found in order by two checkers, simulated by fmpy to the same bits as `polhode run`.

    check_fmu.py PROGRAM SOURCE [CASE...]
"""
import os
import subprocess
import sys
import tempfile
import traceback

import fmpy
import numpy as np
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave
from fmpy.validation import validate_fmu

program, source = sys.argv[1], sys.argv[2]
folder = tempfile.mkdtemp(prefix="polhode_fmu_")


def call(*arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def export(model, version, *more):
    path = os.path.join(folder, f"{abs(hash((model, version, more)))}.fmu")
    done = call("export", model, "-o", path, "--fmi", version, *more)
    assert done.returncode == 0, done.stderr
    return path


def run(model, *more):
    """The rows of `polhode run`: every array by its name, all bits of it."""
    result, arrays = os.path.join(folder, "run.h5"), os.path.join(folder, "run.npz")
    done = call("run", model, "-o", result, "--quiet", *more)
    assert done.returncode == 0, done.stderr
    done = call("convert", result, arrays)
    assert done.returncode == 0, done.stderr
    return dict(np.load(arrays))


def example(name):
    return os.path.join(source, name)


class Instance:
    """One FMU, loaded and initialised, of either version."""

    def __init__(self, path, start=None, early=False):
        self.about = fmpy.read_model_description(path)
        self.version = int(self.about.fmiVersion[0])
        self.reference = {v.name: v.valueReference for v in self.about.modelVariables}
        unpacked = fmpy.extract(path)
        kind = FMU2Slave if self.version == 2 else FMU3Slave
        self.fmu = kind(guid=self.about.guid, unzipDirectory=unpacked, instanceName="one",
                        modelIdentifier=self.about.coSimulation.modelIdentifier)
        if self.version == 2:
            self.fmu.instantiate()
            self.fmu.setupExperiment(startTime=0.0)
        else:
            self.fmu.instantiate(earlyReturnAllowed=early)
        for name, value in (start or {}).items():
            self.set(name, value)
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def set(self, name, value):
        reference = [self.reference[name]]
        if isinstance(value, str):
            self.fmu.setString(reference, [value])
        else:
            (self.fmu.setReal if self.version == 2 else self.fmu.setFloat64)(reference, [value])

    def get(self, name):
        get = self.fmu.getReal if self.version == 2 else self.fmu.getFloat64
        return get([self.reference[name]])[0]

    def step(self, time, length):
        return self.fmu.doStep(currentCommunicationPoint=time, communicationStepSize=length)

    def close(self):
        self.fmu.terminate()
        self.fmu.freeInstance()


def follow(path, names, count, length, start=None):
    one = Instance(path, start)
    rows = [[one.get(n) for n in names]]
    for k in range(count):
        one.step(k * length, length)
        rows.append([one.get(n) for n in names])
    one.close()
    return np.array(rows)


def same(a, b, what):
    assert a.shape == b.shape, (what, a.shape, b.shape)
    different = np.flatnonzero(a.view(np.int64) != b.view(np.int64))
    assert different.size == 0, f"{what}: other bits from row {different[0]} on: {a[different[0]]!r}, {b[different[0]]!r}"


# ---- Cases ----------------------------------------------------------------------------------------------------------

MODELS = {
    "double pendulum": ("examples/double_pendulum.yaml", ["--output", "rod2.position", "--output", "energy"]),
    "slider crank": ("examples/slider_crank_driven.yaml", ["--output", "energy"]),
    "contact": ("tests/golden/scenes/contact.yaml", ["--output", "ball1.position", "--output", "contacts"]),
    "joints": ("tests/golden/scenes/joints.yaml", ["--output", "energy"]),
    "free": ("tests/golden/scenes/free.yaml", []),
    "robot": ("examples/robots/quadruped.yaml", []),
}


def case_checkers_find_nothing():
    for name, (model, more) in MODELS.items():
        if not os.path.exists(example(model)):
            continue
        for version in ("2", "3"):
            path = export(example(model), version, *more)
            found = validate_fmu(path)
            assert not found, (name, version, found)
            check_by_toolbox(path, name, version)


def check_by_toolbox(path, name, version):
    """The second checker: PyPI's fmu-manipulation-toolbox."""
    from fmu_manipulation_toolbox.operations import FMU
    from fmu_manipulation_toolbox.checker import get_checkers
    for kind in get_checkers():
        checker = kind()
        FMU(path).apply_operation(checker)
        assert getattr(checker, "compliant_with_version", None) in (None, f"{version}.0"), (name, version, checker)


def case_bits_are_those_of_run():
    steps = 100
    for name, (model, more) in MODELS.items():
        if name == "robot":
            continue
        for version in ("2", "3"):
            path = export(example(model), version, *more)
            about = fmpy.read_model_description(path)
            h = float(next(v.start for v in about.modelVariables if v.name == "run.step"))
            rows = run(example(model), "--until", repr(steps * h))
            names = [v.name for v in about.modelVariables
                     if v.name.startswith("joints.") and v.name.endswith(("coordinate", "rate"))]
            ours = follow(path, names, steps, h)
            for k, full in enumerate(names):
                same(ours[:, k], rows[full.replace(".", "/")].reshape(-1), f"{name}, FMI {version}, {full}")
            for body in ("rod2", "ball1"):
                if f"{body}.position.x" in {v.name for v in about.modelVariables}:
                    index = list(rows["bodies"]).index(body)
                    for axis, letter in enumerate("xyz"):
                        full = f"{body}.position.{letter}"
                        same(follow(path, [full], steps, h)[:, 0], rows["position"][:, index, axis].copy(), full)


def case_longer_steps_of_the_caller_give_the_same_bits():
    path, names = export(example("examples/double_pendulum.yaml"), "3", "--output", "rod2.position"), ["rod2.position.x"]
    h = 1e-3
    fine, coarse = follow(path, names, 100, h, {"run.step": h}), follow(path, names, 10, 10 * h, {"run.step": h})
    same(fine[::10].copy(), coarse, names[0])


def case_parameters_are_those_of_set():
    model = example("examples/double_pendulum.yaml")
    for version in ("2", "3"):
        path = export(model, version, "--output", "rod2.position.z")
        rows = run(model, "--set", "l=1.25", "--set", "g=1.62", "--scheme", "lgvi", "--step", "0.002", "--until", "0.1")
        ours = follow(path, ["rod2.position.z"], 50, 0.002, {"l": 1.25, "g": 1.62, "run.step": 0.002, "run.scheme": "lgvi"})
        same(ours[:, 0], rows["position"][:, list(rows["bodies"]).index("rod2"), 2].copy(), f"FMI {version}")
        exported = export(model, version, "--output", "rod2.position.z", "--set", "l=1.25", "--set", "g=1.62",
                          "--scheme", "lgvi", "--step", "0.002")
        same(follow(exported, ["rod2.position.z"], 50, 0.002), ours, "set at export")


def case_going_back_gives_the_same_bits():
    for model, name in (("examples/double_pendulum.yaml", "rod2.position.x"),
                        ("tests/golden/scenes/contact.yaml", "ball1.position.z")):
        for version in ("2", "3"):
            one = Instance(export(example(model), version, "--output", name.rsplit(".", 1)[0]))
            h = one.get("run.step")

            def go(k, count):
                rows = []
                for i in range(count):
                    one.step((k + i) * h, h)
                    rows.append(one.get(name))
                return np.array(rows)

            go(0, 40)
            state = one.fmu.getFMUstate() if version == "2" else one.fmu.getFMUState()
            if version == "2":
                kept = one.fmu.serializeFMUstate(state)
            else:
                kept = one.fmu.serializeFMUState(state)
            first = go(40, 30)
            one.fmu.setFMUstate(state) if version == "2" else one.fmu.setFMUState(state)
            same(go(40, 30), first, f"{model}, FMI {version}, rollback")
            again = one.fmu.deSerializeFMUstate(kept) if version == "2" else one.fmu.deserializeFMUState(kept)
            one.fmu.setFMUstate(again) if version == "2" else one.fmu.setFMUState(again)
            same(go(40, 30), first, f"{model}, FMI {version}, from bytes")
            one.close()


def case_steps_return_early_at_contacts():
    path = export(example("tests/golden/scenes/contact.yaml"), "3", "--output", "ball1.position")
    one = Instance(path, early=True)
    times, time, until = [], 0.0, 0.4
    while time < until - 1e-12 and len(times) < 400:
        event, terminate, early, reached = one.step(time, until - time)[:4]
        if not early:
            break
        times.append(reached)
        time = reached
    assert times and times == sorted(times) and 0.0 < times[0] < until, times
    ends = one.get("ball1.position.z")
    one.close()
    straight = Instance(path)
    for k in range(200):
        straight.step(k * 2e-3, 2e-3)
    assert ends == straight.get("ball1.position.z")
    straight.close()


def case_fmpy_simulates_by_itself():
    model = example("examples/double_pendulum.yaml")
    for version in ("2", "3"):
        path = export(model, version)
        result = fmpy.simulate_fmu(path, stop_time=0.1, output_interval=0.01)
        assert len(result) >= 10


def case_inputs_act():
    model = os.path.join(folder, "driven.yaml")
    with open(model, "w") as file:
        file.write("polhode: 1\nname: driven by a torque\ngravity: [0, 0, 0]\ninputs: {u: 0}\n"
                   "bodies: [{name: wheel, mass: 1, inertia: [2, 2, 2]}]\n"
                   "joints: [{name: hinge, type: revolute, bodies: [world, wheel], anchor: [0, 0, 0], axis: [0, 0, 1],"
                   " motor: {torque: u}}]\nrun: {scheme: rattlie, step: 1e-3, until: 1}\n")
    for version in ("2", "3"):
        one = Instance(export(model, version))
        one.set("u", 4.0)
        for k in range(1000):
            one.step(k * 1e-3, 1e-3)
        rate = one.get("joints.hinge.rate")
        one.close()
        assert abs(rate - 2.0) < 1e-9, rate


def case_bad_input_is_told():
    model = example("examples/double_pendulum.yaml")
    for arguments, word in (((model,), "missing"), ((model, "-o", "a.zip"), ".fmu"),
                            ((model, "-o", f"{folder}/a.fmu", "--fmi", "1"), "2 and 3"),
                            ((model, "-o", f"{folder}/a.fmu", "--output", "rod9.position"), "rod9"),
                            ((model, "-o", f"{folder}/a.fmu", "--scheme", "nothing"), "nothing"),
                            ((model, "-o", f"{folder}/a.fmu", "--runtime", "/nowhere"), "not there")):
        done = call("export", *arguments)
        assert done.returncode != 0 and word in done.stderr, (arguments, done.stderr)


def main():
    wanted = sys.argv[3:]
    passed = failed = 0
    for name, case in list(globals().items()):
        if not name.startswith("case_") or (wanted and not any(w in name for w in wanted)):
            continue
        try:
            case()
            print("ok", name[5:])
            passed += 1
        except Exception:
            traceback.print_exc(limit=3, file=sys.stdout)
            print("FAIL", name[5:])
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return failed


sys.exit(main() > 0)
