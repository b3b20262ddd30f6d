// What a name stands for, its value in the model, and what counts as a large change of it.
#include "fit/residuals.h"

#include "polhode/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool file_value(const ph_model *model, const char *name, double *value)
{
    for (int k = 0; k < ph_model_parameters(model); k++) {
        const ph_parameter_info info = ph_model_parameter(model, k);
        if (strcmp(info.name, name) == 0) return *value = info.value, true;
    }
    return false;
}

// "JOINT.rate", "JOINT.coordinate[1]": the quantity joints.JOINT.rate.1 at the start
static bool joint_start(const ph_model *model, const char *name, double *value)
{
    char text[200];
    const char *bracket = strchr(name, '[');
    const int length = bracket ? (int)(bracket - name) : (int)strlen(name);
    ph_observables *o = NULL;
    ph_state *state = ph_state_create(model);
    snprintf(text, sizeof text, "joints.%.*s%s%.1s", length, name, bracket ? "." : "", bracket ? bracket + 1 : "");
    const char *one = text;
    const bool found = state && ph_observables_create(model, 1, &one, &o, NULL) == PH_OK;
    if (found) ph_observables_values(o, state, value);
    ph_observables_destroy(o);
    ph_state_destroy(state);
    return found;
}

// "BODY.start.velocity.x"
static bool body_start(const ph_model *model, const char *name, double *value)
{
    const char *at = strstr(name, ".start.");
    char text[200];
    ph_observables *o = NULL;
    if (!at) return false;
    snprintf(text, sizeof text, "%.*s.%s", (int)(at - name), name, at + strlen(".start."));
    const char *one = text;
    ph_state *state = ph_state_create(model);
    const bool found = state && ph_observables_create(model, 1, &one, &o, NULL) == PH_OK;
    if (found) ph_observables_values(o, state, value);
    ph_observables_destroy(o);
    ph_state_destroy(state);
    return found;
}

// "BODY.friction": of its first shape
static bool shape_number(const ph_model *model, const char *name, double *value)
{
    const char *dot = strrchr(name, '.');
    char body[128];
    if (!dot || dot - name >= (long)sizeof body) return false;
    snprintf(body, sizeof body, "%.*s", (int)(dot - name), name);
    const int b = ph_model_find_body(model, body);
    const ph_shape_def *shape = b >= 0 ? ph_model_shape(model, b, 0) : NULL;
    if (!shape) return false;
    if (strcmp(dot, ".friction") == 0) return *value = shape->friction, true;
    if (strcmp(dot, ".restitution") == 0) return *value = shape->restitution, true;
    return strcmp(dot, ".density") == 0 && (*value = shape->density, true);
}

bool unknown_value(const ph_model *model, const char *name, double *value, bool *number)
{
    *number = false;
    if (file_value(model, name, value)) return true;
    if (ph_model_find_input(model, name) >= 0) return ph_model_number(model, name, value); // the start may depend on it
    *number = ph_model_number(model, name, value);
    return *number || joint_start(model, name, value) || body_start(model, name, value) ||
           shape_number(model, name, value);
}

// Lengths of the log-Cholesky form are measured by the size of the body: e^d.
double unknown_size(const ph_model *model, const char *name, double value)
{
    const char *at = strstr(name, ".log_cholesky.");
    if (!at) return value != 0.0 ? fabs(value) : 1.0;
    const char part = at[strlen(".log_cholesky.")];
    if (part == 'a' || part == 'd') return 1.0;
    double sum = 0.0, d;
    for (int k = 1; k <= 3; k++) {
        char text[200];
        snprintf(text, sizeof text, "%.*s.log_cholesky.d%d", (int)(at - name), name, k);
        if (ph_model_number(model, text, &d)) sum += d;
    }
    return exp(sum / 3.0);
}
