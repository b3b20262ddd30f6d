// Nearest word by edit distance: insertions, deletions, replacements and swaps of neighbours cost one each
// (optimal string alignment).

#include "base/suggest.h"

#include "polhode/base.h"

#include <ctype.h>
#include <string.h>

enum { MAX_WORD = 63 }; // longer words get no suggestion; so three rows on the stack are enough

static int fold(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static int min3(int a, int b, int c)
{
    const int m = a < b ? a : b;
    return m < c ? m : c;
}

// d(i, j) is the distance of the first i letters of a and the first j of b; only three rows of it are kept.
static int distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int rows[3][MAX_WORD + 1];
    for (int j = 0; j <= m; j++) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3];
        const int *before = rows[(i + 2) % 3], *before2 = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            const int same = fold(a[i - 1]) == fold(b[j - 1]);
            now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
                now[j] > before2[j - 2] + 1) {
                now[j] = before2[j - 2] + 1;
            }
        }
    }
    return rows[n % 3][m];
}

const char *suggest(const char *word, const char *const *candidates, int count)
{
    const size_t length = word ? strlen(word) : 0;
    if (length == 0 || length > MAX_WORD) {
        return NULL;
    }
    const char *best = NULL;
    int best_distance = (int)(length + 2) / 3 + 1; // one wrong letter in three still looks like the word
    for (int i = 0; i < count; i++) {
        if (!candidates[i] || strlen(candidates[i]) > MAX_WORD) {
            continue;
        }
        const int d = distance(word, candidates[i]);
        // Words of which nothing is left are not alike, however short they are.
        if (d < best_distance && d < (int)length) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

const char *ph_suggest(const char *word, const char *const *candidates, int count)
{
    if (!word || (!candidates && count > 0)) return NULL;
    return suggest(word, candidates, count);
}
