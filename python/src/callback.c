// Forces that Python functions compute. The library calls them without the lock and cannot be told of an exception: what
// is raised is kept for the caller of the step, and the load becomes not-a-number, which ends the step.

#include "core.h"

#include <math.h>
#include <stdlib.h>

static PyTypeObject *MotionType;
static _Thread_local python_call *current;

void call_begin(python_call *call)
{
    *call = (python_call){.outer = current};
    current = call;
}

bool call_end(python_call *call)
{
    current = call->outer;
    if (!call->exception) return true;
    PyErr_Restore(call->exception, call->value, call->traceback);
    return false;
}

// ---- What a function sees -------------------------------------------------------------------------------------------

typedef struct Motion { // a copy, so that the function may keep it
    PyObject_HEAD ph_body_motion motion;
    double time;
} Motion;

static PyObject *make_motion(const ph_body_motion *motion, double time)
{
    Motion *self = PyObject_New(Motion, MotionType);
    if (!self) return NULL;
    self->motion = *motion;
    self->time = time;
    return (PyObject *)self;
}

static PyObject *motion_part(PyObject *self, void *closure)
{
    static const Py_ssize_t shape[2] = {3, 3};
    ph_body_motion *m = &((Motion *)self)->motion;
    void *const parts[] = {&m->position, &m->velocity, &m->angular_velocity, &m->rotation, &m->inertia};
    const int which = (int)(intptr_t)closure;
    return array_view(self, parts[which], which < 3 ? 1 : 2, shape, false);
}

static PyObject *motion_mass(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(((Motion *)self)->motion.mass);
}

static PyObject *motion_time(PyObject *self, void *closure)
{
    (void)closure;
    return PyFloat_FromDouble(((Motion *)self)->time);
}

// World position and velocity of a body point given from the centre of mass, body axes.
static PyObject *motion_point(PyObject *self, PyObject *where)
{
    const ph_body_motion *m = &((Motion *)self)->motion;
    const double(*R)[3] = m->rotation.m;
    ph_vec3 p;
    if (!take_vec3(where, "point", &p)) return NULL;
    const ph_vec3 w = m->angular_velocity;
    const ph_vec3 d = {w.y * p.z - w.z * p.y, w.z * p.x - w.x * p.z, w.x * p.y - w.y * p.x};
    const ph_vec3 x = {m->position.x + R[0][0] * p.x + R[0][1] * p.y + R[0][2] * p.z,
                       m->position.y + R[1][0] * p.x + R[1][1] * p.y + R[1][2] * p.z,
                       m->position.z + R[2][0] * p.x + R[2][1] * p.y + R[2][2] * p.z};
    const ph_vec3 v = {m->velocity.x + R[0][0] * d.x + R[0][1] * d.y + R[0][2] * d.z,
                       m->velocity.y + R[1][0] * d.x + R[1][1] * d.y + R[1][2] * d.z,
                       m->velocity.z + R[2][0] * d.x + R[2][1] * d.y + R[2][2] * d.z};
    return Py_BuildValue("(NN)", array_of_vec3(x), array_of_vec3(v));
}

// ---- What it answers ------------------------------------------------------------------------------------------------

// None, a force, (force, torque about the centre of mass) or (force, torque, arm): world axes.
static bool add_load(PyObject *answer, ph_load *load)
{
    ph_vec3 part[3] = {{0}};
    if (answer == Py_None) return true;
    const Py_ssize_t size = PySequence_Check(answer) ? PySequence_Size(answer) : -1;
    PyObject *first = size > 0 ? PySequence_GetItem(answer, 0) : NULL;
    const bool nested = first && PySequence_Check(first) && PySequence_Size(first) == 3;
    PyErr_Clear(); // a NumPy scalar is a sequence without a size
    Py_XDECREF(first);
    if (!nested) {
        if (!take_vec3(answer, "force", &part[0])) return false;
    } else if (size > 3) {
        PyErr_SetString(PyExc_TypeError, "a load is a force, (force, torque) or (force, torque, arm)");
        return false;
    }
    static const char *const names[] = {"force", "torque", "arm"};
    for (Py_ssize_t k = 0; nested && k < size; k++) {
        PyObject *item = PySequence_GetItem(answer, k);
        const bool good = item && take_vec3(item, names[k], &part[k]);
        Py_XDECREF(item);
        if (!good) return false;
    }
    ph_load_add_force(load, part[0], part[2]);
    ph_load_add_torque(load, part[1]);
    return true;
}

