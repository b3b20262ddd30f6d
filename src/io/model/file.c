// Reading whole files, and telling text from other bytes.

#include "io/model/file.h"

#include "base/problems.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// ---- Files ----------------------------------------------------------------------------------------------------------

static ph_status refuse(ph_problems *problems, const char *path, ph_status status, const char *text)
{
    problems_add(problems, &(ph_problem){.severity = PH_ERROR, .file = path, .text = text});
    return status;
}

static ph_status refuse_errno(ph_problems *problems, const char *path, int error)
{
    char text[256];
    snprintf(text, sizeof text, "cannot read the file: %s", strerror(error));
    return refuse(problems, path, error == ENOENT ? PH_NOT_FOUND : PH_IO, text);
}

// To the end, whatever the size is said to be: a pipe has none.
static ph_status read_all(FILE *file, const char *path, ph_problems *problems, char **text, size_t *length)
{
    char *block = NULL;
    int capacity = 0, used = 0;
    for (;;) {
        if (!mem_reserve(NULL, &block, &capacity, used + (1 << 16), 1)) {
            mem_free(NULL, block);
            return refuse(problems, path, PH_OUT_OF_MEMORY, "out of memory");
        }
        const size_t count = fread(block + used, 1, (size_t)(capacity - used), file);
        used += (int)count;
        if (ferror(file)) {
            const int error = errno;
            mem_free(NULL, block);
            return refuse_errno(problems, path, error);
        }
        if (used > DOCUMENT_BYTES_MAX) {
            mem_free(NULL, block);
            return refuse(problems, path, PH_BAD_MODEL, "the model is larger than 64 MiB");
        }
        if (count == 0) {
            *text = block;
            *length = (size_t)used;
            return PH_OK;
        }
    }
}

ph_status file_load(const char *path, ph_problems *problems, char **text, size_t *length)
{
    system_facts about;
    if (!system_look(path, &about)) {
        return refuse_errno(problems, path, errno);
    }
    if (about.kind == SYSTEM_FOLDER) {
        return refuse(problems, path, PH_IO, "this is a folder, not a model file");
    }
    FILE *file = system_stream(path, "rb");
    if (!file) {
        return refuse_errno(problems, path, errno);
    }
    const ph_status status = read_all(file, path, problems, text, length);
    fclose(file);
    return status;
}

// ---- Text -----------------------------------------------------------------------------------------------------------

// Bytes of the UTF-8 character at `s`, 0 when it is none; its code in *code.
static int decode(const unsigned char *s, size_t left, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000}; // longer forms of a character are not allowed
    const int bytes = s[0] < 0x80             ? 1
                      : (s[0] & 0xe0) == 0xc0 ? 2
                      : (s[0] & 0xf0) == 0xe0 ? 3
                      : (s[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    if (bytes == 0 || (size_t)bytes > left) {
        return 0;
    }
    *code = bytes == 1 ? s[0] : s[0] & (0x7fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code >= smallest[bytes] && *code <= 0x10ffff && !surrogate ? bytes : 0;
}

// The characters that YAML allows, as libyaml sees them.
static bool printable(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7e) || c == 0x85 ||
           (c >= 0xa0 && c <= 0xfffd && c != 0xfeff) || c >= 0x10000;
}

// The line itself is not shown: it cannot be.
static bool refuse_byte(document *d, size_t offset, ph_problems *problems, const char *text, const char *hint)
{
    int line = 1, column = 1;
    while (line < d->line_count && d->lines[line] <= offset) {
        line++;
    }
    for (size_t i = d->lines[line - 1]; i < offset; i++) {
        column += ((unsigned char)d->text[i] & 0xc0) != 0x80;
    }
    problems_printf(problems,
                    &(ph_problem){.severity = PH_ERROR, .file = d->name, .line = line, .column = column, .hint = hint},
                    "%s (byte 0x%02x)", text, (unsigned char)d->text[offset]);
    return false;
}

bool text_check(document *d, ph_problems *problems)
{
    const unsigned char *s = (const unsigned char *)d->text;
    if (d->length >= 2 && ((s[0] == 0xff && s[1] == 0xfe) || (s[0] == 0xfe && s[1] == 0xff))) {
        return refuse_byte(d, 0, problems, "the file is UTF-16", "save it as UTF-8");
    }
    for (size_t i = 0; i < d->length;) {
        uint32_t code = 0;
        const int bytes = decode(s + i, d->length - i, &code);
        if (bytes == 0) {
            return refuse_byte(d, i, problems, "the file is not UTF-8 text", "save it as UTF-8");
        }
        if (!printable(code)) {
            return refuse_byte(d, i, problems, "a control character", "model files are plain text");
        }
        i += (size_t)bytes;
    }
    return true;
}
