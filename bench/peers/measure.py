"""Measures this engine and its peers on the same work and writes docs/peers.md. Started by ./run; standard library only.

A driver is a program that moves a scene with one setting of one library (scene.h). Every number comes from a driver; the
scenes come from `ours export`, so all read the same bodies and joints.
"""

import json
import math
import os
import subprocess
import sys
import time

from drivers import (HERE, LIBRARIES, OURS, ROOT, WORK, call, find_libraries, missing, program, run, say, scene, script,
                     side_by_side)
from page import page, renew, settings_of, write_readme
from words import MARKERS, TARGETS, Result, draw, power_of_ten, seconds, short, table, verdict


# ---- 1. Accuracy against time ---------------------------------------------------------------------------------------

SMOOTH = {"double_pendulum": ("spatial double pendulum", 2.0), "heavy_top": ("heavy top, 150 rad/s", 1.0),
          "four_bar": ("four-bar linkage", 2.0), "bricard": ("Bricard's mechanism", 2.0), "chain-10": ("chain of ten rods", 2.0)}
MACHINES = {"arm": ("arm of seven axes with servos", 1.0), "stewart": ("Stewart platform on springs", 1.0),
            "quadruped": ("quadruped in the air, with servos", 1.0)}
ACCURATE = ["dop853", "multistep6", "multistep8", "rkmk4", "moreau"]  # of ours, where accuracy alone is asked for


def error_of(result, reference):
    return max(math.dist(a, b) for a, b in zip(result["positions"], reference))


COARSEST, FINEST, LONGEST = 16, 4_000_000, 0.3  # steps; seconds of a run after which the next is not made


