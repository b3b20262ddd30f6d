// "Did you mean ...?"
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

// The candidate nearest to `word`, or NULL when none is near. Letter case and '-' or '_' make no difference.
const char *suggest(const char *word, const char *const *candidates, int count);

#endif
