// FMI 3.0 for co-simulation, with early return where contacts begin or end. fmi3_refused.c holds the calls of other kinds.

#include "fmu/fmi3.h"

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

typedef struct instance {
    fmu *fmu;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    bool events; // the caller goes into event mode after an early return
} instance;

static void log_text(void *user, bool bad, const char *text)
{
    const instance *c = user;
    if (c->log) c->log(c->environment, bad ? fmi3Error : fmi3OK, bad ? "logStatusError" : "logAll", text);
}

static fmi3Status status_of(bool good)
{
    return good ? fmi3OK : fmi3Error;
}

// ---- The life of an instance ----------------------------------------------------------------------------------------

FMI_EXPORT const char *fmi3GetVersion(void);
FMI_EXPORT const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance, bool, size_t, const fmi3String[]);
FMI_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, bool on, size_t count, const fmi3String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi3OK;
}

FMI_EXPORT void fmi3FreeInstance(fmi3Instance);
FMI_EXPORT void fmi3FreeInstance(fmi3Instance of)
{
    instance *c = of;
    if (c) fmu_destroy(c->fmu);
    free(c);
}

FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String, fmi3String, bool, bool, bool, bool,
                                                    const fmi3ValueReference[], size_t, fmi3InstanceEnvironment,
                                                    fmi3LogMessageCallback, fmi3IntermediateUpdateCallback);
FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                    bool visible, bool logging, bool events, bool early,
                                                    const fmi3ValueReference intermediate[], size_t count,
                                                    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                    fmi3IntermediateUpdateCallback update)
{
    char path[4096] = "", failure[FMU_FAILURE] = "out of memory";
    instance *c = calloc(1, sizeof *c);
    (void)name, (void)visible, (void)logging, (void)intermediate, (void)count, (void)update;
    if (!c) return NULL;
    *c = (instance){.environment = environment, .log = log, .events = events};
    const size_t length = resources ? strlen(resources) : 0;
    if (length < sizeof path) memcpy(path, resources ? resources : "", length);
    for (size_t end = length; end > 1 && path[end - 1] == '/'; end--) path[end - 1] = '\0';
    c->fmu = length < sizeof path ? fmu_create(path, token, failure) : NULL;
    if (!c->fmu) {
        log_text(c, true, failure);
        fmi3FreeInstance(c);
        return NULL;
    }
    c->fmu->log = log_text;
    c->fmu->log_user = c;
    c->fmu->early_return = early;
    return c;
}

FMI_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance, bool, fmi3Float64, fmi3Float64, bool, fmi3Float64);
FMI_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance of, bool has_tolerance, fmi3Float64 tolerance,
                                                  fmi3Float64 start, bool has_stop, fmi3Float64 stop)
{
    instance *c = of;
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    fmu_start_at(c->fmu, start);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance);
FMI_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance of)
{
    instance *c = of;
    return status_of(fmu_begin(c->fmu));
}

FMI_EXPORT fmi3Status fmi3Terminate(fmi3Instance);
FMI_EXPORT fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance);
FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance of)
{
    instance *c = of;
    return status_of(fmu_reset(c->fmu));
}

// ---- Values ---------------------------------------------------------------------------------------------------------

#define VALUES fmi3Instance, const fmi3ValueReference[], size_t

FMI_EXPORT fmi3Status fmi3GetFloat64(VALUES, fmi3Float64[], size_t);
FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance of, const fmi3ValueReference r[], size_t n, fmi3Float64 values[],
                                     size_t room)
{
    instance *c = of;
    return status_of(fmu_get_numbers(c->fmu, r, n < room ? n : room, values));
}

FMI_EXPORT fmi3Status fmi3SetFloat64(VALUES, const fmi3Float64[], size_t);
FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance of, const fmi3ValueReference r[], size_t n,
                                     const fmi3Float64 values[], size_t room)
{
    instance *c = of;
    return status_of(fmu_set_numbers(c->fmu, r, n < room ? n : room, values));
}

FMI_EXPORT fmi3Status fmi3GetInt32(VALUES, fmi3Int32[], size_t);
FMI_EXPORT fmi3Status fmi3GetInt32(fmi3Instance of, const fmi3ValueReference r[], size_t n, fmi3Int32 values[],
                                   size_t room)
{
    instance *c = of;
    return status_of(fmu_get_integers(c->fmu, r, n < room ? n : room, values));
}

FMI_EXPORT fmi3Status fmi3GetString(VALUES, fmi3String[], size_t);
FMI_EXPORT fmi3Status fmi3GetString(fmi3Instance of, const fmi3ValueReference r[], size_t n, fmi3String values[],
                                    size_t room)
{
    instance *c = of;
    return status_of(fmu_get_texts(c->fmu, r, n < room ? n : room, values));
}

FMI_EXPORT fmi3Status fmi3SetString(VALUES, const fmi3String[], size_t);
FMI_EXPORT fmi3Status fmi3SetString(fmi3Instance of, const fmi3ValueReference r[], size_t n, const fmi3String values[],
                                    size_t room)
{
    instance *c = of;
    return status_of(fmu_set_texts(c->fmu, r, n < room ? n : room, values));
}

// ---- Going back -----------------------------------------------------------------------------------------------------

FMI_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance, fmi3FMUState *);
FMI_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance of, fmi3FMUState *state)
{
    (void)of;
    fmu_snapshot_free(state);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance, fmi3FMUState *);
FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance of, fmi3FMUState *state)
{
    instance *c = of;
    return status_of(fmu_snapshot(c->fmu, state));
}

FMI_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance, fmi3FMUState);
FMI_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance of, fmi3FMUState state)
{
    instance *c = of;
    return status_of(fmu_return_to(c->fmu, state));
}

FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance, fmi3FMUState, size_t *);
FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance of, fmi3FMUState state, size_t *size)
{
    (void)of;
    *size = fmu_snapshot_size(state);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance, fmi3FMUState, fmi3Byte[], size_t);
FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance of, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    instance *c = of;
    return status_of(fmu_snapshot_write(c->fmu, state, bytes, size));
}

FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance, const fmi3Byte[], size_t, fmi3FMUState *);
FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance of, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    instance *c = of;
    return status_of(fmu_snapshot_read(c->fmu, bytes, size, state));
}

// ---- Steps and events -----------------------------------------------------------------------------------------------

FMI_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance);
FMI_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance);
FMI_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

// Impacts happen within a step: when the caller hears of them there is nothing left to be done.
FMI_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance, bool *, bool *, bool *, bool *, bool *, fmi3Float64 *);
FMI_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance of, bool *again, bool *terminate, bool *nominals,
                                               bool *values, bool *has_next, fmi3Float64 *next)
{
    const instance *c = of;
    *again = *nominals = *values = *has_next = false;
    *terminate = c->fmu->terminated;
    *next = 0.0;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance);
FMI_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance, fmi3Float64, fmi3Float64, bool, bool *, bool *, bool *, fmi3Float64 *);
FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance of, fmi3Float64 time, fmi3Float64 length, bool final, bool *event,
                                 bool *terminate, bool *early, fmi3Float64 *reached)
{
    instance *c = of;
    step_end end;
    (void) final;
    const bool good = fmu_step(c->fmu, time, length, &end);
    *terminate = c->fmu->terminated;
    *early = good && end.early && c->fmu->early_return;
    *event = *early && c->events;
    *reached = end.time;
    return status_of(good);
}
