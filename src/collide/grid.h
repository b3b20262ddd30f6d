// A hash grid: which boxes meet a given one, in constant time while boxes move, for boxes about as wide in every direction.
//
// A box of extent s or less is kept in the cell of size s that its lower corner is in; cells are chained in a hash table.
// What meets a box from l to h has its corner between l - s and h: eight to 27 cells. Larger boxes are in levels of cells
// twice, four times, ... as wide. Where more cells would have to be visited than there are boxes, boxes are.
#ifndef PH_COLLIDE_GRID_H
#define PH_COLLIDE_GRID_H

#include "base/memory.h"
#include "collide/collide.h"

enum { GRID_LEVELS = 48, GRID_NONE = -1 };

typedef struct grid_box { // rounded outwards
    float low[3], high[3];
} grid_box;

typedef struct grid {
    int count;
    double finest; // size of a cell of level 0: half as large again as the first box that was entered
    uint32_t mask;
    int *head; // by bucket: the first box in it
    // By box:
    grid_box *boxes;
    uint64_t *keys; // its cell and level; 0: not in the grid
    int *next, *before;
    int held[GRID_LEVELS]; // boxes in each level
} grid;

bool grid_create(int count, arena *memory, grid *g);
void grid_insert(grid *g, int k, aabb box);
aabb grid_box_at(const grid *g, int k); // holds the one that was inserted
void grid_remove(grid *g, int k);

typedef void grid_visitor(void *user, int k);
void grid_visit(const grid *g, const aabb *box, grid_visitor *visit, void *user);

#endif
