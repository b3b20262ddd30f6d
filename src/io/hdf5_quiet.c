// HDF5 for one caller at a time. See hdf5_quiet.h.

#include "io/hdf5_quiet.h"

#include "base/foreign.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

hdf5_printing hdf5_enter(void)
{
    hdf5_printing before;
    pthread_mutex_lock(&lock);
    foreign_enter();
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    foreign_wrote(&before, sizeof before);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void hdf5_leave(hdf5_printing before)
{
    H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
    foreign_leave();
    pthread_mutex_unlock(&lock);
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
