// Writing YAML and JSON: maps, lists, numbers that read back to the same bits, texts that need quotes or not.
//
// JSON is written with quotes everywhere. In YAML the keys of the root map and the elements of blocks stand in lines of their
// own, everything deeper in braces and brackets: {name: rod, mass: 2, inertia: [1, 1, 1]}.
#ifndef PH_IO_MODEL_TEXT_H
#define PH_IO_MODEL_TEXT_H

#include "polhode/base.h"

enum { MODEL_TEXT_DEPTH = 80 };

typedef enum text_place { TEXT_ROOT, TEXT_BLOCK, TEXT_FLOW } text_place;

typedef struct model_text {
    char *text; // ends with 0; for mem_free(NULL, ...)
    int length, capacity;
    bool json, failed; // failed: out of memory
    bool follows;      // something stands before in the same map or list
    int depth;
    text_place places[MODEL_TEXT_DEPTH];
} model_text;

void text_root(model_text *t);
void text_end_root(model_text *t);

// `key` is NULL in a list. A block is a list with its elements in lines of their own; not to be empty.
void text_map(model_text *t, const char *key);
void text_end_map(model_text *t);
void text_list(model_text *t, const char *key);
void text_end_list(model_text *t);
void text_block(model_text *t, const char *key);
void text_end_block(model_text *t);
void text_double(model_text *t, const char *key, double value);
void text_doubles(model_text *t, const char *key, const double *values, int count);
void text_integer(model_text *t, const char *key, long long value);
void text_bool(model_text *t, const char *key, bool value);
void text_string(model_text *t, const char *key, const char *value);
void text_word(model_text *t, const char *key, const char *value); // as it is: null, 12, true

struct node;
// Writes what stands in a file, as it is.
void text_node(model_text *t, const char *key, const struct node *node, bool top);

// A model file as JSON, with its parameters and expressions (convert.c). For mem_free(NULL, ...).
ph_status model_text_to_json(const char *text, char **json, ph_error *error);

#endif
