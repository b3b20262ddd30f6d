// State: time, poses and velocities as NumPy arrays over the engine's own memory. Whoever writes to them need not say so:
// the next step compares them with what the last one left.

#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *StateType;
static PyTypeObject *BlockType;

static const char *const array_names[STATE_ARRAYS] = {"position", "orientation", "velocity", "angular_velocity",
                                                      "inputs"};
enum { ORIENTATION = 1, INPUTS = 4 }; // inputs may change at any time and are not compared

double *state_array(ph_state *state, int which)
{
    switch (which) {
    case 0:
        return (double *)ph_state_positions(state);
    case 1:
        return (double *)ph_state_orientations(state);
    case 2:
        return (double *)ph_state_velocities(state);
    case 3:
        return (double *)ph_state_angular_velocities(state);
    default:
        return ph_state_inputs(state);
    }
}

Py_ssize_t state_array_size(const ph_model *model, int which)
{
    const Py_ssize_t bodies = ph_model_bodies(model);
    return which == INPUTS ? ph_model_inputs(model) : which == ORIENTATION ? 4 * bodies : 3 * bodies;
}

// ---- Edits ----------------------------------------------------------------------------------------------------------

static void remember(StateBlock *block)
{
    char *seen = (char *)block->seen;
    for (int k = 0; k < INPUTS; seen += block->sizes[k++]) memcpy(seen, block->arrays[k], block->sizes[k]);
}

static bool was_edited(const StateBlock *block)
{
    const char *seen = (const char *)block->seen;
    for (int k = 0; k < INPUTS; seen += block->sizes[k++])
        if (memcmp(seen, block->arrays[k], block->sizes[k]) != 0) return true;
    return false;
}

static bool check_finite(const StateBlock *block)
{
    const ph_model *model = block->owner->model;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        const double *x = state_array(block->state, k);
        for (Py_ssize_t i = 0; i < state_array_size(model, k); i++) {
            if (!isfinite(x[i])) {
                PyErr_Format(PyExc_ValueError, "the state is not finite: %s", array_names[k]);
                return false;
            }
        }
    }
    return true;
}

bool normalise_quaternion(ph_quat *q)
{
    const double norm = sqrt(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    if (!(norm > 1e-100 && norm < 1e100)) return false;
    if (fabs(norm - 1.0) > 4e-16) *q = (ph_quat){q->w / norm, q->x / norm, q->y / norm, q->z / norm};
    return true;
}

// Quaternions that were written to. Those that a step left are unit and keep their bits.
static bool normalise(const StateBlock *block)
{
    ph_quat *q = ph_state_orientations(block->state);
    const ph_quat *old = (const ph_quat *)((const char *)block->seen + block->sizes[0]);
    for (int i = 0; i < ph_model_bodies(block->owner->model); i++) {
        if (memcmp(&q[i], &old[i], sizeof q[i]) == 0) continue;
        if (!normalise_quaternion(&q[i])) {
            PyErr_Format(PyExc_ValueError, "the orientation of body %d cannot be normalised", i);
            return false;
        }
    }
    return true;
}

static bool note_edits(StateBlock *block)
{
    if (!block->exported || !was_edited(block)) return true;
    if (!check_finite(block) || !normalise(block)) return false;
    ph_state_touch(block->state);
    remember(block);
    return true;
}

bool state_begin(StateBlock *block)
{
    if (block->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this state is in use by another call");
        return false;
    }
    if (!note_edits(block)) return false;
    block->busy = true;
    return true;
}

void state_end(StateBlock *block)
{
    if (block->exported) remember(block);
    block->busy = false;
}

// ---- The block ------------------------------------------------------------------------------------------------------

static void block_dealloc(PyObject *self)
{
    StateBlock *block = (StateBlock *)self;
    PyObject_GC_UnTrack(self);
    ph_observer_destroy(block->observer);
    ph_state_destroy(block->state);
    free(block->seen);
    Py_XDECREF((PyObject *)block->owner);
    free_object(self);
}

static int block_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)((StateBlock *)self)->owner);
    return 0;
}

static StateBlock *make_block(Model *model)
{
    StateBlock *block = PyObject_GC_New(StateBlock, BlockType);
    if (!block) return NULL;
    Py_ssize_t count = 1;
    memset((char *)block + sizeof(PyObject), 0, sizeof *block - sizeof(PyObject));
    block->state = ph_state_create(model->model);
    for (int k = 0; block->state && k < INPUTS; k++) {
        block->arrays[k] = state_array(block->state, k);
        block->sizes[k] = (size_t)state_array_size(model->model, k) * sizeof(double);
        count += state_array_size(model->model, k);
    }
    block->seen = malloc((size_t)count * sizeof(double));
    block->owner = model;
    Py_INCREF((PyObject *)model);
    if (!block->state || !block->seen) {
        PyErr_NoMemory();
        Py_DECREF((PyObject *)block);
        return NULL;
    }
    PyObject_GC_Track((PyObject *)block);
    return block;
}

