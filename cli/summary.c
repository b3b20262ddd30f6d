// The summary of a run for programs. See summary.h.

#include "summary.h"

#include <math.h>

void json_summary(json *j, const ph_summary *s)
{
    json_object(j, "energy");
    json_number(j, "initial", s->energy_initial);
    json_number(j, "final", s->energy_final);
    json_number(j, "stored_initial", s->stored_initial);
    json_number(j, "stored_final", s->stored_final);
    json_number(j, "work", s->work);
    json_number(j, "scale", s->energy_scale);
    json_number(j, "max_abs_error", s->energy_max_abs_error);
    json_number(j, "max_rel_error", s->energy_scale > 0.0 ? s->energy_max_abs_error / s->energy_scale : (double)NAN);
    json_bool(j, "wrong", s->energy_wrong);
    json_end_object(j);
    json_object(j, "momentum");
    json_number(j, "linear_max_error", s->has_linear ? s->linear_max_error : (double)NAN);
    json_number(j, "angular_max_error", s->has_angular ? s->angular_max_error : (double)NAN);
    json_end_object(j);
    json_number(j, "orthogonality_max", s->orthogonality_max);
    json_number(j, "position_violation_max", s->position_violation_max);
    json_number(j, "velocity_violation_max", s->velocity_violation_max);
    json_object(j, "newton");
    json_number(j, "iterations_mean", s->iterations_mean);
    json_integer(j, "iterations_max", s->iterations_max);
    json_end_object(j);
    json_object(j, "own_steps");
    json_integer(j, "accepted", s->inner_steps);
    json_integer(j, "rejected", s->rejections);
    json_integer(j, "evaluations", s->evaluations);
    json_end_object(j);
    json_object(j, "contact");
    json_integer(j, "contacts_max", s->contacts_max);
    json_number(j, "iterations_mean", s->contact_iterations_mean);
    json_number(j, "residual_max", s->contact_residual_max);
    json_number(j, "penetration_max", s->penetration_max);
    json_integer(j, "missed", s->contact_missed);
    json_number(j, "friction_work", s->friction_work);
    json_number(j, "impact_work", s->impact_work);
    json_number(j, "gain_max", s->contact_gain_max);
    json_object(j, "solvers");
    for (int k = 0; k < PH_CONTACT_SOLVERS; k++)
        if (s->contact_solver_steps[k] > 0) json_integer(j, ph_contact_solver_name(k), s->contact_solver_steps[k]);
    json_end_object(j);
    json_end_object(j);
}
