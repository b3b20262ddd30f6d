// A picture in memory: triangles with a depth for every pixel, lit from above. Twice as many pixels each way as the picture has in
// the end: their means give smooth edges.
#ifndef PH_IO_FILM_CANVAS_H
#define PH_IO_FILM_CANVAS_H

#include "math/mat3.h"

#include <stdbool.h>
#include <stdint.h>

enum { FILM_FINE = 2 };

typedef struct film_eye {
    ph_vec3 place;
    ph_vec3 right, up, back; // unit; it looks along -back
    double focus;            // of the picture's height: 1/(2 tan(angle/2))
} film_eye;

typedef struct film_canvas {
    int width, height; // of the fine pixels
    film_eye eye;
    ph_vec3 sun; // unit, towards it
    float *depth;
    float *color;    // red, green, blue of each
    uint8_t *pixels; // of the picture
} film_canvas;

typedef struct film_ground {
    ph_vec3 point, normal;
    double cell; // width of its squares
    double reach;
} film_ground;

bool film_canvas_create(film_canvas *c, int width, int height); // of the picture
void film_canvas_destroy(film_canvas *c);

// Begins a picture: sky, and the ground under it.
void film_clear(film_canvas *c, const film_ground *ground);
// A triangle in the world, with normals at its corners.
void film_triangle(film_canvas *c, const ph_vec3 corners[3], const ph_vec3 normals[3], const float color[3]);
// The shadow that it throws on the ground.
void film_shadow(film_canvas *c, const film_ground *ground, const ph_vec3 corners[3]);
void film_finish(film_canvas *c); // into pixels

#endif
