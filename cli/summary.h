// The summary of a run for programs.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "json.h"

#include "polhode/analysis.h"

// Energy, momentum, constraints, solver and contact: the keys that every command with a run shares.
void json_summary(json *j, const ph_summary *summary);

#endif
