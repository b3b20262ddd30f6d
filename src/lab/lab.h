// Parts of the laboratory: trials, sample times, bare runs, references.
#ifndef PH_LAB_LAB_H
#define PH_LAB_LAB_H

#include "base/error.h"
#include "base/memory.h"
#include "polhode/lab.h"

// ---- Trials and sample times ----------------------------------------------------------------------------------------

typedef struct trial_name {
    const char *scheme; // with its options
    double step;        // 0: not given
    int index;          // of the scheme, or PH_NONE
} trial_name;

// Reads SCHEME[:OPTIONS][@STEP]. A scheme that does not exist is not a mistake here: ph_sim_create explains it better.
ph_status trial_read(arena *memory, const char *text, trial_name *trial, ph_error *error);

// How many steps lead to `time`; 0 when it is no multiple of the step.
long long steps_to(double time, double step);

// The smallest time that is a multiple of every step; 0 when there is none within 10000 of the largest.
double common_multiple(const double *steps, int count);

// ---- Sampled motion -------------------------------------------------------------------------------------------------

typedef struct track {
    int bodies, samples;
    ph_vec3 *position, *velocity, *angular_velocity; // [samples][bodies]
    ph_quat *orientation;
} track;

bool track_create(arena *memory, int bodies, int samples, track *t);
void track_store(track *t, int sample, const ph_state *state);

// `measured` is the body that counts; PH_NONE: every one. track_error takes the error at one sample into `largest`.
void track_error(const track *reference, int sample, const ph_state *state, int measured, ph_motion_error *largest);
ph_motion_error track_difference(const track *a, const track *b, int measured);
ph_motion_error track_size(const track *t, int measured); // largest |x|, 1, |v|, |Omega|

// ---- Runs -----------------------------------------------------------------------------------------------------------

typedef struct lab {
    const ph_model *model;
    ph_sim_def sim;
    const double *times; // of the samples, rising
    int samples;
    int measured; // the body whose error counts; PH_NONE: all
    ph_lab_progress_function progress;
    void *user;
    ph_lab_progress now;
    double planned, before, length; // steps of all runs, of those that are done, of this one
    double last_look;
    long long calls, next_look, look_every;
} lab;

void lab_plan(lab *l, double step, int times);          // so many more runs are to come
void lab_begin(lab *l, const char *trial, double step); // the next run
void lab_note(lab *l, double share);                    // of this run that is done
bool lab_go_on(lab *l, double share);                   // shows progress now and then; false: the user wants to stop

typedef struct run_cost {
    long long steps;
    double iterations_mean, cpu_s;
} run_cost;

// Steps to the last sample time without measuring anything; keeps the motion at the samples (track may be NULL).
ph_status lab_run(lab *l, const char *scheme, double step, track *t, run_cost *cost, ph_error *error);

// CPU time of one step, from a few hundredths of a second of steps; NaN when a step fails.
double lab_step_time(const lab *l, const char *scheme, double step, long long steps);

// Makes the reference: the one given, or one that is chosen for trials of that smallest step, from `runs` runs.
ph_status lab_reference(lab *l, arena *memory, const char *given, double smallest, int runs, track *t,
                        ph_reference_info *info, ph_error *error);

ph_motion_error motion_error_unknown(void);

#endif
