// Ctrl-C in good order.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

// The first SIGINT or SIGTERM makes was_interrupted true; a second one ends the program.
void catch_interrupts(void);
bool was_interrupted(void);

#endif
