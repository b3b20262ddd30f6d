"""Many simulations at once: batches on threads, sweeps on processes and on a Dask cluster."""

import concurrent.futures
import math
import threading
import signal

import numpy as np
import polhode
import pytest
from conftest import PENDULUM


def spread(model, n):
    """n starts of the double pendulum with different spins."""
    omega = np.zeros((n, 2, 3))
    omega[:, 0, 1] = np.linspace(0, 3, n)
    return {"angular_velocity": omega}


def test_members_are_what_single_simulations_are(double_pendulum):
    starts = spread(double_pendulum, 5)
    result = polhode.rollout(double_pendulum, starts, 200, every=50, threads=2)
    assert result.position.shape == (5, 5, 2, 3) and result.time.shape == (5, 5)
    for i in range(5):
        sim = polhode.Sim(double_pendulum)
        sim.state.angular_velocity[:] = starts["angular_velocity"][i]
        for row in range(5):
            np.testing.assert_array_equal(result.position[i, row], sim.state.position)
            np.testing.assert_array_equal(result.angular_velocity[i, row], sim.state.angular_velocity)
            sim.advance(50)


def test_threads_do_not_change_a_bit(double_pendulum):
    answers = [polhode.rollout(double_pendulum, spread(double_pendulum, 23), 100, threads=t, energy=True) for t in (1, 2, 3, 8, 64)]
    for other in answers[1:]:
        for name in ("time", "position", "orientation", "velocity", "angular_velocity", "energy", "steps"):
            np.testing.assert_array_equal(getattr(answers[0], name), getattr(other, name))


def test_states_go_on_where_they_are(double_pendulum):
    sims = [polhode.Sim(double_pendulum, "lgvi-del") for _ in range(3)]
    for k, sim in enumerate(sims):
        sim.step(10 * k)
    result = polhode.rollout(double_pendulum, [s.state for s in sims] + [sims[0].state], 50, scheme="lgvi-del")
    for k, sim in enumerate(sims):
        before = sim.state.position.copy()
        np.testing.assert_array_equal(result.position[k, 0], before)  # states are only read
        sim.step(50)
        np.testing.assert_array_equal(result.position[k, -1], sim.state.position)
    np.testing.assert_array_equal(result.position[3], result.position[0])


def test_parameters_and_inputs():
    model = polhode.Model.from_string(PENDULUM)
    lengths = [0.5, 1.0, 2.0]
    result = polhode.rollout(model, None, 100, parameters={"l": lengths})
    np.testing.assert_array_equal(result.position[:, 0, 0, 1], np.array(lengths) / 2)
    for i, l in enumerate(lengths):
        sim = polhode.Sim(model.with_parameters({"l": l}))
        sim.advance(100)  # what rollout calls; step(100) shows every state on its way and rounds otherwise
        np.testing.assert_array_equal(result.position[i, -1], sim.state.position)
        stepped = polhode.Sim(model.with_parameters({"l": l}))
        stepped.step(100)
        np.testing.assert_allclose(stepped.state.position, sim.state.position, rtol=0, atol=1e-14)
    result = polhode.rollout(model, {"inputs": [[0.0], [9.81]]}, 100)
    np.testing.assert_allclose(result.position[1, -1], result.position[1, 0], atol=1e-14)  # held by its torque
    assert result.position[0, -1, 0, 2] < -0.01


def test_final_starts_another(double_pendulum):
    first = polhode.rollout(double_pendulum, spread(double_pendulum, 4), 50)
    second = polhode.rollout(double_pendulum, first.final, 50)
    whole = polhode.rollout(double_pendulum, spread(double_pendulum, 4), 100)
    np.testing.assert_allclose(second.position[:, -1], whole.position[:, -1], atol=1e-12)


def test_failures(double_pendulum):
    starts = spread(double_pendulum, 3)
    starts["angular_velocity"][1] = 1e9
    with pytest.raises(polhode.StepError, match="1 of 3 members failed, the first is 1: .*t = "):
        polhode.rollout(double_pendulum, starts, 10)
    result = polhode.rollout(double_pendulum, starts, 10, every=1, on_error="keep")
    np.testing.assert_array_equal(result.failed, [False, True, False])
    assert result.steps[0] == 10 and result.steps[1] < 10
    assert np.isfinite(result.position).all()
    with pytest.raises(polhode.StepError, match="normalised"):
        polhode.rollout(double_pendulum, {"orientation": np.zeros((2, 2, 4))}, 10)


