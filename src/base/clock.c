// Monotonic time.

#include "base/clock.h"

#ifdef _WIN32

#include <windows.h>

double clock_seconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    return (double)now.QuadPart / (double)rate.QuadPart;
}

static double seconds_of(const FILETIME *t) // from 100 ns
{
    return 1e-7 * ((double)t->dwHighDateTime * 0x1p32 + (double)t->dwLowDateTime);
}

double clock_cpu_seconds(void)
{
    FILETIME begun, ended, kernel, user;
    return GetThreadTimes(GetCurrentThread(), &begun, &ended, &kernel, &user) ? seconds_of(&kernel) + seconds_of(&user)
                                                                              : 0.0;
}

double clock_process_seconds(void)
{
    FILETIME begun, ended, kernel, user;
    return GetProcessTimes(GetCurrentProcess(), &begun, &ended, &kernel, &user)
               ? seconds_of(&kernel) + seconds_of(&user)
               : 0.0;
}

#else

#include <time.h>

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_seconds(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_cpu_seconds(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double clock_process_seconds(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

#endif
