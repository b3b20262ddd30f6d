// Polhode: the web page. One HTML file that holds the viewer and the motions of one or several results and needs nothing
// else: no network, no server, no other file.
#ifndef POLHODE_PAGE_H
#define POLHODE_PAGE_H

#include "polhode/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_page_def {
    uint32_t cookie;
    const char *const *results; // paths of result files
    int result_count;
    double most_bytes;    // that the page may take: numbers are rounded and frames left out until it fits
    const char *folder;   // files of shapes may be read from here too (ph_result_allow_folder), or NULL
    uint64_t reserved[4]; // room for later versions
} ph_page_def;

PH_API ph_page_def ph_default_page(void); // 15 MB
PH_API bool ph_page_supported(void);      // this build writes pages and the results they are made of

// What became of the results.
typedef struct ph_page_report {
    long long bytes;  // of the page
    long long stride; // the largest of all results: every how many recorded frames one is shown
    int bare;         // results whose model cannot be made again, as files of its shapes are missing or may not be read
    uint64_t reserved[4]; // room for later versions
} ph_page_report;

// Writes the page of the results to `path`; the file appears when it is whole. PH_NOT_FOUND, PH_BAD_ARGUMENT (not a result,
// damaged, without frames) and PH_NOT_SUPPORTED (another version) are mistakes of the caller. `report` may be NULL.
PH_API ph_status ph_page_write(const char *path, const ph_page_def *def, ph_page_report *report, ph_error *error);

// The page that shows a simulation while it runs, connecting to ws://<its own host>/<token>/socket. `*text` is freed by
// ph_page_free.
PH_API ph_status ph_page_live(const ph_model *model, const char *scheme, double step, const char *token, char **text,
                              size_t *length, ph_error *error);
PH_API void ph_page_free(char *text);

// ---- A page that simulates --------------------------------------------------------------------------------------------

typedef struct ph_page_simulator {
    uint32_t cookie;
    const char *core;     // the file polhode.wasm
    const char *scheme;   // NULL: as the model says
    double step;          // 0: as the model says
    uint64_t reserved[4]; // room for later versions
} ph_page_simulator;

PH_API ph_page_simulator ph_default_simulator(void);

// Writes a page that holds the model, the files its shapes are read from and the core itself, and simulates in the browser, with
// the bits of this library. The model must have a text (ph_spec_describe). `report` may be NULL.
PH_API ph_status ph_page_simulate(const char *path, const ph_model *model, const ph_page_simulator *def,
                                  ph_page_report *report, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
