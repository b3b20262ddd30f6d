// Model: an immutable compiled model. Made from a file or a text, with the Python forces that a Spec adds.

#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *ModelType;

// ---- Making ---------------------------------------------------------------------------------------------------------

typedef struct settings {
    ph_setting *list;
    Py_ssize_t count;
} settings;

// A tuple of (name, value) pairs of str; the strings belong to the tuple.
static bool take_settings(PyObject *pairs, settings *s)
{
    s->count = PyTuple_Size(pairs);
    if (s->count < 0) return false;
    if (s->count > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many settings");
        return false;
    }
    s->list = calloc((size_t)s->count + 1, sizeof *s->list);
    if (!s->list) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < s->count; i++) {
        PyObject *pair = PyTuple_GetItem(pairs, i);
        if (!pair || !PyTuple_Check(pair) ||
            !PyArg_ParseTuple(pair, "ss;a setting is a name and a value", &s->list[i].name, &s->list[i].value)) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a setting is a name and a value");
            return false;
        }
    }
    return true;
}

typedef struct source {
    const char *path, *text, *name;
    Py_ssize_t length;
    settings settings;
    PyObject *forces;
} source;

static bool read_spec(const source *from, ph_problems *problems, ph_spec **spec)
{
    const int count = (int)from->settings.count;
    ph_status status;
    Py_BEGIN_ALLOW_THREADS status = from->path
                                        ? ph_spec_read_file(from->path, from->settings.list, count, problems, spec)
                                        : ph_spec_read_text(from->text, (size_t)from->length, from->name,
                                                            from->settings.list, count, problems, spec);
    Py_END_ALLOW_THREADS if (status != PH_OK) raise_problems(problems, status);
    return status == PH_OK;
}

static bool build(Model *self, const source *from)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_status status = PH_OK;
    if (!problems) return PyErr_NoMemory(), false;
    bool good = read_spec(from, problems, &spec) && callbacks_add(self, spec, from->forces);
    if (good) {
        python_call call;
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_model_compile(spec, problems, &self->model);
        Py_END_ALLOW_THREADS good = call_end(&call);
        if (good && status != PH_OK) raise_problems(problems, status), good = false;
    }
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return good;
}

static PyObject *model_read(PyObject *type, PyObject *args)
{
    source from = {0};
    PyObject *pairs, *path_bytes = NULL, *path = NULL;
    if (!PyArg_ParseTuple(args, "Oz#zO!O:_read", &path, &from.text, &from.length, &from.name, &PyTuple_Type, &pairs,
                          &from.forces))
        return NULL;
    if (path != Py_None && !PyUnicode_FSConverter(path, &path_bytes)) return NULL;
    from.path = path_bytes ? PyBytes_AsString(path_bytes) : NULL;
    if (!from.path && !from.text) {
        PyErr_SetString(PyExc_TypeError, "a path or a text is needed");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    Model *self = (Model *)allocate((PyTypeObject *)type, 0);
    const bool good = self && take_settings(pairs, &from.settings) && build(self, &from);
    free(from.settings.list);
    Py_XDECREF(path_bytes);
    if (!good) Py_CLEAR(self);
    return (PyObject *)self;
}

static void model_dealloc(PyObject *self)
{
    Model *m = (Model *)self;
    PyObject_GC_UnTrack(self);
    ph_model_destroy(m->model);
    callbacks_forget(m);
    free(m->forces);
    free_object(self);
}

static int model_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return callbacks_visit((Model *)self, visit, arg);
}

static int model_clear(PyObject *self)
{
    callbacks_forget((Model *)self);
    return 0;
}

// ---- What it holds --------------------------------------------------------------------------------------------------

