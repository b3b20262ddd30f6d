// Numbers of a result, packed for the page.
#ifndef PH_IO_PAGE_PACK_H
#define PH_IO_PAGE_PACK_H

#include "io/page/text.h"

#include "polhode/base.h"

typedef struct page_stream page_stream;

// Everything packed goes through one deflate stream.
page_stream *page_stream_create(void); // NULL when out of memory
void page_stream_destroy(page_stream *stream);
// Ends the stream. False when out of memory; else the bytes live until the stream is destroyed.
bool page_stream_finish(page_stream *stream, const unsigned char **bytes, size_t *count);

void page_stream_add_bytes(page_stream *stream, const void *bytes, size_t count);

// Adds a table of `frames` rows and `channels` columns, table[frame * channels + channel], and describes it in `fields`,
// an open JSON array. With `bits` (8 to 31) numbers are rounded to that fraction of the range of the whole table; with 0, or
// where one of them is not finite, they become 32-bit floats.
bool page_stream_add(page_stream *stream, page_text *fields, const char *name, const double *table, long long frames,
                     size_t channels, int bits);

#endif
