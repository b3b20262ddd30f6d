// From data to paths: what a picture of this size can show of a series, and no more.
//
// A line that runs from left to right keeps the first, lowest, highest and last point of every half unit of width, so
// that no peak is lost. Then any line loses the points that lie on the line without them to a twentieth of a unit.

#include "io/plot/figure.h"

#include <math.h>
#include <string.h>

static const double COLUMN = 0.5;
static const double TOLERANCE = 0.05;
enum { LONGEST_SHORTCUT = 64 }; // points that one straight piece may replace

// ---- Cutting to the frame -------------------------------------------------------------------------------------------

// Cuts the part of the parameter range [*t0, *t1] with q + t p >= 0 (Liang and Barsky).
static bool cut(double p, double q, double *t0, double *t1)
{
    if (p == 0.0) return q >= 0.0;
    const double t = -q / p;
    if (p > 0.0) {
        *t0 = fmax(*t0, t);
    } else {
        *t1 = fmin(*t1, t);
    }
    return *t0 <= *t1;
}

bool clip_segment(const box *b, point *from, point *to)
{
    const double dx = to->x - from->x, dy = to->y - from->y;
    double t0 = 0.0, t1 = 1.0;
    if (!cut(dx, from->x - b->x, &t0, &t1) || !cut(-dx, b->x + b->width - from->x, &t0, &t1) ||
        !cut(dy, from->y - b->y, &t0, &t1) || !cut(-dy, b->y + b->height - from->y, &t0, &t1))
        return false;
    const point start = *from;
    if (t0 > 0.0) *from = (point){start.x + t0 * dx, start.y + t0 * dy};
    if (t1 < 1.0) *to = (point){start.x + t1 * dx, start.y + t1 * dy};
    return true;
}

// ---- Fewer points ---------------------------------------------------------------------------------------------------

static bool runs_right(const point *p, int count)
{
    for (int i = 1; i < count; i++)
        if (p[i].x < p[i - 1].x) return false;
    return true;
}

// Keeps first, lowest, highest and last of the points [first, end), in their order, at `out`; returns how many.
static int keep_column(const point *p, int first, int end, point *out)
{
    int low = first, high = first, count = 0;
    for (int i = first + 1; i < end; i++) {
        if (p[i].y < p[low].y) low = i;
        if (p[i].y > p[high].y) high = i;
    }
    const int kept[] = {first, low < high ? low : high, low < high ? high : low, end - 1};
    for (int k = 0; k < 4; k++)
        if (k == 0 || kept[k] != kept[k - 1]) out[count++] = p[kept[k]];
    return count;
}

static int reduce_columns(point *p, int count)
{
    int kept = 0;
    for (int first = 0, end; first < count; first = end) {
        const double column = floor(p[first].x / COLUMN);
        for (end = first + 1; end < count && floor(p[end].x / COLUMN) == column;) end++;
        kept += keep_column(p, first, end, p + kept); // never ahead of what is still to be read
    }
    return kept;
}

static double distance_to_segment(point a, point b, point p)
{
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double t = square > 0.0 ? fmin(fmax(((p.x - a.x) * dx + (p.y - a.y) * dy) / square, 0.0), 1.0) : 0.0;
    const double x = a.x + t * dx - p.x, y = a.y + t * dy - p.y;
    return sqrt(x * x + y * y);
}

static bool is_straight(const point *p, int from, int to)
{
    for (int i = from + 1; i < to; i++)
        if (!(distance_to_segment(p[from], p[to], p[i]) <= TOLERANCE)) return false;
    return true;
}

// In place; lifted pens (NaN) stay.
static int reduce_straight(point *p, int count)
{
    int kept = 0;
    for (int i = 0; i < count;) {
        int next = i + 1;
        while (next + 1 < count && next - i < LONGEST_SHORTCUT && !isnan(p[i].x) && !isnan(p[next].x) &&
               !isnan(p[next + 1].x) && is_straight(p, i, next + 1))
            next++;
        p[kept++] = p[i];
        i = next;
    }
    return kept;
}

// ---- One series -----------------------------------------------------------------------------------------------------

static bool to_frame(const panel *p, const series *s, int i, point *at)
{
    if (!axis_accepts(&p->x, s->x[i]) || !axis_accepts(&p->y, s->y[i])) return false;
    *at = (point){axis_place(&p->x, s->x[i]), frame_height(p) - axis_place(&p->y, s->y[i])};
    return isfinite(at->x) && isfinite(at->y);
}

// Appends the part of a run inside the frame to the path. Each segment adds three points at the most.
static void add_run(const panel *p, series *s, const point *run, int count)
{
    const box frame = {0.0, 0.0, frame_width(p), frame_height(p)};
    point last = {(double)NAN, (double)NAN};
    for (int i = 0; i < count; i++) {
        if (i == 0 && count > 1) continue;
        point from = run[count > 1 ? i - 1 : 0], to = run[i];
        if (!clip_segment(&frame, &from, &to)) continue;
        if (from.x != last.x || from.y != last.y) {
            s->path[s->path_count++] = (point){(double)NAN, (double)NAN};
            s->path[s->path_count++] = from;
        }
        s->path[s->path_count++] = to;
        last = to;
    }
}

static void set_path(const panel *p, series *s, point *run)
{
    for (int i = 0; i < s->count;) {
        int count = 0;
        while (i < s->count && to_frame(p, s, i, &run[count])) {
            count++;
            i++;
        }
        if (runs_right(run, count)) count = reduce_columns(run, count);
        add_run(p, s, run, count);
        if (i < s->count) i++; // the point that ended the run
    }
    s->path_count = reduce_straight(s->path, s->path_count);
}

static bool is_inside(const panel *p, point at)
{
    const double slack = 0.01;
    return at.x >= -slack && at.x <= frame_width(p) + slack && at.y >= -slack && at.y <= frame_height(p) + slack;
}

// Markers that would lie on the one before are left out.
static void set_marks(const panel *p, series *s)
{
    point at, last = {(double)-INFINITY, 0.0};
    for (int i = 0; i < s->count; i++) {
        if (!to_frame(p, s, i, &at) || !is_inside(p, at) || fabs(at.x - last.x) + fabs(at.y - last.y) < COLUMN)
            continue;
        s->marks[s->mark_count++] = last = at;
    }
}

bool plot_set_ink(panel *p)
{
    for (int k = 0; k < p->series_count; k++) {
        series *s = &p->series[k];
        point *run = mem_alloc_array(NULL, (size_t)s->count, sizeof *run);
        s->path = mem_alloc_array(NULL, 3 * (size_t)s->count, sizeof *s->path);
        s->marks = mem_alloc_array(NULL, (size_t)s->count, sizeof *s->marks);
        const bool ok = run && s->path && s->marks;
        s->path_count = s->mark_count = 0;
        if (ok && s->line != PH_LINE_NONE) set_path(p, s, run);
        if (ok && s->marker != PH_MARKER_NONE) set_marks(p, s);
        mem_free(NULL, run);
        if (!ok) return false;
    }
    return true;
}

void plot_free_ink(panel *p)
{
    for (int k = 0; k < p->series_count; k++) {
        series *s = &p->series[k];
        mem_free(NULL, s->path);
        mem_free(NULL, s->marks);
        s->path = s->marks = NULL;
        s->path_count = s->mark_count = 0;
    }
}
