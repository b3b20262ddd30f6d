#include "search.h"

#include "base/system.h"
#include "interrupt.h"
#include "motion.h"
#include "terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void search_save(const search_state *s, const double *values)
{
    const size_t room = (size_t)s->count * (DATA_NAME + 32) + 1;
    char *text = s->folder ? calloc(1, room) : NULL, name[DATA_NAME];
    size_t at = 0;
    for (int k = 0; text && k < s->count; k++) {
        s->name(s->user, k, name);
        at += (size_t)snprintf(text + at, room - at, "%s %.17g\n", name, values[k]);
    }
    if (text) write_text_file(s->folder, s->file, text, NULL);
    free(text);
}

static int take(const search_state *s, const char *name, double value, double *values)
{
    char own[DATA_NAME];
    for (int k = 0; k < s->count; k++) {
        s->name(s->user, k, own);
        if (strcmp(own, name) == 0) return values[k] = value, 1;
    }
    return 0;
}

bool search_resume(const search_state *s, double *values)
{
    char path[4096], name[DATA_NAME];
    double value;
    int found = 0;
    if (!s->folder) return print_error("--resume needs the --out FOLDER of the %s that was stopped", s->what), false;
    snprintf(path, sizeof path, "%s/%s", s->folder, s->file);
    FILE *file = system_stream(path, "r");
    if (!file) return print_error("--resume: there is no '%s'", path), false;
    while (fscanf(file, "%127s %lf", name, &value) == 2) found += take(s, name, value, values);
    fclose(file);
    if (found == s->count) return true;
    print_error("--resume: '%s' is of another %s: it knows %d of %d unknowns", path, s->what, found, s->count);
    return false;
}
