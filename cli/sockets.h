// Sockets on the loopback of this machine that never wait by themselves.
#ifndef CLI_SOCKETS_H
#define CLI_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>

// Listens on *port, or for 0 on a free one, which is then in *port. -1: errno says why.
int socket_listen(int *port);
int socket_accept(int listener); // -1: nobody waits
void socket_close(int socket);

// Bytes received or sent; SOCKET_LATER: none at the moment; SOCKET_ENDED: there will be no more.
enum { SOCKET_LATER = -1, SOCKET_ENDED = -2 };
long long socket_receive(int socket, void *to, size_t room);
long long socket_send(int socket, const void *from, size_t bytes);

typedef struct socket_watch {
    int socket;        // -1: none
    bool sends;        // there is something to send
    bool reads, ready; // answers: something has come, or it has ended; that, or it can be sent
} socket_watch;

enum { SOCKET_WATCHES = 32 };
bool socket_wait(socket_watch *watches, int count, int milliseconds); // false: interrupted

#endif
