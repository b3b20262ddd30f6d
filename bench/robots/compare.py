"""Mass matrix, forces and accelerations of the library against a reference record of a robot. For bench/robots/corpus.

The reference has M and h with M a + h = passive in joint coordinates, the library has six velocities for each body. With J(i, b) the
motion of body b for a unit rate of coordinate i, which the record's axes and anchors give,

    M(i, j) = T(J_i + J_j) - T(J_i) - T(J_j)                  T: the library's own kinetic energy, armatures included
    e(i)    = sum over b of J(i, b) . (m, I) da(b)            da: how far the accelerations of the body differ

e is by how much a force along i would have to change to make the reference's acceleration that of the library; it is told relative to
the terms that the force is a sum of: m (|g| + |a|) times arm and radius of gyration, and I (|alpha| + |omega|^2). So neither depends on
the condition of M.
"""

import math

import engine


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turn(q, v):
    w, u = q[0], q[1:]
    t = [2 * x for x in cross(u, v)]
    return add(add(v, t, w), cross(u, t))


def back(q, v):
    return turn([q[0], -q[1], -q[2], -q[3]], v)


def norm(v):
    return math.sqrt(sum(x * x for x in v))


def listed(v):
    return [v.x, v.y, v.z]


# ---- Motions of bodies by coordinates of the reference -----------------------------------------------------------------------------

UNITS = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])


def columns_of(record, joint, at, body):
    """(turning axis, point on it, shift) of each velocity of a joint."""
    kind = joint["type"] if record["format"] == "mjcf" else joint["pinocchio"]
    q, origin = body["quaternion"], body["position"]
    if joint["nv"] == 6:
        shifts = UNITS if record["format"] == "mjcf" else [turn(q, e) for e in UNITS]
        return [(None, None, s) for s in shifts] + [(turn(q, e), origin, None) for e in UNITS]
    if kind == "JointModelPlanar":  # in the moving frame
        return [(None, None, turn(q, e)) for e in UNITS[:2]] + [(turn(q, UNITS[2]), origin, None)]
    if joint["nv"] == 3:
        anchor = at["anchor"] if record["format"] == "mjcf" else origin
        return [(turn(q, e), anchor, None) for e in UNITS]
    slides = kind == "slide" or kind.startswith("JointModelP")
    return [(None, None, at["axis"])] if slides else [(at["axis"], at["anchor"], None)]


def jacobian(record, state):
    """For each velocity of the reference its column and the bodies that it moves; None: the record does not tell."""
    if record["format"] not in ("mjcf", "urdf") or not state.get("joints"):
        return None
    parent = {b["name"]: b["parent"] for b in record["bodies"]}
    bodies = {b["name"]: b for b in state["bodies"]}
    below = {}
    for name in parent:
        at, seen = name, 0
        while at in parent and seen < 10000:
            below.setdefault(at, []).append(name)
            at, seen = parent[at], seen + 1
    result = [None] * record["nv"]
    for joint, at in zip(record["joints"], state["joints"]):
        if joint["nv"] not in (1, 3, 6) or joint["body"] not in bodies or (joint["nv"] == 1 and at["axis"] is None):
            return None
        for k, column in enumerate(columns_of(record, joint, at, bodies[joint["body"]])):
            result[joint["v"] + k] = (column, below[joint["body"]])
    return None if None in result else result


def motion(column, com):
    """Turning and velocity of a body's centre, and how far it is from the axis."""
    axis, point, shift = column
    if axis is None:
        return [0.0, 0.0, 0.0], shift, 1.0
    arm = add(com, point, -1.0)
    return axis, cross(axis, arm), norm(arm)


# ---- The mass matrix ----------------------------------------------------------------------------------------------------------------

def set_velocities(state, found, info, entries, twists):
    for e in entries:
        i = found.get(e["name"])
        if i is None:
            continue
        omega, v = twists.get(e["name"], ([0.0] * 3, [0.0] * 3))
        com = add(e["position"], turn(e["quaternion"], listed(info[i].com)))
        state.velocity[i] = engine.Vec3(*add(v, cross(omega, add(com, e["com"], -1.0))))
        state.spin[i] = engine.Vec3(*back(e["quaternion"], omega))
    state.touch()


def twists_of(columns, factors, coms):
    twists = {}
    for (column, moved), s in zip(columns, factors):
        for name in moved:
            omega, v, _ = motion(column, coms[name])
            old = twists.get(name, ([0.0] * 3, [0.0] * 3))
            twists[name] = (add(old[0], omega, s), add(old[1], v, s))
    return twists


