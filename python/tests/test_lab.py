"""Comparisons, orders, figures and cone problems."""

import json
import os
import subprocess

import numpy as np
import polhode
import pytest


def test_compare(double_pendulum):
    comparison = polhode.compare(double_pendulum, ["rattlie", "rk4", "lie-alpha:rho=0.8"], step=2e-3, until=2, samples=50)
    rattlie, rk4 = comparison["rattlie"], comparison["rk4"]
    assert rattlie.summary["position_violation_max"] < 1e-14 < rk4.summary["position_violation_max"]
    assert rattlie.history["time"][-1] == 2 and rattlie.history["position"].shape[1] == 3
    assert 0 < rattlie.error["position"] < 1e-2
    assert comparison.reference["scheme"]
    assert "rattlie" in repr(comparison) and "<table>" in comparison._repr_html_()
    assert comparison.plot("violation").svg.startswith("<")
    assert set(comparison.figures) >= {"energy", "momentum", "violation", "trajectories"}
    result = polhode.Sim(double_pendulum, "rattlie", 2e-3).run(until=2, record=False)
    assert rattlie.summary["energy"]["max_abs_error"] == result.summary["energy"]["max_abs_error"]
    with pytest.raises(ValueError, match="no figure 'x'"):
        comparison.plot("x")


def test_compare_failures(double_pendulum):
    comparison = polhode.compare(double_pendulum, ["rattlie", "none"], step=2e-3, until=0.1, reference="none")
    assert "unknown scheme 'none'" in comparison["none"].message
    assert comparison["rattlie"].message is None
    for call in (lambda: polhode.compare(double_pendulum, [], until=1), lambda: polhode.compare(double_pendulum, ["rk4"], until=-1),
                 lambda: polhode.compare(double_pendulum, ["rk4"], until=1, body="x")):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: polhode.compare(None, ["rk4"]), lambda: polhode.compare(double_pendulum, [3])):
        with pytest.raises(TypeError):
            call()


def test_order(double_pendulum):
    study = polhode.order(double_pendulum, ["rattlie", "rkmk4"], [4e-3, 2e-3, 1e-3], times=[0.5])
    assert study.order("rattlie") == pytest.approx(2, abs=0.1)
    assert study.order("rkmk4", "orientation") == pytest.approx(4, abs=0.3)
    errors = study.errors("rattlie")
    assert errors.shape == (3,) and errors[0] > errors[1] > errors[2]
    assert study.cpu("rattlie").shape == (3,)
    assert study.figures == ["order", "work"] and "rkmk4" in repr(study)
    with pytest.raises(ValueError):
        polhode.order(double_pendulum, ["rattlie"], [])
    with pytest.raises(ValueError):
        polhode.order(double_pendulum, ["rattlie"], ["a"])


def test_plots(double_pendulum, tmp_path):
    result = polhode.Sim(double_pendulum).run(until=0.1)
    figure = result.plot("position", "energy", "joints/A/force", "orientation", "momentum")
    assert "rod2 x" in figure.svg and "kinetic" in figure.svg and "</svg>" in figure._repr_svg_()
    figure.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == figure.svg
    assert "energy error" in result.plot().svg
    with pytest.raises(KeyError):
        result.plot("nothing")

    class Axes:
        def __init__(self):
            self.lines = []

        def plot(self, x, y, label):
            self.lines.append(label)

        def __getattr__(self, name):
            return lambda *_: None

    axes = Axes()
    assert result.plot("energy/total", ax=axes) is axes and axes.lines == ["total"]
    figure = polhode.figure([polhode.Panel([polhode.Series([1, 2], [3, np.nan], "a", marker="circle")], x_log=True)], "title")
    assert "title" in figure.svg
    for bad in (polhode.Series([1, 2], [3]), polhode.Series([1], [2], line="x")):
        with pytest.raises(ValueError):
            polhode.figure([polhode.Panel([bad])])
    for panels in ((3,), ((),), (("a",) * 8,)):
        with pytest.raises(TypeError):
            polhode._core.plot(None, panels)


# ---- Cones ----------------------------------------------------------------------------------------------------------


def random_problem(n, rng):
    scipy_sparse = pytest.importorskip("scipy.sparse")
    H = scipy_sparse.random(3 * n, 2 * n + 6, 0.3, random_state=rng, format="csr")
    N = H @ H.T + 1e-3 * scipy_sparse.identity(3 * n)
    return N, rng.normal(size=3 * n), np.full(n, 0.5)


