// The matrix of a cone problem as blocks between cones.
#ifndef PH_CONE_BLOCKS_H
#define PH_CONE_BLOCKS_H

#include "cone/cone.h"

// Whether a matrix given by a user is one, and has as many rows as the problem.
ph_status cone_matrix_check(const ph_cone_matrix *matrix, int rows, ph_error *error);

// Fills w->blocks with S N S from a checked matrix; w->cones and w->scale are there.
ph_status cone_blocks_fill(ph_cone_workspace *w, const ph_cone_matrix *matrix, ph_error *error);

// The rows of cone i of S N S x.
void cone_blocks_row(const ph_cone_workspace *w, int i, const double *x, double *y);

// The diagonal block of cone i of an unscaled matrix, row-major.
void cone_matrix_diagonal(const ph_cone_matrix *matrix, int first, int rows, double *block);

#endif
