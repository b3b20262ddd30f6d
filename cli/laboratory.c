// What the commands of the laboratory share. See laboratory.h.

#include "laboratory.h"

#include "base/system.h"
#include "commands.h"
#include "interrupt.h"
#include "load.h"
#include "terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool out_of_memory(void)
{
    print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    return false;
}

// ---- Lists ----------------------------------------------------------------------------------------------------------

static bool begins_scheme(const char *piece)
{
    const size_t length = strcspn(piece, ",");
    const char *equals = memchr(piece, '=', length), *colon = memchr(piece, ':', length);
    return !equals || (colon && colon < equals);
}

bool split_schemes(const char *text, text_list *schemes, char **copy)
{
    *copy = malloc(strlen(text) + 1);
    if (!*copy) return out_of_memory();
    strcpy(*copy, text);
    schemes->count = 0;
    for (char *at = *copy; *at;) {
        char *end = at + strcspn(at, ",");
        while (*end && !begins_scheme(end + 1)) end = end + 1 + strcspn(end + 1, ",");
        const bool last = !*end;
        *end = '\0';
        if (*at && schemes->count == TEXT_LIST_MAX) {
            print_error("--schemes: more than %d are given", TEXT_LIST_MAX);
            return false;
        }
        if (*at) schemes->texts[schemes->count++] = at;
        at = last ? end : end + 1;
    }
    if (schemes->count == 0) {
        print_error("--schemes: '%s' names no scheme; 'polhode schemes' lists them", text);
        return false;
    }
    return true;
}

bool split_numbers(const char *option_name, const char *text, number_list *numbers)
{
    numbers->count = 0;
    for (const char *at = text; *at;) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(value) || value <= 0.0) {
            print_error("--%s: '%.*s' is not a positive number", option_name, (int)strcspn(at, ","), at);
            return false;
        }
        if (numbers->count == NUMBERS_MAX) {
            print_error("--%s: more than %d numbers are given", option_name, NUMBERS_MAX);
            return false;
        }
        numbers->values[numbers->count++] = value;
        at = *end ? end + 1 : end;
    }
    return true;
}

bool find_body(const ph_model *model, const char *name, int *body)
{
    *body = name ? ph_model_find_body(model, name) : PH_NONE;
    if (!name || *body >= 0) return true;
    const int count = ph_model_bodies(model);
    const char **names = malloc(((size_t)count + 1) * sizeof *names);
    if (!names) return out_of_memory();
    for (int i = 0; i < count; i++) names[i] = ph_model_body(model, i).name;
    const char *near = ph_suggest(name, names, count);
    print_error(near ? "--body: there is no body '%s'; did you mean '%s'?" : "--body: there is no body '%s'", name,
                near ? near : "");
    free(names);
    return false;
}

// ---- Figures --------------------------------------------------------------------------------------------------------

static bool make_one_folder(const char *path)
{
    if (system_make_folder(path)) return true;
    const int code = errno;
    if (system_is_folder(path)) return true; // it was there, or is the root of a drive
    errno = code;
    print_error("--out: cannot make the folder '%s': %s", path,
                errno == EEXIST ? "a file has that name" : strerror(errno));
    return false;
}

bool make_folder(const char *path)
{
    char *copy = malloc(strlen(path) + 1);
    if (!copy) return out_of_memory();
    strcpy(copy, path);
    bool good = true;
    for (char *slash = strchr(copy + 1, '/'); good && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        good = make_one_folder(copy);
        *slash = '/';
    }
    good = good && make_one_folder(copy);
    free(copy);
    return good;
}

bool write_plot(ph_plot *plot, const char *folder, const char *name, text_list *written)
{
    if (!plot) return true;
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    ph_error error;
    bool good = path != NULL;
    if (good) {
        snprintf(path, size, "%s/%s", folder, name);
        good = ph_plot_write(plot, path, &error) == PH_OK;
        if (!good) print_error("%s", error.text);
    } else {
        out_of_memory();
    }
    if (good && written->count < TEXT_LIST_MAX) written->texts[written->count++] = name;
    free(path);
    ph_plot_destroy(plot);
    return good;
}

void print_written(const char *folder, const text_list *written)
{
    if (written->count == 0) return;
    printf("\nwritten to %s:", folder);
    for (int i = 0; i < written->count; i++) printf("%s %s", i ? "," : "", written->texts[i]);
    printf("\n");
}

