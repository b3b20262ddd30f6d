// Polhode: films of results, drawn by this library: no browser, no graphics card.
#ifndef POLHODE_FILM_H
#define POLHODE_FILM_H

#include "polhode/result.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_film_def {
    uint32_t cookie;
    int width, height; // pixels
    double rate;       // pictures a second
    double speed;      // seconds of the motion in one of the film
    double from, to;   // s of the motion; NAN: from its start, to its end
    // Called after each picture; return false to stop. May be NULL. `pixels`: width x height, red green blue.
    bool (*picture)(const uint8_t *pixels, long long index, long long count, void *user);
    void *user;
    uint64_t reserved[4]; // room for later versions
} ph_film_def;

PH_API ph_film_def ph_default_film(void); // 1280 x 720, 30 pictures a second, as fast as it was

// Draws every picture and hands it to def->picture. PH_INTERRUPTED: that said no.
PH_API ph_status ph_film_draw(ph_result *result, const ph_film_def *def, ph_error *error);

// The same into files: NAME.gif is one animated file; of NAME.png it makes NAME-00001.png and so on. def->picture is told of each.
// PH_NOT_SUPPORTED: another ending. `written` (may be NULL): how many pictures.
PH_API ph_status ph_film_write(ph_result *result, const char *path, const ph_film_def *def, long long *written,
                               ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
