// What a film shows: triangles of bodies, where they are at a time, and from where all of it is seen.
#ifndef PH_IO_FILM_SCENE_H
#define PH_IO_FILM_SCENE_H

#include "io/film/canvas.h"
#include "polhode/result.h"
#include "shapes/triangles.h"

typedef struct film_piece { // a shape of a body
    int body;
    ph_vec3 position; // from the centre of mass
    ph_mat3 turn;
    triangles surface;
    float color[3];
} film_piece;

typedef struct film_scene {
    arena *memory;
    ph_model *model; // NULL: not known
    int bodies;
    long long rows;
    const double *time, *position, *orientation;
    film_piece *pieces;
    int piece_count, piece_capacity;
    ph_vec3 low, high; // of everything that moves, ever
    film_ground ground;
} film_scene;

ph_status film_scene_make(film_scene *s, ph_result *result, ph_error *error);
void film_scene_free(film_scene *s);

// So that everything fits into a picture of this shape.
void film_scene_look(const film_scene *s, film_canvas *c);
void film_scene_draw(const film_scene *s, film_canvas *c, double time);

#endif