#define NUMBER(name)                                                                                                   \
    static PyObject *model_##name(PyObject *self, void *closure)                                                       \
    {                                                                                                                  \
        (void)closure;                                                                                                 \
        return PyLong_FromLong(ph_model_##name(((Model *)self)->model));                                               \
    }
NUMBER(rows)
NUMBER(velocities)
NUMBER(rank)
NUMBER(freedoms)
NUMBER(forces)

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *model_name(PyObject *self, void *closure)
{
    (void)closure;
    return text_or_none(ph_model_name(((Model *)self)->model));
}

static PyObject *model_text(PyObject *self, void *closure)
{
    (void)closure;
    return text_or_none(ph_model_text(((Model *)self)->model));
}

static PyObject *model_gravity(PyObject *self, void *closure)
{
    (void)closure;
    return array_of_vec3(ph_model_gravity(((Model *)self)->model));
}

static PyObject *model_run_settings(PyObject *self, void *closure)
{
    (void)closure;
    const ph_run_settings *s = ph_model_run_settings(((Model *)self)->model);
    return Py_BuildValue("{szsdsdszsz}", "scheme", s->scheme, "step", s->step, "until", s->until, "options", s->options,
                         "stop_when", s->stop_when);
}

static PyObject *collect(const ph_model *model, int count, PyObject *(*describe)(const ph_model *, int))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *entry = describe(model, i);
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *describe_body(const ph_model *model, int i)
{
    const ph_body_info b = ph_model_body(model, i);
    return Py_BuildValue("(NOddNNNi)", text_or_none(b.name), b.fixed ? Py_True : Py_False, b.mass, b.volume,
                         array_copy(&b.inertia.m[0][0], 2, (const Py_ssize_t[]){3, 3}), array_of_vec3(b.com),
                         array_of_vec3(b.reference), b.shapes);
}

static PyObject *describe_joint(const ph_model *model, int i)
{
    const ph_joint_info j = ph_model_joint(model, i);
    return Py_BuildValue("(NNiiiiiNN)", text_or_none(j.name), text_or_none(j.type), j.body_a, j.body_b, j.first_row,
                         j.rows, j.coordinates, array_of_vec3(j.anchor_a), array_of_vec3(j.anchor_b));
}

static PyObject *model_bodies(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_model *model = ((Model *)self)->model;
    return collect(model, ph_model_bodies(model), describe_body);
}

static PyObject *model_joints(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_model *model = ((Model *)self)->model;
    return collect(model, ph_model_joints(model), describe_joint);
}

// (name, type, components, units)
static PyObject *model_sensors(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_model *model = ((Model *)self)->model;
    PyObject *all = PyList_New(0);
    for (int i = 0; all && i < ph_model_sensors(model); i++) {
        const ph_sensor_info s = ph_model_sensor(model, i);
        PyObject *columns = PyTuple_New(s.count), *units = PyTuple_New(s.count);
        for (int k = 0; columns && units && k < s.count; k++) {
            PyTuple_SetItem(columns, k, PyUnicode_FromString(s.columns[k]));
            PyTuple_SetItem(units, k, PyUnicode_FromString(s.units[k]));
        }
        PyObject *entry = columns && units ? Py_BuildValue("(ssOO)", s.name, s.type, columns, units) : NULL;
        if (!entry || PyList_Append(all, entry) != 0) Py_CLEAR(all);
        Py_XDECREF(entry);
        Py_XDECREF(columns);
        Py_XDECREF(units);
    }
    return all;
}

static PyObject *model_keyframes(PyObject *self, void *closure)
{
    (void)closure;
    const ph_model *model = ((Model *)self)->model;
    const int count = ph_model_keyframes(model);
    PyObject *names = PyTuple_New(count);
    for (int i = 0; names && i < count; i++) {
        PyObject *name = text_or_none(ph_model_keyframe(model, i));
        if (!name || PyTuple_SetItem(names, i, name) != 0) Py_CLEAR(names);
    }
    return names;
}

static PyObject *model_input_count(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(ph_model_inputs(((Model *)self)->model));
}

typedef int (*finder)(const ph_model *, const char *);

static PyObject *find(PyObject *self, PyObject *name, finder find_name)
{
    PyObject *utf8 = PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : NULL;
    const char *text = utf8 ? PyBytes_AsString(utf8) : NULL;
    if (!text) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a name is needed");
        return NULL;
    }
    const int index = find_name(((Model *)self)->model, text);
    Py_DECREF(utf8);
    return PyLong_FromLong(index);
}

static PyObject *model_find_body(PyObject *self, PyObject *name)
{
    return find(self, name, ph_model_find_body);
}

static PyObject *model_find_joint(PyObject *self, PyObject *name)
{
    return find(self, name, ph_model_find_joint);
}

static PyObject *model_find_input(PyObject *self, PyObject *name)
{
    return find(self, name, ph_model_find_input);
}

static PyObject *model_find_site(PyObject *self, PyObject *name)
{
    return find(self, name, ph_model_find_site);
}

bool model_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"_read", model_read, METH_VARARGS | METH_CLASS, "(path, text, name, settings, forces)"},
        {"_of_result", model_of_result, METH_O | METH_CLASS, "(file)"},
        {"_bodies", model_bodies, METH_NOARGS, NULL},
        {"_joints", model_joints, METH_NOARGS, NULL},
        {"_sensors", model_sensors, METH_NOARGS, NULL},
        {"_find_body", model_find_body, METH_O, NULL},
        {"_find_joint", model_find_joint, METH_O, NULL},
        {"_find_input", model_find_input, METH_O, NULL},
        {"_find_site", model_find_site, METH_O, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"name", model_name, NULL, "Name of the model.", NULL},
        {"text", model_text, NULL, "Text that the model was made from.", NULL},
        {"gravity", model_gravity, NULL, "Acceleration of gravity (m/s^2), shape (3,).", NULL},
        {"rows", model_rows, NULL, "Number of constraint rows.", NULL},
        {"velocities", model_velocities, NULL, "Six for each body that can move.", NULL},
        {"rank", model_rank, NULL, "Rank of the constraint rows at the start.", NULL},
        {"freedoms", model_freedoms, NULL, "Degrees of freedom: velocities - rank.", NULL},
        {"_forces", model_forces, NULL, NULL, NULL},
        {"_inputs", model_input_count, NULL, NULL, NULL},
        {"keyframes", model_keyframes, NULL, "Names of the keyframes, in the order of the file.", NULL},
        {"run_settings", model_run_settings, NULL,
         "What the model says of a run: scheme, step (s), until (s), options.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, model_dealloc}, {Py_tp_traverse, model_traverse}, {Py_tp_clear, model_clear},
        {Py_tp_methods, methods},       {Py_tp_getset, attributes},       {0, NULL},
    };
    static PyType_Spec spec = {
        "polhode._core.Model", sizeof(Model), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    ModelType = make_type(module, &spec);
    return ModelType != NULL;
}
