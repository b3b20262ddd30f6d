// Polhode: models as functional mock-up units (FMI 2.0 and 3.0, co-simulation), for Simulink, OpenModelica and the like.
#ifndef POLHODE_FMU_H
#define POLHODE_FMU_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_fmu_def {
    uint32_t cookie;
    int version;        // of the interface: 2 or 3
    const char *scheme; // NULL: what the model's run settings say
    double step;        // 0: likewise
    // Quantities beside coordinates and rates of all joints, as ph_observables names them; energy.{kinetic,potential,work,
    // total}; joints.JOINT.{force,torque}.{x,y,z}; contacts.count. A name without its last part stands for all of them.
    const char *const *outputs;
    int output_count;
    const char *runtime;  // folder with the binaries and sources that go in (cmake target polhode_fmu)
    bool sources;         // put the sources in too
    uint64_t reserved[4]; // room for later versions
} ph_fmu_def;

PH_API ph_fmu_def ph_default_fmu(void); // version 3, with sources

typedef struct ph_fmu_report {
    int parameters, inputs, outputs;
    int binaries, source_files;
    long long bytes;
    uint64_t reserved[4]; // room for later versions
} ph_fmu_report;

// Writes the model as an FMU that needs nothing but itself. PH_NOT_SUPPORTED: its motion is not told by its file alone, as
// there are forces that the program computes. `report` may be NULL.
PH_API ph_status ph_fmu_write(const ph_model *model, const char *path, const ph_fmu_def *def, ph_fmu_report *report,
                              ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
