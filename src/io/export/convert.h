// Results as other files: convert.c chooses rows and format, one file for each format.
#ifndef PH_IO_EXPORT_CONVERT_H
#define PH_IO_EXPORT_CONVERT_H

#include "base/file.h"
#include "polhode/convert.h"

typedef struct conversion {
    ph_result *result;
    const char *path;
    long long *rows; // which
    long long count;
    ph_convert_report *report;
    output_file file;
} conversion;

ph_status convert_csv(conversion *c, ph_error *error);
ph_status convert_npz(conversion *c, ph_error *error);
ph_status convert_glb(conversion *c, ph_error *error);

#endif
