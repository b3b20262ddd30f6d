// polhode video: a result as a film, drawn without a browser. Encoders of others are used where they are installed: ffmpeg gets the
// pictures through a pipe.

#include "commands.h"
#include "feeder.h"
#include "interrupt.h"
#include "load.h"
#include "options.h"
#include "progress.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct video_options {
    ph_film_def def;
    const char *out, *folder, *size;
    bool quiet;
} video_options;

typedef struct filming {
    const video_options *options;
    feeder *encoder; // NULL: the library writes the files
    progress progress;
    long long done;
} filming;

// ---- ffmpeg ---------------------------------------------------------------------------------------------------------

static bool start_encoder(const video_options *options, feeder *e)
{
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", options->def.width, options->def.height);
    snprintf(rate, sizeof rate, "%.6g", options->def.rate);
    const bool webm = strcasecmp(strrchr(options->out, '.'), ".webm") == 0;
    const char *arguments[] = {"ffmpeg",
                               "-loglevel",
                               "error",
                               "-y",
                               "-f",
                               "rawvideo",
                               "-pix_fmt",
                               "rgb24",
                               "-s",
                               size,
                               "-r",
                               rate,
                               "-i",
                               "-",
                               "-pix_fmt",
                               "yuv420p",
                               "-c:v",
                               webm ? "libvpx-vp9" : "libx264",
                               "-crf",
                               webm ? "30" : "20",
                               webm ? "-b:v" : "-movflags",
                               webm ? "0" : "+faststart",
                               options->out,
                               NULL};
    return feeder_start(e, arguments);
}

// ---- Progress -------------------------------------------------------------------------------------------------------

static bool on_picture(const uint8_t *pixels, long long index, long long count, void *user)
{
    filming *f = user;
    const ph_film_def *def = &f->options->def;
    f->done = index + 1;
    if (f->encoder && !feeder_write(f->encoder, pixels, 3 * (size_t)def->width * (size_t)def->height)) return false;
    progress_tell(&f->progress, (double)f->done / (double)count, "%lld of %lld pictures", f->done, count);
    return !was_interrupted();
}

// ---- The command ----------------------------------------------------------------------------------------------------

static bool is_encoded(const char *path)
{
    static const char *const endings[] = {".mp4", ".webm", ".mkv", ".mov"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++) {
        if (strcasecmp(dot, endings[i]) == 0) return true;
    }
    return false;
}

static ph_status encode(video_options *options, ph_result *result, filming *f, ph_error *error)
{
    feeder e = {.input = -1};
    if (!start_encoder(options, &e)) {
        snprintf(error->text, sizeof error->text,
                 "'%.300s' needs ffmpeg, which is not installed (Debian: ffmpeg); .gif and .png need nothing",
                 options->out);
        return PH_NOT_SUPPORTED;
    }
    f->encoder = &e;
    const ph_status status = ph_film_draw(result, &options->def, error);
    if (feeder_end(&e) && status == PH_OK) return PH_OK;
    if (status == PH_OK || !was_interrupted())
        snprintf(error->text, sizeof error->text, "ffmpeg could not write '%.300s'", options->out);
    return was_interrupted() ? PH_INTERRUPTED : PH_IO;
}

static bool read_size(video_options *options)
{
    char rest;
    if (!options->size) return true;
    if (sscanf(options->size, "%dx%d%c", &options->def.width, &options->def.height, &rest) == 2 &&
        options->def.width % 2 == 0 && options->def.height % 2 == 0)
        return true;
    print_error("--size: '%s' is not WIDTHxHEIGHT with even numbers, like 1280x720", options->size);
    return false;
}

static int make_film(video_options *options, const char *path)
{
    ph_error error = {.text = ""};
    filming f = {.options = options, .progress = progress_begin(!options->quiet)};
    if (!read_size(options)) return EXIT_USAGE;
    ph_result *result = load_result(path);
    if (!result) return EXIT_USAGE;
    catch_interrupts();
    options->def.picture = on_picture;
    options->def.user = &f;
    ph_status status = ph_result_allow_folder(result, options->folder, &error);
    if (status == PH_OK) {
        status = is_encoded(options->out) ? encode(options, result, &f, &error)
                                          : ph_film_write(result, options->out, &options->def, NULL, &error);
    }
    ph_result_destroy(result);
    progress_wipe(&f.progress);
    if (status != PH_OK) {
        print_error("%s", error.text);
        return exit_status_of(status);
    }
    if (!options->quiet) printf("%s: %lld pictures in %.1f s\n", options->out, f.done, progress_seconds(&f.progress));
    return EXIT_DONE;
}

int command_video(int count, char **arguments)
{
    video_options options = {.def = ph_default_film()};
    const option table[] = {
        {"out", 'o', OPTION_TEXT, &options.out, "FILE",
         "the film: .gif, .png (one file a picture), .mp4, .webm; default: film.gif"},
        {"size", 0, OPTION_TEXT, &options.size, "WxH", "pixels; default: 1280x720"},
        {"rate", 0, OPTION_POSITIVE, &options.def.rate, "N", "pictures a second; default: 30"},
        {"speed", 0, OPTION_POSITIVE, &options.def.speed, "X", "seconds of the motion in one of the film; default: 1"},
        {"from", 0, OPTION_NUMBER, &options.def.from, "SECONDS", "leave out what was before"},
        {"to", 0, OPTION_NUMBER, &options.def.to, "SECONDS", "leave out what came after"},
        {"folder", 0, OPTION_TEXT, &options.folder, "DIRECTORY", "read files of shapes from there too"},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "print nothing but errors"},
    };
    command_line line = {
        .usage = "video RESULT [-o FILM] [OPTIONS]",
        .about =
            "Draws a film of a result, without a browser and without a graphics card. GIF and PNG are written by the program\n"
            "itself, .mp4, .webm, .mkv and .mov by ffmpeg where it is installed.",
        .examples = "  polhode video pendulum.h5 -o pendulum.mp4\n"
                    "  polhode video pendulum.h5 -o pendulum.gif --size 640x360 --rate 20\n"
                    "  polhode video crash.h5 -o frames/crash.png --speed 0.1\n",
        .options = table,
        .option_count = sizeof table / sizeof table[0],
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) {
        return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    if (!options.out) options.out = "film.gif";
    return make_film(&options, line.operands.texts[0]);
}
