// Result files: what they hold as arrays by name, read when asked for; the model that was run; other formats.

#include "core.h"

#include <string.h>

typedef struct ResultFile {
    PyObject_HEAD ph_result *result;
} ResultFile;

static PyTypeObject *ResultFileType;

static void file_dealloc(PyObject *self)
{
    ph_result_destroy(((ResultFile *)self)->result);
    free_object(self);
}

static PyObject *decoded(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

// ---- Opening --------------------------------------------------------------------------------------------------------

static PyObject *open_result(PyObject *self, PyObject *args)
{
    (void)self;
    PyObject *path = NULL;
    const char *folder;
    ph_error error = {0};
    ph_status status;
    if (!PyArg_ParseTuple(args, "O&z:open_result", PyUnicode_FSConverter, &path, &folder)) return NULL;
    ResultFile *file = PyObject_New(ResultFile, ResultFileType);
    if (file) {
        file->result = NULL;
        Py_BEGIN_ALLOW_THREADS status = ph_result_open(PyBytes_AsString(path), &file->result, &error);
        if (status == PH_OK) status = ph_result_allow_folder(file->result, folder, &error);
        Py_END_ALLOW_THREADS if (status != PH_OK)
        {
            raise_error(&error);
            Py_CLEAR(file);
        }
    }
    Py_DECREF(path);
    return (PyObject *)file;
}

// ---- What it holds --------------------------------------------------------------------------------------------------

static PyObject *file_names(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_result *result = ((ResultFile *)self)->result;
    PyObject *names = PyList_New(0);
    for (int i = 0; names && i < ph_result_fields(result); i++) {
        PyObject *name = decoded(ph_result_field_get(result, i).name);
        if (!name || PyList_Append(names, name) != 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *file_array(PyObject *self, PyObject *index)
{
    ph_result *result = ((ResultFile *)self)->result;
    ph_error error = {0};
    const long field = PyLong_AsLong(index);
    if (PyErr_Occurred()) return NULL;
    if (field < 0 || field >= ph_result_fields(result)) {
        PyErr_SetString(PyExc_IndexError, "the result has no such field");
        return NULL;
    }
    const ph_result_field f = ph_result_field_get(result, (int)field);
    const Py_ssize_t rows = (Py_ssize_t)ph_result_field_rows(result, (int)field);
    const Py_ssize_t shape[RANK_MAX] = {rows, f.shape[0], f.shape[1], f.shape[2]};
    if (rows == 0 || f.width == 0) return array_copy(NULL, 1 + f.rank, shape);
    const double *values = ph_result_values(result, (int)field, &error);
    return values ? array_view(self, (double *)values, 1 + f.rank, shape, false) : raise_error(&error);
}

// (name, scheme, step, text of the model, settings it was read with)
static PyObject *file_about(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const ph_result *r = ((ResultFile *)self)->result;
    return Py_BuildValue("(NNdNN)", decoded(ph_result_name(r)), decoded(ph_result_scheme(r)), ph_result_step(r),
                         decoded(ph_result_text(r)), decoded(ph_result_settings(r)));
}

static PyObject *file_convert(PyObject *self, PyObject *path)
{
    PyObject *bytes = NULL;
    ph_error error = {0};
    const ph_convert_def def = ph_default_convert();
    if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
    const ph_status status =
        ph_result_convert(((ResultFile *)self)->result, PyBytes_AsString(bytes), &def, NULL, &error);
    Py_DECREF(bytes);
    if (status != PH_OK) return raise_error(&error);
    Py_RETURN_NONE;
}

// ---- Its model ------------------------------------------------------------------------------------------------------

PyObject *model_of_result(PyObject *type, PyObject *file)
{
    if (!PyObject_TypeCheck(file, ResultFileType)) {
        PyErr_SetString(PyExc_TypeError, "a ResultFile is needed");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    Model *self = (Model *)allocate((PyTypeObject *)type, 0);
    ph_problems *problems = ph_problems_create();
    ph_error error = {0};
    const ph_status status = self && problems
                                 ? ph_result_model(((ResultFile *)file)->result, problems, &self->model, &error)
                                 : PH_OUT_OF_MEMORY;
    if (status != PH_OK) {
        if (error.status == PH_OK)
            PyErr_NoMemory();
        else
            raise_error(&error);
        Py_CLEAR(self);
    }
    ph_problems_destroy(problems);
    return (PyObject *)self;
}

bool result_init(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"names", file_names, METH_NOARGS, "names()\n--\n\nFull names of all that was recorded."},
        {"array", file_array, METH_O, "array(index, /)\n--\n\nOne of them: a view that cannot be written to."},
        {"about", file_about, METH_NOARGS, "about()\n--\n\n(name, scheme, step, text, settings)"},
        {"convert", file_convert, METH_O, "convert(path, /)\n--\n\nWrites .csv, .npz or .glb."},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {{Py_tp_dealloc, file_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    static PyType_Spec spec = {"polhode._core.ResultFile", sizeof(ResultFile), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    static PyMethodDef functions[] = {
        {"open_result", open_result, METH_VARARGS, "open_result(path, folder, /)\n--\n\nOpens a result file."},
        {NULL, NULL, 0, NULL},
    };
    ResultFileType = make_type(module, &spec);
    return ResultFileType && PyModule_AddFunctions(module, functions) == 0;
}
