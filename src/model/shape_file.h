// Files of shapes: OBJ and STL for hulls and meshes, tables of numbers and PGM pictures for height fields.
#ifndef PH_MODEL_SHAPE_FILE_H
#define PH_MODEL_SHAPE_FILE_H

#include "base/memory.h"
#include "polhode/spec.h"

enum { SHAPE_FILE_BYTES_MAX = 1 << 30 };

// Reads shape->file, relative to `folder` (NULL: the working directory), into shape->data:
//
//     mesh           triangles, nine numbers each
//     hull           points, three numbers each
//     heightfield    rows of values
//
// The kind is told by what is in the file. On failure the error says what is wrong and in which line.
ph_status shape_file_read(ph_shape_def *shape, const char *folder, arena *memory, ph_error *error);

// Both exist, and `path` is `folder` or inside of it, links followed.
bool lies_below(const char *path, const char *folder);

#endif
