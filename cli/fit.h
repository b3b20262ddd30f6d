// What the fit command shares with its report.
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "data_file.h"
#include "progress.h"

enum { FIT_RUNS = 64 };

typedef struct fit_options {
    const char *by, *of, *scheme, *out;
    double step, until, robust, tolerance;
    int iterations;
    text_list settings, sigmas, maps, guesses;
    bool json, quiet, differences, resume, no_verdict;
} fit_options;

// A fit from the command line.
typedef struct fitting {
    const char *path;
    const fit_options *options;
    ph_model *model;
    ph_fit_def def;
    char (*names)[DATA_NAME]; // of unknowns
    ph_unknown *unknowns;
    double *guess;
    int unknown_count;
    data_file files[FIT_RUNS];
    ph_fit_data runs[FIT_RUNS];
    char (*columns[FIT_RUNS])[DATA_NAME]; // names of quantities
    double *sigmas[FIT_RUNS];
    text_list ignored; // columns that are nothing the model knows
    double seconds;
    progress progress;
} fitting;

void fit_print(const fitting *f, const ph_fit *fit);
void fit_print_json(const fitting *f, const ph_fit *fit, const text_list *written);
bool fit_write(const fitting *f, const ph_fit *fit, text_list *written);

#endif
