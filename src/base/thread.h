// Locks, as the system has them. WebAssembly has one thread here: there a lock is nothing.
#ifndef PH_BASE_THREAD_H
#define PH_BASE_THREAD_H

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
#include <pthread.h>
typedef pthread_mutex_t thread_lock;
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

#endif
