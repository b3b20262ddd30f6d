"""polhode.fit against models whose numbers are known."""

import numpy as np
import pytest

import polhode

PENDULUM = """
polhode: 1
parameters: {l: 0.8, m: 2, c: 0.1}
inputs: {u: 0}
gravity: [0, 0, -9.81]
bodies: [{name: rod, mass: m, inertia: [0.1, 0.002, 0.1], position: [l/2, 0, 0]}]
joints: [{name: A, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: [0, 1, 0], damping: c, motor: {torque: u}}]
run: {scheme: rattlie, step: 2e-3, until: 1}
"""
OF = ["joints.A.angle", "joints.A.rate", "rod.position.z"]


def measured(noise=0.0, inputs=None, **parameters):
    """Columns every 0.01 s, from the motion with these parameters."""
    sim = polhode.Sim(polhode.Model.from_string(PENDULUM, parameters))
    u = np.zeros((500, 1)) if inputs is None else inputs
    values = sim.gradient(lambda v: (0.0, np.zeros_like(v)), 500, OF, inputs=u).quantities[::5]
    values = values + noise * np.random.default_rng(1).standard_normal(values.shape)
    return {"t": 0.01 * np.arange(101), **dict(zip(OF, values.T))}


def model():
    return polhode.Model.from_string(PENDULUM)


def test_parameters_come_back():
    fit = polhode.fit(model(), measured(l=0.72, c=0.17), {"l": (0.1, None), "c": None})
    assert fit.converged and fit.exact and fit.determined == 2
    assert fit["l"] == pytest.approx(0.72, rel=1e-9) and fit["c"] == pytest.approx(0.17, rel=1e-9)
    assert fit.model.bodies["rod"].mass == 2 and fit.quantities == [tuple(OF)]
    assert np.allclose(fit.simulated[0][:, 0], measured(l=0.72, c=0.17)[OF[0]], atol=1e-10)
    assert "l = 0.72" in repr(fit)


def test_standard_errors_are_those_of_the_noise():
    found = [polhode.fit(model(), measured(noise=1e-3, l=0.72, c=0.17), ["l", "c"], sigma=s) for s in (1e-3, {n: 1e-3 for n in OF})]
    assert found[0].values == found[1].values
    assert abs(found[0]["l"] - 0.72) < 4 * found[0].errors["l"] < 1e-2


def test_gaps_outliers_and_several_runs():
    data = measured(noise=1e-4, l=0.72)
    data[OF[0]][3:9] = np.nan
    data[OF[1]][20] += 50
    data["spare"] = np.zeros(101)
    fit = polhode.fit(model(), [data, measured(l=0.72)], ["l"], robust=2)
    assert fit["l"] == pytest.approx(0.72, rel=1e-4)
    assert fit.gaps == 6 and fit.outliers > 0 and fit.ignored == ["spare"] and len(fit.simulated) == 2


def test_inputs_are_followed():
    u = np.sin(0.05 * np.arange(501))
    data = measured(inputs=(0.5 * (u[1:] + u[:-1]))[:, None], l=0.75)
    fit = polhode.fit(model(), data | {"u": u[::5]}, ["l"], of=None)
    assert fit["l"] == pytest.approx(0.75, rel=2e-4)


def test_what_is_not_determined_is_named():
    fit = polhode.fit(model(), measured(), ["rod.mass", "rod.inertial"][1:])
    assert len(fit.values) == 10 and fit.determined < 10
    assert any(np.isinf(list(fit.errors.values())))
    assert not fit.directions[-1].determined and set(fit.directions[-1].weights) == set(fit.values)


def test_results_and_files_are_data(tmp_path):
    result = polhode.Sim(polhode.Model.from_string(PENDULUM, {"l": 0.7})).run(until=0.5, every=5)
    by_result = polhode.fit(model(), result, ["l"], of=["rod.position.z", "joints.A.angle"])
    data = measured(l=0.7)
    names = ["t", *OF]
    path = tmp_path / "data.csv"
    np.savetxt(path, np.stack([data[n] for n in names], axis=1), delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    by_file = polhode.fit(model(), path, ["l"])
    assert by_result["l"] == pytest.approx(0.7, rel=1e-9) and by_file["l"] == pytest.approx(0.7, rel=1e-9)


def test_progress_may_stop_or_fail():
    seen = []
    stopped = polhode.fit(model(), measured(l=0.5), ["l"], progress=lambda i, cost, change, x: seen.append(x[0]) or i < 1)
    assert stopped.end == "stopped" and len(seen) == 2

    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        polhode.fit(model(), measured(l=0.5), ["l"], progress=fail)


@pytest.mark.parametrize("change, by, text", [
    ({}, ["q"], "neither a parameter"),
    ({}, [], "say what to look for"),
    ({"t": None}, ["l"], "no times"),
    ({"t": np.zeros(101)}, ["l"], "times must rise"),
    ({"joints.A.angle": np.zeros(3)}, ["l"], "3 values where there are 101"),
    ({"u": np.full(101, np.nan)}, ["l"], "input 'u' has a gap"),
    ({"joints.A.angle": np.full(101, np.inf)}, ["l"], "infinite"),
])
def test_mistakes_are_said(change, by, text):
    data = {name: column for name, column in (measured() | change).items() if column is not None}
    with pytest.raises((polhode.Error, ValueError), match=text):
        polhode.fit(model(), data, by)
