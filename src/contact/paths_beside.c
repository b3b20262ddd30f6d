// Islands some of whose loose bodies are moved by others, too: a machine in a heap of free bodies. What the heap does to these bodies comes
// as their velocities before each pass, and goes back as their velocities after it.
#include "contact/paths.h"

#include <math.h>
#include <string.h>

#define RESERVE(p, array, count)                                                                                       \
    mem_reserve_counted(&(p)->model->allocator, &(p)->array, &(p)->array##_room, (count), sizeof *(p)->array,          \
                        &(p)->growths)

// ---- Which ----------------------------------------------------------------------------------------------------------

static bool reserve_shared(paths *p)
{
    const int n = p->loose_count + 1;
    return RESERVE(p, shared, n) && RESERVE(p, shared_twists, n) && RESERVE(p, shared_moved, n) &&
           RESERVE(p, unroot, n) && RESERVE(p, free_z, paths_loose_z(p, p->loose_count) + 1) &&
           RESERVE(p, best, p->row_count + 1);
}

bool paths_share(paths *p, const bool *elsewhere)
{
    p->shared_count = 0;
    if (!reserve_shared(p)) return false;
    for (int k = 0; k < p->loose_count; k++) {
        if (!elsewhere[p->loose[k]]) continue;
        p->shared[p->shared_count] = p->loose[k];
        p->unroot[p->shared_count++] = ph_transpose(ph_inverse(p->root[k]));
        p->islands[p->parent[p->tree->forest->group_count + k]].is_shared = true;
    }
    return true;
}

static const path_island *next_shared(const paths *p, int *k)
{
    while (*k < p->island_count && !(p->islands[*k].is_shared && p->islands[*k].count > 0)) ++*k;
    return *k < p->island_count ? &p->islands[(*k)++] : NULL;
}

#define FOR_SHARED(p, island) for (int at_ = 0; (island = next_shared(p, &at_)) != NULL;)

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static double *z_of(const paths *p, int k)
{
    return p->z + paths_loose_z(p, p->loose_of[p->shared[k]]);
}

static void take_bodies(const paths *p)
{
    for (int k = 0; k < p->shared_count; k++) {
        const ph_vec3 a = ph_mul(p->unroot[k], p->shared_twists[k].angular);
        const ph_vec3 l = ph_scale(1.0 / p->root_mass[p->loose_of[p->shared[k]]], p->shared_twists[k].linear);
        const double z[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
        memcpy(z_of(p, k), z, sizeof z);
    }
}

// Those that are as they were keep their bits.
static void give_bodies(const paths *p)
{
    for (int k = 0; k < p->shared_count; k++) {
        double before[6];
        memcpy(before, z_of(p, k), sizeof before);
        const screw now = paths_loose_twist(p, p->loose_of[p->shared[k]]);
        const ph_vec3 a = ph_mul(p->unroot[k], p->shared_twists[k].angular);
        const ph_vec3 l = ph_scale(1.0 / p->root_mass[p->loose_of[p->shared[k]]], p->shared_twists[k].linear);
        const double z[6] = {a.x, a.y, a.z, l.x, l.y, l.z};
        p->shared_moved[k] = memcmp(before, z, sizeof z) != 0;
        if (p->shared_moved[k]) p->shared_twists[k] = now;
    }
}

// ---- Impulses -------------------------------------------------------------------------------------------------------

static void push_island(const paths *p, const path_island *island, const double *g)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        paths_push(p, item, g + item->row);
    }
}

static void clear_island(const paths *p, const path_island *island)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        const int *index = p->index + item->first;
        for (int e = 0; e < item->count; e++) p->z[index[e]] = p->free_z[index[e]];
    }
}

static void copy_island(const paths *p, const path_island *island, const double *from, double *to)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        memcpy(to + item->row, from + item->row, sizeof *to * (size_t)item->rows);
    }
}

// ---- Passes ---------------------------------------------------------------------------------------------------------

void paths_beside_begin(paths *p, const double *bias, const double *g)
{
    const path_island *island;
    memcpy(p->free_z, p->z, sizeof *p->z * (size_t)paths_loose_z(p, p->loose_count));
    FOR_SHARED(p, island) paths_pass_load(p, island, bias, g);
}

void paths_beside_push(paths *p, const double *g)
{
    const path_island *island;
    FOR_SHARED(p, island) clear_island(p, island);
    take_bodies(p);
    FOR_SHARED(p, island) push_island(p, island, g);
    give_bodies(p);
    paths_beside_rest(p, g);
}

// Bodies come with what is extrapolated.
path_sums paths_beside_sweep(paths *p, double c, double *g)
{
    const path_island *island;
    path_sums all = {0};
    FOR_SHARED(p, island) paths_pass_extrapolate(p, island, c, g);
    take_bodies(p);
    FOR_SHARED(p, island) all.restart += paths_pass_sweep(p, island, g).restart;
    give_bodies(p);
    return all;
}

path_sums paths_beside_polish(paths *p, double tolerance, double part, double *g)
{
    const path_island *island;
    path_sums all = {0};
    take_bodies(p);
    FOR_SHARED(p, island)
    {
        const path_sums own = paths_pass_polish(p, island, tolerance, part, g);
        all.beyond += own.beyond;
        all.error = own.error > all.error ? own.error : all.error;
    }
    give_bodies(p);
    return all;
}

void paths_beside_rest(paths *p, const double *g)
{
    const path_island *island;
    FOR_SHARED(p, island) paths_pass_rest(p, island, g);
}

void paths_beside_keep(paths *p, const double *g)
{
    const path_island *island;
    FOR_SHARED(p, island) copy_island(p, island, g, p->best);
}

void paths_beside_return(const paths *p, double *g)
{
    const path_island *island;
    FOR_SHARED(p, island) copy_island(p, island, p->best, g);
}

void paths_beside_impulses(paths *p, const double *g, screw *pushed)
{
    const path_island *island;
    FOR_SHARED(p, island) clear_island(p, island);
    for (int k = 0; k < p->shared_count; k++) memset(z_of(p, k), 0, 6 * sizeof(double));
    FOR_SHARED(p, island) push_island(p, island, g);
    for (int k = 0; k < p->shared_count; k++) {
        const double *z = z_of(p, k), mass = p->root_mass[p->loose_of[p->shared[k]]];
        pushed[p->shared[k]] = (screw){.angular = ph_tmul(p->unroot[k], ph_vec(z[0], z[1], z[2])),
                                       .linear = ph_scale(1.0 / mass, ph_vec(z[3], z[4], z[5]))};
    }
}

void paths_beside_end(paths *p)
{
    take_bodies(p);
}
