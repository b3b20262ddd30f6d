// What is behind the name of a model. See model_input.h.

#include "model_input.h"

#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

// All of a stream; NULL when out of memory or when reading fails.
static char *read_all(FILE *file, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room);
    while (text) {
        used += fread(text + used, 1, room - used, file);
        if (used < room) break;
        char *more = realloc(text, room *= 2);
        if (!more) free(text);
        text = more;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    *size = used;
    return text;
}

ph_status read_standard_input(const ph_setting *settings, int count, ph_problems *problems, ph_spec **spec)
{
    size_t size;
    char *text = read_all(stdin, &size);
    const ph_status status =
        text ? ph_spec_read_text(text, size, "<standard input>", settings, count, problems, spec) : PH_IO;
    free(text);
    return status;
}

bool is_hdf5_file(const char *path)
{
    char head[8];
    FILE *file = system_stream(path, "rb");
    const bool is = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, "\x89HDF\r\n\x1a\n", 8);
    if (file) fclose(file);
    return is;
}

bool is_model_name(const char *path)
{
    static const char *const endings[] = {".yaml", ".yml", ".json", ".xml", ".mjcf", ".urdf", ".sdf"};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (strcmp(dot, endings[k]) == 0) return true;
    return false;
}
