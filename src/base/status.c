// Status codes, their names and texts, and the version.

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *ph_status_name(ph_status status)
{
    static const char *const names[] = {
#define STATUS_NAME(name, text) "PH_" #name,
        PH_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    };
    return (unsigned)status < PH_STATUS_COUNT ? names[status] : "PH_UNKNOWN";
}

const char *ph_status_text(ph_status status)
{
    static const char *const texts[] = {
#define STATUS_TEXT(name, text) text,
        PH_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    };
    return (unsigned)status < PH_STATUS_COUNT ? texts[status] : "unknown status";
}

const char *ph_version(void)
{
    return POLHODE_VERSION;
}

int ph_version_number(void)
{
    return PH_VERSION_NUMBER;
}

ph_status(error_set)(ph_error *error, ph_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}
