// What else moves bodies of a batch: rows of others, pass by pass.
#include "heap/internal.h"

static bool acts_on(const heap *h, const heap_batch *b, const heap_beside *it)
{
    const int at = ((const int *)h->layout.body_place.at)[it->bodies[0]];
    return at >= b->body && at < b->body_end;
}

// A body has moved: all its contacts must be checked.
static void disturb(const heap *h, const heap_problem *d, int body)
{
    unsigned char *active = h->numbers.active.at;
    const int *place = h->layout.place.at;
    for (int u = d->use_start[body]; u < d->use_start[body + 1]; u++) active[place[d->uses[u] / 2]] = 255;
}

void heap_run_beside(const heap *h, const heap_problem *d, const heap_batch *b, const heap_pass *p,
                     heap_beside_pass pass, heap_sums *sums)
{
    const heap_beside *it = d->beside;
    if (!it || !acts_on(h, b, it)) return;
    for (int k = 0; k < it->count; k++) {
        it->twists[k] = heap_twist(h, it->bodies[k]);
        it->moved[k] = false;
    }
    const heap_beside_sums own = it->run(it->self, pass, p->c, p->tolerance);
    for (int k = 0; k < it->count; k++) {
        if (!it->moved[k]) continue;
        heap_put_twist(h, it->bodies[k], it->twists[k]);
        if (pass == BESIDE_POLISH) disturb(h, d, it->bodies[k]);
    }
    sums->restart += own.restart;
    sums->beyond += own.beyond;
    sums->error = own.error > sums->error ? own.error : sums->error;
}
