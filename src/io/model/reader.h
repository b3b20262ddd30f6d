// Reading a model: what every part of the reader shares.
//
// A part of the model file is a table of fields (key, how to read its value, where the value goes). read_map walks a map
// along such a table: unknown, repeated, misplaced and missing keys are its business, so that a new key is one line.
#ifndef PH_IO_MODEL_READER_H
#define PH_IO_MODEL_READER_H

#include "base/element_key.h"
#include "io/model/document.h"
#include "io/model/scope.h"
#include "model/names.h"
#include "model/spec.h"
#include "polhode/io.h"

enum {
    READER_ERRORS_MAX = 100,      // further ones are not listed
    READER_EXPRESSION_MAX = 1024, // bytes of an expression in a file
    FIELDS_MAX = 64,              // of one table
    TYPES_MAX = 31,               // of elements with keys of their own: one bit each in field.takers
};

typedef struct reader reader;
typedef struct field field;

// Reads `node` into `to`. False after a mistake, which has been reported.
typedef bool (*field_reader)(reader *r, const node *node, const field *field, void *to);

struct field {
    const char *key;
    field_reader read;
    size_t offset;      // of the target in its struct
    size_t given;       // of a bool that is set when the key is there; 0: none
    int count;          // of numbers
    key_rule rule;      // for numbers
    uint32_t takers;    // kinds of element that take the key, 0: all
    uint32_t needers;   // kinds of element that cannot do without it
    const char *hint;   // how it is written, for when it is missing
    const char *form;   // of its value in the JSON schema (json_schema.c); NULL: what the reader says
    bool by_coordinate; // what it measures follows from a joint (joint_units.c)
};

struct reader {
    document *document;
    ph_problems *problems;
    const ph_setting *settings;
    int setting_count;
    ph_spec *spec;
    constants parameters, inputs;
    names body_names, joint_names, site_names, tendon_names, actuator_names, sensor_names;
    int body_count, joint_count, site_count, tendon_count, actuator_count, sensor_count;
    char path[256]; // of the value being read, "bodies[1].inertia"
    int errors;
    char faulty[READER_ERRORS_MAX][24]; // elements with errors, "bodies[1]"
    struct {
        const document *file;
        int line, column;
    } told[READER_ERRORS_MAX]; // mistakes in repeated elements and parts
    int told_count;
    int includes;              // files that were read beside the model's own
    const ph_setting *varying; // parameters that may change (revise.h)
    int varying_count;
    int touched, claimed; // evaluations that met one; those that are noted
    struct revised *notes, *last;
    bool sites_vary;
    bool part_missing;     // a file or model that a part names could not be read
    bool constants_failed; // what follows from wrong parameters is not worth reporting
    bool out_of_memory;
    field force_fields[FIELDS_MAX], shape_fields[FIELDS_MAX]; // of all types (table_fields)
};

// ---- read.c ---------------------------------------------------------------------------------------------------------

reader *reader_create(const ph_setting *settings, int setting_count, ph_problems *problems);
// Leaves in r->spec what could be read, also after mistakes; NULL when that is nothing.
ph_status reader_read(reader *r, const char *text, size_t length, const char *name);
bool reader_keep_names(reader *r); // settings and parameters, with their values
// The text of the spec: that of the file, with what it includes (bundle.c). `root`: before parts were expanded.
bool reader_keep_text(reader *r, const node *root);

// ---- model_schema.c -------------------------------------------------------------------------------------------------

#define FIELD_AT(type, member) .offset = offsetof(type, member)
#define FIELD_WHOLE .offset = 0 // the reader takes the whole struct, or nothing of it
#define FIELD_GIVEN(type, member) .given = offsetof(type, member)
#define FIELD_REQUIRED .needers = UINT32_MAX

typedef struct schema {
    const char *what;    // "a ball joint", for messages
    const field *fields; // the last has no key
    uint32_t kind;       // bits that `takers` and `needers` are compared with
    const char *part;    // of `defaults:` that stands in for keys that are missing; NULL: none
    const char *type;    // of the element, for defaults of that type alone; NULL: none
} schema;

// All tables of the model file, for defaults and for the JSON schema.
typedef struct part_table {
    const char *name;                               // "joint"
    const char *part;                               // its list, and its key in `defaults`: "joints"; NULL: none
    const field *fields;                            // the last has no key
    const char *(*type)(int index, uint32_t *kind); // its types, then NULL; NULL: it has none
    const char *about;
    const element_key *(*keys)(int index); // that a type owns beyond `fields`; NULL: none does
} part_table;
extern const part_table *const part_tables[]; // tables.c, ends with NULL

// All fields of a table, with those of its types, for which there is `room` (keys.c).
const field *table_fields(const part_table *table, field room[FIELDS_MAX]);

// A force in a part that stands elsewhere (keys.c). pose: NULL for none.
void place_force(reader *r, const part_pose *pose, const element_key *keys, ph_force_def *def);

bool read_map(reader *r, const node *map, const schema *schema, void *target);

// defaults.c: the value of a key that an element of `part` does not have, from the innermost `defaults:` that has it, of its
// type before of all; NULL: there is none.
const node *default_of(const reader *r, const node *element, const char *part, const char *type, const char *key);
// The value of a key of an element, or its default.
const node *node_or_default(const reader *r, const node *element, const char *part, const char *key);
bool read_defaults(reader *r, const node *node, const field *field, void *to); // checks the names in it

