// A server for one page and one WebSocket, on this machine alone.
//
// It listens on 127.0.0.1 and answers two addresses, /TOKEN/ (the page) and /TOKEN/socket, whatever else is asked gets 404:
// no part of a request is ever used as a path. Requests must name this server in Host, so that no foreign name that has been
// pointed here (DNS rebinding) gets through, and a WebSocket must come from this page (Origin). Everything that comes in is
// bounded in size and in time.
#ifndef CLI_LIVE_SERVER_H
#define CLI_LIVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct live_server live_server;

typedef struct live_server_def {
    int port;          // 0: any free one
    const char *token; // TOKEN_ROOM - 1 characters
    const char *page;  // must outlive the server
    size_t page_length;
    void (*joined)(void *user);                    // a viewer has connected; the one before is let go
    void (*command)(const char *text, void *user); // what it says
    void *user;
} live_server_def;

// NULL on failure; then errno says why.
live_server *live_server_create(const live_server_def *def);
void live_server_destroy(live_server *server);
int live_server_port(const live_server *server);

// Handles what comes in, waiting at most `milliseconds` for it.
void live_server_poll(live_server *server, int milliseconds);

bool live_server_has_viewer(const live_server *server);
// One message to the viewer. False when there is none, or when it is too far behind: the message is dropped.
bool live_server_send_text(live_server *server, const char *text);
bool live_server_send_bytes(live_server *server, const void *bytes, size_t count);

#endif
