// The built viewer, viewer/dist/page.html, as it lies in the library.
#ifndef PH_IO_PAGE_TEMPLATE_H
#define PH_IO_PAGE_TEMPLATE_H

#include <stddef.h>

const char *page_template(size_t *length);

#endif
