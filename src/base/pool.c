// Loops come every few microseconds while a step is made and then not for long. So a worker looks for work for a while
// before it goes to sleep.
//
// The ticket holds the number of the loop and how many of its tasks are still to be taken, in one word: a worker that
// is late cannot take a task of a loop it does not know. Task and user are read after a task is taken; the caller does not
// change them before it is done.

#include "base/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 200 };

struct pool {
    const ph_allocator *allocator;
    ph_allocator allocator_copy;
    pool_task *task;
    void *user;
    atomic_ullong ticket; // loop << 32 | tasks left
    atomic_int pending;   // tasks not done
    atomic_int asleep;
    atomic_bool ends;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int worker_count;
    pthread_t workers[];
};

static bool has_work(pool *p)
{
    return (atomic_load(&p->ticket) & 0xffffffffu) > 0;
}

// Takes one task and does it; false when there is none.
static bool take(pool *p)
{
    unsigned long long ticket = atomic_load(&p->ticket);
    do {
        if ((ticket & 0xffffffffu) == 0) return false;
    } while (!atomic_compare_exchange_weak(&p->ticket, &ticket, ticket - 1));
    p->task(p->user, (int)(ticket & 0xffffffffu) - 1);
    atomic_fetch_sub(&p->pending, 1);
    return true;
}

static void sleep_until_work(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    atomic_fetch_add(&p->asleep, 1);
    while (!has_work(p) && !atomic_load(&p->ends)) pthread_cond_wait(&p->wake, &p->mutex);
    atomic_fetch_sub(&p->asleep, 1);
    pthread_mutex_unlock(&p->mutex);
}

static void *work(void *argument)
{
    pool *p = argument;
    int looks = 0;
    while (!atomic_load(&p->ends)) {
        if (take(p)) {
            looks = 0;
        } else if (++looks > LOOKS) {
            sleep_until_work(p);
            looks = 0;
        } else if (looks > LOOKS_BEFORE_YIELD) {
            sched_yield();
        }
    }
    return NULL;
}

static void wake_all(pool *p)
{
    pthread_mutex_lock(&p->mutex);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
}

pool *pool_create(int threads, const ph_allocator *allocator)
{
    if (threads < 2) return NULL;
    pool *p = mem_alloc(allocator, sizeof *p + sizeof(pthread_t) * (size_t)(threads - 1));
    if (!p) return NULL;
    if (allocator) {
        p->allocator_copy = *allocator;
        p->allocator = &p->allocator_copy;
    }
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->wake, NULL);
    while (p->worker_count < threads - 1 && pthread_create(&p->workers[p->worker_count], NULL, work, p) == 0)
        p->worker_count++;
    return p;
}

void pool_destroy(pool *p)
{
    if (!p) return;
    atomic_store(&p->ends, true);
    wake_all(p);
    for (int k = 0; k < p->worker_count; k++) pthread_join(p->workers[k], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    const ph_allocator allocator = p->allocator_copy;
    mem_free(p->allocator ? &allocator : NULL, p);
}

void pool_run(pool *p, pool_task *task, void *user, int count)
{
    if (!p || count < 2) {
        for (int i = 0; i < count; i++) task(user, i);
        return;
    }
    const unsigned long long loop = (atomic_load(&p->ticket) >> 32) + 1;
    p->task = task;
    p->user = user;
    atomic_store(&p->pending, count);
    atomic_store(&p->ticket, loop << 32 | (unsigned long long)count);
    if (atomic_load(&p->asleep) > 0) wake_all(p);
    while (take(p)) continue;
    for (int looks = 0; atomic_load(&p->pending) > 0; looks++)
        if (looks > LOOKS_BEFORE_YIELD) sched_yield();
}

typedef struct ranges {
    pool_range *task;
    void *user;
    int count, size;
} ranges;

static void run_range(void *user, int part)
{
    const ranges *r = user;
    const int from = part * r->size, to = r->count - from > r->size ? from + r->size : r->count;
    r->task(r->user, part, from, to);
}

void pool_run_ranges(pool *p, pool_range *task, void *user, int count, int size)
{
    ranges r = {task, user, count, size};
    pool_run(p, run_range, &r, pool_parts(count, size));
}
