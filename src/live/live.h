// The inside of ph_live: a model at the values that the viewer has set, its motion, and what is told about it.
#ifndef PH_LIVE_LIVE_H
#define PH_LIVE_LIVE_H

#include "polhode/callback.h"
#include "polhode/live.h"

#include "io/page/text.h"
#include "model/model.h"
#include "model/state.h"

enum { LIVE_NAME = 128, LIVE_MESSAGE = 512, LIVE_SETTINGS = 300 };

// A spring and damper between a point of a body and a point in the world.
typedef struct live_pull {
    int body; // PH_NONE: nothing is pulled
    ph_vec3 point, target;
    double stiffness, damping;
} live_pull;

typedef struct live_column { // more of a frame than every model has
    char name[LIVE_NAME];
    int channels;
} live_column;

struct ph_live {
    ph_live_def def;
    const ph_model *written; // the caller's
    ph_model *own;           // at other values, or with the spring on a body; NULL: there are none
    const ph_model *model;   // the one of them that moves
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
    char scheme[LIVE_NAME];
    double step, speed;
    bool paused;
    live_pull pull;
    double *parameters;             // of the model, as set
    double clock, time, last_clock; // where clock and simulation met last; the clock of the last call
    bool meet;                      // they meet at the next call
    int unseen;
    // What is told:
    char message[LIVE_MESSAGE];
    bool changed, restarted, new_scene;
    page_text text;
    live_column *columns;
    int column_count, column_capacity, column_numbers;
    int *stressed; // bodies whose stress is told
    int stressed_count;
    unsigned char *frame;
    size_t frame_room;
    ph_wrench *reactions;
    ph_mat3 *stress;
    double *sensed;
};

void live_say(ph_live *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

// rebuild.c: a model, a simulation and a state for the parameters, the scheme and the pull as they are now, with the motion
// so far. On failure nothing changes, and the viewer is told why.
bool live_rebuild(ph_live *l, bool again);
bool live_make_sim(ph_live *l, const ph_model *model, const char *scheme, ph_sim **sim);
void live_restart(ph_live *l, int keyframe); // PH_NONE: the start of the model

// pull.c
void live_pull_at(const ph_body_motion *b, double time, void *user, ph_load *loads);
void live_pull_begin(ph_live *l, int body, ph_vec3 point, ph_vec3 target);
void live_pull_end(ph_live *l);

// frame.c
bool live_find_columns(ph_live *l);
void live_free_columns(ph_live *l);

#endif
