// The web page: what is packed comes back, and what is written may stand inside a page.

#include "test.h"

#ifdef PH_WITH_ZLIB

#include "base/foreign.h"
#include "folder.h"
#include "io/page/pack.h"
#include "polhode/polhode.h"

#include <zlib.h>

enum { FRAMES = 500, CHANNELS = 3 };

// ---- A reader of its own --------------------------------------------------------------------------------------------

typedef struct unpacked {
    unsigned char *bytes;
    uLongf count;
} unpacked;

static unpacked inflate_all(const unsigned char *bytes, size_t count)
{
    unpacked u = {.count = 64 * FRAMES * CHANNELS};
    u.bytes = malloc(u.count);
    CHECK_EQ_INT(uncompress(u.bytes, &u.count, bytes, count), Z_OK);
    foreign_wrote(&u.count, sizeof u.count);
    foreign_wrote(u.bytes, u.count);
    return u;
}

static double member(const char *json, const char *key)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *at = strstr(json, wanted);
    return CHECK(at) ? strtod(at + strlen(wanted), NULL) : 0.0;
}

static uint32_t word_at(const unpacked *u, size_t index, size_t numbers, int width)
{
    uint32_t word = 0;
    for (int plane = 0; plane < width; plane++) {
        word = word << 8 | u->bytes[(size_t)plane * numbers + index];
    }
    return word;
}

// From second differences back to numbers, one column.
static void decode(const unpacked *u, const char *json, size_t channel, double *out)
{
    const int width = (int)member(json, "width");
    uint32_t value = 0, slope = 0;
    for (size_t f = 0; f < FRAMES; f++) {
        const uint32_t folded = word_at(u, channel * FRAMES + f, (size_t)FRAMES * CHANNELS, width);
        slope += folded >> 1 ^ (folded & 1 ? UINT32_MAX : 0);
        value += slope;
        out[f] = member(json, "offset") + member(json, "scale") * (int32_t)value;
    }
}

static void check_packed(const double *table, int bits, double range)
{
    page_stream *stream = page_stream_create();
    page_text fields = {0};
    const unsigned char *bytes;
    size_t count;
    CHECK(page_stream_add(stream, &fields, "position", table, FRAMES, CHANNELS, bits));
    put_raw(&fields, "", 1);
    CHECK(page_stream_finish(stream, &bytes, &count));
    unpacked u = inflate_all(bytes, count);
    double column[FRAMES];
    for (size_t c = 0; c < CHANNELS; c++) {
        decode(&u, fields.data, c, column);
        for (size_t f = 0; f < FRAMES; f++) {
            CHECK_NEAR(column[f], table[f * CHANNELS + c], 0.51 * range / ldexp(1.0, bits));
        }
    }
    free(u.bytes);
    page_text_free(&fields);
    page_stream_destroy(stream);
}

TEST(rounded_numbers_come_back)
{
    double table[FRAMES * CHANNELS];
    for (int i = 0; i < FRAMES * CHANNELS; i++) {
        table[i] = test_uniform(-3.0, 5.0);
    }
    table[7] = -3.0;
    table[8] = 5.0;
    for (int bits = 8; bits <= 31; bits++) {
        check_packed(table, bits, 8.0);
    }
}

TEST(constant_and_extreme_tables)
{
    double table[FRAMES * CHANNELS];
    for (int i = 0; i < FRAMES * CHANNELS; i++) {
        table[i] = 2.5;
    }
    check_packed(table, 16, 0.0);
    for (int i = 0; i < FRAMES * CHANNELS; i++) {
        table[i] = i % 2 ? 1e300 : -1e300;
    }
    check_packed(table, 31, 2e300);
}

// What is not finite cannot be rounded to a range: the table becomes floats, bit for bit.
TEST(what_is_not_finite_is_kept)
{
    double table[FRAMES * CHANNELS];
    for (int i = 0; i < FRAMES * CHANNELS; i++) {
        table[i] = i;
    }
    table[4] = (double)NAN;
    table[5] = (double)INFINITY;
    page_stream *stream = page_stream_create();
    page_text fields = {0};
    const unsigned char *bytes;
    size_t count;
    CHECK(page_stream_add(stream, &fields, "force", table, FRAMES, CHANNELS, 20));
    CHECK(page_stream_finish(stream, &bytes, &count));
    unpacked u = inflate_all(bytes, count);
    for (size_t i = 0; i < FRAMES * CHANNELS; i++) {
        const size_t place = i % CHANNELS * FRAMES + i / CHANNELS;
        const uint32_t word = word_at(&u, place, FRAMES * CHANNELS, 4);
        float f;
        memcpy(&f, &word, sizeof f);
        CHECK(isnan(table[i]) ? isnan(f) : (double)f == table[i]);
    }
    free(u.bytes);
    page_text_free(&fields);
    page_stream_destroy(stream);
}

