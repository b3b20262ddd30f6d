// Threads under POSIX. See thread.h.
#ifdef __APPLE__
#define _DARWIN_C_SOURCE // NOLINT: _SC_NPROCESSORS_ONLN
#endif

#include "base/thread.h"

#if !defined _WIN32 && !defined PH_ONE_THREAD

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

void signal_init(thread_signal *s)
{
    pthread_cond_init(s, NULL);
}

void signal_destroy(thread_signal *s)
{
    pthread_cond_destroy(s);
}

void signal_wait(thread_signal *s, thread_lock *l)
{
    pthread_cond_wait(s, l);
}

void signal_all(thread_signal *s)
{
    pthread_cond_broadcast(s);
}

typedef struct beginning {
    thread_task *task;
    void *user;
} beginning;

static void *begin(void *argument)
{
    const beginning b = *(const beginning *)argument;
    free(argument);
    b.task(b.user);
    return NULL;
}

bool thread_start(thread_handle *thread, thread_task *task, void *user)
{
    beginning *b = malloc(sizeof *b);
    if (b) *b = (beginning){task, user};
    const bool good = b && pthread_create(thread, NULL, begin, b) == 0;
    if (!good) free(b);
    return good;
}

void thread_join(thread_handle thread)
{
    pthread_join(thread, NULL);
}

void thread_give_way(void)
{
    sched_yield();
}

int thread_processors(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

#endif
