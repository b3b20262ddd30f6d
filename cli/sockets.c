// Sockets. See sockets.h. POSIX and Windows have the same calls, under other names where they differ.

#include "sockets.h"

#include <errno.h>
#include <stdint.h>

#ifdef _WIN32

#include <winsock2.h>
#include <ws2tcpip.h>
typedef WSAPOLLFD poll_entry;
#define poll_sockets WSAPoll
enum { NO_SIGNAL = 0 };

static bool begin(void)
{
    WSADATA data;
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

static bool never_waits(int socket)
{
    u_long yes = 1;
    return ioctlsocket((SOCKET)socket, FIONBIO, &yes) == 0;
}

static bool would_wait(void)
{
    return WSAGetLastError() == WSAEWOULDBLOCK;
}

// Another program that listens on the same port is no friend here, so that no address is used again.
static void use_again(int socket)
{
    setsockopt((SOCKET)socket, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&(int){1}, sizeof(int));
}

void socket_close(int socket)
{
    closesocket((SOCKET)socket);
}

static int why(void)
{
    return WSAGetLastError() == WSAEADDRINUSE ? EADDRINUSE : EACCES;
}

#else

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
typedef struct pollfd poll_entry;
#define poll_sockets poll
#ifdef MSG_NOSIGNAL
enum { NO_SIGNAL = MSG_NOSIGNAL };
#else
enum { NO_SIGNAL = 0 };
#endif

static bool begin(void)
{
    return true;
}

static bool never_waits(int socket)
{
#ifdef SO_NOSIGPIPE
    setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    return fcntl(socket, F_SETFL, O_NONBLOCK) == 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

static bool would_wait(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void use_again(int socket)
{
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
}

void socket_close(int socket)
{
    close(socket);
}

static int why(void)
{
    return errno;
}

#endif

int socket_listen(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = begin() ? (int)socket(AF_INET, SOCK_STREAM, 0) : -1;
    if (listener < 0) return errno = why(), -1;
    use_again(listener);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 8) != 0 ||
        !never_waits(listener) || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        const int code = why();
        socket_close(listener);
        return errno = code, -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

int socket_accept(int listener)
{
    const int socket = (int)accept(listener, NULL, NULL);
    if (socket < 0) return -1;
    if (!never_waits(socket)) {
        socket_close(socket);
        return -1;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, (const void *)&(int){1}, sizeof(int));
    return socket;
}

long long socket_receive(int socket, void *to, size_t room)
{
    const long long got = recv(socket, to, room, 0);
    return got > 0 ? got : got < 0 && would_wait() ? SOCKET_LATER : SOCKET_ENDED;
}

long long socket_send(int socket, const void *from, size_t bytes)
{
    const long long sent = send(socket, from, bytes, NO_SIGNAL);
    return sent >= 0 ? sent : would_wait() ? SOCKET_LATER : SOCKET_ENDED;
}

bool socket_wait(socket_watch *watches, int count, int milliseconds)
{
    poll_entry entries[SOCKET_WATCHES];
    int places[SOCKET_WATCHES], used = 0;
    for (int i = 0; i < count && i < SOCKET_WATCHES; i++) {
        watches[i].reads = watches[i].ready = false;
        if (watches[i].socket < 0) continue;
        places[used] = i;
        entries[used] = (poll_entry){.fd = watches[i].socket, .events = POLLIN};
        if (watches[i].sends) entries[used].events |= POLLOUT;
        used++;
    }
    if (poll_sockets(entries, used, milliseconds) < 0) return false;
    for (int k = 0; k < used; k++) {
        watches[places[k]].reads = entries[k].revents & (POLLIN | POLLHUP | POLLERR);
        watches[places[k]].ready = entries[k].revents != 0;
    }
    return true;
}
