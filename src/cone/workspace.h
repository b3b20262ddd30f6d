// Bringing a problem into a workspace, and looking at it there.
#ifndef PH_CONE_WORKSPACE_H
#define PH_CONE_WORKSPACE_H

#include "cone/cone.h"

// Cones, scales and S q of the problem; its matrix too when there is nothing else. Cones and q have been checked.
ph_status cone_workspace_load(ph_cone_workspace *w, const ph_cone_problem *problem, ph_error *error);

// The matrix of the problem in w->blocks, unless it is there already. PH_NOT_SUPPORTED when the operator has none.
ph_status cone_workspace_load_matrix(ph_cone_workspace *w, const ph_cone_problem *problem, ph_error *error);

#endif
