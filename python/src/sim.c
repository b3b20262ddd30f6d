// Sim: one scheme at work on one state. The lock is released while it steps.

#include "core.h"

#include <math.h>
#include <time.h>

typedef struct Sim {
    PyObject_HEAD State *state;
    ph_sim *sim;
    double step;
    ph_step_report report; // of the last step
    bool busy;
} Sim;

static PyTypeObject *SimType;

static PyObject *sim_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"state", "step", "scheme", "options", "tolerance", "max_iterations", "threads", NULL};
    ph_sim_def def = ph_default_sim();
    ph_error error = {0};
    PyObject *state;
    double step;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!d|zzdii:Sim", names, StateType, &state, &step, &def.scheme,
                                     &def.options, &def.tolerance, &def.max_iterations, &def.threads))
        return NULL;
    if (!isfinite(step) || step == 0.0) {
        PyErr_SetString(PyExc_ValueError, "the step must be a finite number other than zero");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Sim *self = (Sim *)allocate(type, 0);
    if (!self) return NULL;
    self->state = (State *)Py_NewRef(state);
    self->step = step;
    python_call call;
    ph_status status;
    call_begin(&call);
    Py_BEGIN_ALLOW_THREADS status = ph_sim_create(self->state->block->owner->model, &def, &self->sim, &error);
    Py_END_ALLOW_THREADS const bool good = call_end(&call);
    if (good && status != PH_OK) raise_error(&error);
    if (!good || status != PH_OK) Py_CLEAR(self);
    return (PyObject *)self;
}

// The simulation uses the model that the block of its state keeps alive, so it goes first.
static void sim_dealloc(PyObject *self)
{
    Sim *s = (Sim *)self;
    PyObject_GC_UnTrack(self);
    ph_sim_destroy(s->sim);
    Py_XDECREF((PyObject *)s->state);
    free_object(self);
}

static int sim_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)((Sim *)self)->state);
    return 0;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

enum { LOOK = 16 }; // steps between two looks at the clock

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Up to `count` steps, `together` of them in one call, but not much longer than this, so that Ctrl-C is heard. Returns how
// many were made.
static long long step_for_a_while(Sim *s, long long count, double h, int together)
{
    static const double WHILE = 0.05; // s
    ph_state *state = s->state->block->state;
    const double began = count > LOOK ? seconds() : 0.0;
    for (long long k = 0; k < count;) {
        const ph_status status =
            ph_sim_advance(s->sim, state, h, count - k < together ? count - k : together, &s->report);
        k += s->report.steps;
        if (status != PH_OK || (k % LOOK == 0 && seconds() - began > WHILE)) return k;
    }
    return count;
}

static bool make_steps(Sim *s, long long count, double h, int together)
{
    python_call call;
    long long done = 0;
    s->report.status = PH_OK;
    call_begin(&call);
    while (done < count) {
        Py_BEGIN_ALLOW_THREADS done += step_for_a_while(s, count - done, h, together);
        Py_END_ALLOW_THREADS if (s->report.status != PH_OK || call.exception) break;
        if (done < count && PyErr_CheckSignals() != 0) break;
    }
    return call_end(&call) && !PyErr_Occurred();
}

static bool raise_report(const Sim *s)
{
    char text[1024];
    ph_step_report_format(&s->report, s->state->block->owner->model, text, sizeof text);
    raise_status(s->report.status, text);
    return false;
}

static bool step(Sim *s, long long count, double h, int together)
{
    StateBlock *block = s->state->block;
    if (s->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this simulation is in use by another call");
        return false;
    }
    if (!state_begin(block)) return false;
    s->busy = true;
    const bool good = make_steps(s, count, h, together);
    s->busy = false;
    state_end(block);
    return good && (s->report.status == PH_OK || raise_report(s));
}

// step(n=1, h=None)
static bool take_step_argument(PyObject *value, int place, long long *count, double *h)
{
    if (place == 0) *count = PyLong_AsLongLong(value);
    if (place == 1 && value != Py_None) *h = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
}

static bool take_step_keywords(PyObject *names, PyObject *const *values, Py_ssize_t given, long long *count, double *h)
{
    for (Py_ssize_t k = 0; k < PyTuple_Size(names); k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        const int place = PyUnicode_CompareWithASCIIString(name, "n") == 0   ? 0
                          : PyUnicode_CompareWithASCIIString(name, "h") == 0 ? 1
                                                                             : -1;
        if (place < given) {
            PyErr_Format(PyExc_TypeError, "got an unexpected argument '%U'", name);
            return false;
        }
        if (!take_step_argument(values[k], place, count, h)) return false;
    }
    return true;
}

static PyObject *move(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *names, int together)
{
    Sim *s = (Sim *)self;
    long long count = 1;
    double h = s->step;
    if (given > 2) {
        PyErr_Format(PyExc_TypeError, "takes at most 2 arguments, not %zd", given);
        return NULL;
    }
    for (int k = 0; k < given; k++)
        if (!take_step_argument(args[k], k, &count, &h)) return NULL;
    if (names && !take_step_keywords(names, args + given, given, &count, &h)) return NULL;
    if (count < 0 || !isfinite(h) || h == 0.0) {
        PyErr_SetString(PyExc_ValueError, count < 0 ? "the number of steps must not be negative"
                                                    : "the step must be a finite number other than zero");
        return NULL;
    }
    if (!step(s, count, h, together)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *sim_step(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return move(self, args, given, names, 1);
}

static PyObject *sim_advance(PyObject *self, PyObject *const *args, Py_ssize_t given, PyObject *names)
{
    return move(self, args, given, names, LOOK);
}

// ---- Attributes -----------------------------------------------------------------------------------------------------

static PyObject *get_state(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((Sim *)self)->state);
}

static PyObject *get_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(ph_state_time(((Sim *)self)->state->block->state));
}

