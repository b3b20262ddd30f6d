// Starting programs under Windows. See process.h.
#ifdef _WIN32

#include "base/memory.h"
#include "base/path.h"
#include "base/process.h"
#include "base/system.h"
#include "base/wide.h"

#include <stdio.h>
#include <string.h>

// ---- Starting -------------------------------------------------------------------------------------------------------

typedef struct child {
    HANDLE process, input, output; // our ends of its pipes
} child;

// A pipe whose other end the new program gets: the reading one where it is to read.
static bool make_pipe(bool child_reads, HANDLE *ours, HANDLE *its)
{
    SECURITY_ATTRIBUTES shared = {.nLength = sizeof shared, .bInheritHandle = TRUE};
    HANDLE reading, writing;
    if (!CreatePipe(&reading, &writing, &shared, 0)) return false;
    *its = child_reads ? reading : writing;
    *ours = child_reads ? writing : reading;
    return SetHandleInformation(*ours, HANDLE_FLAG_INHERIT, 0);
}

// Our arguments are plain words: quotes around them are enough.
static wchar_t *command_line(const char *const *arguments)
{
    char line[4096] = "";
    size_t used = 0;
    for (; *arguments && used < sizeof line; arguments++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s\"%s\"", used ? " " : "", *arguments);
    return used < sizeof line ? wide_of(line) : NULL;
}

static bool start(const char *path, const char *const *arguments, child *c)
{
    HANDLE its_input = NULL, its_output = NULL;
    PROCESS_INFORMATION started = {0};
    wchar_t *program = wide_of(path), *line = command_line(arguments);
    bool good = program && line && make_pipe(true, &c->input, &its_input) && make_pipe(false, &c->output, &its_output);
    STARTUPINFOW about = {
        .cb = sizeof about, .dwFlags = STARTF_USESTDHANDLES, .hStdInput = its_input, .hStdOutput = its_output};
    good = good && CreateProcessW(program, line, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &about, &started);
    if (its_input) CloseHandle(its_input);
    if (its_output) CloseHandle(its_output);
    if (good) CloseHandle(started.hThread);
    c->process = started.hProcess;
    free(program);
    free(line);
    return good;
}

// ---- Talking --------------------------------------------------------------------------------------------------------

static void send_all(child *c, const char *data, size_t bytes)
{
    for (DWORD sent = 0; bytes > 0; data += sent, bytes -= sent)
        if (!WriteFile(c->input, data, bytes < 1 << 20 ? (DWORD)bytes : 1 << 20, &sent, NULL)) break;
    CloseHandle(c->input);
    c->input = NULL;
}

static ph_status receive_all(child *c, size_t most, char **answer, size_t *length)
{
    char *block = NULL;
    int room = 0;
    size_t used = 0;
    for (DWORD got = 1; got > 0; used += got) {
        if (used > most || !mem_reserve(NULL, &block, &room, (int)used + (1 << 16), 1)) {
            mem_free(NULL, block);
            return used > most ? PH_BAD_ARGUMENT : PH_OUT_OF_MEMORY;
        }
        if (!ReadFile(c->output, block + used, (DWORD)((size_t)room - used), &got, NULL)) got = 0;
    }
    *answer = block;
    *length = used;
    return PH_OK;
}

ph_status process_ask(const char *path, const char *const *arguments, const void *request, size_t bytes, size_t most,
                      char **answer, size_t *length)
{
    child c = {0};
    ph_status status = PH_IO;
    if (start(path, arguments, &c)) {
        send_all(&c, request, bytes);
        status = receive_all(&c, most, answer, length);
        TerminateProcess(c.process, 1); // it is at its end, or has said too much
        CloseHandle(c.process);
    }
    if (c.input) CloseHandle(c.input);
    if (c.output) CloseHandle(c.output);
    return status;
}

// ---- Finding --------------------------------------------------------------------------------------------------------

long process_number(void)
{
    return system_process();
}

bool process_path_near_code(const char *relative, char *path, size_t room)
{
    enum { FROM_ADDRESS = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT };
    static const char here;
    wchar_t wide[4096];
    HMODULE code = NULL;
    if (!GetModuleHandleExW(FROM_ADDRESS, (const wchar_t *)(const void *)&here, &code)) return false;
    const DWORD count = GetModuleFileNameW(code, wide, sizeof wide / sizeof *wide);
    char *file = count > 0 && count < sizeof wide / sizeof *wide ? narrow_of(wide) : NULL;
    char *slash = file ? path_last_slash(file) : NULL;
    if (slash) slash[1] = '\0';
    const int length = slash ? snprintf(path, room, "%s%s", file, relative) : -1;
    free(file);
    return length >= 0 && (size_t)length < room;
}

bool process_is_trusted(const char *path) // who may write where is said by lists, which the folder's owner has made
{
    system_facts facts;
    return system_look(path, &facts) && facts.kind == SYSTEM_FILE;
}

const char *process_setting(const char *name)
{
    return system_environment(name);
}

#else
typedef int process_windows_is_elsewhere;
#endif
