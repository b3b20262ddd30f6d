// XML text to a tree, by expat. See xml.h.

#include "base/problems.h"
#include "io/robot/xml.h"

#include <expat.h>
#include <string.h>

typedef struct text_buffer {
    char *bytes;
    int count, room;
} text_buffer;

typedef struct builder {
    XML_Parser parser;
    const xml_file *file;
    arena *memory;
    ph_problems *problems;
    xml_node *root, *open;
    text_buffer texts[XML_DEPTH_MAX]; // what stands in the elements that are open
    int depth, nodes;
    size_t skipped; // blank bytes before the first element, which XML forbids before <?xml ?>
    bool failed, out_of_memory;
} builder;

static void stop(builder *b, const char *text, const char *hint)
{
    if (!b->failed && text) {
        xml_node here = {.file = b->file, .offset = b->skipped + (size_t)XML_GetCurrentByteIndex(b->parser)};
        ph_problem problem = {.severity = PH_ERROR, .text = text, .hint = hint};
        here.offset = here.offset > b->file->length ? b->file->length : here.offset;
        xml_locate(&here, NULL, b->memory, &problem);
        problems_add(b->problems, &problem);
    }
    b->out_of_memory = b->out_of_memory || !text;
    b->failed = true;
    XML_StopParser(b->parser, XML_FALSE);
}

static bool copy_attributes(builder *b, xml_node *node, const XML_Char **pairs)
{
    int count = 0;
    while (pairs[(size_t)2 * (size_t)count]) {
        count++;
    }
    node->attributes = arena_alloc_array(b->memory, (size_t)count, sizeof *node->attributes);
    if (!node->attributes) {
        return false;
    }
    node->attribute_count = count;
    for (int i = 0; i < count; i++) {
        xml_attribute *to = &node->attributes[i];
        to->name = arena_copy_string(b->memory, pairs[(size_t)2 * (size_t)i]);
        to->value = arena_copy_string(b->memory, pairs[(size_t)2 * (size_t)i + 1]);
        if (!to->name || !to->value) {
            return false;
        }
    }
    return true;
}

static void on_start(void *user, const XML_Char *name, const XML_Char **pairs)
{
    builder *b = user;
    if (b->failed) {
        return;
    }
    if (b->depth >= XML_DEPTH_MAX || b->nodes >= XML_NODES_MAX) {
        stop(b, b->depth >= XML_DEPTH_MAX ? "elements are nested too deeply" : "the file has too many elements", NULL);
        return;
    }
    xml_node *node = arena_alloc(b->memory, sizeof *node);
    char *copy = arena_copy_string(b->memory, name);
    if (!node || !copy || !copy_attributes(b, node, pairs)) {
        stop(b, NULL, NULL);
        return;
    }
    node->name = copy;
    node->text = "";
    node->file = b->file;
    node->offset = b->skipped + (size_t)XML_GetCurrentByteIndex(b->parser);
    if (b->open) {
        xml_append(b->open, node);
    } else {
        b->root = node;
    }
    b->open = node;
    b->texts[b->depth++].count = 0;
    b->nodes++;
}

static void on_text(void *user, const XML_Char *text, int length)
{
    builder *b = user;
    if (b->failed || b->depth == 0) {
        return;
    }
    text_buffer *t = &b->texts[b->depth - 1];
    if (!mem_reserve(NULL, &t->bytes, &t->room, t->count + length + 1, 1)) {
        stop(b, NULL, NULL);
        return;
    }
    memcpy(t->bytes + t->count, text, (size_t)length);
    t->count += length;
    t->bytes[t->count] = '\0';
}

static const char *trimmed(builder *b, text_buffer *t)
{
    char *start = t->bytes;
    start += strspn(start, " \t\r\n");
    size_t length = strlen(start);
    while (length > 0 && strchr(" \t\r\n", start[length - 1])) {
        start[--length] = '\0';
    }
    return length > 0 ? arena_copy_string(b->memory, start) : "";
}

static void on_end(void *user, const XML_Char *name)
{
    builder *b = user;
    (void)name;
    if (b->failed) {
        return;
    }
    text_buffer *t = &b->texts[--b->depth];
    if (t->count > 0) {
        b->open->text = trimmed(b, t);
        if (!b->open->text) {
            stop(b, NULL, NULL);
            return;
        }
    }
    b->open = b->open->parent;
}

static void on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public, int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    stop(user, "a document type is not read: it could define entities without end, or name other files",
         "leave out <!DOCTYPE ...>: robot files need none");
}

static void say_syntax_error(builder *b)
{
    const enum XML_Error code = XML_GetErrorCode(b->parser);
    if (code == XML_ERROR_NO_MEMORY) {
        b->out_of_memory = b->failed = true;
    } else {
        stop(b, XML_ErrorString(code), "the file is not XML here");
    }
}

// XML forbids -- in comments, robots have it there: as blanks in a copy that is as long.
static char *forgive_comments(const xml_file *file)
{
    char *text = mem_alloc(NULL, file->length + 1);
    if (!text) return NULL;
    memcpy(text, file->text, file->length);
    text[file->length] = '\0';
    for (char *open = strstr(text, "<!--"); open; open = strstr(open, "<!--")) {
        char *end = strstr(open + 4, "-->");
        for (char *s = open + 4; end && s < end; s++) *s = *s == '-' ? ' ' : *s;
        open = end ? end : open + 4;
    }
    return text;
}

xml_node *xml_parse(const xml_file *file, arena *memory, ph_problems *problems, bool *out_of_memory)
{
    builder *b = mem_alloc(NULL, sizeof *b);
    char *text = forgive_comments(file);
    *out_of_memory = !b || !text;
    if (*out_of_memory) {
        mem_free(NULL, b);
        mem_free(NULL, text);
        return NULL;
    }
    *b = (builder){.file = file, .memory = memory, .problems = problems, .parser = XML_ParserCreate(NULL)};
    if (b->parser && file->length <= XML_BYTES_MAX) {
        XML_SetUserData(b->parser, b);
        XML_SetElementHandler(b->parser, on_start, on_end);
        XML_SetCharacterDataHandler(b->parser, on_text);
        XML_SetStartDoctypeDeclHandler(b->parser, on_doctype);
        b->skipped = strspn(text, " \t\r\n");
        if (XML_Parse(b->parser, text + b->skipped, (int)(file->length - b->skipped), 1) != XML_STATUS_OK &&
            !b->failed) {
            say_syntax_error(b);
        }
    }
    *out_of_memory = !b->parser || b->out_of_memory;
    for (int i = 0; i < XML_DEPTH_MAX; i++) {
        mem_free(NULL, b->texts[i].bytes);
    }
    XML_ParserFree(b->parser);
    mem_free(NULL, text);
    xml_node *root = b->failed ? NULL : b->root;
    mem_free(NULL, b);
    return root;
}
