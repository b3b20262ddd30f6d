// Time for measuring: it never jumps back.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void); // since some fixed moment

// Time that the processor has spent on this thread: what other programs do on the machine does not count.
double clock_cpu_seconds(void);
double clock_process_seconds(void); // on all threads of this program

#endif
