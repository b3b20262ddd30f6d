// Tree: joint-coordinate dynamics over batches. Every operation has a line in a table that says which arrays it takes and
// gives; sizes are checked here, once for all of them, and the loop over the batch runs without the lock.

#include "core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tree {
    PyObject_HEAD ph_tree *tree;
    int links, coordinates, velocities;
    bool busy;
} Tree;

static PyTypeObject *TreeType;

// ---- Making ---------------------------------------------------------------------------------------------------------

static bool take_link(PyObject *entry, ph_link_def *def)
{
    int joint;
    *def = ph_default_link();
    double *I = &def->inertia.m[0][0];
    if (!PyTuple_Check(entry) ||
        !PyArg_ParseTuple(entry, "ii(ddd)(ddd)d(ddd)(ddddddddd)dd", &def->parent, &joint, &def->anchor.x,
                          &def->anchor.y, &def->anchor.z, &def->axis.x, &def->axis.y, &def->axis.z, &def->mass,
                          &def->com.x, &def->com.y, &def->com.z, &I[0], &I[1], &I[2], &I[3], &I[4], &I[5], &I[6], &I[7],
                          &I[8], &def->armature, &def->pitch)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a link is a tuple");
        return false;
    }
    if (joint < PH_TREE_REVOLUTE || joint > PH_TREE_SCREW) {
        PyErr_SetString(PyExc_ValueError, "there is no such joint");
        return false;
    }
    def->joint = (ph_tree_joint)joint;
    return true;
}

static PyObject *wrap(PyObject *type, ph_tree *tree)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    Tree *self = (Tree *)allocate((PyTypeObject *)type, 0);
    if (!self) return ph_tree_destroy(tree), NULL;
    self->tree = tree;
    self->links = ph_tree_links(tree);
    self->coordinates = ph_tree_coordinates(tree);
    self->velocities = ph_tree_velocities(tree);
    return (PyObject *)self;
}

static PyObject *tree_from_links(PyObject *type, PyObject *args)
{
    PyObject *list;
    ph_vec3 gravity;
    ph_error error = {0};
    ph_tree *tree = NULL;
    if (!PyArg_ParseTuple(args, "O!(ddd):_from_links", &PyTuple_Type, &list, &gravity.x, &gravity.y, &gravity.z))
        return NULL;
    const Py_ssize_t count = PyTuple_Size(list);
    ph_link_def *links = count < INT32_MAX / 64 ? calloc((size_t)count + 1, sizeof *links) : NULL;
    if (!links) return PyErr_NoMemory();
    bool good = true;
    for (Py_ssize_t i = 0; good && i < count; i++) good = take_link(PyTuple_GetItem(list, i), &links[i]);
    if (good && ph_tree_create(links, (int)count, gravity, NULL, &tree, &error) != PH_OK) raise_error(&error);
    free(links);
    return tree ? wrap(type, tree) : NULL;
}

// (tree, link of each body)
static PyObject *tree_from_model(PyObject *type, PyObject *model)
{
    ph_error error = {0};
    ph_tree *tree = NULL;
    if (!PyObject_TypeCheck(model, ModelType)) return PyErr_SetString(PyExc_TypeError, "a Model is needed"), NULL;
    const ph_model *m = ((Model *)model)->model;
    const int bodies = ph_model_bodies(m);
    int *links = calloc((size_t)bodies + 1, sizeof *links);
    PyObject *list = links ? PyList_New(0) : PyErr_NoMemory();
    if (list && ph_tree_from_model(m, &tree, links, &error) != PH_OK) {
        raise_error(&error);
        Py_CLEAR(list);
    }
    for (int i = 0; list && i < bodies; i++) {
        PyObject *link = PyLong_FromLong(links[i]);
        if (!link || PyList_Append(list, link) != 0) Py_CLEAR(list);
        Py_XDECREF(link);
    }
    free(links);
    if (!list) return ph_tree_destroy(tree), NULL;
    return Py_BuildValue("(NN)", wrap(type, tree), list);
}

static void tree_dealloc(PyObject *self)
{
    ph_tree_destroy(((Tree *)self)->tree);
    free_object(self);
}

