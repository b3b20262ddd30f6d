// polhode view --live: whom the server answers, and what it does with bytes that no page of ours would send.

#include "test.h"

#include "program.h"

#if defined PH_WITH_ZLIB

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

typedef struct server {
    pid_t process;
    int port;
    char token[33];
} server;

// Reads "http://127.0.0.1:PORT/TOKEN/" from the program.
static bool start(server *s, const char *option)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    s->process = fork();
    if (s->process == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        if (freopen("/dev/null", "w", stderr)) {
            execl(TEST_PROGRAM, "polhode", "view", EXAMPLE, option, (char *)NULL);
        }
        _exit(127);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    const bool good = from && fscanf(from, "http://127.0.0.1:%d/%32[0-9a-f]/", &s->port, s->token) == 2;
    if (from) {
        fclose(from);
    }
    return good;
}

static int stop(const server *s)
{
    int status;
    kill(s->process, SIGINT);
    waitpid(s->process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Sends `bytes` and reads up to `room` - 1 bytes of the answer, until the server closes or is silent for a second.
static void talk(const server *s, const char *bytes, size_t count, char *answer, size_t room)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->port)};
    const struct timeval patience = {.tv_sec = 2};
    const int line = socket(AF_INET, SOCK_STREAM, 0);
    size_t length = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(line, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(line, bytes, count, MSG_NOSIGNAL) == (ssize_t)count) {
        for (ssize_t got = 1; got > 0 && length<room - 1; length += got> 0 ? (size_t)got : 0) {
            got = recv(line, answer + length, room - 1 - length, 0);
        }
    }
    answer[length] = '\0';
    close(line);
}

static int status_of(const server *s, const char *path, const char *host, const char *more)
{
    char request[1024], answer[2048];
    int status = 0;
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host, more);
    talk(s, request, strlen(request), answer, sizeof answer);
    sscanf(answer, "HTTP/1.1 %d", &status);
    return status;
}

TEST(the_page_is_for_those_who_know_its_address)
{
    server s;
    char path[64], socket_path[64], host[64], named[64], origin[128];
    if (!CHECK(start(&s, NULL))) return;
    snprintf(path, sizeof path, "/%s/", s.token);
    snprintf(socket_path, sizeof socket_path, "/%s/socket", s.token);
    snprintf(host, sizeof host, "127.0.0.1:%d", s.port);
    snprintf(named, sizeof named, "localhost:%d", s.port);
    snprintf(origin, sizeof origin, "Origin: http://127.0.0.1:%d\r\n", s.port);
    CHECK_EQ_INT(status_of(&s, path, host, ""), 200);
    CHECK_EQ_INT(status_of(&s, path, named, origin), 200);
    CHECK_EQ_INT(status_of(&s, path, "127.0.0.1", ""), 403);
    CHECK_EQ_INT(status_of(&s, path, "evil.example", ""), 403);
    CHECK_EQ_INT(status_of(&s, path, host, "Origin: http://evil.example\r\n"), 403);
    CHECK_EQ_INT(status_of(&s, path, host, "Origin: null\r\n"), 403);
    CHECK_EQ_INT(status_of(&s, "/", host, ""), 404);
    CHECK_EQ_INT(status_of(&s, "/../../etc/passwd", host, ""), 404);
    CHECK_EQ_INT(status_of(&s, "/00000000000000000000000000000000/", host, ""), 404);
    strcat(path, "../../etc/passwd");
    CHECK_EQ_INT(status_of(&s, path, host, ""), 404);
    CHECK_EQ_INT(status_of(&s, socket_path, host, origin), 400); // no WebSocket
    CHECK_EQ_INT(stop(&s), 0);
}

