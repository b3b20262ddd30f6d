// The sensor types of the model file, one file each. A new one is its file and its line here.
#ifndef PH_SENSORS_TYPES_H
#define PH_SENSORS_TYPES_H

#include "sensors/sensor.h"

#define SENSOR_TYPES(X)                                                                                                \
    X(accelerometer)                                                                                                   \
    X(gyro)                                                                                                            \
    X(position)                                                                                                        \
    X(orientation)                                                                                                     \
    X(velocity)                                                                                                        \
    X(angular_velocity)                                                                                                \
    X(joint)                                                                                                           \
    X(force_torque)                                                                                                    \
    X(contact)                                                                                                         \
    X(rangefinder)                                                                                                     \
    X(tendon)                                                                                                          \
    X(actuator)                                                                                                        \
    X(value)                                                                                                           \
    X(filter)                                                                                                          \
    X(integral)

#define SENSOR_TYPE_EXTERN(name) extern const sensor_type sensor_##name;
SENSOR_TYPES(SENSOR_TYPE_EXTERN)
#undef SENSOR_TYPE_EXTERN

#endif