void json_written(json *j, const char *folder, const text_list *written)
{
    json_string(j, "folder", folder);
    json_array(j, "files");
    for (int i = 0; i < written->count; i++) json_string(j, NULL, written->texts[i]);
    json_end_array(j);
}

// ---- Progress -------------------------------------------------------------------------------------------------------

bool show_lab_progress(const ph_lab_progress *p, void *user)
{
    progress_tell(user, p->whole, "run %d of %d: %s, step %.6g s", p->run + 1, p->runs, p->trial, p->step);
    return !was_interrupted();
}

// ---- The reference --------------------------------------------------------------------------------------------------

void print_reference(const ph_reference_info *r)
{
    if (!r->scheme) return;
    printf("reference: %s, step %.6g s", r->scheme, r->step);
    if (r->runs > 1) {
        printf(", extrapolated from %d runs; uncertain by %.1g m, %.1g rad", r->runs, r->uncertainty.of[PH_POSITION],
               r->uncertainty.of[PH_ORIENTATION]);
    }
    printf("\n");
}

void json_motion_error(json *j, const char *key, const ph_motion_error *error)
{
    json_object(j, key);
    json_number(j, "position", error->of[PH_POSITION]);
    json_number(j, "orientation", error->of[PH_ORIENTATION]);
    json_number(j, "velocity", error->of[PH_VELOCITY]);
    json_number(j, "angular_velocity", error->of[PH_ANGULAR_VELOCITY]);
    json_end_object(j);
}

void json_reference(json *j, const ph_reference_info *r)
{
    json_object(j, "reference");
    json_string(j, "scheme", r->scheme);
    json_number(j, "step", r->scheme ? r->step : (double)NAN);
    json_integer(j, "runs", r->runs);
    json_motion_error(j, "uncertainty", &r->uncertainty);
    if (r->message) json_string(j, "error", r->message);
    json_end_object(j);
}

// ---- A command ------------------------------------------------------------------------------------------------------

// The scheme of the model, and those that most people know; with contact those that know it.
static char *usual_schemes(const ph_model *model)
{
    static const char *const smooth[] = {"rattlie", "rkmk4", "rk4", NULL}, *const touching[] = {"rattlie-ns", "moreau",
                                                                                                NULL};
    const ph_run_settings *run = ph_model_run_settings(model);
    const char *own = run->scheme ? run->scheme : "rattlie";
    const int index = ph_scheme_find(own);
    const bool contact = index >= 0 && (ph_scheme_get(index).traits & PH_HAS_CONTACT);
    const size_t room = strlen(own) + (run->options ? strlen(run->options) : 0) + 64;
    char *list = malloc(room);
    if (!list) return NULL;
    snprintf(list, room, "%s%s%s", own, run->options ? ":" : "", run->options ? run->options : "");
    for (const char *const *other = contact ? touching : smooth; *other; other++) {
        const size_t length = strlen(list);
        if (strcmp(*other, own) != 0) snprintf(list + length, room - length, ",%s", *other);
    }
    return list;
}

// Those that are asked for, else the usual ones.
static bool find_schemes(lab_options *options, const ph_model *model, char **copy)
{
    if (options->schemes) return split_schemes(options->schemes, &options->trials, copy);
    char *list = usual_schemes(model);
    const bool good = list ? split_schemes(list, &options->trials, copy) : out_of_memory();
    free(list);
    return good;
}

int run_laboratory(lab_options *options, const char *path,
                   int (*work)(const ph_model *model, const char *path, void *user), void *user)
{
    ph_model *model = load_model(path, &options->settings);
    char *copy = NULL;
    int status = EXIT_USAGE;
    if (model && find_schemes(options, model, &copy) && find_body(model, options->body, &options->body_index) &&
        (!options->out || make_folder(options->out))) {
        options->progress = progress_begin(!options->quiet);
        catch_interrupts();
        status = work(model, path, user);
    }
    ph_model_destroy(model);
    free(copy);
    return status;
}

int column_width(const char *head, int count, const char *(*name)(const void *list, int index), const void *list)
{
    size_t longest = strlen(head);
    for (int i = 0; i < count; i++) {
        const size_t length = strlen(name(list, i));
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}
