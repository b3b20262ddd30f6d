// The motions that a comparison records, and the page that shows them together.
#ifndef CLI_COMPARE_PAGE_H
#define CLI_COMPARE_PAGE_H

#include "options.h"

#include "polhode/polhode.h"

typedef struct compare_page {
    const char *folder;
    int count;
    char *names[TEXT_LIST_MAX]; // "lie-alpha_rho_0.8.h5"
    char *paths[TEXT_LIST_MAX]; // the same in the folder
} compare_page;

// Names a result file for each trial. False when out of memory; nothing is named where this build writes no pages.
bool compare_page_begin(compare_page *page, const char *folder, const text_list *trials);
// Writes page.html of the results that have come to be, and notes all names. Mistakes are reported.
bool compare_page_write(const compare_page *page, const ph_comparison *comparison, text_list *written);
void compare_page_free(compare_page *page);

#endif
