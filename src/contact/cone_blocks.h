// The matrix of a cone problem as blocks between cones.
#ifndef PH_CONTACT_CONE_BLOCKS_H
#define PH_CONTACT_CONE_BLOCKS_H

#include "contact/cone.h"

// Fills w->blocks with S N S from `matrix`; w->cones and w->scale are there. false when out of memory.
bool cone_blocks_fill(ph_cone_workspace *w, const ph_cone_matrix *matrix);

// The rows of cone i of S N S x.
void cone_blocks_row(const ph_cone_workspace *w, int i, const double *x, double *y);

// The diagonal block of cone i of an unscaled matrix, row-major.
void cone_matrix_diagonal(const ph_cone_matrix *matrix, int first, int rows, double *block);

#endif
