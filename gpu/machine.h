// What the kernels' text needs of a machine: a card by CUDA, or the processor, one element after the other.
//
// A kernel is written once, for element i of n; KERNEL gives it the loop of the machine at hand. Memory is the machine's own:
// only machine_put and machine_get see both sides. Sums are trees of a fixed shape and atomics are on integers, where order does
// not count: the same bits from run to run, and, as nothing is contracted (-fmad=false, -ffp-contract=off), on both machines.
#ifndef CARD_MACHINE_H
#define CARD_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "member.h"
#include "rest.h"

#ifdef __CUDACC__

#include <cub/cub.cuh>
#include <cuda_runtime.h>

#define TEXT static __device__ __forceinline__
#define KERNEL(name)                                                                                                   \
    static __device__ __forceinline__ void name##_at(const card_view *a, int i, int p);                                \
    static __global__ void __launch_bounds__(256) name##_all(const __grid_constant__ card_view a, int n, int p)        \
    {                                                                                                                  \
        const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);                                                    \
        if (i < n) name##_at(&a, i, p);                                                                                \
    }                                                                                                                  \
    static __device__ __forceinline__ void name##_at(const card_view *a, int i, int p)
#define LAUNCH(m, name, view, n, p)                                                                                    \
    do {                                                                                                               \
        if ((n) > 0) name##_all<<<((unsigned)(n) + 255u) / 256u, 256, 0, (m)->stream>>>((view), (n), (p));             \
    } while (0)

TEXT void atomic_max(int *at, int value)
{
    atomicMax(at, value);
}
TEXT void atomic_min(uint64_t *at, uint64_t value)
{
    atomicMin((unsigned long long *)at, (unsigned long long)value);
}
TEXT void atomic_or(uint32_t *at, uint32_t value)
{
    atomicOr(at, value);
}
TEXT void atomic_add(int *at, int value)
{
    atomicAdd(at, value);
}
TEXT int float_bits(float x)
{
    return __float_as_int(x);
}
TEXT float bits_float(int x)
{
    return __int_as_float(x);
}

#else

#include <math.h>
#include <string.h>

#define TEXT static inline
#define KERNEL(name) static inline void name##_at(const card_view *a, int i, int p)
#define LAUNCH(m, name, view, n, p)                                                                                    \
    do {                                                                                                               \
        (void)(m);                                                                                                     \
        for (int i_ = 0, n_ = (n); i_ < n_; i_++) name##_at(&(view), i_, (p));                                         \
    } while (0)

TEXT void atomic_max(int *at, int value)
{
    *at = value > *at ? value : *at;
}
TEXT void atomic_min(uint64_t *at, uint64_t value)
{
    *at = value < *at ? value : *at;
}
TEXT void atomic_or(uint32_t *at, uint32_t value)
{
    *at |= value;
}
TEXT void atomic_add(int *at, int value)
{
    *at += value;
}
TEXT int float_bits(float x)
{
    int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
TEXT float bits_float(int bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif

typedef struct machine {
    char name[128];
    char failure[200]; // of the first call that failed; "": none has
    size_t held;       // bytes
    void *room;        // of sorts and sums
    size_t room_bytes;
    void *peers; // other machines with parts of the same scene; NULL: none
#ifdef __CUDACC__
    cudaStream_t stream;
#endif
} machine;

// false: there is none, and `failure` says why.
static bool machine_open(machine *m);
static void machine_close(machine *m);

static void *machine_take(machine *m, size_t bytes); // NULL, and `failure`: there is no more
static void machine_give(machine *m, void *memory, size_t bytes);
static void machine_fill(machine *m, void *to, int byte, size_t bytes);
static void machine_copy(machine *m, void *to, const void *from, size_t bytes);
static void machine_put(machine *m, void *to, const void *from, size_t bytes); // from the host
static void machine_get(machine *m, void *to, const void *from, size_t bytes); // to the host, when all before is done

// Values sorted by the lowest `bits` of their keys; equal keys keep their order.
static void machine_sort(machine *m, const uint32_t *keys, uint32_t *keys_out, const int *values, int *values_out,
                         int n, int bits);
// out[k] <- sum of in[0 .. k-1], for k = 0 .. n-1.
static void machine_scan(machine *m, const int *in, int *out, int n);
// *out <- the sum, or the largest; pairs 256 numbers at a time. in is overwritten.
static void machine_sum(machine *m, double *in, int n, double *out);
static void machine_largest(machine *m, double *in, int n, double *out);

// Several machines may share a scene (mpi/), each with its own bodies and copies of those near them. Numbers of copies come from
// their owners: `size` bytes for each body. Where `changed` is given, it says by body whose have. All machines must call at once.
static void machine_share(machine *m, void *of_bodies, size_t size, int *changed);
static void machine_total(machine *m, int *numbers, int count); // <- sums over all machines
#ifndef __CUDACC__
static void machine_combine(machine *m, double *number, bool largest); // of each machine into that of all
#endif
// Contacts of a cluster that this machine counts: solves all of all machines together.
static void machine_settle(machine *m, card_settle *settle, void *user, card_member *members, int count,
                           double tolerance);
// Contacts without a colour: sets the levels of those of this machine. Returns how many levels all have; -1: out of memory.
static int machine_level(machine *m, card_rest *list, int count);

#ifdef __CUDACC__
#include "machine_cuda.h"
#else
#include "machine_host.h"
#endif

#ifdef CARD_PEERS
#include CARD_PEERS
#else
static void machine_share(machine *m, void *of_bodies, size_t size, int *changed)
{
    (void)m, (void)of_bodies, (void)size, (void)changed;
}

static void machine_total(machine *m, int *numbers, int count)
{
    (void)m, (void)numbers, (void)count;
}

#ifndef __CUDACC__
static void machine_combine(machine *m, double *number, bool largest)
{
    (void)m, (void)number, (void)largest;
}
#endif

static void machine_settle(machine *m, card_settle *settle, void *user, card_member *members, int count,
                           double tolerance)
{
    (void)m;
    settle(user, members, count, tolerance);
}

static int machine_level(machine *m, card_rest *list, int count)
{
    (void)m;
    return rest_set_levels(list, count);
}
#endif

#endif
