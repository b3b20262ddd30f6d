// Forces along a joint coordinate, shared by the torsion spring and by what joints do by themselves (joint_drive.c).
#ifndef PH_FORCES_DRIVE_H
#define PH_FORCES_DRIVE_H

#include "forces/force.h"

void drive_apply(const force *f, const motion *at, ph_wrench *Q);
double drive_potential(const force *f, const motion *at);
double drive_power(const force *f, const motion *at);

#endif
