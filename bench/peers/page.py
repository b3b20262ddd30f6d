"""Writes docs/peers.md and the rows of the README from what the tasks measured."""

import json
import os
import platform
import time

from drivers import HERE, LIBRARIES, OURS, ROOT, WORK, missing
from words import TARGETS, Result, power_of_ten, table


def machine():
    model = "unknown processor"
    try:
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} processors, {platform.system()} {platform.machine()}"


def settings_of(path):
    """The comment at the head of a driver: what its settings are and why."""
    text = open(path).read()
    if path.endswith(".py"):
        return " ".join(text.split('"""')[1].split("\n\n", 1)[1].split())
    lines = []
    for line in text.split("\n")[2:]:
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return " ".join(" ".join(lines).split())


DRIVERS = {"MuJoCo": "peer_mujoco.c", "Pinocchio": "peer_pinocchio.cpp", "EXUDYN": "peer_exudyn.py", "Drake": "peer_drake.py",
           "ODE": "peer_ode.c", "Bullet": "peer_bullet.cpp"}


def page(results, took, load, left_out):
    peers = "\n".join(f"- **{library.name} {library.version}.** {settings_of(os.path.join(HERE, DRIVERS[library.name]))}"
                      for library in LIBRARIES if library.name in DRIVERS)
    absent = f"\n\nMissing on the machine of this run: {', '.join(missing)}." if missing else ""
    busy = f" The machine was busy with other work (load {load:.0f}), so times are rough." if load > os.cpu_count() else ""
    todo = f"\n\nNot measured for this page, though the command does it: {', '.join(left_out)}." if left_out else ""
    sections = "\n\n".join(f"## {r.title}\n\n{r.text}" for r in results)
    summary = table(["what", "this engine"], [row for r in results for row in r.summary])
    return f"""# Beside its peers

Written by `bench/peers/run`, which installs the peers, measures everything in one run on one machine and one thread, and takes
{took / 60:.0f} minutes: {machine()}. Times are processor times of the loops alone.{busy} Where this engine loses, the line is in bold.{todo}

## Summary

{summary}

## Libraries and settings

Every library gets the setting its documentation recommends and its most accurate one.

- **Polhode {OURS.version}.** `rattlie` (order 2, the default), `rattlie4`, `rattlie6` and `rattlie8`; for accuracy against time also `dop853`, `multistep6`, `multistep8`, `rkmk4` and, for servos, `moreau`. Compiled for this machine.
{peers}{absent}

{sections}
"""


HEADLINES = ("spatial double", "heavy top", "four-bar", "Bricard", "chain of ten", "arm of", "Stewart", "quadruped", "double pendulum", "chain of 1000 ", "tree of 30 ", "free body",
             "stack of ten boxes, 10 s: drift", "the same 0.01 rad below", "1000 spheres", "1000 boxes")
BEGIN, END = "<!-- written by bench/peers/run -->", "<!-- end -->"


def is_headline(what):
    rest_of_curve = tuple(f"error of {power_of_ten(t)} m" for t in TARGETS if t != 1e-6)  # the page has them
    return what.startswith(HEADLINES) and not what.endswith(rest_of_curve)


def write_readme(results):
    """The summary's main lines, between two marks of the README."""
    path = os.path.join(ROOT, "README.md")
    with open(path) as old:
        before, rest = old.read().split(BEGIN)
    rows = [row for r in results for row in r.summary if is_headline(row[0])]
    with open(path, "w") as out:
        out.write(before + BEGIN + "\n\n" + table(["what", "this engine"], rows) + "\n\n" + END + rest.split(END, 1)[1])


def kept_results(tasks):
    for name in tasks:
        path = os.path.join(WORK, f"result-{name}.json")
        if os.path.exists(path):
            with open(path) as kept:
                parts = json.load(kept)
            yield name, Result(parts["title"], parts["text"], [tuple(row) for row in parts["summary"]])


def with_rows(text, rows):
    """The table in `text` with these rows in place of those of the same name; new ones come after the last of them, or first."""
    lines, at = text.split("\n"), 1 + max(k for k, line in enumerate(text.split("\n")) if line.startswith("| --- "))
    for what, line in rows:
        old = next((k for k, l in enumerate(lines) if l.startswith(f"| {what} |")), None)
        if old is None:
            lines.insert(at, f"| {what} | {line} |")
        else:
            lines[old], at = f"| {what} | {line} |", old
        at += 1
    return "\n".join(lines)


def renew(tasks):
    """Puts what was kept of single tasks into the page and the README, each section with the day of its run."""
    page_path, readme = os.path.join(ROOT, "docs", "peers.md"), os.path.join(ROOT, "README.md")
    text, front = open(page_path).read(), open(readme).read()
    for _, result in kept_results(tasks):
        parts = text.split("\n## ")
        heads = [part.split("\n", 1)[0] for part in parts]
        body = f"{result.title}\n\nMeasured {time.strftime('%Y-%m-%d')}, apart from the other sections.\n\n{result.text}\n"
        if result.title in heads:
            parts[heads.index(result.title)] = body
        else:
            parts.insert(heads.index("Accuracy against time") + 1, body)
        k = heads.index("Summary")
        parts[k] = with_rows(parts[k], result.summary)
        text = "\n## ".join(parts)
        before, rest = front.split(BEGIN)
        shown, after = rest.split(END, 1)
        front = before + BEGIN + with_rows(shown, [row for row in result.summary if is_headline(row[0])]) + END + after
    for path, new in ((page_path, text), (readme, front)):
        with open(path, "w") as out:
            out.write(new)
