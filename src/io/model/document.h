// A model file as a tree of nodes that know their place: lists, maps and scalars, before anything is known of bodies.
#ifndef PH_IO_MODEL_DOCUMENT_H
#define PH_IO_MODEL_DOCUMENT_H

#include "base/memory.h"

// Bounds on what is read; beyond them a file is refused.
enum {
    DOCUMENT_BYTES_MAX = 64 << 20,
    DOCUMENT_NESTING_MAX = 64,
    DOCUMENT_NODES_MAX = 4000000, // every use of an alias counts all that it stands for
    DOCUMENT_ANCHORS_MAX = 1000,
};

typedef enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP } node_kind;

typedef struct node node;
typedef struct document document;
typedef struct scope scope; // scope.h

typedef struct node_entry {
    const node *key; // NULL in a list
    const node *value;
} node_entry;

struct node {
    node_kind kind;
    bool plain;       // scalar without quotes, so that null, true and the like have their meaning
    int line, column; // from 1; columns count characters
    int text_column;  // of the first character of a scalar that stands in one line as it is; else 0
    int size;         // nodes here and below, itself included
    int count;
    node_entry *entries;
    const char *text;   // of a scalar
    document *file;     // that it stands in
    const scope *scope; // what names mean in it, beside parameters of the file; NULL: nothing
};

struct document {
    arena *memory; // holds the document itself and everything below
    const char *name;
    const char *text; // the whole file
    size_t length;
    const node *root;
    size_t *lines; // where each line starts
    int line_count;
    const char *path; // of an included file, in the folder of the model
    document *next;   // further files that it includes: destroyed with it
};

// An empty document that owns a copy of name and text, without a byte order mark. NULL when out of memory.
document *document_create(const char *name, const char *text, size_t length);
void document_destroy(document *document);

// Makes the tree (yaml.c). False when the text is not YAML, with the reason in `problems`.
bool document_parse(document *document, ph_problems *problems);

// The value of `key`, or NULL.
const node *node_find(const node *map, const char *key);

// Fills file, line, column and source of `problem`. `position` is a byte offset in a scalar, 0 for the node itself.
void document_place(const node *node, int position, ph_problem *problem);
void document_place_at(document *document, int line, int column, ph_problem *problem);

// The same from a path such as "bodies[1].inertia"; the nearest enclosing element when the path leads nowhere. Where that
// was repeated or is part of a part, the text of the problem says so.
// `user` is the document: this is the locate function of a ph_spec.
void document_locate(void *user, const char *path, ph_problem *problem);

#endif
