// The table of contact solvers. A new one gets its line at the end: results hold the numbers.
#include "model/solvers.h"

#include "polhode/sim.h"

#include <string.h>

static const char *const names[] = {"none", "heap", "apgd", "bb", "pgs", "newton", "trees", "both"};
enum { NAMES = sizeof names / sizeof *names };
_Static_assert((int)NAMES <= (int)PH_CONTACT_SOLVERS, "ph_summary counts the steps of every solver");

const char *ph_contact_solver_name(int index)
{
    return index >= 0 && index < NAMES ? names[index] : NULL;
}

int contact_solver_index(const char *name)
{
    for (int k = 1; name && k < NAMES; k++)
        if (strcmp(names[k], name) == 0) return k;
    return 0;
}
