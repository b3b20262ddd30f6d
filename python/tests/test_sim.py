"""States, simulations and runs."""

import gc
import json
import os
import signal
import subprocess
import threading
import time
import weakref

import numpy as np
import polhode
import pytest
from conftest import EXAMPLES, PENDULUM


def test_arrays_are_views(pendulum):
    sim = polhode.Sim(pendulum)
    x = sim.state.position
    assert x is sim.state.position
    before = x.copy()
    sim.step(10)
    assert (x != before).any()
    assert x.shape == (1, 3) and sim.state.orientation.shape == (1, 4) and sim.state.inputs.shape == (1,)


def test_steps_are_the_same_however_they_are_counted(double_pendulum):
    a, b = polhode.Sim(double_pendulum), polhode.Sim(double_pendulum)
    a.step(100)
    for _ in range(100):
        b.step()
    np.testing.assert_array_equal(a.state.position, b.state.position)
    c = polhode.Sim(double_pendulum)
    c.step(n=50)
    c.step(50, h=1e-3)
    np.testing.assert_array_equal(a.state.position, c.state.position)


def test_run_is_what_the_program_runs(double_pendulum):
    """All digits of final states and largest errors equal those of the command line."""
    answer = json.loads(subprocess.run(
        [os.environ["POLHODE_PROGRAM"], "run", EXAMPLES / "double_pendulum.yaml", "--until", "2", "--json"],
        capture_output=True, check=True).stdout)
    sim = polhode.Sim(double_pendulum)
    result = sim.run(until=2, record=False)
    for i, body in enumerate(answer["final"]["bodies"]):
        np.testing.assert_array_equal(sim.state.position[i], body["position"])
        np.testing.assert_array_equal(sim.state.angular_velocity[i], body["angular_velocity"])
    for key in ("energy", "momentum", "newton", "steps", "position_violation_max"):
        assert result.summary[key] == answer[key]


def test_result_by_name(double_pendulum, tmp_path):
    result = polhode.Sim(double_pendulum).run(until=0.1, every=7)
    n = 1 + 14 + 1
    assert result.time.shape == (n,)
    assert result.position.shape == (n, 2, 3)
    assert result["orientation"].shape == (n, 2, 4)
    assert result.energy.total.shape == result["energy/total"].shape == (n,)
    assert result.joints["A"].force.shape == (n, 3)
    assert list(result.joints) == ["O", "A"]
    assert result.body("rod2").velocity.shape == (n, 3)
    np.testing.assert_allclose(result.energy.total, result.energy.kinetic + result.energy.potential, atol=1e-12)
    assert result.time[1] == 7e-3 and result.time[-1] == 0.1
    with pytest.raises(KeyError, match="enrgy.*did you mean 'energy'"):
        result["enrgy"]
    with pytest.raises(AttributeError, match="enrgy"):
        result.enrgy


def test_record_chooses(double_pendulum):
    result = polhode.Sim(double_pendulum).run(until=0.1, record=["position", "energy/total"])
    assert list(result.keys()) == ["time", "position", "energy/total"]
    assert list(polhode.Sim(double_pendulum).run(until=0.1, record=False)) == []
    with pytest.raises(polhode.ArgumentError, match="no quantity 'speed'"):
        polhode.Sim(double_pendulum).run(until=0.1, record="speed")


def test_hdf5(double_pendulum, tmp_path):
    h5py = pytest.importorskip("h5py")
    result = polhode.Sim(double_pendulum).run(until=0.1)
    result.to_hdf5(tmp_path / "a.h5")
    polhode.Sim(double_pendulum).run(until=0.1, out=tmp_path / "b.h5")
    for name in ("a.h5", "b.h5"):
        with h5py.File(tmp_path / name) as file:
            for key in result.keys():
                np.testing.assert_array_equal(file[key][()], result[key])
            assert file.attrs["scheme"] == "rattlie"
    result.to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().count("\n") == 102
    with pytest.raises(polhode.ArgumentError):
        result.to_hdf5(tmp_path / "a.txt")
    with pytest.raises(OSError):
        result.to_hdf5(tmp_path / "no" / "a.h5")


def test_arrays_outlive_everything(double_pendulum):
    result = polhode.Sim(double_pendulum).run(until=0.05)
    total, copy = result["energy/total"], result["energy/total"].copy()
    sim = polhode.Sim(polhode.Model.from_string(PENDULUM))
    x, y = sim.state.position, sim.state.position.copy()
    del result, sim
    gc.collect()
    junk = [np.ones(50) for _ in range(1000)]
    np.testing.assert_array_equal(total, copy)
    np.testing.assert_array_equal(x, y)
    x[:] = 5  # the block is still there to be written to
    del junk


