// Adjoint: a run, quantities of its states, and the gradient of a function of them.

#include "core.h"

#include <stdio.h>
#include <string.h>

typedef struct Adjoint {
    PyObject_HEAD State *state;
    ph_adjoint *adjoint;
    ph_observables *observables;
    double step;
    long long steps; // of the last run; 0: none
    int count;       // of quantities
    bool busy;
} Adjoint;

static PyTypeObject *AdjointType;

static const ph_model *model_of(const Adjoint *a)
{
    return a->state->block->owner->model;
}

static PyObject *adjoint_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"state", "step", "scheme", "options", "memory", NULL};
    ph_adjoint_def def = ph_default_adjoint();
    ph_error error = {0};
    PyObject *state;
    double step;
    Py_ssize_t memory = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!d|zzn:Adjoint", names, StateType, &state, &step,
                                     &def.sim.scheme, &def.sim.options, &memory))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Adjoint *self = (Adjoint *)allocate(type, 0);
    if (!self) return NULL;
    self->state = (State *)Py_NewRef(state);
    self->step = step;
    if (memory > 0) def.memory = (size_t)memory;
    if (ph_adjoint_create(model_of(self), &def, &self->adjoint, &error) != PH_OK) {
        raise_error(&error);
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void adjoint_dealloc(PyObject *self)
{
    Adjoint *a = (Adjoint *)self;
    PyObject_GC_UnTrack(self);
    ph_observables_destroy(a->observables);
    ph_adjoint_destroy(a->adjoint);
    Py_XDECREF((PyObject *)a->state);
    free_object(self);
}

static int adjoint_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)((Adjoint *)self)->state);
    return 0;
}

// ---- Forwards -------------------------------------------------------------------------------------------------------

enum { QUANTITIES_MAX = 256 };

static bool take_quantities(Adjoint *a, PyObject *list)
{
    const char *names[QUANTITIES_MAX];
    ph_error error = {0};
    const Py_ssize_t count = PySequence_Size(list);
    if (count < 0) return false;
    if (count < 1 || count > QUANTITIES_MAX) {
        PyErr_SetString(PyExc_ValueError, "name from 1 to 256 quantities");
        return false;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        PyObject *name = PySequence_GetItem(list, k);
        names[k] = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
        Py_XDECREF(name); // the list keeps it
        if (!names[k]) return false;
    }
    ph_observables_destroy(a->observables);
    a->observables = NULL;
    if (ph_observables_create(model_of(a), (int)count, names, &a->observables, &error) != PH_OK) {
        raise_error(&error);
        return false;
    }
    a->count = (int)count;
    return true;
}

typedef struct recorder {
    ph_observables *observables;
    double *values;
    int count;
} recorder;

static bool record(long long n, const ph_state *state, void *user)
{
    const recorder *r = user;
    ph_observables_values(r->observables, state, r->values + n * r->count);
    return true;
}

static bool run(Adjoint *a, long long steps, const double *inputs, double *values)
{
    StateBlock *block = a->state->block;
    ph_step_report report;
    recorder r = {a->observables, values, a->count};
    if (a->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this adjoint is in use by another call");
        return false;
    }
    if (!state_begin(block)) return false;
    python_call call;
    ph_status status;
    a->busy = true;
    a->steps = 0;
    call_begin(&call);
    Py_BEGIN_ALLOW_THREADS status =
        ph_adjoint_forward(a->adjoint, block->state, a->step, steps, inputs, record, &r, &report);
    Py_END_ALLOW_THREADS const bool good = call_end(&call);
    a->busy = false;
    state_end(block);
    if (good && status != PH_OK) {
        char text[1024];
        ph_step_report_format(&report, model_of(a), text, sizeof text);
        raise_status(status, text);
    }
    if (good && status == PH_OK) a->steps = steps;
    return good && status == PH_OK;
}

