"""The typed values: on which basis elements each lives."""

from algebra import CL031, CL062, MV, Poly

# A type is a C type and its components: how each is written behind the variable, and the blades it multiplies.
# `vectors`, `symmetric`, `matrices` group the components that a rotation turns together.

TYPES = {}


class Type:
    def __init__(self, name, c_type, components, vectors=(), symmetric=(), matrices=(), algebra=CL062):
        self.name, self.c_type, self.algebra = name, c_type, algebra
        self.suffixes = [suffix for suffix, _ in components]
        self.basis = [algebra.element(*terms) for _, terms in components]
        self.vectors, self.symmetric, self.matrices = vectors, symmetric, matrices
        TYPES[name] = self


SYMMETRIC = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]  # xx yy zz xy xz yz
L_ROWS, P_ROWS = ["a1a", "a2a", "a3a"], ["a2a3", "a3a1", "a1a2"]
OMEGA_COLUMNS, V_COLUMNS = ["e1e", "e2e", "e3e"], ["e2e3", "e3e1", "e1e2"]
ROWS, COLUMNS = L_ROWS + P_ROWS, OMEGA_COLUMNS + V_COLUMNS


def vector(suffix, blades):
    return [(f"{suffix}.{x}", [b]) for x, b in zip("xyz", blades)]


def array(suffix, blades):
    return [(f"{suffix}[{i}]", [b]) for i, b in enumerate(blades)]


def symmetric_block(suffix, rows, columns):
    return [(f"{suffix}[{k}]", [rows[i] + columns[j]] + ([rows[j] + columns[i]] if i != j else []))
            for k, (i, j) in enumerate(SYMMETRIC)]


def mixed_block(suffix):
    return [(f"{suffix}[{3 * i + j}]", [L_ROWS[i] + V_COLUMNS[j], P_ROWS[j] + OMEGA_COLUMNS[i]])
            for i in range(3) for j in range(3)]


def skew_block(i):
    """m C, the skew matrix of the moment m c, in the rows l and columns v, and its transpose."""
    j, k = (i + 1) % 3, (i + 2) % 3
    return [(L_ROWS[k] + V_COLUMNS[j], 1), (L_ROWS[j] + V_COLUMNS[k], -1),
            (P_ROWS[j] + OMEGA_COLUMNS[k], 1), (P_ROWS[k] + OMEGA_COLUMNS[j], -1)]


twist = vector(".omega", ["e2e3", "e3e1", "e1e2"]) + vector(".v", ["e1e", "e2e", "e3e"])

Type("scalar", "double", [("", [""])])
Type("norm", "ph_motor_norm", [(".real", [""]), (".dual", ["ee1e2e3"])])
Type("motor", "ph_motor", array(".a", ["", "e2e3", "e3e1", "e1e2"]) + array(".b", ["ee1e2e3", "e1e", "e2e", "e3e"]))
Type("twist", "ph_twist", twist, vectors=[(0, 1, 2), (3, 4, 5)])
Type("coscrew", "ph_coscrew", vector(".l", L_ROWS) + vector(".p", P_ROWS), vectors=[(0, 1, 2), (3, 4, 5)])
Type("hexavector", "ph_hexavector",
     vector(".l", [b + "e1e2e3e" for b in L_ROWS]) + vector(".p", [b + "e1e2e3e" for b in P_ROWS]))
Type("inertia", "ph_inertia",
     [(".mass", [P_ROWS[i] + V_COLUMNS[i] for i in range(3)])] + [(".moment." + "xyz"[i], skew_block(i)) for i in range(3)] +
     symmetric_block(".I", L_ROWS, OMEGA_COLUMNS), vectors=[(1, 2, 3)], symmetric=[range(4, 10)])
Type("sym4", "ph_sym4",
     symmetric_block(".aa", L_ROWS, OMEGA_COLUMNS) + mixed_block(".ab") + symmetric_block(".bb", P_ROWS, V_COLUMNS),
     symmetric=[range(0, 6), range(15, 21)], matrices=[range(6, 15)])
Type("grade4", None, array("", [row + column for row in ROWS for column in COLUMNS]))  # not symmetric; locals only
Type("vector", "ph_vec3", vector("", ["e1e", "e2e", "e3e"]))
Type("line", "ph_twist", twist, algebra=CL031)
Type("point", "ph_point", [(".w", ["e1e2e3"])] + vector(".x", ["e2e3e", "e3e1e", "e1e2e"]), vectors=[(1, 2, 3)],
     algebra=CL031)
Type("plane", "ph_plane", vector(".n", ["e1", "e2", "e3"]) + [(".d", ["e"])], vectors=[(0, 1, 2)], algebra=CL031)
Type("incidence", "double", [("", ["e1e2e3e"])], algebra=CL031)


class Value:
    """A typed value: one Poly for each component."""

    def __init__(self, kind, components):
        self.type, self.components = TYPES[kind], components

    def mv(self):
        r = MV(self.type.algebra, {})
        for c, basis in zip(self.components, self.type.basis):
            r = r + basis * c
        return r


def components(kind, mv):
    """Components of a multivector that lies in a type. Each is read where it first occurs."""
    found = []
    for basis in TYPES[kind].basis:
        mask, factor = next(iter(basis.terms.items()))
        found.append(mv.terms.get(mask, Poly()) * factor[()])
    return found


class Pose:
    """A motor as rotation matrix and translation."""

    def __init__(self, R, t):
        self.R, self.t = R, t


def symbol(kind, name):
    """The C variable `name`."""
    if kind == "pose":
        R = [[Poly.variable(f"{name}.R.m[{i}][{j}]") for j in range(3)] for i in range(3)]
        return Pose(R, [Poly.variable(f"{name}.t.{x}") for x in "xyz"])
    return Value(kind, [Poly.variable(name + s) for s in TYPES[kind].suffixes]).mv()
