// cone_solve: one cone problem, from the entries of a sparse matrix.

#include "core.h"

#include <stdlib.h>
#include <string.h>

static bool take_ints(PyObject *object, Py_ssize_t count, Py_buffer *view)
{
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) return false;
    const bool good = view->format && strcmp(view->format, "i") == 0 && view->len == count * (Py_ssize_t)sizeof(int);
    if (!good) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "indices: an array of int32 as long as the values is needed");
    }
    return good;
}

// (kind, friction, rolling or None, spinning or None, low, high)
static bool take_cone(PyObject *entry, ph_cone *cone)
{
    int kind;
    PyObject *rolling, *spinning;
    *cone = (ph_cone){0};
    if (!PyTuple_Check(entry)) return PyErr_SetString(PyExc_TypeError, "a cone is a tuple"), false;
    if (!PyArg_ParseTuple(entry, "idOOdd;a cone is (kind, friction, rolling, spinning, low, high)", &kind,
                          &cone->friction, &rolling, &spinning, &cone->low, &cone->high))
        return false;
    if (kind < PH_CONE_FREE || kind > PH_CONE_FRICTION)
        return PyErr_SetString(PyExc_ValueError, "there is no such cone"), false;
    cone->kind = (ph_cone_kind)kind;
    cone->rolls = rolling != Py_None;
    cone->spins = spinning != Py_None;
    if (cone->rolls) cone->rolling = PyFloat_AsDouble(rolling);
    if (cone->spins && !PyErr_Occurred()) cone->spinning = PyFloat_AsDouble(spinning);
    return !PyErr_Occurred();
}

static bool take_cones(PyObject *given, ph_cone **cones, int *count, Py_ssize_t rows)
{
    const Py_ssize_t size = PyTuple_Size(given);
    Py_ssize_t sum = 0;
    if (size < 0 || size > INT32_MAX / 8) return PyErr_SetString(PyExc_ValueError, "too many cones"), false;
    *cones = calloc((size_t)size + 1, sizeof **cones);
    if (!*cones) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < size; i++) {
        if (!take_cone(PyTuple_GetItem(given, i), &(*cones)[i])) return false;
        sum += ph_cone_rows(&(*cones)[i]);
    }
    *count = (int)size;
    if (sum == rows) return true;
    PyErr_Format(PyExc_ValueError, "the cones have %zd rows, and the matrix has %zd", sum, rows);
    return false;
}

static PyObject *describe(const ph_cone_report *r)
{
    return Py_BuildValue("{sOszsisisdsdsdsdsisdsisdsd}", "converged", r->converged ? Py_True : Py_False, "solver",
                         r->solver, "iterations", r->iterations, "factorisations", r->factorisations, "residual",
                         r->residual, "natural_map_error", r->natural_map_error, "certificate", r->certificate,
                         "lipschitz", r->lipschitz, "immovable", r->immovable, "infeasible", r->infeasible,
                         "worst_cone", r->worst_cone, "seconds", r->seconds, "setup_seconds", r->setup_seconds);
}

typedef struct problem {
    Py_buffer row, column, value, q, g, u;
    int taken; // of these, in this order
    ph_cone *cones;
    int cone_count;
} problem;

static bool take_problem(PyObject *const objects[7], Py_ssize_t rows, problem *p)
{
    Py_buffer *const views[] = {&p->row, &p->column, &p->value, &p->q, &p->g, &p->u};
    Py_ssize_t entries = PyObject_Size(objects[2]);
    if (entries < 0) return false;
    if (entries > INT32_MAX || rows > INT32_MAX || rows < 0)
        return PyErr_SetString(PyExc_ValueError, "the matrix is too large"), false;
    for (int k = 0; k < 6; k++, p->taken++) {
        const bool good = k < 2 ? take_ints(objects[k], entries, views[k])
                                : take_doubles(objects[k], "cone_solve", k == 2 ? entries : rows, k > 3, views[k]);
        if (!good) return false;
    }
    return take_cones(objects[6], &p->cones, &p->cone_count, rows);
}

static ph_status solve(const problem *p, int rows, const ph_cone_settings *settings, ph_cone_report *report,
                       ph_error *error)
{
    const Py_ssize_t entries = p->value.len / (Py_ssize_t)sizeof(double);
    ph_cone_matrix *matrix = NULL;
    ph_cone_workspace *workspace = NULL;
    ph_status status =
        ph_cone_matrix_create(rows, (int)entries, p->row.buf, p->column.buf, p->value.buf, &matrix, error);
    if (status == PH_OK && !(workspace = ph_cone_workspace_create(NULL))) status = error->status = PH_OUT_OF_MEMORY;
    if (status == PH_OK) {
        const ph_cone_problem cone = {p->cone_count, p->cones, p->q.buf, ph_cone_matrix_operator(matrix)};
        status = ph_cone_solve(workspace, &cone, settings, p->g.buf, p->u.buf, report, error);
    }
    ph_cone_workspace_destroy(workspace);
    ph_cone_matrix_destroy(matrix);
    return status;
}

// cone_solve(rows, row, column, value, q, g, u, cones, solver, relaxed, measure, tolerance, iterations, start, finish)
static PyObject *cone_solve(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *objects[7], *result = NULL;
    Py_ssize_t rows;
    int relaxed, measure, start, finish;
    problem p = {0};
    ph_cone_settings settings = ph_default_cone();
    ph_cone_report report = {0};
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "nOOOOOOO!spidipp:cone_solve", &rows, &objects[0], &objects[1], &objects[2],
                          &objects[3], &objects[4], &objects[5], &PyTuple_Type, &objects[6], &settings.solver, &relaxed,
                          &measure, &settings.tolerance, &settings.iterations, &start, &finish))
        return NULL;
    settings.law = relaxed ? PH_LAW_RELAXED : PH_LAW_COULOMB;
    settings.measure = measure >= 0 && measure <= PH_CONE_BOTH ? (ph_cone_measure)measure : PH_CONE_BOTH;
    settings.start = start;
    settings.finish = finish;
    if (take_problem(objects, rows, &p)) {
        ph_status status;
        Py_BEGIN_ALLOW_THREADS status = solve(&p, (int)rows, &settings, &report, &error);
        Py_END_ALLOW_THREADS result = status == PH_OK ? describe(&report) : raise_error(&error);
    }
    Py_buffer *const views[] = {&p.row, &p.column, &p.value, &p.q, &p.g, &p.u};
    for (int k = 0; k < p.taken; k++) PyBuffer_Release(views[k]);
    free(p.cones);
    return result;
}

bool cone_init(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"cone_solve", cone_solve, METH_VARARGS,
         "cone_solve(rows, row, column, value, q, g, u, cones, solver, relaxed, measure, tolerance, iterations, start, finish)"},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, functions) == 0;
}
