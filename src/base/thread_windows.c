// Threads under Windows. See thread.h.

#include "base/thread.h"

#ifdef _WIN32

#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <windows.h>

_Static_assert(sizeof(thread_lock) == sizeof(SRWLOCK), "a lock is one pointer");
_Static_assert(sizeof(thread_signal) == sizeof(CONDITION_VARIABLE), "a condition is one pointer");

void lock_init(thread_lock *l)
{
    InitializeSRWLock((SRWLOCK *)l);
}

void lock_destroy(thread_lock *l)
{
    (void)l;
}

void lock_take(thread_lock *l)
{
    AcquireSRWLockExclusive((SRWLOCK *)l);
}

void lock_leave(thread_lock *l)
{
    ReleaseSRWLockExclusive((SRWLOCK *)l);
}

void signal_init(thread_signal *s)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)s);
}

void signal_destroy(thread_signal *s)
{
    (void)s;
}

void signal_wait(thread_signal *s, thread_lock *l)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)s, (SRWLOCK *)l, INFINITE, 0);
}

void signal_all(thread_signal *s)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)s);
}

typedef struct beginning {
    thread_task *task;
    void *user;
} beginning;

static unsigned __stdcall begin(void *argument)
{
    const beginning b = *(const beginning *)argument;
    free(argument);
    b.task(b.user);
    return 0;
}

bool thread_start(thread_handle *thread, thread_task *task, void *user)
{
    beginning *b = malloc(sizeof *b);
    if (b) *b = (beginning){task, user};
    const uintptr_t started = b ? _beginthreadex(NULL, 0, begin, b, 0, NULL) : 0;
    if (!started) free(b);
    *thread = (thread_handle)started;
    return started != 0;
}

void thread_join(thread_handle thread)
{
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}

void thread_give_way(void)
{
    SwitchToThread();
}

int thread_processors(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
}

#endif
