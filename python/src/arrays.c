// NumPy arrays without NumPy's headers: memory goes out through an object with the buffer protocol, which numpy.asarray
// wraps without a copy, and comes in through PyObject_GetBuffer.

#include "core.h"

#include <string.h>

typedef struct Exporter {
    PyObject_HEAD PyObject *owner; // keeps the memory alive; NULL: it follows this struct
    double *data;
    int rank;
    bool writable;
    Py_ssize_t shape[RANK_MAX], strides[RANK_MAX];
    double own[];
} Exporter;

static PyTypeObject *ExporterType;
static PyObject *asarray;

static int exporter_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    Exporter *e = (Exporter *)self;
    Py_ssize_t size = (Py_ssize_t)sizeof(double);
    if ((flags & PyBUF_WRITABLE) && !e->writable) {
        view->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "this array is read-only");
        return -1;
    }
    for (int k = 0; k < e->rank; k++) size *= e->shape[k];
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && e->rank > 0 && e->strides[0] * e->shape[0] != size) {
        view->obj = NULL;
        PyErr_SetString(PyExc_BufferError, "this array is not contiguous");
        return -1;
    }
    *view = (Py_buffer){.buf = e->data, .obj = Py_NewRef(self), .len = size, .itemsize = sizeof(double)};
    view->readonly = !e->writable;
    view->ndim = (flags & PyBUF_ND) ? e->rank : 1;
    view->format = (flags & PyBUF_FORMAT) ? "d" : NULL;
    view->shape = (flags & PyBUF_ND) ? e->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL;
    return 0;
}

static void exporter_dealloc(PyObject *self)
{
    Py_XDECREF(((Exporter *)self)->owner);
    free_object(self);
}

static Exporter *make_exporter(int rank, const Py_ssize_t *shape, bool own_memory)
{
    Py_ssize_t count = 1;
    for (int k = 0; k < rank; k++) {
        if (shape[k] < 0 || (shape[k] > 0 && count > PY_SSIZE_T_MAX / 16 / shape[k])) {
            PyErr_NoMemory();
            return NULL;
        }
        count *= shape[k];
    }
    Exporter *e = PyObject_NewVar(Exporter, ExporterType, own_memory ? count + 1 : 0);
    if (!e) return NULL;
    e->owner = NULL;
    e->data = e->own;
    e->rank = rank;
    e->writable = true;
    Py_ssize_t stride = (Py_ssize_t)sizeof(double);
    for (int k = rank - 1; k >= 0; k--) {
        e->shape[k] = shape[k];
        e->strides[k] = stride;
        stride *= shape[k];
    }
    if (own_memory) memset(e->own, 0, ((size_t)count + 1) * sizeof(double));
    return e;
}

static PyObject *wrap(Exporter *e)
{
    PyObject *array = PyObject_CallFunctionObjArgs(asarray, (PyObject *)e, NULL);
    Py_DECREF((PyObject *)e);
    return array;
}

PyObject *array_view(PyObject *owner, void *data, int rank, const Py_ssize_t *shape, bool writable)
{
    if (!data) return array_copy(NULL, rank, shape); // nothing there: an empty array
    Exporter *e = make_exporter(rank, shape, false);
    if (!e) return NULL;
    e->owner = Py_NewRef(owner);
    e->data = data;
    e->writable = writable;
    return wrap(e);
}

PyObject *array_view_worlds(PyObject *owner, void *data, int rank, const Py_ssize_t *shape, size_t stride,
                            bool writable)
{
    if (!data) return array_copy(NULL, rank, shape);
    Exporter *e = make_exporter(rank, shape, false);
    if (!e) return NULL;
    e->owner = Py_NewRef(owner);
    e->data = data;
    e->writable = writable;
    e->strides[0] = (Py_ssize_t)stride;
    return wrap(e);
}

PyObject *array_copy(const double *data, int rank, const Py_ssize_t *shape)
{
    Exporter *e = make_exporter(rank, shape, true);
    if (!e) return NULL;
    size_t count = 1;
    for (int k = 0; k < rank; k++) count *= (size_t)shape[k];
    if (data) memcpy(e->own, data, count * sizeof(double));
    return wrap(e);
}

PyObject *array_of_vec3(ph_vec3 v)
{
    return array_copy((const double *)&v, 1, (const Py_ssize_t[]){3});
}

// ---- What comes in --------------------------------------------------------------------------------------------------

static bool is_double(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=' || *format == '<') format++;
    return format[0] == 'd' && format[1] == '\0' && view->itemsize == sizeof(double);
}

bool take_doubles(PyObject *object, const char *name, Py_ssize_t count, bool writable, Py_buffer *view)
{
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, view, flags) != 0) return false;
    if (!is_double(view)) {
        PyErr_Format(PyExc_TypeError, "%s: an array of float64 is needed", name);
    } else if (view->len != count * (Py_ssize_t)sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "%s: %zd numbers are needed, not %zd", name, count,
                     view->len / (Py_ssize_t)sizeof(double));
    } else {
        return true;
    }
    PyBuffer_Release(view);
    return false;
}

bool take_vec3(PyObject *object, const char *name, ph_vec3 *v)
{
    double *to[3] = {&v->x, &v->y, &v->z};
    if (!PySequence_Check(object) || PySequence_Size(object) != 3) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "%s: three numbers are needed", name);
        return false;
    }
    for (int k = 0; k < 3; k++) {
        PyObject *item = PySequence_GetItem(object, k);
        *to[k] = item ? PyFloat_AsDouble(item) : 0.0;
        Py_XDECREF(item);
        if (PyErr_Occurred()) return false;
    }
    return true;
}

bool arrays_init(PyObject *module)
{
    static PyType_Slot slots[] = {
        {Py_bf_getbuffer, exporter_getbuffer},
        {Py_tp_dealloc, exporter_dealloc},
        {0, NULL},
    };
    static PyType_Spec spec = {"polhode._core._Exporter", sizeof(Exporter), sizeof(double),
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    PyObject *numpy = PyImport_ImportModule("numpy");
    asarray = numpy ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    Py_XDECREF(numpy);
    ExporterType = asarray ? make_type(module, &spec) : NULL;
    return ExporterType != NULL;
}
