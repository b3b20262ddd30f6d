// Loops come every few microseconds while a step is made and then not for long. So a worker looks for work for a while
// before it goes to sleep. It gives way (thread_give_way) only where the pool has more threads than there are processors: if
// another program takes its place it comes back when that has had its turn, milliseconds later; one that is woken, at once.
//
// Every thread has a share of each loop, the same tasks whenever the same loop comes again, whose data are then still in its
// own cache; when it has done them it helps the others. The ticket of a share holds the number of the loop and how many of
// its tasks are still to be taken, in one word: a worker that is late cannot take a task of a loop it does not know. Task,
// user and count are read after a task is taken; the caller does not change them before it is done.

#include "base/pool.h"

#include "base/memory.h"
#include "base/thread.h"

#ifndef PH_ONE_THREAD
#include <stdalign.h>
#include <stdatomic.h>

enum {
    PAUSES = 10000,       // looks for work in a row, half a millisecond, where every thread has a processor
    CROWDED_PAUSES = 200, // where they have not
    YIELDS = 3000,        // and looks after that, before a worker goes to sleep
    CACHE_LINE = 64,
};

typedef struct share {
    alignas(CACHE_LINE) atomic_ullong ticket; // loop << 32 | tasks left
} share;

typedef struct worker {
    struct pool *pool;
    int index;
    thread_handle thread;
} worker;

struct pool {
    arena *memory; // also of this
    pool_task *task;
    void *user;
    int count;
    int threads; // with the caller, who is the first, and with those that could not be started
    int worker_count;
    int pauses, yields;
    worker *workers;
    share *shares;                          // by thread
    alignas(CACHE_LINE) atomic_ullong loop; // its number; all shares are set
    alignas(CACHE_LINE) atomic_int pending; // tasks not done
    alignas(CACHE_LINE) atomic_int asleep;
    atomic_bool ends;
    thread_lock mutex;
    thread_signal wake;
};

// What a thread does that has looked in vain so often.
static void wait_briefly(const pool *p, int looks)
{
    if (looks > p->pauses) {
        thread_give_way();
    } else {
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    }
}

static int first_of(const pool *p, int count, int thread)
{
    return (int)((long long)count * thread / p->threads);
}

// Takes one task of a share and does it; false when there is none.
static bool take(pool *p, int thread)
{
    atomic_ullong *at = &p->shares[thread].ticket;
    unsigned long long ticket = atomic_load(at);
    do {
        if ((ticket & 0xffffffffu) == 0) return false;
    } while (!atomic_compare_exchange_weak(at, &ticket, ticket - 1));
    p->task(p->user, first_of(p, p->count, thread + 1) - (int)(ticket & 0xffffffffu));
    return true;
}

// Own tasks first.
static void take_all(pool *p, int thread)
{
    int done = 0;
    for (int k = 0; k < p->threads; k++)
        while (take(p, (thread + k) % p->threads)) done++;
    if (done > 0) atomic_fetch_sub(&p->pending, done);
}

static void sleep_until_work(pool *p, unsigned long long known)
{
    lock_take(&p->mutex);
    atomic_fetch_add(&p->asleep, 1);
    while (atomic_load(&p->loop) == known && !atomic_load(&p->ends)) signal_wait(&p->wake, &p->mutex);
    atomic_fetch_sub(&p->asleep, 1);
    lock_leave(&p->mutex);
}

static void work(void *argument)
{
    const worker *me = argument;
    pool *p = me->pool;
    unsigned long long known = 0;
    int looks = 0;
    while (!atomic_load(&p->ends)) {
        const unsigned long long loop = atomic_load(&p->loop);
        if (loop != known) {
            known = loop;
            looks = 0;
            take_all(p, me->index);
        } else if (++looks > p->pauses + p->yields) {
            sleep_until_work(p, known);
            looks = 0;
        } else {
            wait_briefly(p, looks);
        }
    }
}

static void wake_all(pool *p)
{
    lock_take(&p->mutex);
    signal_all(&p->wake);
    lock_leave(&p->mutex);
}

static void start_workers(pool *p, int count)
{
    for (int k = 0; k < count; k++) {
        p->workers[k] = (worker){.pool = p, .index = k + 1};
        if (!thread_start(&p->workers[k].thread, work, &p->workers[k])) return;
        p->worker_count++;
    }
}

pool *pool_create(int threads, const ph_allocator *allocator)
{
    if (threads < 2) return NULL;
    arena *memory = arena_create(allocator);
    pool *p = memory ? arena_alloc(memory, sizeof *p) : NULL;
    worker *workers = memory ? arena_alloc_array(memory, (size_t)threads - 1, sizeof *workers) : NULL;
    share *shares = memory ? arena_alloc_array(memory, (size_t)threads, sizeof *shares) : NULL;
    if (!p || !workers || !shares) {
        arena_destroy(memory);
        return NULL;
    }
    p->memory = memory;
    p->threads = threads;
    const bool crowded = threads > thread_processors();
    p->pauses = crowded ? CROWDED_PAUSES : PAUSES;
    p->yields = crowded ? YIELDS : 0;
    p->workers = workers;
    p->shares = shares;
    lock_init(&p->mutex);
    signal_init(&p->wake);
    start_workers(p, threads - 1);
    return p;
}

void pool_destroy(pool *p)
{
    if (!p) return;
    atomic_store(&p->ends, true);
    wake_all(p);
    for (int k = 0; k < p->worker_count; k++) thread_join(p->workers[k].thread);
    signal_destroy(&p->wake);
    lock_destroy(&p->mutex);
    arena_destroy(p->memory);
}

void pool_run(pool *p, pool_task *task, void *user, int count)
{
    if (!p || count < 2) {
        for (int i = 0; i < count; i++) task(user, i);
        return;
    }
    const unsigned long long loop = atomic_load(&p->loop) + 1;
    p->task = task;
    p->user = user;
    p->count = count;
    atomic_store(&p->pending, count);
    for (int k = 0; k < p->threads; k++) {
        const int tasks = first_of(p, count, k + 1) - first_of(p, count, k);
        atomic_store(&p->shares[k].ticket, loop << 32 | (unsigned long long)tasks);
    }
    atomic_store(&p->loop, loop);
    if (atomic_load(&p->asleep) > 0) wake_all(p);
    take_all(p, 0);
    for (int looks = 0; atomic_load(&p->pending) > 0; looks++) wait_briefly(p, looks);
}

#else // PH_ONE_THREAD: NULL is a pool of the caller alone

pool *pool_create(int threads, const ph_allocator *allocator)
{
    (void)threads, (void)allocator;
    return NULL;
}

void pool_destroy(pool *p)
{
    (void)p;
}

void pool_run(pool *p, pool_task *task, void *user, int count)
{
    (void)p;
    for (int i = 0; i < count; i++) task(user, i);
}

#endif

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

typedef struct measuring {
    pool_measure *of;
    const void *user;
    double *largest; // by part
} measuring;

static void measure_part(void *user, int part, int from, int to)
{
    const measuring *it = user;
    it->largest[part] = it->of(it->user, from, to);
}

double pool_largest(pool *p, pool_measure *of, const void *user, int count)
{
    enum { PARTS = 64, LEAST = 512 };
    const int share = count / PARTS + 1, size = share > LEAST ? share : LEAST;
    double largest[PARTS], all = 0.0;
    measuring it = {of, user, largest};
    pool_run_ranges(p, measure_part, &it, count, size);
    for (int k = 0; k < pool_parts(count, size); k++) all = largest[k] > all ? largest[k] : all;
    return all;
}
