// Hands every file of the folders and files named on the command line to the reader under test, in order of their names.

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };

static int passed;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0, got = 1;
    while (file && got > 0) {
        uint8_t *larger = realloc(data, size + 65536);
        if (!larger) {
            break;
        }
        data = larger;
        size += got = fread(data + size, 1, 65536, file);
    }
    // A block of exactly the size, so that reading past its end is seen.
    uint8_t *exact = malloc(size ? size : 1);
    if (file && data && exact) {
        memcpy(exact, data, size);
        alarm(60); // an input that hangs ends the test
        LLVMFuzzerTestOneInput(exact, size);
        alarm(0);
        passed++;
    }
    free(exact);
    free(data);
    if (file) {
        fclose(file);
    }
}

static void replay(const char *path)
{
    struct stat info;
    struct dirent **entries;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        replay_file(path);
        return;
    }
    const int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char inside[PATH_ROOM];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            printf("%s\n", inside); // the last line names the culprit when the program dies
            fflush(stdout);
            replay_file(inside);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        replay(paths[i]);
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, passed == 0);
    return passed == 0;
}
