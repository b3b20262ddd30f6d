#!/usr/bin/env python3
"""Robots as model files of this engine (YAML) and of MuJoCo (MJCF), from one description.

    scenes.py FOLDER    writes NAME.yaml, NAME.xml and NAME.scene of every scene

The last is a plain table for programs without a reader of YAML (bench/worlds/scene.h).
"""
import math
import os
import sys


class Body:
    def __init__(self, name, mass, inertia, at, parent=None, joint="free", anchor=None, axis=(0, 0, 1), shapes=(),
                 kp=0.0, kd=0.0, target="0", stiffness=0.0, damping=0.0, torque=None, axis2=None, limits=None):
        self.name, self.mass, self.inertia, self.at = name, mass, inertia, at
        self.parent, self.joint, self.anchor, self.axis = parent, joint, anchor or at, axis
        self.shapes = list(shapes)  # (type, size, place from the centre of mass)
        self.kp, self.kd, self.target = kp, kd, target
        self.stiffness, self.damping, self.torque = stiffness, damping, torque
        self.axis2, self.limits = axis2, limits


class Scene:
    def __init__(self, name, friction, gravity=(0.0, 0.0, -9.81)):
        self.name, self.friction, self.gravity = name, friction, gravity
        self.bodies, self.loops = [], []  # loops: (body, body, anchor, axis); without an axis a ball joint

    def add(self, *given, **named):
        self.bodies.append(Body(*given, **named))
        return len(self.bodies) - 1


# ---- Writing ---------------------------------------------------------------------------------------------------------

def numbers(values):
    return ", ".join(repr(float(v)) for v in values)


def yaml_shape(shape, friction):
    kind, size, place = shape
    words = {"sphere": lambda: f"radius: {size[0]}", "box": lambda: f"size: [{numbers(size)}]",
             "capsule": lambda: f"radius: {size[0]}, length: {size[1]}, axis: [{numbers(size[2])}]"}[kind]()
    return f"{{type: {kind}, {words}, friction: {friction}, position: [{numbers(place)}]}}"


def yaml_joint(scene, body):
    parent = "world" if body.parent is None else scene.bodies[body.parent].name
    text = f"{{name: j_{body.name}, type: {body.joint}, bodies: [{parent}, {body.name}], anchor: [{numbers(body.anchor)}]"
    if body.joint != "ball":
        text += f", axis: [{numbers(body.axis)}]"
        if body.axis2:
            text += f", axis2: [{numbers(body.axis2)}]"
        if body.torque is not None:
            text += f", motor: {{torque: {body.torque}}}"
        elif body.kp > 0:
            text += f", motor: {{position: \"{body.target}\", kp: {body.kp}, kd: {body.kd}}}"
        if body.stiffness > 0:
            text += f", stiffness: {body.stiffness}"
        if body.damping > 0:
            text += f", damping: {body.damping}"
        if body.limits:
            text += f", limits: [{numbers(body.limits)}]"
    return text + "}"


def yaml(scene, contact="{}"):
    lines = ["polhode: 1", f"name: {scene.name}", f"gravity: [{numbers(scene.gravity)}]", f"contact: {contact}", "bodies:",
             f"  - {{name: floor, fixed: true, shapes: [{{type: plane, normal: z, friction: {scene.friction}}}]}}"]
    for body in scene.bodies:
        shapes = ", ".join(yaml_shape(s, scene.friction) for s in body.shapes)
        shapes = f", shapes: [{shapes}]" if shapes else ""
        lines.append(f"  - {{name: {body.name}, mass: {body.mass}, inertia: [{numbers(body.inertia)}], "
                     f"position: [{numbers(body.at)}]{shapes}}}")
    lines.append("joints:")
    lines += [f"  - {yaml_joint(scene, body)}" for body in scene.bodies if body.joint != "free"]
    for n, (a, b, anchor, axis) in enumerate(scene.loops):
        kind = f"revolute, axis: [{numbers(axis)}]" if axis else "ball"
        lines.append(f"  - {{name: loop{n}, type: {kind}, bodies: [{scene.bodies[a].name}, {scene.bodies[b].name}], "
                     f"anchor: [{numbers(anchor)}]}}")
    return "\n".join(lines) + "\n"


