// A whole run, recorded into memory, a file, or neither; and the recording as arrays by name.

#include "core.h"

#include <math.h>
#include <string.h>

typedef struct Recording {
    PyObject_HEAD Model *owner;
    ph_recording *recording;
} Recording;

static PyTypeObject *RecordingType;

static void recording_dealloc(PyObject *self)
{
    Recording *r = (Recording *)self;
    ph_recording_destroy(r->recording);
    Py_XDECREF((PyObject *)r->owner);
    free_object(self);
}

static Recording *make_recording(Model *model)
{
    Recording *self = PyObject_New(Recording, RecordingType);
    if (!self) return NULL;
    self->owner = (Model *)Py_NewRef((PyObject *)model);
    self->recording = ph_recording_create(model->model);
    if (!self->recording) {
        PyErr_NoMemory();
        Py_CLEAR(self);
    }
    return self;
}

static bool want(Recording *self, PyObject *names)
{
    if (names == Py_None) return true;
    PyObject *list = PySequence_List(names);
    bool good = list != NULL;
    for (Py_ssize_t i = 0; good && i < PyList_Size(list); i++) {
        PyObject *utf8 = PyUnicode_AsUTF8String(PyList_GetItem(list, i));
        const char *text = utf8 ? PyBytes_AsString(utf8) : NULL;
        good = text != NULL;
        if (good && ph_recording_want(self->recording, text) != PH_OK) PyErr_NoMemory(), good = false;
        Py_XDECREF(utf8);
    }
    Py_XDECREF(list);
    return good;
}

// ---- The arrays -----------------------------------------------------------------------------------------------------

static PyObject *recording_arrays(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_recording *recording = ((Recording *)self)->recording;
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < ph_recording_count(recording); i++) {
        const ph_recorded r = ph_recording_get(recording, i);
        const Py_ssize_t shape[RANK_MAX] = {(Py_ssize_t)ph_recording_rows(recording), r.shape[0], r.shape[1],
                                            r.shape[2]};
        PyObject *array = array_view(self, r.data, 1 + r.rank, shape, true);
        PyObject *name = PyUnicode_DecodeUTF8(r.name, (Py_ssize_t)strlen(r.name), "replace");
        if (!array || !name || PyDict_SetItem(all, name, array) != 0) Py_CLEAR(all);
        Py_XDECREF(array);
        Py_XDECREF(name);
    }
    return all;
}

static PyObject *recording_write(PyObject *self, PyObject *path)
{
    PyObject *bytes = NULL;
    ph_error error = {0};
    ph_status status;
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    const char *text = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS status = ph_recording_write(((Recording *)self)->recording, text, &error);
    Py_END_ALLOW_THREADS Py_DECREF(bytes);
    if (status != PH_OK) return raise_error(&error);
    Py_RETURN_NONE;
}

// ---- The run --------------------------------------------------------------------------------------------------------

typedef struct watcher {
    PyObject *function; // progress, or NULL
    python_call *call;
} watcher;

// About ten times a second: Ctrl-C is heard, and the user's function is told how far we are. An exception ends the run.
static bool on_progress(const ph_progress *p, void *user)
{
    const watcher *w = user;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && w->function) {
        PyObject *answer = PyObject_CallFunction(w->function, "LLdddd", p->step, p->steps, p->time, p->until, p->wall_s,
                                                 p->energy_error);
        go_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    if (PyErr_Occurred()) PyErr_Fetch(&w->call->exception, &w->call->value, &w->call->traceback);
    go_on = go_on && !w->call->exception;
    PyGILState_Release(lock);
    return go_on;
}

// Steps by contact solver. NULL: an exception is set.
static PyObject *describe_solvers(const ph_summary *s)
{
    PyObject *solvers = PyDict_New();
    for (int k = 0; solvers && k < PH_CONTACT_SOLVERS; k++) {
        if (s->contact_solver_steps[k] == 0) continue;
        PyObject *steps = PyLong_FromLongLong(s->contact_solver_steps[k]);
        if (!steps || PyDict_SetItemString(solvers, ph_contact_solver_name(k), steps) < 0) Py_CLEAR(solvers);
        Py_XDECREF(steps);
    }
    return solvers;
}

