// Reading a model: what every part of the reader shares.
//
// A part of the model file is a table of fields (key, how to read its value, where the value goes). read_map walks a map
// along such a table: unknown, repeated, misplaced and missing keys are its business, so that a new key is one line.
#ifndef PH_IO_MODEL_READER_H
#define PH_IO_MODEL_READER_H

#include "io/model_document.h"
#include "model/names.h"
#include "model/spec.h"
#include "polhode/io.h"

enum {
    READER_ERRORS_MAX = 100,      // further ones are not listed
    READER_EXPRESSION_MAX = 1024, // bytes of an expression in a file
};

typedef struct constants { // named numbers: parameters or inputs
    names names;
    double *values;
    int count; // known so far
} constants;

typedef struct reader {
    document *document;
    ph_problems *problems;
    const ph_setting *settings;
    int setting_count;
    ph_spec *spec;
    constants parameters, inputs;
    names body_names, joint_names;
    int body_count, joint_count;
    char path[256]; // of the value being read, "bodies[1].inertia"
    int errors;
    char faulty[READER_ERRORS_MAX][24]; // elements with errors, "bodies[1]"
    bool constants_failed;              // what follows from wrong parameters is not worth reporting
    bool out_of_memory;
} reader;

// ---- model_schema.c -------------------------------------------------------------------------------------------------

typedef struct field field;

// Reads `node` into `to`. False after a mistake, which has been reported.
typedef bool (*field_reader)(reader *r, const node *node, const field *field, void *to);

typedef enum field_rule { ANY, POSITIVE, NOT_NEGATIVE } field_rule;

struct field {
    const char *key;
    field_reader read;
    size_t offset;    // of the target in its struct
    size_t given;     // of a bool that is set when the key is there; 0: none
    int count;        // of numbers
    field_rule rule;  // for numbers
    uint32_t takers;  // kinds of element that take the key, 0: all
    uint32_t needers; // kinds of element that cannot do without it
    const char *hint; // how it is written, for when it is missing
};

#define FIELD_AT(type, member) .offset = offsetof(type, member)
#define FIELD_WHOLE .offset = 0 // the reader takes the whole struct, or nothing of it
#define FIELD_GIVEN(type, member) .given = offsetof(type, member)
#define FIELD_REQUIRED .needers = UINT32_MAX

typedef struct schema {
    const char *what;    // "a ball joint", for messages
    const field *fields; // the last has no key
    uint32_t kind;       // bits that `takers` and `needers` are compared with
} schema;

bool read_map(reader *r, const node *map, const schema *schema, void *target);

// Calls `read` for every element of a list with `to` as it is; nothing at all counts as an empty list.
bool read_each(reader *r, const node *list, field_reader read, void *to);

// Reports a mistake at `node`, `position` bytes into its text.
__attribute__((format(printf, 5, 6))) bool fail_in(reader *r, const node *node, int position, const char *hint,
                                                   const char *format, ...);
#define fail(r, node, hint, ...) fail_in((r), (node), 0, (hint), __VA_ARGS__)
bool fail_kind(reader *r, const node *node, const char *expected); // "expected a number, found a list"
#ifdef __clang_analyzer__ // it looks at one file at a time, and must know that a failure is one
#define fail_in(...) ((void)fail_in(__VA_ARGS__), false)
#define fail_kind(...) ((void)fail_kind(__VA_ARGS__), false)
#endif

typedef struct hint_text {
    char text[256];
} hint_text;
// "did you mean ...?", or `otherwise` and the words when none is near.
hint_text hint_words(const char *word, const char *const *words, int count, const char *otherwise);

// Extends the path by "[index]" or ".key"; path_leave takes the length that path_enter returned.
size_t path_enter_index(reader *r, int index);
size_t path_enter_key(reader *r, const char *key);
void path_leave(reader *r, size_t length);

// ---- model_values.c: how values are read ----------------------------------------------------------------------------

bool node_is_null(const node *node);
bool node_number(reader *r, const node *node, double *to); // a constant; expressions may use parameters
bool node_numbers(reader *r, const node *list, double *to, int count);
bool node_text(reader *r, const node *node, const char *expected, const char **to);
// The index of one of `words`, which end with NULL; `what` they are is for messages.
bool node_choice(reader *r, const node *node, const char *what, const char *const *words, int *to);

bool read_number(reader *r, const node *node, const field *field, void *to);      // double
bool read_numbers(reader *r, const node *node, const field *field, void *to);     // double[count]
bool read_integer(reader *r, const node *node, const field *field, void *to);     // int
bool read_bool(reader *r, const node *node, const field *field, void *to);        // bool
bool read_text(reader *r, const node *node, const field *field, void *to);        // const char *
bool read_vector(reader *r, const node *node, const field *field, void *to);      // ph_vec3
bool read_direction(reader *r, const node *node, const field *field, void *to);   // ph_vec3, or x, y, z
bool read_orientation(reader *r, const node *node, const field *field, void *to); // ph_quat
bool read_value(reader *r, const node *node, const field *field, void *to);       // ph_value
bool read_values3(reader *r, const node *node, const field *field, void *to);     // ph_value[3]
bool read_body(reader *r, const node *node, const field *field, void *to);        // int, index of a body
bool read_bodies(reader *r, const node *node, const field *field, void *to);      // int[2]
bool read_joint(reader *r, const node *node, const field *field, void *to);       // int, index of a joint
bool read_joints(reader *r, const node *node, const field *field, void *to);      // int[2]
bool read_later(reader *r, const node *node, const field *field, void *to);       // nothing: another part reads it

// The value of an expression of parameters, for settings, which stand in no file. `where` begins the message.
bool text_number(reader *r, const char *where, const char *text, double *to);

// The shortest decimal number that gives `number` again, with a point in every locale.
void number_text(double number, char text[32]);

// ---- The parts of a model; each reads a list or map and adds it to the spec -----------------------------------------

bool read_bodies_part(reader *r, const node *node, const field *field, void *to);  // model_bodies.c
bool read_joints_part(reader *r, const node *node, const field *field, void *to);  // model_joints.c
bool read_forces_part(reader *r, const node *node, const field *field, void *to);  // model_forces.c
bool read_contact_part(reader *r, const node *node, const field *field, void *to); // model_settings.c
bool read_record_part(reader *r, const node *node, const field *field, void *to);
bool read_run_part(reader *r, const node *node, const field *field, void *to);

#endif
