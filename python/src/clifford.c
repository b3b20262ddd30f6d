// Clifford algebras of any signature, and the typed values of Cl(0,6,2) over batches.

#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Any algebra ----------------------------------------------------------------------------------------------------

typedef struct Algebra {
    PyObject_HEAD ph_algebra algebra;
} Algebra;

static PyTypeObject *AlgebraType;

static PyObject *algebra_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *keys[] = {"squares", "names", NULL};
    PyObject *squares, *names = Py_None;
    int square[PH_GENERATORS_MAX];
    const char *name[PH_GENERATORS_MAX];
    ph_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!|O:Algebra", keys, &PyTuple_Type, &squares, &names))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(squares);
    if (count > PH_GENERATORS_MAX || (names != Py_None && (!PyTuple_Check(names) || PyTuple_Size(names) != count))) {
        PyErr_SetString(PyExc_ValueError, "an algebra has at most ten generators, and a name for each or none");
        return NULL;
    }
    PyObject *utf8[PH_GENERATORS_MAX] = {0};
    bool good = true;
    for (Py_ssize_t i = 0; good && i < count; i++) {
        const long value = PyLong_AsLong(PyTuple_GetItem(squares, i));
        square[i] = value < -1 || value > 1 ? 2 : (int)value;
        good = !PyErr_Occurred();
        if (!good || names == Py_None) continue;
        utf8[i] = PyUnicode_AsUTF8String(PyTuple_GetItem(names, i));
        name[i] = utf8[i] ? PyBytes_AsString(utf8[i]) : NULL;
        good = name[i] != NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Algebra *self = good ? (Algebra *)allocate(type, 0) : NULL;
    if (self && ph_algebra_init(&self->algebra, (int)count, square, names == Py_None ? NULL : name, &error) != PH_OK) {
        raise_error(&error);
        Py_CLEAR(self);
    }
    for (Py_ssize_t i = 0; i < count; i++) Py_XDECREF(utf8[i]);
    return (PyObject *)self;
}

static PyObject *algebra_names(PyObject *self, void *closure)
{
    (void)closure;
    const ph_algebra *a = &((Algebra *)self)->algebra;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < a->generators; i++) {
        PyObject *name = PyUnicode_FromString(a->name[i]);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *algebra_blade(PyObject *self, PyObject *args)
{
    const char *text;
    unsigned mask;
    int sign;
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "s:blade", &text)) return NULL;
    if (ph_algebra_blade(&((Algebra *)self)->algebra, text, &mask, &sign, &error) != PH_OK) return raise_error(&error);
    return Py_BuildValue("(Ii)", mask, sign);
}

static ph_status apply(int kind, ph_multivector x, ph_multivector y, int grade, ph_multivector out, ph_error *error)
{
    switch (kind) {
    case 0:
        return ph_multivector_geometric(x, y, out, error);
    case 1:
        return ph_multivector_outer(x, y, out, error);
    case 2:
        return ph_multivector_shuffle(x, y, out, error);
    case 3:
        return ph_multivector_reverse(x, out, error);
    case 4:
        return ph_multivector_involute(x, out, error);
    case 5:
        return ph_multivector_conjugate(x, out, error);
    case 6:
        return ph_multivector_grade(x, grade, out, error);
    case 7:
        return ph_multivector_bar(x, out, error);
    case 8:
        return ph_multivector_exp(x, out, error);
    default:
        error->status = PH_BAD_ARGUMENT;
        return PH_BAD_ARGUMENT;
    }
}

// apply(kind, x, y or None, grade) -> array
static PyObject *algebra_apply(PyObject *self, PyObject *args)
{
    const ph_algebra *algebra = &((Algebra *)self)->algebra;
    const Py_ssize_t size = (Py_ssize_t)1 << algebra->generators;
    PyObject *first, *second, *result = NULL;
    Py_buffer x, y, out;
    int kind, grade;
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "iOOi:apply", &kind, &first, &second, &grade)) return NULL;
    if (!take_doubles(first, "multivector", size, false, &x)) return NULL;
    if (take_doubles(second == Py_None ? first : second, "multivector", size, false, &y)) {
        result = array_copy(NULL, 1, &size);
        if (result && take_doubles(result, "multivector", size, true, &out)) {
            ph_status status;
            Py_BEGIN_ALLOW_THREADS status =
                apply(kind, (ph_multivector){algebra, x.buf}, (ph_multivector){algebra, y.buf}, grade,
                      (ph_multivector){algebra, out.buf}, &error);
            Py_END_ALLOW_THREADS PyBuffer_Release(&out);
            if (status != PH_OK) {
                Py_CLEAR(result);
                raise_error(&error);
            }
        }
        PyBuffer_Release(&y);
    }
    PyBuffer_Release(&x);
    return result;
}

