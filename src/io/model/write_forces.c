// Forces as they are written.
#include "io/model/write.h"

#include "forces/force.h"

#include <string.h>

static const force_type *find_type(const char *name)
{
    for (int i = 0; name && force_types[i]; i++) {
        if (strcmp(force_types[i]->name, name) == 0) {
            return force_types[i];
        }
    }
    return NULL;
}

void write_force(model_text *t, const ph_spec *spec, const ph_force_def *f)
{
    const force_type *type = find_type(f->type);
    text_map(t, NULL);
    write_text_if(t, "name", f->name);
    text_string(t, "type", f->type ? f->type : "");
    write_keys(t, spec, type ? type->keys : NULL, f);
    text_end_map(t);
}
