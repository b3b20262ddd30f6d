#ifndef PH_ADJOINT_ADJOINT_H
#define PH_ADJOINT_ADJOINT_H

#include "adjoint/contact_sweep.h"
#include "adjoint/nonsmooth_sweep.h"
#include "adjoint/sweep.h"
#include "polhode/adjoint.h"

enum { SNAPSHOTS_MAX = 4096 };

typedef struct snapshot {
    long long step;
    ph_state *state;
} snapshot;

struct ph_adjoint {
    const ph_model *model;
    arena *memory;
    arena *run; // of the run at hand: tape, inputs
    size_t bytes;
    ph_sim *sim;
    variational *stages;  // NULL: steps are those of `moreau`
    moreau *moreau;       // NULL: they are not
    nonsmooth *nonsmooth; // of `rattlie-ns`; NULL: they are not
    contact_tape contacts;
    contact_sweep contact_sweep;
    nonsmooth_tape parts;
    nonsmooth_sweep nonsmooth_sweep;
    tape tape;
    sweep sweep;
    double h;
    long long steps;
    long long segment;  // steps that the tape holds
    long long taped[2]; // steps that are on it, from and to
    snapshot *snapshots;
    int snapshot_count, snapshot_room;
    double *inputs, *input_gradient; // steps x inputs
    ph_state *node, *work;           // shown to sources; run again
    ph_cotangent *cotangents, *start;
    ph_adjoint_report report;
};

// Makes steps `from` to `to` from `state`, on the tape if `taped`.
ph_status adjoint_replay(ph_adjoint *a, ph_state *state, long long from, long long to, bool taped);
// One step, on the tape.
ph_status adjoint_step(ph_adjoint *a, ph_state *state, long long n, ph_step_report *report);
// A tape of one step, for a run that is only followed forwards. false: out of memory.
bool adjoint_prepare_single(ph_adjoint *a, double h, long long steps, const double *inputs);
// Where the next snapshot goes: so many segments ahead of `count` that are left, with `room` for snapshots.
long long adjoint_split(long long count, long long room);

#endif
