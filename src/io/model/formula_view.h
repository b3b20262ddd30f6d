// How expressions of model files are seen and rewritten: shared by the formula files.
#ifndef PH_IO_MODEL_FORMULA_VIEW_H
#define PH_IO_MODEL_FORMULA_VIEW_H

#include "io/model/formula.h"

enum { EXTRA_MAX = 16 };

// How an expression is seen.
typedef struct view {
    reader *reader;
    const node *node; // for messages; NULL: it stands in no file
    const scope *scope;
    bool in_time;              // t, inputs, q.<joint>, qd.<joint> have a meaning
    int component;             // which entry of lists is meant; -1: none
    int list_count;            // length of the lists that were met; 0: none was
    bool lists_differ;         // in their lengths
    constant extra[EXTRA_MAX]; // lists that came out of functions and indices: names _0, _1, ...
    int extra_count;
    const char *where; // begins messages where there is no node
    bool quiet;        // nothing is reported
} view;

// formula_names.c: a mistake `position` bytes into the text; always false.
__attribute__((format(printf, 4, 5))) bool view_complain(view *v, int position, const char *hint, const char *format,
                                                         ...);
const constant *view_find(const view *v, const char *name, constant *room);
// The name in the whole model of something that changes in time: an input, q. or qd. of a joint; NULL: it is nothing of that.
const char *view_name_in_time(const view *v, const char *name, char room[SCOPE_NAME_MAX + 8]);
int view_look_up(const char *name, double *number, void *user); // for expression_compile; user: the view
hint_text view_hint(const view *v, const char *name);           // why a name is unknown

// The text that the expression parser gets, with where each of its bytes comes from.
typedef struct rewriter {
    view *view;
    const char *text; // as given
    char *out;
    int *map;
    size_t used, room;
    bool failed;
} rewriter;

// formula_rewrite.c: fills `w`. False after a mistake.
bool rewriter_run(view *v, const char *text, rewriter *w);
// Behind the bracket that closes the one at `at`; -1: there is none.
int close_of(const char *text, int at, int end);
bool evaluate_piece(rewriter *w, int at, int end, constant *to);
bool make_list(reader *r, const double *numbers, int count, constant *to);

// formula.c: the value of `text`, which begins `offset` bytes into that of the node.
bool view_evaluate(view *v, const char *text, int offset, constant *to);

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

#endif
