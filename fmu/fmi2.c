// FMI 2.0 for co-simulation.

#include "fmu/fmi2.h"

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

typedef struct component {
    fmu *fmu;
    const fmi2CallbackFunctions *callbacks;
    char *name;
} component;

static void log_text(void *user, bool bad, const char *text)
{
    const component *c = user;
    const fmi2CallbackFunctions *call = c->callbacks;
    if (call && call->logger) {
        call->logger(call->componentEnvironment, c->name, bad ? fmi2Error : fmi2OK, bad ? "logStatusError" : "logAll",
                     "%s", text);
    }
}

static fmi2Status status_of(bool good)
{
    return good ? fmi2OK : fmi2Error;
}

// ---- Resources ------------------------------------------------------------------------------------------------------

static int hex(char c)
{
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

// file:///a%20b -> /a b, and file:///C:/a -> C:/a
static void path_of(const char *uri, char *path, size_t size)
{
    const char *s = uri;
    if (strncmp(s, "file:", 5) == 0) s += 5;
    if (strncmp(s, "///", 3) == 0) s += 2;
    if (strncmp(s, "//localhost/", 12) == 0) s += 11;
    if (s[0] == '/' && s[1] && s[2] == ':') s++;
    size_t used = 0;
    for (; *s && used + 1 < size; used++) {
        const bool escaped = s[0] == '%' && hex(s[1]) >= 0 && hex(s[2]) >= 0;
        path[used] = escaped ? (char)(16 * hex(s[1]) + hex(s[2])) : *s;
        s += escaped ? 3 : 1;
    }
    while (used > 1 && path[used - 1] == '/') used--;
    path[used] = '\0';
}

// ---- The life of an instance ----------------------------------------------------------------------------------------

FMI_EXPORT const char *fmi2GetTypesPlatform(void);
FMI_EXPORT const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI_EXPORT const char *fmi2GetVersion(void);
FMI_EXPORT const char *fmi2GetVersion(void)
{
    return "2.0";
}

FMI_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean, size_t, const fmi2String[]);
FMI_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi2OK;
}

FMI_EXPORT void fmi2FreeInstance(fmi2Component);
FMI_EXPORT void fmi2FreeInstance(fmi2Component instance)
{
    component *c = instance;
    if (!c) return;
    fmu_destroy(c->fmu);
    free(c->name);
    free(c);
}

FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *,
                                         fmi2Boolean, fmi2Boolean);
FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                         const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                                         fmi2Boolean logging)
{
    char path[4096] = "", failure[FMU_FAILURE] = "out of memory";
    component *c = calloc(1, sizeof *c);
    (void)visible, (void)logging;
    if (!c) return NULL;
    c->callbacks = callbacks;
    c->name = calloc(1, strlen(name ? name : "") + 1);
    if (c->name && name) strcpy(c->name, name);
    if (resources) path_of(resources, path, sizeof path);
    if (type != fmi2CoSimulation)
        strcpy(failure, "this FMU is for co-simulation");
    else if (c->name)
        c->fmu = fmu_create(path, guid, failure);
    if (!c->fmu) {
        log_text(c, true, failure);
        fmi2FreeInstance(c);
        return NULL;
    }
    c->fmu->log = log_text;
    c->fmu->log_user = c;
    return c;
}

FMI_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real);
FMI_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component instance, fmi2Boolean has_tolerance, fmi2Real tolerance,
                                          fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    component *c = instance;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    fmu_start_at(c->fmu, start);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component);
FMI_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component instance)
{
    (void)instance;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component);
FMI_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component instance)
{
    component *c = instance;
    return status_of(fmu_begin(c->fmu));
}

FMI_EXPORT fmi2Status fmi2Terminate(fmi2Component);
FMI_EXPORT fmi2Status fmi2Terminate(fmi2Component instance)
{
    (void)instance;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2Reset(fmi2Component);
FMI_EXPORT fmi2Status fmi2Reset(fmi2Component instance)
{
    component *c = instance;
    return status_of(fmu_reset(c->fmu));
}

// ---- Values ---------------------------------------------------------------------------------------------------------

#define VALUES fmi2Component, const fmi2ValueReference[], size_t

FMI_EXPORT fmi2Status fmi2GetReal(VALUES, fmi2Real[]);
FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component instance, const fmi2ValueReference r[], size_t n, fmi2Real values[])
{
    component *c = instance;
    return status_of(fmu_get_numbers(c->fmu, r, n, values));
}

FMI_EXPORT fmi2Status fmi2SetReal(VALUES, const fmi2Real[]);
FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component instance, const fmi2ValueReference r[], size_t n,
                                  const fmi2Real values[])
{
    component *c = instance;
    return status_of(fmu_set_numbers(c->fmu, r, n, values));
}

FMI_EXPORT fmi2Status fmi2GetInteger(VALUES, fmi2Integer[]);
FMI_EXPORT fmi2Status fmi2GetInteger(fmi2Component instance, const fmi2ValueReference r[], size_t n,
                                     fmi2Integer values[])
{
    component *c = instance;
    return status_of(fmu_get_integers(c->fmu, r, n, values));
}

FMI_EXPORT fmi2Status fmi2GetString(VALUES, fmi2String[]);
FMI_EXPORT fmi2Status fmi2GetString(fmi2Component instance, const fmi2ValueReference r[], size_t n, fmi2String values[])
{
    component *c = instance;
    return status_of(fmu_get_texts(c->fmu, r, n, values));
}

