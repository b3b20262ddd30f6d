// Numbers and expressions of model files: units, lists, names of parameters, indices and parts.
#ifndef PH_IO_MODEL_FORMULA_H
#define PH_IO_MODEL_FORMULA_H

#include "expression/expression.h"
#include "io/model/reader.h"
#include "io/model/units.h"

// The value of an expression of constants that stands in `n`. False after a mistake, which has been reported.
bool formula_constant(reader *r, const node *n, constant *to);
// Whether it stands for a list; nothing is reported. `why_not` (or NULL) gets a hint where lists do not go together.
bool formula_is_list(reader *r, const node *n, const char **why_not);
// The value of `text`, which stands in no file: --set and the like. `where` begins the message.
bool formula_text(reader *r, const char *where, const char *text, constant *to);

// An expression that may change in time, compiled; NULL after a mistake. `bound` gets its text with units, lists and
// parameters replaced by numbers and names by those of the whole model, so that it can be read without the file.
expression *formula_in_time(reader *r, const node *n, const char **bound);

// `text` of a repeated element or a part, with $i and $(i + 1) replaced; NULL after a mistake. `n` is where it stands.
const char *formula_substitute(reader *r, const node *n, const scope *scope, const char *text);

// A number without anything around it: most values are one.
bool plain_number(const char *text, double *value);

#endif
