// Force elements.

#include "model/compile.h"

void compile_forces(compiler *c)
{
    for (int i = 0; i < c->spec->force_count; i++) {
        complain(c, place_of("forces[%d]", i), NULL, "there is no force type '%s'", c->spec->forces[i].type);
    }
}
