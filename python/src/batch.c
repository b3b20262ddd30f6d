// Batch: many worlds of one model. Arrays over all worlds are views of the engine's own memory; only inputs may be written to, as
// the engine must know of other edits (assign).

#include "core.h"

#include <math.h>
#include <string.h>

typedef struct Batch {
    PyObject_HEAD PyObject *models; // a list: the shared one first, then those of single worlds, kept alive
    ph_batch *batch;
    bool busy;
} Batch;

static PyTypeObject *BatchType;

static const ph_model *shared_model(const Batch *self)
{
    return ((Model *)PyList_GetItem(self->models, 0))->model;
}

// ---- One call at a time ---------------------------------------------------------------------------------------------

static bool batch_begin(Batch *self)
{
    if (self->busy) PyErr_SetString(PyExc_RuntimeError, "this batch is in use by another call");
    if (self->busy) return false;
    self->busy = true;
    return true;
}

static bool refuse_python_forces(const Model *model)
{
    if (model->force_count == 0) return true;
    PyErr_SetString(PyExc_ValueError, "a batch cannot ask forces that are Python functions; rollout can");
    return false;
}

// A mask of bytes, one for each world, or None.
static bool take_mask(const Batch *self, PyObject *object, Py_buffer *view, const uint8_t **mask)
{
    *mask = NULL;
    view->obj = NULL;
    if (object == Py_None) return true;
    if (PyObject_GetBuffer(object, view, PyBUF_C_CONTIGUOUS) != 0) return false;
    if (view->itemsize == 1 && view->len == ph_batch_worlds(self->batch)) {
        *mask = view->buf;
        return true;
    }
    PyBuffer_Release(view);
    view->obj = NULL;
    PyErr_SetString(PyExc_ValueError, "a mask needs one bool for each world");
    return false;
}

// ---- Making ---------------------------------------------------------------------------------------------------------

static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)keywords;
    ph_batch_def def = ph_default_batch();
    PyObject *model;
    unsigned long long seed, first;
    if (!PyArg_ParseTuple(args, "O!iiKKzzdi:Batch", ModelType, &model, &def.worlds, &def.threads, &seed, &first,
                          &def.sim.scheme, &def.sim.options, &def.sim.tolerance, &def.sim.max_iterations) ||
        !refuse_python_forces((Model *)model))
        return NULL;
    def.seed = seed;
    def.first = first;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Batch *self = (Batch *)allocate(type, 0);
    if (!self) return NULL;
    ph_error error = {0};
    self->models = PyList_New(0);
    bool good = self->models && PyList_Append(self->models, model) == 0;
    if (good && ph_batch_create(((Model *)model)->model, &def, &self->batch, &error) != PH_OK) {
        raise_error(&error);
        good = false;
    }
    if (!good) Py_CLEAR(self);
    return (PyObject *)self;
}

static int batch_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Batch *)self)->models);
    return 0;
}

static void batch_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    ph_batch_destroy(((Batch *)self)->batch);
    Py_XDECREF(((Batch *)self)->models);
    free_object(self);
}

static PyObject *set_model(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    PyObject *model;
    int world;
    ph_error error = {0};
    if (!PyArg_ParseTuple(args, "iO!:set_model", &world, ModelType, &model) || !refuse_python_forces((Model *)model) ||
        !batch_begin(self))
        return NULL;
    const bool kept = PyList_Append(self->models, model) == 0;
    const ph_status status = kept ? ph_batch_set_model(self->batch, world, ((Model *)model)->model, &error) : PH_OK;
    self->busy = false;
    if (!kept) return NULL;
    if (status != PH_OK) return raise_error(&error);
    Py_RETURN_NONE;
}

enum { RANGES_MAX = 64 };

// From (name, low, high) triples; false with an exception.
static bool take_ranges(PyObject *given, ph_batch_range ranges[RANGES_MAX], int *count)
{
    const Py_ssize_t size = PyTuple_Check(given) ? PyTuple_Size(given) : -1;
    if (size < 0 || size > RANGES_MAX) return PyErr_Format(PyExc_ValueError, "at most %d ranges", RANGES_MAX), false;
    for (Py_ssize_t k = 0; k < size; k++)
        if (!PyArg_ParseTuple(PyTuple_GetItem(given, k), "sdd:range", &ranges[k].name, &ranges[k].low, &ranges[k].high))
            return false;
    *count = (int)size;
    return true;
}

