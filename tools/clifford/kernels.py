"""The kernels: each a formula of the algebra between typed values.

Where the body computes in another way than its doc says (a motor given as rotation matrix and translation, a product in
stages), `formula` states the doc, for checking.
"""

from algebra import CL031, CL062, MV, Poly
from values import SYMMETRIC, Pose, Value, components
from writer import dot

HALF = CL062.scalar("1/2")
A, E = CL062.element("a1a2a3a"), CL062.element("e1e2e3e")
Q0 = CL062.element("a2a3e1e", "a3a1e2e", "a1a2e3e", "a1ae2e3", "a2ae3e1", "a3ae1e2")

KERNELS = []


class Kernel:
    def __init__(self, result, doc, formula, inputs, body):
        self.name, self.result, self.doc, self.inputs, self.body = body.__name__, result, doc, inputs, body
        self.formula = formula


def kernel(result, doc, formula=None, **inputs):
    def register(body):
        KERNELS.append(Kernel(result, doc, formula, inputs, body))
        return body
    return register


# ---- Motors -----------------------------------------------------------------------------------------------------------


@kernel("motor", "g h", g="motor", h="motor")
def motor_mul(run, g, h):
    return g * h


@kernel("motor", "g*, the inverse of a motor", g="motor")
def motor_conj(run, g):
    return g.conj()


@kernel("norm", "g g* = real + dual ee1e2e3: 1 + 0 for a motor", g="motor")
def motor_norm(run, g):
    return g * g.conj()


@kernel("motor", "s g / 2, the rate of a motor that moves with velocity s", s="twist", g="motor")
def motor_rate(run, s, g):
    return HALF * s * g


@kernel("pose", "R and t of g = t r: R from r e_j r*, t from g r*", g="motor")
def motor_pose(run, g):
    rotor = Value("motor", components("motor", g)[:4] + [Poly()] * 4).mv()
    images = [rotor * CL062.element(e) * rotor.conj() for e in ("e1", "e2", "e3")]
    R = [[image.coefficient(e) for image in images] for e in ("e1", "e2", "e3")]
    return Pose(R, [(g * rotor.conj()).coefficient(e) * 2 for e in ("e1e", "e2e", "e3e")])


# ---- Motions of typed values: rotate, then translate ------------------------------------------------------------------


def translator(t):
    return CL062.scalar(1) + HALF * Value("vector", t).mv()


def move(g, x):
    return g * x * g.conj()


def move_both(g, x):
    return move(g * g.bar(), x)


def rate(N, s):
    return HALF * (s * N - N * s) + HALF * (s.bar() * N - N * s.bar())


def translate_inertia(run, t, N):
    """Translation is unipotent: the rate at half way is the whole change."""
    mass, x, y, z, *moments = components("inertia", N)
    half_moment = run.local("h", [c + mass * s * HALF.coefficient("") for c, s in zip((x, y, z), t)])
    return N + rate(Value("inertia", [mass] + half_moment + moments).mv(), Value("vector", t).mv())


@kernel("twist", "g s g*", move, F="pose", s="twist")
def pose_twist(run, F, s):
    return move(translator(F.t), run.let("twist", run.turn(F.R, "twist", s), "r"))


@kernel("coscrew", "g~ P g~*", lambda g, P: move(g.bar(), P), F="pose", P="coscrew")
def pose_coscrew(run, F, P):
    return move(translator(F.t).bar(), run.let("coscrew", run.turn(F.R, "coscrew", P), "r"))


@kernel("inertia", "(g g~) N (g g~)*", move_both, F="pose", N="inertia")
def pose_inertia(run, F, N):
    return translate_inertia(run, F.t, run.let("inertia", run.turn(F.R, "inertia", N), "r"))


def diagonal(m, d):
    return Value("inertia", [m.coefficient("")] + [Poly()] * 3 + components("vector", d) + [Poly()] * 3).mv()


@kernel("inertia", "the same for the diagonal N: mass m, moments d about the centre of mass, which is the origin",
        lambda g, m, d: move_both(g, diagonal(m, d)), F="pose", m="scalar", d="vector")
def pose_diagonal(run, F, m, d):
    RD = run.matrix([[x * y for x, y in zip(row, components("vector", d))] for row in F.R])
    I = run.local("r", [dot(RD[i], F.R[j]) for i, j in SYMMETRIC])
    return translate_inertia(run, F.t, Value("inertia", [m.coefficient("")] + [Poly()] * 3 + I).mv())


