// Packing and unpacking. See parcel.h.

#include "io/result/parcel.h"

#include <limits.h>
#include <string.h>

// ---- Packing --------------------------------------------------------------------------------------------------------

void parcel_put(parcel *p, const void *data, size_t bytes)
{
    p->failed =
        p->failed || bytes > INT_MAX - p->length || !mem_reserve(NULL, &p->data, &p->room, (int)(p->length + bytes), 1);
    if (p->failed || bytes == 0) return;
    memcpy(p->data + p->length, data, bytes);
    p->length += bytes;
}

void parcel_put_int(parcel *p, int value)
{
    parcel_put(p, &value, sizeof value);
}

void parcel_put_number(parcel *p, long long value)
{
    parcel_put(p, &value, sizeof value);
}

void parcel_put_text(parcel *p, const char *text)
{
    const size_t length = strlen(text);
    parcel_put_number(p, (long long)length);
    parcel_put(p, text, length);
}

void parcel_put_texts(parcel *p, const char *const *texts, int count)
{
    parcel_put_int(p, count);
    for (int i = 0; i < count; i++) parcel_put_text(p, texts[i]);
}

void parcel_empty(parcel *p)
{
    mem_free(NULL, p->data);
    *p = (parcel){0};
}

// ---- Unpacking ------------------------------------------------------------------------------------------------------

void take(opener *o, void *to, size_t bytes)
{
    o->failed = o->failed || bytes > (size_t)(o->end - o->at);
    if (o->failed) {
        memset(to, 0, bytes);
        return;
    }
    memcpy(to, o->at, bytes);
    o->at += bytes;
}

int take_int(opener *o)
{
    int value;
    take(o, &value, sizeof value);
    return value;
}

long long take_number(opener *o)
{
    long long value;
    take(o, &value, sizeof value);
    return value;
}

void *take_block(opener *o, size_t bytes)
{
    o->failed = o->failed || bytes > (size_t)(o->end - o->at);
    char *block = o->failed ? NULL : arena_alloc(o->memory, bytes + 1);
    o->failed = !block;
    if (block) take(o, block, bytes);
    return block;
}

char *take_text(opener *o)
{
    static char none[1];
    char *text = take_block(o, (size_t)take_number(o));
    return text ? text : none;
}

const char **take_texts(opener *o, int *count)
{
    *count = take_int(o);
    const bool possible = *count >= 0 && (size_t)*count <= (size_t)(o->end - o->at) / sizeof(long long);
    const char **texts = possible ? arena_alloc_array(o->memory, (size_t)*count, sizeof *texts) : NULL;
    o->failed = o->failed || !texts;
    *count = texts ? *count : 0;
    for (int i = 0; i < *count; i++) texts[i] = take_text(o);
    return texts;
}