static PyObject *batch_randomise(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    PyObject *given, *list, *array;
    Py_buffer mask_view, drawn = {0};
    const uint8_t *mask;
    ph_batch_range ranges[RANGES_MAX];
    ph_error error = {0};
    ph_status status;
    int count = 0;
    if (!PyArg_ParseTuple(args, "OO!O:randomise", &given, &PyTuple_Type, &list, &array) ||
        !take_ranges(list, ranges, &count) || !take_mask(self, given, &mask_view, &mask))
        return NULL;
    if (!take_doubles(array, "drawn", (Py_ssize_t)ph_batch_worlds(self->batch) * count, true, &drawn) ||
        !batch_begin(self)) {
        PyBuffer_Release(&drawn);
        return PyBuffer_Release(&mask_view), NULL;
    }
    Py_BEGIN_ALLOW_THREADS status = ph_batch_randomise(self->batch, mask, ranges, count, drawn.buf, &error);
    Py_END_ALLOW_THREADS self->busy = false;
    PyBuffer_Release(&drawn);
    PyBuffer_Release(&mask_view);
    return status == PH_OK ? PyLong_FromLong(ph_batch_failed(self->batch)) : raise_error(&error);
}

// ---- Moving ---------------------------------------------------------------------------------------------------------

static PyObject *batch_step(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    PyObject *given;
    Py_buffer view;
    const uint8_t *mask;
    double h;
    long long count;
    ph_status status;
    if (!PyArg_ParseTuple(args, "OdL:step", &given, &h, &count) || !take_mask(self, given, &view, &mask)) return NULL;
    if (!batch_begin(self)) return PyBuffer_Release(&view), NULL;
    Py_BEGIN_ALLOW_THREADS status = ph_batch_step(self->batch, mask, h, count);
    Py_END_ALLOW_THREADS self->busy = false;
    PyBuffer_Release(&view);
    if (status != PH_OK)
        return raise_status(status, "the step must be a finite number other than zero, and n not negative");
    return PyLong_FromLong(ph_batch_failed(self->batch));
}

enum { ROLL_ARRAYS = 7 };

// inputs, position, orientation, velocity, angular_velocity, coordinates, rates: numbers in one row of one world.
static void row_sizes(const Batch *self, Py_ssize_t sizes[ROLL_ARRAYS])
{
    const Py_ssize_t bodies = ph_model_bodies(shared_model(self)), joints = ph_batch_coordinates(self->batch);
    const Py_ssize_t all[ROLL_ARRAYS] = {
        ph_model_inputs(shared_model(self)), 3 * bodies, 4 * bodies, 3 * bodies, 3 * bodies, joints, joints};
    memcpy(sizes, all, sizeof all);
}

static bool take_roll_arrays(const Batch *self, PyObject *arrays, long long rows, Py_buffer views[ROLL_ARRAYS],
                             double *data[ROLL_ARRAYS])
{
    static const char *const names[ROLL_ARRAYS] = {"inputs",           "position",    "orientation", "velocity",
                                                   "angular_velocity", "coordinates", "rates"};
    Py_ssize_t sizes[ROLL_ARRAYS];
    row_sizes(self, sizes);
    if (!PyTuple_Check(arrays) || PyTuple_Size(arrays) != ROLL_ARRAYS)
        return PyErr_SetString(PyExc_TypeError, "seven arrays or None are needed"), false;
    for (int k = 0; k < ROLL_ARRAYS; k++) {
        PyObject *array = PyTuple_GetItem(arrays, k);
        const Py_ssize_t count = ph_batch_worlds(self->batch) * (Py_ssize_t)rows * sizes[k];
        if (array == Py_None) continue;
        if (!take_doubles(array, names[k], count, k > 0, &views[k])) return false;
        data[k] = views[k].buf;
    }
    return true;
}

