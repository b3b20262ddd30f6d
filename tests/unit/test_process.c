// Programs of their own: answers, ends, what they inherit, and what becomes of them when the program around them is killed.
#include "test.h"

#include "base/memory.h"
#include "base/process.h"
#include "folder.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static ph_status ask_shell(const char *script, const char *request, size_t most, char **answer, size_t *bytes)
{
    const char *const arguments[] = {"sh", "-c", script, NULL};
    return process_ask("/bin/sh", arguments, request, strlen(request) + 1, most, answer, bytes);
}

TEST(the_answer_comes_back)
{
    char *answer = NULL;
    size_t bytes = 0;
    CHECK_EQ_INT(ask_shell("cat", "well done", 100, &answer, &bytes), PH_OK);
    CHECK_EQ_INT((int)bytes, (int)sizeof "well done");
    CHECK_STR(answer, "well done");
    mem_free(NULL, answer);
}

TEST(a_long_answer_and_no_program_are_refused)
{
    char *answer = NULL;
    size_t bytes = 0;
    const char *const arguments[] = {"none", NULL};
    CHECK_EQ_INT(ask_shell("cat", "too long", 4, &answer, &bytes), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(process_ask("/no/such/program", arguments, "", 0, 10, &answer, &bytes), PH_IO);
}

// One that ends at once does not end us by SIGPIPE, however much we would still say.
TEST(a_request_that_nobody_reads_does_no_harm)
{
    enum { MUCH = 1 << 20 };
    char *request = malloc(MUCH), *answer = NULL;
    size_t bytes = 1;
    memset(request, 'x', MUCH - 1);
    request[MUCH - 1] = '\0';
    CHECK_EQ_INT(ask_shell("exit 3", request, 100, &answer, &bytes), PH_OK);
    CHECK_EQ_INT((int)bytes, 0);
    mem_free(NULL, answer);
    free(request);
}

// Descriptors that are our own do not reach a program that is started meanwhile.
TEST(the_channel_is_not_inherited)
{
    char *answer = NULL;
    size_t bytes = 0;
    CHECK_EQ_INT(ask_shell("ls /proc/self/fd | wc -l", "", 100, &answer, &bytes), PH_OK);
    const int here = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *again = NULL;
    CHECK_EQ_INT(ask_shell("ls /proc/self/fd | wc -l", "", 100, &again, &bytes), PH_OK);
    CHECK(answer && again && strtol(answer, NULL, 10) == strtol(again, NULL, 10));
    close(here);
    mem_free(NULL, answer);
    mem_free(NULL, again);
}

TEST(paths_near_the_code)
{
    char path[4096];
    CHECK(process_path_near_code("test_process", path, sizeof path));
    CHECK_EQ_INT(access(path, X_OK), 0);
    CHECK(process_is_trusted(path));
    CHECK(!process_path_near_code("test_process", path, 4));
    CHECK(!process_is_trusted("/no/such/program"));
    CHECK(!process_is_trusted("/"));
}

TEST(what_everybody_may_write_is_not_trusted)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "helper");
    write_text_file(path.text, "#!/bin/sh\n");
    chmod(path.text, 0700);
    CHECK(process_is_trusted(path.text));
    chmod(path.text, 0777);
    CHECK(!process_is_trusted(path.text));
    folder_remove(&f);
}
