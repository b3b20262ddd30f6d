"""The same with MuJoCo's rollout: peer_mujoco.py FILE STEP WORLDS THREADS WARM STEPS

Prints world-steps for a second, bytes a world (its state; all else is in one MjData for each thread), deepest overlap (m), largest speed at which a
contact that is loaded still approaches or slips (m/s: where Coulomb's law holds exactly and a body stands, 0), and how far closed loops are open (m).
"""

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


def contact_speed(d, k):
    """Of the bodies of contact k relative to each other at it, where it carries a load."""
    force = np.zeros(6)
    mujoco.mj_contactForce(model, d, k, force)
    contact, speed = d.contact[k], np.zeros(3)
    if force[0] < 1e-6:
        return 0.0
    for geom, sign in zip(contact.geom, (-1.0, 1.0)):
        jac = np.zeros((3, model.nv))
        mujoco.mj_jac(model, d, jac, None, contact.pos, model.geom_bodyid[geom])
        speed += sign * (jac @ d.qvel)
    return float(np.linalg.norm(speed))


d = data[0]
mujoco.mj_setState(model, d, state[-1], kind)
mujoco.mj_forward(model, d)
loops = d.efc_pos[d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
overlap = max([0.0, *(-c.dist for c in d.contact)])
speed = max([0.0, *(contact_speed(d, k) for k in range(d.ncon))])
print(f"{best:.0f} {state.shape[1] * 8} {overlap:.1e} {speed:.1e} {np.abs(loops).max() if len(loops) else 0.0:.1e}")
