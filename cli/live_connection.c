// One connection of the live server. See live_connection.h.

#include "live_connection.h"

#include "base/clock.h"
#include "sockets.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double PATIENCE = 10.0; // s for a request and its answer

void connection_open(connection *c, int descriptor)
{
    *c = (connection){.descriptor = descriptor, .since = clock_seconds()};
}

void connection_close(connection *c)
{
    if (c->descriptor >= 0) {
        socket_close(c->descriptor);
        free(c->out);
        *c = (connection){.descriptor = -1};
    }
}

bool connection_is_done(const connection *c)
{
    return c->closing && c->out_sent == c->out_length;
}

bool connection_is_late(const connection *c)
{
    return c->descriptor >= 0 && !c->is_socket && clock_seconds() - c->since > PATIENCE;
}

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static void forget_used(connection *c)
{
    memmove(c->in, c->in + c->in_used, c->in_length - c->in_used);
    c->in_length -= c->in_used;
    c->in_used = 0;
}

bool connection_receive(connection *c)
{
    forget_used(c);
    if (c->in_length == INPUT_ROOM) return c->closing; // what is too long has been refused
    const long long got = socket_receive(c->descriptor, c->in + c->in_length, INPUT_ROOM - c->in_length);
    if (got < 0) return got == SOCKET_LATER;
    c->in_length += (size_t)got;
    if (c->closing) c->in_length = 0; // of no interest any more
    return true;
}

static bool make_room(connection *c, size_t more)
{
    if (c->out_sent == c->out_length) c->out_sent = c->out_length = 0;
    if (c->out_length + more <= c->out_room) return true;
    const size_t room = 2 * (c->out_length + more);
    char *out = realloc(c->out, room);
    if (!out) return false;
    c->out = out;
    c->out_room = room;
    return true;
}

void connection_send(connection *c, const void *bytes, size_t count)
{
    if (!make_room(c, count)) {
        c->closing = true;
        c->out_sent = c->out_length;
        return;
    }
    memcpy(c->out + c->out_length, bytes, count);
    c->out_length += count;
}

bool connection_flush(connection *c)
{
    while (c->out_sent < c->out_length) {
        const long long sent = socket_send(c->descriptor, c->out + c->out_sent, c->out_length - c->out_sent);
        if (sent < 0) return sent == SOCKET_LATER;
        c->out_sent += (size_t)sent;
    }
    return true;
}

// ---- HTTP -----------------------------------------------------------------------------------------------------------

// Cuts the line at `text` off, at CR LF; NULL when there is none.
static char *cut_line(char *text, char **rest)
{
    char *end = strstr(text, "\r\n");
    if (!end) return NULL;
    *end = '\0';
    *rest = end + 2;
    return text;
}

static bool read_first_line(char *line, request *r)
{
    char *path = strchr(line, ' ');
    char *version = path ? strchr(path + 1, ' ') : NULL;
    if (!version || strcmp(version, " HTTP/1.1") != 0) return false;
    *path = *version = '\0';
    r->method = line;
    r->path = path + 1;
    return true;
}

// The value of "Name: value"; NULL when the line has another name.
static char *value_of(char *line, const char *name)
{
    const size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':') return NULL;
    char *value = line + length + 1 + strspn(line + length + 1, " \t");
    for (size_t n = strlen(value); n > 0 && (value[n - 1] == ' ' || value[n - 1] == '\t'); n--) value[n - 1] = '\0';
    return value;
}

// A header that is given twice is a sign of nothing good.
static bool read_header(char *line, request *r)
{
    const struct {
        const char *name, **to;
    } known[] = {{"Host", &r->host},
                 {"Origin", &r->origin},
                 {"Sec-WebSocket-Key", &r->key},
                 {"Sec-WebSocket-Version", &r->version}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *value = value_of(line, known[i].name);
        if (value && *known[i].to) return false;
        *known[i].to = value ? value : *known[i].to;
    }
    const char *upgrade = value_of(line, "Upgrade");
    r->upgrades = r->upgrades || (upgrade && strcasecmp(upgrade, "websocket") == 0);
    return strchr(line, ':') && line[0] != ' ' && line[0] != '\t' && !value_of(line, "Transfer-Encoding") &&
           !value_of(line, "Content-Length");
}

input connection_next_request(connection *c, request *r)
{
    char *text = c->in + c->in_used, *line;
    c->in[c->in_length] = '\0';
    const char *end = strstr(text, "\r\n\r\n");
    if (!end) {
        const bool whole = strlen(text) == c->in_length - c->in_used; // no zero byte
        return whole && c->in_length < INPUT_ROOM ? INPUT_WAITS : INPUT_WRONG;
    }
    c->in_used = (size_t)(end - c->in) + 4;
    *r = (request){0};
    line = cut_line(text, &text);
    bool good = read_first_line(line, r);
    while (good && (line = cut_line(text, &text)) && *line) good = read_header(line, r);
    return good ? INPUT_READY : INPUT_WRONG;
}

// ---- WebSocket ------------------------------------------------------------------------------------------------------

void connection_send_message(connection *c, int kind, const void *bytes, size_t count)
{
    unsigned char head[10] = {(unsigned char)(0x80 | kind)};
    size_t length = 2;
    if (count < 126) {
        head[1] = (unsigned char)count;
    } else if (count <= UINT16_MAX) {
        head[1] = 126;
        length = 4;
    } else {
        head[1] = 127;
        length = 10;
    }
    for (size_t i = 2; i < length; i++) head[i] = (unsigned char)((uint64_t)count >> (8 * (length - 1 - i)));
    connection_send(c, head, length);
    connection_send(c, bytes, count);
}

static void handle(connection *c, int kind, message *m, size_t count)
{
    m->is_command = kind == MESSAGE_TEXT;
    if (kind == MESSAGE_PING) {
        connection_send_message(c, MESSAGE_PONG, m->text, count);
    } else if (kind == MESSAGE_CLOSE) {
        connection_send_message(c, MESSAGE_CLOSE, m->text, count < 2 ? 0 : 2);
        c->closing = true;
    }
}

// One frame: whole, masked and short, as our page sends them. Anything else is wrong.
input connection_next_message(connection *c, message *m)
{
    const unsigned char *in = (const unsigned char *)c->in + c->in_used;
    const size_t have = c->in_length - c->in_used;
    if (have < 2) return INPUT_WAITS;
    const int kind = in[0] & 0x0f;
    const bool known = kind == MESSAGE_TEXT || (kind >= MESSAGE_CLOSE && kind <= MESSAGE_PONG);
    size_t count = in[1] & 0x7f, head = 2;
    if ((in[0] & 0xf0) != 0x80 || !known || !(in[1] & 0x80) || count == 127 || (kind >= 8 && count > 125))
        return INPUT_WRONG;
    if (count == 126) {
        if (have < 4) return INPUT_WAITS;
        count = (size_t)in[2] << 8 | in[3];
        head = 4;
    }
    if (count > MESSAGE_MOST) return INPUT_WRONG;
    if (have < head + 4 + count) return INPUT_WAITS;
    for (size_t i = 0; i < count; i++) m->text[i] = (char)(in[head + 4 + i] ^ in[head + i % 4]);
    m->text[count] = '\0';
    c->in_used += head + 4 + count;
    handle(c, kind, m, count);
    return INPUT_READY;
}
