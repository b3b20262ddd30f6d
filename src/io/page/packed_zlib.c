// The template with its script deflated, for pages that hold more than a motion.

#include "io/page/pack.h"
#include "io/page/parts.h"
#include "io/page/template.h"

#include <string.h>

static const char SCRIPT[] = "<script type=\"module\">", SCRIPT_END[] = "</script>";

// Run when all of the page is there, as the script itself would be.
static const char UNPACKER[] =
    "<script type=\"module\">\n"
    "if (typeof DecompressionStream === \"undefined\") document.body.textContent = \"This browser is too old: "
    "it cannot unpack the page (DecompressionStream is missing).\";\n"
    "const packed = Uint8Array.from(atob(document.getElementById(\"polhode-viewer\").textContent), (c) => c.charCodeAt(0));\n"
    "const script = document.createElement(\"script\");\n"
    "script.type = \"module\";\n"
    "script.textContent = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream(\"deflate\"))).text();\n"
    "document.body.append(script);\n"
    "</script>\n";

void page_put_packed(page_text *t, const char *id, const void *bytes, size_t count)
{
    page_stream *stream = page_stream_create();
    const unsigned char *packed = NULL;
    size_t length = 0;
    put_text(t, "<script type=\"text/plain\" id=\"polhode-");
    put_text(t, id);
    put_text(t, "\">");
    if (stream) page_stream_add_bytes(stream, bytes, count);
    if (stream && page_stream_finish(stream, &packed, &length)) {
        put_base64(t, packed, length);
    } else {
        t->failed = true;
    }
    put_text(t, "</script>");
    page_stream_destroy(stream);
}

bool page_put_around_packed(page_text *page, const page_text *data)
{
    size_t length;
    const char *text = page_template(&length);
    const size_t mark = page_find_last(text, length, PAGE_MARK), end = page_find_last(text, mark, SCRIPT_END);
    size_t begin = 0;
    while (begin < end && memcmp(text + begin, SCRIPT, sizeof SCRIPT - 1) != 0) begin++;
    const size_t from = begin + sizeof SCRIPT - 1, after = end + sizeof SCRIPT_END - 1;
    if (begin == end) return page_put_around(page, data);
    put_raw(page, text, begin);
    put_text(page, UNPACKER);
    page_put_packed(page, "viewer", text + from, end - from);
    put_raw(page, text + after, mark - after);
    put_raw(page, data->data, data->length);
    put_raw(page, text + mark, length - mark);
    return !page->failed && !data->failed;
}