def plain(scene):
    """One thing to a line: words, then numbers; a body's shapes after it, and what is to be met by a servo last."""
    lines = [f"scene {scene.name} {scene.friction} {spaced(scene.gravity)}"]
    for body in scene.bodies:
        lines.append(f"body {body.name} {body.mass} {spaced(body.inertia)} {spaced(body.at)}")
        for kind, size, place in body.shapes:
            flat = [*size[:2], *size[2]] if kind == "capsule" else size
            lines.append(f"{kind} {spaced(flat)} {spaced(place)}")
    for i, body in enumerate(scene.bodies):
        if body.joint == "free":
            continue
        parent = -1 if body.parent is None else body.parent
        lines.append(f"joint {body.joint} {parent} {i} {spaced(body.anchor)} {spaced(body.axis)} {spaced(body.axis2 or (0, 0, 0))}")
        if body.stiffness or body.damping:
            lines.append(f"spring {float(body.stiffness)} {float(body.damping)}")
        if body.limits:
            lines.append(f"limits {spaced(body.limits)}")
        if body.torque is not None:
            lines.append(f"torque {body.torque}")
        elif body.kp > 0:
            lines.append(f"servo {body.kp} {body.kd} {body.target}")
    for a, b, anchor, axis in scene.loops:
        lines.append(f"joint {'revolute' if axis else 'ball'} {a} {b} {spaced(anchor)} {spaced(axis or (0, 0, 1))} 0.0 0.0 0.0")
    return "\n".join(lines) + "\n"


def spaced(values):
    return " ".join(repr(float(v)) for v in values)


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def turn_of_z(u):
    """The quaternion that turns z to the unit vector u."""
    w = 1.0 + u[2]
    if w < 1e-9:
        return (0, 1, 0, 0)
    size = math.sqrt(w * w + u[0] * u[0] + u[1] * u[1])
    return (w / size, -u[1] / size, u[0] / size, 0)


def mjcf_shape(shape, com, friction):
    kind, size, place = shape
    at = spaced(p + c for p, c in zip(place, com))
    if kind == "sphere":
        words = f'size="{size[0]}"'
    elif kind == "box":
        words = f'size="{spaced(0.5 * s for s in size)}"'
    else:
        words = f'size="{size[0]} {0.5 * size[1]}" quat="{spaced(turn_of_z(size[2]))}"'
    return f'<geom type="{kind}" {words} pos="{at}" friction="{friction}"/>'


def mjcf(scene):
    children = {}
    for i, body in enumerate(scene.bodies):
        children.setdefault(body.parent, []).append(i)

    def base_of(body):
        return body.at if body.joint == "free" else body.anchor

    def emit(i, origin):
        body = scene.bodies[i]
        base = base_of(body)
        com = less(body.at, base)
        text = f'<body name="{body.name}" pos="{spaced(less(base, origin))}">'
        if body.joint == "free":
            text += "<freejoint/>"
        elif body.joint == "ball":
            text += '<joint type="ball"/>'
        elif body.joint == "universal":
            text += "".join(f'<joint type="hinge" axis="{spaced(axis)}"/>' for axis in (body.axis, body.axis2))
        else:
            kind = "slide" if body.joint == "prismatic" else "hinge"
            limits = f'limited="true" range="{" ".join(str(math.degrees(v)) for v in body.limits)}" ' if body.limits else ""
            text += (f'<joint name="j_{body.name}" type="{kind}" axis="{spaced(body.axis)}" {limits}'
                     f'damping="{body.kd + body.damping}" stiffness="{body.kp + body.stiffness}"/>')
        text += f'<inertial pos="{spaced(com)}" mass="{body.mass}" diaginertia="{spaced(body.inertia)}"/>'
        text += "".join(mjcf_shape(s, com, scene.friction) for s in body.shapes)
        return text + "".join(emit(c, base) for c in children.get(i, [])) + "</body>"

    text = (f'<mujoco><option timestep="0.002" gravity="{spaced(scene.gravity)}"/><size memory="500M"/><worldbody>'
            f'<geom type="plane" size="50 50 1" friction="{scene.friction}"/>')
    text += "".join(emit(i, (0, 0, 0)) for i in children.get(None, [])) + "</worldbody>"
    if scene.loops:
        text += "<equality>"
        for a, b, anchor, _ in scene.loops:
            text += (f'<connect body1="{scene.bodies[a].name}" body2="{scene.bodies[b].name}" '
                     f'anchor="{spaced(less(anchor, base_of(scene.bodies[a])))}"/>')
        text += "</equality>"
    motors = [b for b in scene.bodies if b.torque is not None]
    if motors:
        text += "<actuator>" + "".join(f'<motor joint="j_{b.name}" gear="{b.torque}"/>' for b in motors) + "</actuator>"
    return text + "</mujoco>\n"


