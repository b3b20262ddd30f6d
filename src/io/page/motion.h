// The motion of one result, chosen and packed for the page.
#ifndef PH_IO_PAGE_MOTION_H
#define PH_IO_PAGE_MOTION_H

#include "io/page/pack.h"

#include "polhode/result.h"

typedef struct page_motion {
    ph_result *result;
    long long rows;     // recorded
    long long stride;   // every how many of them one is packed; the last always
    long long frames;   // that are packed
    int bits;           // of positions and orientations
    page_text fields;   // JSON array: what is packed
    page_text stressed; // JSON array: bodies of the stress; empty: there is none
    page_text notes;    // JSON array of sentences
    page_text scene;    // base64 of the deflated JSON of the model
    bool has_shapes;    // in the scene
    page_stream *stream;
    const unsigned char *bytes;
    size_t count;
} page_motion;

// Packs with ever coarser numbers and fewer frames until no more than `most` bytes are left.
ph_status page_motion_pack(page_motion *m, double most, ph_error *error);
void page_motion_free(page_motion *m);

#endif
