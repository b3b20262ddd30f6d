// fit: parameters from measured motion.

#include "core.h"

#include <math.h>
#include <stdlib.h>

// ---- Arguments ------------------------------------------------------------------------------------------------------

typedef struct run_data { // what of a run belongs to Python
    PyObject *names, *inputs;
    Py_buffer times, values, sigmas, input_values;
} run_data;

typedef struct fit_call {
    ph_fit_def def;
    ph_fit_data *runs;
    run_data *data;
    ph_unknown *unknowns;
    Py_buffer guess;
    PyObject *progress; // callable or None
    python_call *call;
} fit_call;

// A tuple of str as texts that live as long as it does.
static const char **take_texts(PyObject *tuple, int *count)
{
    const Py_ssize_t size = PyTuple_Size(tuple);
    if (size < 0) return NULL;
    const char **list = calloc((size_t)size + 1, sizeof *list);
    if (!list) return PyErr_NoMemory(), NULL;
    for (Py_ssize_t k = 0; k < size; k++)
        if (!(list[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, k), NULL))) {
            free(list);
            return NULL;
        }
    *count = (int)size;
    return list;
}

// (times, names, values, sigmas or None, inputs, input values)
static bool take_run(PyObject *tuple, ph_fit_data *run, run_data *data)
{
    PyObject *times, *values, *sigmas, *input_values;
    if (!PyArg_ParseTuple(tuple, "OO!OOO!O", &times, &PyTuple_Type, &data->names, &values, &sigmas, &PyTuple_Type,
                          &data->inputs, &input_values))
        return false;
    const Py_ssize_t rows = PyObject_Size(times);
    if (rows < 0 || !(run->names = take_texts(data->names, &run->columns)) ||
        !(run->inputs = take_texts(data->inputs, &run->input_count)))
        return false;
    if (!take_doubles(times, "times", rows, false, &data->times) ||
        !take_doubles(values, "values", rows * run->columns, false, &data->values) ||
        !take_doubles(input_values, "inputs", rows * run->input_count, false, &data->input_values) ||
        (sigmas != Py_None && !take_doubles(sigmas, "sigma", run->columns, false, &data->sigmas)))
        return false;
    run->rows = (int)rows;
    run->times = data->times.buf, run->values = data->values.buf;
    run->sigmas = data->sigmas.obj ? data->sigmas.buf : NULL;
    run->input_values = data->input_values.buf;
    return true;
}

static bool take_runs(fit_call *f, PyObject *runs)
{
    const int count = (int)PyTuple_Size(runs);
    f->runs = calloc((size_t)count + 1, sizeof *f->runs);
    f->data = calloc((size_t)count + 1, sizeof *f->data);
    if (!f->runs || !f->data) return PyErr_NoMemory(), false;
    f->def.runs = f->runs, f->def.run_count = count;
    for (int k = 0; k < count; k++)
        if (!take_run(PyTuple_GetItem(runs, k), &f->runs[k], &f->data[k])) return false;
    return true;
}

static bool take_unknowns(fit_call *f, PyObject *unknowns, PyObject *guess)
{
    const int count = (int)PyTuple_Size(unknowns);
    f->unknowns = calloc((size_t)count + 1, sizeof *f->unknowns);
    if (!f->unknowns) return PyErr_NoMemory(), false;
    f->def.unknowns = f->unknowns, f->def.unknown_count = count;
    for (int k = 0; k < count; k++) {
        ph_unknown *u = &f->unknowns[k];
        if (!PyArg_ParseTuple(PyTuple_GetItem(unknowns, k), "sdd", &u->name, &u->low, &u->high)) return false;
    }
    if (!take_doubles(guess, "guess", count, false, &f->guess)) return false;
    f->def.guess = f->guess.buf;
    return true;
}

static void release_buffer(Py_buffer *view)
{
    if (view->obj) PyBuffer_Release(view);
}

static void release(fit_call *f)
{
    for (int k = 0; k < f->def.run_count && f->runs && f->data; k++) {
        free((void *)f->runs[k].names);
        free((void *)f->runs[k].inputs);
        release_buffer(&f->data[k].times), release_buffer(&f->data[k].values);
        release_buffer(&f->data[k].sigmas), release_buffer(&f->data[k].input_values);
    }
    release_buffer(&f->guess);
    free(f->runs);
    free(f->data);
    free(f->unknowns);
}

// progress(iteration, cost, change, values) -> bool or None; False stops
static bool on_progress(const ph_fit_progress *p, void *user)
{
    const fit_call *f = user;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && f->progress != Py_None) {
        const Py_ssize_t shape[1] = {p->count};
        PyObject *answer = PyObject_CallFunction(f->progress, "iddN", p->iteration, p->cost, p->change,
                                                 array_copy(p->values, 1, shape));
        go_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    if (PyErr_Occurred() && !f->call->exception) PyErr_Fetch(&f->call->exception, &f->call->value, &f->call->traceback);
    PyGILState_Release(lock);
    return go_on && !f->call->exception;
}

// ---- The answer -----------------------------------------------------------------------------------------------------

static PyObject *numbers(const double *x, int count)
{
    const Py_ssize_t shape[1] = {count};
    return array_copy(x, 1, shape);
}

static PyObject *flags(const bool *x, int count)
{
    PyObject *list = PyList_New(count);
    for (int k = 0; list && k < count; k++) PyList_SetItem(list, k, PyBool_FromLong(x[k]));
    return list;
}