# ---- Robots ----------------------------------------------------------------------------------------------------------

KNEE = 0.7  # rad that a thigh leans back, and a calf forward
LEG = 0.2   # m of thigh and of calf
STANDING = 0.02 + 2 * LEG * math.cos(KNEE)  # height of the hips with feet on the ground


def leg_points(hip_x, z):
    knee = (hip_x - LEG * math.sin(KNEE), z - LEG * math.cos(KNEE))
    return knee, (hip_x, z - 2 * LEG * math.cos(KNEE))


def middle(a, b):
    return [0.5 * (x + y) for x, y in zip(a, b)]


def quadruped(scene, prefix="", x=0.0, y=0.0, gait=0.0, four_bar=False):
    z, kp, kd = STANDING, 100.0, 2.0
    trunk = scene.add(prefix + "trunk", 6.9, (0.0158, 0.0377, 0.0456), (x, y, z),
                      shapes=[("box", (0.38, 0.19, 0.11), (0, 0, 0))])
    for k, (front, left) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        hip_x, hip_y, side = x + 0.19 * front, y + 0.047 * left, y + 0.127 * left
        (knee_x, knee_z), (foot_x, foot_z) = leg_points(hip_x, z)
        phase = f"12.566370614359172*t + {0.0 if k in (0, 3) else math.pi}"
        swing, lift = (f"{gait}*sin({phase})", f"-{0.8 * gait}*(1 + cos({phase}))") if gait else ("0", "0")
        hip = scene.add(f"{prefix}hip{k}", 0.68, (0.0005, 0.0009, 0.0006), (hip_x, hip_y + 0.04 * left, z), trunk,
                        "revolute", (hip_x, hip_y, z), (1, 0, 0), kp=kp, kd=kd)
        hip_point, knee, foot = (hip_x, side, z), (knee_x, side, knee_z), (foot_x, side, foot_z)
        thigh = scene.add(f"{prefix}thigh{k}", 1.0, (0.0055, 0.0051, 0.00098), middle(hip_point, knee), hip, "revolute",
                          hip_point, (0, 1, 0), **({} if four_bar else dict(kp=kp, kd=kd, target=swing)))
        com = middle(knee, foot)
        calf = scene.add(f"{prefix}calf{k}", 0.24, (0.0030, 0.0030, 0.000032), com, thigh, "revolute", knee, (0, 1, 0),
                         kp=kp, kd=kd, target=lift, shapes=[("sphere", (0.02,), less(foot, com))])
        if four_bar:  # a rod beside the thigh drives the calf
            ux, uz = math.sin(KNEE), -math.cos(KNEE)
            top, end = (hip_x - 0.04 * ux, side, z - 0.04 * uz), (knee_x - 0.05 * ux, side, knee_z - 0.05 * uz)
            rod = scene.add(f"{prefix}rod{k}", 0.15, (0.0006, 0.0006, 0.00002), middle(top, end), hip, "revolute", top,
                            (0, 1, 0), kp=kp, kd=kd)
            scene.loops.append((rod, calf, end, (0, 1, 0)))
    return scene


