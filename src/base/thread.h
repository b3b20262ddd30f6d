// Threads, locks and signals between them, as the system has them. WebAssembly has one thread here: there a lock is nothing.
#ifndef PH_BASE_THREAD_H
#define PH_BASE_THREAD_H

#include <stdbool.h>

#if defined __wasm__

#define PH_ONE_THREAD 1
typedef char thread_lock;
static inline void lock_init(thread_lock *l)
{
    *l = 0;
}
static inline void lock_destroy(thread_lock *l)
{
    (void)l;
}
static inline void lock_take(thread_lock *l)
{
    (void)l;
}
static inline void lock_leave(thread_lock *l)
{
    (void)l;
}

#else

#ifdef _WIN32 // thread_windows.c
typedef struct thread_lock {
    void *system;
} thread_lock;
typedef struct thread_signal {
    void *system;
} thread_signal;
typedef void *thread_handle;
void lock_init(thread_lock *l);
void lock_destroy(thread_lock *l);
void lock_take(thread_lock *l);
void lock_leave(thread_lock *l);
#else         // thread_posix.c
#include <pthread.h>
typedef pthread_mutex_t thread_lock;
typedef pthread_cond_t thread_signal;
typedef pthread_t thread_handle;
static inline void lock_init(thread_lock *l)
{
    pthread_mutex_init(l, NULL);
}
static inline void lock_destroy(thread_lock *l)
{
    pthread_mutex_destroy(l);
}
static inline void lock_take(thread_lock *l)
{
    pthread_mutex_lock(l);
}
static inline void lock_leave(thread_lock *l)
{
    pthread_mutex_unlock(l);
}
#endif

// Waiting gives the lock away meanwhile. It may end without a signal: look again at what is waited for.
void signal_init(thread_signal *s);
void signal_destroy(thread_signal *s);
void signal_wait(thread_signal *s, thread_lock *l);
void signal_all(thread_signal *s);

// task(user) on a thread of its own; false: there are too many.
typedef void thread_task(void *user);
bool thread_start(thread_handle *thread, thread_task *task, void *user);
void thread_join(thread_handle thread);

void thread_give_way(void);
int thread_processors(void); // of this machine

#endif

#endif