// (singular value, with half the step, determined, of the step, direction)
static PyObject *directions_of(const ph_fit *fit)
{
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < fit->unknowns; k++) {
        const ph_fit_direction *d = &fit->directions[k];
        PyObject *entry = Py_BuildValue("(ddNNN)", d->singular_value, d->half_step, PyBool_FromLong(d->determined),
                                        PyBool_FromLong(d->of_the_step), numbers(d->direction, fit->unknowns));
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *simulated_of(const ph_fit *fit, const ph_fit_def *def)
{
    PyObject *list = PyList_New(0);
    size_t at = 0;
    for (int k = 0; list && k < def->run_count; k++) {
        const Py_ssize_t shape[2] = {def->runs[k].rows, def->runs[k].columns};
        PyObject *array = array_copy(fit->simulated + at, 2, shape);
        if (!array || PyList_Append(list, array) != 0) Py_CLEAR(list);
        Py_XDECREF(array);
        at += (size_t)def->runs[k].rows * (size_t)def->runs[k].columns;
    }
    return list;
}

// The model file at what was found; None where there is none, as of models with forces of the program.
static PyObject *text_of(const ph_model *model, const ph_fit *fit, const ph_fit_def *def)
{
    const char **names = calloc((size_t)fit->unknowns + 1, sizeof *names), *text = NULL;
    ph_spec *spec = NULL;
    ph_problems *problems = ph_problems_create();
    ph_error error = {0};
    for (int k = 0; k < fit->unknowns && names; k++) names[k] = def->unknowns[k].name;
    const bool made = names && problems &&
                      ph_spec_at(model, fit->unknowns, names, fit->values, problems, &spec, &error) == PH_OK &&
                      ph_spec_write_text(spec, PH_MODEL_YAML, &text, &error) == PH_OK;
    PyObject *result = made ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    free(names);
    return result;
}

static PyObject *describe(const ph_model *model, const ph_fit *fit, const ph_fit_def *def)
{
    static const char *const ends[] = {"converged", "iterations", "stopped", "stuck"};
    return Py_BuildValue("{sNsNsNsNsNsNsisdsdsdsLsLsLsisisssNszsdsNsN}", "values", numbers(fit->values, fit->unknowns),
                         "errors", numbers(fit->errors, fit->unknowns), "scales", numbers(fit->scales, fit->unknowns),
                         "at_bound", flags(fit->at_bound, fit->unknowns), "idle", flags(fit->idle, fit->unknowns),
                         "directions", directions_of(fit), "determined", fit->determined, "cost", fit->cost,
                         "first_cost", fit->first_cost, "sigma", fit->sigma, "residuals", fit->residuals, "gaps",
                         fit->gaps, "outliers", fit->outliers, "iterations", fit->iterations, "evaluations",
                         fit->evaluations, "end", ends[fit->end], "exact", PyBool_FromLong(fit->exact), "why",
                         fit->exact ? NULL : fit->why, "growth", fit->growth, "simulated", simulated_of(fit, def),
                         "text", text_of(model, fit, def));
}

// ---------------------------------------------------------------------------------------------------------------------

// fit(model, runs, unknowns, guess, scheme, options, step, robust, iterations, tolerance, differences, half_step, progress)
static PyObject *fit(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *model, *runs, *unknowns, *guess, *result = NULL;
    python_call call;
    fit_call f = {.def = ph_default_fit(), .call = &call};
    ph_fit *found = NULL;
    ph_error error = {0};
    ph_status status;
    int differences, half_step;
    if (!PyArg_ParseTuple(args, "O!O!O!OzzddidppO:fit", ModelType, &model, &PyTuple_Type, &runs, &PyTuple_Type,
                          &unknowns, &guess, &f.def.sim.scheme, &f.def.sim.options, &f.def.step, &f.def.robust,
                          &f.def.iterations, &f.def.tolerance, &differences, &half_step, &f.progress))
        return NULL;
    f.def.differences = differences, f.def.verdict = half_step;
    f.def.progress = on_progress, f.def.user = &f;
    const ph_model *of = ((Model *)model)->model;
    if (take_runs(&f, runs) && take_unknowns(&f, unknowns, guess)) {
        call_begin(&call);
        Py_BEGIN_ALLOW_THREADS status = ph_fit_run(of, &f.def, &found, &error);
        Py_END_ALLOW_THREADS if (call_end(&call)) result =
            status == PH_OK ? describe(of, found, &f.def) : raise_error(&error);
    }
    if (found) ph_fit_destroy(found);
    release(&f);
    return result;
}

// is_quantity(model, name)
static PyObject *is_quantity(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *model;
    const char *name;
    ph_observables *o = NULL;
    if (!PyArg_ParseTuple(args, "O!s:is_quantity", ModelType, &model, &name)) return NULL;
    const bool known = ph_observables_create(((Model *)model)->model, 1, &name, &o, NULL) == PH_OK;
    ph_observables_destroy(o);
    return PyBool_FromLong(known);
}

bool fit_init(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"fit", fit, METH_VARARGS,
         "fit(model, runs, unknowns, guess, scheme, options, step, robust, iterations, tolerance, differences, "
         "half_step, progress, /)"},
        {"is_quantity", is_quantity, METH_VARARGS, "is_quantity(model, name, /)"},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, functions) == 0;
}
