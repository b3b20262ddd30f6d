// Polhode: reading models and writing results. Built only with libyaml and HDF5 where the functions say so.
#ifndef POLHODE_IO_H
#define POLHODE_IO_H

#include "polhode/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Models ---------------------------------------------------------------------------------------------------------

typedef struct ph_setting {   // --set name=value: a parameter or an input
    const char *name, *value; // value: a number or an expression of earlier parameters
} ph_setting;

// Reads a model file (YAML or JSON) into a spec. All mistakes go into `problems`; the spec is made only when there is none.
// PH_NOT_SUPPORTED without libyaml.
PH_API ph_status ph_spec_read_file(const char *path, const ph_setting *settings, int setting_count,
                                   ph_problems *problems, ph_spec **spec);
PH_API ph_status ph_spec_read_text(const char *text, size_t length, const char *name, const ph_setting *settings,
                                   int setting_count, ph_problems *problems, ph_spec **spec);
// Reads and compiles.
PH_API ph_status ph_model_read_file(const char *path, const ph_setting *settings, int setting_count,
                                    ph_problems *problems, ph_model **model);

// Reads and compiles the text that a model was read from once more, with these settings beside those it had: the same model
// at other values of its parameters. PH_NOT_FOUND: it was built by calls.
PH_API ph_status ph_model_again(const ph_model *model, const ph_setting *more, int count, ph_problems *problems,
                                ph_model **again);

// The same with values of parameters, inputs, starts of joints (JOINT.rate) and of numbers of the spec by name: gravity.z,
// BODY.mass, BODY.com.x, BODY.inertia.xy, BODY.log_cholesky.d1 (docs/fit.md), BODY.start.velocity.x, BODY.friction and
// .restitution (of all its shapes), joints.J.damping, forces.F.stiffness and the like.
PH_API ph_status ph_spec_at(const ph_model *model, int count, const char *const *names, const double *values,
                            ph_problems *problems, ph_spec **spec, ph_error *error);
PH_API ph_status ph_model_at(const ph_model *model, int count, const char *const *names, const double *values,
                             ph_model **made, ph_error *error);

// The spec as a model file that reads back to the same model bit for bit; expressions of parameters have become numbers.
// The text lives as long as the spec. PH_NOT_SUPPORTED: it has forces that are computed by the program (callback.h).
typedef enum ph_model_format { PH_MODEL_YAML, PH_MODEL_JSON } ph_model_format;
PH_API ph_status ph_spec_write_text(ph_spec *spec, ph_model_format format, const char **text, ph_error *error);
PH_API ph_status ph_spec_write_file(ph_spec *spec, const char *path, ph_error *error); // JSON when it ends with .json
// Makes that text the one that is stored with results, for specs built by calls: whoever reads them finds the model there.
PH_API ph_status ph_spec_describe(ph_spec *spec, ph_error *error);
// A model file in the other format, with its parameters and expressions but without its comments. What is in it is not
// checked. Mistakes of its form go into `problems`.
PH_API ph_status ph_model_file_convert(const char *from, const char *to, ph_problems *problems, ph_error *error);

// The JSON schema of the model file, with which editors complete keys and underline mistakes. Returns the length that the
// full text needs, like snprintf; -1: out of memory.
PH_API int ph_model_schema(char *text, size_t size);

// ---- Results --------------------------------------------------------------------------------------------------------

typedef struct ph_result_def {
    const char *path;        // the ending chooses the format
    ph_recording *recording; // in place of a file (recording.h), or NULL
    const char *scheme;      // for the attributes
    double step;
    long long rows;       // how many will be appended at the most
    bool multipliers;     // beside the stress also the multipliers of R^T R = I (ph_sim_multipliers); ph_run sets it
    bool quaternions;     // likewise momentum and multiplier of the quaternions (ph_sim_quaternions)
    uint64_t reserved[4]; // room for later versions
} ph_result_def;

typedef struct ph_result_writer ph_result_writer;
// Makes the file whole before it appears under its name: a reader never meets half of it.
PH_API ph_status ph_result_create(const ph_model *model, const ph_result_def *def, ph_result_writer **writer,
                                  ph_error *error);
// Opens a file that a call of ph_result_create with the same definition and model has made, also one of a program that was
// killed, and drops all but its first `rows` rows. A file that was made otherwise is refused.
PH_API ph_status ph_result_resume(const ph_model *model, const ph_result_def *def, long long rows,
                                  ph_result_writer **writer, ph_error *error);
PH_API ph_status ph_result_append(ph_result_writer *writer, const ph_state *state, ph_observer *observer,
                                  ph_error *error);
PH_API ph_status ph_result_flush(ph_result_writer *writer, ph_error *error);
PH_API ph_status ph_result_sync(ph_result_writer *writer, ph_error *error);  // flushes and waits for the disk
PH_API long long ph_result_appended(const ph_result_writer *writer);         // rows so far
PH_API ph_status ph_result_close(ph_result_writer *writer, ph_error *error); // frees the writer also on failure

#ifdef __cplusplus
}
#endif
#endif
