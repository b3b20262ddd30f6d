// What a reader of robots says: mistakes at once, everything else gathered by kind.

#include "base/problems.h"
#include "io/robot/robot.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERRORS_MAX = 100 };

typedef enum item_class { ITEM_LEFT_OUT, ITEM_APPROXIMATED, ITEM_NOTE } item_class;

struct report_item {
    item_class class;
    const xml_node *node;
    const char *attribute, *kind;
    bool told;
};

bool robot_fail(robot *r, const xml_node *node, const char *attribute, const char *hint, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->lenient) {
        snprintf(r->last_failure, sizeof r->last_failure, "%.255s", text);
        return false;
    }
    if (r->errors++ < ERRORS_MAX) {
        ph_problem problem = {.severity = PH_ERROR, .file = r->path, .text = text, .hint = hint};
        xml_locate(node, attribute, r->memory, &problem);
        problems_add(r->problems, &problem);
    }
    return false;
}

static void add_item(robot *r, item_class class, const xml_node *node, const char *attribute, const char *kind)
{
    const int at = ROBOT_ADD(r, items);
    if (at >= 0) {
        r->items[at] = (report_item){class, node, attribute, arena_copy_string(r->memory, kind), false};
    }
}

void robot_leave_out(robot *r, const xml_node *node, const char *attribute, const char *kind)
{
    r->left_out++;
    add_item(r, ITEM_LEFT_OUT, node, attribute, kind);
}

void robot_approximate(robot *r, const xml_node *node, const char *attribute, const char *kind)
{
    r->approximated++;
    add_item(r, ITEM_APPROXIMATED, node, attribute, kind);
}

void robot_note(robot *r, const xml_node *node, const char *kind)
{
    add_item(r, ITEM_NOTE, node, NULL, kind);
}

// ---- At the end -----------------------------------------------------------------------------------------------------

static bool alike(const report_item *a, const report_item *b)
{
    return a->class == b->class && a->kind && b->kind && strcmp(a->kind, b->kind) == 0;
}

// "; 7 in all: also lines 12, 15, 18, ..." after the first of its kind.
static void name_others(robot *r, int first, char *text, size_t size)
{
    int count = 0, listed = 0;
    size_t used = 0;
    char lines[160] = "";
    for (int i = first; i < r->items_count; i++) {
        if (!alike(&r->items[first], &r->items[i])) {
            continue;
        }
        r->items[i].told = true;
        const bool same_file = r->items[i].node && r->items[i].node->file == r->items[first].node->file;
        if (count++ > 0 && listed < 6 && same_file) {
            used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%d", listed ? ", " : "",
                                     xml_line(r->items[i].node));
            listed++;
        }
    }
    if (count > 1 && listed > 0) {
        snprintf(text, size, " (%d in all; also line%s %s%s)", count, listed > 1 ? "s" : "", lines,
                 count - 1 > listed ? ", ..." : "");
    } else if (count > 1) {
        snprintf(text, size, " (%d in all)", count);
    }
}

static void tell(robot *r, int first)
{
    const report_item *item = &r->items[first];
    static const char *const words[] = {
        [ITEM_LEFT_OUT] = "left out: ", [ITEM_APPROXIMATED] = "approximated: ", [ITEM_NOTE] = ""};
    const bool refuse = r->options.strict && item->class != ITEM_NOTE;
    ph_problem problem = {.severity = refuse                     ? PH_ERROR
                                      : item->class == ITEM_NOTE ? PH_NOTE
                                                                 : PH_WARNING,
                          .file = r->path};
    char others[256] = "";
    if (item->node) {
        xml_locate(item->node, item->attribute, r->memory, &problem);
    }
    if (!r->options.verbose && item->node) {
        name_others(r, first, others, sizeof others);
    }
    r->errors += refuse;
    problems_printf(r->problems, &problem, "%s%s%s", words[item->class], item->kind ? item->kind : "", others);
}

void robot_report(robot *r)
{
    for (int class = ITEM_LEFT_OUT; class <= ITEM_NOTE; class ++) {
        for (int i = 0; i < r->items_count; i++) {
            if (r->items[i].class == (item_class) class && !r->items[i].told) {
                r->items[i].told = true;
                tell(r, i);
            }
        }
    }
    if (r->left_out > 0 || r->approximated > 0) {
        problems_printf(r->problems, &(ph_problem){.severity = PH_NOTE, .file = r->path},
                        "%d left out, %d approximated: the motion differs there from what the file asks for",
                        r->left_out, r->approximated);
    }
}
