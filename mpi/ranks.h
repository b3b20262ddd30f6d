// Heaps on many machines: rank 0 runs the program and has the model, the whole state and all files; all ranks make the steps.
//
// Every rank has its own bodies and copies of those near them, and runs the kernels' text of gpu/ on these. Contacts between bodies of
// two ranks are on both, and both find the same bits; all other numbers of a copy come from its owner, colour by colour. Nothing that is
// found depends on who has what: colours are drawn by names, sums are exact. So the number of ranks does not change a bit.
#ifndef MPI_RANKS_H
#define MPI_RANKS_H

#include "card.h"

#include <stdbool.h>

extern const card_machine card_machine_ranks; // on rank 0

// Once, when MPI has begun. false, and a message on rank 0, where ranks are of different versions.
bool ranks_begin(const char *version);
void ranks_serve(void); // all ranks but 0: until ranks_end
void ranks_end(void);   // rank 0

#endif
