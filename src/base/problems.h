// Collecting the mistakes of a model.
#ifndef BASE_PROBLEMS_H
#define BASE_PROBLEMS_H

#include "polhode/base.h"

ph_problems *problems_create(const ph_allocator *allocator); // NULL when out of memory

// Appends a copy of `problem`, its strings included. Does nothing when `problems` is NULL. When memory runs out the
// problem is still counted, and one that says so ends the list.
void problems_add(ph_problems *problems, const ph_problem *problem);

// The same with the text made from `format` (cut at 1023 bytes); `problem->text` is not used.
//
//     problems_printf(problems, &(ph_problem){.severity = PH_ERROR, .path = path}, "mass is %g, it must be positive", m);
__attribute__((format(printf, 3, 4))) void problems_printf(ph_problems *problems, const ph_problem *problem,
                                                           const char *format, ...);

#endif
