// Figures: ticks and labels, what is kept of long series, room for legends, and files that any XML reader takes.

#include "test.h"

#include "io/plot/figure.h"
#include "io/plot/svg.h"
#include "io/plot/ticks.h"
#include "polhode/plot.h"

#include <float.h>
#include <locale.h>
#include <sys/stat.h>

// ---- Ticks ----------------------------------------------------------------------------------------------------------

// Reads rich text such as "−0.25", "×10^{−3} + 12" or "5×10^{4}" back into numbers.
typedef struct reading {
    double factor, offset;
} reading;

static double read_number(const char **text)
{
    char plain[64] = "";
    size_t length = 0;
    for (; **text && length + 2 < sizeof plain; (*text)++) {
        if (strncmp(*text, "\xE2\x88\x92", 3) == 0) {
            plain[length++] = '-';
            *text += 2;
        } else if (strchr("0123456789.", **text)) {
            plain[length++] = **text;
        } else {
            break;
        }
    }
    return length ? strtod(plain, NULL) : 1.0;
}

// [number] [× 10^{power}]
static double read_term(const char **text)
{
    double value = read_number(text);
    if (strncmp(*text, "\xC3\x97", 2) == 0) {
        *text += 2;
        value *= read_number(text);
    }
    if (strncmp(*text, "^{", 2) == 0) {
        *text += 2;
        value *= pow(10.0, read_number(text)) / 10.0;
        *text += **text == '}';
    }
    return value;
}

static reading read_note(const char *note)
{
    reading r = {1.0, 0.0};
    if (strncmp(note, "\xC3\x97", 2) == 0) r.factor = read_term(&note);
    while (*note == ' ' || *note == '+') note++;
    if (*note) r.offset = read_term(&note);
    return r;
}

static void check_labels(const ticks *t, double low, double high)
{
    const reading note = read_note(t->note);
    const double span = high - low;
    int labels = 0;
    for (int i = 0; i < t->count; i++) {
        const tick *k = &t->list[i];
        CHECK(k->value >= low - 1e-5 * span && k->value <= high + 1e-5 * span);
        if (!k->label[0]) continue;
        const char *text = k->label;
        const double label = read_term(&text) * note.factor + note.offset;
        CHECK_NEAR(label, k->value, 1e-3 * span + 1e-14 * fabs(k->value));
        CHECK(*text == '\0');
        CHECK(k->major);
        labels++;
    }
    CHECK(labels >= 2);
}

TEST(labels_of_linear_axes_say_where_they_stand)
{
    for (int i = 0; i < 3000; i++) {
        const double size = pow(10.0, test_uniform(-12, 12)), middle = test_uniform(-1, 1) * size;
        const double span = size * pow(10.0, test_uniform(-9, 0));
        const int wanted = 3 + test_random_index(8);
        ticks t;
        ticks_linear(middle - 0.5 * span, middle + 0.5 * span, wanted, &t);
        check_labels(&t, middle - 0.5 * span, middle + 0.5 * span);
    }
}

TEST(labels_of_log_axes_say_where_they_stand)
{
    for (int i = 0; i < 3000; i++) {
        const double low = pow(10.0, test_uniform(-250, 200)), high = low * pow(10.0, test_uniform(0.35, 40.0));
        const int wanted = 3 + test_random_index(8);
        ticks t;
        ticks_log(low, high, wanted, &t);
        for (int k = 0; k < t.count; k++) {
            const char *text = t.list[k].label;
            CHECK(t.list[k].value >= low * (1.0 - 1e-6) && t.list[k].value <= high * (1.0 + 1e-6));
            if (*text) CHECK_REL(read_note(t.note).factor * read_term(&text), t.list[k].value, 1e-9);
        }
    }
}

static void check_label(double low, double high, int wanted, int index, const char *label, const char *note)
{
    ticks t;
    ticks_linear(low, high, wanted, &t);
    CHECK_STR(t.list[index].label, label);
    CHECK_STR(t.note, note);
}

