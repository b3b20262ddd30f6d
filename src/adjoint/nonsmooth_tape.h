// What steps of `rattlie-ns` leave for the sweep backwards. A step is made in one part or more; a part consists of two stages, an impact, or
// both, of which the first ends where the gap does that the second closes.
#ifndef PH_ADJOINT_NONSMOOTH_TAPE_H
#define PH_ADJOINT_NONSMOOTH_TAPE_H

#include "adjoint/contact_tape.h"
#include "schemes/nonsmooth.h"

typedef struct nonsmooth_item { // a contact, or a stop
    contact_item contact;       // g: impulses, those of the whole step at its end; of an impact `bounces`
    int joint;                  // of a stop
    stop_kind kind;
    int other; // at the end of stages: which item of the beginning it is, -1: none
    double extra
        [CONTACT_ROWS_MAX]; // at the end: what stage 2 adds to the impulses of stage 1; of an impact: without restitution
    bool has_ahead;         // at the beginning: where it is at the end
    detected ahead;
} nonsmooth_item;

typedef struct nonsmooth_list {
    int first, contacts, stops; // items: contacts, then stops
} nonsmooth_list;

enum { NO_STAGES = -1, UNKNOWN_EVENT = -2 };

typedef struct nonsmooth_part {
    bool impact;
    double time, h;
    bool recovers;                // surfaces that overlap come apart
    length_law length, next_most; // of the part of the step; of an impact where no stages are before it
    bool fixed_length;            // what it follows from counts as given, or is not quite what was solved
    int nodes;                    // where it begins, by moving body; V_+ behind them
    int numbers;                  // h lambda, mu, turns
    nonsmooth_list here, there;
    double newton; // of an impact: part of the way from impulses without restitution to Newton's law that it goes
    int event;     // of an impact: the contact whose closing ended the stages before it; NO_STAGES, or UNKNOWN_EVENT
} nonsmooth_part;

typedef struct nonsmooth_tape {
    const ph_model *model;
    nonsmooth_part *parts;
    tape_node *nodes;
    double *numbers;
    nonsmooth_item *items;
    int *first_part; // by step on the tape
    int part_count, node_count, number_count, item_count, step_count;
    int part_room, node_room, number_room, item_room, step_room;
    int kept[4]; // counts of parts, nodes, numbers and items that are sure
    bool out_of_memory;
} nonsmooth_tape;

void nonsmooth_tape_destroy(nonsmooth_tape *t);
void nonsmooth_tape_clear(nonsmooth_tape *t);
void nonsmooth_tape_begin_step(nonsmooth_tape *t);
void nonsmooth_tape_watch(void *user, const nonsmooth *s, nonsmooth_news news, const ph_state *state, double h);
int nonsmooth_tape_last_part(const nonsmooth_tape *t, int step);

#endif
