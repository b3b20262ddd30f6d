// Polhode: sensors. What a mechanism measures of itself, recorded as columns of every result and known to expressions.
//
//     ph_sensor_def imu = ph_default_sensor();
//     imu.name = "imu", imu.type = "accelerometer", imu.body = chassis;
//     ph_spec_add_sensor(spec, &imu);
//
// Results hold sensors/<name>; curves are sensors.<name>.x and so on. In expressions of forces, motors and actuators
// sensor.<name>.x (sensor.<name> where there is one number) is what the sensor read at the start of the step: a controller
// that samples once a step.
#ifndef POLHODE_SENSOR_H
#define POLHODE_SENSOR_H

#include "polhode/analysis.h"
#include "polhode/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PH_SENSOR_VALUES = 6 }; // of one sensor, at the most

typedef struct ph_sensor_def {
    uint32_t cookie;
    const char *name, *type; // "accelerometer" "gyro" "position" ..., as in the manual's list
    // accelerometer, gyro, position, velocity, orientation, angular_velocity, rangefinder: a frame on a body
    int body; // index, or PH_WORLD; contact: whose contacts count
    ph_vec3 position;
    ph_quat orientation;
    int other; // contact: those with this body alone; PH_NONE: with any
    int joint; // joint, force_torque
    int tendon, actuator;
    double range;                 // rangefinder: how far it sees, m; 0: without end
    const char *expression;       // value, filter, integral: of t, inputs, q. and qd. of joints
    double time;                  // filter: its time constant, s
    double limit_low, limit_high; // filter, integral: of what they read; infinite: none
    uint64_t reserved[1];         // room for later versions
} ph_sensor_def;

PH_API ph_sensor_def ph_default_sensor(void);
PH_API int ph_spec_add_sensor(ph_spec *spec, const ph_sensor_def *def); // index, or PH_NONE

typedef struct ph_sensor_info {
    const char *name, *type;
    int count;                             // of numbers it reads
    const char *columns[PH_SENSOR_VALUES]; // "x", "y", ...; "" where there is one
    const char *units[PH_SENSOR_VALUES];   // "m/s^2", ...; "" where it has none, or none is known
} ph_sensor_info;

PH_API int ph_model_sensors(const ph_model *model);
PH_API int ph_model_find_sensor(const ph_model *model, const char *name); // index or PH_NONE
PH_API ph_sensor_info ph_model_sensor(const ph_model *model, int sensor);
PH_API int ph_model_sensor_values(const ph_model *model); // numbers of all sensors together

// What all sensors read in a state, one after the other: values[ph_model_sensor_values]. What has no value there is not a number.
PH_API ph_status ph_observer_sensors(ph_observer *observer, const ph_state *state, double *values);
// The name of a sensor type, or NULL after the last; and what it is.
PH_API const char *ph_sensor_type(int index);
PH_API const char *ph_sensor_type_title(int index);

#ifdef __cplusplus
}
#endif
#endif
