// What the machine itself gives to more threads: machine THREADS
//
// Each thread does the same sums for a quarter of a second, in registers: it shares nothing with the others but the core, its clock and
// the power of the package. Prints sums for a second of all threads, in millions, the best of three. What this loses from one thread to many no
// program gets back.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIALS = 3, CHAINS = 8, AT_ONCE = 1 << 14 };

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

// Chains that do not wait for each other, as many as a core can have under way.
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

static double all_threads(int threads, share *shares)
{
    double rate = 0.0;
    for (int k = 0; k < threads; k++)
        if (pthread_create(&shares[k].thread, NULL, add, &shares[k]) != 0) exit(1);
    for (int k = 0; k < threads; k++) {
        pthread_join(shares[k].thread, NULL);
        rate += shares[k].rate;
    }
    return rate;
}

int main(int argc, char **argv)
{
    const int threads = argc == 2 ? atoi(argv[1]) : 0;
    double best = 0.0;
    if (threads < 1 || threads > 4096) return fprintf(stderr, "machine THREADS\n"), 2;
    share *shares = calloc((size_t)threads, sizeof *shares);
    for (int k = 0; shares && k < TRIALS; k++) {
        const double rate = all_threads(threads, shares);
        best = rate > best ? rate : best;
    }
    printf("%.0f\n", 1e-6 * best);
    free(shares);
    return 0;
}
