// An XML file as a tree of elements that know their place.
//
// Made by expat. Robot files need no document types and no entities of their own, so that a file with a DOCTYPE is refused:
// then neither can an entity grow without end nor another file be read by one.
#ifndef PH_IO_ROBOT_XML_H
#define PH_IO_ROBOT_XML_H

#include "base/memory.h"

enum {
    XML_BYTES_MAX = 64 << 20,
    XML_DEPTH_MAX = 256,
    XML_NODES_MAX = 2000000,
};

typedef struct xml_file {
    const char *path;
    const char *text; // ends with a zero
    size_t length;
} xml_file;

typedef struct xml_attribute {
    const char *name, *value;
} xml_attribute;

typedef struct xml_node xml_node;
struct xml_node {
    const char *name;
    const char *text; // what stands in it beside elements; "" when nothing does
    xml_attribute *attributes;
    int attribute_count;
    xml_node *parent, *first, *last, *next;
    const xml_file *file;
    size_t offset; // of its first byte in the file
};

// The root element, in `memory`. NULL after a mistake, which is in `problems`, or when memory runs out (*out_of_memory).
xml_node *xml_parse(const xml_file *file, arena *memory, ph_problems *problems, bool *out_of_memory);

const char *xml_get(const xml_node *node, const char *attribute); // NULL: not given
xml_node *xml_child(const xml_node *node, const char *name);      // the first of this name, or NULL
xml_node *xml_next(const xml_node *node, const char *name);       // the next of this name after it, or NULL
bool xml_is(const xml_node *node, const char *name);
void xml_append(xml_node *parent, xml_node *child);
xml_node *xml_clone(const xml_node *node, arena *memory); // with all below; NULL when out of memory

// Fills file, line, column and source of `problem`: those of an attribute, or with NULL of the element. The source line is
// copied to `memory`.
void xml_locate(const xml_node *node, const char *attribute, arena *memory, ph_problem *problem);
int xml_line(const xml_node *node);

#define XML_EACH(child, node) (xml_node *child = (node)->first; child; child = child->next)

#endif
