// What the commands that differentiate runs share: parameters by name, runs, exact derivatives or, where a scheme has none,
// differences of whole runs.
#ifndef CLI_DIFFERENTIATE_H
#define CLI_DIFFERENTIATE_H

#include "options.h"

#include "polhode/polhode.h"

enum { NAMES_MAX = 256 };

// A comma-separated list, split in a copy that the caller frees.
bool split_names(const char *option_name, const char *text, text_list *names, char **copy);

// A run of a model file, and what it is differentiated by.
typedef struct differential {
    const char *path;
    text_list settings;
    const char *scheme; // NULL: that of the file
    ph_model *model;
    double step;
    long long steps;
    int parameter_count;
    ph_parameter list[NAMES_MAX];
    ph_parameters *parameters; // NULL: by differences
    ph_adjoint *adjoint;       // likewise
    char why[512];             // there is no adjoint
    bool by_runs[NAMES_MAX];   // parameters without exact derivative that differences of runs have one for
} differential;

// Loads the model, finds the parameters (NULL: all of the file) and the steps up to `until` (0: as the file says). Mistakes
// are reported.
bool differential_open(differential *d, const char *path, const text_list *settings, const char *scheme,
                       const text_list *by, double step, double until);
void differential_close(differential *d);

// The model at another value of parameter k; NULL: there is none. For ph_parameters_create, with `user` a differential.
ph_model *model_with(int k, double value, void *user, ph_error *error);

// Says which parameters have no derivative or no effect. Returns how many have none.
int report_parameters(const differential *d);

// Quantities at nodes 0, every, 2 every ... and the last one: values (nodes x quantities) of the model as it is, at a value of
// parameter k or, with k < 0, as it stands.
bool run_quantities(const differential *d, int k, double value, const text_list *of, long long every, double *values,
                    ph_error *error);
long long shown_nodes(const differential *d, long long every);

// Derivatives of the same by parameter k by differences of whole runs, extrapolated.
bool differentiate_runs(const differential *d, int k, const text_list *of, long long every, double *derivatives,
                        ph_error *error);

#endif
