// Heaps of free bodies on a card: state, detection and friction problem stay there, from step to step.
//
// The step is that of schemes/moreau.c for bodies that nothing but gravity and contacts move. Machines have one table each; the core
// knows neither them nor CUDA, and finds them by name (schemes/device.h).
#ifndef CARD_CARD_H
#define CARD_CARD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct card card;

#include "member.h"

// Everything by pointers to the caller's arrays, which are copied.
typedef struct card_scene {
    int bodies, shapes, masses, kinds, surfaces, triangles;
    const int *mass_of, *moves;   // by body
    const int *kind_of, *body_of; // by shape
    const void *mass, *kind;      // card_mass, card_kind of view.h
    const void *surface;          // card_surface: surfaces x surfaces
    const double *corners;        // nine by triangle, world
    const int *triangle_shape, *triangle_open;
    double gravity[3];
    double tolerance, recovery, margin;
    int passes; // of a step, at the most
    bool all_round, all_balls;
    card_settle *settle; // clusters that sweeps do not settle; NULL: nobody does
    void *settle_user;
    // Parts of a scene that several machines share (view.h); else 0 and NULL.
    const int *owned, *body_name, *shape_name;
    int cells;   // of the whole scene's grid, as many as its shapes ask for ...
    double base; // ... and their width
    void *peers;
} card_scene;

typedef struct card_state { // by body; orientation w, x, y, z; spin in body axes
    double *position, *orientation, *velocity, *spin;
} card_state;

typedef struct card_report {
    int steps, contacts, missed;
    long long passes;
    double residual, overlap; // the largest
    double friction, impact;  // work
    size_t bytes;             // of the card's memory
} card_report;

// Contacts of a step, and lists of them by body: 2 contact, and 1 more when it is its b.
typedef struct card_contacts {
    int count;
    const void *list;     // card_contact of view.h
    const float *impulse; // three for each, on b
    const int *use_start, *use;
} card_contacts;

typedef struct card_machine {
    // NULL, and what is wrong in `why`, when there is no card or it has not enough memory.
    card *(*create)(const card_scene *scene, char why[256]);
    void (*destroy)(card *c);
    const char *(*name)(const card *c);
    bool (*put)(card *c, const card_state *state);
    bool (*get)(card *c, const card_state *state);
    // Contacts of the last step, which give the first guess. Those that are got are the card's copy, until the next call.
    bool (*put_contacts)(card *c, const card_contacts *contacts);
    bool (*get_contacts)(card *c, card_contacts *contacts);
    // `count` steps; stops at the first that is not finite or finds no memory: `why`.
    bool (*steps)(card *c, double h, long long count, card_report *report, char why[256]);
} card_machine;

extern const card_machine card_machine_host; // the processor, one element after the other: for tests
extern const card_machine card_machine_cuda;

#ifdef __cplusplus
}
#endif
#endif