static bool add_loads(PyObject *answer, bool pair, ph_load *loads)
{
    if (!pair || answer == Py_None) return add_load(answer, &loads[0]);
    if (!PySequence_Check(answer) || PySequence_Size(answer) != 2) {
        PyErr_Clear();
        PyErr_SetString(PyExc_TypeError, "a force between two bodies returns two loads, one on each");
        return false;
    }
    bool good = true;
    for (int k = 0; good && k < 2; k++) {
        PyObject *item = PySequence_GetItem(answer, k);
        good = item && add_load(item, &loads[k]);
        Py_XDECREF(item);
    }
    return good;
}

static void keep_exception(void)
{
    if (current && !current->exception) {
        PyErr_Fetch(&current->exception, &current->value, &current->traceback);
    } else {
        PyErr_WriteUnraisable(NULL);
    }
}

static PyObject *call_with_motions(PyObject *function, bool pair, const ph_body_motion *bodies, double time)
{
    if (!function) {
        PyErr_SetString(PyExc_RuntimeError, "the force function is gone: its model was collected as garbage");
        return NULL;
    }
    PyObject *body = make_motion(&bodies[0], time), *other = pair ? make_motion(&bodies[1], time) : NULL;
    PyObject *answer = body && (other || !pair) ? PyObject_CallFunctionObjArgs(function, body, other, NULL) : NULL;
    Py_XDECREF(body);
    Py_XDECREF(other);
    return answer;
}

// ---- Called by the library, without the lock ------------------------------------------------------------------------

static void act(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    const python_force *f = user;
    bool good = false;
    if (!current || !current->exception) { // after an exception no function is called any more
        PyGILState_STATE lock = PyGILState_Ensure();
        PyObject *answer = call_with_motions(f->force, f->pair, bodies, time);
        good = answer && add_loads(answer, f->pair, loads);
        Py_XDECREF(answer);
        if (!good) keep_exception();
        PyGILState_Release(lock);
    }
    if (!good) loads[0].L.x = loads[1].L.x = (double)NAN;
}

static double evaluate(const ph_body_motion *bodies, double time, void *user)
{
    const python_force *f = user;
    double value = (double)NAN;
    if (current && current->exception) return value;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = call_with_motions(f->potential, f->pair, bodies, time);
    if (answer) value = PyFloat_AsDouble(answer);
    Py_XDECREF(answer);
    if (PyErr_Occurred()) keep_exception();
    PyGILState_Release(lock);
    return value;
}

static PyObject *call_at_point(PyObject *function, ph_vec3 x, double time)
{
    if (!function) {
        PyErr_SetString(PyExc_RuntimeError, "the field function is gone: its model was collected as garbage");
        return NULL;
    }
    PyObject *point = array_of_vec3(x);
    PyObject *answer = point ? PyObject_CallFunction(function, "Od", point, time) : NULL;
    Py_XDECREF(point);
    return answer;
}

static ph_vec3 density_at(ph_vec3 x, double time, void *user)
{
    ph_vec3 value = {(double)NAN, (double)NAN, (double)NAN};
    if (current && current->exception) return value;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = call_at_point(((python_force *)user)->density, x, time);
    if (!answer || !take_vec3(answer, "density", &value)) keep_exception(), value.x = (double)NAN;
    Py_XDECREF(answer);
    PyGILState_Release(lock);
    return value;
}

static double density_potential_at(ph_vec3 x, double time, void *user)
{
    double value = (double)NAN;
    if (current && current->exception) return value;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *answer = call_at_point(((python_force *)user)->potential, x, time);
    if (answer) value = PyFloat_AsDouble(answer);
    Py_XDECREF(answer);
    if (PyErr_Occurred()) keep_exception();
    PyGILState_Release(lock);
    return value;
}