@kernel("sym4", "(g g~) K (g g~)*: rows, then columns", move_both, F="pose", K="sym4")
def pose_sym4(run, F, K):
    turned = run.let("sym4", run.turn(F.R, "sym4", K), "r")
    rows = run.let("grade4", move(translator(F.t).bar(), turned), "q")
    return move(translator(F.t), rows)


def in_cl062(x):
    return MV(CL062, {m << 4: p for m, p in x.terms.items()})


def in_cl031(x):
    return MV(CL031, {m >> 4: p for m, p in x.terms.items()})


def move_031(g, x):
    return in_cl031(move(g, in_cl062(x)))


@kernel("point", "g p g*", move_031, F="pose", p="point")
def pose_point(run, F, p):
    return move_031(translator(F.t), run.turn(F.R, "point", p))


@kernel("plane", "g pi g*", move_031, F="pose", pi="plane")
def pose_plane(run, F, pi):
    return move_031(translator(F.t), run.let("plane", run.turn(F.R, "plane", pi), "r"))


# ---- Twists and co-screws ---------------------------------------------------------------------------------------------


@kernel("twist", "[x, y] = 1/2 (x y - y x)", x="twist", y="twist")
def bracket(run, x, y):
    return HALF * (x * y - y * x)


@kernel("coscrew", "{s, P} = 1/2 (s~ P - P s~)", s="twist", P="coscrew")
def coadjoint(run, s, P):
    return HALF * (s.bar() * P - P * s.bar())


@kernel("scalar", "P(s) = P v (Q0 ^ s)", P="coscrew", s="twist")
def evaluate(run, P, s):
    return P & (Q0 ^ s)


@kernel("coscrew", "s~ = A v (Q0 ^ s)", s="twist")
def bar_twist(run, s):
    return A & (Q0 ^ s)


@kernel("twist", "P~", P="coscrew")
def bar_coscrew(run, P):
    return P.bar()


@kernel("hexavector", "Q0 ^ s", s="twist")
def wedge_q0(run, s):
    return Q0 ^ s


@kernel("hexavector", "P E", P="coscrew")
def times_e(run, P):
    return P * E


@kernel("coscrew", "A v X", X="hexavector")
def shuffle_a(run, X):
    return A & X


@kernel("scalar", "P v X", P="coscrew", X="hexavector")
def shuffle(run, P, X):
    return P & X


# ---- Elements of grade 4 ----------------------------------------------------------------------------------------------


@kernel("hexavector", "N ^ s", N="inertia", s="twist")
def wedge_inertia(run, N, s):
    return N ^ s


@kernel("hexavector", "K ^ s", K="sym4", s="twist")
def wedge_sym4(run, K, s):
    return K ^ s


@kernel("twist", "E v (Y ^ P)", Y="sym4", P="coscrew")
def inverse_sym4(run, Y, P):
    return E & (Y ^ P)


@kernel("inertia", "dN/dt = 1/2 (s N - N s) + 1/2 (s~ N - N s~)", N="inertia", s="twist")
def inertia_rate(run, N, s):
    return rate(N, s)


@kernel("sym4", "dK/dt, likewise", K="sym4", s="twist")
def sym4_rate(run, K, s):
    return rate(K, s)


@kernel("hexavector", "1/2 ((s~ N - N s~) ^ s)", N="inertia", s="twist")
def gyroscopic(run, N, s):
    return run.let("grade4", HALF * (s.bar() * N - N * s.bar()), "q") ^ s


@kernel("sym4", "U ^ U~", U="coscrew")
def dyad(run, U):
    return U ^ U.bar()


@kernel("sym4", "N with 21 components", N="inertia")
def inertia_sym4(run, N):
    return N


# ---- Points, lines and planes of Cl(0,3,1) ----------------------------------------------------------------------------


@kernel("line", "a ^ b, the line in two planes", a="plane", b="plane")
def meet_planes(run, a, b):
    return a ^ b


@kernel("point", "L ^ pi, the point of a line in a plane", L="line", pi="plane")
def meet_line_plane(run, L, pi):
    return L ^ pi


@kernel("line", "a v b, the line through two points", a="point", b="point")
def join_points(run, a, b):
    return a & b


@kernel("plane", "p v L, the plane through a point and a line", p="point", L="line")
def join_point_line(run, p, L):
    return p & L


@kernel("incidence", "pi ^ p, 0 for a point in the plane", pi="plane", p="point")
def incidence(run, pi, p):
    return pi ^ p
