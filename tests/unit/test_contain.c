// Work in a process of its own: answers, ends, and what becomes of it when the program around it is killed.
#include "test.h"

#include "base/memory.h"
#include "io/result/contain.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void say_it(void *user, parcel *parcel)
{
    parcel_put(parcel, user, strlen(user) + 1);
}

static void abort_it(void *user, parcel *parcel)
{
    parcel_put(parcel, user, 1);
    abort();
}

TEST(the_answer_comes_back)
{
    char *answer = NULL, text[] = "well done";
    size_t bytes = 0;
    CHECK_EQ_INT(contain(say_it, text, 10, 100, &answer, &bytes), PH_OK);
    CHECK_EQ_INT((int)bytes, (int)sizeof text);
    CHECK_STR(answer, text);
    mem_free(NULL, answer);
}

TEST(an_early_end_and_a_long_answer_are_refused)
{
    char *answer = NULL, text[] = "too long";
    size_t bytes = 0;
    CHECK_EQ_INT(contain(abort_it, text, 10, 100, &answer, &bytes), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(contain(say_it, text, 10, 4, &answer, &bytes), PH_BAD_ARGUMENT);
}

static void work_for_long(void *user, parcel *parcel)
{
    const int *descriptor = user;
    (void)parcel;
    if (write(*descriptor, "!", 1) == 1) sleep(60);
}

// Only the process at work holds the other end of the pipe: the end of the file is its end.
TEST(a_killed_program_takes_it_along)
{
#ifndef __linux__
    SKIP("it ends with its next answer there");
#endif
    int ends[2];
    char byte;
    CHECK_EQ_INT(pipe(ends), 0);
    const pid_t program = fork();
    if (program == 0) {
        char *answer;
        size_t bytes;
        contain(work_for_long, &ends[1], 10, 100, &answer, &bytes);
        _exit(0);
    }
    close(ends[1]);
    CHECK_EQ_INT((int)read(ends[0], &byte, 1), 1); // it has begun
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    struct pollfd wait = {.fd = ends[0], .events = POLLIN};
    CHECK_EQ_INT(poll(&wait, 1, 20000), 1);
    CHECK_EQ_INT((int)read(ends[0], &byte, 1), 0);
    close(ends[0]);
}
