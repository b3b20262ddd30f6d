"""Drake in the contact scenes. See contact.h.

Settings: "default", a discrete plant with its default contact solver and approximation, hydroelastic contact for boxes (what it
recommends: point contact gives one point for a pair of boxes, on which nothing stands) and point contact for spheres; "stiff",
the same with hydroelastic modulus 1e8 Pa, point stiffness 1e7 N/m and no dissipation, nearer to rigid bodies. The loop runs
inside Simulator.AdvanceTo.
"""

import importlib.metadata
import time

import numpy as np
from pydrake.all import (AddCompliantHydroelasticProperties, AddContactMaterial, AddRigidHydroelasticProperties, Box, ContactModel,
                         CoulombFriction, DiagramBuilder, HalfSpace, AddMultibodyPlantSceneGraph, ProximityProperties,
                         RigidTransform, RotationMatrix, Simulator, SpatialInertia, Sphere, UnitInertia)

from scene import Scene, main, stop


class ContactScene(Scene):
    def __init__(self, path):
        super().__init__(path)
        self.planes, self.shapes = [], []
        for line in open(path):
            word, *rest = line.split()
            if word == "friction":
                self.friction = float(rest[0])
            elif word == "plane":
                self.planes.append(np.array(rest, float))
            elif word == "shape":
                self.shapes.append((rest[1], np.array(rest[2:], float)))


def surface(scene, stiff, kind, size):
    """Contact properties of a body; its resolution is that of its own size."""
    properties = ProximityProperties()
    friction = CoulombFriction(scene.friction, scene.friction)
    if kind == "box":
        AddCompliantHydroelasticProperties(float(size.min()), 1e8 if stiff else 1e7, properties)
        AddContactMaterial(dissipation=0.0 if stiff else None, friction=friction, properties=properties)
    elif stiff:
        AddContactMaterial(dissipation=0.0, point_stiffness=1e7, friction=friction, properties=properties)
    else:
        AddContactMaterial(friction=friction, properties=properties)
    return properties


def ground(scene):
    properties = ProximityProperties()
    AddRigidHydroelasticProperties(1.0, properties)
    AddContactMaterial(friction=CoulombFriction(scene.friction, scene.friction), properties=properties)
    return properties


class Peer:
    def __init__(self, path, setting, h):
        self.scene = s = ContactScene(path)
        builder = DiagramBuilder()
        self.plant, graph = AddMultibodyPlantSceneGraph(builder, h)
        plant = self.plant
        plant.set_contact_model(ContactModel.kHydroelasticWithFallback)
        plant.mutable_gravity_field().set_gravity_vector(s.gravity)
        for k, n in enumerate(s.planes):
            pose = HalfSpace.MakePose(n[:3], n[:3] * n[3])
            plant.RegisterCollisionGeometry(plant.world_body(), pose, HalfSpace(), f"plane{k}", ground(s))
        self.bodies = []
        for b, (kind, size) in zip(s.bodies, s.shapes):
            I = b.I / b.mass
            body = plant.AddRigidBody(b.name, SpatialInertia(b.mass, np.zeros(3), UnitInertia(I[0, 0], I[1, 1], I[2, 2])))
            shape = Sphere(size[0]) if kind == "sphere" else Box(*size)
            plant.RegisterCollisionGeometry(body, RigidTransform(), shape, b.name, surface(s, setting == "stiff", kind, size))
            self.bodies.append(body)
        plant.Finalize()
        self.simulator = Simulator(builder.Build())
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for b, body in zip(s.bodies, self.bodies):
            plant.SetFreeBodyPose(self.context, body, RigidTransform(RotationMatrix(b.R), b.x))
        self.simulator.Initialize()

    def poses(self):
        found = (self.plant.EvalBodyPoseInWorld(self.context, body) for body in self.bodies)
        return [(X.translation(), X.rotation().matrix()) for X in found]


def overlap_of_boxes(p, a, q, b):
    """The least of the 15 axes that could separate them (contact.h)."""
    A, B = p[1], q[1]
    axes = list(A.T) + list(B.T) + [np.cross(u, v) for u in A.T for v in B.T]
    least = np.inf
    for axis in axes:
        norm = np.linalg.norm(axis)
        if norm < 1e-3:
            continue
        reach = 0.5 * (a @ abs(A.T @ axis) + b @ abs(B.T @ axis))
        least = min(least, (reach - abs((q[0] - p[0]) @ axis)) / norm)
        if least <= 0.0:
            break
    return least


def penetration(scene, poses):
    x = np.array([p[0] for p in poses])
    balls = scene.shapes[0][0] == "sphere"
    sizes = np.array([size for _, size in scene.shapes])
    radius = sizes[:, 0] if balls else 0.5 * np.linalg.norm(sizes, axis=1)
    worst = 0.0
    for n in scene.planes:
        reach = radius if balls else np.array([0.5 * size @ abs(R.T @ n[:3]) for size, (_, R) in zip(sizes, poses)])
        worst = max(worst, float(np.max(n[3] - x @ n[:3] + reach)))
    for i in range(1, len(x)):
        near = radius[:i] + radius[i] - np.linalg.norm(x[:i] - x[i], axis=1)
        if balls:
            worst = max(worst, float(near.max()))
            continue
        for j in np.flatnonzero(near > 0.0):
            worst = max(worst, overlap_of_boxes(poses[i], sizes[i], poses[j], sizes[j]))
    return worst


def move(path, setting, h, steps, block):
    p = Peer(path, setting, h)
    cpu = worst = 0.0
    for done in range(block, steps + 1, block):
        began = time.thread_time()
        p.simulator.AdvanceTo(done * h)
        cpu += time.thread_time() - began
        poses = p.poses()
        last = penetration(p.scene, poses)
        worst = max(worst, last)
    moved = [x - b.x for (x, _), b in zip(poses, p.scene.bodies)]
    if not np.isfinite(moved).all():
        stop("the motion blew up")
    return {"cpu_s": cpu, "steps": steps, "penetration_max": worst, "penetration_end": last,
            "drift": float(max(map(np.linalg.norm, moved))), "slide": float(moved[0][0])}


main(lambda: importlib.metadata.version("drake"), move)
