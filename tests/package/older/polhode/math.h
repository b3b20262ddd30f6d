// Polhode: the small value types of the interface. SI units, radians, right-handed.
#ifndef POLHODE_MATH_H
#define POLHODE_MATH_H

typedef struct ph_vec3 {
    double x, y, z;
} ph_vec3;

typedef struct ph_mat3 {
    double m[3][3]; // m[row][column]
} ph_mat3;

typedef struct ph_quat { // unit, body -> world
    double w, x, y, z;
} ph_quat;

typedef struct ph_twist { // (omega | v)
    ph_vec3 omega, v;
} ph_twist;

typedef struct ph_wrench { // (torque | force)
    ph_vec3 torque, force;
} ph_wrench;

#endif
