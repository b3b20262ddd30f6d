// Calls of FMI 3.0 that this FMU has no use for: types it has no variables of, clocks, derivatives, model exchange. Each must
// be there; asked for nothing it is content, asked for something it is an error.

#include "fmu/fmi3.h"

#define REFUSED(name, parameters, nothing)                                                                             \
    FMI_EXPORT fmi3Status name parameters;                                                                             \
    FMI_EXPORT fmi3Status name parameters                                                                              \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return (nothing) ? fmi3OK : fmi3Error;                                                                         \
    }

#define LIST fmi3Instance c, const fmi3ValueReference r[], size_t n

#define UNUSED3(a, b, d) ((void)(a), (void)(b), (void)(d), 1)
#define REFUSED_GET(type) REFUSED(fmi3Get##type, (LIST, fmi3##type v[], size_t room), UNUSED3(r, v, room) && n == 0)
#define REFUSED_SET(type)                                                                                              \
    REFUSED(fmi3Set##type, (LIST, const fmi3##type v[], size_t room), UNUSED3(r, v, room) && n == 0)
#define REFUSED_BOTH(type) REFUSED_GET(type) REFUSED_SET(type)

REFUSED_BOTH(Float32)
REFUSED_BOTH(Int8)
REFUSED_BOTH(UInt8)
REFUSED_BOTH(Int16)
REFUSED_BOTH(UInt16)
REFUSED_SET(Int32)
REFUSED_BOTH(UInt32)
REFUSED_BOTH(Int64)
REFUSED_BOTH(UInt64)
REFUSED_BOTH(Boolean)
REFUSED(fmi3GetBinary, (LIST, size_t sizes[], fmi3Binary v[], size_t room), UNUSED3(r, v, room) && sizes && n == 0)
REFUSED(fmi3SetBinary, (LIST, const size_t sizes[], const fmi3Binary v[], size_t room),
        UNUSED3(r, v, room) && sizes && n == 0)
REFUSED(fmi3GetClock, (LIST, fmi3Clock v[]), UNUSED3(r, v, n) && n == 0)
REFUSED(fmi3SetClock, (LIST, const fmi3Clock v[]), UNUSED3(r, v, n) && n == 0)

// ---- Dependencies and derivatives -----------------------------------------------------------------------------------

REFUSED(fmi3GetNumberOfVariableDependencies, (fmi3Instance c, fmi3ValueReference r, size_t *count),
        UNUSED3(r, 0, 0) && !count)
REFUSED(fmi3GetVariableDependencies,
        (fmi3Instance c, fmi3ValueReference r, size_t of[], fmi3ValueReference on[], size_t on_index[],
         fmi3DependencyKind kinds[], size_t n),
        UNUSED3(r, of, on) && UNUSED3(on_index, kinds, 0) && n == 0)
REFUSED(fmi3GetDirectionalDerivative,
        (LIST, const fmi3ValueReference k[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 v[],
         size_t room),
        UNUSED3(r, k, m) && UNUSED3(seed, seeds, v) && UNUSED3(room, 0, 0) && n == 0)
REFUSED(fmi3GetAdjointDerivative,
        (LIST, const fmi3ValueReference k[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 v[],
         size_t room),
        UNUSED3(r, k, m) && UNUSED3(seed, seeds, v) && UNUSED3(room, 0, 0) && n == 0)
REFUSED(fmi3GetOutputDerivatives, (LIST, const fmi3Int32 orders[], fmi3Float64 v[], size_t room),
        UNUSED3(r, v, room) && UNUSED3(orders, 0, 0) && n == 0)

// ---- Configuration and clocks ---------------------------------------------------------------------------------------

REFUSED(fmi3EnterConfigurationMode, (fmi3Instance c), 0)
REFUSED(fmi3ExitConfigurationMode, (fmi3Instance c), 0)
REFUSED(fmi3GetIntervalDecimal, (LIST, fmi3Float64 v[], fmi3IntervalQualifier q[]), UNUSED3(r, v, q) && n == 0)
REFUSED(fmi3GetIntervalFraction, (LIST, fmi3UInt64 v[], fmi3UInt64 w[], fmi3IntervalQualifier q[]),
        UNUSED3(r, v, q) && UNUSED3(w, 0, 0) && n == 0)
REFUSED(fmi3GetShiftDecimal, (LIST, fmi3Float64 v[]), UNUSED3(r, v, 0) && n == 0)
REFUSED(fmi3GetShiftFraction, (LIST, fmi3UInt64 v[], fmi3UInt64 w[]), UNUSED3(r, v, w) && n == 0)
REFUSED(fmi3SetIntervalDecimal, (LIST, const fmi3Float64 v[]), UNUSED3(r, v, 0) && n == 0)
REFUSED(fmi3SetIntervalFraction, (LIST, const fmi3UInt64 v[], const fmi3UInt64 w[]), UNUSED3(r, v, w) && n == 0)
REFUSED(fmi3SetShiftDecimal, (LIST, const fmi3Float64 v[]), UNUSED3(r, v, 0) && n == 0)
REFUSED(fmi3SetShiftFraction, (LIST, const fmi3UInt64 v[], const fmi3UInt64 w[]), UNUSED3(r, v, w) && n == 0)

// ---- Model exchange and scheduled execution -------------------------------------------------------------------------

REFUSED(fmi3EnterContinuousTimeMode, (fmi3Instance c), 0)
REFUSED(fmi3CompletedIntegratorStep, (fmi3Instance c, bool final, bool *event, bool *terminate),
        UNUSED3(final, event, terminate) && 0)
REFUSED(fmi3SetTime, (fmi3Instance c, fmi3Float64 time), UNUSED3(time, 0, 0) && 0)
REFUSED(fmi3SetContinuousStates, (fmi3Instance c, const fmi3Float64 v[], size_t n), UNUSED3(v, 0, 0) && n == 0)
REFUSED(fmi3GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 v[], size_t n), UNUSED3(v, 0, 0) && n == 0)
REFUSED(fmi3GetEventIndicators, (fmi3Instance c, fmi3Float64 v[], size_t n), UNUSED3(v, 0, 0) && n == 0)
REFUSED(fmi3GetContinuousStates, (fmi3Instance c, fmi3Float64 v[], size_t n), UNUSED3(v, 0, 0) && n == 0)
REFUSED(fmi3GetNominalsOfContinuousStates, (fmi3Instance c, fmi3Float64 v[], size_t n), UNUSED3(v, 0, 0) && n == 0)
REFUSED(fmi3GetNumberOfEventIndicators, (fmi3Instance c, size_t *n), UNUSED3(n, 0, 0) && 0)
REFUSED(fmi3GetNumberOfContinuousStates, (fmi3Instance c, size_t *n), UNUSED3(n, 0, 0) && 0)
REFUSED(fmi3ActivateModelPartition, (fmi3Instance c, fmi3ValueReference r, fmi3Float64 time), UNUSED3(r, time, 0) && 0)

FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String, fmi3String, fmi3String, bool, bool,
                                                     fmi3InstanceEnvironment, fmi3LogMessageCallback);
FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                     bool visible, bool logging, fmi3InstanceEnvironment environment,
                                                     fmi3LogMessageCallback log)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    if (log) log(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation");
    return NULL;
}

FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String, fmi3String, fmi3String, bool, bool,
                                                          fmi3InstanceEnvironment, fmi3LogMessageCallback,
                                                          fmi3ClockUpdateCallback, fmi3PreemptionCallback,
                                                          fmi3PreemptionCallback);
FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                          bool visible, bool logging,
                                                          fmi3InstanceEnvironment environment,
                                                          fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                                          fmi3PreemptionCallback lock, fmi3PreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock, (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "this FMU is for co-simulation");
    return NULL;
}
