// HDF5 without its printing. See hdf5_quiet.h.

#include "io/result/hdf5_quiet.h"

#include "base/foreign.h"

#include <stdio.h>

void hdf5_enter(void)
{
    foreign_enter();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void hdf5_leave(void)
{
    foreign_leave();
}

FOREIGN_CALLER static herr_t keep_first_message(unsigned depth, const H5E_error2_t *entry, void *text)
{
    if (depth == 0 && entry->desc) {
        foreign_wrote_text(entry->desc);
        snprintf(text, 256, "%s", entry->desc);
    }
    return 0;
}

void hdf5_reason(char text[256], const char *otherwise)
{
    snprintf(text, 256, "%s", otherwise);
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first_message, text);
}
