// Random tokens, and the answer key of a WebSocket handshake. See live_key.h.

#include "live_key.h"

#include "base/system.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool make_token(char token[TOKEN_ROOM])
{
    unsigned char bits[16];
    const bool good = system_random(bits, sizeof bits);
    for (size_t i = 0; good && i < sizeof bits; i++) snprintf(token + 2 * i, 3, "%02x", bits[i]);
    return good;
}

bool same_secret(const char *a, const char *b, size_t length)
{
    unsigned difference = 0;
    for (size_t i = 0; i < length; i++) difference |= (unsigned)((unsigned char)a[i] ^ (unsigned char)b[i]);
    return difference == 0;
}

// ---- SHA-1 (FIPS 180-4), of short texts -----------------------------------------------------------------------------

static uint32_t rotate_left(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void add_block(uint32_t h[5], const unsigned char block[64])
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 | (uint32_t)block[4 * t + 2] << 8 |
               block[4 * t + 3];
    }
    for (int t = 16; t < 80; t++) w[t] = rotate_left(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    for (int t = 0; t < 80; t++) {
        const uint32_t f = t < 20 ? (b & c) | (~b & d) : t >= 40 && t < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        static const uint32_t K[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
        const uint32_t next = rotate_left(a, 5) + f + e + K[t / 20] + w[t];
        e = d;
        d = c;
        c = rotate_left(b, 30);
        b = a;
        a = next;
    }
    const uint32_t sum[5] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++) h[i] += sum[i];
}

// Of at most 119 bytes: two blocks.
static void sha1_short(const char *text, size_t length, unsigned char digest[20])
{
    unsigned char blocks[128] = {0};
    const size_t count = length < 56 ? 1 : 2;
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    memcpy(blocks, text, length);
    blocks[length] = 0x80;
    blocks[64 * count - 2] = (unsigned char)(8 * length >> 8);
    blocks[64 * count - 1] = (unsigned char)(8 * length);
    for (size_t i = 0; i < count; i++) add_block(h, blocks + 64 * i);
    for (int i = 0; i < 20; i++) digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void make_answer(const char *key, char answer[ANSWER_ROOM])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[64];
    unsigned char digest[21] = {0}; // 20 bytes and one of padding
    snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    sha1_short(text, strlen(text), digest);
    for (int i = 0; i < 7; i++) {
        const uint32_t word = (uint32_t)digest[3 * i] << 16 | (uint32_t)digest[3 * i + 1] << 8 | digest[3 * i + 2];
        for (int k = 0; k < 4; k++) answer[4 * i + k] = letters[word >> (18 - 6 * k) & 63];
    }
    answer[27] = '=';
    answer[28] = '\0';
}
