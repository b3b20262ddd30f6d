// Names of what solves contact problems, for reports and results.
#ifndef PH_MODEL_SOLVERS_H
#define PH_MODEL_SOLVERS_H

// The number of ph_contact_solver_name; 0 for NULL and for names that are not in the table.
int contact_solver_index(const char *name);

#endif
