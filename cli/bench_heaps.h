// Heaps that `polhode bench` and bench/contact time: bodies by their numbers alone, so that every engine can build them.
#ifndef CLI_BENCH_HEAPS_H
#define CLI_BENCH_HEAPS_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HEAP_STEPS = 400 }; // 2 s
#define HEAP_STEP 0.005
#define HEAP_FRICTION 0.5
#define HEAP_GRAVITY 9.81
#define HEAP_DENSITY 1000.0
#define HEAP_RESIDUAL 1e-3 // m/s, of every step

typedef enum heap_kind { HEAP_SPHERES, HEAP_BOXES, HEAP_PYRAMID } heap_kind;

typedef struct heap {
    const char *name, *title;
    heap_kind kind;
    int bodies;
    double half;  // radius, or half of the side of a cube
    double width; // of the square bin, from -width/2 to width/2; 0: an open floor
    int steps;
    int large; // timed only when asked for by name
} heap;

typedef struct heap_body {
    double position[3];
    double orientation[4]; // w x y z
} heap_body;

extern const heap heaps[];
extern const int heap_count;

heap_body heap_place(const heap *h, int body); // the floor is z = 0

#ifdef __cplusplus
}
#endif
#endif
