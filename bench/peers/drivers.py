"""The programs that move scenes, one for each library: how they are called, and which of them are there."""

import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ROOT, WORK = sys.argv[1], sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Library:
    name: str
    command: list
    settings: list  # the recommended one first, the most accurate one last
    chain: list  # settings that make sense for long chains
    trees: bool = False
    colour: int = 0
    python: bool = False
    version: str = ""


def program(name):
    return [os.path.join(WORK, name)]


def script(name):
    return [sys.executable, os.path.join(HERE, name)]


LIBRARIES = [
    Library("Polhode", program("ours"), ["rattlie", "rattlie4", "rattlie6", "rattlie8"], ["rattlie"], True, 0),
    Library("MuJoCo", program("mujoco"), ["implicitfast", "implicit", "rk4"], ["implicitfast"], True, 1),
    Library("Pinocchio", program("pinocchio"), ["euler", "rk4"], ["euler"], True, 2),
    Library("EXUDYN", script("peer_exudyn.py"), ["generalized-alpha", "trapezoidal"], ["generalized-alpha"], False, 3, True),
    Library("Drake", script("peer_drake.py"), ["discrete", "rk3"], ["discrete", "rk3"], True, 4, True),
    Library("ODE", program("ode"), ["quick", "step"], ["quick", "step"], False, 5),
    Library("Bullet", program("bullet"), ["multibody", "bodies"], ["multibody", "bodies"], False, 6),
]
OURS = LIBRARIES[0]
missing = []


def call(command, limit):
    """The JSON that a driver prints. It gets `limit` seconds of processor time: on a busy machine the clock says nothing."""
    def enough():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))

    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * limit + 60, cwd=WORK, preexec_fn=enough)
        return json.loads(done.stdout.strip().split("\n")[-1])
    except subprocess.TimeoutExpired:
        return {"failed": f"more than {limit:.0f} s"}
    except ValueError:
        if done.returncode in (-24, -9):
            return {"failed": f"more than {limit:.0f} s"}
        return {"failed": "not enough memory" if "bad_alloc" in done.stderr else "the library stopped the program"}


def find_libraries():
    """Those named in POLHODE_PEERS (names with spaces between), or all."""
    for library in list(LIBRARIES):
        if library is not OURS and library.name not in os.environ.get("POLHODE_PEERS", library.name).split():
            LIBRARIES.remove(library)
            continue
        try:
            out = subprocess.run(library.command + ["version"], capture_output=True, text=True, timeout=120, cwd=WORK)
            library.version = out.stdout.strip().split("\n")[-1]
        except (OSError, subprocess.TimeoutExpired):
            library.version = ""
        if not library.version:
            missing.append(library.name)
            LIBRARIES.remove(library)


def scene(name):
    path = os.path.join(WORK, name + ".txt")
    subprocess.run(OURS.command + ["export", name, path], check=True, cwd=ROOT)
    return path


def run(library, path, setting, h, steps, block=None, limit=60):
    return call(library.command + ["run", path, setting, repr(h), str(steps), str(block or steps)], limit)


def side_by_side(work, jobs):
    """work(*job) of all jobs in their order, two at a time: for small scenes that fit a core's own cache, and processor times."""
    with ThreadPoolExecutor(min(2, os.cpu_count())) as pool:
        return list(pool.map(lambda job: work(*job), jobs))


def say(text):
    print(text, file=sys.stderr, flush=True)
