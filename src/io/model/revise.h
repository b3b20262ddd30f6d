// What of a model follows from some of its parameters, so that other values of them need no other reading of the file.
//
// While a file is read, every evaluation that meets such a parameter counts (reader.touched). What can be evaluated again by itself, an
// element or a constant, is noted with it, in the order of reading; repeating the notes makes the spec that the file would give with the
// new values. Evaluations that nobody has noted decide about names and numbers of elements: then the file must be read as a whole.
#ifndef PH_IO_MODEL_REVISE_H
#define PH_IO_MODEL_REVISE_H

#include "io/model/reader.h"
#include "polhode/io.h"

typedef struct revised revised;
struct revised {
    void (*again)(reader *r, const revised *v);
    const node *node, *other; // what stands in the file
    const void *with;
    void *to;
    field_reader read;
    size_t counter; // of the elements, in ph_spec
    int index;
    revised *next;
};

// Notes that what was read since r->touched was `before` is read again by `what`; nothing where no parameter was met.
void revise_note(reader *r, int before, revised what);

bool revise_is_varying(const reader *r, const char *name);

// ---- A spec that follows its parameters -------------------------------------------------------------------------------

typedef struct revision revision;

// Reads the text of a model with these parameters (or inputs, or coordinates of joints) at `values`. PH_NOT_SUPPORTED: more than numbers
// may follow from them.
ph_status revision_create(const ph_model *model, const ph_setting *varying, int count, ph_problems *problems,
                          revision **made);
void revision_destroy(revision *v);
bool revision_is_of(const revision *v, const ph_setting *varying, int count); // these, in this order

// The model that its text would give at other values: the same bits.
ph_status revision_model(revision *v, const double *values, ph_problems *problems, ph_model **model);

#endif