static void act_by_density(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    ph_load_add_density(&loads[0], &bodies[0], density_at, time, user);
}

static double evaluate_density(const ph_body_motion *bodies, double time, void *user)
{
    return ph_density_potential(&bodies[0], density_potential_at, time, user);
}

// ---- Adding to a spec -----------------------------------------------------------------------------------------------

static PyObject *callable_or_null(PyObject *object)
{
    return object == Py_None ? NULL : Py_NewRef(object);
}

static bool add_one(python_force *f, ph_spec *spec, PyObject *entry)
{
    PyObject *force, *density, *potential;
    ph_callback_def def = ph_default_callback();
    if (!PyTuple_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "a force is a tuple");
        return false;
    }
    if (!PyArg_ParseTuple(entry, "iiOOOz:force", &def.body, &def.other, &force, &density, &potential, &def.name))
        return false;
    f->force = callable_or_null(force);
    f->density = callable_or_null(density);
    f->potential = callable_or_null(potential);
    f->pair = def.other != PH_NONE;
    def.force = f->density ? act_by_density : act;
    def.potential = !f->potential ? NULL : f->density ? evaluate_density : evaluate;
    def.user = f;
    if (ph_spec_add_callback(spec, &def) < 0) return PyErr_NoMemory(), false;
    return true;
}

bool callbacks_add(Model *model, ph_spec *spec, PyObject *forces)
{
    const Py_ssize_t count = PyTuple_Check(forces) ? PyTuple_Size(forces) : -1;
    if (count < 0 || count > INT32_MAX) {
        PyErr_SetString(PyExc_TypeError, "a tuple of forces is needed");
        return false;
    }
    model->forces = calloc((size_t)count + 1, sizeof *model->forces);
    if (!model->forces) return PyErr_NoMemory(), false;
    for (; model->force_count < count; model->force_count++)
        if (!add_one(&model->forces[model->force_count], spec, PyTuple_GetItem(forces, model->force_count))) {
            model->force_count++;
            return false;
        }
    return true;
}

void callbacks_forget(Model *model)
{
    for (int i = 0; i < model->force_count; i++) {
        Py_CLEAR(model->forces[i].force);
        Py_CLEAR(model->forces[i].density);
        Py_CLEAR(model->forces[i].potential);
    }
}

int callbacks_visit(Model *model, visitproc visit, void *arg)
{
    for (int i = 0; i < model->force_count; i++) {
        Py_VISIT(model->forces[i].force);
        Py_VISIT(model->forces[i].density);
        Py_VISIT(model->forces[i].potential);
    }
    return 0;
}

bool callback_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"point", motion_point, METH_O,
         "point(p, /)\n--\n\nPosition (m) and velocity (m/s) in the world of the body point p (m, from the centre of mass, body "
         "axes)."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef attributes[] = {
        {"time", motion_time, NULL, "Time (s).", NULL},
        {"mass", motion_mass, NULL, "Mass (kg).", NULL},
        {"position", motion_part, NULL, "Centre of mass (m, world), shape (3,).", (void *)0},
        {"velocity", motion_part, NULL, "Velocity of the centre of mass (m/s, world), shape (3,).", (void *)1},
        {"angular_velocity", motion_part, NULL, "Angular velocity (rad/s, body frame), shape (3,).", (void *)2},
        {"rotation", motion_part, NULL, "Rotation matrix from body to world, shape (3, 3).", (void *)3},
        {"inertia", motion_part, NULL, "Inertia about the centre of mass (kg m^2, body axes), shape (3, 3).",
         (void *)4},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, free_object},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {Py_tp_doc, "Motion of a body at the moment that a force function is asked about."},
        {0, NULL},
    };
    static PyType_Spec spec = {"polhode._core.Motion", sizeof(Motion), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    MotionType = make_type(module, &spec);
    return MotionType != NULL;
}
