// The spanning forest of a model: bodies that joints hold as trees, and the joints that close loops.
//
// A tree hangs on the world by one joint, or is free; then its root is the body in its middle, which keeps it shallow. Of
// the joints of a loop the one with the fewest rows closes it, and so do gears, which couple what two other joints leave
// free. Trees that closing joints couple are a group, and stand next to each other; so do the bodies of a tree, depth first: a
// parent before its children, a subtree in one piece. Rotors (joints/rotor.c) are in no tree: their inertia is in a pivot.
#ifndef PH_ARTICULATED_FOREST_H
#define PH_ARTICULATED_FOREST_H

#include "articulated/freedom.h"
#include "model/model.h"

typedef struct branch { // a body of a tree with the joint to its parent
    int body;           // of the model
    int moving;         // among the moving bodies
    int parent;         // branch; -1: the world, or a body that cannot move
    int parent_body;    // of the model, the world included
    int tree;
    int joint; // of the model; -1: a root that is free
    int end;   // one past the last branch of its subtree
    int depth;
    bool turned; // the joint's a is the child
    int first;   // of its freedoms, among those of the forest
    freedoms motion;
} branch;

typedef struct tree_range {
    int first, count;           // branches
    int freedom, freedom_count; // of all branches
    int group;                  // trees that closing joints couple share one
    bool is_free;               // no joint holds it to the world
    double mass;
} tree_range;

typedef struct forest_group { // trees, and the joints that close loops in them
    int first_tree, tree_count;
    int freedom, freedom_count;
    int first_closing, closing_count; // in forest.closing
} forest_group;

typedef struct forest {
    const ph_model *model;
    int branch_count, tree_count, freedom_count, closing_count, group_count;
    branch *branches;
    tree_range *trees;
    int *closing; // joints that close loops, gears included; by group
    forest_group *groups;
    int *branch_of; // by moving body; -1: no joint holds it, and it was not asked for
} forest;

// `all`: bodies that no joint holds are trees of one; else they are left out. false: out of memory.
bool forest_create(const ph_model *model, bool all, arena *memory, forest *f);

// The branch of a body of the model; -1: none.
static inline int forest_branch(const forest *f, int body)
{
    const int k = f->model->bodies[body].moving;
    return k < 0 ? -1 : f->branch_of[k];
}

#endif
