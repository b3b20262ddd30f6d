// One connection of the live server: bytes in and out, HTTP requests (RFC 9112) and WebSocket messages (RFC 6455). Requests
// and messages that are larger than INPUT_ROOM, come too slowly or are not well formed end it.
#ifndef CLI_LIVE_CONNECTION_H
#define CLI_LIVE_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>

enum { INPUT_ROOM = 8192, MESSAGE_MOST = 512 };
enum { MESSAGE_TEXT = 1, MESSAGE_BYTES = 2, MESSAGE_CLOSE = 8, MESSAGE_PING = 9, MESSAGE_PONG = 10 };

typedef struct connection {
    int descriptor; // -1: free
    bool is_socket; // a WebSocket from now on
    bool closing;   // to be closed when everything is sent
    double since;   // clock of its beginning
    size_t in_length, in_used;
    char in[INPUT_ROOM + 1];
    char *out;
    size_t out_length, out_sent, out_room;
} connection;

typedef struct request { // texts live until the next input
    const char *method, *path;
    const char *host, *origin, *key, *version; // NULL: not given
    bool upgrades;
} request;

typedef struct message {
    bool is_command; // else it was a ping or the like, already answered
    char text[MESSAGE_MOST + 1];
} message;

typedef enum input { INPUT_WAITS, INPUT_READY, INPUT_WRONG } input;

void connection_open(connection *c, int descriptor);
void connection_close(connection *c); // takes a free one

bool connection_receive(connection *c); // false: it has ended
input connection_next_request(connection *c, request *r);
input connection_next_message(connection *c, message *m);

// Bytes are kept until they can be sent. Out of memory closes the connection.
void connection_send(connection *c, const void *bytes, size_t count);
void connection_send_message(connection *c, int kind, const void *bytes, size_t count);
bool connection_flush(connection *c); // false: it has ended

bool connection_is_done(const connection *c); // to be closed, and everything is sent
bool connection_is_late(const connection *c); // no whole request within a few seconds, or the answer is not taken

#endif