def test_nothing_is_kept_longer_than_needed():
    model = polhode.Model.from_string(PENDULUM)
    gone = weakref.ref(model)
    sim = polhode.Sim(model)
    x = sim.state.position
    del model, sim
    gc.collect()
    assert gone() is not None  # the array still needs it
    del x
    gc.collect()
    assert gone() is None


def test_writing_to_a_state_is_noticed(pendulum):
    """Energy of a pendulum that is pushed by hand: the scheme must not go on from what it remembers."""
    sim = polhode.Sim(pendulum)
    sim.step(100)
    sim.state.angular_velocity[0] = [5, 0, 0]
    rotation = np.array(sim.state.orientation[0])
    y, z = sim.state.position[0, 1:]
    sim.state.velocity[0] = [0, -5 * z, 5 * y]
    before = sim.state.measure().total
    sim.step(1000)
    assert abs(sim.state.measure().total - before) < 1e-4 * before
    fresh = polhode.Sim(pendulum)
    fresh.state.position[:] = sim.state.position
    fresh.state.orientation = sim.state.orientation
    fresh.state.velocity = sim.state.velocity
    fresh.state.angular_velocity = sim.state.angular_velocity
    sim.state.position[0, 0] += 0  # nothing changed
    fresh.step(100)
    sim.step(100)
    np.testing.assert_allclose(fresh.state.position, sim.state.position, atol=1e-9)
    assert rotation.shape == (4,)


def test_quaternions_are_normalised():
    model = polhode.Model.from_string("polhode: 1\nbodies: [{name: b, mass: 1, inertia: [1, 2, 2.5]}]\n")
    sim = polhode.Sim(model, step=1e-2)
    sim.state.orientation[0] = [2, 0, 0, 0.5]
    sim.state.angular_velocity[0] = [1, 2, 3]
    sim.step()
    assert abs(np.linalg.norm(sim.state.orientation[0]) - 1) < 1e-15
    sim.state.orientation[0] = 0
    with pytest.raises(ValueError, match="cannot be normalised"):
        sim.step()
    sim.state.orientation[0] = [1, 0, 0, np.nan]
    with pytest.raises(ValueError, match="not finite: orientation"):
        sim.step()
    sim.state.reset()
    sim.step()


def test_copy_continues_bit_for_bit(double_pendulum):
    sim = polhode.Sim(double_pendulum, "lgvi-del")
    sim.step(100)
    other = polhode.Sim(double_pendulum, "lgvi-del", state=sim.state.copy())
    sim.step(100)
    other.step(100)
    np.testing.assert_array_equal(sim.state.position, other.state.position)
    with pytest.raises(polhode.ArgumentError, match="different models"):
        sim.state.assign(polhode.Model.from_string(PENDULUM).state())


def test_inputs_and_work(pendulum):
    sim = polhode.Sim(pendulum)
    sim.state.set_input("u", 3.0)
    before = sim.state.measure()
    sim.step(500)
    after = sim.state.measure()
    angle, rate = sim.state.joint("hinge")
    assert after.work == pytest.approx(3.0 * angle[0], rel=1e-5)
    assert after.total == pytest.approx(before.total, abs=1e-3)
    assert rate.shape == (1,)


def test_dynamics_of_a_state(pendulum):
    state = pendulum.state()
    acceleration, reaction = state.accelerations(), state.reactions()
    # a rod of length l = 1 that falls from the horizontal: alpha = m g (l/2) / (J + m l^2/4), about -x
    alpha = 2 * 9.81 * 0.5 / (0.17 + 2 * 0.25)
    np.testing.assert_allclose(acceleration[0], [-alpha, 0, 0, 0, 0, -alpha / 2], atol=1e-12)
    np.testing.assert_allclose(reaction[0, 3:], [0, 0, 2 * (9.81 - alpha / 2)], atol=1e-12)
    assert state.stress().shape == (1, 3, 3)


def test_negative_steps_go_back(double_pendulum):
    sim = polhode.Sim(double_pendulum, step=1e-3)
    start = sim.state.position.copy()
    sim.step(200)
    sim.step_size = -1e-3
    sim.step(200)
    np.testing.assert_allclose(sim.state.position, start, atol=1e-12)


def test_failed_step_leaves_the_state():
    model = polhode.Model.from_file(EXAMPLES / "double_pendulum.yaml")
    sim = polhode.Sim(model, step=50.0, max_iterations=3)
    before = sim.state.position.copy()
    with pytest.raises(polhode.StepError, match="try a smaller step|step"):
        sim.step(100)
    assert sim.report["status"] != "PH_OK"
    assert np.isfinite(sim.state.position).all() and before.shape == (2, 3)


