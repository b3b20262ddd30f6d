"""Friction and size of a cube from its recorded tosses, beside MuJoCo's system identification (bench/tosses/run).

Both engines get the same windows of the same tosses, the same starts and the same residuals: where the eight corners are at every row.
Fitted on windows, judged on whole tosses that neither has seen.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import sys
import time

import numpy as np
from scipy.optimize import least_squares

import polhode

RATE, WINDOW, SUBSTEPS = 148, 16, 4
SIDE = 0.1048  # m, about: points that are compared and the unit of errors
CORNERS = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)], dtype=float)
REACH = SIDE / 2 * CORNERS  # points of the cube that are compared, whatever size is tried


def rotations(q):
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def corners(position, orientation):
    return position[..., None, :] + np.einsum("...ij,kj->...ki", rotations(orientation), REACH)


def flight(rows):
    """How many rows come before the first contact, seen generously: units of the files, in which the cube is two across."""
    low = (rows[:, 2:3] + (rotations(rows[:, 3:7]) @ CORNERS.T)[:, 2]).min(axis=1)
    touched = np.nonzero(low < 0.05)[0]
    return int(touched[0]) if len(touched) else len(rows)


def read(folder):
    files = sorted(pathlib.Path(folder).rglob("*.csv"), key=lambda f: int(f.stem))
    tosses = [np.loadtxt(f, delimiter=",")[:, :13] for f in files]
    falls = []
    for rows in tosses:
        n = flight(rows)
        if n >= 14:
            t = np.arange(n) / RATE
            falls.append(-2.0 * np.polyfit(t, rows[:n, 2], 2)[0])
    unit = 9.81 / float(np.median(falls))  # m
    for rows in tosses:
        rows[:, 0:3] *= unit
        rows[:, 7:10] *= unit
        rows[:, 3:7] /= np.linalg.norm(rows[:, 3:7], axis=1)[:, None]
    return tosses, unit, float(np.std(falls) / np.median(falls) / len(falls) ** 0.5)


def conjugate(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def product(p, q):
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def start_of(rows, unit):
    """Position and velocity at the first row from all of the flight; a cube turns steadily in it."""
    n = max(flight(np.concatenate([rows[:, :3] / unit, rows[:, 3:7]], axis=1)), 3)
    t = np.arange(n) / RATE
    fall = rows[:n, :3] + np.outer(0.5 * 9.81 * t * t, [0, 0, 1])
    fit = np.polynomial.polynomial.polyfit(t, fall, 1)
    turns = [product(conjugate(rows[k, 3:7]), rows[k + 1, 3:7]) for k in range(n - 1)]
    spin = np.mean([2 * RATE * np.sign(d[0]) * d[1:] for d in turns], axis=0)
    return fit[0], rows[0, 3:7], fit[1], spin


def windows_of(tosses):
    """Starts (from the rows themselves) and what follows, (n, WINDOW, 8, 3)."""
    pieces = [rows[k:k + WINDOW + 1] for rows in tosses for k in range(0, len(rows) - WINDOW, WINDOW)]
    pieces = [p for p in pieces if np.abs(p[-1, :3] - p[0, :3]).max() > 0.1 * SIDE]  # at rest there is nothing to learn
    starts = [(p[0, :3], p[0, 3:7], p[0, 7:10], p[0, 10:13]) for p in pieces]
    return starts, np.array([corners(p[1:, :3], p[1:, 3:7]) for p in pieces])


def lifted(starts, half):
    """A start that noise has put into the table is moved up to it, for every size that is tried."""
    low = [p[2] + half * (rotations(q) @ CORNERS.T)[2].min() for p, q, _, _ in starts]
    return [(p - np.array([0.0, 0.0, min(z, 0.0)]), q, v, w) for z, (p, q, v, w) in zip(low, starts)]


# ---- The engines ----------------------------------------------------------------------------------------------------


def errors_of(found):
    """Standard errors of a fit, from what is left over as if rows were independent: too small, as corners and rows are not."""
    J = found.jac
    return np.sqrt(np.diag(np.linalg.pinv(J.T @ J)) * 2 * found.cost / max(1, len(found.fun) - len(found.x)))


class Ours:
    name, names = "Polhode", ("friction", "half side", "restitution")
    first, low, high = np.array([0.3, 0.05, 0.1]), np.array([0.01, 0.03, 0.0]), np.array([1.0, 0.08, 0.9])
    steps = np.array([0.02, 5e-4, 0.03])  # wide: over short ones contacts come and go, and derivatives are those of the noise

    def __init__(self, here):
        self.model = polhode.Model.from_file(here / "cube.yaml")

    def motion(self, x, starts, rows):
        model = self.model.with_parameters({"mu": x[0], "half": x[1], "bounce": x[2]})
        given = {name: np.zeros((len(starts), 2, k)) for name, k in
                 (("position", 3), ("orientation", 4), ("velocity", 3), ("angular_velocity", 3))}
        given["orientation"][:, 1, 0] = 1.0
        for name, values in zip(given, zip(*starts)):
            given[name][:, 0] = values
        run = polhode.rollout(model, given, rows * SUBSTEPS, scheme="moreau", step=1 / RATE / SUBSTEPS, every=SUBSTEPS,
                              on_error="keep")
        return run.position[:, 1:, 0], run.orientation[:, 1:, 0]

    def fit(self, residual):
        found = least_squares(residual, self.first, diff_step=self.steps / self.first, bounds=(self.low, self.high), loss="soft_l1",
                              f_scale=1.0, x_scale=self.first, max_nfev=40)
        return found.x, errors_of(found)


class MuJoCo:
    name, names = "MuJoCo", ("friction", "half side", "contact time", "damping ratio")
    first, low, high = np.array([0.3, 0.05, 0.02, 1.0]), np.array([0.01, 0.03, 0.004, 0.1]), np.array([1.0, 0.08, 0.1, 2.0])
    steps = np.array([0.02, 5e-4, 1e-3, 0.05])

    def __init__(self, here):
        import mujoco
        import mujoco.rollout
        from mujoco import sysid
        self.mujoco, self.sysid = mujoco, sysid

    def model(self, x):
        return self.mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="{1 / RATE / SUBSTEPS}" cone="elliptic" gravity="0 0 -9.81"/>'
            f'<default><geom friction="{x[0]}" condim="3" solref="{x[2]} {x[3]}"/></default>'
            f'<worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 1"><freejoint/>'
            f'<geom type="box" size="{x[1]} {x[1]} {x[1]}" density="321"/></body></worldbody></mujoco>')

    def motion(self, x, starts, rows):
        model = self.model(x)
        first = np.array([np.concatenate([[0.0], *start]) for start in starts])
        states, _ = self.mujoco.rollout.rollout(model, [self.mujoco.MjData(model)], first, nstep=rows * SUBSTEPS)
        at = states[:, SUBSTEPS - 1::SUBSTEPS, 1:8]
        return at[..., :3], at[..., 3:]

    def fit(self, residual):
        P = self.sysid.parameter
        list_ = P.ParameterDict({n: P.Parameter(n, v, a, b) for n, v, a, b in zip(self.names, self.first, self.low, self.high)})
        with contextlib.redirect_stdout(io.StringIO()):
            best, result = self.sysid.optimize(list_, lambda x, params: ([residual(x)], None, None), optimizer="scipy",
                                               verbose=False, loss="soft_l1", x_scale=self.first, diff_step=self.steps / self.first, max_iters=40)
        return np.asarray(best.as_vector()), errors_of(result)


# ---- Errors ---------------------------------------------------------------------------------------------------------


def held_out(engine, x, tosses, unit):
    """Over whole tosses: mean distance of the corners by the side, and of the centre at the end."""
    starts = [start_of(rows, unit) for rows in tosses]
    position, orientation = engine.motion(x, starts, max(map(len, tosses)) - 1)
    mean, end = [], []
    for k, rows in enumerate(tosses):
        n = len(rows) - 1
        apart = np.linalg.norm(corners(position[k, :n], orientation[k, :n]) - corners(rows[1:, :3], rows[1:, 3:7]), axis=-1)
        mean.append(apart.mean() / SIDE)
        end.append(np.linalg.norm(position[k, n - 1] - rows[-1, :3]) / SIDE)
    return np.array(mean), np.array(end)


def main():
    here = pathlib.Path(__file__).resolve().parent
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 120
    tosses, unit, sure = read(sys.argv[1])
    order = np.random.default_rng(2026).permutation(len(tosses))
    train, test = [tosses[k] for k in order[:count]], [tosses[k] for k in order[count:]]
    starts, seen = windows_of(train)
    side = 2 * float(np.median([rows[-5:, 2].mean() for rows in tosses]))
    print(f"{len(tosses)} tosses; a unit is {unit:.5f} m by gravity (+- {100 * sure:.2f} %); {count} to learn from "
          f"({len(starts)} windows of {WINDOW} rows), {len(test)} held out; at rest centres are {side / 2:.5f} m high")
    for make in (Ours, MuJoCo):
        try:
            engine = make(here)
        except ImportError as problem:
            print(f"{make.name}: not available ({problem})")
            continue
        calls = [0]

        def residual(x, engine=engine):
            calls[0] += 1
            return ((corners(*engine.motion(x, lifted(starts, x[1]), WINDOW)) - seen) / (0.02 * SIDE)).ravel()

        begin = time.process_time()
        x, sigma = engine.fit(residual)
        spent = time.process_time() - begin
        print(f"\n{engine.name}: {calls[0]} rollouts of all windows, {spent:.1f} s of processor time")
        for name, value, s in zip(engine.names, x, sigma):
            print(f"  {name:14} {value:9.5f}" + (f" +- {s:.5f}" if np.isfinite(s) else ""))
        print(f"  side {2 * x[1]:.5f} m: {100 * (2 * x[1] / side - 1):+.2f} % of twice the height at rest")
        mean, end = held_out(engine, x, test, unit)
        print(f"  held out: corners {100 * np.median(mean):.1f} % of the side (median; quartiles {100 * np.percentile(mean, 25):.1f}, "
              f"{100 * np.percentile(mean, 75):.1f}), centre at the end {100 * np.median(end):.1f} %")


main()
