// compare and order: the laboratory's answers as dicts of numbers and arrays, with its figures as SVG text.

#include "core.h"

#include <stdlib.h>
#include <string.h>

// ---- Arguments ------------------------------------------------------------------------------------------------------

typedef struct names {
    const char **list; // belong to `bytes`
    PyObject *bytes;   // list of bytes
    int count;
} names;

static bool take_names(PyObject *given, names *n)
{
    const Py_ssize_t count = PyTuple_Size(given);
    if (count < 0 || count > 10000) return PyErr_SetString(PyExc_ValueError, "too many schemes"), false;
    n->list = calloc((size_t)count + 1, sizeof *n->list);
    n->bytes = n->list ? PyList_New(0) : PyErr_NoMemory();
    for (Py_ssize_t i = 0; n->bytes && i < count; i++) {
        PyObject *item = PyTuple_GetItem(given, i);
        PyObject *utf8 = PyUnicode_Check(item) ? PyUnicode_AsUTF8String(item) : NULL;
        if (!utf8 && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "schemes are given by name");
        const bool good = utf8 && PyList_Append(n->bytes, utf8) == 0;
        n->list[i] = good ? PyBytes_AsString(utf8) : NULL;
        Py_XDECREF(utf8);
        if (!good) return false;
        n->count++;
    }
    return n->bytes != NULL;
}

static void drop_names(names *n)
{
    Py_XDECREF(n->bytes);
    free(n->list);
}

static bool on_progress(const ph_lab_progress *progress, void *user)
{
    (void)progress;
    python_call *call = user;
    PyGILState_STATE lock = PyGILState_Ensure();
    if (PyErr_CheckSignals() != 0 && !call->exception) PyErr_Fetch(&call->exception, &call->value, &call->traceback);
    PyGILState_Release(lock);
    return !call->exception;
}

// ---- Answers --------------------------------------------------------------------------------------------------------