def test_lock_is_released_while_stepping():
    model = polhode.Model.from_file(EXAMPLES / "hanging_chain.yaml")
    sim = polhode.Sim(model, step=1e-4)
    thread = threading.Thread(target=sim.step, args=(3000,))
    counted = 0
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0)
    assert counted > 10


def test_second_thread_is_refused():
    model = polhode.Model.from_file(EXAMPLES / "hanging_chain.yaml")
    sim = polhode.Sim(model, step=1e-4)
    thread = threading.Thread(target=sim.step, args=(20000,))
    thread.start()
    refused = 0
    while thread.is_alive():
        for call in (sim.step, sim.state.reset, sim.state.measure, lambda: sim.run(until=1)):
            try:
                call()
            except RuntimeError:
                refused += 1
    thread.join()
    assert refused > 0
    sim.step()


def test_interrupt_is_heard():
    model = polhode.Model.from_file(EXAMPLES / "double_pendulum.yaml")
    sim = polhode.Sim(model, step=1e-3)
    for call in (lambda: sim.step(10**9), lambda: sim.run(until=1e6, record=False)):
        timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        timer.join()


def test_progress(double_pendulum):
    seen = []

    def stop(step, steps, time, until, wall, error):
        seen.append((step, steps))
        return step < 1000

    result = polhode.Sim(double_pendulum).run(until=1000, record=False, progress=stop)
    assert result.stopped and seen and seen[0][1] == 1000000

    def fail(*_):
        raise LookupError("stop here")

    with pytest.raises(LookupError, match="stop here"):
        polhode.Sim(double_pendulum).run(until=1000, record=False, progress=fail)


def test_too_much_to_record(double_pendulum):
    with pytest.raises(MemoryError, match="do not fit"):
        polhode.Sim(double_pendulum).run(until=1e15)


def test_bad_arguments(pendulum):
    sim = polhode.Sim(pendulum)
    for call in (
        lambda: polhode.Sim(None), lambda: polhode.Sim(pendulum, 3), lambda: polhode.Sim(pendulum, step="x"),
        lambda: polhode.State(None), lambda: sim.step("a"), lambda: sim.step(1, 2, 3), lambda: sim.step(m=1),
        lambda: sim.step(1.5), lambda: sim.step(1, n=2), lambda: sim.state.assign(3),
        lambda: sim.run(progress=3, until=1), lambda: sim.run(record=[1], until=1), lambda: sim.run(out=3),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: sim.step(-1), lambda: sim.step(1, 0.0), lambda: sim.step(1, float("nan")), lambda: sim.run(until=-1),
        lambda: polhode.Sim(pendulum, step=0.0), lambda: polhode.Sim(pendulum, "none"), lambda: sim.run(every=0),
        lambda: polhode.Sim(pendulum, tolerance=-1), lambda: polhode.Sim(pendulum, threads=0),
        lambda: polhode.Sim(pendulum, state=polhode.Model.from_string(PENDULUM).state()), lambda: sim.run(out="a.txt"),
        lambda: sim.run(until=float("nan")), lambda: sim.run(until="x"), lambda: polhode.Model.from_string("a\0b"),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(OverflowError):
        sim.step(10**30)
    with pytest.raises(IndexError):
        sim.state.joint(7)
    with pytest.raises(ValueError):
        sim.state.position = np.zeros((5, 5))
    with pytest.raises(AttributeError):
        del sim.state.position


def test_advance_ends_where_steps_end(double_pendulum):
    together, single = polhode.Sim(double_pendulum), polhode.Sim(double_pendulum)
    together.advance(300)
    single.step(300)
    assert together.time == single.time and together.report["steps"] == 300 % 16
    np.testing.assert_allclose(together.state.position, single.state.position, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together.state.velocity, single.state.velocity, rtol=0, atol=1e-11)
    with pytest.raises(TypeError):
        together.advance(1, 1e-3, 2)


def test_a_run_stops_where_an_expression_crosses_zero(double_pendulum):
    sim = polhode.Sim(double_pendulum)
    result = sim.run(until=1, stop_when="t - 0.1234")
    assert result.summary["event"] and not result.stopped
    assert sim.time == pytest.approx(0.1234, abs=1e-15) and result["time"][-1] == sim.time
    assert not polhode.Sim(double_pendulum).run(until=0.01, stop_when="t - 1").summary["event"]
    with pytest.raises(polhode.Error, match="unknown name"):
        polhode.Sim(double_pendulum).run(until=1, stop_when="q.nothing")
