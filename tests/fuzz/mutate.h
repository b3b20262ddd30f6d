// Inputs made from others: bits and bytes changed, pieces dropped, repeated, exchanged, words of a dictionary and extreme numbers put in.
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct corpus {
    int count, room;
    struct {
        uint8_t *data;
        size_t size;
    } * files;
} corpus;

static bool corpus_add(corpus *c, uint8_t *data, size_t size)
{
    if (c->count == c->room) {
        const int room = c->room ? 2 * c->room : 64;
        void *larger = realloc(c->files, (size_t)room * sizeof *c->files);
        if (!larger) return false;
        c->files = larger;
        c->room = room;
    }
    c->files[c->count].data = data;
    c->files[c->count++].size = size;
    return true;
}

static void corpus_destroy(corpus *c)
{
    for (int i = 0; i < c->count; i++) free(c->files[i].data);
    free(c->files);
}

enum { MUTATOR_MOST = 20000, WORDS_MOST = 512, WORD_ROOM = 48 };

typedef struct mutator {
    uint64_t seed;
    uint8_t *data; // MUTATOR_MOST
    size_t size;
    int words;
    char (*word)[WORD_ROOM];
} mutator;

static uint64_t mutator_next(mutator *m)
{
    uint64_t z = m->seed += 0x9E3779B97F4A7C15u; // splitmix64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t mutator_below(mutator *m, size_t n)
{
    return n > 0 ? (size_t)(mutator_next(m) % n) : 0;
}

// libFuzzer's dictionaries: one word in quotes on a line, \n, \" and \xAB inside.
static void mutator_read_words(mutator *m, const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    while (file && m->words < WORDS_MOST && fgets(line, sizeof line, file)) {
        const char *p = strchr(line, '"');
        size_t n = 0;
        for (p = p ? p + 1 : ""; *p && *p != '"' && n + 1 < WORD_ROOM; p++) {
            char c = *p;
            if (c == '\\' && p[1] == 'n')
                c = '\n', p++;
            else if (c == '\\' && (p[1] == '"' || p[1] == '\\'))
                c = *++p;
            m->word[m->words][n++] = c;
        }
        m->word[m->words][n] = '\0';
        m->words += n > 0;
    }
    if (file) fclose(file);
}

static mutator mutator_create(uint64_t seed, const char *dictionary)
{
    static const char *const numbers[] = {
        "0",     "-1",   "1e308", "-1e-320", "nan",        "inf",  "2147483648",
        "1e400", "0x1p", "65536", ".",       "4294967295", "1e-9", "99999999999999999999"};
    mutator m = {.seed = seed, .data = malloc(MUTATOR_MOST), .word = calloc(WORDS_MOST + 1, WORD_ROOM)};
    for (size_t k = 0; m.word && k < sizeof numbers / sizeof *numbers; k++) strcpy(m.word[m.words++], numbers[k]);
    if (m.word) mutator_read_words(&m, dictionary);
    return m;
}

static void mutator_destroy(mutator *m)
{
    free(m->data);
    free(m->word);
}

// Makes room for n bytes at `at`, or takes as many away for n < 0; false where it does not fit.
static bool mutator_shift(mutator *m, size_t at, long n)
{
    const size_t size = m->size + (size_t)n;
    if (size > MUTATOR_MOST || (n < 0 && at + (size_t)-n > m->size)) return false;
    if (n > 0) memmove(m->data + at + n, m->data + at, m->size - at);
    if (n < 0) memmove(m->data + at, m->data + at - n, m->size - at - (size_t)-n);
    m->size = size;
    return true;
}

static void mutator_insert(mutator *m, size_t at, const void *what, size_t n)
{
    if (mutator_shift(m, at, (long)n)) memcpy(m->data + at, what, n);
}

static void change_byte(mutator *m)
{
    static const uint8_t extreme[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '"', '-', '9'};
    uint8_t *at = m->data + mutator_below(m, m->size);
    const uint64_t r = mutator_next(m);
    if (m->size == 0) return;
    *at = r & 1 ? (uint8_t)(*at ^ 1u << (r >> 8 & 7u)) : extreme[(r >> 8) % sizeof extreme];
}

static void change_integer(mutator *m) // binary files: counts and offsets
{
    static const uint64_t extreme[] = {0,          1,           0xff,       0xffff,     0x7fffffff,
                                       0xffffffff, 0x100000000, 1ull << 36, 1ull << 63, ~0ull};
    const size_t width = (size_t)1 << mutator_below(m, 4);
    if (m->size < width) return;
    memcpy(m->data + mutator_below(m, m->size - width + 1),
           &extreme[mutator_below(m, sizeof extreme / sizeof *extreme)], width);
}

static void put_word(mutator *m)
{
    const char *word = m->word[mutator_below(m, (size_t)m->words)];
    size_t at = mutator_below(m, m->size + 1);
    if (isdigit((unsigned char)*word) || *word == '-') { // in place of a number that is there
        for (int k = 0; k < 64 && at < m->size && !isdigit(m->data[at]); k++) at++;
        size_t end = at;
        while (end < m->size && (isdigit(m->data[end]) || m->data[end] == '.')) end++;
        mutator_shift(m, at, (long)at - (long)end);
    }
    mutator_insert(m, at, word, strlen(word));
}

static void drop_piece(mutator *m)
{
    const size_t at = mutator_below(m, m->size), n = mutator_below(m, 64);
    mutator_shift(m, at, -(long)(n < m->size - at ? n : m->size - at));
}

static void repeat_piece(mutator *m)
{
    uint8_t piece[256];
    const size_t at = mutator_below(m, m->size), n = mutator_below(m, sizeof piece), most = m->size - at;
    const size_t times = 1 + mutator_below(m, 8), length = n < most ? n : most;
    memcpy(piece, m->data + at, length);
    for (size_t k = 0; k < times; k++) mutator_insert(m, at, piece, length);
}

static void cross_over(mutator *m, const corpus *c)
{
    const size_t other = mutator_below(m, (size_t)c->count), size = c->files[other].size;
    const size_t from = mutator_below(m, size), n = mutator_below(m, size - from + 1),
                 at = mutator_below(m, m->size + 1);
    if (mutator_next(m) & 1) m->size = at;
    mutator_insert(m, at, c->files[other].data + from, n < 4096 ? n : 4096);
}

// The next input, into data and size.
static void mutator_make(mutator *m, const corpus *c)
{
    const size_t base = mutator_below(m, (size_t)c->count), changes = 1 + mutator_below(m, 6);
    m->size = c->files[base].size < MUTATOR_MOST ? c->files[base].size : MUTATOR_MOST;
    if (m->size > 0) memcpy(m->data, c->files[base].data, m->size);
    for (size_t k = 0; k < changes; k++) {
        switch (mutator_below(m, 8)) {
        case 0:
        case 1:
            change_byte(m);
            break;
        case 2:
            change_integer(m);
            break;
        case 3:
        case 4:
            put_word(m);
            break;
        case 5:
            drop_piece(m);
            break;
        case 6:
            repeat_piece(m);
            break;
        default:
            cross_over(m, c);
        }
    }
}

#endif
