// Feeding another program under Windows. See feeder.h.
#ifdef _WIN32

#include "feeder.h"

#include "base/wide.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

// Each argument between quotes; ours have none in them and do not end with a backslash.
static wchar_t *command_line(const char *const *arguments)
{
    char line[8192] = "";
    size_t used = 0;
    for (; *arguments && used < sizeof line; arguments++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s\"%s\"", used ? " " : "", *arguments);
    return used < sizeof line ? wide_of(line) : NULL;
}

bool feeder_start(feeder *f, const char *const *arguments)
{
    SECURITY_ATTRIBUTES shared = {.nLength = sizeof shared, .bInheritHandle = TRUE};
    PROCESS_INFORMATION started = {0};
    HANDLE reading, writing;
    if (!CreatePipe(&reading, &writing, &shared, 0)) return false;
    SetHandleInformation(writing, HANDLE_FLAG_INHERIT, 0);
    STARTUPINFOW about = {.cb = sizeof about,
                          .dwFlags = STARTF_USESTDHANDLES,
                          .hStdInput = reading,
                          .hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE),
                          .hStdError = GetStdHandle(STD_ERROR_HANDLE)};
    wchar_t *line = command_line(arguments);
    const bool good = line && CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &about, &started);
    free(line);
    CloseHandle(reading);
    if (good) CloseHandle(started.hThread);
    if (!good) CloseHandle(writing);
    *f = (feeder){(long long)(intptr_t)started.hProcess, good ? _open_osfhandle((intptr_t)writing, _O_BINARY) : -1};
    return good;
}

bool feeder_write(feeder *f, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        const int sent = _write(f->input, at, count < 1 << 20 ? (unsigned)count : 1 << 20);
        if (sent <= 0) return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool feeder_end(feeder *f)
{
    const HANDLE process = (HANDLE)(intptr_t)f->process;
    DWORD status = 1;
    _close(f->input);
    WaitForSingleObject(process, INFINITE);
    GetExitCodeProcess(process, &status);
    CloseHandle(process);
    return status == 0;
}

#else
typedef int feeder_windows_is_elsewhere;
#endif
