// Many simulations at once: a batch of states, each moved by its own steps, on several threads. Every one is computed as if
// it were alone, so that the answer does not depend on the number of threads.

#include "core.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct batch {
    ph_model **models; // one for each member
    ph_sim_def sim;
    double step;
    long long steps, every, rows; // rows that are recorded of each member
    Py_ssize_t count;
    const double *start[STATE_ARRAYS]; // of all members, or NULL: as the model says
    ph_state **states;                 // whole states to start from, or NULL
    double *out[4];                    // position, orientation, velocity, angular_velocity: [count][rows][...]
    double *time;                      // [count][rows]
    double *energy;                    // [count][rows], or NULL
    double *done;                      // steps made by each
    ph_status *status;
    char (*message)[256];
    bool python_forces;
    atomic_llong next;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t finished;
    int workers; // still at work; under the lock
} batch;

// ---- One member -----------------------------------------------------------------------------------------------------

typedef struct worker {
    batch *b;
    const ph_model *model; // that the rest is made for
    ph_sim *sim;
    ph_state *state;
    ph_observer *observer;
    python_call call;
    pthread_t thread;
    bool started;
} worker;

static void let_go(worker *w)
{
    ph_sim_destroy(w->sim);
    ph_state_destroy(w->state);
    ph_observer_destroy(w->observer);
    w->sim = NULL;
    w->state = NULL;
    w->observer = NULL;
    w->model = NULL;
}

static ph_status fit(worker *w, const ph_model *model, ph_error *error)
{
    if (w->model == model) return PH_OK;
    let_go(w);
    ph_status status = ph_sim_create(model, &w->b->sim, &w->sim, error);
    if (status != PH_OK) return status;
    w->state = ph_state_create(model);
    if (!w->state || (w->b->energy && ph_observer_create(model, &w->observer) != PH_OK)) {
        snprintf(error->text, sizeof error->text, "out of memory");
        return PH_OUT_OF_MEMORY;
    }
    w->model = model;
    return PH_OK;
}

static ph_status set_start(worker *w, Py_ssize_t member)
{
    batch *b = w->b;
    if (b->states) return ph_state_copy(w->state, b->states[member]);
    ph_state_reset(w->state);
    for (int k = 0; k < STATE_ARRAYS; k++) {
        const size_t size = (size_t)state_array_size(w->model, k);
        if (b->start[k]) memcpy(state_array(w->state, k), b->start[k] + (size_t)member * size, size * sizeof(double));
    }
    ph_state_touch(w->state);
    for (int i = 0; i < ph_model_bodies(w->model); i++)
        if (!normalise_quaternion(&ph_state_orientations(w->state)[i])) return PH_BAD_ARGUMENT;
    return PH_OK;
}

static void record(worker *w, Py_ssize_t member, long long row)
{
    batch *b = w->b;
    const size_t at = (size_t)member * (size_t)b->rows + (size_t)row;
    for (int k = 0; k < 4; k++) {
        const size_t size = (size_t)state_array_size(w->model, k);
        if (b->out[k]) memcpy(b->out[k] + at * size, state_array(w->state, k), size * sizeof(double));
    }
    if (b->time) b->time[at] = ph_state_time(w->state);
    if (b->energy) {
        ph_measures measures;
        ph_observer_measure(w->observer, w->state, &measures);
        b->energy[at] = measures.total;
    }
}

// Up to the last step or the first that fails. Whatever threads share is written only when a row is.
static ph_status make_steps(worker *w, Py_ssize_t member, long long *done, long long *row, ph_step_report *report)
{
    batch *b = w->b;
    enum { AT_ONCE = 16 }; // as Sim.advance does, so that members have the bits of single simulations
    while (*done < b->steps && !atomic_load_explicit(&b->stop, memory_order_relaxed)) {
        long long count = b->every - *done % b->every;
        if (count > b->steps - *done) count = b->steps - *done;
        ph_sim_advance(w->sim, w->state, b->step, count < AT_ONCE ? count : AT_ONCE, report);
        *done += report->steps;
        if (report->status != PH_OK) return report->status;
        if (*done % b->every == 0 || *done == b->steps) record(w, member, (*row)++);
    }
    return PH_OK;
}

static ph_status move(worker *w, Py_ssize_t member, char message[256])
{
    batch *b = w->b;
    ph_step_report report;
    long long done = 0, row = 0;
    record(w, member, row++);
    const ph_status status = make_steps(w, member, &done, &row, &report);
    if (status != PH_OK) ph_step_report_format(&report, w->model, message, 256);
    while (status != PH_OK && row < b->rows) record(w, member, row++); // stays where it came to
    if (b->done) b->done[member] = (double)done;
    return status;
}

static void count_workers(batch *b, int change)
{
    pthread_mutex_lock(&b->lock);
    b->workers += change;
    if (b->workers == 0) pthread_cond_signal(&b->finished);
    pthread_mutex_unlock(&b->lock);
}