def curve(library, path, setting, until, reference):
    """Points (processor time for one simulated second, error, steps), from coarse steps to fine ones."""
    if library.python:  # one process for all, as starting Python takes longer than the runs
        sweep = call(library.command + ["sweep", path, setting, repr(until), str(COARSEST), str(FINEST), str(LONGEST)], 60)
        results = [r for r in sweep if "failed" not in r] if isinstance(sweep, list) else []
    else:
        results, steps = [], COARSEST
        while steps <= FINEST:
            tries = [run(library, path, setting, until / steps, steps)]
            cpu = tries[0].get("cpu_s", 0.0)
            if cpu < 0.1:  # the middle one of five: on a busy machine a clock may also show too little
                tries += [run(library, path, setting, until / steps, steps) for _ in range(4 if "cpu_s" in tries[0] else 0)]
            results.append(sorted(tries, key=lambda r: r.get("cpu_s", 0.0))[len(tries) // 2])
            if cpu > LONGEST or results[-1].get("failed", "").startswith(("continuous", "explicit")):
                break
            steps *= 4
    return [(r["cpu_s"] / until, error_of(r, reference), r["steps"]) for r in results if r.get("cpu_s", 0.0) > 0.0]


def time_for(points, target):
    """Time at which the curve passes the target, interpolated in logarithms; None where it does not get there."""
    best = None
    for (t0, e0, _), (t1, e1, _) in zip(points, points[1:]):
        if e1 <= target < e0:
            part = math.log(e0 / target) / math.log(e0 / e1)
            value = t0 * (t1 / t0) ** part
            best = value if best is None else min(best, value)
    if points and points[0][1] <= target:
        best = points[0][0]
    return best


def accurate(library):
    return library.settings + (ACCURATE if library is OURS else [])


def work_precision(scenes, figure):
    """Rows of a table, lines of the summary, and how well independent programs agree."""
    curves, panels, rows, summary, notes = {}, [], [], [], []
    for name, (title, until) in scenes.items():
        path = scene(name)
        truth = call(OURS.command + ["reference", path, repr(until)], 60)
        series = []
        for library in LIBRARIES:
            for k, setting in enumerate(accurate(library)):
                say(f"smooth: {title}: {library.name} {setting}")
                points = curve(library, path, setting, until, truth["positions"])
                curves[name, library.name, setting] = points
                seen = [(t, e) for t, e, _ in points if 1e-13 < e < 3.0]
                if seen:
                    series.append((f"{library.name} {setting}", library.colour, MARKERS[k % 4], k // 4, seen))
        panels.append((title, "processor time for 1 s (s)", "error (m)", "xy", series))
        others = [min((e for _, e, _ in points), default=math.inf)
                  for (n, library, _), points in curves.items() if n == name and library != OURS.name]
        notes.append(f"{title}: {short(truth['apart'])} m between our two finest, best peer ends {short(min(others, default=math.inf))} m away")
        row = [title]
        for target in TARGETS:
            best = {}
            for library in LIBRARIES:
                times = [(time_for(curves[name, library.name, s], target), s) for s in accurate(library)]
                times = [pair for pair in times if pair[0] is not None]
                if times:
                    best[library.name] = min(times)
            ours = best.pop(OURS.name, (None, ""))
            row.append(f"{seconds(ours[0])} ({ours[1]}); " + verdict(ours[0], [(f"{n} {s}, {seconds(t)}", t) for n, (t, s) in best.items()]))
        rows.append(row)
        for k, target in enumerate(TARGETS):
            summary.append((f"{title}, processor time for 1 s at an error of {power_of_ten(target)} m", row[1 + k]))
    with open(os.path.join(WORK, f"curves-{figure}.json"), "w") as out:
        json.dump([[*key, points] for key, points in curves.items()], out)
    draw(figure, "Error of the positions against processor time", panels)
    notes.append("libraries of this run: " + ", ".join(f"{library.name} {library.version}" for library in LIBRARIES))
    return rows, summary, notes


def smooth():
    rows, summary, notes = work_precision(SMOOTH, "smooth")
    text = f"""Largest error of a centre of mass at the end (t = {', '.join(f'{u:g} s for {n}' for n, u in SMOOTH.values())}) against
the converged motion: `rattlie6` at 0.5 ms and 1 ms, extrapolated. Independent programs agree with it as far as they get
({'; '.join(notes)}). Each setting runs with steps from {SMOOTH['double_pendulum'][1] / COARSEST * 1e3:.0f} ms on, four times shorter each time; `dop853` chooses its own, to a tolerance of 1e-1 … 3e-14.

{table(['scene'] + [f'time for 1 s to {short(t)} m' for t in TARGETS], rows)}

![Error against time](img/peers/smooth.svg)"""
    return Result("Accuracy against time", text, summary)


def machines():
    rows, summary, notes = work_precision(MACHINES, "machines")
    text = f"""Three machines that nobody tuned for (`bench/peers/machines.h`), one second each, with servos as springs and dampers of their joints. Largest error of a
centre of mass at the end against `dop853` at a tolerance of 3e-14 ({'; '.join(notes)}). Drivers of EXUDYN, Drake, ODE and Bullet have no
servos and springs: the machines are between this engine, MuJoCo and Pinocchio (whose loop has them by hand).

{table(['scene'] + [f'time for 1 s to {short(t)} m' for t in TARGETS], rows)}

![Error against time](img/peers/machines.svg)"""
    return Result("Machines", text, summary)


# ---- 2. Drift at equal cost -----------------------------------------------------------------------------------------


def drift():
    """A million steps of ours; every peer takes the step with which the same motion costs the same."""
    path, until, h = scene("double_pendulum"), 1000.0, 1e-3
    cost, rows, best = {}, [], {}
    for library in LIBRARIES:
        for setting in library.settings:
            timed = [run(library, path, setting, h / 4, 20000).get("cpu_s") for _ in range(1 if library.python else 3)]
            cost[library.name, setting] = sorted(timed)[len(timed) // 2] / 20000 if all(timed) else None
    base = cost[OURS.name, "rattlie"]
    def move(library, setting):
        steps = round(until / h * base / cost[library.name, setting])
        say(f"drift: {library.name} {setting}: {steps} steps of {until / steps:.2e} s")
        return steps, run(library, path, setting, until / steps, steps, max(1, steps // 2000), 120)

    jobs = [(library, s) for library in LIBRARIES for s in library.settings if cost[library.name, s] is not None]
    for (library, setting), (steps, result) in zip(jobs, side_by_side(move, jobs)):
        step = short(until / steps * 1e3) + " ms"
        if "failed" in result:
            rows.append([library.name, setting, step, result["failed"], "", ""])
            continue
        scale = 1190.0  # J, the largest kinetic energy of the true motion
        largest = result["energy_max"] / scale
        best[library.name] = min(best.get(library.name, math.inf), largest)
        rows.append([library.name, setting, step, short(largest), short(abs(result["energy_end"]) / scale),
                     short(result["violation"]) + " m"])
    ours = best.pop(OURS.name, None)
    line = verdict(ours, list(best.items()), "smaller")
    text = f"""The double pendulum for {until:g} s: a million steps of 1 ms with `rattlie`; every other setting takes the step with which the
same motion takes the same processor time. Energy errors relative to the largest kinetic energy, 1190 J. The largest energy error of this engine
is {line}.

{table(['library', 'setting', 'step', 'largest energy error', 'at the end', 'joints open by'], rows)}"""
    return Result("Energy over a million steps at equal cost", text, [("double pendulum, 1000 s at equal cost: largest energy error", line)])


# ---- 3. Loops -------------------------------------------------------------------------------------------------------


def loops():
    rows, summary = [], []
    for name in ("four_bar", "bricard"):
        path, best = scene(name), {}

        def move(library, setting):
            say(f"loops: {name}: {library.name} {setting}")
            return run(library, path, setting, 1e-3, 100_000, 10 if library.python else 1, 150)

        jobs = [(library, setting) for library in LIBRARIES for setting in library.settings]
        for (library, setting), result in zip(jobs, side_by_side(move, jobs)):
            if "failed" in result:
                if not result["failed"].startswith(("continuous", "explicit")):
                    rows.append([SMOOTH[name][0], library.name, setting, result["failed"], "", ""])
                continue
            best[library.name] = min(best.get(library.name, math.inf), result["violation"])
            rows.append([SMOOTH[name][0], library.name, setting, short(result["violation"]),
                         short(result["energy_max"] / result["energy_scale"]), seconds(result["cpu_s"] / 100_000)])
        ours = best.pop(OURS.name, None)
        summary.append((f"{SMOOTH[name][0]}, 10⁵ steps of 1 ms: joints open by", f"{short(ours)}; " + verdict(ours, list(best.items()), "tighter")))
    text = f"""Worst opening of a joint (metres; sine of the angle between the two axes of a hinge) over 100 000 steps of 1 ms, looked at
after every step (every tenth for EXUDYN and Drake), and the largest energy error relative to the largest kinetic energy.
{'; '.join(f'{what} {line}' for what, line in summary)}.

{table(['scene', 'library', 'setting', 'joints open by', 'energy error', 'time per step'], rows)}"""
    return Result("Closed loops", text, summary)


# ---- 4. Chains ------------------------------------------------------------------------------------------------------

SIZES = (10, 100, 1000, 10000)


def chain():
    times, series, rows = {}, [], []
    for library in LIBRARIES:
        for k, setting in enumerate(library.chain):
            last = None
            for n in SIZES:
                if last is not None and last > 0.1 and n > 1000 or last is not None and last * 100 > 60.0:
                    times[library.name, setting, n] = "too slow"
                    continue
                say(f"chain: {n} links: {library.name} {setting}")
                path, h = scene(f"chain-{n}"), 0.01 / math.sqrt(n)
                result = run(library, path, setting, h, 2, None, 15)
                if "failed" not in result and result["cpu_s"] < 0.5:
                    steps = max(4, min(4000, int(0.6 / max(result["cpu_s"], 1e-5))))
                    result = run(library, path, setting, h, steps, None, 15)
                if "failed" in result:
                    times[library.name, setting, n] = result["failed"]
                    break
                last = times[library.name, setting, n] = result["cpu_s"] / result["steps"]
            points = [(float(n), times[library.name, setting, n]) for n in SIZES
                      if isinstance(times.get((library.name, setting, n)), float)]
            series.append((f"{library.name} {setting}", library.colour, MARKERS[k], 0, points))
            cells = [times.get((library.name, setting, n), "–") for n in SIZES]
            rows.append([library.name, setting] + [seconds(c) if isinstance(c, float) else c for c in cells])
    lines = []
    for n in SIZES:
        ours = times.get((OURS.name, "rattlie", n))
        peers = [(f"{name} {s}", t) for (name, s, m), t in times.items() if m == n and name != OURS.name and isinstance(t, float)]
        lines.append((f"chain of {n} links, time per step", f"{seconds(ours)}; " + verdict(ours, peers)))
    draw("chain", "Ball-jointed chain: time per step", [("", "links", "processor time per step (s)", "xy", series)])
    text = f"""A hanging chain of rods with ball joints, steps of 10 ms / √n (which resolve its waves). A step is not worth the same everywhere:
ours is implicit, of order 2 and closes every joint to round-off; the peers' steps in this table are of order 1 except Drake's `rk3` and
EXUDYN's. {'; '.join(f'{what}: {line}' for what, line in lines)}.

{table(['library', 'setting'] + [f'{n} links' for n in SIZES], rows)}

![Time per step](img/peers/chain.svg)"""
    return Result("Long chains", text, lines)


# ---- 5. Trees -------------------------------------------------------------------------------------------------------

ALGORITHMS = ("inverse", "mass", "forward")


def trees():
    rows, summary, worst = [], [], 0.0
    for n in (7, 30, 100):
        path, results = scene(f"tree-{n}"), {}
        for library in LIBRARIES:
            if library.trees:
                say(f"trees: {n} joints: {library.name}")
                tries = [call(library.command + ["tree", path], 60) for _ in range(1 if library.python else 3)]
                if any("failed" in result for result in tries):
                    continue
                results[library.name] = tries[0]
                for algorithm in ALGORITHMS:  # the middle one: a busy machine has its moods
                    times = sorted(result[algorithm]["time_s"] for result in tries)
                    results[library.name][algorithm]["time_s"] = times[len(times) // 2]
        ours = results[OURS.name]
        for name, result in list(results.items()):
            for algorithm in ALGORITHMS:
                a, b = ours[algorithm]["values"], result[algorithm]["values"]
                scale = max(map(abs, a))
                off = max(abs(x - y) for x, y in zip(a, b)) / scale
                worst = max(worst, off)
                if off > 1e-9:  # not the same calculation: no time for it
                    result[algorithm]["time_s"] = None
                    say(f"trees: {name} {algorithm} differs by {off:.1e}")
        for name, result in results.items():
            rows.append([n, name] + [seconds(result[a]["time_s"]) for a in ALGORITHMS])
        for algorithm, title in zip(ALGORITHMS, ("inverse dynamics", "mass matrix", "forward dynamics")):
            peers = [(name, r[algorithm]["time_s"]) for name, r in results.items() if name != OURS.name]
            mine = ours[algorithm]["time_s"]
            summary.append((f"tree of {n} joints, {title}", f"{seconds(mine)}; " + verdict(mine, peers)))
    text = f"""Random trees of revolute joints, the same in each library; all results agree to {short(worst)} of their largest entry (1e-9 was asked). The
middle of many short measurements. MuJoCo: only the stages that the result needs. Pinocchio: `rnea`, `crba` and `aba`, compiled for this machine.
Drake: through Python, which adds a few µs. EXUDYN, ODE and Bullet (in Debian's packaging) offer no such calls.

{table(['joints', 'library', 'inverse dynamics', 'mass matrix', 'forward dynamics'], rows)}

{table(['what', 'this engine'], summary)}"""
    return Result("Tree algorithms", text, summary)


# ---- 6. Free rotation -----------------------------------------------------------------------------------------------


def free():
    path, until, steps = scene("dzhanibekov"), 10000.0, 1_000_000
    exact = run(OURS, path, "exact", 1e-2, steps, 10, 60)["flips"]
    rows, best = [], {}

    def move(library, setting):
        say(f"free: {library.name} {setting}")
        return run(library, path, setting, until / steps, steps, 10, 150)

    jobs = [(library, s) for library in LIBRARIES
            for s in library.settings + (["rk44"] if library.name == "EXUDYN" else [])]
    for (library, setting), result in zip(jobs, side_by_side(move, jobs)):
        if "failed" in result:
            rows.append([library.name, setting, result["failed"], "", "", "", ""])
            continue
        flips = result["flips"]
        tenth = flips[9] - exact[9] if len(flips) > 9 else None
        energy = result["energy_max"] / result["energy_scale"]
        if tenth is not None and len(flips) == len(exact):
            best[library.name] = min(best.get(library.name, math.inf), max(energy, 1e-17))
        rows.append([library.name, setting, len(flips), short(tenth), short(energy), short(abs(result["energy_end"])),
                     seconds(result["cpu_s"] / steps)])
    ours = best.pop(OURS.name, None)
    line = verdict(ours, list(best.items()), "smaller")
    text = f"""A free body with moments 1, 2, 3 turns about its middle axis (1 rad/s, nudged by 1e-3) and flips every 27.5308 s: {len(exact)} times in the
{steps} steps of 10 ms. How many flips a library finds, how late the tenth one is, and its largest energy error. Among the libraries that find
all flips, the largest energy error of this engine is {line}. MuJoCo's implicit settings and Bullet's bodies are one method here, a Newton step of implicit Euler:
it takes energy out (all numbers of the three agree, also with twenty lines that do just this) while the flips keep their rhythm.

{table(['library', 'setting', 'flips', 'tenth flip late by (s)', 'largest energy error', 'at the end (J)', 'time per step'], rows)}"""
    return Result("Free rotation: the Dzhanibekov body", text, [("free body, 10⁶ steps: energy error among those that find every flip", line)])


# ---- 7. Contact -----------------------------------------------------------------------------------------------------

CONTACT = [("Polhode", program("ours_contact"), ["coulomb", "coulomb-1e-3"]),
           ("MuJoCo", program("contact_mujoco"), ["default", "stiff"]), ("Drake", script("contact_drake.py"), ["default", "stiff"]),
           ("ODE", program("contact_ode"), ["quick", "step"]), ("Bullet", program("contact_bullet"), ["default", "iterations-50"])]
CONTACT_SCENES = [  # name, title, steps
    ("stack-10", "stack of ten boxes, 10 s", 2000),
    ("pyramid-20", "pyramid of 20 rows (210 boxes), 5 s", 1000),
    ("incline-above", "block on an incline 0.01 rad above the friction angle, 2 s", 400),
    ("incline-below", "the same 0.01 rad below, where it must stay, 2 s", 400),
    ("spheres-1000", "1000 spheres fall into a box, 2 s", 400),
    ("boxes-1000", "1000 boxes fall into a box, 2 s", 400),
]
SLIDE = 0.219355  # m in 2 s above the friction angle, exact


def contact_rows(name, title, steps):
    path, rows, measured = os.path.join(WORK, name + ".txt"), [], {}
    subprocess.run(program("ours_contact") + ["export", name, path], check=True, cwd=ROOT)
    for library, driver, settings in CONTACT:
        for setting in settings:
            if setting == "step" and name[:7] in ("spheres", "boxes-1", "pyramid") or library in missing:
                continue
            say(f"contact: {title}: {library} {setting}")
            result = call(driver + ["contact", path, setting, "0.005", str(steps), "20"], 20)
            if "failed" in result:
                rows.append([title, library, setting, result["failed"], "", ""])
                continue
            measured[library, setting] = result
            moved = "–" if name[:5] in ("spher", "boxes") else short(result["drift"])
            if name == "incline-above":
                moved = f"{result['slide']:.6f} (exact {SLIDE})"
            rows.append([title, library, setting, seconds(result["cpu_s"] / steps), short(result["penetration_max"]), moved])
    return rows, measured


def contact_summary(name, title, measured):
    ours = {s: r for (library, s), r in measured.items() if library == OURS.name}
    peers = {f"{library} {s}": r for (library, s), r in measured.items() if library != OURS.name}
    if not ours:
        return [(title, "**this engine failed**")]

    def line(what, value, kind, unit):
        mine = min(map(value, ours.values()))
        return (f"{title}: {what}", f"{unit(mine)}; " + verdict(max(mine, 1e-17), [(n, max(value(r), 1e-17)) for n, r in peers.items()], kind))

    metres = lambda x: short(x) + " m"
    lines = [line("time per step", lambda r: r["cpu_s"] / r["steps"], "faster", seconds)]
    if name[:5] in ("spher", "boxes"):
        lines.append(line("largest penetration", lambda r: r["penetration_max"], "smaller", metres))
    elif name == "incline-above":
        lines.append(line("error of the slide", lambda r: abs(r["slide"] - SLIDE), "smaller", metres))
    else:
        lines.append(line("creep" if name == "incline-below" else "drift", lambda r: r["drift"], "smaller", metres))
    return lines


def siconos():
    """Friction problems of other people beside solvers of Siconos; the files are public but not part of this repository."""
    folder = os.path.join(os.environ.get("POLHODE_EXTERNAL_DATA", os.path.join(ROOT, "..", "shared", "data")), "fc")
    files = sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".fc")) if os.path.isdir(folder) else []
    if not files:
        return "Friction problems beside Siconos: not run, the problem files are not on this machine (`POLHODE_EXTERNAL_DATA`)."
    if not os.path.exists(program("compare_siconos")[0]):
        missing.append("Siconos")
        return "Friction problems beside Siconos: Siconos is missing."
    try:
        done = subprocess.run(program("compare_siconos") + files, capture_output=True, text=True, timeout=300, cwd=WORK)
    except subprocess.TimeoutExpired:
        return "Friction problems beside Siconos: more than 300 s."
    return f"""Single friction problems to a natural-map error of 1e-8, this engine's solver `newton` beside solvers of Siconos (`bench/siconos/run`, [how](cone-problem.md)): milliseconds
and iterations.

{done.stdout.strip()}"""


def contact():
    rows, summary = [], []
    for name, title, steps in CONTACT_SCENES:
        more, measured = contact_rows(name, title, steps)
        rows += more
        summary += contact_summary(name, title, measured)
    drivers = {"MuJoCo": "contact_mujoco.c", "Drake": "contact_drake.py", "ODE": "contact_ode.c", "Bullet": "contact_bullet.cpp"}
    settings = "\n".join(f"- **{n}.** {settings_of(os.path.join(HERE, f))}" for n, f in drivers.items() if n not in missing)
    text = f"""Steps of 5 ms, friction 0.5, one thread. Penetration is measured by the same code for everyone, every 20 steps; drift is how far the body that
moved most is from its start at the end (metres). This engine runs `moreau` as it comes ("coulomb": exact Coulomb
friction, each step solved to 1e-8 m/s) and with steps solved to 1e-3 m/s only ("coulomb-1e-3"). A run that takes more than 20 s of processor time is cut off. EXUDYN and
Pinocchio are not in this table: they have no contact between boxes.

{settings}

{table(['scene', 'library', 'setting', 'time per step', 'largest penetration (m)', 'drift (m)'], rows)}

{table(['what', 'this engine, best setting'], summary)}

{siconos()}"""
    return Result("Contact", text, summary)


# ---- All of it ----


def main():
    """--only TASK measures one task, prints its section and keeps it; --join makes the page of what was kept, --renew puts it into the page there is."""
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    tasks = {"smooth": smooth, "machines": machines, "drift": drift, "loops": loops, "chain": chain, "trees": trees, "free": free, "contact": contact}
    if only and only not in tasks:
        sys.exit(f"--only: one of {', '.join(tasks)}")
    if "--renew" in sys.argv:
        renew(tasks)
        return
    find_libraries()
    for name in missing:
        say(f"bench/peers: {name} is missing")
    took, load, absent = 0.0, 0.0, []
    for name, task in tasks.items():
        if "--join" in sys.argv or only and name != only:
            continue
        began = time.time()
        result = task()
        with open(os.path.join(WORK, f"result-{name}.json"), "w") as out:
            json.dump({"title": result.title, "text": result.text, "summary": result.summary, "took": time.time() - began,
                       "load": os.getloadavg()[1]}, out)
        say(f"{name}: {time.time() - began:.0f} s")
    if only:
        print(result.text)
        return
    results = []
    for name in tasks:
        if not os.path.exists(os.path.join(WORK, f"result-{name}.json")):
            absent.append(name)
            continue
        with open(os.path.join(WORK, f"result-{name}.json")) as kept:
            parts = json.load(kept)
        took += parts.pop("took")
        load = max(load, parts.pop("load"))
        results.append(Result(**parts))
    text = page(results, took, load, absent)
    with open(os.path.join(ROOT, "docs", "peers.md"), "w") as out:
        out.write(text)
    write_readme(results)
    print(text)


main()
