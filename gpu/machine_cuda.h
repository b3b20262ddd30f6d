// A card as a machine, by CUDA.
#ifndef CARD_MACHINE_CUDA_H
#define CARD_MACHINE_CUDA_H

#include <cstdio>
#include <cstring>

static bool worked(machine *m, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return true;
    if (!m->failure[0]) snprintf(m->failure, sizeof m->failure, "%s: %s", what, cudaGetErrorString(error));
    cudaGetLastError();
    return false;
}

static bool machine_open(machine *m)
{
    int count = 0;
    cudaDeviceProp card;
    memset(m, 0, sizeof *m);
    if (!worked(m, cudaGetDeviceCount(&count), "no card was found") || count == 0) return false;
    if (!worked(m, cudaGetDeviceProperties(&card, 0), "the card does not answer")) return false;
    snprintf(m->name, sizeof m->name, "%s", card.name);
    return worked(m, cudaStreamCreate(&m->stream), "the card does not answer");
}

static void machine_close(machine *m)
{
    cudaFree(m->room);
    cudaStreamDestroy(m->stream);
}

static void *machine_take(machine *m, size_t bytes)
{
    void *memory = NULL;
    if (!worked(m, cudaMalloc(&memory, bytes ? bytes : 1), "memory of the card")) return NULL;
    m->held += bytes;
    return memory;
}

static void machine_give(machine *m, void *memory, size_t bytes)
{
    if (!memory) return;
    cudaFree(memory);
    m->held -= bytes;
}

static void machine_fill(machine *m, void *to, int byte, size_t bytes)
{
    worked(m, cudaMemsetAsync(to, byte, bytes, m->stream), "filling");
}

static void machine_copy(machine *m, void *to, const void *from, size_t bytes)
{
    worked(m, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, m->stream), "copying");
}

static void machine_put(machine *m, void *to, const void *from, size_t bytes)
{
    worked(m, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, m->stream), "copying to the card");
}

static void machine_get(machine *m, void *to, const void *from, size_t bytes)
{
    worked(m, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, m->stream), "copying from the card");
    worked(m, cudaStreamSynchronize(m->stream), "the kernels");
}

static bool machine_reserve(machine *m, size_t bytes)
{
    if (bytes <= m->room_bytes) return true;
    machine_give(m, m->room, m->room_bytes);
    m->room = machine_take(m, bytes);
    m->room_bytes = m->room ? bytes : 0;
    return m->room;
}

static void machine_sort(machine *m, const uint32_t *keys, uint32_t *keys_out, const int *values, int *values_out,
                         int n, int bits)
{
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(NULL, bytes, keys, keys_out, values, values_out, n, 0, bits, m->stream);
    if (!machine_reserve(m, bytes)) return;
    worked(m,
           cub::DeviceRadixSort::SortPairs(m->room, bytes, keys, keys_out, values, values_out, n, 0, bits, m->stream),
           "sorting");
}

static void machine_scan(machine *m, const int *in, int *out, int n)
{
    size_t bytes = 0;
    cub::DeviceScan::ExclusiveSum(NULL, bytes, in, out, n, m->stream);
    if (!machine_reserve(m, bytes)) return;
    worked(m, cub::DeviceScan::ExclusiveSum(m->room, bytes, in, out, n, m->stream), "adding up");
}

static __global__ void reduce_blocks(const double *in, int n, double *out, bool largest)
{
    __shared__ double t[256];
    const int k = (int)threadIdx.x, at = (int)blockIdx.x * 256 + k;
    t[k] = at < n ? in[at] : 0.0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (k < half) t[k] = largest ? (t[k + half] > t[k] ? t[k + half] : t[k]) : t[k] + t[k + half];
        __syncthreads();
    }
    if (k == 0) out[blockIdx.x] = t[0];
}

// Blocks write where later ones read, so both halves of the room take turns.
static void reduce(machine *m, double *in, int n, double *out, bool largest)
{
    const size_t half = ((size_t)n + 255) / 256 + 1;
    if (n < 1) machine_fill(m, out, 0, sizeof *out);
    if (n < 1 || !machine_reserve(m, 2 * half * sizeof(double))) return;
    double *room[2] = {(double *)m->room, (double *)m->room + half};
    const double *from = in;
    for (int turn = 0;; turn ^= 1) {
        const int blocks = (n + 255) / 256;
        reduce_blocks<<<blocks, 256, 0, m->stream>>>(from, n, blocks == 1 ? out : room[turn], largest);
        if (blocks == 1) return;
        from = room[turn];
        n = blocks;
    }
}

static void machine_sum(machine *m, double *in, int n, double *out)
{
    reduce(m, in, n, out, false);
}

static void machine_largest(machine *m, double *in, int n, double *out)
{
    reduce(m, in, n, out, true);
}

#endif
