// A simulation that runs while the browser shows it.
#ifndef CLI_LIVE_H
#define CLI_LIVE_H

#include "options.h"

#include "polhode/polhode.h"

typedef struct live_options {
    ph_run_def run; // scheme and step
    text_list settings;
    const char *record; // file that recordings go to; NULL: live.h5
    int port;           // 0: any free one
} live_options;

// Until Ctrl-C. Returns an exit_status.
int run_live(const char *path, const live_options *options);

#endif