static PyObject *get_step(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(((Sim *)self)->step);
}

static int set_step(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    const double h = value ? PyFloat_AsDouble(value) : 0.0;
    if (PyErr_Occurred()) return -1;
    if (!isfinite(h) || h == 0.0) {
        PyErr_SetString(PyExc_ValueError, "the step must be a finite number other than zero");
        return -1;
    }
    ((Sim *)self)->step = h;
    return 0;
}

static PyObject *get_report(PyObject *self, void *closure)
{
    (void)closure;
    const ph_step_report *r = &((Sim *)self)->report;
    return Py_BuildValue("{sssdsdsLsLsdsisdszsisisdsLsdszsi}", "status", ph_status_name(r->status), "time", r->time,
                         "step", r->step, "steps", r->steps, "iterations", r->iterations, "residual", r->residual,
                         "worst_joint", r->worst_joint, "worst_row", r->worst_row, "advice", r->advice, "contacts",
                         r->contacts, "contact_iterations", r->contact_iterations, "contact_residual",
                         r->contact_residual, "contact_missed", r->contact_missed, "penetration", r->penetration,
                         "contact_solver", r->contact_solver, "growths", r->growths);
}

static PyObject *sim_multipliers(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    Sim *s = (Sim *)self;
    StateBlock *block = s->state->block;
    const Py_ssize_t shape[3] = {ph_model_bodies(block->owner->model), 3, 3};
    python_call call;
    ph_status status;
    Py_buffer room;
    PyObject *array = array_copy(NULL, 3, shape);
    if (!array || !take_doubles(array, "Lambda", 9 * shape[0], true, &room)) return Py_XDECREF(array), NULL;
    if (s->busy) PyErr_SetString(PyExc_RuntimeError, "this simulation is in use by another call");
    bool good = !s->busy && state_begin(block);
    if (good) {
        s->busy = true;
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_sim_multipliers(s->sim, block->state, s->step, room.buf);
        Py_END_ALLOW_THREADS s->busy = false;
        state_end(block);
        good = call_end(&call);
        if (good && status != PH_OK) raise_status(status, "this scheme has no multipliers of R^T R = I"), good = false;
    }
    PyBuffer_Release(&room);
    if (!good) Py_CLEAR(array);
    return array;
}

static PyObject *sim_quaternions(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    Sim *s = (Sim *)self;
    StateBlock *block = s->state->block;
    const Py_ssize_t shape[2] = {ph_model_bodies(block->owner->model), 5};
    python_call call;
    ph_status status;
    Py_buffer room;
    PyObject *array = array_copy(NULL, 2, shape);
    if (!array || !take_doubles(array, "p and lambda", 5 * shape[0], true, &room)) return Py_XDECREF(array), NULL;
    if (s->busy) PyErr_SetString(PyExc_RuntimeError, "this simulation is in use by another call");
    bool good = !s->busy && state_begin(block);
    if (good) {
        s->busy = true;
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_sim_quaternions(s->sim, block->state, s->step, room.buf);
        Py_END_ALLOW_THREADS s->busy = false;
        state_end(block);
        good = call_end(&call);
        if (good && status != PH_OK) raise_status(status, "this scheme has no momenta of quaternions"), good = false;
    }
    PyBuffer_Release(&room);
    if (!good) Py_CLEAR(array);
    return array;
}

bool sim_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"step", (PyCFunction)(void (*)(void))sim_step, METH_FASTCALL | METH_KEYWORDS,
         "step(n=1, h=None)\n--\n\nMakes n steps of length h (s; default: step_size). The lock is released meanwhile.\n\n"
         "A step that fails raises StepError and leaves the state as the last good one left it."},
        {"advance", (PyCFunction)(void (*)(void))sim_advance, METH_FASTCALL | METH_KEYWORDS,
         "advance(n=1, h=None)\n--\n\nAs step, but without what matters only where a state is looked at: faster, and the same end to "
         "round-off."},
        {"multipliers", sim_multipliers, METH_NOARGS,
         "multipliers()\n--\n\nSymmetric multipliers of R^T R = I (J, body frame) where the scheme has them, shape (bodies, 3, 3)."},
        {"quaternions", sim_quaternions, METH_NOARGS,
         "quaternions()\n--\n\nMomenta p (kg m^2/s) and multipliers lambda (J) of the unit quaternions where the scheme has them "
         "(quat-fem), shape (bodies, 5)."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"state", get_state, NULL, "The state that is moved.", NULL},
        {"time", get_time, NULL, "Time of the state (s).", NULL},
        {"step_size", get_step, set_step, "Length of a step (s); may be negative.", NULL},
        {"report", get_report, NULL, "Outcome of the last step: status, iterations, residual and more.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, sim_new},     {Py_tp_dealloc, sim_dealloc}, {Py_tp_traverse, sim_traverse},
        {Py_tp_methods, methods}, {Py_tp_getset, attributes},   {0, NULL},
    };
    static PyType_Spec spec = {"polhode._core.Sim", sizeof(Sim), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    SimType = make_type(module, &spec);
    return SimType != NULL;
}
