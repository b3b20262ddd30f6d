// Growing text for the page: JSON, base64.
#ifndef PH_IO_PAGE_TEXT_H
#define PH_IO_PAGE_TEXT_H

#include "polhode/math.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct page_text {
    char *data;
    size_t length, room;
    bool failed; // out of memory: what follows is ignored
} page_text;

void page_text_free(page_text *t);
bool page_text_reserve(page_text *t, size_t more);

void put_raw(page_text *t, const void *bytes, size_t count);
void put_text(page_text *t, const char *text);

// As a JSON string that may stand inside a script element: quotes, control characters and '<' are escaped, and bytes that
// are no UTF-8 become U+FFFD.
void put_json_string(page_text *t, const char *text);
// null where x is not finite. `digits` significant ones; a decimal point in every locale.
void put_number(page_text *t, double x, int digits);
void put_numbers(page_text *t, const double *x, size_t count, int digits); // [1,2,3]
void put_base64(page_text *t, const unsigned char *bytes, size_t count);

// Members of a JSON object: ,"key":value with the comma left out after '{'.
void put_key(page_text *t, const char *key);
void put_string_member(page_text *t, const char *key, const char *value);
void put_number_member(page_text *t, const char *key, double value);
void put_vec3_member(page_text *t, const char *key, ph_vec3 v);

#endif
