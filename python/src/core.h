// polhode._core: the part of the Python package that is written in C. CPython's stable ABI from 3.11 on, so that one build
// serves every later version; NumPy is met through the buffer protocol only.
//
// Rules that hold in every file here:
//  - an object keeps alive what its memory depends on: State and Sim their Model, every array its owner;
//  - whatever is wrong with an argument becomes a Python exception before the library sees it;
//  - the interpreter lock is released around everything that takes long; an object that is at work is marked busy under the
//    lock, so that a second thread gets an exception and not a race.
#ifndef POLHODE_PYTHON_CORE_H
#define POLHODE_PYTHON_CORE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "polhode/polhode.h"

// Slots and method tables hold functions as void pointers or under another type; CPython leaves no other way.
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wcast-function-type"

// ---- Errors (errors.c) ----------------------------------------------------------------------------------------------

// Each sets the exception that belongs to a status and returns NULL.
PyObject *raise_status(ph_status status, const char *text);
PyObject *raise_error(const ph_error *error);
PyObject *raise_problems(ph_problems *problems, ph_status status); // all mistakes of a model
bool errors_init(void);

// ---- Arrays (arrays.c) ----------------------------------------------------------------------------------------------

enum { RANK_MAX = 4 };

// A NumPy array over memory that belongs to `owner`, which the array keeps alive. Shape ends with 0 beyond `rank`.
PyObject *array_view(PyObject *owner, void *data, int rank, const Py_ssize_t *shape, bool writable);
// Likewise over all worlds of a batch: the first index jumps by `stride` bytes.
PyObject *array_view_worlds(PyObject *owner, void *data, int rank, const Py_ssize_t *shape, size_t stride,
                            bool writable);
// A NumPy array with memory of its own, filled with `data` (NULL: zeros).
PyObject *array_copy(const double *data, int rank, const Py_ssize_t *shape);
PyObject *array_of_vec3(ph_vec3 v);

// `count` doubles of a C-contiguous buffer, or an exception that names the argument. Release with PyBuffer_Release.
bool take_doubles(PyObject *object, const char *name, Py_ssize_t count, bool writable, Py_buffer *view);
// Three numbers of any sequence.
bool take_vec3(PyObject *object, const char *name, ph_vec3 *v);
bool arrays_init(PyObject *module);

// ---- Types ----------------------------------------------------------------------------------------------------------

// One Python force (callback.c). The model owns it; the garbage collector may empty it.
typedef struct python_force {
    PyObject *force;     // callable or NULL
    PyObject *density;   // callable or NULL
    PyObject *potential; // callable or NULL
    bool pair;           // acts on two bodies
} python_force;

typedef struct Model {
    PyObject_HEAD ph_model *model;
    python_force *forces;
    int force_count;
} Model;

// The state itself. Arrays hold this and not the State, which holds the arrays: no circle.
typedef struct StateBlock {
    PyObject_HEAD Model *owner;
    ph_state *state;
    ph_observer *observer; // made when first needed
    double *seen;          // the arrays as the last step left them, one behind the other
    double *arrays[4];     // those of the state that are compared with it ...
    size_t sizes[4];       // ... in bytes
    bool exported;         // an array has been given away: somebody may write to it
    bool busy;
    const void *reader; // the rollout that has taken it
} StateBlock;

enum { STATE_ARRAYS = 5 }; // position, orientation, velocity, angular_velocity, inputs

typedef struct State {
    PyObject_HEAD StateBlock *block;
    PyObject *arrays[STATE_ARRAYS];
} State;

extern PyTypeObject *ModelType, *StateType;

bool model_init(PyObject *module);
bool state_init(PyObject *module);
bool sim_init(PyObject *module);
bool run_init(PyObject *module);
bool result_init(PyObject *module);
PyObject *model_of_result(PyObject *type, PyObject *file); // the model that a result file holds (result.c)
bool callback_init(PyObject *module);
bool rollout_init(PyObject *module);
bool batch_init(PyObject *module);
bool adjoint_init(PyObject *module);
bool lab_init(PyObject *module);
bool fit_init(PyObject *module);
bool tree_init(PyObject *module);
bool clifford_init(PyObject *module);
bool cone_init(PyObject *module);
bool plot_init(PyObject *module);

PyTypeObject *make_type(PyObject *module, PyType_Spec *spec);
void free_object(PyObject *self); // the end of every dealloc: the memory, and the reference to the type

// ---- States (state.c) -----------------------------------------------------------------------------------------------

// Takes the state for a call that may run without the lock: notes what was written to its arrays, normalises quaternions.
// False with an exception when it is busy or not finite.
bool state_begin(StateBlock *block);
void state_end(StateBlock *block);
Py_ssize_t state_array_size(const ph_model *model, int which); // doubles
double *state_array(ph_state *state, int which);
bool normalise_quaternion(ph_quat *q); // false: zero, or not finite

// state_joints.c
PyObject *state_set_joint(PyObject *self, PyObject *args);
PyObject *state_project(PyObject *self, PyObject *nothing);
PyObject *state_set_keyframe(PyObject *self, PyObject *index);
PyObject *state_site(PyObject *self, PyObject *index);

// ---- Answers (run.c, plot.c) ----------------------------------------------------------------------------------------

PyObject *describe_summary(const ph_summary *summary);
PyObject *plot_svg(ph_plot *plot); // takes the plot over

// ---- Callbacks (callback.c) -----------------------------------------------------------------------------------------

// Adds what `forces`, a sequence of (body, other, force, density, potential, name), describes.
bool callbacks_add(Model *model, ph_spec *spec, PyObject *forces);
void callbacks_forget(Model *model);
int callbacks_visit(Model *model, visitproc visit, void *arg);

// An exception that a callback raised in this thread is kept until the library call that it interrupted has returned.
typedef struct python_call {
    struct python_call *outer;
    PyObject *exception; // type, value, traceback
    PyObject *value, *traceback;
} python_call;
void call_begin(python_call *call);
bool call_end(python_call *call); // false: the exception is set. With the lock.

#endif
