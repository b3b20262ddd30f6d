// Status texts, allocation, problems and suggestions.

#include "test.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/problems.h"
#include "base/suggest.h"

TEST(status_names_and_texts)
{
    CHECK_STR(ph_status_name(PH_OK), "PH_OK");
    CHECK_STR(ph_status_name(PH_INTERRUPTED), "PH_INTERRUPTED");
    CHECK_STR(ph_status_text(PH_SINGULAR), "the constraint equations are singular");
    CHECK_STR(ph_status_name(PH_STATUS_COUNT), "PH_UNKNOWN");
}