TEST(labels_are_those_people_write)
{
    check_label(0, 50, 6, 1, "10", "");
    check_label(0, 1, 6, 1, "0.2", "");
    check_label(0, 1, 6, 0, "0", "");
    check_label(-0.3, 0.3, 8, 0,
                "\xE2\x88\x92"
                "0.3",
                "");
    check_label(0, 5e-5, 6, 1, "1",
                "\xC3\x97"
                "10^{\xE2\x88\x92"
                "5}");
    check_label(0, 2e6, 6, 1, "0.5",
                "\xC3\x97"
                "10^{6}");
    check_label(123456, 123466, 6, 0, "6", "+ 123450");
}

TEST(log_axes_of_many_decades_label_some_of_them)
{
    ticks t;
    ticks_log(1e-16, 1e-1, 6, &t);
    int labels = 0;
    for (int i = 0; i < t.count; i++) labels += t.list[i].label[0] != '\0';
    CHECK(labels >= 4 && labels <= 6);
    ticks_log(DBL_MIN, 1e300, 4, &t);
    CHECK(t.count < TICKS_MAX);
}

// ---- XML ------------------------------------------------------------------------------------------------------------

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Every tag is closed in its turn, every & begins an entity, attribute values are quoted.
static bool is_well_formed(const char *text)
{
    const char *open[64];
    int depth = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '&' && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) && strncmp(at, "&amp;", 5) &&
            strncmp(at, "&quot;", 6))
            return false;
        if (*at == '>') return false;
        if (*at != '<') continue;
        const bool closes = *++at == '/';
        const char *name = at + closes;
        if (!is_name(*name)) return false;
        for (bool quoted = false; *at && (quoted || *at != '>'); at++) {
            if (*at == '"') quoted = !quoted;
            if (*at == '<') return false;
        }
        if (!*at) return false;
        if (closes) {
            size_t length = 0;
            while (is_name(name[length])) length++;
            if (depth == 0 || strncmp(open[--depth], name, length) != 0) return false;
        } else if (at[-1] != '/') {
            if (depth == 64) return false;
            open[depth++] = name;
        }
    }
    return depth == 0;
}

