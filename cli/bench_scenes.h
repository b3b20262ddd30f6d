// The scenes that `polhode bench` times. One scene is one function and one line in the table of bench_scenes.c.
#ifndef CLI_BENCH_SCENES_H
#define CLI_BENCH_SCENES_H

#include "polhode/spec.h"

typedef struct scene {
    const char *name, *title;
    int bodies;
    double step;
    bool (*build)(ph_spec *spec, int bodies); // false when out of memory
    const char *scheme;                       // NULL: the one asked for
    const char *beside;                       // scene of the same model whose time it is compared with, or NULL
} scene;

extern const scene scenes[];
extern const int scene_count;

#endif
