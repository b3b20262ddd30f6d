// What the machine itself gives to more threads: machine THREADS [busy]
//
// Each thread does the same sums for a quarter of a second, in registers: it shares nothing with the others but the core, its clock and
// the power of the package. Prints sums for a second of all threads, in millions, the best of three. What this loses from one thread to many no
// program gets back.
//
// Without `busy` the sums wait for each other, a tenth of what a core can do: two threads on one core hardly meet. With it there are as many under way
// as the core's units take, and what two threads on one core lose then is what they lose in any program that keeps the units busy.
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRIALS = 3, CHAINS = 8, BUSY = 12, AT_ONCE = 1 << 14 };

typedef double four __attribute__((vector_size(32)));

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct share {
    pthread_t thread;
    double rate, sum;
} share;

// Twelve chains of four: a product or a sum in every slot of two units that take four cycles each.
static void *add_busily(void *user)
{
    share *s = user;
    const four by = {0.999999, 0.999998, 0.999997, 0.999996}, plus = {1e-6, 2e-6, 3e-6, 4e-6};
    four x[BUSY];
    double count = 0.0;
    for (int k = 0; k < BUSY; k++) x[k] = by + (double)k;
    const double begin = now();
    double end = begin;
    for (; end - begin < 0.25; end = now(), count += AT_ONCE * 4.0 * BUSY)
        for (int i = 0; i < AT_ONCE; i++) {
            four a = x[0], b = x[1], c = x[2], d = x[3], e = x[4], f = x[5];
            four g = x[6], h = x[7], m = x[8], n = x[9], o = x[10], p = x[11];
            a = a * by, b = b + plus, c = c * by, d = d + plus, e = e * by, f = f + plus;
            g = g * by, h = h + plus, m = m * by, n = n + plus, o = o * by, p = p + plus;
            x[0] = a, x[1] = b, x[2] = c, x[3] = d, x[4] = e, x[5] = f;
            x[6] = g, x[7] = h, x[8] = m, x[9] = n, x[10] = o, x[11] = p;
        }
    for (int k = 0; k < BUSY; k++) s->sum += x[k][0] + x[k][1] + x[k][2] + x[k][3];
    s->rate = count / (end - begin);
    return NULL;
}

// Chains that wait for themselves alone.
static void *add(void *user)
{
    share *s = user;
    double x[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8}, count = 0.0;
    const double begin = now();
    double end = begin;
    for (; end - begin < 0.25; end = now(), count += AT_ONCE * (double)CHAINS)
        for (int i = 0; i < AT_ONCE; i++)
            for (int k = 0; k < CHAINS; k++) x[k] = 0.999999 * x[k] + 1e-6;
    for (int k = 0; k < CHAINS; k++) s->sum += x[k];
    s->rate = count / (end - begin);
    return NULL;
}

static double all_threads(int threads, bool busy, share *shares)
{
    double rate = 0.0;
    for (int k = 0; k < threads; k++)
        if (pthread_create(&shares[k].thread, NULL, busy ? add_busily : add, &shares[k]) != 0) exit(1);
    for (int k = 0; k < threads; k++) {
        pthread_join(shares[k].thread, NULL);
        rate += shares[k].rate;
    }
    return rate;
}

int main(int argc, char **argv)
{
    const int threads = argc >= 2 ? atoi(argv[1]) : 0;
    const bool busy = argc == 3 && strcmp(argv[2], "busy") == 0;
    double best = 0.0;
    if (threads < 1 || threads > 4096) return fprintf(stderr, "machine THREADS [busy]\n"), 2;
    share *shares = calloc((size_t)threads, sizeof *shares);
    for (int k = 0; shares && k < TRIALS; k++) {
        const double rate = all_threads(threads, busy, shares);
        best = rate > best ? rate : best;
    }
    printf("%.0f\n", 1e-6 * best);
    free(shares);
    return 0;
}