TEST(text_is_escaped_and_bad_bytes_replaced)
{
    svg out = {0};
    svg_put(&out, "%s", "a<b & \"c\">\xC3\xA9\xFF\xC3(\x01\xE2\x82\xED\xA0\x80");
    CHECK_STR(out.text,
              "a&lt;b &amp; &quot;c&quot;&gt;\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    svg_free(&out);
}

TEST(numbers_are_short_and_know_no_locale)
{
    setlocale(LC_ALL, "de_DE.UTF-8"); // where it is installed
    svg out = {0};
    svg_put(&out, "%n %n %n %n %n %d", 0.5, -0.25, 12.0, 1234.567, -0.001, -42);
    CHECK_STR(out.text, ".5 -.25 12 1234.57 0 -42");
    svg_free(&out);
    setlocale(LC_ALL, "C");
}

TEST(raised_and_lowered_parts)
{
    svg out = {0};
    svg_put_rich(&out, "10^{2} a_{n}", 10.0);
    CHECK_STR(out.text, "10<tspan dy=\"-3.8\" font-size=\"7.2\">2</tspan><tspan dy=\"3.8\"> a</tspan>"
                        "<tspan dy=\"1.8\" font-size=\"7.2\">n</tspan>");
    svg_free(&out);
    CHECK(svg_rich_width("10^{2}", 10.0) < svg_rich_width("102", 10.0));
    CHECK_NEAR(svg_rich_width("open ^{ brace", 10.0),
               svg_rich_width("open ", 10.0) + svg_rich_width("^", 10.0) + svg_rich_width("{ brace", 10.0), 1e-9);
}

// ---- Figures --------------------------------------------------------------------------------------------------------

static int add_series(ph_plot *plot, int axes, const char *label, const double *x, const double *y, int count)
{
    ph_series_def def = ph_default_series();
    def.label = label;
    def.x = x;
    def.y = y;
    def.count = count;
    return ph_plot_add_series(plot, axes, &def);
}

static int add_panel(ph_plot *plot, ph_axis_scale x, ph_axis_scale y)
{
    ph_axes_def def = ph_default_axes();
    def.x.scale = x;
    def.y.scale = y;
    def.x.label = "time (s)";
    def.y.label = "error (m)";
    return ph_plot_add_axes(plot, &def);
}

static bool is_sound(ph_plot *plot)
{
    const char *text = ph_plot_text(plot, NULL);
    return text && is_well_formed(text) && !strstr(text, "nan") && !strstr(text, "inf");
}

TEST(strange_data_still_make_a_figure)
{
    static const double cases[][5] = {
        {1, 1, 1, 1, 1},
        {0, 0, 0, 0, 0},
        {(double)NAN, 1, (double)INFINITY, -(double)INFINITY, (double)NAN},
        {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN},
        {-DBL_MAX, DBL_MAX, 0, 1, 2},
        {5e-324, 1e-310, 0, 2e-308, 1e-320},
        {1e300, -1e300, 1e299, 1e-300, 0},
        {5435.6967908655, 5435.6967908656, 5435.6967908655, 5435.6967908655, 5435.6967908655},
        {1e15, 1e15 + 0.125, 1e15 + 0.25, 1e15, 1e15},
        {-1, -2, -3, -4, -5},
        {1e-300, 1e300, 1, 1e-200, 1e200},
    };
    const double x[5] = {0, 1, 2, 3, 4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 8; k++) {
            ph_plot *plot = ph_plot_create("x < y & \"z\"");
            const int axes = add_panel(plot, k & 1 ? PH_LOG : PH_LINEAR, k & 2 ? PH_LOG : PH_LINEAR);
            CHECK_EQ_INT(add_series(plot, axes, "a<b", k & 4 ? cases[i] : x, k & 4 ? x : cases[i], 5), 0);
            CHECK(is_sound(plot));
            ph_plot_destroy(plot);
        }
}

TEST(empty_figures_and_empty_series)
{
    ph_plot *plot = ph_plot_create(NULL);
    CHECK(is_sound(plot));
    const int axes = add_panel(plot, PH_LOG, PH_LOG);
    CHECK(is_sound(plot));
    CHECK_EQ_INT(add_series(plot, axes, "nothing", NULL, NULL, 0), 0);
    CHECK(is_sound(plot));
    ph_plot_destroy(plot);
}

TEST(mistakes_of_the_caller_are_refused)
{
    const double one[1] = {1};
    ph_plot *plot = ph_plot_create("t");
    const int axes = add_panel(plot, PH_LINEAR, PH_LINEAR);
    ph_series_def def = ph_default_series();
    def.x = def.y = one;
    def.count = 1;
    def.color = "red\" onload=\"x";
    CHECK_EQ_INT(ph_plot_add_series(plot, axes, &def), -1);
    def.color = "#12345g";
    CHECK_EQ_INT(ph_plot_add_series(plot, axes, &def), -1);
    def.color = NULL;
    CHECK_EQ_INT(ph_plot_add_series(plot, 7, &def), -1);
    def.count = -1;
    CHECK_EQ_INT(ph_plot_add_series(plot, axes, &def), -1);
    CHECK_EQ_INT(ph_plot_add_series(plot, axes, &(ph_series_def){.count = 0}), -1);
    CHECK_EQ_INT(ph_plot_add_axes(plot, &(ph_axes_def){.height = 100}), -1);
    CHECK_EQ_INT(add_series(plot, axes, "s", NULL, one, 1), -1);
    CHECK_EQ_INT(add_series(plot, axes, "s", one, one, 1), 0);
    CHECK_EQ_INT(ph_plot_add_slope(plot, axes, 0, 2.0), PH_BAD_ARGUMENT); // no log scales
    ph_plot_destroy(plot);
}

enum { MANY = 1000000 };

TEST(a_million_points_make_a_small_file_and_keep_the_peaks)
{
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = sin(0.37 * i) * 0.5;
    }
    y[654321] = 7.0;
    y[123456] = -9.0;
    ph_plot *plot = ph_plot_create("noise");
    const int axes = add_panel(plot, PH_LINEAR, PH_LINEAR);
    add_series(plot, axes, NULL, x, y, MANY);
    size_t length;
    CHECK(ph_plot_text(plot, &length) && length < 60000);
    plot_set_ranges(plot);
    CHECK(plot_set_ink(&plot->panels[axes]));
    const panel *p = &plot->panels[axes];
    double top = 1e9, bottom = -1e9;
    for (int i = 0; i < p->series[0].path_count; i++) {
        if (isnan(p->series[0].path[i].x)) continue;
        top = fmin(top, p->series[0].path[i].y);
        bottom = fmax(bottom, p->series[0].path[i].y);
    }
    CHECK_NEAR(top, p->y.length - axis_place(&p->y, 7.0), 1e-9);
    CHECK_NEAR(bottom, p->y.length - axis_place(&p->y, -9.0), 1e-9);
    plot_free_ink(&plot->panels[0]);
    ph_plot_destroy(plot);
    free(x);
    free(y);
}