static void *work(void *argument)
{
    worker *w = argument;
    batch *b = w->b;
    call_begin(&w->call);
    for (;;) {
        const Py_ssize_t member = (Py_ssize_t)atomic_fetch_add(&b->next, 1);
        if (member >= b->count || atomic_load(&b->stop)) break;
        ph_error error = {0};
        b->status[member] = fit(w, b->models[member], &error);
        if (b->status[member] != PH_OK) {
            snprintf(b->message[member], sizeof b->message[member], "%.250s", error.text);
        } else {
            b->status[member] = set_start(w, member);
            if (b->status[member] == PH_OK)
                b->status[member] = move(w, member, b->message[member]);
            else
                snprintf(b->message[member], sizeof b->message[member], "an orientation cannot be normalised");
        }
        if (w->call.exception) atomic_store(&b->stop, true);
    }
    let_go(w);
    count_workers(b, -1);
    return NULL;
}

// A thread that will ask Python functions gets its thread state once and not at every question.
static void *work_with_python(void *argument)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    PyThreadState *saved = PyEval_SaveThread();
    work(argument);
    PyEval_RestoreThread(saved);
    PyGILState_Release(lock);
    return NULL;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

// Waits for the last worker, at the most this long.
static bool all_finished(batch *b, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    while (b->workers > 0 && pthread_cond_timedwait(&b->finished, &b->lock, &until) == 0) {}
    const bool finished = b->workers == 0;
    pthread_mutex_unlock(&b->lock);
    return finished;
}

// Ctrl-C is heard while the threads work.
static void wait_for(batch *b)
{
    while (!all_finished(b, 50)) {
        PyGILState_STATE lock = PyGILState_Ensure();
        if (PyErr_Occurred() || PyErr_CheckSignals() != 0) atomic_store(&b->stop, true);
        PyGILState_Release(lock);
    }
}

static bool run_threads(batch *b, int threads)
{
    worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers) return PyErr_NoMemory(), false;
    bool good = true;
    Py_BEGIN_ALLOW_THREADS for (int i = 0; i < threads; i++)
    {
        workers[i].b = b;
        count_workers(b, 1);
        workers[i].started =
            pthread_create(&workers[i].thread, NULL, b->python_forces ? work_with_python : work, &workers[i]) == 0;
        if (!workers[i].started) count_workers(b, -1);
    }
    if (!workers[0].started) { // not a single thread to be had: this one will do
        count_workers(b, 1);
        work(&workers[0]);
    }
    wait_for(b);
    for (int i = 0; i < threads; i++)
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    Py_END_ALLOW_THREADS for (int i = 0; i < threads; i++)
    {
        if (!workers[i].call.exception) continue;
        if (!PyErr_Occurred())
            PyErr_Restore(workers[i].call.exception, workers[i].call.value, workers[i].call.traceback);
        else
            Py_DECREF(workers[i].call.exception), Py_XDECREF(workers[i].call.value),
                Py_XDECREF(workers[i].call.traceback);
        good = false;
    }
    free(workers);
    return good && !PyErr_Occurred();
}

// ---- Arguments ------------------------------------------------------------------------------------------------------

enum { BUFFERS = STATE_ARRAYS + 7 };

typedef struct arguments {
    Py_buffer view[BUFFERS];
    bool taken[BUFFERS];
    StateBlock **blocks; // taken with state_begin
    Py_ssize_t begun;
} arguments;

static bool take(arguments *a, int slot, PyObject *object, const char *name, Py_ssize_t count, bool writable,
                 double **data)
{
    *data = NULL;
    if (object == Py_None) return true;
    if (!take_doubles(object, name, count, writable, &a->view[slot])) return false;
    a->taken[slot] = true;
    *data = a->view[slot].buf;
    return true;
}

static bool take_models(batch *b, PyObject *models)
{
    b->count = PyTuple_Size(models);
    if (b->count < 0) return false;
    b->models = calloc((size_t)b->count + 1, sizeof *b->models);
    b->status = calloc((size_t)b->count + 1, sizeof *b->status);
    b->message = calloc((size_t)b->count + 1, sizeof *b->message);
    if (!b->models || !b->status || !b->message) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < b->count; i++) {
        PyObject *item = PyTuple_GetItem(models, i);
        if (!PyObject_TypeCheck(item, ModelType)) return PyErr_SetString(PyExc_TypeError, "models are needed"), false;
        const Model *m = (Model *)item;
        b->models[i] = m->model;
        b->python_forces = b->python_forces || m->force_count > 0;
        for (int k = 0; k < STATE_ARRAYS; k++)
            if (state_array_size(m->model, k) != state_array_size(b->models[0], k)) {
                PyErr_SetString(PyExc_ValueError, "all models of a batch need the same bodies and inputs");
                return false;
            }
    }
    return true;
}