// ---- The state ------------------------------------------------------------------------------------------------------

static PyObject *state_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"model", NULL};
    PyObject *model;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!:State", names, ModelType, &model)) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    State *self = (State *)allocate(type, 0);
    if (self && !(self->block = make_block((Model *)model))) Py_CLEAR(self);
    return (PyObject *)self;
}

static int state_traverse(PyObject *self, visitproc visit, void *arg)
{
    State *s = (State *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)s->block);
    for (int k = 0; k < STATE_ARRAYS; k++) Py_VISIT(s->arrays[k]);
    return 0;
}

static void state_dealloc(PyObject *self)
{
    State *s = (State *)self;
    PyObject_GC_UnTrack(self);
    for (int k = 0; k < STATE_ARRAYS; k++) Py_XDECREF(s->arrays[k]);
    Py_XDECREF((PyObject *)s->block);
    free_object(self);
}

static PyObject *get_array(PyObject *self, void *closure)
{
    State *s = (State *)self;
    const int which = (int)(intptr_t)closure;
    const ph_model *model = s->block->owner->model;
    if (!s->arrays[which]) {
        const Py_ssize_t bodies = ph_model_bodies(model);
        const Py_ssize_t shape[2] = {which == INPUTS ? ph_model_inputs(model) : bodies, which == ORIENTATION ? 4 : 3};
        if (!s->block->exported && !s->block->busy) remember(s->block);
        s->arrays[which] =
            array_view((PyObject *)s->block, state_array(s->block->state, which), which == INPUTS ? 1 : 2, shape, true);
        if (!s->arrays[which]) return NULL;
        s->block->exported = true;
    }
    return Py_NewRef(s->arrays[which]);
}

static int set_array(PyObject *self, PyObject *value, void *closure)
{
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "the arrays of a state cannot be deleted");
        return -1;
    }
    PyObject *array = get_array(self, closure);
    const int done = array ? PyObject_SetItem(array, Py_Ellipsis, value) : -1;
    Py_XDECREF(array);
    return done;
}

static PyObject *get_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(ph_state_time(((State *)self)->block->state));
}

static int set_time(PyObject *self, PyObject *value, void *closure)
{
    (void)closure;
    StateBlock *block = ((State *)self)->block;
    const double time = value ? PyFloat_AsDouble(value) : 0.0;
    if (PyErr_Occurred()) return -1;
    if (!value || !isfinite(time)) {
        PyErr_SetString(PyExc_ValueError, "the time must be a finite number");
        return -1;
    }
    if (!state_begin(block)) return -1;
    ph_state_set_time(block->state, time);
    state_end(block);
    return 0;
}

static PyObject *get_work(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(ph_state_work(((State *)self)->block->state));
}

static PyObject *get_model(PyObject *self, void *closure)
{
    (void)closure;
    return Py_NewRef((PyObject *)((State *)self)->block->owner);
}

static PyObject *state_reset(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    StateBlock *block = ((State *)self)->block;
    if (block->busy) return state_begin(block), NULL;
    ph_state_reset(block->state); // also from values that are not finite
    if (block->exported) remember(block);
    Py_RETURN_NONE;
}

static PyObject *state_assign(PyObject *self, PyObject *other)
{
    if (!PyObject_TypeCheck(other, StateType)) {
        PyErr_SetString(PyExc_TypeError, "a State is needed");
        return NULL;
    }
    StateBlock *to = ((State *)self)->block, *from = ((State *)other)->block;
    if (to == from) Py_RETURN_NONE;
    if (to->busy) return state_begin(to), NULL;
    if (!state_begin(from)) return NULL;
    const ph_status status = ph_state_copy(to->state, from->state);
    state_end(from);
    if (status != PH_OK) return raise_status(status, "the states are of different models");
    if (to->exported) remember(to);
    Py_RETURN_NONE;
}

static PyObject *state_save(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    StateBlock *block = ((State *)self)->block;
    ph_error error = {0};
    if (!state_begin(block)) return NULL;
    const size_t size = ph_state_saved_size(block->state);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    const ph_status status = bytes ? ph_state_save_memory(block->state, PyBytes_AsString(bytes), size, &error) : PH_OK;
    state_end(block);
    if (bytes && status != PH_OK) {
        Py_CLEAR(bytes);
        raise_error(&error);
    }
    return bytes;
}

