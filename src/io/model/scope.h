// What names mean in a place of a model file: parameters, indices of `repeat`, and in a part its own parameters, names and
// place. Every node knows its scope; NULL is the file itself.
#ifndef PH_IO_MODEL_SCOPE_H
#define PH_IO_MODEL_SCOPE_H

#include "io/model/document.h"
#include "math/quat.h"
#include "model/names.h"

// The value of a name: a number, a list of values, or a text.
typedef enum constant_kind { CONSTANT_NUMBER, CONSTANT_LIST, CONSTANT_TEXT } constant_kind;

typedef struct constant {
    constant_kind kind;
    double number;
    int count; // of a list
    const struct constant *items;
    const char *text;
    bool varies; // follows from a parameter that may change (revise.h)
} constant;

typedef struct constants {
    names names;
    constant *values;
    int count; // known so far
} constants;

// Where a part stands: its coordinates are turned and moved.
typedef struct part_pose {
    ph_quat orientation;
    ph_vec3 position;
    bool varies; // as a constant
} part_pose;

struct scope {
    const scope *outer; // NULL: the file
    bool sealed;        // an included file, which sees nothing of what is outside
    constants values;   // indices or parameters
    bool is_part;
    const node *model;     // of a part: where its elements stand
    const char *prefix;    // before the names of all its elements, that of outer parts included; ""
    names own;             // of a part: names of its elements, without any prefix
    const node *aliases;   // names: {inside: outside}, or NULL
    const node *defaults;  // or NULL
    const node *models;    // or NULL
    const part_pose *pose; // or NULL
    const char *path;      // of an included file, in the folder of the model
    const char *folder;    // that files are relative to, inside that of the model: "parts/"; ""
    const char *story;     // "i = 3", "part left_", for messages; NULL: nothing to tell
};

// `text`, with how the scope came about behind it; `text` itself where there is nothing to tell.
const char *scope_tell(const scope *scope, const char *text, arena *memory);

// The constant of a name as seen from `scope`: of the innermost scope that has it, then of the file (`file`). "p.x", "p.y",
// "p.z" are the entries of a list. NULL: there is none. `room` is where an entry may be put.
const constant *scope_find(const scope *scope, const constants *file, const char *name, constant *room);

// The full name of what `name` stands for in `scope`: of an element of the part it stands in, of an outer part, or as it is.
// In `room`, or `name` itself.
enum { SCOPE_NAME_MAX = 255 };
const char *scope_resolve(const scope *scope, const char *name, char room[SCOPE_NAME_MAX + 1]);

// The prefix for names that are made in the scope, and the place of what is in it; "" and NULL where there is none.
const char *scope_prefix(const scope *scope);
const part_pose *scope_pose(const scope *scope);
const char *scope_folder(const scope *scope);

// A point or direction of the part, in the world.
ph_vec3 pose_point(const part_pose *pose, ph_vec3 x);
ph_vec3 pose_turn(const part_pose *pose, ph_vec3 v);

#endif
