// Machines in heaps: contacts of trees along their paths, pass by pass beside those of the heap, which move some of the same bodies.
#include "schemes/moreau_trees.h"

typedef struct linked {
    moreau *m;
    paths *paths;
} linked;

bool linked_begin(moreau *m)
{
    return !is_linked(m) || paths_share(&m->trees->paths, m->both.heaped);
}

static heap_beside_sums run(void *self, heap_beside_pass pass, double c, double tolerance)
{
    const double part = 0.8; // of what would solve an item, as the heap moves its contacts
    const linked *it = self;
    double *g = it->m->rows.g;
    path_sums sums = {0};
    switch (pass) {
    case BESIDE_PUSH:
        paths_beside_push(it->paths, g);
        break;
    case BESIDE_SWEEP:
        sums = paths_beside_sweep(it->paths, c, g);
        break;
    case BESIDE_CHECK:
        sums = paths_beside_polish(it->paths, tolerance, 0.0, g);
        break;
    case BESIDE_POLISH:
        sums = paths_beside_polish(it->paths, tolerance, part, g);
        break;
    case BESIDE_REST:
        paths_beside_rest(it->paths, g);
        break;
    case BESIDE_KEEP:
        paths_beside_keep(it->paths, g);
        break;
    case BESIDE_RETURN:
        paths_beside_return(it->paths, g);
        break;
    }
    return (heap_beside_sums){sums.restart, sums.beyond, sums.error};
}

// ---- The solve ------------------------------------------------------------------------------------------------------

ph_status linked_solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    paths *p = &m->trees->paths;
    linked it = {m, p};
    const heap_beside beside = {.self = &it,
                                .count = p->shared_count,
                                .bodies = p->shared,
                                .twists = p->shared_twists,
                                .moved = p->shared_moved,
                                .run = run};
    moreau_set_free(m);
    paths_beside_begin(p, m->rows.q, m->rows.g);
    ph_status status = moreau_heap_begin(m);
    if (status == PH_OK) status = moreau_heap_solve(m, p->shared_count > 0 ? &beside : NULL, settings, report);
    if (status != PH_OK) return status;
    paths_beside_impulses(p, m->rows.g, m->both.pushed);
    moreau_heap_set_after(m);
    for (int k = 0; k < p->shared_count; k++) {
        p->shared_twists[k] = m->bodies.after[p->shared[k]];
        m->both.pushed[p->shared[k]] = (screw){ph_zero3(), ph_zero3()};
    }
    paths_beside_end(p);
    return PH_OK;
}
