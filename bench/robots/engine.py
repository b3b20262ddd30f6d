"""The library by ctypes, as far as bench/robots/corpus needs it. No package beyond Python's own."""

import ctypes as c
import os


class Vec3(c.Structure):
    _fields_ = [("x", c.c_double), ("y", c.c_double), ("z", c.c_double)]


class Quat(c.Structure):
    _fields_ = [("w", c.c_double), ("x", c.c_double), ("y", c.c_double), ("z", c.c_double)]


class Mat3(c.Structure):
    _fields_ = [("m", (c.c_double * 3) * 3)]


class Twist(c.Structure):
    _fields_ = [("omega", Vec3), ("v", Vec3)]


class Setting(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p)]


class Problem(c.Structure):
    _fields_ = [("severity", c.c_int), ("file", c.c_char_p), ("line", c.c_int), ("column", c.c_int), ("path", c.c_char_p),
                ("text", c.c_char_p), ("hint", c.c_char_p), ("source", c.c_char_p)]


class Error(c.Structure):
    _fields_ = [("status", c.c_int), ("text", c.c_char * 1024)]


class BodyInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("fixed", c.c_bool), ("mass", c.c_double), ("volume", c.c_double), ("inertia", Mat3),
                ("com", Vec3), ("reference", Vec3), ("shapes", c.c_int)]


class JointInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_char_p), ("body_a", c.c_int), ("body_b", c.c_int), ("first_row", c.c_int),
                ("rows", c.c_int), ("coordinates", c.c_int), ("anchor_a", Vec3), ("anchor_b", Vec3)]


class SimDef(c.Structure):
    _fields_ = [("cookie", c.c_uint32), ("scheme", c.c_char_p), ("options", c.c_char_p), ("tolerance", c.c_double),
                ("max_iterations", c.c_int), ("threads", c.c_int), ("reserved", c.c_uint64 * 4)]


class Measures(c.Structure):
    _fields_ = [(n, c.c_double) for n in ("kinetic", "potential", "work", "total")] + [("linear", Vec3), ("angular", Vec3)] + \
               [(n, c.c_double) for n in ("position_violation", "velocity_violation", "orthogonality", "friction_work",
                                          "impact_work")] + [("reserved", c.c_uint64 * 4)]


class Library:
    """Functions of libpolhode with the types that Python would guess wrongly."""

    def __init__(self, path):
        lib = c.CDLL(path)
        pointers = ("ph_problems_create ph_problems_get ph_state_create ph_state_positions ph_state_orientations "
                    "ph_state_velocities ph_state_angular_velocities")
        for name in pointers.split():
            getattr(lib, name).restype = c.c_void_p
        lib.ph_problems_get.restype = c.POINTER(Problem)
        for name, kind in (("positions", Vec3), ("orientations", Quat), ("velocities", Vec3), ("angular_velocities", Vec3)):
            getattr(lib, "ph_state_" + name).restype = c.POINTER(kind)
        lib.ph_model_body.restype = BodyInfo
        lib.ph_model_joint.restype = JointInfo
        lib.ph_default_sim.restype = SimDef
        lib.ph_status_text.restype = c.c_char_p
        self.lib = lib


def find_library(root):
    return os.environ.get("POLHODE_LIBRARY", os.path.join(root, "build", "release", "libpolhode.so"))


class Refused(Exception):
    def __init__(self, problems):
        super().__init__(problems[0]["text"] if problems else "refused")
        self.problems = problems


class Model:
    def __init__(self, library, path, settings=(), compile=True):
        self.lib = lib = library.lib
        self.model, self.spec = c.c_void_p(), c.c_void_p()
        problems = c.c_void_p(lib.ph_problems_create())
        texts = [(n.encode(), v.encode()) for n, v in settings]
        array = (Setting * max(len(texts), 1))(*[Setting(*t) for t in texts])
        status = lib.ph_spec_read_file(os.fsencode(path), array, len(texts), problems, c.byref(self.spec))
        if status == 0 and compile:
            status = lib.ph_model_compile(self.spec, problems, c.byref(self.model))
        self.problems = []
        for i in range(lib.ph_problems_count(problems)):
            p = lib.ph_problems_get(problems, i).contents
            self.problems.append({"severity": ("note", "warning", "error")[p.severity], "line": p.line,
                                  "text": (p.text or b"").decode(errors="replace")})
        lib.ph_problems_destroy(problems)
        if status != 0:
            errors = [p for p in self.problems if p["severity"] == "error"]
            raise Refused(errors or [{"severity": "error", "line": 0, "text": lib.ph_status_text(status).decode()}])

    def __del__(self):
        if getattr(self, "lib", None):
            self.lib.ph_model_destroy(self.model)
            self.lib.ph_spec_destroy(self.spec)

    def write(self, path):
        error = Error()
        if self.lib.ph_spec_write_file(self.spec, os.fsencode(path), c.byref(error)) != 0:
            raise RuntimeError(error.text.decode())

    def bodies(self):
        return [self.lib.ph_model_body(self.model, i) for i in range(self.lib.ph_model_bodies(self.model))]

    def joints(self):
        return [self.lib.ph_model_joint(self.model, i) for i in range(self.lib.ph_model_joints(self.model))]


class State:
    def __init__(self, model):
        self.model, lib = model, model.lib
        self.state = c.c_void_p(lib.ph_state_create(model.model))
        self.observer = c.c_void_p()
        lib.ph_observer_create(model.model, c.byref(self.observer))
        self.position = lib.ph_state_positions(self.state)
        self.orientation = lib.ph_state_orientations(self.state)
        self.velocity = lib.ph_state_velocities(self.state)
        self.spin = lib.ph_state_angular_velocities(self.state)

    def __del__(self):
        self.model.lib.ph_observer_destroy(self.observer)
        self.model.lib.ph_state_destroy(self.state)

    def touch(self):
        self.model.lib.ph_state_touch(self.state)

    def measure(self):
        m = Measures()
        self.model.lib.ph_observer_measure(self.observer, self.state, c.byref(m))
        return m

    def accelerations(self):
        n = self.model.lib.ph_model_bodies(self.model.model)
        array = (Twist * max(n, 1))()
        status = self.model.lib.ph_observer_dynamics(self.observer, self.state, array, None)
        return array if status == 0 else None

    def bits(self):
        n = self.model.lib.ph_model_bodies(self.model.model)
        return b"".join(c.string_at(a, n * c.sizeof(a._type_)) for a in (self.position, self.orientation, self.velocity, self.spin))


class Sim:
    def __init__(self, model, scheme):
        self.model, self.sim, error = model, c.c_void_p(), Error()
        definition = model.lib.ph_default_sim()
        self.keep = scheme.encode()
        definition.scheme = self.keep
        if model.lib.ph_sim_create(model.model, c.byref(definition), c.byref(self.sim), c.byref(error)) != 0:
            raise RuntimeError(error.text.decode())

    def __del__(self):
        self.model.lib.ph_sim_destroy(self.sim)

    def advance(self, state, h, count):
        return self.model.lib.ph_sim_advance(self.sim, state.state, c.c_double(h), c.c_longlong(count), None)

    def step(self, state, h):
        return self.model.lib.ph_sim_step(self.sim, state.state, c.c_double(h), None)
