// Figures: panels and series in, SVG text out. And the web page of results.

#include "core.h"

#include <math.h>

PyObject *plot_svg(ph_plot *plot)
{
    size_t length = 0;
    const char *text = plot ? ph_plot_text(plot, &length) : NULL;
    PyObject *svg = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace") : PyErr_NoMemory();
    ph_plot_destroy(plot);
    return svg;
}

// (label or None, x, y, line, marker, color or None)
static bool add_series(ph_plot *plot, int panel, PyObject *entry)
{
    ph_series_def def = ph_default_series();
    PyObject *x, *y;
    Py_buffer xs, ys;
    int line, marker;
    if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "zOOiiz", &def.label, &x, &y, &line, &marker, &def.color)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a series is a tuple");
        return false;
    }
    const Py_ssize_t count = PyObject_Size(x);
    if (count < 0 || count > INT32_MAX || line < 0 || line > PH_LINE_NONE || marker < 0 || marker >= PH_MARKER_COUNT) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "there is no such series");
        return false;
    }
    if (!take_doubles(x, "x", count, false, &xs)) return false;
    const bool good = take_doubles(y, "y", count, false, &ys);
    if (good) {
        def.x = xs.buf, def.y = ys.buf, def.count = (int)count;
        def.line = (ph_line)line, def.marker = (ph_marker)marker;
        if (ph_plot_add_series(plot, panel, &def) < 0) PyErr_NoMemory();
        PyBuffer_Release(&ys);
    }
    PyBuffer_Release(&xs);
    return !PyErr_Occurred();
}

// (title or None, x label, y label, x log, y log, equal, share_x, series)
static bool add_panel(ph_plot *plot, PyObject *entry)
{
    ph_axes_def def = ph_default_axes();
    PyObject *series;
    int x_log, y_log, equal, share;
    if (!PyTuple_Check(entry) || !PyArg_ParseTuple(entry, "zzzppppO!", &def.title, &def.x.label, &def.y.label, &x_log,
                                                   &y_log, &equal, &share, &PyTuple_Type, &series)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a panel is a tuple");
        return false;
    }
    def.x.scale = x_log ? PH_LOG : PH_LINEAR;
    def.y.scale = y_log ? PH_LOG : PH_LINEAR;
    def.equal = equal, def.share_x = share;
    const int panel = ph_plot_add_axes(plot, &def);
    if (panel < 0) return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(series); i++)
        if (!add_series(plot, panel, PyTuple_GetItem(series, i))) return false;
    return true;
}

// plot(title or None, panels) -> SVG
static PyObject *draw(PyObject *self, PyObject *args)
{
    (void)self;
    const char *title;
    PyObject *panels;
    if (!PyArg_ParseTuple(args, "zO!:plot", &title, &PyTuple_Type, &panels)) return NULL;
    ph_plot *plot = ph_plot_create(title);
    if (!plot) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < PyTuple_Size(panels); i++)
        if (!add_panel(plot, PyTuple_GetItem(panels, i))) return ph_plot_destroy(plot), NULL;
    return plot_svg(plot);
}

// ---- The web page ---------------------------------------------------------------------------------------------------

// page(results, path, most_bytes, folder) -> bytes of the page; results is a tuple of paths, folder a path or None.
static PyObject *write_page(PyObject *self, PyObject *args)
{
    (void)self;
    enum { RESULTS_MAX = 64 };
    PyObject *given, *path, *folder, *bytes[RESULTS_MAX + 2] = {0};
    const char *paths[RESULTS_MAX];
    ph_page_def def = ph_default_page();
    ph_page_report report = {0};
    ph_error error = {0};
    ph_status status = PH_OK;
    if (!PyArg_ParseTuple(args, "O!OdO:page", &PyTuple_Type, &given, &path, &def.most_bytes, &folder)) return NULL;
    const Py_ssize_t count = PyTuple_Size(given);
    if (count > RESULTS_MAX) return PyErr_SetString(PyExc_ValueError, "a page takes at most 64 results"), NULL;
    bool good = PyUnicode_FSConverter(path, &bytes[RESULTS_MAX]) &&
                (folder == Py_None || PyUnicode_FSConverter(folder, &bytes[RESULTS_MAX + 1]));
    for (Py_ssize_t i = 0; good && i < count; i++) {
        good = PyUnicode_FSConverter(PyTuple_GetItem(given, i), &bytes[i]);
        paths[i] = good ? PyBytes_AsString(bytes[i]) : NULL;
    }
    if (good) {
        const char *to = PyBytes_AsString(bytes[RESULTS_MAX]);
        def.results = paths, def.result_count = (int)count;
        def.folder = folder == Py_None ? NULL : PyBytes_AsString(bytes[RESULTS_MAX + 1]);
        Py_BEGIN_ALLOW_THREADS status = ph_page_write(to, &def, &report, &error);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < RESULTS_MAX + 2; i++) Py_XDECREF(bytes[i]);
    if (!good) return NULL;
    return status == PH_OK ? PyLong_FromLongLong(report.bytes) : raise_error(&error);
}

bool plot_init(PyObject *module)
{
    static PyMethodDef functions[] = {{"plot", draw, METH_VARARGS, "plot(title, panels, /)"},
                                      {"page", write_page, METH_VARARGS, "page(results, path, most_bytes, folder, /)"},
                                      {NULL, NULL, 0, NULL}};
    return PyModule_AddFunctions(module, functions) == 0;
}
