// The tree of an XML file. See xml.h; parse_expat.c makes it.

#include "io/robot/xml.h"

#include <string.h>

bool xml_is(const xml_node *node, const char *name)
{
    return strcmp(node->name, name) == 0;
}

const char *xml_get(const xml_node *node, const char *attribute)
{
    for (int i = 0; i < node->attribute_count; i++) {
        if (strcmp(node->attributes[i].name, attribute) == 0) {
            return node->attributes[i].value;
        }
    }
    return NULL;
}

static xml_node *find_from(xml_node *node, const char *name)
{
    while (node && !xml_is(node, name)) {
        node = node->next;
    }
    return node;
}

xml_node *xml_child(const xml_node *node, const char *name)
{
    return node ? find_from(node->first, name) : NULL;
}

xml_node *xml_next(const xml_node *node, const char *name)
{
    return find_from(node->next, name);
}

void xml_append(xml_node *parent, xml_node *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last) {
        parent->last->next = child;
    } else {
        parent->first = child;
    }
    parent->last = child;
}

xml_node *xml_clone(const xml_node *node, arena *memory)
{
    xml_node *copy = arena_alloc(memory, sizeof *copy);
    if (!copy) {
        return NULL;
    }
    *copy = *node; // strings and attributes are shared: nobody changes them
    copy->parent = copy->first = copy->last = copy->next = NULL;
    for
        XML_EACH(child, node)
        {
            xml_node *below = xml_clone(child, memory);
            if (!below) {
                return NULL;
            }
            xml_append(copy, below);
        }
    return copy;
}

// ---- Places ---------------------------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Where an attribute stands in its tag; the tag itself when it is not found, as of elements that were made from others.
static size_t find_attribute(const xml_node *node, const char *attribute)
{
    const char *text = node->file->text, *end = text + node->file->length, *at = text + node->offset;
    const size_t length = strlen(attribute);
    char quote = 0;
    for (const char *s = at; s < end && (quote || *s != '>'); s++) {
        if (quote) {
            quote = *s == quote ? 0 : quote;
        } else if (*s == '"' || *s == '\'') {
            quote = *s;
        } else if (is_space(s[-(s > text)]) && strncmp(s, attribute, length) == 0 &&
                   (is_space(s[length]) || s[length] == '=')) {
            return (size_t)(s - text);
        }
    }
    return node->offset;
}

int xml_line(const xml_node *node)
{
    int line = 1;
    for (size_t i = 0; i < node->offset; i++) {
        line += node->file->text[i] == '\n';
    }
    return line;
}

static char *copy_line(const char *text, size_t start, arena *memory)
{
    const size_t length = strcspn(text + start, "\r\n");
    char *line = arena_alloc(memory, length + 1);
    if (line) {
        memcpy(line, text + start, length);
    }
    return line;
}

void xml_locate(const xml_node *node, const char *attribute, arena *memory, ph_problem *problem)
{
    if (!node || !node->file) {
        return;
    }
    const char *text = node->file->text;
    const size_t offset = attribute ? find_attribute(node, attribute) : node->offset;
    size_t start = 0;
    problem->line = problem->column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            problem->line++;
            start = i + 1;
        }
    }
    for (size_t i = start; i < offset; i++) { // columns count characters
        problem->column += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    problem->file = node->file->path;
    problem->source = copy_line(text, start, memory);
}
