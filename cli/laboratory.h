// What the commands of the laboratory, compare and order, share: lists, progress, figures, the reference in words.
#ifndef CLI_LABORATORY_H
#define CLI_LABORATORY_H

#include "json.h"
#include "options.h"
#include "progress.h"

#include "polhode/lab.h"

// What both commands are told, and what becomes of it before they work.
typedef struct lab_options {
    const char *schemes, *out, *body;
    text_list settings;
    bool json, quiet;
    text_list trials;  // of `schemes`
    int body_index;    // of `body`, or PH_NONE
    progress progress; // by way of show_lab_progress
} lab_options;

// Splits the schemes, loads the model, finds the body, makes the folder and calls work(model, path, user), whose exit
// status it returns.
int run_laboratory(lab_options *options, const char *path,
                   int (*work)(const ph_model *model, const char *path, void *user), void *user);

// The width of a column that holds `head` and `count` names, of which name(list, i) is one.
int column_width(const char *head, int count, const char *(*name)(const void *list, int index), const void *list);

// Splits "rattlie,lie-alpha:rho=0.9,x=1,lgvi" where a new scheme begins: a piece with "=" but no ":" before it is one more
// option of the scheme before. The pieces live in `copy`, which the caller frees. Mistakes are reported.
bool split_schemes(const char *text, text_list *schemes, char **copy);

enum { NUMBERS_MAX = 64 };

typedef struct number_list {
    int count;
    double values[NUMBERS_MAX];
} number_list;

// Positive numbers separated by commas.
bool split_numbers(const char *option_name, const char *text, number_list *numbers);

// Index of the body called `name`; PH_NONE and a message when there is none, PH_NONE when `name` is NULL.
bool find_body(const ph_model *model, const char *name, int *body);

bool make_folder(const char *path); // also those above it

// Writes the plot (which it destroys) as `folder`/`name` and notes the name. A NULL plot is none.
bool write_plot(ph_plot *plot, const char *folder, const char *name, text_list *written);
void print_written(const char *folder, const text_list *written);
void json_written(json *j, const char *folder, const text_list *written);

// Progress on a terminal; `user` points to a `progress`. Stops after Ctrl-C.
bool show_lab_progress(const ph_lab_progress *progress, void *user);

void print_reference(const ph_reference_info *reference);
void json_reference(json *j, const ph_reference_info *reference);
void json_motion_error(json *j, const char *key, const ph_motion_error *error);

#endif