FMI_EXPORT fmi2Status fmi2SetString(VALUES, const fmi2String[]);
FMI_EXPORT fmi2Status fmi2SetString(fmi2Component instance, const fmi2ValueReference r[], size_t n,
                                    const fmi2String values[])
{
    component *c = instance;
    return status_of(fmu_set_texts(c->fmu, r, n, values));
}

static fmi2Status none_of(fmi2Component instance, size_t count, const char *what)
{
    component *c = instance;
    return status_of(count == 0 || fmu_fail(c->fmu, "this FMU has no %s", what));
}

FMI_EXPORT fmi2Status fmi2SetInteger(VALUES, const fmi2Integer[]);
FMI_EXPORT fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer v[])
{
    (void)r, (void)v;
    return none_of(c, n, "whole numbers to be set");
}

FMI_EXPORT fmi2Status fmi2GetBoolean(VALUES, fmi2Boolean[]);
FMI_EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean v[])
{
    (void)r, (void)v;
    return none_of(c, n, "truth values");
}

FMI_EXPORT fmi2Status fmi2SetBoolean(VALUES, const fmi2Boolean[]);
FMI_EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Boolean v[])
{
    (void)r, (void)v;
    return none_of(c, n, "truth values");
}

FMI_EXPORT fmi2Status fmi2SetRealInputDerivatives(VALUES, const fmi2Integer[], const fmi2Real[]);
FMI_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                                  const fmi2Integer order[], const fmi2Real v[])
{
    (void)r, (void)order, (void)v;
    return none_of(c, n, "derivatives of inputs");
}

FMI_EXPORT fmi2Status fmi2GetRealOutputDerivatives(VALUES, const fmi2Integer[], fmi2Real[]);
FMI_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n,
                                                   const fmi2Integer order[], fmi2Real v[])
{
    (void)r, (void)order, (void)v;
    return none_of(c, n, "derivatives of outputs");
}

FMI_EXPORT fmi2Status fmi2GetDirectionalDerivative(VALUES, const fmi2ValueReference[], size_t, const fmi2Real[],
                                                   fmi2Real[]);
FMI_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t n,
                                                   const fmi2ValueReference knowns[], size_t m, const fmi2Real seed[],
                                                   fmi2Real v[])
{
    (void)unknowns, (void)knowns, (void)m, (void)seed, (void)v;
    return none_of(c, n, "directional derivatives");
}

// ---- Going back -----------------------------------------------------------------------------------------------------

FMI_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component, fmi2FMUstate *);
FMI_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component of, fmi2FMUstate *state)
{
    (void)of;
    fmu_snapshot_free(state);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component, fmi2FMUstate *);
FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component of, fmi2FMUstate *state)
{
    component *c = of;
    return status_of(fmu_snapshot(c->fmu, state));
}

FMI_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component, fmi2FMUstate);
FMI_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component of, fmi2FMUstate state)
{
    component *c = of;
    return status_of(fmu_return_to(c->fmu, state));
}

FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component, fmi2FMUstate, size_t *);
FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component of, fmi2FMUstate state, size_t *size)
{
    (void)of;
    *size = fmu_snapshot_size(state);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component, fmi2FMUstate, fmi2Byte[], size_t);
FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component of, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    component *c = of;
    return status_of(fmu_snapshot_write(c->fmu, state, bytes, size));
}

FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *);
FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component of, const fmi2Byte bytes[], size_t size,
                                              fmi2FMUstate *state)
{
    component *c = of;
    return status_of(fmu_snapshot_read(c->fmu, bytes, size, state));
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

// Where the model's own stop_when ends the motion the step is discarded behind that time, as the standard has it.
FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component, fmi2Real, fmi2Real, fmi2Boolean);
FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component instance, fmi2Real time, fmi2Real length, fmi2Boolean final)
{
    component *c = instance;
    step_end end;
    (void) final;
    if (!fmu_step(c->fmu, time, length, &end)) return fmi2Error;
    return end.terminated ? fmi2Discard : fmi2OK;
}

FMI_EXPORT fmi2Status fmi2CancelStep(fmi2Component);
FMI_EXPORT fmi2Status fmi2CancelStep(fmi2Component instance)
{
    return none_of(instance, 1, "steps that go on by themselves");
}

FMI_EXPORT fmi2Status fmi2GetStatus(fmi2Component, fmi2StatusKind, fmi2Status *);
FMI_EXPORT fmi2Status fmi2GetStatus(fmi2Component instance, fmi2StatusKind kind, fmi2Status *value)
{
    const component *c = instance;
    (void)kind;
    *value = c->fmu->terminated ? fmi2Discard : fmi2OK;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component, fmi2StatusKind, fmi2Real *);
FMI_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component instance, fmi2StatusKind kind, fmi2Real *value)
{
    const component *c = instance;
    *value = c->fmu->reached;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component, fmi2StatusKind, fmi2Integer *);
FMI_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component instance, fmi2StatusKind kind, fmi2Integer *value)
{
    (void)instance, (void)kind, (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component, fmi2StatusKind, fmi2Boolean *);
FMI_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component instance, fmi2StatusKind kind, fmi2Boolean *value)
{
    const component *c = instance;
    *value = c->fmu->terminated ? fmi2True : fmi2False;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component, fmi2StatusKind, fmi2String *);
FMI_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component instance, fmi2StatusKind kind, fmi2String *value)
{
    const component *c = instance;
    (void)kind;
    *value = c->fmu->failure;
    return fmi2OK;
}