static bool put(PyObject *dict, const char *key, PyObject *value)
{
    const bool good = value && PyDict_SetItemString(dict, key, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *text_or_none(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static PyObject *describe_error(const ph_motion_error *e)
{
    return Py_BuildValue("{sdsdsdsd}", "position", e->of[PH_POSITION], "orientation", e->of[PH_ORIENTATION], "velocity",
                         e->of[PH_VELOCITY], "angular_velocity", e->of[PH_ANGULAR_VELOCITY]);
}

static PyObject *describe_reference(const ph_reference_info *r)
{
    return Py_BuildValue("{sNsdsisNsN}", "scheme", text_or_none(r->scheme), "step", r->step, "runs", r->runs,
                         "uncertainty", describe_error(&r->uncertainty), "message", text_or_none(r->message));
}

static PyObject *column(const void *data, int count, int width)
{
    const Py_ssize_t shape[2] = {count, width};
    return data ? array_copy(data, width > 1 ? 2 : 1, shape) : Py_NewRef(Py_None);
}

static PyObject *describe_history(const ph_history *h)
{
    PyObject *d = PyDict_New();
    const bool good =
        d && put(d, "time", column(h->time, h->count, 1)) && put(d, "energy_low", column(h->energy_low, h->count, 1)) &&
        put(d, "energy_high", column(h->energy_high, h->count, 1)) &&
        put(d, "linear_max", column(h->linear_max, h->count, 1)) &&
        put(d, "angular_max", column(h->angular_max, h->count, 1)) &&
        put(d, "orthogonality_max", column(h->orthogonality_max, h->count, 1)) &&
        put(d, "position_violation_max", column(h->position_violation_max, h->count, 1)) &&
        put(d, "velocity_violation_max", column(h->velocity_violation_max, h->count, 1)) &&
        put(d, "penetration_max", column(h->penetration_max, h->count, 1)) &&
        put(d, "contact_residual_max", column(h->contact_residual_max, h->count, 1)) &&
        put(d, "position", column(h->position, h->count, 3)) && put(d, "velocity", column(h->velocity, h->count, 3)) &&
        put(d, "angular_velocity", column(h->angular_velocity, h->count, 3)) &&
        put(d, "orientation", column(h->orientation, h->count, 4));
    if (!good) Py_CLEAR(d);
    return d;
}

static PyObject *describe_trial(const ph_trial *t)
{
    return Py_BuildValue("{sNsssNsNsdsNsN}", "name", text_or_none(t->name), "status", ph_status_name(t->status),
                         "message", text_or_none(t->message), "summary", describe_summary(&t->summary), "step_s",
                         t->step_s, "error", describe_error(&t->error), "history", describe_history(&t->history));
}

static PyObject *describe_point(const ph_order_point *p)
{
    return Py_BuildValue("{sdsssNsLsdsdsN}", "step", p->step, "status", ph_status_name(p->status), "message",
                         text_or_none(p->message), "steps", p->steps, "iterations_mean", p->iterations_mean, "cpu_s",
                         p->cpu_s, "error", describe_error(&p->error));
}

typedef PyObject *(*describer)(const void *list, int index, const void *context);

static PyObject *collect(const void *list, int count, describer describe, const void *context)
{
    PyObject *all = PyList_New(0);
    for (int i = 0; all && i < count; i++) {
        PyObject *entry = describe(list, i, context);
        if (!entry || PyList_Append(all, entry) != 0) Py_CLEAR(all);
        Py_XDECREF(entry);
    }
    return all;
}

static PyObject *trial_at(const void *list, int i, const void *context)
{
    (void)context;
    return describe_trial((const ph_trial *)list + i);
}

static PyObject *point_at(const void *list, int i, const void *context)
{
    (void)context;
    return describe_point((const ph_order_point *)list + i);
}

static PyObject *fit_at(const void *list, int i, const void *context)
{
    const ph_order_fit *f = (const ph_order_fit *)list + i;
    const int steps = ((const ph_order_study *)context)->step_count;
    return Py_BuildValue("{sNsdsisi}", "orders", column(f->orders, steps > 0 ? steps - 1 : 0, 1), "slope", f->slope,
                         "used", f->used, "dropped", f->dropped);
}

static PyObject *row_at(const void *list, int i, const void *context)
{
    const ph_order_row *r = (const ph_order_row *)list + i;
    const ph_order_study *study = context;
    return Py_BuildValue("{sNsisisNsN}", "name", text_or_none(r->name), "order", r->order, "failed", r->failed,
                         "points", collect(r->points, study->step_count, point_at, NULL), "fits",
                         collect(r->fits, PH_QUANTITIES, fit_at, study));
}

// A figure, or None where there is nothing to show.
static PyObject *figure(ph_plot *plot)
{
    return plot ? plot_svg(plot) : Py_NewRef(Py_None);
}

static PyObject *describe_comparison(const ph_comparison *c)
{
    static const char *const figures[PH_COMPARISON_FIGURES] = {"energy",        "momentum",     "violation",
                                                               "orthogonality", "trajectories", "contact"};
    PyObject *drawn = PyDict_New();
    for (int k = 0; drawn && k < PH_COMPARISON_FIGURES; k++)
        if (!put(drawn, figures[k], figure(ph_comparison_plot(c, (ph_comparison_figure)k)))) Py_CLEAR(drawn);
    if (!drawn) return NULL;
    return Py_BuildValue("{sNsNsdsdsisNsNsNsN}", "model", text_or_none(c->model), "body", text_or_none(c->body), "step",
                         c->step, "until", c->until, "failed", c->failed, "trials",
                         collect(c->trials, c->trial_count, trial_at, NULL), "reference",
                         describe_reference(&c->reference), "reference_history",
                         describe_history(&c->reference_history), "figures", drawn);
}

static PyObject *describe_study(const ph_order_study *s)
{
    return Py_BuildValue("{sNsNsisNsNsNsNsNs{sNsN}}", "model", text_or_none(s->model), "body", text_or_none(s->body),
                         "failed", s->failed, "steps", column(s->steps, s->step_count, 1), "times",
                         column(s->times, s->time_count, 1), "rows", collect(s->rows, s->row_count, row_at, s),
                         "reference", describe_reference(&s->reference), "floor", column(s->floor, PH_QUANTITIES, 1),
                         "figures", "order", figure(ph_order_study_plot(s, PH_FIGURE_ORDER)), "work",
                         figure(ph_order_study_plot(s, PH_FIGURE_WORK)));
}

// ---- Calls ----------------------------------------------------------------------------------------------------------

// compare(model, trials, reference, step, until, samples, body)
static PyObject *compare(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *model, *trials, *result = NULL;
    names n = {0};
    python_call call;
    ph_compare_def def = ph_default_compare();
    ph_comparison *comparison = NULL;
    ph_error error = {0};
    ph_status status;
    if (!PyArg_ParseTuple(args, "O!O!zddii:compare", ModelType, &model, &PyTuple_Type, &trials, &def.reference,
                          &def.step, &def.until, &def.samples, &def.body))
        return NULL;
    if (take_names(trials, &n)) {
        def.trials = n.list, def.trial_count = n.count;
        def.progress = on_progress, def.user = &call;
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_compare(((Model *)model)->model, &def, &comparison, &error);
        Py_END_ALLOW_THREADS if (call_end(&call)) result =
            status == PH_OK ? describe_comparison(comparison) : raise_error(&error);
    }
    if (comparison) ph_comparison_destroy(comparison);
    drop_names(&n);
    return result;
}

// order(model, trials, steps, times or None, reference, body)
static PyObject *order(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *model, *trials, *steps, *times, *result = NULL;
    names n = {0};
    python_call call;
    Py_buffer step_view, time_view;
    ph_order_def def = ph_default_order();
    ph_order_study *study = NULL;
    ph_error error = {0};
    ph_status status;
    if (!PyArg_ParseTuple(args, "O!O!OOzi:order", ModelType, &model, &PyTuple_Type, &trials, &steps, &times,
                          &def.reference, &def.body))
        return NULL;
    const Py_ssize_t step_count = PyObject_Size(steps), time_count = times == Py_None ? 0 : PyObject_Size(times);
    if (step_count < 0 || time_count < 0) return NULL;
    if (step_count > 10000 || time_count > 1000000) return PyErr_SetString(PyExc_ValueError, "too many steps"), NULL;
    if (!take_doubles(steps, "steps", step_count, false, &step_view)) return NULL;
    const bool has_times = times != Py_None;
    const bool good = !has_times || take_doubles(times, "times", time_count, false, &time_view);
    if (good && take_names(trials, &n)) {
        def.trials = n.list, def.trial_count = n.count;
        def.steps = step_view.buf, def.step_count = (int)step_count;
        def.times = has_times ? time_view.buf : NULL, def.time_count = (int)time_count;
        def.progress = on_progress, def.user = &call;
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_measure_order(((Model *)model)->model, &def, &study, &error);
        Py_END_ALLOW_THREADS if (call_end(&call)) result =
            status == PH_OK ? describe_study(study) : raise_error(&error);
    }
    if (good && has_times) PyBuffer_Release(&time_view);
    if (study) ph_order_study_destroy(study);
    PyBuffer_Release(&step_view);
    drop_names(&n);
    return result;
}

bool lab_init(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"compare", compare, METH_VARARGS, "compare(model, trials, reference, step, until, samples, body, /)"},
        {"order", order, METH_VARARGS, "order(model, trials, steps, times, reference, body, /)"},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, functions) == 0;
}
