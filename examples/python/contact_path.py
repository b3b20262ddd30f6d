"""The path of the points that wheels touch the ground with, seen from above: two lines of tyre marks, or the wavy ring of a coin.

    python contact_path.py MODEL OUT.svg BODY:RADIUS:AXIS ... [--until T]
    python contact_path.py examples/coin.yaml coin.svg coin:0.3:z
    python contact_path.py examples/bicycle.yaml bicycle.svg rear:0.3:y front:0.35:y

A wheel with axis a and radius R about x touches the plane z = 0 below its centre, at x - R (z - (z.a) a)/|z - (z.a) a|.
"""

import argparse

import numpy as np
import polhode


def turned(q, v):
    """A body's axis in the world: q (n, 4), v (3,)."""
    w, u = q[:, :1], q[:, 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def contact_points(x, q, radius, axis):
    a, up = turned(q, axis), np.array([0.0, 0.0, 1.0])
    towards = up - (a @ up)[:, None] * a
    return x - radius * towards / np.linalg.norm(towards, axis=1, keepdims=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("out")
    parser.add_argument("wheel", nargs="+", help="BODY:RADIUS:AXIS, the axis x, y or z of the body")
    parser.add_argument("--until", type=float)
    args = parser.parse_args()
    model = polhode.Model.from_file(args.model)
    batch = polhode.Batch(model, 1)
    rows = round((args.until or model.run_settings["until"]) / batch.step_size / 5)
    run = batch.rollout(rows=rows, every=5, record=("position", "orientation"))
    marks = []
    for wheel in args.wheel:
        name, radius, axis = wheel.split(":")
        body = model.body_index(name)
        points = contact_points(run["position"][0, :, body], run["orientation"][0, :, body], float(radius), np.eye(3)["xyz".index(axis)])
        print(f"{name}: touches the ground to {np.abs(points[:, 2]).max():.1e} m")
        marks.append(polhode.Series(points[:, 0], points[:, 1], name))
    polhode.figure([polhode.Panel(marks, x_label="x [m]", y_label="y [m]", equal=True)]).save(args.out)


if __name__ == "__main__":
    main()
