// Polhode: results as other files.
#ifndef POLHODE_CONVERT_H
#define POLHODE_CONVERT_H

#include "polhode/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_convert_def {
    long long every;      // every how many rows one is written; the first and last always. 0: all
    double from, to;      // rows between these times, s; NaN: all
    uint64_t reserved[4]; // room for later versions
} ph_convert_def;

PH_API ph_convert_def ph_default_convert(void);

typedef struct ph_convert_report {
    long long rows;       // written
    int left_out;         // shapes of a GLB file whose triangles are not known
    bool bare;            // a GLB file without shapes, as files that the model names are missing or may not be read
    uint64_t reserved[4]; // room for later versions
} ph_convert_report;

// Writes the result as `path`, whose ending chooses the format: .csv (as polhode run writes it), .npz (NumPy: the arrays of
// the HDF5 file by name, numpy.load), .glb (glTF 2.0: the shapes and their motion). `report` may be NULL.
PH_API ph_status ph_result_convert(ph_result *result, const char *path, const ph_convert_def *def,
                                   ph_convert_report *report, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
