// The table of shapes, made from the list in types.h.

#include "shapes/types.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHAPE_TYPE_ENTRY(name) &shape_##name,
const shape_type *const shape_types[] = {SHAPE_TYPES(SHAPE_TYPE_ENTRY) NULL};

const shape_type *shape_type_find(const char *name)
{
    for (int i = 0; name && shape_types[i]; i++) {
        if (strcmp(shape_types[i]->name, name) == 0) {
            return shape_types[i];
        }
    }
    return NULL;
}

void shape_fault(shape_faults *faults, const char *key, const char *hint, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    faults->add(faults->user, key, hint, text);
}
