// Random tokens, and the answer key of a WebSocket handshake (RFC 6455, 4.2.2).
#ifndef CLI_LIVE_KEY_H
#define CLI_LIVE_KEY_H

#include <stdbool.h>
#include <stddef.h>

enum { TOKEN_ROOM = 33, ANSWER_ROOM = 29 };

// 128 random bits as 32 hexadecimal digits. False when the system gives none.
bool make_token(char token[TOKEN_ROOM]);

// base64(SHA-1(key followed by the protocol's own text)). A key is 24 characters long.
void make_answer(const char *key, char answer[ANSWER_ROOM]);

// Takes equally long for every guess of the same length.
bool same_secret(const char *a, const char *b, size_t length);

#endif
