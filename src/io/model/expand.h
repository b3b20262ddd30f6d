// Repeated elements and parts: the tree of a model file becomes one in which every element stands by itself.
//
//     - {repeat: {i: 6}, name: leg$i, ...}             six elements; i is a number in their expressions
//     parts:
//       - {include: wheel.yaml, prefix: left_, parameters: {radius: 0.3}, position: [0, 1, 0]}
//       - {model: leg, repeat: {side: [-1, 1]}, ...}   of `models: {leg: {...}}`
//       - {repeat: {i: 6}, bodies: [...], joints: [...]}
#ifndef PH_IO_MODEL_EXPAND_H
#define PH_IO_MODEL_EXPAND_H

#include "io/model/reader.h"

// Replaces the root of the document. Parameters of the file must be known. Mistakes are reported.
void expand_document(reader *r);

// Keys of a model whose elements may be repeated and come from parts: lists, and last the map of inputs.
enum { EXPANSION_LISTS = 9, EXPANSION_INPUTS = EXPANSION_LISTS - 1 };
extern const char *const element_lists[EXPANSION_LISTS];

// parts.c: adds what a part of `parts:` stands for to the lists of `to`. `n` is as it stands in the file.
typedef struct expansion expansion;
void expand_part(expansion *e, const node *n, const scope *outer);

// expand.c, for parts.c
struct expansion {
    reader *reader;
    int nodes, depth;
    struct {
        node_entry *entries;
        int count, capacity;
    } lists[EXPANSION_LISTS]; // what was collected; entries in memory of their own
};

// A copy of `n` that belongs to `scope`, its repeats carried out; `n` itself where nothing changes. NULL after a mistake.
const node *expand_node(expansion *e, const node *n, const scope *scope);
// Calls `visit` for every round of the `repeat` of a map, or once where it has none.
typedef void (*round_visitor)(expansion *e, const node *n, const scope *scope);
void expand_rounds(expansion *e, const node *n, const scope *scope, round_visitor visit);
bool expand_add(expansion *e, int which, const node *key, const node *value);
// Adds the elements of a list, expanded, to list `which`; their names get the prefix of the scope.
void expand_elements(expansion *e, int which, const node *list, const scope *scope);

#endif
