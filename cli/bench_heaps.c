#include "bench_heaps.h"

#include <math.h>
#include <stdint.h>

// Ten layers in every bin, so that heaps differ in width alone.
enum { LAYERS = 10 };

const heap heaps[] = {
    {"spheres-1000", "1000 spheres settle in a bin", HEAP_SPHERES, 1000, 0.05, 1.15, HEAP_STEPS, 0},
    {"spheres-4000", "4000 spheres settle in a bin", HEAP_SPHERES, 4000, 0.05, 2.3, HEAP_STEPS, 0},
    {"boxes-1000", "1000 cubes settle in a bin", HEAP_BOXES, 1000, 0.05, 1.9, HEAP_STEPS, 0},
    {"pyramid-20", "a pyramid of 20 rows of cubes stands", HEAP_PYRAMID, 210, 0.1, 0.0, HEAP_STEPS, 0},
    {"spheres-16000", "16000 spheres settle in a bin", HEAP_SPHERES, 16000, 0.05, 4.6, HEAP_STEPS, 1},
    {"spheres-100000", "100000 spheres settle in a bin", HEAP_SPHERES, 100000, 0.05, 11.5, HEAP_STEPS, 1},
    {"boxes-10000", "10000 cubes settle in a bin", HEAP_BOXES, 10000, 0.05, 6.0, HEAP_STEPS, 1},
    {"boxes-100000", "100000 cubes settle in a bin", HEAP_BOXES, 100000, 0.05, 19.0, HEAP_STEPS, 1},
    {"spheres-1000000", "a million spheres settle in a bin", HEAP_SPHERES, 1000000, 0.05, 36.4, HEAP_STEPS, 1},
    {"spheres-10000000", "ten million spheres begin to settle", HEAP_SPHERES, 10000000, 0.05, 115.0, 20, 1},
};
const int heap_count = sizeof heaps / sizeof heaps[0];

// A number between -1 and 1 that follows from body and k alone.
static double scatter(int body, int k)
{
    uint64_t x = (uint64_t)body * 8 + (uint64_t)k + 1;
    x *= 0x9e3779b97f4a7c15u; // the finaliser of splitmix64
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1.0;
}

static heap_body in_pyramid(const heap *h, int body)
{
    int rows = 1, row = 0, before = 0;
    while (rows * (rows + 1) / 2 < h->bodies) rows++;
    while (body >= before + rows - row) before += rows - row++;
    const double side = 2.0 * h->half, pitch = 1.1 * side;
    return (heap_body){{pitch * (body - before - 0.5 * (rows - row - 1)), 0.0, side * (row + 0.5)}, {1, 0, 0, 0}};
}

heap_body heap_place(const heap *h, int body)
{
    if (h->kind == HEAP_PYRAMID) return in_pyramid(h, body);
    const int across = (int)(sqrt((double)h->bodies / LAYERS) + 0.5);
    const int cell[3] = {body % across, body / across % across, body / (across * across)};
    const double pitch = h->width / across, jitter = 0.15 * h->half;
    heap_body b = {{0}, {1, 0, 0, 0}};
    for (int k = 0; k < 2; k++) b.position[k] = pitch * (cell[k] + 0.5) - 0.5 * h->width + jitter * scatter(body, k);
    b.position[2] = pitch * (cell[2] + 0.5) + jitter * scatter(body, 2);
    double norm = 0.0;
    for (int k = 0; k < 4 && h->kind == HEAP_BOXES; k++) b.orientation[k] = scatter(body, 3 + k);
    for (int k = 0; k < 4; k++) norm += b.orientation[k] * b.orientation[k];
    for (int k = 0; k < 4; k++) b.orientation[k] /= sqrt(norm);
    return b;
}
