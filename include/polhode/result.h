// Polhode: reading results (the files that `polhode run --out` and io.h write).
//
//     ph_result *result;
//     if (ph_result_open("out.h5", &result, &error) != PH_OK) ...;          // error.text says what is wrong with the file
//     const long long n = ph_result_rows(result);
//     const double *t = ph_result_values(result, ph_result_find(result, "time"), &error);
//     const double *x = ph_result_values(result, ph_result_find(result, "position"), &error);   // [n][bodies][3]
//     ph_result_destroy(result);
//
// HDF5 results of this library are read as they are, also while the run that writes them goes on: ph_result_refresh looks
// for further rows. CSV results, by their ending, give the same fields and bodies, but know neither scheme nor model; what was
// written after they were opened is not seen. One object belongs to one thread at a time.
#ifndef POLHODE_RESULT_H
#define POLHODE_RESULT_H

#include "polhode/io.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_result ph_result;

// Opens a result and checks it: that it is one of ours, its version, that it is whole, that its parts fit together. A run
// that has just begun may have no row yet: that is no error here, see ph_result_rows. PH_NOT_FOUND: there is no such file;
// PH_BAD_ARGUMENT: it is something else, or damaged; PH_NOT_SUPPORTED: another version, or this build has no HDF5.
PH_API ph_status ph_result_open(const char *path, ph_result **result, ph_error *error);
PH_API void ph_result_destroy(ph_result *result);

PH_API const char *ph_result_path(const ph_result *result);
PH_API const char *ph_result_name(const ph_result *result);     // of the model; "" when it has none
PH_API const char *ph_result_scheme(const ph_result *result);   // "" when not known
PH_API double ph_result_step(const ph_result *result);          // of the scheme, s; 0 when not known
PH_API const char *ph_result_text(const ph_result *result);     // the model file it came from; "" when not known
PH_API const char *ph_result_settings(const ph_result *result); // that it was read with, "name=value" lines

PH_API int ph_result_bodies(const ph_result *result); // fixed ones included, in the order of the model
PH_API const char *ph_result_body(const ph_result *result, int body);
PH_API int ph_result_joints(const ph_result *result);
PH_API const char *ph_result_joint(const ph_result *result, int joint);

// Rows that are valid now, and rows the file has room for: the first are less while the run goes on, or when it was
// stopped. Refresh asks the file again and lets go of the arrays of ph_result_values.
PH_API long long ph_result_rows(const ph_result *result);
PH_API long long ph_result_capacity(const ph_result *result);
PH_API ph_status ph_result_refresh(ph_result *result, ph_error *error);

// ---- Fields ---------------------------------------------------------------------------------------------------------

// One array of the file; its first dimension is time, but for those of "contacts".
typedef struct ph_result_field {
    const char *name;           // "time", "position", "energy/total", "joints/A/force", "contacts/gap"
    int joint;                  // PH_NONE when it does not belong to a joint
    const char *part;           // the last part of the name: "force"
    int rank;                   // dimensions of one row: 0 to 3
    int shape[3];               // {bodies, 3}, ...
    size_t width;               // values in one row: the product of `shape`
    int bodies;                 // that the first dimension of a row runs over; 0: it does not
    const int *body;            // which bodies these are
    const double *body_volume;  // their volumes (m^3; 0: not known), or NULL
    const char *const *columns; // names of the numbers of a sensor, `width` of them; NULL: not known here
} ph_result_field;

PH_API int ph_result_fields(const ph_result *result);
PH_API ph_result_field ph_result_field_get(const ph_result *result, int field);
PH_API int ph_result_find(const ph_result *result, const char *name); // index or PH_NONE
PH_API int ph_result_find_joint(const ph_result *result, int joint, const char *part);

// Valid rows of one field: ph_result_rows, except in "contacts": contacts/offset has one more, and the others have as many
// as there were contacts in all rows together (those of row i are offset[i] to offset[i + 1]).
PH_API long long ph_result_field_rows(const ph_result *result, int field);

// All valid rows of a field, which stay in memory until refresh or destroy; NULL on failure (and for PH_NONE).
PH_API const double *ph_result_values(ph_result *result, int field, ph_error *error);

// `count` rows from row `first` on, every `stride`-th, and of each the values `from` to `from + width - 1`, into
// to[count * width]. Nothing is kept.
PH_API ph_status ph_result_read(ph_result *result, int field, long long first, long long stride, long long count,
                                size_t from, size_t width, double *to, ph_error *error);

// ---- The model ------------------------------------------------------------------------------------------------------

// The model that was run, from its text and its settings in the file: its shapes, joints and so on. Mistakes go into
// `problems` (may be NULL). PH_NOT_FOUND: the file holds no model.
PH_API ph_status ph_result_model(const ph_result *result, ph_problems *problems, ph_model **model, ph_error *error);

// Shapes whose points are in files of their own are read from the folder of the result or below it, wherever the result says
// that they are: a result of somebody else must not have any file of this machine read. This allows a further folder: files
// are read where the result says if that is inside of it, else from `folder` itself. NULL takes it back.
PH_API ph_status ph_result_allow_folder(ph_result *result, const char *folder, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
