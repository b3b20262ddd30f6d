// A model on its way into an FMU: its variables, their description, and the archive.
#ifndef PH_IO_FMU_FMU_H
#define PH_IO_FMU_FMU_H

#include "base/memory.h"
#include "io/page/text.h"
#include "polhode/fmu.h"

typedef enum fmu_kind {
    FMU_TIME,
    FMU_STEP,
    FMU_SCHEME,
    FMU_PARAMETER,
    FMU_INPUT,
    FMU_QUANTITY,
    FMU_ENERGY,
    FMU_REACTION,
    FMU_CONTACTS,
} fmu_kind;

// One variable. Its value reference is its place in the list.
typedef struct fmu_variable {
    fmu_kind kind;
    const char *name;  // in the description
    const char *inner; // of the parameter, input, quantity or joint in the model
    const char *unit;  // "" for a number without
    const char *about;
    int index; // of a component
    double start;
} fmu_variable;

typedef struct fmu_list {
    const ph_model *model;
    arena *memory;
    int count, capacity;
    fmu_variable *variables;
    const char *scheme;
    double step;
    bool failed; // out of memory
} fmu_list;

// variables.c: everything that the FMU shows.
ph_status fmu_list_make(fmu_list *list, const ph_model *model, const ph_fmu_def *def, ph_error *error);
void fmu_list_free(fmu_list *list);
bool fmu_is_output(const fmu_variable *v);
// What the runtime reads (fmu/variables.c).
void fmu_put_variables(page_text *t, const fmu_list *list, const char *token, const char *settings);

// describe.c: modelDescription.xml and buildDescription.xml. `sources`: their names, one a line.
typedef struct fmu_about {
    const char *identifier, *token, *sources;
} fmu_about;
void fmu_describe_2(page_text *t, const fmu_list *list, const fmu_about *about);
void fmu_describe_3(page_text *t, const fmu_list *list, const fmu_about *about);
void fmu_describe_build(page_text *t, const fmu_about *about);

#endif