// ---- Text -----------------------------------------------------------------------------------------------------------

static void check_string(const char *text, const char *expected)
{
    page_text t = {0};
    put_json_string(&t, text);
    put_raw(&t, "", 1);
    CHECK_STR(t.data, expected);
    page_text_free(&t);
}

TEST(strings_cannot_leave_their_script)
{
    check_string("rod \"1\"\n", "\"rod \\u00221\\u0022\\u000a\"");
    check_string("</script><!--", "\"\\u003c/script\\u003e\\u003c!--\"");
    check_string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
    check_string("\xff|\xc3|\xc0\xaf|\xed\xa0\x80", "\"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd|"
                                                    "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(base64_of_every_remainder)
{
    static const char *const expected[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"}; // RFC 4648
    for (size_t n = 0; n <= 6; n++) {
        page_text t = {0};
        put_base64(&t, (const unsigned char *)"foobar", n);
        put_raw(&t, "", 1);
        CHECK_STR(t.data, expected[n]);
        page_text_free(&t);
    }
}

// ---- Pages ----------------------------------------------------------------------------------------------------------

TEST(a_page_needs_a_result)
{
    ph_error error;
    ph_page_def def = ph_default_page();
    CHECK_EQ_INT(ph_page_write("/tmp/polhode-none.html", &def, NULL, &error), PH_BAD_ARGUMENT);
    def = (ph_page_def){0};
    CHECK_EQ_INT(ph_page_write("/tmp/polhode-none.html", &def, NULL, &error), PH_BAD_ARGUMENT);
    const char *missing = "/nowhere/at/all.h5";
    def = ph_default_page();
    def.results = &missing;
    def.result_count = 1;
    CHECK_EQ_INT(ph_page_write("/tmp/polhode-none.html", &def, NULL, &error), PH_NOT_FOUND);
    CHECK(strstr(error.text, missing));
    CHECK(access("/tmp/polhode-none.html", F_OK) != 0);
}

#ifdef PH_WITH_HDF5

#include "recording.h"
#include "scenes.h"

#include "hdf5_foreign.h"

enum { ROWS = 4 };

static void add_numbers(hid_t file, const char *path, const double *values, hsize_t rows, hsize_t columns)
{
    const hsize_t size[2] = {rows, columns};
    const hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    const hid_t set = H5Dcreate2(file, path, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

// A result of four rows with 0, 2, 1 and 3 contacts.
static void write_with_contacts(const char *path, const double offset[ROWS + 1])
{
    recording r;
    CHECK_EQ_INT(recording_start(&r, scene_pendulum(), path, ROWS), PH_OK);
    for (int k = 0; k < ROWS; k++) {
        CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    }
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    double numbers[18];
    for (int i = 0; i < 18; i++) {
        numbers[i] = 0.25 * i;
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "/contacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add_numbers(file, "/contacts/offset", offset, ROWS + 1, 1);
    add_numbers(file, "/contacts/point", numbers, 6, 3);
    add_numbers(file, "/contacts/force", numbers, 6, 3);
    H5Gclose(group);
    H5Fclose(file);
}

static ph_status page_of(const char *result, const char *page, ph_error *error)
{
    ph_page_def def = ph_default_page();
    def.results = &result;
    def.result_count = 1;
    return ph_page_write(page, &def, NULL, error);
}

TEST(contacts_reach_the_page)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "result.h5"), page = folder_file(&f, "page.html");
    ph_error error;
    write_with_contacts(result.text, (const double[]){0, 0, 2, 3, 6});
    if (!CHECK_EQ_INT(page_of(result.text, page.text, &error), PH_OK)) printf("    %s\n", error.text);
    char *text = read_text_file(page.text);
    CHECK(text && strstr(text, "\"name\":\"contacts.count\",\"frames\":4,\"channels\":1"));
    CHECK(text && strstr(text, "\"name\":\"contacts.point\",\"frames\":6,\"channels\":3"));
    free(text);
    folder_remove(&f);
}

TEST(contacts_that_lead_nowhere)
{
    const folder f = folder_make();
    const file_path page = folder_file(&f, "page.html");
    const double wrong[][ROWS + 1] = {
        {0, 5, 2, 3, 6}, {0, -1, 2, 3, 6}, {0, 0, 1e300, 3, 6}, {0, 0, (double)NAN, 3, 6}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char name[16];
        ph_error error;
        snprintf(name, sizeof name, "bad%zu.h5", i);
        const file_path result = folder_file(&f, name);
        write_with_contacts(result.text, wrong[i]);
        CHECK_EQ_INT(page_of(result.text, page.text, &error), PH_BAD_ARGUMENT);
        CHECK(access(page.text, F_OK) != 0);
    }
    folder_remove(&f);
}

#endif
#endif