static PyObject *state_load(PyObject *self, PyObject *bytes)
{
    StateBlock *block = ((State *)self)->block;
    ph_error error = {0};
    char *data;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(bytes, &data, &size) != 0) return NULL;
    if (block->busy) return state_begin(block), NULL;
    if (ph_state_load_memory(block->state, data, (size_t)size, &error) != PH_OK) return raise_error(&error);
    if (block->exported) remember(block);
    Py_RETURN_NONE;
}

// ---- Measures -------------------------------------------------------------------------------------------------------

// Without the lock: Python forces may be asked.
typedef struct question {
    StateBlock *block;
    ph_measures measures;
    ph_twist *accelerations;
    ph_wrench *reactions;
    ph_mat3 *stress;
    int joint;
    double *coordinates, *rates;
    double *sensors;
    ph_status status;
} question;

static bool ask(question *q, void (*answer)(question *))
{
    StateBlock *block = q->block;
    python_call call;
    if (!state_begin(block)) return false;
    if (!block->observer && ph_observer_create(block->owner->model, &block->observer) != PH_OK) {
        state_end(block);
        return PyErr_NoMemory(), false;
    }
    call_begin(&call);
    Py_BEGIN_ALLOW_THREADS answer(q);
    Py_END_ALLOW_THREADS state_end(block);
    if (!call_end(&call)) return false;
    if (q->status != PH_OK) raise_status(q->status, NULL);
    return q->status == PH_OK;
}

static void answer_measures(question *q)
{
    ph_observer_measure(q->block->observer, q->block->state, &q->measures);
}

static void answer_dynamics(question *q)
{
    q->status = ph_observer_dynamics(q->block->observer, q->block->state, q->accelerations, q->reactions);
}

static void answer_stress(question *q)
{
    q->status = ph_observer_stress(q->block->observer, q->block->state, q->stress);
}

static void answer_joint(question *q)
{
    ph_observer_joint(q->block->observer, q->block->state, q->joint, q->coordinates, q->rates);
}

static void answer_sensors(question *q)
{
    q->status = ph_observer_sensors(q->block->observer, q->block->state, q->sensors);
}

static PyObject *state_measure(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    question q = {.block = ((State *)self)->block};
    if (!ask(&q, answer_measures)) return NULL;
    const ph_measures *m = &q.measures;
    return Py_BuildValue("(ddddNNddd)", m->kinetic, m->potential, m->work, m->total, array_of_vec3(m->linear),
                         array_of_vec3(m->angular), m->position_violation, m->velocity_violation, m->orthogonality);
}

// Room for `count` values of `size` bytes; `ask` fills it, and it becomes an array.
static PyObject *ask_for_array(question *q, void (*answer)(question *), void **room, Py_ssize_t count, int rank,
                               const Py_ssize_t *shape)
{
    *room = calloc((size_t)count + 1, sizeof(double));
    if (!*room) return PyErr_NoMemory();
    PyObject *array = ask(q, answer) ? array_copy(*room, rank, shape) : NULL;
    free(*room);
    return array;
}

static PyObject *state_sensors(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    question q = {.block = ((State *)self)->block};
    const Py_ssize_t count = ph_model_sensor_values(q.block->owner->model);
    return ask_for_array(&q, answer_sensors, (void **)&q.sensors, count, 1, &count);
}

static PyObject *state_accelerations(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    question q = {.block = ((State *)self)->block};
    const Py_ssize_t bodies = ph_model_bodies(q.block->owner->model);
    return ask_for_array(&q, answer_dynamics, (void **)&q.accelerations, 6 * bodies, 2,
                         (const Py_ssize_t[]){bodies, 6});
}

static PyObject *state_reactions(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    question q = {.block = ((State *)self)->block};
    const Py_ssize_t joints = ph_model_joints(q.block->owner->model);
    return ask_for_array(&q, answer_dynamics, (void **)&q.reactions, 6 * joints, 2, (const Py_ssize_t[]){joints, 6});
}

static PyObject *state_stress(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    question q = {.block = ((State *)self)->block};
    const Py_ssize_t bodies = ph_model_bodies(q.block->owner->model);
    return ask_for_array(&q, answer_stress, (void **)&q.stress, 9 * bodies, 3, (const Py_ssize_t[]){bodies, 3, 3});
}

static PyObject *state_joint(PyObject *self, PyObject *index)
{
    enum { COORDINATES_MAX = 6 };
    double values[2][COORDINATES_MAX] = {0};
    question q = {.block = ((State *)self)->block, .coordinates = values[0], .rates = values[1]};
    const ph_model *model = q.block->owner->model;
    const long joint = PyLong_AsLong(index);
    if (joint == -1 && PyErr_Occurred()) return NULL;
    if (joint < 0 || joint >= ph_model_joints(model)) {
        PyErr_SetString(PyExc_IndexError, "there is no such joint");
        return NULL;
    }
    q.joint = (int)joint;
    const Py_ssize_t count = ph_model_joint(model, q.joint).coordinates;
    if (count > 0 && !ask(&q, answer_joint)) return NULL;
    return Py_BuildValue("(NN)", array_copy(values[0], 1, &count), array_copy(values[1], 1, &count));
}