// Calls `read` for every element of a list with `to` as it is; nothing at all counts as an empty list.
bool read_each(reader *r, const node *list, field_reader read, void *to);
// The same for elements of the spec, which are `counter` bytes into it counted.
bool read_elements(reader *r, const node *list, field_reader read, size_t counter);
// Calls `read`, which puts what it reads into the spec itself.
bool read_noted(reader *r, const node *node, field_reader read);

// Reports a mistake at `node`, `position` bytes into its text.
__attribute__((format(printf, 5, 6))) bool fail_in(reader *r, const node *node, int position, const char *hint,
                                                   const char *format, ...);
#define fail(r, node, hint, ...) fail_in((r), (node), 0, (hint), __VA_ARGS__)
// Of a name that nothing has. Where a part could not be read it may be there, and that part has been reported.
#define fail_unknown(r, node, hint, ...) ((r)->part_missing ? false : fail((r), (node), (hint), __VA_ARGS__))
// Says something that is no mistake: a note or a warning.
__attribute__((format(printf, 5, 6))) void tell_in(reader *r, const node *node, ph_severity severity, const char *hint,
                                                   const char *format, ...);
// Warns of a number of degrees where radians are meant.
void warn_of_degrees(reader *r, const node *node, const char *key);
void warn_of_missing_contact(reader *r);
// Reports a unit that does not measure what the key does (measures.c).
bool check_units(reader *r, const char *key, const node *value);
struct measure;
bool check_measure(reader *r, const node *value, const struct measure *wanted); // a list: all of it
bool measures_text(const char *text, const struct measure *wanted);             // or has no unit
// joint_units.c: keys of a joint, and `coordinate` or `rate` of a keyframe, by what its coordinates are.
void check_joint_units(reader *r, const node *joint, const ph_joint_def *def);
void check_keyframe_units(reader *r, const node *values, const char *key, int joint);
void check_force_units(reader *r, const node *force, const element_key *own, const ph_force_def *def);
// Of a setting, that begins with `where`, for one coordinate of a joint.
bool check_setting_units(reader *r, const char *where, const char *text, const char *key, const ph_joint_def *def,
                         int index);
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
const node *node_list(reader *r, const node *node); // a list where the node names or calculates one; else the node
bool node_text(reader *r, const node *node, const char *expected, const char **to);
// The index of one of `words`, which end with NULL; `what` they are is for messages.
bool node_choice(reader *r, const node *node, const char *what, const char *const *words, int *to);

bool read_number(reader *r, const node *node, const field *field, void *to);                             // double
bool read_bounds(reader *r, const node *node, bool *has_low, double *low, bool *has_high, double *high); // [low, high]
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
// The index of what a node names, of a list of `what`s.
bool node_named(reader *r, const node *node, const char *what, const names *known, int count, int *to);
bool read_later(reader *r, const node *node, const field *field, void *to); // nothing: another part reads it

bool path_stays_inside(const char *path); // below the model's folder, with forward slashes (bodies.c)

// The value of an expression of parameters, for settings, which stand in no file. `where` begins the message.
bool text_number(reader *r, const char *where, const char *text, double *to);

// The shortest decimal number that gives `number` again, with a point in every locale.
void number_text(double number, char text[32]);

// ---- sites.c --------------------------------------------------------------------------------------------------------

void read_sites(reader *r); // all of the file
bool node_site(reader *r, const node *node, const ph_site_def **to);
bool node_sites(reader *r, const node *node, const ph_site_def *to[2]); // a list of two

// ---- tendons.c, sensors.c -------------------------------------------------------------------------------------------

bool read_tendon(reader *r, const node *node, const field *field, void *to); // int, index of a tendon
const char *sensor_name_in_model(const reader *r, const scope *s, const char *name, char room[SCOPE_NAME_MAX + 8]);

// ---- joints.c -------------------------------------------------------------------------------------------------------

// Coordinates or rates of a joint: a number, or a list with one for each and null where none is given.
typedef struct joint_given {
    bool has[PH_JOINT_COORDINATES];
    double value[PH_JOINT_COORDINATES];
} joint_given;
bool read_joint_given(reader *r, const node *node, joint_given *to);

// ---- joint_settings.c: --set crank.rate=-6 ---------------------------------------------------------------------------

bool is_joint_setting(const reader *r, const char *name); // names a joint of the file and coordinate or rate
void apply_joint_settings(reader *r);                     // to the joints of the spec

// ---- The parts of a model; each reads a list or map and adds it to the spec -----------------------------------------

bool read_bodies_part(reader *r, const node *node, const field *field, void *to);  // model_bodies.c
bool read_joints_part(reader *r, const node *node, const field *field, void *to);  // model_joints.c
bool read_forces_part(reader *r, const node *node, const field *field, void *to);  // model_forces.c
bool read_tendons_part(reader *r, const node *node, const field *field, void *to); // tendons.c
bool read_actuators_part(reader *r, const node *node, const field *field, void *to);
bool read_sensors_part(reader *r, const node *node, const field *field, void *to); // sensors.c
bool read_contact_part(reader *r, const node *node, const field *field, void *to); // model_settings.c
bool read_record_part(reader *r, const node *node, const field *field, void *to);
bool read_run_part(reader *r, const node *node, const field *field, void *to);
bool read_keyframes_part(reader *r, const node *node, const field *field, void *to); // keyframes.c
bool read_initial(reader *r, const node *node, const field *field, void *to);        // bool: project

#endif
