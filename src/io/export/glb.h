// A result on its way to glTF: glb.c collects what is seen and sends numbers, glb_json.c describes them.
#ifndef PH_IO_EXPORT_GLB_H
#define PH_IO_EXPORT_GLB_H

#include "io/export/convert.h"
#include "io/model/text.h"
#include "math/quat.h"
#include "model/model.h"
#include "shapes/triangles.h"

typedef struct glb_mesh {
    const ph_shape_def *shape;
    const char *color;
    triangles surface;
    int material;
} glb_mesh;

typedef struct glb_child { // a shape of a body
    int body, mesh;
    ph_vec3 position; // from the centre of mass
    ph_quat orientation;
} glb_child;

typedef struct glb {
    conversion *c;
    ph_error *error;
    arena *memory;
    ph_model *model; // NULL: not in the result
    const double *time, *position, *orientation;
    int bodies;
    double extent;
    long long *frames; // rows that are shown: their times differ also as floats
    long long frame_count;
    bool *moves; // for each body
    glb_mesh *meshes;
    int mesh_count, mesh_capacity;
    glb_child *children;
    int child_count, child_capacity;
    const char **colors;
    int color_count;
    bool out_of_memory;
    model_text json;
    uint64_t bytes;     // of the block of numbers so far
    int view, accessor; // how many there are so far
} glb;

static inline float frame_time(const glb *g, long long frame)
{
    return (float)fabs(g->time[g->frames[frame]] - g->time[g->frames[0]]);
}

static inline ph_quat quat_at(const double *q)
{
    return ph_quat_unit((ph_quat){q[0], q[1], q[2], q[3]});
}

void glb_put_json(glb *g); // into g->json

#endif
