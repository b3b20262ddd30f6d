// Hands every file of the folders and files named on the command line to the reader under test, in order of their names; or,
// with --mutate, inputs made from them.
//
//   fuzz_model CORPUS...                                            every file once
//   fuzz_model --mutate COUNT SECONDS SEED DICTIONARY CORPUS...     COUNT changed ones, or as many as there is time for
//
// What makes the reader fail is left as finding.NAME in the working folder. libFuzzer (tests/fuzz/run) looks where the code has not
// been yet; this needs neither clang nor a build of its own.

#include "fuzz.h"

#include "mutate.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, HANG_S = 60 };

static corpus files;
static long passed;

// ---- What was handed over last --------------------------------------------------------------------------------------

static const uint8_t *last;
static size_t last_size;
static char finding[PATH_ROOM];

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void keep_finding(void)
{
    FILE *file = last && *finding ? fopen(finding, "wb") : NULL;
    if (!file) return;
    fwrite(last, 1, last_size, file);
    fclose(file);
    last = NULL;
    printf("FOUND %s\n", finding);
    fflush(stdout);
}

static void fail(int signal)
{
    printf("%s\n", signal == SIGALRM ? "an input that takes longer than a minute" : "an input that ends the program");
    keep_finding();
    _exit(1);
}

static void hand_over(const uint8_t *data, size_t size)
{
    // A block of exactly the size, so that reading past its end is seen.
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) return;
    if (size > 0) memcpy(exact, data, size);
    last = exact;
    last_size = size;
    alarm(HANG_S);
    LLVMFuzzerTestOneInput(exact, size);
    alarm(0);
    last = NULL;
    free(exact);
    passed++;
}

// ---- The corpus -----------------------------------------------------------------------------------------------------

static void take_file(const char *path, bool replay)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, got = 1;
    while (file && got > 0) {
        uint8_t *larger = realloc(data, size + 65536);
        if (!larger) break;
        data = larger;
        size += got = fread(data + size, 1, 65536, file);
    }
    if (file) fclose(file);
    if (file && data && replay) hand_over(data, size);
    if (!file || !data || replay || !corpus_add(&files, data, size)) free(data);
}

static void take(const char *path, bool replay)
{
    struct stat info;
    struct dirent **entries;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        take_file(path, replay);
        return;
    }
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[PATH_ROOM];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            if (replay) printf("%s\n", inside); // the last line names the culprit when the program dies
            fflush(stdout);
            take_file(inside, replay);
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

// ---- Changed inputs -------------------------------------------------------------------------------------------------

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int mutate(const char *program, int count, char **words)
{
    if (count < 5) return 2;
    const long most = strtol(words[0], NULL, 10);
    const double end = seconds() + strtod(words[1], NULL);
    const char *name = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
    snprintf(finding, sizeof finding, "finding.%s", name);
    signal(SIGABRT, fail);
    signal(SIGSEGV, fail);
    signal(SIGALRM, fail);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_finding);
    mutator m = mutator_create(strtoull(words[2], NULL, 0), words[3]);
    for (int i = 4; i < count; i++) take(words[i], false);
    while (files.count > 0 && passed < most && seconds() < end) {
        mutator_make(&m, &files);
        hand_over(m.data, m.size);
    }
    printf("%s: %ld inputs made from %d, nothing found\n", name, passed, files.count);
    mutator_destroy(&m);
    corpus_destroy(&files);
    return passed == 0;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "--mutate") == 0) return mutate(words[0], count - 2, words + 2);
    signal(SIGALRM, fail);
    for (int i = 1; i < count; i++) take(words[i], true);
    printf("%ld passed, %d failed, 0 skipped\n", passed, passed == 0);
    return passed == 0;
}
