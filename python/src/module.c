// The module: its types, and what there is to choose from.

#include "core.h"
#include <stdio.h>

PyTypeObject *make_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, (PyTypeObject *)type) != 0) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

void free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

// ---- Listings -------------------------------------------------------------------------------------------------------

static PyObject *describe_traits(uint32_t traits)
{
    static const char *const names[] = {
        "symplectic",     "time_reversible", "keeps_position_constraint", "keeps_velocity_constraint",
        "keeps_momentum", "has_contact",     "numerical_damping"};
    PyObject *list = PyList_New(0);
    for (unsigned k = 0; list && k < sizeof names / sizeof names[0]; k++) {
        if (!(traits & (1u << k))) continue;
        PyObject *name = PyUnicode_FromString(names[k]);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

// "rho=0.9: spectral radius at infinity; ...", or NULL.
static const char *describe_options(int scheme, char *text, size_t size)
{
    size_t length = 0;
    for (int i = 0; i < ph_scheme_options(scheme) && length < size; i++) {
        const ph_scheme_option o = ph_scheme_option_get(scheme, i);
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s=%g: %s", i ? "; " : "", o.name, o.value, o.title);
    }
    return length > 0 ? text : NULL;
}

static PyObject *describe_scheme(int index)
{
    const ph_scheme_info s = ph_scheme_get(index);
    char options[512];
    return Py_BuildValue("(ssszziN)", s.name, s.title, s.reference, s.aliases,
                         describe_options(index, options, sizeof options), s.order, describe_traits(s.traits));
}

static PyObject *describe_joint(int index)
{
    const ph_joint_type_info j = ph_joint_type(index);
    return Py_BuildValue("(ssiis)", j.name, j.title, j.rows, j.coordinates, j.keys);
}

static PyObject *describe_solver(int index)
{
    const ph_cone_solver_info s = ph_cone_solver_get(index);
    return Py_BuildValue("(sssO)", s.name, s.title, s.reference, s.needs_matrix ? Py_True : Py_False);
}

static PyObject *list_all(int count, PyObject *(*describe)(int))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *entry = describe(i);
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *list_schemes(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return list_all(ph_scheme_count(), describe_scheme);
}

static PyObject *list_joints(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return list_all(ph_joint_type_count(), describe_joint);
}

static PyObject *list_solvers(PyObject *self, PyObject *nothing)
{
    (void)self, (void)nothing;
    return list_all(ph_cone_solver_count(), describe_solver);
}

// ---- The module -----------------------------------------------------------------------------------------------------

static PyMethodDef functions[] = {
    {"schemes", list_schemes, METH_NOARGS,
     "(name, title, reference, aliases, options, order, traits) of every scheme."},
    {"joints", list_joints, METH_NOARGS, "(name, title, rows, coordinates, keys) of every joint type."},
    {"cone_solvers", list_solvers, METH_NOARGS, "(name, title, reference, needs_matrix) of every cone solver."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "polhode._core", "The C part of polhode.", -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    typedef bool (*initialiser)(PyObject *);
    static const initialiser parts[] = {arrays_init,  model_init, state_init,   sim_init,  run_init,      callback_init,
                                        rollout_init, batch_init, adjoint_init, tree_init, clifford_init, cone_init,
                                        plot_init,    lab_init,   result_init,  fit_init,  NULL};
    PyObject *module = PyModule_Create(&definition);
    bool good = module && errors_init() && PyModule_AddStringConstant(module, "__version__", ph_version()) == 0;
    for (int i = 0; good && parts[i]; i++) good = parts[i](module);
    if (!good) Py_CLEAR(module);
    return module;
}
