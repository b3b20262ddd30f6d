// A server for one page and one WebSocket. See live_server.h.

#include "live_server.h"

#include "live_connection.h"
#include "live_key.h"
#include "sockets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CONNECTIONS = 16, BACKLOG_MOST = 1 << 23 }; // bytes that wait for the viewer
_Static_assert(CONNECTIONS + 1 <= SOCKET_WATCHES, "all connections are watched at once");

struct live_server {
    live_server_def def;
    int listener, port;
    connection connections[CONNECTIONS];
    connection *viewer; // the one with the WebSocket, or NULL
};

// ---- Listening ------------------------------------------------------------------------------------------------------

live_server *live_server_create(const live_server_def *def)
{
    live_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->def = *def;
    server->listener = -1;
    for (int i = 0; i < CONNECTIONS; i++) server->connections[i].descriptor = -1;
    server->port = def->port;
    if (def->port < 0 || def->port > 65535)
        errno = EINVAL;
    else if ((server->listener = socket_listen(&server->port)) >= 0)
        return server;
    const int why = errno;
    live_server_destroy(server);
    errno = why;
    return NULL;
}

static void drop(live_server *server, connection *c)
{
    if (server->viewer == c) server->viewer = NULL;
    connection_close(c);
}

void live_server_destroy(live_server *server)
{
    for (int i = 0; server && i < CONNECTIONS; i++) connection_close(&server->connections[i]);
    if (server && server->listener >= 0) socket_close(server->listener);
    free(server);
}

int live_server_port(const live_server *server)
{
    return server->port;
}

// Newcomers that find no room are turned away at once.
static void accept_all(live_server *server)
{
    for (;;) {
        const int descriptor = socket_accept(server->listener);
        if (descriptor < 0) return;
        connection *place = NULL;
        for (int i = 0; i < CONNECTIONS && !place; i++)
            place = server->connections[i].descriptor < 0 ? &server->connections[i] : NULL;
        if (place)
            connection_open(place, descriptor);
        else
            socket_close(descriptor);
    }
}

// ---- Requests -------------------------------------------------------------------------------------------------------

static void answer(connection *c, const char *status, const char *type, const char *body, size_t length)
{
    char head[640];
    snprintf(
        head, sizeof head,
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n",
        status, type, length);
    connection_send(c, head, strlen(head));
    connection_send(c, body, length);
    c->closing = true;
}

static void refuse(connection *c, const char *status)
{
    char body[80];
    snprintf(body, sizeof body, "%s\n", status);
    answer(c, status, "text/plain; charset=utf-8", body, strlen(body));
}

// "127.0.0.1:PORT" or "localhost:PORT", with `before` in front.
static bool names_us(const live_server *server, const char *text, const char *before)
{
    char by_number[64], by_name[64];
    snprintf(by_number, sizeof by_number, "%s127.0.0.1:%d", before, server->port);
    snprintf(by_name, sizeof by_name, "%slocalhost:%d", before, server->port);
    return text && (strcasecmp(text, by_number) == 0 || strcasecmp(text, by_name) == 0);
}

static void begin_socket(live_server *server, connection *c, const request *r)
{
    char head[160], key[ANSWER_ROOM];
    if (!names_us(server, r->origin, "http://")) {
        refuse(c, "403 Forbidden");
        return;
    }
    if (!r->upgrades || !r->key || strlen(r->key) != 24 || !r->version || strcmp(r->version, "13") != 0) {
        refuse(c, "400 Bad Request");
        return;
    }
    make_answer(r->key, key);
    snprintf(head, sizeof head,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Accept: %s\r\n\r\n",
             key);
    connection_send(c, head, strlen(head));
    c->is_socket = true;
    if (server->viewer) drop(server, server->viewer);
    server->viewer = c;
    server->def.joined(server->def.user);
}

static void handle_request(live_server *server, connection *c, const request *r)
{
    const size_t token = TOKEN_ROOM - 1;
    const bool knows_token =
        r->path[0] == '/' && strlen(r->path) >= token + 2 && same_secret(r->path + 1, server->def.token, token);
    const char *const refusal = !names_us(server, r->host, "")                         ? "403 Forbidden"
                                : strcmp(r->method, "GET") != 0                        ? "405 Method Not Allowed"
                                : !knows_token                                         ? "404 Not Found"
                                : r->origin && !names_us(server, r->origin, "http://") ? "403 Forbidden"
                                                                                       : NULL;
    if (refusal)
        refuse(c, refusal);
    else if (strcmp(r->path + 1 + token, "/") == 0)
        answer(c, "200 OK", "text/html; charset=utf-8", server->def.page, server->def.page_length);
    else if (strcmp(r->path + 1 + token, "/socket") == 0)
        begin_socket(server, c, r);
    else
        refuse(c, "404 Not Found");
}

static void handle_input(live_server *server, connection *c)
{
    while (c->descriptor >= 0 && !c->closing) {
        request r = {.method = "", .path = ""};
        message m = {0};
        switch (c->is_socket ? connection_next_message(c, &m) : connection_next_request(c, &r)) {
        case INPUT_WAITS:
            return;
        case INPUT_WRONG:
            if (c->is_socket)
                drop(server, c);
            else
                refuse(c, "400 Bad Request");
            return;
        case INPUT_READY:
            if (!c->is_socket)
                handle_request(server, c, &r);
            else if (m.is_command)
                server->def.command(m.text, server->def.user);
        }
    }
}

// ---- The loop -------------------------------------------------------------------------------------------------------

static void serve(live_server *server, connection *c, bool reads)
{
    if (reads) {
        if (!connection_receive(c)) {
            drop(server, c);
            return;
        }
        handle_input(server, c);
    }
    if (c->descriptor >= 0 && (!connection_flush(c) || connection_is_done(c))) drop(server, c);
}

void live_server_poll(live_server *server, int milliseconds)
{
    socket_watch watched[CONNECTIONS + 1] = {{.socket = server->listener}};
    for (int i = 0; i < CONNECTIONS; i++) {
        const connection *c = &server->connections[i];
        watched[i + 1] = (socket_watch){.socket = c->descriptor, .sends = c->out_length > c->out_sent};
    }
    if (!socket_wait(watched, CONNECTIONS + 1, milliseconds)) return;
    for (int i = 0; i < CONNECTIONS; i++)
        if (watched[i + 1].ready)
            serve(server, &server->connections[i], watched[i + 1].reads);
        else if (connection_is_late(&server->connections[i]))
            drop(server, &server->connections[i]);
    if (watched[0].ready) accept_all(server);
}

bool live_server_has_viewer(const live_server *server)
{
    return server->viewer != NULL;
}

static bool send_message(live_server *server, int kind, const void *bytes, size_t count)
{
    connection *c = server->viewer;
    if (!c || c->out_length - c->out_sent > BACKLOG_MOST) return false;
    connection_send_message(c, kind, bytes, count);
    if (!connection_flush(c)) {
        drop(server, c);
        return false;
    }
    return true;
}

bool live_server_send_text(live_server *server, const char *text)
{
    return send_message(server, MESSAGE_TEXT, text, strlen(text));
}

bool live_server_send_bytes(live_server *server, const void *bytes, size_t count)
{
    return send_message(server, MESSAGE_BYTES, bytes, count);
}
