// How far a command is. See progress.h.

#include "progress.h"

#include "base/clock.h"
#include "base/system.h"
#include "interrupt.h"
#include "terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROOM = 512, NARROWEST = 20 };
static const double BETWEEN = 0.1, BETWEEN_PLAIN = 10.0; // s, from line to line
static const double SOON = 0.5;                          // s, before which no rest is told

progress progress_begin(bool wanted)
{
    const char *terminal = getenv("TERM");
    const bool plain = terminal && (!*terminal || strcmp(terminal, "dumb") == 0);
    const double began = clock_seconds();
    return (progress){wanted && is_terminal(stderr), plain, .began = began, .told = plain ? began : 0.0};
}

double progress_seconds(const progress *p)
{
    return clock_seconds() - p->began;
}

static int width_of_terminal(void)
{
    const char *columns = getenv("COLUMNS");
    int width = system_terminal_width(stderr);
    if (width <= 0 && columns) width = atoi(columns);
    return width <= 0 ? 80 : width < NARROWEST ? NARROWEST : width;
}

// "12 s", "3 min 20 s", "2 h 5 min"
static void put_rest(double seconds, char *text, size_t size)
{
    const double s = ceil(seconds);
    if (s < 100.0)
        snprintf(text, size, "%.0f s", s);
    else if (s < 6000.0)
        snprintf(text, size, "%.0f min %.0f s", floor(s / 60.0), fmod(s, 60.0));
    else
        snprintf(text, size, "%.0f h %.0f min", floor(s / 3600.0), floor(fmod(s, 3600.0) / 60.0));
}

// "   40 %  12 s left  "
static void put_share(const progress *p, double share, double spent, char line[LINE_ROOM])
{
    char rest[64];
    snprintf(line, LINE_ROOM, "  ");
    if (share >= 0.0 && !p->at_most) snprintf(line, LINE_ROOM, "  %3.0f %%  ", 100.0 * share);
    if (!(share > 0.0) || spent < SOON) return;
    put_rest(spent * (1.0 - share) / share, rest, sizeof rest);
    const size_t length = strlen(line);
    snprintf(line + length, LINE_ROOM - length, "%s%s left  ", p->at_most ? "at most " : "", rest);
}

// The last column stays free: a terminal goes to the next line when it is written to.
static void cut(char *line, int width)
{
    if ((int)strlen(line) >= width) line[width - 1] = '\0';
}

void progress_tell(progress *p, double share, const char *format, ...)
{
    const double t = clock_seconds(), spent = t - p->began;
    if (!p->shown || was_interrupted() || t - p->told < (p->plain ? BETWEEN_PLAIN : BETWEEN)) return;
    char line[LINE_ROOM];
    va_list values;
    put_share(p, share > 1.0 ? 1.0 : share, spent, line);
    const size_t length = strlen(line);
    va_start(values, format);
    vsnprintf(line + length, sizeof line - length, format, values);
    va_end(values);
    cut(line, width_of_terminal());
    fprintf(stderr, p->plain ? "%s\n" : "\r%s\033[K", line);
    fflush(stderr);
    p->told = t;
    p->standing = !p->plain;
}

void progress_wipe(progress *p)
{
    if (p->standing) fprintf(stderr, "\r\033[K");
    p->standing = false;
    p->told = p->plain ? p->told : 0.0;
}

void tally_begin(tally *t, const char *name)
{
    progress_tell(&t->progress, t->count ? (double)t->done / t->count : (double)NAN, "%s (%d of %d)", name, t->done + 1,
                  t->count);
}

void tally_end(tally *t)
{
    t->done++;
    progress_wipe(&t->progress);
}