static PyObject *algebra_format(PyObject *self, PyObject *array)
{
    const ph_algebra *algebra = &((Algebra *)self)->algebra;
    PyObject *text = NULL;
    Py_buffer x;
    if (!take_doubles(array, "multivector", (Py_ssize_t)1 << algebra->generators, false, &x)) return NULL;
    const ph_multivector m = {algebra, x.buf};
    const int size = ph_multivector_format(m, NULL, 0);
    char *room = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (room) {
        ph_multivector_format(m, room, (size_t)size + 1);
        text = PyUnicode_FromString(room);
    } else {
        PyErr_NoMemory();
    }
    free(room);
    PyBuffer_Release(&x);
    return text;
}

// ---- Typed values ---------------------------------------------------------------------------------------------------

typedef double scalar;

typedef struct function {
    const char *name;
    int in[3], out; // doubles; 0: no argument
    ph_status (*run)(const double *a, const double *b, const double *c, double *out);
} function;

#define COUNT(T) ((int)(sizeof(T) / sizeof(double)))
#define LOAD(T, x)                                                                                                     \
    T x##_;                                                                                                            \
    memcpy(&x##_, x, sizeof(T))
#define STORE(T, value)                                                                                                \
    const T result = value;                                                                                            \
    memcpy(out, &result, sizeof result);                                                                               \
    return PH_OK

#define ONE(name, A, R)                                                                                                \
    static ph_status run_##name(const double *a, const double *b, const double *c, double *out)                        \
    {                                                                                                                  \
        (void)b, (void)c;                                                                                              \
        LOAD(A, a);                                                                                                    \
        STORE(R, ph_##name(a_));                                                                                       \
    }
#define TWO(name, A, B, R)                                                                                             \
    static ph_status run_##name(const double *a, const double *b, const double *c, double *out)                        \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        LOAD(A, a);                                                                                                    \
        LOAD(B, b);                                                                                                    \
        STORE(R, ph_##name(a_, b_));                                                                                   \
    }
#define THREE(name, A, B, C, R)                                                                                        \
    static ph_status run_##name(const double *a, const double *b, const double *c, double *out)                        \
    {                                                                                                                  \
        LOAD(A, a);                                                                                                    \
        LOAD(B, b);                                                                                                    \
        LOAD(C, c);                                                                                                    \
        STORE(R, ph_##name(a_, b_, c_));                                                                               \
    }

// The functions of clifford.h that take values and give one: name, arguments, result.
#define ONES(X)                                                                                                        \
    X(motor_pose, ph_motor, ph_pose)                                                                                   \
    X(motor_conj, ph_motor, ph_motor)                                                                                  \
    X(motor_exp, ph_twist, ph_motor)                                                                                   \
    X(motor_log, ph_motor, ph_twist)                                                                                   \
    X(motor_measure, ph_motor, ph_motor_defects)                                                                       \
    X(motor_unit, ph_motor, ph_motor)                                                                                  \
    X(screw_pitch, ph_twist, scalar)                                                                                   \
    X(screw_axis, ph_twist, ph_twist)                                                                                  \
    X(bar_twist, ph_twist, ph_coscrew)                                                                                 \
    X(bar_coscrew, ph_coscrew, ph_twist)                                                                               \
    X(wedge_q0, ph_twist, ph_hexavector)                                                                               \
    X(times_e, ph_coscrew, ph_hexavector)                                                                              \
    X(shuffle_a, ph_hexavector, ph_coscrew)                                                                            \
    X(dyad, ph_coscrew, ph_sym4)                                                                                       \
    X(inertia_sym4, ph_inertia, ph_sym4)                                                                               \
    X(point_make, ph_vec3, ph_point)
#define TWOS(X)                                                                                                        \
    X(motor_make, ph_quat, ph_vec3, ph_motor)                                                                          \
    X(motor_mul, ph_motor, ph_motor, ph_motor)                                                                         \
    X(motor_rate, ph_twist, ph_motor, ph_motor)                                                                        \
    X(motor_velocity, ph_twist, ph_twist, ph_twist)                                                                    \
    X(motor_velocity_inverse, ph_twist, ph_twist, ph_twist)                                                            \
    X(move_twist, ph_motor, ph_twist, ph_twist)                                                                        \
    X(move_coscrew, ph_motor, ph_coscrew, ph_coscrew)                                                                  \
    X(move_inertia, ph_motor, ph_inertia, ph_inertia)                                                                  \
    X(move_sym4, ph_motor, ph_sym4, ph_sym4)                                                                           \
    X(move_point, ph_motor, ph_point, ph_point)                                                                        \
    X(move_plane, ph_motor, ph_plane, ph_plane)                                                                        \
    X(bracket, ph_twist, ph_twist, ph_twist)                                                                           \
    X(reciprocal, ph_twist, ph_twist, scalar)                                                                          \
    X(coadjoint, ph_twist, ph_coscrew, ph_coscrew)                                                                     \
    X(evaluate, ph_coscrew, ph_twist, scalar)                                                                          \
    X(wedge_inertia, ph_inertia, ph_twist, ph_hexavector)                                                              \
    X(wedge_sym4, ph_sym4, ph_twist, ph_hexavector)                                                                    \
    X(shuffle, ph_coscrew, ph_hexavector, scalar)                                                                      \
    X(inertia_add, ph_inertia, ph_inertia, ph_inertia)                                                                 \
    X(momentum, ph_inertia, ph_twist, ph_coscrew)                                                                      \
    X(velocity, ph_sym4, ph_coscrew, ph_twist)                                                                         \
    X(kinetic_energy, ph_inertia, ph_twist, scalar)                                                                    \
    X(inertia_rate, ph_inertia, ph_twist, ph_inertia)                                                                  \
    X(elastic_wrench, ph_sym4, ph_twist, ph_coscrew)                                                                   \
    X(elastic_energy, ph_sym4, ph_twist, scalar)                                                                       \
    X(damping_wrench, ph_sym4, ph_twist, ph_coscrew)                                                                   \
    X(line_spring, scalar, ph_twist, ph_sym4)                                                                          \
    X(line_make, ph_vec3, ph_vec3, ph_twist)                                                                           \
    X(plane_make, ph_vec3, ph_vec3, ph_plane)                                                                          \
    X(meet_planes, ph_plane, ph_plane, ph_twist)                                                                       \
    X(meet_line_plane, ph_twist, ph_plane, ph_point)                                                                   \
    X(join_points, ph_point, ph_point, ph_twist)                                                                       \
    X(join_point_line, ph_point, ph_twist, ph_plane)                                                                   \
    X(incidence, ph_plane, ph_point, scalar)
#define THREES(X)                                                                                                      \
    X(inertia_make, scalar, ph_vec3, ph_mat3, ph_inertia)                                                              \
    X(meet_3_planes, ph_plane, ph_plane, ph_plane, ph_point)                                                           \
    X(join_3_points, ph_point, ph_point, ph_point, ph_plane)

ONES(ONE)
TWOS(TWO)
THREES(THREE)

static ph_status run_motor_split(const double *a, const double *b, const double *c, double *out)
{
    (void)b, (void)c;
    ph_quat r;
    ph_vec3 t;
    LOAD(ph_motor, a);
    ph_motor_split(a_, &r, &t);
    memcpy(out, &r, sizeof r);
    memcpy(out + 4, &t, sizeof t);
    return PH_OK;
}

static ph_status run_inertia_inverse(const double *a, const double *b, const double *c, double *out)
{
    (void)b, (void)c;
    ph_sym4 Y;
    LOAD(ph_inertia, a);
    const ph_status status = ph_inertia_inverse(a_, &Y);
    if (status == PH_OK) memcpy(out, &Y, sizeof Y);
    return status;
}

#define LINE1(name, A, R) {#name, {COUNT(A), 0, 0}, COUNT(R), run_##name},
#define LINE2(name, A, B, R) {#name, {COUNT(A), COUNT(B), 0}, COUNT(R), run_##name},
#define LINE3(name, A, B, C, R) {#name, {COUNT(A), COUNT(B), COUNT(C)}, COUNT(R), run_##name},

static const function functions[] = {
    ONES(LINE1) TWOS(LINE2) THREES(LINE3){"motor_split", {COUNT(ph_motor), 0, 0}, 7, run_motor_split},
    {"inertia_inverse", {COUNT(ph_inertia), 0, 0}, COUNT(ph_sym4), run_inertia_inverse},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static const function *find_function(const char *name)
{
    for (int k = 0; k < FUNCTIONS; k++)
        if (strcmp(functions[k].name, name) == 0) return &functions[k];
    PyErr_SetString(PyExc_ValueError, "there is no such function");
    return NULL;
}

// clifford(name, members, arguments, out)
static PyObject *call(PyObject *self, PyObject *args)
{
    (void)self;
    const char *name;
    Py_ssize_t members;
    PyObject *given, *to;
    Py_buffer view[4];
    int taken = 0;
    ph_status status = PH_OK;
    if (!PyArg_ParseTuple(args, "snO!O:clifford", &name, &members, &PyTuple_Type, &given, &to)) return NULL;
    const function *f = find_function(name);
    if (!f) return NULL;
    if (members < 0 || members > PY_SSIZE_T_MAX / 4096) return PyErr_SetString(PyExc_ValueError, "too many"), NULL;
    bool good = take_doubles(to, name, members * f->out, true, &view[0]);
    taken = good;
    for (int k = 0; good && k < 3 && f->in[k]; k++) {
        PyObject *item = PyTuple_GetItem(given, k);
        good = item && take_doubles(item, name, members * f->in[k], false, &view[taken]);
        taken += good;
    }
    if (good) {
        Py_BEGIN_ALLOW_THREADS const double *in[3] = {taken > 1 ? view[1].buf : NULL, taken > 2 ? view[2].buf : NULL,
                                                      taken > 3 ? view[3].buf : NULL};
        for (Py_ssize_t i = 0; i < members && status == PH_OK; i++)
            status = f->run(in[0] + i * f->in[0], in[1] ? in[1] + i * f->in[1] : NULL,
                            in[2] ? in[2] + i * f->in[2] : NULL, (double *)view[0].buf + i * f->out);
        Py_END_ALLOW_THREADS
    }
    for (int k = 0; k < taken; k++) PyBuffer_Release(&view[k]);
    if (!good) return NULL;
    if (status != PH_OK) return raise_status(status, "this inertia has no inverse: mass and moments must be positive");
    Py_RETURN_NONE;
}

static PyObject *list_functions(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    PyObject *all = PyDict_New();
    for (int k = 0; all && k < FUNCTIONS; k++) {
        const function *f = &functions[k];
        PyObject *sizes = Py_BuildValue("(iiii)", f->in[0], f->in[1], f->in[2], f->out);
        if (!sizes || PyDict_SetItemString(all, f->name, sizes) != 0) Py_CLEAR(all);
        Py_XDECREF(sizes);
    }
    return all;
}

// ---- Typed values as multivectors -----------------------------------------------------------------------------------

static const int element_sizes[PH_ELEMENT_COUNT] = {
    [PH_ELEMENT_TWIST] = COUNT(ph_twist),           [PH_ELEMENT_COSCREW] = COUNT(ph_coscrew),
    [PH_ELEMENT_HEXAVECTOR] = COUNT(ph_hexavector), [PH_ELEMENT_MOTOR] = COUNT(ph_motor),
    [PH_ELEMENT_INERTIA] = COUNT(ph_inertia),       [PH_ELEMENT_SYM4] = COUNT(ph_sym4),
    [PH_ELEMENT_POINT] = COUNT(ph_point),           [PH_ELEMENT_PLANE] = COUNT(ph_plane),
};

// convert(kind, value, coefficients, tolerance): with tolerance < 0 value -> coefficients, else the other way.
static PyObject *convert(PyObject *self, PyObject *args)
{
    (void)self;
    int kind;
    PyObject *value, *coefficients;
    double tolerance;
    Py_buffer v, c;
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "iOOd:convert", &kind, &value, &coefficients, &tolerance)) return NULL;
    if (kind < 0 || kind >= PH_ELEMENT_COUNT) return PyErr_SetString(PyExc_ValueError, "there is no such kind"), NULL;
    const bool put = tolerance < 0.0;
    if (!take_doubles(value, "value", element_sizes[kind], !put, &v)) return NULL;
    if (!take_doubles(coefficients, "coefficients", 256, put, &c)) return PyBuffer_Release(&v), NULL;
    const ph_algebra algebra = ph_algebra_cl062();
    const ph_multivector m = {&algebra, c.buf};
    const ph_status status = put ? ph_multivector_put(m, (ph_element)kind, v.buf, &error)
                                 : ph_multivector_take(m, (ph_element)kind, tolerance, v.buf, &error);
    PyBuffer_Release(&v);
    PyBuffer_Release(&c);
    if (status != PH_OK) return raise_error(&error);
    Py_RETURN_NONE;
}

bool clifford_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"blade", algebra_blade, METH_VARARGS, "blade(text, /)\n--\n\nBit mask and sign of a product of generators."},
        {"apply", algebra_apply, METH_VARARGS, "apply(kind, x, y, grade, /)"},
        {"format", algebra_format, METH_O, "format(x, /)\n--\n\nA multivector as text."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {{"names", algebra_names, NULL, "Names of the generators.", NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
    static PyType_Slot slots[] = {{Py_tp_new, algebra_new},
                                  {Py_tp_dealloc, free_object},
                                  {Py_tp_methods, methods},
                                  {Py_tp_getset, attributes},
                                  {0, NULL}};
    static PyType_Spec spec = {"polhode._core.Algebra", sizeof(Algebra), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                               slots};
    static PyMethodDef calls[] = {
        {"clifford", call, METH_VARARGS, "clifford(name, members, arguments, out, /)"},
        {"clifford_functions", list_functions, METH_NOARGS, "Sizes of arguments and result of every function."},
        {"clifford_convert", convert, METH_VARARGS, "clifford_convert(kind, value, coefficients, tolerance, /)"},
        {NULL, NULL, 0, NULL},
    };
    AlgebraType = make_type(module, &spec);
    return AlgebraType && PyModule_AddFunctions(module, calls) == 0;
}