static PyObject *adjoint_forward(PyObject *self, PyObject *args)
{
    Adjoint *a = (Adjoint *)self;
    long long steps;
    PyObject *names, *inputs = Py_None;
    Py_buffer view = {0};
    if (!PyArg_ParseTuple(args, "LO|O:forward", &steps, &names, &inputs)) return NULL;
    if (steps < 1 || steps > 1000000000) {
        PyErr_SetString(PyExc_ValueError, "make at least one step");
        return NULL;
    }
    if (!take_quantities(a, names)) return NULL;
    const Py_ssize_t shape[2] = {(Py_ssize_t)steps + 1, a->count}, width = ph_model_inputs(model_of(a));
    double *values = PyMem_Calloc((size_t)(shape[0] * shape[1]), sizeof *values);
    PyObject *result = NULL;
    if (!values) return PyErr_NoMemory();
    const bool given = inputs != Py_None;
    if ((!given || take_doubles(inputs, "inputs", (Py_ssize_t)steps * width, false, &view)) &&
        run(a, steps, given ? view.buf : NULL, values))
        result = array_copy(values, 2, shape);
    if (view.obj) PyBuffer_Release(&view);
    PyMem_Free(values);
    return result;
}

// ---- Backwards ------------------------------------------------------------------------------------------------------

typedef struct weights {
    const double *values;
    int count;
} weights;

static void weigh(long long n, const ph_state *state, double *to, void *user)
{
    const weights *w = user;
    (void)state;
    memcpy(to, w->values + n * w->count, sizeof(double) * (size_t)w->count);
}

static PyObject *bodies_array(const Adjoint *a, int which, int width)
{
    const ph_model *model = model_of(a);
    const int count = ph_model_bodies(model);
    const ph_cotangent *start = ph_adjoint_start(a->adjoint);
    const Py_ssize_t shape[2] = {count, width};
    double *values = PyMem_Calloc((size_t)(count * width) + 1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    for (int b = 0; b < count; b++) {
        const ph_vec3 v[] = {start[b].rotation, start[b].position, start[b].angular_velocity, start[b].velocity};
        double mass = ph_adjoint_mass(a->adjoint, b);
        memcpy(values + b * width, which < 4 ? (const void *)&v[which] : &mass, sizeof(double) * (size_t)width);
    }
    PyObject *array = array_copy(values, width == 1 ? 1 : 2, shape);
    PyMem_Free(values);
    return array;
}

// (by rotation, position, angular velocity and velocity of each body at the start, by mass, by gravity, by inputs)
static PyObject *gradient_of(const Adjoint *a)
{
    const ph_vec3 g = ph_adjoint_gravity(a->adjoint);
    const Py_ssize_t shape[2] = {(Py_ssize_t)a->steps, ph_model_inputs(model_of(a))};
    return Py_BuildValue("(NNNNNNN)", bodies_array(a, 0, 3), bodies_array(a, 1, 3), bodies_array(a, 2, 3),
                         bodies_array(a, 3, 3), bodies_array(a, 4, 1), array_of_vec3(g),
                         array_copy(ph_adjoint_inputs(a->adjoint), 2, shape));
}

// false: the warning became an exception.
static bool warn_of_impacts(const ph_adjoint *a)
{
    const long long impacts = ph_adjoint_get_report(a).impacts;
    return impacts == 0 ||
           PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                            "%lld impacts whose moment a step does not resolve: the gradient is that of "
                            "the discrete motion, and may be wrong for the motion it stands for",
                            impacts) == 0;
}

