// Files, folders and processes under Windows. See system.h.
//
// Paths go to the system as UTF-16. Files are opened so that others may rename and remove them meanwhile, as under POSIX:
// results appear whole by renaming an open file.
#ifdef _WIN32

#define _CRT_RAND_S // NOLINT: rand_s
#include "base/system.h"
#include "base/wide.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

// ---- Errors ---------------------------------------------------------------------------------------------------------

static int errno_of(DWORD code)
{
    switch (code) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_PATHNAME:
        return ENOENT;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
        return ENOMEM;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return EPIPE;
    default:
        return EIO;
    }
}

static bool failed(void)
{
    errno = errno_of(GetLastError());
    return false;
}

static HANDLE handle_of(int descriptor)
{
    return (HANDLE)_get_osfhandle(descriptor);
}

// ---- Looking --------------------------------------------------------------------------------------------------------

static bool tell_of(HANDLE handle, system_facts *facts)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(handle) != FILE_TYPE_DISK) {
        *facts = (system_facts){.kind = SYSTEM_OTHER};
        return true;
    }
    if (!GetFileInformationByHandle(handle, &info)) return failed();
    *facts = (system_facts){.kind = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? SYSTEM_FOLDER : SYSTEM_FILE,
                            .bytes = (long long)info.nFileSizeHigh << 32 | info.nFileSizeLow,
                            .names = info.nNumberOfLinks,
                            .device = info.dwVolumeSerialNumber,
                            .number = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow};
    return true;
}

static const DWORD SHARED = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