static PyObject *batch_roll(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    ph_batch_rollout r = {0};
    PyObject *arrays;
    Py_buffer views[ROLL_ARRAYS] = {0};
    double *data[ROLL_ARRAYS] = {0};
    ph_status status = PH_BAD_ARGUMENT;
    if (!PyArg_ParseTuple(args, "dLLO:roll", &r.step, &r.rows, &r.every, &arrays)) return NULL;
    if (r.rows < 0 || r.rows > 1LL << 32) return PyErr_SetString(PyExc_ValueError, "so many rows cannot be"), NULL;
    const bool good = take_roll_arrays(self, arrays, r.rows, views, data) && batch_begin(self);
    if (good) {
        r.inputs = data[0], r.position = data[1], r.orientation = data[2], r.velocity = data[3];
        r.angular_velocity = data[4], r.coordinates = data[5], r.rates = data[6];
        Py_BEGIN_ALLOW_THREADS status = ph_batch_roll(self->batch, &r);
        Py_END_ALLOW_THREADS self->busy = false;
    }
    for (int k = 0; k < ROLL_ARRAYS; k++) PyBuffer_Release(&views[k]);
    if (!good) return NULL;
    if (status != PH_OK)
        return raise_status(status, "the step must be a finite number other than zero, and every at least 1");
    return PyLong_FromLong(ph_batch_failed(self->batch));
}

static PyObject *batch_reset(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    ph_batch_start start = {0};
    PyObject *given;
    Py_buffer view;
    ph_error error = {0};
    ph_status status;
    if (!PyArg_ParseTuple(args, "Oidddddd:reset", &given, &start.keyframe, &start.coordinate_noise, &start.rate_noise,
                          &start.position_noise, &start.orientation_noise, &start.velocity_noise,
                          &start.angular_velocity_noise) ||
        !take_mask(self, given, &view, &start.mask))
        return NULL;
    if (start.keyframe < 0) start.keyframe = PH_NONE;
    if (!batch_begin(self)) return PyBuffer_Release(&view), NULL;
    Py_BEGIN_ALLOW_THREADS status = ph_batch_reset(self->batch, &start, &error);
    Py_END_ALLOW_THREADS self->busy = false;
    PyBuffer_Release(&view);
    return status == PH_OK ? PyLong_FromLong(ph_batch_failed(self->batch)) : raise_error(&error);
}

// ---- Looking --------------------------------------------------------------------------------------------------------

static PyObject *batch_joints(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    PyObject *q, *qd;
    Py_buffer views[2] = {0};
    const Py_ssize_t count = (Py_ssize_t)ph_batch_worlds(self->batch) * ph_batch_coordinates(self->batch);
    if (!PyArg_ParseTuple(args, "OO:joints", &q, &qd)) return NULL;
    const bool good = take_doubles(q, "coordinates", count, true, &views[0]) &&
                      take_doubles(qd, "rates", count, true, &views[1]) && batch_begin(self);
    if (good) {
        Py_BEGIN_ALLOW_THREADS ph_batch_joints(self->batch, views[0].buf, views[1].buf);
        Py_END_ALLOW_THREADS self->busy = false;
    }
    for (int k = 0; k < 2; k++) PyBuffer_Release(&views[k]);
    if (!good) return NULL;
    Py_RETURN_NONE;
}

static PyObject *get_array(PyObject *object, void *closure)
{
    Batch *self = (Batch *)object;
    const int which = (int)(intptr_t)closure;
    const ph_model *model = shared_model(self);
    const bool inputs = which == STATE_ARRAYS - 1;
    const Py_ssize_t shape[3] = {ph_batch_worlds(self->batch), inputs ? ph_model_inputs(model) : ph_model_bodies(model),
                                 which == 1 ? 4 : 3};
    double *data = state_array(ph_batch_state(self->batch, 0), which);
    return array_view_worlds(object, data, inputs ? 2 : 3, shape, ph_batch_stride(self->batch), inputs);
}

static PyObject *get_time(PyObject *object, void *closure)
{
    (void)closure;
    Batch *self = (Batch *)object;
    const Py_ssize_t worlds = ph_batch_worlds(self->batch);
    PyObject *array = array_copy(NULL, 1, &worlds);
    Py_buffer view;
    if (!array || !take_doubles(array, "time", worlds, true, &view)) return Py_XDECREF(array), NULL;
    for (int w = 0; w < worlds; w++) ((double *)view.buf)[w] = ph_state_time(ph_batch_state(self->batch, w));
    PyBuffer_Release(&view);
    return array;
}