// The example of RFC 6455, section 1.3, and what comes after the handshake.
static void check_socket(const server *s, const char *bytes, size_t count, const char *expected)
{
    char request[1200], answer[4096];
    const int head = snprintf(request, sizeof request,
                              "GET /%s/socket HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n"
                              "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                              s->token, s->port, s->port);
    memcpy(request + head, bytes, count);
    talk(s, request, (size_t)head + count, answer, 600);
    CHECK(strstr(answer, "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
    CHECK(strstr(answer, expected));
}

TEST(a_socket_and_bytes_that_are_no_messages)
{
    server s;
    if (!CHECK(start(&s, NULL))) return;
    check_socket(&s, "\x81\x85\0\0\0\0pause", 11, "\"paused\":false"); // the state on arrival
    check_socket(&s, "\x81\x05pause", 7, "");                          // not masked
    check_socket(&s, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff....", 14, "");
    check_socket(&s, "\xff\xff\xff\xff\xff", 5, "");
    char noise[400];
    for (int round = 0; round < 30; round++) {
        char answer[512];
        for (size_t i = 0; i < sizeof noise; i++) {
            noise[i] = (char)test_uniform(-128.0, 128.0);
        }
        noise[sizeof noise - 1] = '\n';
        memcpy(noise + sizeof noise - 4, "\r\n\r\n", 4);
        talk(&s, noise, sizeof noise, answer, sizeof answer);
        CHECK(strstr(answer, "400") || answer[0] == '\0');
    }
    char host[64], path[64];
    snprintf(host, sizeof host, "127.0.0.1:%d", s.port);
    snprintf(path, sizeof path, "/%s/", s.token);
    CHECK_EQ_INT(status_of(&s, path, host, ""), 200); // still there
    CHECK_EQ_INT(stop(&s), 0);
}

// What is too long, no request of this protocol, or asks for what lies elsewhere. None of it reaches a file.
TEST(hostile_requests_get_nothing)
{
    static const char *const paths[] = {"//etc/passwd",
                                        "/..%2f..%2fetc/passwd",
                                        "/%2e%2e/%2e%2e/etc/passwd",
                                        "file:///etc/passwd",
                                        "http://evil.example/",
                                        "*",
                                        "/\xff\xfe",
                                        "/socket"};
    enum { LONG = 20000 };
    server s;
    char host[64], page[64], request[LONG + 200], answer[2048];
    if (!CHECK(start(&s, NULL))) return;
    snprintf(host, sizeof host, "127.0.0.1:%d", s.port);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CHECK_EQ_INT(status_of(&s, paths[i], host, ""), 404);
    }
    const int head = snprintf(request, sizeof request, "GET /%s/ HTTP/1.1\r\nHost: %s\r\nX: ", s.token, host);
    memset(request + head, 'x', LONG);
    talk(&s, request, (size_t)head + LONG, answer, sizeof answer); // a header without end
    CHECK(strstr(answer, "400") || answer[0] == '\0');
    static const char *const methods[] = {"POST", "PUT", "OPTIONS", "CONNECT"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const int length =
            snprintf(request, sizeof request, "%s /%s/ HTTP/1.1\r\nHost: %s\r\n\r\n", methods[i], s.token, host);
        talk(&s, request, (size_t)length, answer, sizeof answer);
        CHECK(strstr(answer, "405"));
    }
    snprintf(page, sizeof page, "/%s/", s.token);
    CHECK_EQ_INT(status_of(&s, page, host, ""), 200); // still there
    CHECK_EQ_INT(stop(&s), 0);
}

TEST(what_cannot_run_live)
{
    output o = run_shell("polhode view --live %s/none.yaml", TEST_SOURCE_DIR);
    CHECK_EQ_INT(o.status, 2);
    output_free(&o);
    o = run_shell("polhode view --live %s %s", EXAMPLE, EXAMPLE);
    CHECK_EQ_INT(o.status, 2);
    output_free(&o);
    o = run_shell("polhode view --live %s --scheme none", EXAMPLE);
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "none"));
    output_free(&o);
    o = run_shell("polhode view --live %s --port 70000", EXAMPLE);
    CHECK_EQ_INT(o.status, 1);
    output_free(&o);
}

#endif