// Distance of a point from the drawn path.
static double distance_to_path(const series *s, point at)
{
    double nearest = 1e9;
    for (int i = 1; i < s->path_count; i++) {
        const point a = s->path[i - 1], b = s->path[i];
        if (isnan(a.x) || isnan(b.x)) continue;
        const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
        const double t = square > 0 ? fmin(fmax(((at.x - a.x) * dx + (at.y - a.y) * dy) / square, 0), 1) : 0;
        nearest = fmin(nearest, hypot(a.x + t * dx - at.x, a.y + t * dy - at.y));
    }
    return nearest;
}

TEST(a_reduced_curve_passes_all_its_points)
{
    enum { COUNT = 4000 };
    double x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const double t = 0.01 * i;
        x[i] = sin(t) + 0.5 * sin(2.7 * t);
        y[i] = cos(t) - 0.5 * cos(2.7 * t);
    }
    ph_plot *plot = ph_plot_create(NULL);
    ph_axes_def def = ph_default_axes();
    def.equal = true;
    CHECK_EQ_INT(ph_plot_add_axes(plot, &def), 0);
    add_series(plot, 0, NULL, x, y, COUNT);
    plot_set_ranges(plot);
    const panel *p = &plot->panels[0];
    CHECK(plot_set_ink(&plot->panels[0]));
    CHECK(p->series[0].path_count < COUNT / 2);
    for (int i = 0; i < COUNT; i += 7) {
        const point at = {axis_place(&p->x, x[i]), p->y.length - axis_place(&p->y, y[i])};
        CHECK(distance_to_path(&p->series[0], at) < 0.051);
    }
    CHECK_REL(p->x.length / (p->x.high - p->x.low), p->y.length / (p->y.high - p->y.low), 1e-12);
    plot_free_ink(&plot->panels[0]);
    ph_plot_destroy(plot);
}

TEST(given_limits_cut_the_data)
{
    const double x[] = {-1, 0, 1, 2, 3}, y[] = {-1e9, 0, 1, 2, 1e9};
    ph_plot *plot = ph_plot_create(NULL);
    ph_axes_def def = ph_default_axes();
    def.x.low = 0.5;
    def.x.high = 2.0;
    CHECK_EQ_INT(ph_plot_add_axes(plot, &def), 0);
    add_series(plot, 0, NULL, x, y, 5);
    plot_set_ranges(plot);
    const panel *p = &plot->panels[0];
    CHECK(p->x.low == 0.5 && p->x.high == 2.0);
    CHECK(p->y.low > 0.9 && p->y.high < 2.1); // from the points that are seen
    CHECK(plot_set_ink(&plot->panels[0]));
    for (int i = 0; i < p->series[0].path_count; i++) {
        const point at = p->series[0].path[i];
        CHECK(isnan(at.x) ||
              (at.x >= -1e-9 && at.x <= p->x.length + 1e-9 && at.y >= -1e-9 && at.y <= p->y.length + 1e-9));
    }
    plot_free_ink(&plot->panels[0]);
    ph_plot_destroy(plot);
}

// One straight line leaves corners free; a filled frame leaves none.
TEST(legends_do_not_cover_data)
{
    enum { COUNT = 500 };
    double x[COUNT], rising[COUNT], noise[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = i;
        rising[i] = i;
        noise[i] = i % 2 ? COUNT : 0;
    }
    for (int filled = 0; filled < 2; filled++) {
        ph_plot *plot = ph_plot_create(NULL);
        const int axes = add_panel(plot, PH_LINEAR, PH_LINEAR);
        add_series(plot, axes, "one", x, filled ? noise : rising, COUNT);
        add_series(plot, axes, "two", x, rising, COUNT);
        CHECK(is_sound(plot));
        const legend *l = &plot->panels[axes].legend;
        CHECK_EQ_INT(l->count, 2);
        CHECK(l->inside == !filled);
        CHECK(filled || l->box.x < 20.0); // upper left: the line rises to the right
        CHECK_EQ_INT(l->rows, filled);
        ph_plot_destroy(plot);
    }
}