static bool take_states(batch *b, arguments *a, PyObject *states)
{
    if (states == Py_None) return true;
    if (!PyTuple_Check(states) || PyTuple_Size(states) != b->count)
        return PyErr_SetString(PyExc_ValueError, "one state for each member is needed"), false;
    b->states = calloc((size_t)b->count + 1, sizeof(ph_state *));
    a->blocks = calloc((size_t)b->count + 1, sizeof(StateBlock *));
    if (!b->states || !a->blocks) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < b->count; i++) {
        PyObject *item = PyTuple_GetItem(states, i);
        if (!PyObject_TypeCheck(item, StateType)) return PyErr_SetString(PyExc_TypeError, "states are needed"), false;
        StateBlock *block = ((State *)item)->block;
        if (block->owner->model != b->models[i])
            return PyErr_SetString(PyExc_ValueError, "a state is one of another model"), false;
        if (block->reader != a) { // the same state may start several members; it is only read
            if (!state_begin(block)) return false;
            block->reader = a;
            a->blocks[a->begun++] = block;
        }
        b->states[i] = block->state;
    }
    return true;
}

static bool take_arrays(batch *b, arguments *a, PyObject *starts, PyObject *outs)
{
    static const char *const names[] = {"position", "orientation", "velocity", "angular_velocity", "inputs"};
    double *data;
    if (!PyTuple_Check(starts) || PyTuple_Size(starts) != STATE_ARRAYS || !PyTuple_Check(outs) ||
        PyTuple_Size(outs) != 7)
        return PyErr_SetString(PyExc_TypeError, "five arrays to start from and seven to fill are needed"), false;
    const Py_ssize_t cells = b->count * (Py_ssize_t)b->rows;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        const Py_ssize_t size = b->count > 0 ? state_array_size(b->models[0], k) : 0;
        if (!take(a, k, PyTuple_GetItem(starts, k), names[k], b->count * size, false, &data)) return false;
        b->start[k] = data;
        if (k == 4) continue;
        if (!take(a, STATE_ARRAYS + k, PyTuple_GetItem(outs, k), names[k], cells * size, true, &b->out[k]))
            return false;
    }
    return take(a, STATE_ARRAYS + 4, PyTuple_GetItem(outs, 4), "time", cells, true, &b->time) &&
           take(a, STATE_ARRAYS + 5, PyTuple_GetItem(outs, 5), "energy", cells, true, &b->energy) &&
           take(a, STATE_ARRAYS + 6, PyTuple_GetItem(outs, 6), "steps", b->count, true, &b->done);
}

static bool check(const batch *b, int threads)
{
    const char *wrong = b->steps < 0                             ? "the number of steps must not be negative"
                        : b->every < 1                           ? "every must be at least 1"
                        : !(isfinite(b->step) && b->step != 0.0) ? "the step must be a finite number other than zero"
                        : threads < 1 || threads > 4096          ? "threads must be from 1 to 4096"
                        : b->steps > 1LL << 52                   ? "there are too many steps"
                                                                 : NULL;
    if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
    return !wrong;
}

static PyObject *describe(const batch *b)
{
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = 0; list && i < b->count; i++) {
        PyObject *entry = b->status[i] == PH_OK
                              ? Py_NewRef(Py_None)
                              : PyUnicode_DecodeUTF8(b->message[i], (Py_ssize_t)strlen(b->message[i]), "replace");
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static bool start_is_finite(const batch *b)
{
    for (int k = 0; k < STATE_ARRAYS; k++) {
        const Py_ssize_t count = b->count > 0 ? b->count * state_array_size(b->models[0], k) : 0;
        for (Py_ssize_t i = 0; b->start[k] && i < count; i++)
            if (!isfinite(b->start[k][i])) return PyErr_SetString(PyExc_ValueError, "a start is not finite"), false;
    }
    return true;
}

// rollout(models, states, starts, outs, steps, every, step, threads, scheme, options, tolerance, max_iterations) -> messages
static PyObject *rollout(PyObject *self, PyObject *args)
{
    (void)self;
    batch b = {.sim = ph_default_sim(), .lock = PTHREAD_MUTEX_INITIALIZER, .finished = PTHREAD_COND_INITIALIZER};
    arguments a = {0};
    PyObject *models, *states, *starts, *outs, *result = NULL;
    int threads;
    if (!PyArg_ParseTuple(args, "O!OOOLLdizzdi:rollout", &PyTuple_Type, &models, &states, &starts, &outs, &b.steps,
                          &b.every, &b.step, &threads, &b.sim.scheme, &b.sim.options, &b.sim.tolerance,
                          &b.sim.max_iterations))
        return NULL;
    if (check(&b, threads)) {
        b.rows = 1 + b.steps / b.every + (b.steps % b.every != 0);
        if (take_models(&b, models) && take_states(&b, &a, states) && take_arrays(&b, &a, starts, outs) &&
            start_is_finite(&b) && run_threads(&b, threads))
            result = describe(&b);
    }
    for (Py_ssize_t i = 0; i < a.begun; i++) {
        a.blocks[i]->reader = NULL;
        state_end(a.blocks[i]);
    }
    for (int k = 0; k < BUFFERS; k++)
        if (a.taken[k]) PyBuffer_Release(&a.view[k]);
    free(a.blocks);
    free(b.states);
    free(b.models);
    free(b.status);
    free(b.message);
    return result;
}

bool rollout_init(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"rollout", rollout, METH_VARARGS,
         "rollout(models, states, starts, outs, steps, every, step, threads, scheme, options, tolerance, max_iterations)"},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, functions) == 0;
}