static PyObject *get_messages(PyObject *object, void *closure)
{
    (void)closure;
    Batch *self = (Batch *)object;
    PyObject *list = PyList_New(0);
    for (int w = 0; list && w < ph_batch_worlds(self->batch); w++) {
        const char *text;
        const bool good = ph_batch_status(self->batch, w, &text) == PH_OK;
        PyObject *entry = good ? Py_NewRef(Py_None) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
        if (!entry || PyList_Append(list, entry) != 0) Py_CLEAR(list);
        Py_XDECREF(entry);
    }
    return list;
}

static PyObject *get_number(PyObject *object, void *closure)
{
    const ph_batch *batch = ((Batch *)object)->batch;
    switch ((int)(intptr_t)closure) {
    case 0:
        return PyLong_FromLong(ph_batch_worlds(batch));
    case 1:
        return PyLong_FromLong(ph_batch_coordinates(batch));
    default:
        return PyLong_FromSize_t(ph_batch_bytes(batch));
    }
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static PyObject *batch_assign(PyObject *object, PyObject *args)
{
    Batch *self = (Batch *)object;
    int world;
    PyObject *arrays;
    if (!PyArg_ParseTuple(args, "iO!:assign", &world, &PyTuple_Type, &arrays)) return NULL;
    ph_state *state = ph_batch_state(self->batch, world);
    if (!state || PyTuple_Size(arrays) != STATE_ARRAYS)
        return PyErr_SetString(PyExc_ValueError, "there is no such world, or not five arrays"), NULL;
    if (!batch_begin(self)) return NULL;
    bool good = true;
    for (int k = 0; good && k < STATE_ARRAYS; k++) {
        PyObject *array = PyTuple_GetItem(arrays, k);
        Py_buffer view;
        const Py_ssize_t count = state_array_size(shared_model(self), k);
        if (array == Py_None || !(good = take_doubles(array, "state", count, false, &view))) continue;
        memcpy(state_array(state, k), view.buf, (size_t)count * sizeof(double));
        PyBuffer_Release(&view);
    }
    for (int i = 0; good && i < ph_model_bodies(shared_model(self)); i++)
        if (!normalise_quaternion(&ph_state_orientations(state)[i]))
            good = (PyErr_Format(PyExc_ValueError, "the orientation of body %d cannot be normalised", i), false);
    ph_state_touch(state);
    self->busy = false;
    if (!good) return NULL;
    Py_RETURN_NONE;
}

bool batch_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"_set_model", set_model, METH_VARARGS, "_set_model(world, model)"},
        {"_randomise", batch_randomise, METH_VARARGS, "_randomise(mask, ranges, drawn) -> failed"},
        {"_step", batch_step, METH_VARARGS, "_step(mask, h, n) -> failed"},
        {"_roll", batch_roll, METH_VARARGS, "_roll(step, rows, every, arrays) -> failed"},
        {"_reset", batch_reset, METH_VARARGS, "_reset(mask, keyframe, noise ...) -> failed"},
        {"_joints", batch_joints, METH_VARARGS, "_joints(coordinates, rates)"},
        {"_assign", batch_assign, METH_VARARGS, "_assign(world, arrays)"},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef properties[] = {
        {"position", get_array, NULL, "centres of mass (m, world), shape (worlds, bodies, 3)", (void *)0},
        {"orientation", get_array, NULL, "quaternions w, x, y, z, shape (worlds, bodies, 4)", (void *)1},
        {"velocity", get_array, NULL, "m/s, world, shape (worlds, bodies, 3)", (void *)2},
        {"angular_velocity", get_array, NULL, "rad/s, body frame, shape (worlds, bodies, 3)", (void *)3},
        {"inputs", get_array, NULL, "what is written here acts in the next step, shape (worlds, inputs)", (void *)4},
        {"time", get_time, NULL, "s, shape (worlds,)", NULL},
        {"messages", get_messages, NULL, "why each world failed, or None", NULL},
        {"worlds", get_number, NULL, "how many", (void *)0},
        {"coordinates", get_number, NULL, "of all joints of one world", (void *)1},
        {"nbytes", get_number, NULL, "memory of all worlds", (void *)2},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, batch_new},   {Py_tp_dealloc, batch_dealloc}, {Py_tp_traverse, batch_traverse},
        {Py_tp_methods, methods}, {Py_tp_getset, properties},     {0, NULL},
    };
    static PyType_Spec spec = {"polhode._core.Batch", sizeof(Batch), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    BatchType = make_type(module, &spec);
    return BatchType != NULL;
}