def quadrupeds(side):
    scene = Scene(f"quadrupeds{side * side}", 0.8)
    for i in range(side * side):
        quadruped(scene, f"r{i}_", 2.0 * (i % side), 2.0 * (i // side))
    return scene


def humanoid():
    scene, z = Scene("humanoid", 0.8), 0.97
    small = (0.001, 0.001, 0.001)

    def link(name, mass, inertia, at, parent, anchor, axis, kp=800.0, kd=20.0, shapes=()):
        return scene.add(name, mass, inertia, at, parent, "revolute", anchor, axis, kp=kp, kd=kd, shapes=shapes)

    pelvis = scene.add("pelvis", 8.0, (0.06, 0.05, 0.06), (0, 0, z), shapes=[("box", (0.2, 0.28, 0.16), (0, 0, 0))])
    waist = link("waist_z", 0.6, small, (0, 0, z + 0.10), pelvis, (0, 0, z + 0.10), (0, 0, 1))
    waist = link("waist_y", 0.6, small, (0, 0, z + 0.13), waist, (0, 0, z + 0.13), (0, 1, 0))
    torso = link("torso", 20.0, (0.6, 0.5, 0.25), (0, 0, z + 0.36), waist, (0, 0, z + 0.16), (1, 0, 0),
                 shapes=[("box", (0.2, 0.34, 0.4), (0, 0, 0))])
    for k, s in enumerate((1, -1)):
        y, hip = 0.1 * s, (0.002, 0.002, 0.002)
        at = link(f"hip_x{k}", 1.0, hip, (0, y, z - 0.09), pelvis, (0, y, z - 0.09), (1, 0, 0))
        at = link(f"hip_z{k}", 1.0, hip, (0, y, z - 0.11), at, (0, y, z - 0.11), (0, 0, 1))
        at = link(f"thigh{k}", 5.5, (0.08, 0.08, 0.012), (0, y, z - 0.31), at, (0, y, z - 0.13), (0, 1, 0))
        at = link(f"shin{k}", 3.2, (0.05, 0.05, 0.006), (0, y, z - 0.69), at, (0, y, z - 0.51), (0, 1, 0))
        at = link(f"ankle{k}", 0.5, small, (0, y, z - 0.88), at, (0, y, z - 0.88), (0, 1, 0))
        soles = [("sphere", (0.02,), (px, py, -0.03)) for px in (0.1, -0.08) for py in (0.04, -0.04)]
        link(f"foot{k}", 1.0, (0.002, 0.005, 0.005), (0.04, y, z - 0.92), at, (0, y, z - 0.90), (1, 0, 0), shapes=soles)
        at = link(f"shoulder{k}", 0.7, small, (0, 2 * y, z + 0.5), torso, (0, 2 * y, z + 0.5), (0, 1, 0), 100.0, 3.0)
        at = link(f"arm{k}", 1.8, (0.015, 0.015, 0.002), (0, 2.4 * y, z + 0.37), at, (0, 2.4 * y, z + 0.5), (1, 0, 0),
                  100.0, 3.0)
        link(f"forearm{k}", 1.3, (0.01, 0.01, 0.001), (0, 2.4 * y, z + 0.11), at, (0, 2.4 * y, z + 0.24), (0, 1, 0),
             100.0, 3.0)
    return scene


def vehicle():
    scene = Scene("vehicle", 0.9)
    chassis = scene.add("chassis", 1200.0, (300, 1500, 1700), (0, 0, 0.7), shapes=[("box", (3.6, 0.8, 0.5), (0, 0, 0.1))])
    for k, (x, y) in enumerate(((1.3, 0.8), (1.3, -0.8), (-1.3, 0.8), (-1.3, -0.8))):
        at = (x, y, 0.34)
        strut = scene.add(f"strut{k}", 25.0, (0.5, 0.5, 0.5), at, chassis, "prismatic", at, (0, 0, 1), stiffness=40000.0,
                          damping=3000.0)
        scene.add(f"wheel{k}", 20.0, (0.8, 1.2, 0.8), at, strut, "revolute", at, (0, 1, 0), torque=60.0 if k > 1 else None,
                  shapes=[("sphere", (0.33,), (0, 0, 0))])
    return scene


def gripper():
    scene = Scene("gripper", 0.8)
    carriage = scene.add("carriage", 3.0, (0.02, 0.02, 0.02), (0, 0, 0.5), None, "prismatic", (0, 0, 0.5), (0, 0, 1),
                         kp=4000.0, kd=200.0)
    for k, s in enumerate((1, -1)):
        at = (0, 0.047 * s, 0.35)
        scene.add(f"finger{k}", 0.3, (0.0006, 0.0006, 0.0002), at, carriage, "prismatic", at, (0, -s, 0), torque=20.0,
                  damping=20.0, shapes=[("box", (0.04, 0.02, 0.10), (0, 0, 0))])
    scene.add("cube", 0.2, (0.00012, 0.00012, 0.00012), (0, 0, 0.33), shapes=[("box", (0.06, 0.07, 0.06), (0, 0, 0))])
    return scene


def biped():
    """Three four-bars in each leg: beside the thigh, and on both sides of the shin."""
    scene, z = Scene("biped", 0.9), 0.92
    pelvis = scene.add("pelvis", 12.0, (0.1, 0.08, 0.1), (0, 0, z), shapes=[("box", (0.2, 0.26, 0.16), (0, 0, 0))])
    axis = (0, 1, 0)
    for k, s in enumerate((1, -1)):
        y, servo, rod = 0.11 * s, dict(kp=400.0, kd=8.0), (0.003, 0.003, 0.0001)
        hip = scene.add(f"hip{k}", 1.2, (0.003,) * 3, (0, y, z - 0.08), pelvis, "revolute", (0, y, z - 0.06), (1, 0, 0),
                        **servo)
        thigh = scene.add(f"thigh{k}", 3.0, (0.04, 0.04, 0.005), (0, y, z - 0.28), hip, "revolute", (0, y, z - 0.08), axis,
                          **servo)
        shin = scene.add(f"shin{k}", 2.0, (0.03, 0.03, 0.004), (0, y, z - 0.66), thigh, "revolute", (0, y, z - 0.48), axis)
        soles = [("sphere", (0.02,), (px, py, -0.02)) for px in (0.1, -0.1) for py in (0.04, -0.04)]
        foot = scene.add(f"foot{k}", 0.8, (0.002, 0.004, 0.004), (0.03, y, z - 0.88), shin, "revolute", (0, y, z - 0.86),
                         axis, shapes=soles)
        knee = scene.add(f"knee_rod{k}", 0.3, (0.004, 0.004, 0.0001), (-0.05, y, z - 0.28), hip, "revolute",
                         (-0.05, y, z - 0.09), axis, **servo)
        scene.loops.append((knee, shin, (-0.05, y, z - 0.49), axis))
        for side, x in enumerate((-0.06, 0.06)):
            ankle = scene.add(f"ankle_rod{k}{side}", 0.2, rod, (x, y, z - 0.68), shin, "revolute", (x, y, z - 0.52), axis,
                              **({} if side else dict(kp=200.0, kd=5.0)))
            scene.loops.append((ankle, foot, (x, y, z - 0.85), axis))
    return scene


def linkage_biped():
    """examples/robots/linkage_biped.yaml: 31 bodies, 36 joints, six loops, twelve servos."""
    scene, l, a, h, c, d = Scene("linkage_biped", 0.8), 0.36, 0.35, 0.07, 0.05, 0.04
    sx, cx, servo = math.sin(a), math.cos(a), dict(kp=300.0, kd=6.0)
    z, bit, rod, swing = 2 * l * cx + h, (4e-4,) * 3, (8e-4, 8e-4, 2e-5), (0, 1, 0)
    pelvis = scene.add("pelvis", 14.0, (0.2, 0.16, 0.14), (0, 0, z + 0.16), shapes=[("box", (0.18, 0.24, 0.22), (0, 0, 0))])
    for k, s in enumerate((1, -1)):
        y, kx, kz = 0.09 * s, l * sx, z - l * cx

        def link(name, mass, inertia, at, parent, anchor, axis=swing, joint="revolute", **more):
            return scene.add(f"{name}{k}", mass, inertia, at, parent, joint, anchor, axis, **more)

        hip = link("hip", 0.9, (2e-3,) * 3, (0, y, z + 0.03), pelvis, (0, y, z + 0.03), (0, 0, 1), **servo)
        fork = link("fork", 0.8, (2e-3,) * 3, (0, y, z), hip, (0, y, z), (1, 0, 0), **servo)
        thigh = link("thigh", 2.6, (0.03, 0.03, 4e-3), (kx / 2, y, z - l * cx / 2), fork, (0, y, z), **servo)
        shin = link("shin", 0.9, (4e-3, 4e-3, 1e-3), (kx - 0.15 * l * sx, y, kz - 0.15 * l * cx), thigh, (kx, y, kz))
        shank = link("shank", 0.9, (5e-3, 5e-3, 1e-3), (kx - 0.65 * l * sx, y, kz - 0.65 * l * cx), shin,
                     (kx - 0.3 * l * sx, y, kz - 0.3 * l * cx), stiffness=2000.0, damping=8.0)
        cross = link("cross", 0.2, bit, (0, y, h), shank, (0, y, h))
        foot = link("foot", 0.6, (1e-3, 2e-3, 2e-3), (0.02, y, h - 0.04), cross, (0, y, h), (1, 0, 0))
        for name, x, pad, py, most in (("toe", 0.1, 0.02, 0.035, 0.6), ("heel", -0.06, -0.02, 0.03, 0.3)):
            link(name, 0.15, bit, (x, y, h - 0.045), foot, (x - 1.5 * pad, y, h - 0.04), stiffness=40.0, damping=0.6,
                 limits=(-most, most), shapes=[("sphere", (0.02,), (pad, e * py, -0.005)) for e in (1, -1)])
        top = (0.25 * kx - cx * c, y, z - 0.25 * l * cx - sx * c)
        crank = link("knee_crank", 0.15, bit, (0.25 * kx - cx * c / 2, y, z - 0.25 * l * cx - sx * c / 2), thigh,
                     (0.25 * kx, y, z - 0.25 * l * cx), **servo)
        bar = link("knee_rod", 0.25, rod, (0.625 * kx - cx * c, y, z - 0.625 * l * cx - sx * c), crank, top)
        scene.loops.append((bar, shin, (kx - cx * c, y, kz - sx * c), swing))
        for n, e in enumerate((1, -1)):
            pivot = (0.55 * l * sx, y + d * e, h + 0.55 * l * cx)
            crank = link(f"crank{n}_", 0.15, bit, (pivot[0] - c / 2, *pivot[1:]), shank, pivot, **servo)
            bar = link(f"rod{n}_", 0.2, rod, (0.275 * l * sx - c, y + d * e, h + 0.275 * l * cx), crank,
                       (pivot[0] - c, *pivot[1:]), joint="universal", axis2=(cx, 0, -sx))
            scene.loops.append((bar, foot, (-c, y + d * e, h), None))
    return scene


def capsule_inertia(mass, radius, length, axis):
    """Solid, about its centre."""
    tube, ends = math.pi * radius**2 * length, 4.0 / 3.0 * math.pi * radius**3
    m1 = mass * tube / (tube + ends)
    m2 = mass - m1
    along = 0.5 * m1 * radius**2 + 0.4 * m2 * radius**2
    across = m1 * (length**2 / 12 + radius**2 / 4) + m2 * (0.4 * radius**2 + length**2 / 4 + 3 * length * radius / 8)
    inertia = [across] * 3
    inertia[axis] = along
    return inertia


def ragdoll(scene, prefix, origin):
    """Limp, lying along x: ball joints at shoulders, hips, neck and waist, hinges at elbows and knees."""
    def at(x, y, z):
        return [o + p for o, p in zip(origin, (x, y, z))]

    def part(name, mass, center, radius, length, along, **joint):
        direction = [0.0, 0.0, 0.0]
        direction[along] = 1.0
        return scene.add(prefix + name, mass, capsule_inertia(mass, radius, length, along), at(*center),
                         shapes=[("capsule", (radius, length, direction), (0, 0, 0))], **joint)

    torso = part("torso", 20.0, (0, 0, 0), 0.11, 0.30, 0)
    pelvis = part("pelvis", 12.0, (-0.33, 0, 0), 0.11, 0.14, 1, parent=torso, joint="ball", anchor=at(-0.22, 0, 0))
    scene.add(prefix + "head", 5.0, (0.02, 0.02, 0.02), at(0.40, 0, 0), torso, "ball", at(0.29, 0, 0),
              shapes=[("sphere", (0.10,), (0, 0, 0))])
    for k, s in enumerate((1, -1)):
        arm = part(f"arm{k}", 2.5, (0.12, 0.32 * s, 0), 0.05, 0.20, 1, parent=torso, joint="ball",
                   anchor=at(0.12, 0.18 * s, 0))
        part(f"forearm{k}", 1.5, (0.12, 0.60 * s, 0), 0.04, 0.22, 1, parent=arm, joint="revolute",
             anchor=at(0.12, 0.46 * s, 0), axis=(0, 0, 1), damping=0.1)
        thigh = part(f"thigh{k}", 8.0, (-0.58, 0.10 * s, 0), 0.075, 0.30, 0, parent=pelvis, joint="ball",
                     anchor=at(-0.38, 0.10 * s, 0))
        part(f"shin{k}", 4.0, (-1.00, 0.10 * s, 0), 0.06, 0.32, 0, parent=thigh, joint="revolute",
             anchor=at(-0.79, 0.10 * s, 0), axis=(0, 1, 0), damping=0.2)


def ragdolls(count):
    scene, noise = Scene(f"ragdolls{count}" if count > 1 else "ragdoll", 0.6), 12345
    side = max(1, round(math.sqrt(count / 5)))
    for i in range(count):
        cell, level, shift = i % (side * side), i // (side * side), []
        for _ in range(2):  # the same numbers everywhere
            noise = (1103515245 * noise + 12345) % 2**31
            shift.append(0.1 * noise / 2**31)
        ragdoll(scene, f"r{i}_", (1.95 * (cell % side) + 0.35 * (level % 2) + shift[0],
                                  1.75 * (cell // side) + 0.15 * (level % 3) + shift[1], 0.35 + 0.45 * level))
    return scene


def tilted(scene, angle):
    scene.gravity = (9.81 * math.sin(angle), 0.0, -9.81 * math.cos(angle))
    return scene


def all_scenes():
    yield quadruped(Scene("quadruped", 0.8)), "{}"
    yield quadruped(Scene("quadruped_trot", 0.8), gait=0.1), "{}"
    yield tilted(quadruped(Scene("quadruped_slope", 0.8)), math.radians(15)), "{}"
    yield quadrupeds(10), "{}"
    yield humanoid(), "{}"
    yield vehicle(), "{}"
    yield gripper(), "{}"
    yield ragdolls(1), "{}"
    yield ragdolls(50), "{tolerance: 1e-3}"
    yield quadruped(Scene("quadruped_four_bar", 0.8), four_bar=True), "{}"
    yield biped(), "{}"
    yield linkage_biped(), "{}"


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for scene, contact in all_scenes():
        with open(os.path.join(folder, scene.name + ".yaml"), "w") as file:
            file.write(yaml(scene, contact))
        with open(os.path.join(folder, scene.name + ".xml"), "w") as file:
            file.write(mjcf(scene))
        with open(os.path.join(folder, scene.name + ".scene"), "w") as file:
            file.write(plain(scene))