// A handle for looking, also at folders; links are followed.
static HANDLE look_handle(const char *path)
{
    wchar_t *wide = wide_of(path);
    const HANDLE handle = wide ? CreateFileW(wide, 0, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                               : INVALID_HANDLE_VALUE;
    if (wide && handle == INVALID_HANDLE_VALUE) failed();
    free(wide);
    return handle;
}

bool system_look(const char *path, system_facts *facts)
{
    const HANDLE handle = look_handle(path);
    const bool good = handle != INVALID_HANDLE_VALUE && tell_of(handle, facts);
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    return good;
}

bool system_look_at(int descriptor, system_facts *facts)
{
    return tell_of(handle_of(descriptor), facts);
}

// What may be run is said by no bit of the file; folders have no bit for writing.
bool system_may(const char *path, int rights)
{
    wchar_t *wide = wide_of(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    if (wide && attributes == INVALID_FILE_ATTRIBUTES) failed();
    free(wide);
    if (attributes == INVALID_FILE_ATTRIBUTES) return false;
    const bool closed = attributes & FILE_ATTRIBUTE_READONLY && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
    if (!(rights & SYSTEM_WRITE && closed)) return true;
    errno = EACCES;
    return false;
}

// Without the prefix \\?\ that the system puts before it.
static char *plain_path(wchar_t *wide)
{
    const wchar_t *from = wcsncmp(wide, L"\\\\?\\UNC\\", 8) == 0 ? wide + 6
                          : wcsncmp(wide, L"\\\\?\\", 4) == 0    ? wide + 4
                                                                 : wide;
    char *path = narrow_of(from);
    if (path && from == wide + 6) path[0] = '/'; // \\?\UNC\server becomes //server
    for (char *s = path; s && *s; s++) *s = *s == '\\' ? '/' : *s;
    return path;
}

char *system_real_path(const char *path)
{
    enum { ROOM = 1 << 15 };
    const HANDLE handle = look_handle(path);
    wchar_t *wide = handle != INVALID_HANDLE_VALUE ? malloc(ROOM * sizeof *wide) : NULL;
    const DWORD length = wide ? GetFinalPathNameByHandleW(handle, wide, ROOM, FILE_NAME_NORMALIZED) : 0;
    char *real = length > 0 && length < ROOM ? plain_path(wide) : NULL;
    free(wide);
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    return real;
}

char *system_follow(const char *path)
{
    wchar_t *wide = wide_of(path);
    const DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    const bool link = attributes != INVALID_FILE_ATTRIBUTES && attributes & FILE_ATTRIBUTE_REPARSE_POINT;
    free(wide);
    char *target = link ? system_real_path(path) : NULL;
    return target ? target : _strdup(path);
}

bool system_list(const char *folder, system_entry *each, void *user)
{
    char *pattern = malloc(strlen(folder) + 3);
    wchar_t *wide = pattern ? wide_of(strcat(strcpy(pattern, folder), "/*")) : NULL;
    WIN32_FIND_DATAW found;
    const HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    for (bool more = search != INVALID_HANDLE_VALUE; more; more = more && FindNextFileW(search, &found)) {
        char *name = narrow_of(found.cFileName);
        more = name && each(user, name);
        free(name);
    }
    if (search != INVALID_HANDLE_VALUE) FindClose(search);
    free(wide);
    free(pattern);
    return search != INVALID_HANDLE_VALUE;
}

// ---- Files by descriptor --------------------------------------------------------------------------------------------

int system_open(const char *path, int how)
{
    wchar_t *wide = wide_of(path);
    const DWORD rights = (how & SYSTEM_READ ? GENERIC_READ : 0) | (how & SYSTEM_WRITE ? GENERIC_WRITE : 0);
    const DWORD make = how & SYSTEM_NEW                          ? CREATE_NEW
                       : how & SYSTEM_MAKE && how & SYSTEM_EMPTY ? CREATE_ALWAYS
                       : how & SYSTEM_MAKE                       ? OPEN_ALWAYS
                       : how & SYSTEM_EMPTY                      ? TRUNCATE_EXISTING
                                                                 : OPEN_EXISTING;
    const HANDLE handle =
        wide ? CreateFileW(wide, rights, SHARED, NULL, make, FILE_ATTRIBUTE_NORMAL, NULL) : INVALID_HANDLE_VALUE;
    if (wide && handle == INVALID_HANDLE_VALUE) failed();
    free(wide);
    return handle == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
}

bool system_close(int descriptor)
{
    return _close(descriptor) == 0;
}

static OVERLAPPED place(long long offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

static DWORD at_once(size_t bytes)
{
    return bytes < 1 << 30 ? (DWORD)bytes : 1 << 30;
}

long long system_read_at(int descriptor, void *to, size_t bytes, long long offset)
{
    OVERLAPPED at = place(offset);
    DWORD done = 0;
    if (ReadFile(handle_of(descriptor), to, at_once(bytes), &done, &at)) return done;
    if (GetLastError() == ERROR_HANDLE_EOF) return 0;
    return failed() - 1;
}

long long system_write_at(int descriptor, const void *from, size_t bytes, long long offset)
{
    OVERLAPPED at = place(offset);
    DWORD done = 0;
    return WriteFile(handle_of(descriptor), from, at_once(bytes), &done, &at) ? (long long)done : failed() - 1;
}

long long system_write(int descriptor, const void *from, size_t bytes)
{
    DWORD done = 0;
    return WriteFile(handle_of(descriptor), from, at_once(bytes), &done, NULL) ? (long long)done : failed() - 1;
}

bool system_cut(int descriptor, long long bytes)
{
    const LARGE_INTEGER end = {.QuadPart = bytes};
    return (SetFilePointerEx(handle_of(descriptor), end, NULL, FILE_BEGIN) && SetEndOfFile(handle_of(descriptor))) ||
           failed();
}

int system_sync(int descriptor)
{
    if (GetFileType(handle_of(descriptor)) != FILE_TYPE_DISK || FlushFileBuffers(handle_of(descriptor))) return 0;
    return errno_of(GetLastError());
}

int system_sync_folder(const char *folder) // the system keeps names in order itself
{
    (void)folder;
    return 0;
}

// A file that is shorter grows to that size, as posix_fallocate makes it.
int system_reserve(int descriptor, long long bytes)
{
    LARGE_INTEGER size, end = {.QuadPart = bytes}, start = {.QuadPart = 0};
    const HANDLE file = handle_of(descriptor);
    if (!GetFileSizeEx(file, &size) || size.QuadPart >= bytes) return 0;
    const bool good = SetFilePointerEx(file, end, NULL, FILE_BEGIN) && SetEndOfFile(file);
    const int code = good ? 0 : errno_of(GetLastError());
    SetFilePointerEx(file, start, NULL, FILE_BEGIN);
    return code;
}

double system_room(int descriptor) // asked by folder here, not by file
{
    (void)descriptor;
    return -1.0;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

bool system_remove(const char *path)
{
    wchar_t *wide = wide_of(path);
    const bool good = wide && (DeleteFileW(wide) || failed());
    free(wide);
    return good;
}

bool system_rename(const char *from, const char *to)
{
    wchar_t *wide_from = wide_of(from), *wide_to = wide_of(to);
    const bool good = wide_from && wide_to && (MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING) || failed());
    free(wide_from);
    free(wide_to);
    return good;
}

bool system_make_folder(const char *path)
{
    wchar_t *wide = wide_of(path);
    const bool good = wide && (CreateDirectoryW(wide, NULL) || failed());
    free(wide);
    return good;
}

// Text as it is on other systems: no line ends are changed.
FILE *system_stream(const char *path, const char *mode)
{
    wchar_t *wide = wide_of(path), as[8];
    swprintf(as, sizeof as / sizeof *as, L"%hs%ls", mode, strchr(mode, 'b') ? L"" : L"b");
    FILE *file = wide ? _wfopen(wide, as) : NULL;
    free(wide);
    return file;
}

// ---- Processes ------------------------------------------------------------------------------------------------------

long system_process(void)
{
    return (long)GetCurrentProcessId();
}

bool system_process_runs(long number)
{
    const HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)number);
    const bool gone = !process && GetLastError() == ERROR_INVALID_PARAMETER;
    if (process) CloseHandle(process);
    return !gone;
}

const char *system_environment(const char *name) // kept until the program ends, as getenv's
{
    wchar_t *wide = wide_of(name);
    const wchar_t *value = wide ? _wgetenv(wide) : NULL;
    free(wide);
    return value ? narrow_of(value) : NULL;
}

char *system_program(void)
{
    wchar_t wide[4096];
    const DWORD length = GetModuleFileNameW(NULL, wide, sizeof wide / sizeof *wide);
    return length > 0 && length < sizeof wide / sizeof *wide ? plain_path(wide) : NULL;
}

void system_begin_program(int *count, char ***arguments)
{
    int wide_count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &wide_count);
    char **texts = wide ? calloc((size_t)wide_count + 1, sizeof *texts) : NULL;
    bool good = texts;
    for (int i = 0; good && i < wide_count; i++) good = (texts[i] = narrow_of(wide[i]));
    if (good) {
        *arguments = texts;
        *count = wide_count;
    }
    LocalFree(wide);
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}

// Colours and cursor moves are understood by consoles that can be told to.
bool system_is_terminal(FILE *file)
{
    const HANDLE handle = handle_of(_fileno(file));
    DWORD mode;
    return GetConsoleMode(handle, &mode) && SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

int system_terminal_width(FILE *file)
{
    CONSOLE_SCREEN_BUFFER_INFO about;
    const BOOL known = GetConsoleScreenBufferInfo(handle_of(_fileno(file)), &about);
    return known ? about.srWindow.Right - about.srWindow.Left + 1 : 0;
}

bool system_random(void *to, size_t bytes)
{
    char *at = to;
    for (size_t i = 0; i < bytes; i++) {
        unsigned number;
        if (rand_s(&number) != 0) return false;
        at[i] = (char)number;
    }
    return true;
}

#else
typedef int system_windows_is_elsewhere;
#endif