@pytest.mark.parametrize("solver", ["apgd", "bb", "pgs", "newton"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dense"])
def test_cone_solve(solver, kind):
    rng = np.random.default_rng(5)
    N, q, friction = random_problem(8, rng)
    given = N.toarray() if kind == "dense" else N.asformat(kind)
    answer = polhode.cone_solve(given, q, friction, solver=solver, tolerance=1e-10)
    assert answer.converged and answer.residual < 1e-10
    g, u = answer.impulses.reshape(-1, 3), answer.velocities.reshape(-1, 3)
    np.testing.assert_allclose(answer.velocities, N @ answer.impulses + q, atol=1e-9)
    assert (np.linalg.norm(g[:, 1:], axis=1) <= 0.5 * g[:, 0] + 1e-8).all()  # in the cone
    assert (u[:, 0] > -1e-8).all() and (np.abs(g[:, 0] * u[:, 0]) < 1e-7).all()  # apart or pressed


def test_cone_kinds():
    """Uncoupled rows with closed forms: N = 1."""
    C = polhode.Cone
    cones = [C.free(), C.half_line(), C.half_line(), C.interval(-1, 1), C.friction_cone(0.5), C.friction_cone(0.2, 0.1, 0.05)]
    q = np.array([3, -2, 2, -5, -2, 10, 0, -1, 0, 0, 0, 0, 0.0])
    answer = polhode.cone_solve(np.eye(13), q, cones, law="relaxed", tolerance=1e-12)
    np.testing.assert_allclose(answer.impulses[:4], [-3, 2, 0, 1], atol=1e-10)
    assert answer.impulses[5] == pytest.approx(-0.5 * answer.impulses[4])  # it slides
    assert answer.impulses[7] == pytest.approx(1)


def test_cone_start():
    rng = np.random.default_rng(6)
    N, q, friction = random_problem(10, rng)
    first = polhode.cone_solve(N, q, friction, tolerance=1e-10)
    second = polhode.cone_solve(N, q, friction, tolerance=1e-9, start=first.impulses)
    assert second.iterations <= first.iterations


def test_cone_wrong():
    eye = np.eye(3)
    for call in (lambda: polhode.cone_solve(eye, [1, 2], [0.5]), lambda: polhode.cone_solve(eye, [1, 2, 3], [0.5, 0.5]),
                 lambda: polhode.cone_solve(eye, [1, 2, 3], [0.5], solver="x"), lambda: polhode.cone_solve(eye, [1, 2, 3], [0.5], law="x"),
                 lambda: polhode.cone_solve(eye, [1, 2, 3], [0.5], measure="x"), lambda: polhode.cone_solve(eye, [1, 2, 3], [-0.5]),
                 lambda: polhode.cone_solve(eye * np.nan, [1, 2, 3], [0.5]), lambda: polhode.cone_solve(eye, [1, np.nan, 3], [0.5]),
                 lambda: polhode.cone_solve(np.ones(3), [1, 2, 3], [0.5]), lambda: polhode.cone_solve(eye, eye, [0.5]),
                 lambda: polhode.cone_solve(eye, [1, 2, 3], [0.5], start=[1]), lambda: polhode.cone_solve(eye, [1, 2, 3], [(9, 9)])):
        with pytest.raises((ValueError, TypeError, ArithmeticError)):
            call()
    i = np.array([0, 99], dtype=np.int32)
    with pytest.raises(ValueError):
        polhode._core.cone_solve(3, i, i, np.ones(2), np.ones(3), np.ones(3), np.ones(3), ((3, 0.5, None, None, 0.0, 0.0),), "apgd",
                                 False, 0, 1e-8, 0, False, False)
    with pytest.raises((ValueError, TypeError)):
        polhode._core.cone_solve(3, i.astype(np.int64), i, np.ones(2), np.ones(3), np.ones(3), np.ones(3), (), "apgd", False, 0, 1e-8, 0,
                                 False, False)


def test_fc_file_like_the_program(tmp_path):
    """The same answer as `polhode fc` from a file."""
    rng = np.random.default_rng(7)
    N, q, friction = random_problem(5, rng)
    coo = N.tocoo()
    lines = ["FC3D 1", f"5 {coo.nnz}", *map(repr, friction.tolist()), *map(repr, q.tolist()),
             *(f"{i} {j} {v!r}" for i, j, v in zip(coo.row, coo.col, coo.data.tolist()))]
    (tmp_path / "a.fc").write_text("\n".join(lines) + "\n")
    answer = subprocess.run([os.environ["POLHODE_PROGRAM"], "fc", tmp_path / "a.fc", "--tolerance", "1e-8", "--json"],
                            capture_output=True, check=True)
    report = json.loads(answer.stdout)
    ours = polhode.cone_solve(N, q, friction, tolerance=1e-8, measure="both")
    assert report["converged"] and ours.converged
    assert report["iterations"] == ours.iterations