// Contacts of the last step: bodies and shapes (n, 4), and point, normal, force, torque, gap (n, 13).
static PyObject *state_contacts(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    StateBlock *block = ((State *)self)->block;
    int count = 0;
    PyObject *result = NULL;
    if (!state_begin(block)) return NULL;
    const ph_contact *contacts = ph_state_contacts(block->state, &count);
    double *who = calloc((size_t)count * 4 + 1, sizeof *who), *what = calloc((size_t)count * 13 + 1, sizeof *what);
    for (int i = 0; who && what && i < count; i++) {
        const ph_contact *c = &contacts[i];
        const int indices[4] = {c->body_a, c->body_b, c->shape_a, c->shape_b};
        const ph_vec3 vectors[4] = {c->point, c->normal, c->force, c->torque};
        for (int k = 0; k < 4; k++) who[4 * i + k] = indices[k];
        memcpy(what + 13 * i, vectors, sizeof vectors);
        what[13 * i + 12] = c->gap;
    }
    state_end(block);
    if (contacts && who && what)
        result = Py_BuildValue("(NN)", array_copy(who, 2, (const Py_ssize_t[]){count, 4}),
                               array_copy(what, 2, (const Py_ssize_t[]){count, 13}));
    else
        PyErr_NoMemory();
    free(who);
    free(what);
    return result;
}

// ---- The types ------------------------------------------------------------------------------------------------------

static bool block_init(PyObject *module)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, block_dealloc}, {Py_tp_traverse, block_traverse}, {0, NULL}};
    static PyType_Spec spec = {"polhode._core._StateBlock", sizeof(StateBlock), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    BlockType = make_type(module, &spec);
    return BlockType != NULL;
}

bool state_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"reset", state_reset, METH_NOARGS, "reset()\n--\n\nBack to the start of the model."},
        {"assign", state_assign, METH_O,
         "assign(other)\n--\n\nTakes over everything of another state of the same model, also what the scheme remembers."},
        {"_save", state_save, METH_NOARGS, NULL},
        {"_load", state_load, METH_O, NULL},
        {"_measure", state_measure, METH_NOARGS, NULL},
        {"accelerations", state_accelerations, METH_NOARGS,
         "accelerations()\n--\n\nAngular acceleration (rad/s^2, body frame) and acceleration of the centre of mass (m/s^2, world) "
         "of every body, shape (bodies, 6)."},
        {"reactions", state_reactions, METH_NOARGS,
         "reactions()\n--\n\nTorque (N m) and force (N) of every joint on its body b at its anchor, world frame, shape "
         "(joints, 6)."},
        {"stress", state_stress, METH_NOARGS,
         "stress()\n--\n\nVolume integral of the stress in every body (J, body frame), shape (bodies, 3, 3)."},
        {"_joint", state_joint, METH_O, NULL},
        {"_contacts", state_contacts, METH_NOARGS, NULL},
        {"_set_joint", state_set_joint, METH_VARARGS, NULL},
        {"_project", state_project, METH_NOARGS, NULL},
        {"_sensors", state_sensors, METH_NOARGS, NULL},
        {"_site", state_site, METH_O, NULL},
        {"_set_keyframe", state_set_keyframe, METH_O, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"position", get_array, set_array,
         "Centres of mass (m, world), shape (bodies, 3). A view: writing moves the bodies.", (void *)0},
        {"orientation", get_array, set_array,
         "Unit quaternions w, x, y, z from body to world, shape (bodies, 4). Normalised when written to.", (void *)1},
        {"velocity", get_array, set_array, "Velocities of the centres of mass (m/s, world), shape (bodies, 3).",
         (void *)2},
        {"angular_velocity", get_array, set_array, "Angular velocities (rad/s, body frame), shape (bodies, 3).",
         (void *)3},
        {"inputs", get_array, set_array, "Values of the model's inputs, shape (inputs,).", (void *)4},
        {"time", get_time, set_time, "Time (s).", NULL},
        {"work", get_work, NULL, "Work done so far by motors, dampers, applied forces, friction and impacts (J).",
         NULL},
        {"model", get_model, NULL, "The model it is a state of.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, state_new},   {Py_tp_dealloc, state_dealloc}, {Py_tp_traverse, state_traverse},
        {Py_tp_methods, methods}, {Py_tp_getset, attributes},     {0, NULL},
    };
    static PyType_Spec spec = {"polhode._core.State", sizeof(State), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
    if (!block_init(module)) return false;
    StateType = make_type(module, &spec);
    return StateType != NULL;
}
