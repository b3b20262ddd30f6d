// What an FMU needs of the functional mock-up interface 3.0 (Modelica Association), as its document declares it.
#ifndef FMU_FMI3_H
#define FMU_FMI3_H

#include "fmu/fmi2.h" // FMI_EXPORT

#include <stdbool.h>
#include <stdint.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef int16_t fmi3Int16;
typedef int32_t fmi3Int32;
typedef int64_t fmi3Int64;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef uint16_t fmi3UInt16;
typedef uint32_t fmi3UInt32;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, bool, bool, bool, bool, bool *,
                                               fmi3Float64 *);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3PreemptionCallback)(void);

#endif
