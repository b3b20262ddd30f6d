// A folder of its own for a test that writes files.
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 512 };

typedef struct folder {
    char path[PATH_SIZE];
} folder;

typedef struct file_path {
    char text[PATH_SIZE + 256];
} file_path;

static inline folder folder_make(void)
{
    folder f = {"/tmp/polhode-test-XXXXXX"};
    if (!mkdtemp(f.path)) {
        f.path[0] = '\0';
    }
    return f;
}

static inline file_path folder_file(const folder *f, const char *name)
{
    file_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", f->path, name);
    return path;
}

// How many entries it has, hidden ones included.
static inline int folder_count(const folder *f)
{
    int count = 0;
    DIR *dir = opendir(f->path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

// Removes it with the files in it.
static inline void folder_remove(const folder *f)
{
    DIR *dir = opendir(f->path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const file_path path = folder_file(f, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(path.text) != 0) {
            rmdir(path.text);
        }
    }
    if (dir) {
        closedir(dir);
    }
    rmdir(f->path);
}

static inline void write_text_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

// The whole file with a zero behind it, to be freed; NULL when it cannot be read.
static inline char *read_text_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t length = 0, room = 1 << 16;
    char *text = file ? malloc(room + 1) : NULL;
    for (size_t got; text && (got = fread(text + length, 1, room - length, file)) > 0;) {
        length += got;
        if (length == room) {
            char *larger = realloc(text, 2 * room + 1);
            if (!larger) {
                break;
            }
            text = larger;
            room *= 2;
        }
    }
    if (text) {
        text[length] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

// Whether two files hold the same bytes.
static inline bool files_equal(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    bool same = x && y;
    for (int of_x = 0; same && of_x != EOF;) {
        of_x = getc(x);
        same = of_x == getc(y);
    }
    if (x) fclose(x);
    if (y) fclose(y);
    return same;
}

#endif
