// What the program can do.

#include "commands.h"

const command commands[] = {
    {"run", "simulate a model, measure what is kept, record the motion", command_run},
    {"check", "look for mistakes in model files", command_check},
    {"info", "bodies, joints, degrees of freedom, redundant rows, mass, energy", command_info},
    {"schemes", "the integration schemes and what each keeps", command_schemes},
    {"joints", "the joint types and the keys they take", command_joints},
    {"bench", "how fast the engine steps on this machine", command_bench},
};
const int command_count = sizeof commands / sizeof commands[0];