def mass_error(model, state, found, record, s, most=40):
    """Largest |M - M_ref| / sqrt(M_ii M_jj); poses of the state must be set. None: the record does not tell."""
    columns, lower, n = jacobian(record, s), s.get("M"), record["nv"]
    if not columns or not lower:
        return None
    info, coms = model.bodies(), {e["name"]: e["com"] for e in s["bodies"]}

    def kinetic(chosen):
        set_velocities(state, found, info, s["bodies"], twists_of([columns[i] for i in chosen], [scale[i] for i in chosen], coms))
        return state.measure().kinetic

    diagonal = [lower[i * (i + 1) // 2 + i] for i in range(n)]
    if min(diagonal) <= 0:
        return None
    scale = [1 / math.sqrt(d) for d in diagonal]
    own = [kinetic([i]) for i in range(n)]
    worst = max(abs(2 * t - 1) for t in own)
    stride = max(1, n // most)
    for i in range(n):
        for j in range(i % stride, i, stride):
            reference = lower[i * (i + 1) // 2 + j] * scale[i] * scale[j]
            worst = max(worst, abs(kinetic([i, j]) - own[i] - own[j] - reference))
    return worst


# ---- Forces -------------------------------------------------------------------------------------------------------------------------

def differences(model, got, found, entries, reference):
    """For each body how far angular acceleration and that of the centre of mass are from the reference, and what it has there."""
    info, by_name, result = model.bodies(), {e["name"]: e for e in entries}, {}
    for r in reference:
        i = found.get(r["name"])
        if i is None:
            continue
        e = by_name[r["name"]]
        q, omega = e["quaternion"], e["omega"]
        alpha = turn(q, listed(got[i].omega))
        arm = add(add(e["position"], turn(q, listed(info[i].com))), e["com"], -1.0)  # from the reference's centre to ours
        moved = add(add(r["acceleration"], cross(r["alpha"], arm)), cross(omega, cross(omega, arm)))
        result[r["name"]] = {"alpha": add(alpha, r["alpha"], -1.0), "a": add(listed(got[i].v), moved, -1.0), "index": i,
                             "com": add(e["com"], arm), "q": q, "size_a": norm(moved) + norm(e["velocity"]) * norm(omega),
                             "size_alpha": norm(r["alpha"]) + dot(omega, omega)}
    return result


def inertia_times(info, q, w):
    local = back(q, w)
    return turn(q, [sum(info.inertia.m[i][k] * local[k] for k in range(3)) for i in range(3)])


def force_error(model, record, s, found, apart, gravity):
    """Largest e(i) relative to its terms; None: the record does not tell."""
    columns, info = jacobian(record, s), model.bodies()
    if not columns:
        return None
    extra = {}  # armatures: inertia along the coordinate itself
    for joint in record["joints"]:
        if joint.get("armature") and joint["nv"] == 1:
            extra[joint["v"]] = (joint["armature"], joint["body"])
    parent = {b["name"]: b["parent"] for b in record["bodies"]}
    worst = 0.0
    for i, (column, moved) in enumerate(columns):
        e, terms = 0.0, 0.0
        for name in moved:
            if name not in apart:
                continue
            d, b = apart[name], info[apart[name]["index"]]
            omega, v, arm = motion(column, d["com"])
            largest = max(abs(b.inertia.m[k][k]) for k in range(3))
            e += b.mass * dot(v, d["a"]) + dot(omega, inertia_times(b, d["q"], d["alpha"]))
            if column[0] is not None:
                arm += math.sqrt(largest / b.mass)
                terms += largest * d["size_alpha"]
            terms += b.mass * arm * (gravity + d["size_a"])
        if i in extra and column[0] is not None and extra[i][1] in apart:
            a, name = extra[i]
            other = apart.get(parent.get(name), {"alpha": [0.0] * 3})
            e += a * dot(column[0], add(apart[name]["alpha"], other["alpha"], -1.0))
            terms += a * apart[name]["size_alpha"]
        if terms > 0:
            worst = max(worst, abs(e) / terms)
    return worst


def weighed_error(model, apart, gravity):
    """Differences of accelerations in the norm of the kinetic energy, relative to those of all bodies in free fall and motion."""
    info, e, terms = model.bodies(), 0.0, 0.0
    for d in apart.values():
        b = info[d["index"]]
        largest = max(abs(b.inertia.m[k][k]) for k in range(3))
        e += b.mass * dot(d["a"], d["a"]) + dot(d["alpha"], inertia_times(b, d["q"], d["alpha"]))
        terms += b.mass * (gravity + d["size_a"]) ** 2 + largest * d["size_alpha"] ** 2
    return math.sqrt(e / terms) if terms > 0 else 0.0
