// Keys of the model file that a type of element owns: one line each says how a value is written, where it goes in the
// definition and what it must be. The reader, the writer, the JSON schema and the compiler all follow these lines.
#ifndef PH_BASE_ELEMENT_KEY_H
#define PH_BASE_ELEMENT_KEY_H

#include <stdbool.h>
#include <stddef.h>

typedef enum key_kind {
    KEY_NUMBER,       // double
    KEY_VECTOR,       // ph_vec3
    KEY_DIRECTION,    // ph_vec3, or the letter of an axis
    KEY_FLAG,         // bool
    KEY_POINTS,       // data of a shape: rows of three numbers
    KEY_TABLE,        // data of a shape: rows of numbers
    KEY_FILE,         // path of a file that holds the data of a shape
    KEY_BODIES,       // body_a and body_b
    KEY_BODY,         // body_b; the element acts on one body alone
    KEY_SITES,        // two sites, in place of bodies and points
    KEY_SITE,         // a site, in place of body and point
    KEY_JOINT,        // a joint with one coordinate
    KEY_POINT_A,      // ph_vec3 in the frame of body a
    KEY_POINT_B,      // ph_vec3 in the frame of body b
    KEY_POINT_OR_COM, // likewise; the centre of mass where it is not given
    KEY_PLACE,        // ph_vec3: a point in the world, at the start
    KEY_ORIENTATION,  // ph_quat: axes in the world, at the start
    KEY_MATRIX6,      // double[6][6], or its diagonal
    KEY_VALUES3,      // ph_value[3]
    KEY_FRAME,        // bool: values are in the axes of the body, else of the world
} key_kind;

typedef enum key_rule { ANY, POSITIVE, NOT_NEGATIVE, SYMMETRIC } key_rule;

typedef struct element_key {
    const char *key;
    key_kind kind;
    size_t offset; // in the definition
    size_t given;  // of a bool that is set where the key is there; 0: none
    key_rule rule;
    bool needed;
    const char *hint; // how it is written, for where it is missing
} element_key;

#define KEY_AT(type, member) .offset = offsetof(type, member)
#define KEY_WHOLE .offset = 0 // its reader and writer know the definition
#define KEY_GIVEN(type, member) .given = offsetof(type, member)

// The first key of a kind, or NULL. `keys` end with one that has no name; NULL: there are none.
static inline const element_key *key_of_kind(const element_key *keys, key_kind kind)
{
    for (; keys && keys->key; keys++) {
        if (keys->kind == kind) {
            return keys;
        }
    }
    return NULL;
}

#endif
