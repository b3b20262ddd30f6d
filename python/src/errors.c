// Status codes as exceptions. The classes are defined in polhode/_errors.py.

#include "core.h"

#include <stdlib.h>
#include <string.h>

static PyObject *error_module; // polhode._errors

static PyObject *exception_of(ph_status status)
{
    const char *name = "Error";
    switch (status) {
    case PH_OUT_OF_MEMORY:
        return Py_NewRef(PyExc_MemoryError);
    case PH_BAD_MODEL:
        name = "ModelError";
        break;
    case PH_BAD_ARGUMENT:
    case PH_NOT_FOUND:
        name = "ArgumentError";
        break;
    case PH_NOT_SUPPORTED:
        name = "UnsupportedError";
        break;
    case PH_NO_CONVERGENCE:
    case PH_SINGULAR:
    case PH_NOT_FINITE:
        name = "StepError";
        break;
    case PH_BAD_STATE:
        name = "StateError";
        break;
    case PH_IO:
        name = "FileError";
        break;
    default:
        break;
    }
    return PyObject_GetAttrString(error_module, name);
}

// Text of the library may quote a file that is not UTF-8.
static PyObject *decode(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *raise_text(ph_status status, PyObject *text, PyObject *problems)
{
    PyObject *type = text ? exception_of(status) : NULL;
    PyObject *exception = type ? PyObject_CallFunctionObjArgs(type, text, NULL) : NULL;
    PyObject *name = exception ? PyUnicode_FromString(ph_status_name(status)) : NULL;
    if (name &&
        (status == PH_OUT_OF_MEMORY || (PyObject_SetAttrString(exception, "status", name) == 0 &&
                                        (!problems || PyObject_SetAttrString(exception, "problems", problems) == 0))))
        PyErr_SetObject(type, exception);
    Py_XDECREF(name);
    Py_XDECREF(exception);
    Py_XDECREF(type);
    return NULL;
}

PyObject *raise_status(ph_status status, const char *text)
{
    PyObject *decoded = decode(text && *text ? text : ph_status_text(status));
    raise_text(status, decoded, NULL);
    Py_XDECREF(decoded);
    return NULL;
}

PyObject *raise_error(const ph_error *error)
{
    return raise_status(error->status, error->text);
}

// ---- All mistakes of a model ----------------------------------------------------------------------------------------

static PyObject *format_problem(const ph_problem *problem)
{
    const int size = ph_problem_format(problem, NULL, 0);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!text) return PyErr_NoMemory();
    ph_problem_format(problem, text, (size_t)size + 1);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == '\n'; end--) text[end - 1] = '\0';
    PyObject *result = decode(text);
    free(text);
    return result;
}

static PyObject *optional(const char *text)
{
    return text ? decode(text) : Py_NewRef(Py_None);
}

static PyObject *describe_problem(const ph_problem *p)
{
    static const char *const severities[] = {"note", "warning", "error"};
    return Py_BuildValue("{sssNsisisNsNsN}", "severity", severities[p->severity], "file", optional(p->file), "line",
                         p->line, "column", p->column, "path", optional(p->path), "text", optional(p->text), "hint",
                         optional(p->hint));
}

// One text of all problems, and a list with one dict for each.
static PyObject *join_problems(const ph_problems *problems, PyObject *list)
{
    PyObject *texts = PyList_New(0), *line_break = PyUnicode_FromString("\n"), *joined = NULL;
    bool good = texts && line_break;
    for (int i = 0; good && i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        PyObject *text = format_problem(p), *entry = describe_problem(p);
        good = text && entry && PyList_Append(texts, text) == 0 && PyList_Append(list, entry) == 0;
        Py_XDECREF(text);
        Py_XDECREF(entry);
    }
    if (good) joined = PyUnicode_Join(line_break, texts);
    Py_XDECREF(texts);
    Py_XDECREF(line_break);
    return joined;
}

PyObject *raise_problems(ph_problems *problems, ph_status status)
{
    if (!problems || ph_problems_count(problems) == 0) return raise_status(status, NULL);
    PyObject *list = PyList_New(0);
    PyObject *text = list ? join_problems(problems, list) : NULL;
    if (text) raise_text(status == PH_IO ? PH_IO : PH_BAD_MODEL, text, list);
    Py_XDECREF(text);
    Py_XDECREF(list);
    return NULL;
}

bool errors_init(void)
{
    error_module = PyImport_ImportModule("polhode._errors");
    return error_module != NULL;
}