TEST(a_label_shown_above_is_not_repeated)
{
    const double x[] = {0, 1};
    ph_plot *plot = ph_plot_create(NULL);
    ph_axes_def def = ph_default_axes();
    CHECK_EQ_INT(ph_plot_add_axes(plot, &def), 0);
    def.share_x = true;
    CHECK_EQ_INT(ph_plot_add_axes(plot, &def), 1);
    add_series(plot, 0, "rattlie", x, x, 2);
    add_series(plot, 1, "rattlie", x, x, 2);
    add_series(plot, 1, "lgvi", x, x, 2);
    CHECK(is_sound(plot));
    CHECK_EQ_INT(plot->panels[0].legend.count, 1);
    CHECK_EQ_INT(plot->panels[1].legend.count, 1);
    CHECK(!plot->panels[0].x_shown && plot->panels[1].x_shown);
    ph_plot_destroy(plot);
}

TEST(slope_triangles_have_the_slope_and_stay_clear)
{
    const double h[] = {1e-3, 2e-3, 4e-3, 8e-3};
    ph_plot *plot = ph_plot_create(NULL);
    const int axes = add_panel(plot, PH_LOG, PH_LOG);
    for (int order = 2; order <= 6; order += 2) {
        double error[4];
        for (int i = 0; i < 4; i++) error[i] = pow(h[i], order);
        const int index = add_series(plot, axes, NULL, h, error, 4);
        CHECK_EQ_INT(ph_plot_add_slope(plot, axes, index, order), PH_OK);
    }
    CHECK(is_sound(plot));
    const panel *p = &plot->panels[axes];
    for (int i = 0; i < 3; i++) {
        const slope *s = &p->slopes[i];
        CHECK(s->placed);
        const double decades_x = log10(p->x.high / p->x.low) / p->x.length,
                     decades_y = log10(p->y.high / p->y.low) / p->y.length;
        const double rise = (s->corner[0].y - s->corner[1].y) * decades_y,
                     run = (s->corner[1].x - s->corner[0].x) * decades_x;
        CHECK_REL(rise / run, s->slope, 1e-9);
    }
    ph_plot_destroy(plot);
}

TEST(the_same_calls_give_the_same_bytes)
{
    char *first = NULL;
    const double x[] = {1, 2, 3}, y[] = {1e-3, 5e-7, 2e-9};
    for (int i = 0; i < 2; i++) {
        ph_plot *plot = ph_plot_create("twice");
        const int axes = add_panel(plot, PH_LINEAR, PH_LOG);
        add_series(plot, axes, "a", x, y, 3);
        const char *text = ph_plot_text(plot, NULL);
        if (i == 0) first = strdup(text);
        CHECK_STR(text, first);
        CHECK_STR(ph_plot_text(plot, NULL), first); // and asking again changes nothing
        ph_plot_destroy(plot);
    }
    free(first);
}

TEST(files_appear_whole_or_not_at_all)
{
    ph_error error = {.status = PH_OK};
    struct stat info;
    ph_plot *plot = ph_plot_create("file");
    add_panel(plot, PH_LINEAR, PH_LINEAR);
    remove("plot_test.svg");
    CHECK_EQ_INT(ph_plot_write(plot, "plot_test.svg", &error), PH_OK);
    size_t length;
    ph_plot_text(plot, &length);
    CHECK(stat("plot_test.svg", &info) == 0 && (size_t)info.st_size == length);
    CHECK_EQ_INT(ph_plot_write(plot, "no/such/folder/plot.svg", &error), PH_IO);
    CHECK(strstr(error.text, "no/such/folder"));
    CHECK_EQ_INT(ph_plot_write(plot, NULL, &error), PH_BAD_ARGUMENT);
    remove("plot_test.svg");
    ph_plot_destroy(plot);
}
