// polhode bench --map: the cost of a step for every joint type, drive, topology and scheme beside that of the bare chain of
// ball joints, so that no combination is slow unnoticed.
#ifndef CLI_BENCH_MAP_H
#define CLI_BENCH_MAP_H

#include "json.h"

#include "polhode/spec.h"

#include <stdbool.h>

// ---- bench_map_models.c ---------------------------------------------------------------------------------------------

enum { MAP_BODIES = 12 };

typedef enum map_shape { MAP_CHAIN, MAP_TREE, MAP_LOOP, MAP_SHAPES } map_shape;
typedef enum map_drive {
    MAP_BARE,
    MAP_SPRING,
    MAP_DAMPER,
    MAP_SERVO,
    MAP_TORQUE,
    MAP_PRESCRIBED,
    MAP_LIMIT,
    MAP_ROTOR,
    MAP_DRIVES
} map_drive;

extern const char *const map_shape_names[MAP_SHAPES], *const map_drive_names[MAP_DRIVES];

// Whether the joint type can be driven so, in such a model. Joints without a coordinate have springs and dampers between
// the bodies.
bool map_has(const char *joint, map_drive drive, map_shape shape);
// false when out of memory.
bool map_build(ph_spec *spec, const char *joint, map_drive drive, map_shape shape);

// ---- bench_map.c ----------------------------------------------------------------------------------------------------

// Prints the map, or writes it to `j`; `only` is a scheme, NULL: all. false when out of memory.
bool print_map(const char *only, json *j);
// Runs one cell, "revolute/spring/chain/rattlie", for so many steps without timing them, for counters of instructions.
// An exit status.
int run_map_cell(const char *cell, int steps);

#endif
