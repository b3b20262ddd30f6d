// HDF5 without its printing. See quiet.h.

#include "helper/quiet.h"

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

hid_t hdf5_open(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
#endif
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}
