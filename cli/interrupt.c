// Ctrl-C in good order. See interrupt.h.

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

void catch_interrupts(void)
{
#ifdef SA_RESETHAND
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
#else // the C library of Windows forgets the handler when it has been called
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
#endif
}

bool was_interrupted(void)
{
    return interrupted != 0;
}