PyObject *describe_summary(const ph_summary *s)
{
    PyObject *none = Py_None;
    PyObject *linear = s->has_linear ? PyFloat_FromDouble(s->linear_max_error) : Py_NewRef(none);
    PyObject *angular = s->has_angular ? PyFloat_FromDouble(s->angular_max_error) : Py_NewRef(none);
    PyObject *relative =
        s->energy_scale > 0.0 ? PyFloat_FromDouble(s->energy_max_abs_error / s->energy_scale) : Py_NewRef(none);
    return Py_BuildValue(
        "{sssdsLsdsdsNsds{sdsdsdsdsdsdsdsNsN}s{sNsN}sdsdsds{sdsi}s{sLsLsL}s{sisdsdsdsLsdsdsdsN}}", "scheme", s->scheme,
        "step", s->step, "steps", s->steps, "last_step", s->last_step > 0.0 ? s->last_step : s->step, "time", s->time,
        "event", PyBool_FromLong(s->event), "wall_s", s->wall_s, "energy", "initial", s->energy_initial, "final",
        s->energy_final, "stored_initial", s->stored_initial, "stored_final", s->stored_final, "work", s->work, "scale",
        s->energy_scale, "max_abs_error", s->energy_max_abs_error, "max_rel_error", relative, "wrong",
        PyBool_FromLong(s->energy_wrong), "momentum", "linear_max_error", linear, "angular_max_error", angular,
        "orthogonality_max", s->orthogonality_max, "position_violation_max", s->position_violation_max,
        "velocity_violation_max", s->velocity_violation_max, "newton", "iterations_mean", s->iterations_mean,
        "iterations_max", s->iterations_max, "own_steps", "accepted", s->inner_steps, "rejected", s->rejections,
        "evaluations", s->evaluations, "contact", "contacts_max", s->contacts_max, "iterations_mean",
        s->contact_iterations_mean, "residual_max", s->contact_residual_max, "penetration_max", s->penetration_max,
        "missed", s->contact_missed, "friction_work", s->friction_work, "impact_work", s->impact_work, "gain_max",
        s->contact_gain_max, "solvers", describe_solvers(s));
}

static ph_status run_without_lock(StateBlock *block, ph_run_def *def, ph_summary *summary, ph_error *error,
                                  PyObject *progress, bool *raised)
{
    python_call call;
    watcher watch = {progress == Py_None ? NULL : progress, &call};
    ph_status status;
    def->progress = on_progress;
    def->user = &watch;
    call_begin(&call);
    Py_BEGIN_ALLOW_THREADS status = ph_run(block->owner->model, block->state, def, summary, error);
    Py_END_ALLOW_THREADS *raised = !call_end(&call);
    return status;
}

// (summary, recording, stopped): stopped is True where the progress function asked for it.
static PyObject *run(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *state, *wanted, *progress, *path = NULL;
    int record;
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "O!zzdiiddiOpO&Oz:run", StateType, &state, &def.sim.scheme, &def.sim.options,
                          &def.sim.tolerance, &def.sim.max_iterations, &def.sim.threads, &def.step, &def.until,
                          &def.every, &wanted, &record, PyUnicode_FSConverter, &path, &progress, &def.stop_when))
        return NULL;
    StateBlock *block = ((State *)state)->block;
    Recording *recording = make_recording(block->owner);
    PyObject *result = NULL;
    bool raised = false;
    def.out = PyBytes_Size(path) > 0 ? PyBytes_AsString(path) : NULL;
    if (recording && want(recording, wanted) && state_begin(block)) {
        def.recording = record ? recording->recording : NULL;
        const ph_status status = run_without_lock(block, &def, &summary, &error, progress, &raised);
        state_end(block);
        if (!raised && status != PH_OK && status != PH_INTERRUPTED) raise_error(&error);
        if (!PyErr_Occurred())
            result = Py_BuildValue("(NOO)", describe_summary(&summary), (PyObject *)recording,
                                   status == PH_INTERRUPTED ? Py_True : Py_False);
    }
    Py_XDECREF((PyObject *)recording);
    Py_DECREF(path);
    return result;
}

bool run_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"arrays", recording_arrays, METH_NOARGS, "arrays()\n--\n\nAll that was recorded: views by name."},
        {"write", recording_write, METH_O,
         "write(path, /)\n--\n\nWrites a result file; the ending chooses the format."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {{Py_tp_dealloc, recording_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    static PyType_Spec spec = {"polhode._core.Recording", sizeof(Recording), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    static PyMethodDef functions[] = {
        {"run", run, METH_VARARGS,
         "run(state, scheme, options, tolerance, max_iterations, threads, step, until, every, wanted, record, path, progress, "
         "stop_when)"},
        {NULL, NULL, 0, NULL},
    };
    RecordingType = make_type(module, &spec);
    return RecordingType && PyModule_AddFunctions(module, functions) == 0;
}