// ---- Operations -----------------------------------------------------------------------------------------------------

enum { ARRAYS_MAX = 5 };
typedef double *const *arrays;

static ph_status inverse_dynamics(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_inverse_dynamics(t, x[0], x[1], x[2], (const ph_coscrew *)x[3], x[4]);
    return PH_OK;
}

static ph_status forward_dynamics(ph_tree *t, arrays x, double number)
{
    (void)number;
    return ph_tree_forward_dynamics(t, x[0], x[1], x[2], (const ph_coscrew *)x[3], x[4]);
}

static ph_status mass_matrix(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_mass_matrix(t, x[0], x[1]);
    return PH_OK;
}

static ph_status energy(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_energy(t, x[0], x[1], x[2], x[3]);
    return PH_OK;
}

static ph_status center_of_mass(ph_tree *t, arrays x, double number)
{
    (void)number;
    *(ph_vec3 *)x[1] = ph_tree_center_of_mass(t, x[0], x[2]);
    return PH_OK;
}

static ph_status motion(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_motion(t, x[0], x[1], (ph_motor *)x[2], (ph_twist *)x[3]);
    return PH_OK;
}

static ph_status accelerations(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_accelerations(t, x[0], x[1], x[2], (ph_twist *)x[3]);
    return PH_OK;
}

static ph_status jacobian(ph_tree *t, arrays x, double number)
{
    ph_tree_jacobian(t, x[0], (int)number, (ph_twist *)x[1]);
    return PH_OK;
}

static ph_status advance(ph_tree *t, arrays x, double number)
{
    ph_tree_advance(t, x[0], x[1], number, x[2]);
    return PH_OK;
}

static ph_status home(ph_tree *t, arrays x, double number)
{
    (void)number;
    ph_tree_home(t, x[0]);
    return PH_OK;
}

// Sizes of one member: q coordinates, u velocities, M velocities squared, w 6 and m 8 for each link, j 6 for each velocity,
// 3 and 1 that many. '>' comes before what is written; '?' behind what may be missing.
typedef struct operation {
    const char *name, *arrays;
    ph_status (*run)(ph_tree *, arrays, double);
} operation;

static const operation operations[] = {
    {"inverse_dynamics", "quu?w?>u", inverse_dynamics},
    {"forward_dynamics", "quuw?>u", forward_dynamics},
    {"mass_matrix", "q>M", mass_matrix},
    {"energy", "qu>11", energy},
    {"center_of_mass", "q>31", center_of_mass},
    {"motion", "qu?>m?w?", motion},
    {"accelerations", "quu>w", accelerations},
    {"jacobian", "q>j", jacobian},
    {"advance", "qu>q", advance},
    {"home", ">q", home},
};

static Py_ssize_t size_of(const Tree *t, char code)
{
    switch (code) {
    case 'q':
        return t->coordinates;
    case 'u':
        return t->velocities;
    case 'M':
        return (Py_ssize_t)t->velocities * t->velocities;
    case 'w':
        return 6 * (Py_ssize_t)t->links;
    case 'm':
        return 8 * (Py_ssize_t)t->links;
    case 'j':
        return 6 * (Py_ssize_t)t->velocities;
    default:
        return code - '0';
    }
}

typedef struct taken {
    Py_buffer view[ARRAYS_MAX];
    double *data[ARRAYS_MAX];
    Py_ssize_t size[ARRAYS_MAX];
    int count;
} taken;

static bool take_arrays(const Tree *t, const operation *op, PyObject *given, Py_ssize_t members, taken *a)
{
    bool writable = false;
    for (const char *code = op->arrays; *code; code++) {
        if (*code == '>') {
            writable = true;
            continue;
        }
        PyObject *object = PyTuple_GetItem(given, a->count);
        const bool optional = code[1] == '?';
        if (!object) return false;
        a->size[a->count] = size_of(t, *code);
        if (object == Py_None && !optional) return PyErr_SetString(PyExc_TypeError, "an array is missing"), false;
        if (object != Py_None) {
            if (!take_doubles(object, op->name, members * a->size[a->count], writable, &a->view[a->count]))
                return false;
            a->data[a->count] = a->view[a->count].buf;
        }
        a->count++;
        code += optional;
    }
    return true;
}

