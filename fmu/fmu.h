// A model as a functional mock-up unit (FMI 2.0 and 3.0, co-simulation): what both versions of the standard share.
//
// The FMU's resources hold the model (JSON) and a list of variables (variables.txt), written by `polhode export`. fmi2.c and
// fmi3.c are the two interfaces; instance.c, variables.c, values.c, step.c and saved.c know nothing of them.
#ifndef FMU_FMU_H
#define FMU_FMU_H

#include "polhode/polhode.h"

enum { FMU_NAME = 256, FMU_FAILURE = 1400, FMU_SETTINGS = 128 };

typedef enum variable_kind {
    VARIABLE_TIME,
    VARIABLE_STEP,      // parameter: length of a step
    VARIABLE_SCHEME,    // parameter, text
    VARIABLE_PARAMETER, // of the model file
    VARIABLE_INPUT,
    VARIABLE_QUANTITY, // a name of ph_observables
    VARIABLE_ENERGY,   // kinetic, potential, work, total
    VARIABLE_REACTION, // force and torque of a joint
    VARIABLE_CONTACTS, // how many there are
    VARIABLE_KINDS
} variable_kind;

typedef struct variable {
    variable_kind kind;
    char name[FMU_NAME]; // in the model: of the parameter, input, quantity or joint
    int index;           // of the parameter, input, quantity, component
    int joint;
    double value; // of parameters
} variable;

// How a step ended.
typedef struct step_end {
    bool early;      // before the time that was asked for: something happened there
    bool terminated; // stop_when of the model has ended the motion
    double time;
} step_end;

typedef struct fmu {
    char token[FMU_NAME], scheme[FMU_NAME];
    double step;
    int count;
    variable *variables; // by their value reference
    int setting_count;   // that the file is read with
    char (*settings)[2 * FMU_NAME];
    ph_model *written; // as the file has it
    ph_model *model;   // at the values of the parameters; may be `written`
    ph_state *state;
    ph_sim *sim;
    ph_event *event; // NULL: none
    ph_observer *observer;
    ph_observables *quantities; // NULL: none
    int quantity_count;
    double *values;                                      // of them, ...
    ph_wrench *reactions;                                // ... of all joints, ...
    ph_measures measures;                                // ... and of the whole,
    bool values_known, reactions_known;                  // as far as they are known of this state
    bool measures_known;                                 //
    bool stale;                                          // parameters were set: the model is to be made anew
    bool running;                                        // the simulation has begun: parameters stay as they are
    double start;                                        // time at which it begins
    double reached;                                      // time of the last step that succeeded
    bool terminated;                                     // stop_when of the model has ended the motion
    bool early_return;                                   // the caller wants to know of contacts that begin and end
    uint64_t touching;                                   // which bodies touch
    void (*log)(void *user, bool bad, const char *text); // may be NULL
    void *log_user;
    char failure[FMU_FAILURE];
} fmu;

// ---- instance.c -----------------------------------------------------------------------------------------------------

// From the folder of the resources. NULL: `failure` says why.
fmu *fmu_create(const char *folder, const char *token, char failure[FMU_FAILURE]);
void fmu_destroy(fmu *f);
bool fmu_reset(fmu *f); // as after fmu_create
void fmu_start_at(fmu *f, double time);
bool fmu_begin(fmu *f); // parameters stay as they are from here on
// Makes the model anew where parameters were set since.
bool fmu_settle(fmu *f);
// Says what went wrong, and is false.
bool fmu_fail(fmu *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fmu_forget_values(fmu *f);

// ---- variables.c ----------------------------------------------------------------------------------------------------

// Numbers with a point, whatever the caller's locale says.
double number_of(const char *text);
void number_to(char *text, size_t size, double number);

bool variables_read(fmu *f, const char *path, char model_file[FMU_NAME]);
bool variables_find(fmu *f); // in the model; again after it was made anew
bool fmu_get(fmu *f, unsigned reference, double *value);
bool fmu_set(fmu *f, unsigned reference, double value);
const char *fmu_get_text(fmu *f, unsigned reference); // NULL: it is no text
bool fmu_set_text(fmu *f, unsigned reference, const char *text);

// ---- values.c -------------------------------------------------------------------------------------------------------

bool fmu_get_numbers(fmu *f, const unsigned *references, size_t count, double *values);
bool fmu_set_numbers(fmu *f, const unsigned *references, size_t count, const double *values);
bool fmu_get_integers(fmu *f, const unsigned *references, size_t count, int *values);
bool fmu_get_texts(fmu *f, const unsigned *references, size_t count, const char **values);
bool fmu_set_texts(fmu *f, const unsigned *references, size_t count, const char *const *values);

// A state of the instance to go back to, in *state: NULL, or one made before.
bool fmu_snapshot(fmu *f, void **state);
bool fmu_return_to(fmu *f, const void *state);
void fmu_snapshot_free(void **state); // which may be NULL
size_t fmu_snapshot_size(const void *state);
bool fmu_snapshot_write(fmu *f, const void *state, void *bytes, size_t size);
bool fmu_snapshot_read(fmu *f, const void *bytes, size_t size, void **state);

// ---- step.c ---------------------------------------------------------------------------------------------------------

bool fmu_step(fmu *f, double from, double length, step_end *end);

// ---- saved.c --------------------------------------------------------------------------------------------------------

// All that changes, as bytes: parameters and the state. NULL: out of memory. To be freed.
void *fmu_save(fmu *f, size_t *bytes);
bool fmu_load(fmu *f, const void *saved, size_t bytes);

#endif
