// Joints and keyframes of a State: setting coordinates and rates, moving it onto its joints.

#include "core.h"

PyObject *state_set_joint(PyObject *self, PyObject *args)
{
    StateBlock *block = ((State *)self)->block;
    int joint, coordinate;
    double value, rate;
    if (!PyArg_ParseTuple(args, "iidd:_set_joint", &joint, &coordinate, &value, &rate)) return NULL;
    if (!state_begin(block)) return NULL;
    const ph_status status = ph_state_set_joint(block->state, joint, coordinate, value, rate);
    state_end(block);
    if (status != PH_OK)
        return raise_status(status,
                            "there is no such coordinate, or a motor prescribes it, or the value is not finite");
    Py_RETURN_NONE;
}

PyObject *state_project(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    StateBlock *block = ((State *)self)->block;
    ph_project_report r;
    ph_error error = {0};
    ph_status status;
    if (!state_begin(block)) return NULL;
    Py_BEGIN_ALLOW_THREADS status = ph_state_project(block->state, &r, &error);
    Py_END_ALLOW_THREADS state_end(block);
    if (status != PH_OK) {
        if (status == PH_NO_CONVERGENCE) error.status = PH_BAD_STATE;
        return raise_error(&error);
    }
    return Py_BuildValue("(dddiiiddi)", r.moved, r.turned, r.changed, r.moved_body, r.turned_body, r.changed_body,
                         r.kinetic_before, r.kinetic_after, r.assemblies);
}

PyObject *state_set_keyframe(PyObject *self, PyObject *index)
{
    StateBlock *block = ((State *)self)->block;
    const long keyframe = PyLong_AsLong(index);
    if (keyframe == -1 && PyErr_Occurred()) return NULL;
    if (block->busy) return state_begin(block), NULL;
    const ph_status status = ph_state_set_keyframe(block->state, (int)keyframe); // also from values that are not finite
    state_end(block);
    if (status != PH_OK) return raise_status(status, "there is no such keyframe");
    Py_RETURN_NONE;
}

PyObject *state_site(PyObject *self, PyObject *index)
{
    StateBlock *block = ((State *)self)->block;
    const long site = PyLong_AsLong(index);
    const Py_ssize_t count = 13;
    if (site == -1 && PyErr_Occurred()) return NULL;
    if (site < 0 || site >= ph_model_sites(block->owner->model)) {
        PyErr_SetString(PyExc_IndexError, "there is no such site");
        return NULL;
    }
    if (!state_begin(block)) return NULL;
    const ph_site_motion m = ph_state_site(block->state, (int)site);
    state_end(block);
    const double numbers[13] = {m.position.x,        m.position.y,    m.position.z,         m.orientation.w,
                                m.orientation.x,     m.orientation.y, m.orientation.z,      m.velocity.x,
                                m.velocity.y,        m.velocity.z,    m.angular_velocity.x, m.angular_velocity.y,
                                m.angular_velocity.z};
    return array_copy(numbers, 1, &count);
}
