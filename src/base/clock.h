// Wall-clock time for measuring: it never jumps back.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

double clock_seconds(void); // since some fixed moment

#endif
