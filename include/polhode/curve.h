// Polhode: quantities of a result by name, as curves over its rows.
//
//     ph_curves *all = ph_curves_create(result);
//     const int error = ph_curves_find(all, "energy.error");
//     ph_curves_read(all, error, values, &problem);      // ph_result_rows(result) numbers
//
// Names: time; energy.{kinetic,potential,work,total,error,relative_error}; momentum.{linear,angular}.{x,y,z,size};
// violation.{position,velocity}; <body>.{position,velocity,angular_velocity}.{x,y,z}, <body>.speed,
// <body>.angular_speed, <body>.orientation.{w,x,y,z}, <body>.{axis_x,axis_y,axis_z}.{x,y,z} (its axes in the world);
// joints.<joint>.{force,torque}.{x,y,z,size}, joints.<joint>.reaction (the size of the force),
// joints.<joint>.{coordinate,rate} (with .1, .2 ... where there are several); stress.<body>.{xx ... zz,mises,pressure} (mean
// stress, body axes), multiplier.<body>.{xx ... zz}, quaternion.<body>.{pw,px,py,pz,lambda}; contacts.{count,force,largest_force,gap,penetration}.
#ifndef POLHODE_CURVE_H
#define POLHODE_CURVE_H

#include "polhode/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_curve {
    const char *name;    // "rod2.position.x"
    const char *subject; // "rod2", or ""
    const char *what;    // "position"
    const char *part;    // "x", or ""
    const char *unit;    // "m"; "" for a number without
} ph_curve;

typedef struct ph_curves ph_curves;

// All quantities that the result has. NULL when out of memory. The result must outlive them.
PH_API ph_curves *ph_curves_create(ph_result *result);
PH_API void ph_curves_destroy(ph_curves *all);

PH_API int ph_curves_count(const ph_curves *all);
PH_API ph_curve ph_curves_get(const ph_curves *all, int index);

// Index or PH_NONE. A '/' in the name is as good as a '.', and the column names of CSV results (rod2.vx) are known too.
PH_API int ph_curves_find(const ph_curves *all, const char *name);

// The quantities that a name stands for: itself, or its components (joints.A.force: x, y and z). Returns how many
// there are and writes the first `room` of them.
PH_API int ph_curves_match(const ph_curves *all, const char *name, int *list, int room);

// A name near to one that there is not, or NULL.
PH_API const char *ph_curves_suggest(const ph_curves *all, const char *name);

// Its value in every row that is valid: ph_result_rows numbers.
PH_API ph_status ph_curves_read(ph_curves *all, int index, double *to, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