def test_python_forces_in_a_rollout():
    def push(motion):
        return [0, 0, 3 * motion.mass]

    spec = polhode.Spec().body("b", mass=2, inertia=[1, 1, 1])
    model = spec.callback("b", push).compile()
    result = polhode.rollout(model, {"velocity": np.zeros((6, 1, 3))}, 100, step=1e-2, threads=3)
    np.testing.assert_allclose(result.velocity[:, -1, 0, 2], 3.0, rtol=1e-12)

    def fail(motion):
        if motion.time > 0.5:
            raise LookupError("too late")

    model = polhode.Spec().body("b", mass=2, inertia=[1, 1, 1]).callback("b", fail).compile()
    with pytest.raises(LookupError, match="too late"):
        polhode.rollout(model, 6, 100, step=1e-2, threads=3)


def test_empty_and_wrong(double_pendulum):
    assert len(polhode.rollout(double_pendulum, 0, 10)) == 0
    assert polhode.rollout(double_pendulum, 3, 0).position.shape == (3, 1, 2, 3)
    for states in ({"position": np.zeros((2, 3, 3))}, {"speed": 1}, {"position": np.zeros((2, 3))}, None, -1,
                   {"position": np.zeros((2, 2, 3)), "velocity": np.zeros((3, 2, 3))},
                   {"position": np.full((2, 2, 3), np.nan)}, [polhode.Model.from_string(PENDULUM).state()]):
        with pytest.raises(ValueError):
            polhode.rollout(double_pendulum, states, 10)
    for keys in (dict(threads=0), dict(threads=10**6), dict(step=0.0), dict(every=0), dict(scheme="no"), dict(on_error="x")):
        with pytest.raises((ValueError, polhode.Error)):
            polhode.rollout(double_pendulum, 2, 10, **keys)
    with pytest.raises(ValueError):
        polhode.rollout(double_pendulum, 2, -1)
    for call in (lambda: polhode.rollout(None, 2, 10), lambda: polhode.rollout(double_pendulum, [1, 2], 10),
                 lambda: polhode._core.rollout((1,), None, (None,) * 5, (None,) * 7, 1, 1, 1e-3, 1, None, None, 1e-14, 30),
                 lambda: polhode._core.rollout((double_pendulum,), None, (), (), 1, 1, 1e-3, 1, None, None, 1e-14, 30)):
        with pytest.raises(TypeError):
            call()


def test_interrupt(double_pendulum):
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        polhode.rollout(double_pendulum, 100, 10**7, threads=2)
    timer.join()


# ---- Sweeps ---------------------------------------------------------------------------------------------------------


def height(result):
    return result.position[:, 0, 2].min()


def check_sweep(executor):
    grid = {"l": [0.5, 1.0, 2.0], "g": [1.62, 9.81]}
    sweep = polhode.sweep(polhode.Model.from_string(PENDULUM), grid, until=0.2, step=1e-3, collect=height, executor=executor)
    assert sweep.shape == (3, 2) and len(sweep) == 6
    assert sweep[1].parameters == {"l": 0.5, "g": 9.81}
    values = sweep.values()
    for i, l in enumerate(grid["l"]):
        for k, g in enumerate(grid["g"]):
            model = polhode.Model.from_string(PENDULUM, {"l": l, "g": g})
            assert values[i, k] == height(polhode.Sim(model, step=1e-3).run(until=0.2))
    assert (sweep.summary("energy/max_rel_error") < 1e-4).all()
    np.testing.assert_array_equal(sweep.parameter("g")[0], grid["g"])


def test_sweep_on_processes():
    check_sweep(None)


def test_sweep_on_threads():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        check_sweep(pool)


def test_sweep_on_a_dask_cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  host="127.0.0.1") as cluster, distributed.Client(cluster) as client:
        check_sweep(client.get_executor())


def test_sweep_records_and_fails():
    points = [{"l": 1.0}, {"l": -1.0, "m": -2.0}]
    with pytest.raises(polhode.Error, match="m"):
        polhode.sweep(polhode.Model.from_string(PENDULUM), points, until=0.1)
    sweep = polhode.sweep(polhode.Model.from_string(PENDULUM), points, until=0.1, record="energy/total", on_error="keep")
    assert sweep.failed == [sweep[1]] and sweep[0].error is None
    assert list(sweep[0].arrays) == ["time", "energy/total"]
    assert math.isnan(sweep.summary("energy/scale")[1])


def test_sweep_of_a_spec_and_of_a_file(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    a = polhode.sweep(tmp_path / "pendulum.yaml", {"l": [1.0, 2.0]}, until=0.1)
    spec = (polhode.Spec(gravity=[0, 0, "-g"]).parameter(g=9.81).body("b", mass=1, inertia=[1, 1, 1]).run(step=1e-3, until=0.1))
    b = polhode.sweep(spec, {"g": [1, 2, 3]})
    assert len(a) == 2 and len(b) == 3
    assert b[2].summary["energy"]["scale"] == pytest.approx(0.5 * 0.3**2)
