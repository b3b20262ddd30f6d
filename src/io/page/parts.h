// Parts that pages of results, live pages and pages that simulate share.
#ifndef PH_IO_PAGE_PARTS_H
#define PH_IO_PAGE_PARTS_H

#include "io/page/text.h"

#include "polhode/base.h"

#define PAGE_MARK "<!--polhode:data-->" // where data go into the template

void page_put_head(page_text *t); // the description, up to what kind of page it is
// The beginning of one result in it.
void page_put_common(page_text *t, const char *file, const char *name, const char *scheme, double step);
// The template with the data at its mark; false when out of memory.
bool page_put_around(page_text *page, const page_text *data);
// The same, with the script of the template deflated: half as large, and nobody can read it.
bool page_put_around_packed(page_text *page, const page_text *data);
// An element <script type="text/plain" id="polhode-ID"> that holds the bytes deflated.
void page_put_packed(page_text *t, const char *id, const void *bytes, size_t count);
// Where the mark stands last; `length` where it does not.
size_t page_find_last(const char *text, size_t length, const char *mark);
ph_status page_write_file(const char *path, const page_text *page, ph_error *error);

#endif