static ph_status run_batch(Tree *t, const operation *op, const taken *a, Py_ssize_t members, double number,
                           Py_ssize_t *failed)
{
    for (Py_ssize_t i = 0; i < members; i++) {
        double *now[ARRAYS_MAX] = {0};
        for (int k = 0; k < a->count; k++) now[k] = a->data[k] ? a->data[k] + i * a->size[k] : NULL;
        const ph_status status = op->run(t->tree, now, number);
        if (status != PH_OK) return *failed = i, status;
    }
    return PH_OK;
}

static const operation *find_operation(const char *name)
{
    for (size_t k = 0; k < sizeof operations / sizeof operations[0]; k++)
        if (strcmp(operations[k].name, name) == 0) return &operations[k];
    PyErr_SetString(PyExc_ValueError, "there is no such operation");
    return NULL;
}

// _call(name, members, number, arrays)
static PyObject *tree_call(PyObject *self, PyObject *args)
{
    Tree *t = (Tree *)self;
    const char *name;
    Py_ssize_t members, failed = 0;
    double number;
    PyObject *given;
    taken a = {0};
    ph_status status = PH_OK;
    if (!PyArg_ParseTuple(args, "sndO!:_call", &name, &members, &number, &PyTuple_Type, &given)) return NULL;
    const operation *op = find_operation(name);
    if (!op) return NULL;
    if (members < 0 || members > PY_SSIZE_T_MAX / 1024 / (1 + size_of(t, 'M') + size_of(t, 'm')))
        return PyErr_SetString(PyExc_ValueError, "the batch is too large"), NULL;
    if (op->run == jacobian && !(number >= 0 && number < t->links))
        return PyErr_SetString(PyExc_IndexError, "there is no such link"), NULL;
    if (t->busy) return PyErr_SetString(PyExc_RuntimeError, "this tree is in use by another call"), NULL;
    t->busy = true;
    if (take_arrays(t, op, given, members, &a)) {
        Py_BEGIN_ALLOW_THREADS status = run_batch(t, op, &a, members, number, &failed);
        Py_END_ALLOW_THREADS
    }
    t->busy = false;
    for (int k = 0; k < ARRAYS_MAX; k++)
        if (a.data[k]) PyBuffer_Release(&a.view[k]);
    if (status == PH_SINGULAR) {
        char text[120];
        snprintf(text, sizeof text, "member %lld of the batch: a joint moves nothing that has mass", (long long)failed);
        return raise_status(status, text);
    }
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static PyObject *tree_first(PyObject *self, PyObject *link)
{
    const Tree *t = (Tree *)self;
    const long i = PyLong_AsLong(link);
    if (i == -1 && PyErr_Occurred()) return NULL;
    if (i < 0 || i >= t->links) return PyErr_SetString(PyExc_IndexError, "there is no such link"), NULL;
    return Py_BuildValue("(ii)", ph_tree_first_coordinate(t->tree, (int)i), ph_tree_first_velocity(t->tree, (int)i));
}

static PyObject *get_links(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(((Tree *)self)->links);
}

static PyObject *get_coordinates(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(((Tree *)self)->coordinates);
}

static PyObject *get_velocities(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(((Tree *)self)->velocities);
}

bool tree_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"_from_links", tree_from_links, METH_VARARGS | METH_CLASS, NULL},
        {"_from_model", tree_from_model, METH_O | METH_CLASS, NULL},
        {"_call", tree_call, METH_VARARGS, NULL},
        {"_first", tree_first, METH_O, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"links", get_links, NULL, "Number of links.", NULL},
        {"coordinates", get_coordinates, NULL, "Length of q.", NULL},
        {"velocities", get_velocities, NULL, "Length of u and tau.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, tree_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, attributes}, {0, NULL}};
    static PyType_Spec spec = {"polhode._core.Tree", sizeof(Tree), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    TreeType = make_type(module, &spec);
    return TreeType != NULL;
}
