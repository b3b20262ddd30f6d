// Figures as PDF, one page as large as the figure.
#ifndef PH_IO_PLOT_PDF_H
#define PH_IO_PLOT_PDF_H

#include <stddef.h>
#include <stdint.h>

// For mem_free(NULL, ...); NULL: out of memory.
uint8_t *pdf_encode(const char *svg, size_t *bytes);

#endif
