// What a live simulation does, recorded to result files while the viewer wants it.
#ifndef CLI_LIVE_RECORD_H
#define CLI_LIVE_RECORD_H

#include "polhode/polhode.h"

enum { RECORD_PATH = 1024, RECORD_TEXT = 2 * RECORD_PATH + 700 };

typedef struct live_record {
    const char *path; // of the first file; the others have numbers
    char current[RECORD_PATH];
    ph_result_writer *writer; // NULL: nothing is recorded
    long long rows, most;
    char message[512];
    bool changed; // the viewer is to be told
} live_record;

void live_record_toggle(live_record *r, ph_live *simulation);
// After each step, and at every new start, which ends a recording: the model may be another from there on.
void live_record_visit(live_record *r, const ph_state *state, ph_observer *observer, bool restarted);
void live_record_end(live_record *r);

// JSON for the viewer; false: nothing is new.
bool live_record_news(live_record *r, char text[RECORD_TEXT]);

#endif
