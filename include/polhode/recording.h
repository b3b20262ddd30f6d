// Polhode: results in memory, by the same names and shapes as in a result file.
//
//     ph_recording *recording = ph_recording_create(model);
//     ph_run_def def = ph_default_run();
//     def.recording = recording;
//     ph_run(model, state, &def, &summary, &error);
//     const ph_recorded total = ph_recording_find(recording, "energy/total");
//     for (long long k = 0; k < ph_recording_rows(recording); k++) use(total.data[k]);
#ifndef POLHODE_RECORDING_H
#define POLHODE_RECORDING_H

#include "polhode/io.h"

#ifdef __cplusplus
extern "C" {
#endif

// The model must outlive it. NULL when out of memory.
PH_API ph_recording *ph_recording_create(const ph_model *model);
PH_API void ph_recording_destroy(ph_recording *recording);

// Records only this quantity or group ("position", "energy", "joints/A"), beside others asked for in the same way and the
// time. Without any such call everything is recorded. Before the run.
PH_API ph_status ph_recording_want(ph_recording *recording, const char *name);

PH_API long long ph_recording_rows(const ph_recording *recording);

// One quantity: `data` holds it row after row, each of `count` doubles in the shape given.
typedef struct ph_recorded {
    const char *name; // "joints/A/force"; NULL: there is none
    int rank;         // of the value in one row, 0 to 3
    int shape[3];
    size_t count;
    double *data;
} ph_recorded;

PH_API int ph_recording_count(const ph_recording *recording);
PH_API ph_recorded ph_recording_get(const ph_recording *recording, int index);
PH_API ph_recorded ph_recording_find(const ph_recording *recording, const char *name);

// Writes what was recorded as ph_run would have done; the ending of `path` chooses the format.
PH_API ph_status ph_recording_write(const ph_recording *recording, const char *path, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
