// What steps of `moreau` leave for the sweep backwards: a step is made in one part or more, and each leaves where it began, its
// contacts with their impulses, and who flew. Everything else the sweep finds again from these.
#ifndef PH_ADJOINT_CONTACT_TAPE_H
#define PH_ADJOINT_CONTACT_TAPE_H

#include "adjoint/tape.h"
#include "schemes/moreau.h"

typedef struct contact_item {
    detected at;
    double g[CONTACT_ROWS_MAX];
    bool bounces;
    double tau, pull,
        scale; // of those that bounce: when, what gravity does to the normal velocity, what part of e is left
} contact_item;

typedef struct contact_body { // of a moving body
    tape_node node;
    bool flies;
    double tau; // when it bounces
} contact_body;

typedef struct contact_part {
    double time, h, undo;     // undo: over which overlaps are undone
    int bodies, items, stops; // where those of the part begin
    int item_count, stop_count;
    bool fixed; // its length, restitution or list of contacts came from a search, whose outcome counts as given
} contact_part;

typedef struct contact_tape {
    const ph_model *model;
    contact_part *parts;
    contact_body *bodies;
    contact_item *items;
    double *stops;   // impulses
    int *first_part; // by step on the tape
    int part_count, body_count, item_count, stop_count, step_count;
    int part_room, body_room, item_room, stop_room, step_room;
    bool out_of_memory;
} contact_tape;

void contact_tape_destroy(contact_tape *t);
void contact_tape_clear(contact_tape *t);
void contact_tape_begin_step(contact_tape *t);
void contact_tape_watch(void *user, const moreau *m);
int contact_tape_last_part(const contact_tape *t, int step); // the parts of a step are those from its first to this one

#endif
