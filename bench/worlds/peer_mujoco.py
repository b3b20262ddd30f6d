"""The same with MuJoCo's rollout: peer_mujoco.py FILE STEP WORLDS THREADS WARM STEPS. Prints world-steps for a second."""

import sys
import time

import mujoco
import numpy as np
from mujoco import rollout

path, step, worlds, threads, warm, steps = sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:7])
model = mujoco.MjModel.from_xml_path(path)
model.opt.timestep = step
data = [mujoco.MjData(model) for _ in range(threads)]
kind = mujoco.mjtState.mjSTATE_FULLPHYSICS
state = np.zeros((worlds, mujoco.mj_stateSize(model, kind)))
first = np.zeros(state.shape[1])
mujoco.mj_getState(model, data[0], first, kind)
state[:] = first
best = 0.0
with rollout.Rollout(nthread=threads if threads > 1 else 0) as pool:
    out, _ = pool.rollout(model, data, state, nstep=max(warm, 1))
    state = np.ascontiguousarray(out[:, -1])
    del out
    for _ in range(5):
        start = time.perf_counter()
        out, _ = pool.rollout(model, data, state, nstep=steps // 5)
        best = max(best, worlds * (steps // 5) / (time.perf_counter() - start))
        state = np.ascontiguousarray(out[:, -1])
print(f"{best:.0f}")