static PyObject *adjoint_reverse(PyObject *self, PyObject *object)
{
    Adjoint *a = (Adjoint *)self;
    ph_error error = {0};
    Py_buffer view = {0};
    if (a->steps == 0 || a->busy) {
        PyErr_SetString(PyExc_RuntimeError, a->busy ? "this adjoint is in use by another call" : "run forward first");
        return NULL;
    }
    if (!take_doubles(object, "weights", ((Py_ssize_t)a->steps + 1) * a->count, false, &view)) return NULL;
    weights w = {view.buf, a->count};
    ph_status status;
    a->busy = true;
    Py_BEGIN_ALLOW_THREADS status = ph_adjoint_reverse_of(a->adjoint, a->observables, weigh, &w, &error);
    Py_END_ALLOW_THREADS a->busy = false;
    PyBuffer_Release(&view);
    if (status != PH_OK) return raise_error(&error);
    return warn_of_impacts(a->adjoint) ? gradient_of(a) : NULL;
}

// ---- Parameters -----------------------------------------------------------------------------------------------------

typedef struct maker {
    const ph_model *model;
    const char *name;
} maker;

static ph_model *make(int k, double value, void *user, ph_error *error)
{
    const maker *m = user;
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    char text[40];
    (void)k;
    snprintf(text, sizeof text, "%.17g", value);
    ph_model_again(m->model, &(ph_setting){m->name, text}, 1, problems, &model);
    if (!model && ph_problems_count(problems) > 0)
        snprintf(error->text, sizeof error->text, "with %.80s = %.6g: %.800s", m->name, value,
                 ph_problems_get(problems, 0)->text);
    ph_problems_destroy(problems);
    return model;
}

// The value of a parameter of the file, or of a number of the model (`number`); false: there is none.
static bool find_value(const ph_model *model, const char *name, ph_parameter *p)
{
    *p = (ph_parameter){.name = name};
    for (int k = 0; k < ph_model_parameters(model); k++)
        if (strcmp(ph_model_parameter(model, k).name, name) == 0) {
            p->value = ph_model_parameter(model, k).value;
            return true;
        }
    p->number = ph_model_number(model, name, &p->value);
    return p->number;
}

// The gradient of the last sweep by one parameter.
static PyObject *adjoint_by(PyObject *self, PyObject *object)
{
    Adjoint *a = (Adjoint *)self;
    ph_error error = {0};
    ph_parameter p;
    ph_parameters *parameters = NULL;
    double gradient = 0.0;
    const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
    if (!name) return NULL;
    if (!find_value(model_of(a), name, &p))
        return PyErr_Format(PyExc_KeyError, "'%s' is neither a parameter nor a number of the model", name);
    maker m = {model_of(a), name};
    if (ph_parameters_create(model_of(a), 1, &p, make, &m, &parameters, &error) != PH_OK) return raise_error(&error);
    const char *problem = ph_parameters_problem(parameters, 0);
    if (problem)
        PyErr_Format(PyExc_ValueError, "there is no derivative by '%s', which cannot change alone: %s", name, problem);
    else
        ph_adjoint_parameters(a->adjoint, parameters, &gradient);
    ph_parameters_destroy(parameters);
    return problem ? NULL : PyFloat_FromDouble(gradient);
}

// ---------------------------------------------------------------------------------------------------------------------

static PyMethodDef adjoint_methods[] = {
    {"forward", adjoint_forward, METH_VARARGS, "Makes steps and returns named quantities at all nodes."},
    {"reverse", adjoint_reverse, METH_O, "The gradient of the sum of weighted quantities by start, masses and inputs."},
    {"by", adjoint_by, METH_O, "The gradient of the last sweep by a parameter."},
    {0},
};

static PyType_Slot adjoint_slots[] = {
    {Py_tp_new, adjoint_new},
    {Py_tp_dealloc, adjoint_dealloc},
    {Py_tp_traverse, adjoint_traverse},
    {Py_tp_methods, adjoint_methods},
    {Py_tp_doc, (char *)"A run and the gradient of a function of its states."},
    {0, NULL},
};

static PyType_Spec adjoint_spec = {
    .name = "polhode._core.Adjoint",
    .basicsize = sizeof(Adjoint),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = adjoint_slots,
};

bool adjoint_init(PyObject *module)
{
    AdjointType = make_type(module, &adjoint_spec);
    return AdjointType;
}
