// The table of force types, made from the list in types.h; and what may be asked of any of them.

#include "forces/types.h"

#include <stddef.h>

#define FORCE_TYPE_ENTRY(name) &force_##name,
const force_type *const force_types[] = {FORCE_TYPES(FORCE_TYPE_ENTRY) NULL};

static bool is_symmetric(const ph_force_def *def)
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < r; c++)
            if (def->stiffness6[r][c] != def->stiffness6[c][r] || def->damping6[r][c] != def->damping6[c][r])
                return false;
    return true;
}

bool force_may_be_rows(const force *f)
{
    return f->type->lines && f->def && is_symmetric(f->def);
}
