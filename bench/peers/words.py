"""Numbers, tables and figures of the page."""

import math
import os
import subprocess
from dataclasses import dataclass, field

from drivers import ROOT, program

TARGETS = (1e-3, 1e-6, 1e-9)  # errors at which times are compared, m


def short(x, digits=2):
    if x is None or (isinstance(x, float) and not math.isfinite(x)):
        return "–"
    if x == 0:
        return "0"
    if 1e-2 <= abs(x) < 1e4:
        return f"{x:.{max(0, digits - 1 - math.floor(math.log10(abs(x))))}f}"
    return f"{x:.{digits - 1}e}"


def power_of_ten(x):
    return f"1e{math.log10(x):.0f}"


def seconds(x):
    if x is None:
        return "–"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if x >= scale:
            return f"{short(x / scale)} {unit}"
    return f"{short(x / 1e-6)} µs"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows])


def verdict(ours, peers, what="faster"):
    """Ratio of the best peer to ours, in words. `peers`: (name, value); smaller is better."""
    peers = [(name, value) for name, value in peers if value]
    if not ours:
        return "**not reached by this engine**" if peers else "reached by nobody"
    if not peers:
        return "reached by no peer"
    name, best = min(peers, key=lambda pair: pair[1])
    ratio = best / ours
    if ratio >= 1.0:
        return f"{short(ratio)} times {what} than the best peer ({name})"
    worse = {"faster": "slower", "tighter": "looser", "smaller": "larger"}[what]
    return f"**{short(1 / ratio)} times {worse}** than the best peer ({name})"


MARKERS = [1, 2, 3, 4]  # circle, square, triangle, diamond


def draw(name, title, panels):
    """panels: (title, x label, y label, logs, [(label, colour, marker, line, [(x, y)])])."""
    lines = [f"title {title}"]
    for caption, x, y, logs, series in panels:
        lines.append(f"panel {caption};{x};{y};{230}")
        lines += [f"log {axis}" for axis in logs]
        for label, colour, marker, line, points in series:
            lines.append(f"series {label};{colour};{marker};{line}")
            lines += [f"{a!r} {b!r}" for a, b in points]
    folder = os.path.join(ROOT, "docs", "img", "peers")
    os.makedirs(folder, exist_ok=True)
    subprocess.run(program("plot") + [os.path.join(folder, name + ".svg")], input="\n".join(lines), text=True, check=True)


@dataclass
class Result:
    """What a task has to say: a section of the page, and a line of the summary."""
    title: str
    text: str
    summary: list = field(default_factory=list)
