// The mass matrix of a robot as it is drawn, for what files define by it: springdamper of joints, dampratio of actuators.
#ifndef PH_IO_ROBOT_MASS_MATRIX_H
#define PH_IO_ROBOT_MASS_MATRIX_H

#include "io/robot/robot.h"

typedef struct mass_matrix {
    int n;      // velocities
    int *first; // of each joint
    double *L;  // Cholesky factor, n x n; NULL: there is none
} mass_matrix;

// Bodies must have their masses. False: out of memory, or some motion has no inertia.
bool mass_matrix_make(robot *r, mass_matrix *m);
// 1/(J M^-1 J^T), the inertia that a force along the row J feels. J is overwritten.
double mass_matrix_felt(const mass_matrix *m, double *J);

#endif
