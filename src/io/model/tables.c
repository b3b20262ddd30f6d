// All tables of the model file: a new one is its line here, for defaults and for the JSON schema.

#include "io/model/reader.h"

#define TABLES(X)                                                                                                      \
    X(model)                                                                                                           \
    X(body)                                                                                                            \
    X(shape)                                                                                                           \
    X(site)                                                                                                            \
    X(joint)                                                                                                           \
    X(velocity)                                                                                                        \
    X(motion)                                                                                                          \
    X(motor)                                                                                                           \
    X(tendon)                                                                                                          \
    X(actuator)                                                                                                        \
    X(sensor)                                                                                                          \
    X(force)                                                                                                           \
    X(keyframe)                                                                                                        \
    X(keyframe_joint)                                                                                                  \
    X(keyframe_body)                                                                                                   \
    X(orientation)                                                                                                     \
    X(contact)                                                                                                         \
    X(pair)                                                                                                            \
    X(record)                                                                                                          \
    X(run)

#define TABLE_EXTERN(name) extern const part_table name##_table;
TABLES(TABLE_EXTERN)

#define TABLE_POINTER(name) &name##_table,
const part_table *const part_tables[] = {TABLES(TABLE_POINTER) NULL};
