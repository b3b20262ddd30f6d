// The table of commands, made from the list in commands.h.

#include "commands.h"

const command commands[] = {
#define COMMAND_ENTRY(name, title) {#name, title, command_##name},
    COMMAND_LIST(COMMAND_ENTRY)
#undef COMMAND_ENTRY
};
const int command_count = sizeof commands / sizeof commands[0];
