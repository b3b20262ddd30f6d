#!/usr/bin/env python3
"""Writes src/io/plot/font_outlines.h: the outlines of the letters that figures use, from a TrueType font.

usage: tools/font_outlines.py /usr/share/fonts/truetype/dejavu/DejaVuSansCondensed.ttf > src/io/plot/font_outlines.h
"""
import struct
import sys

CODES = (list(range(0x20, 0x7F)) + list(range(0xA1, 0x100)) + list(range(0x391, 0x3CA)) +
         [0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026, 0x2032, 0x2033, 0x2016, 0x2202, 0x2206, 0x2207, 0x2211,
          0x2212, 0x221A, 0x221D, 0x221E, 0x222B, 0x2248, 0x2260, 0x2264, 0x2265, 0x2190, 0x2192, 0x22C5, 0x2070, 0x2074,
          0x2075, 0x2076, 0x2077, 0x2078, 0x2079, 0x207B] + list(range(0x2080, 0x208A)) + [0xFFFD])


class Font:
    def __init__(self, data):
        self.data = data
        count = struct.unpack_from(">H", data, 4)[0]
        self.tables = {}
        for i in range(count):
            tag, _, offset, length = struct.unpack_from(">4sLLL", data, 12 + 16 * i)
            self.tables[tag.decode()] = offset
        head = self.tables["head"]
        self.units = struct.unpack_from(">H", data, head + 18)[0]
        self.long_offsets = struct.unpack_from(">h", data, head + 50)[0] == 1
        self.metrics = struct.unpack_from(">H", data, self.tables["hhea"] + 34)[0]
        self.map = self.read_map()

    def read_map(self):
        base = self.tables["cmap"]
        for i in range(struct.unpack_from(">H", self.data, base + 2)[0]):
            platform, encoding, offset = struct.unpack_from(">HHL", self.data, base + 4 + 8 * i)
            if platform == 3 and encoding == 1:
                return self.read_segments(base + offset)
        raise SystemExit("the font has no Unicode map")

    def read_segments(self, at):  # format 4
        segments = struct.unpack_from(">H", self.data, at + 6)[0] // 2
        read = lambda k, f: struct.unpack_from(">%d%s" % (segments, f), self.data, at + k)
        ends, starts = read(14, "H"), read(16 + 2 * segments, "H")
        deltas, ranges_at = read(16 + 4 * segments, "h"), at + 16 + 6 * segments
        glyphs = {}
        for i in range(segments):
            offset = struct.unpack_from(">H", self.data, ranges_at + 2 * i)[0]
            for code in range(starts[i], ends[i] + 1):
                if offset == 0:
                    glyph = (code + deltas[i]) & 0xFFFF
                else:
                    glyph = struct.unpack_from(">H", self.data, ranges_at + 2 * i + offset + 2 * (code - starts[i]))[0]
                    glyph = (glyph + deltas[i]) & 0xFFFF if glyph else 0
                glyphs[code] = glyph
        return glyphs

    def advance(self, glyph):
        return struct.unpack_from(">H", self.data, self.tables["hmtx"] + 4 * min(glyph, self.metrics - 1))[0]

    def contours(self, glyph):
        loca, glyf = self.tables["loca"], self.tables["glyf"]
        if self.long_offsets:
            begin, end = struct.unpack_from(">LL", self.data, loca + 4 * glyph)
        else:
            begin, end = (2 * x for x in struct.unpack_from(">HH", self.data, loca + 2 * glyph))
        if begin == end:
            return []
        count = struct.unpack_from(">h", self.data, glyf + begin)[0]
        return self.simple(glyf + begin + 10, count) if count >= 0 else self.composite(glyf + begin + 10)

    def simple(self, at, count):
        ends = struct.unpack_from(">%dH" % count, self.data, at)
        at += 2 * count
        at += 2 + struct.unpack_from(">H", self.data, at)[0]
        flags = []
        while len(flags) <= ends[-1]:
            flag = self.data[at]
            at += 1
            repeat = 1
            if flag & 8:
                repeat += self.data[at]
                at += 1
            flags += [flag] * repeat
        axes = []
        for short, same in ((2, 16), (4, 32)):
            value, values = 0, []
            for flag in flags:
                if flag & short:
                    value += self.data[at] if flag & same else -self.data[at]
                    at += 1
                elif not flag & same:
                    value += struct.unpack_from(">h", self.data, at)[0]
                    at += 2
                values.append(value)
            axes.append(values)
        points = [(x, y, flag & 1) for x, y, flag in zip(*axes, flags)]
        return [points[a:b + 1] for a, b in zip((0,) + tuple(e + 1 for e in ends), ends)]

    def composite(self, at):
        result = []
        while True:
            flags, glyph = struct.unpack_from(">HH", self.data, at)
            at += 4
            dx, dy = struct.unpack_from(">hh" if flags & 1 else ">bb", self.data, at)
            at += 4 if flags & 1 else 2
            a, b, c, d = 1.0, 0.0, 0.0, 1.0
            if flags & 8:
                a = d = struct.unpack_from(">h", self.data, at)[0] / 16384
                at += 2
            elif flags & 64:
                a, d = (x / 16384 for x in struct.unpack_from(">hh", self.data, at))
                at += 4
            elif flags & 128:
                a, b, c, d = (x / 16384 for x in struct.unpack_from(">hhhh", self.data, at))
                at += 8
            for contour in self.contours(glyph):
                result.append([(round(a * x + c * y + dx), round(b * x + d * y + dy), on) for x, y, on in contour])
            if not flags & 32:
                return result


def main():
    font = Font(open(sys.argv[1], "rb").read())
    glyphs, numbers = [], []
    for code in sorted(set(CODES)):
        glyph = font.map.get(code, 0)
        if glyph:
            first = len(numbers)
            for contour in font.contours(glyph):
                numbers.append(len(contour))
                for x, y, on in contour:
                    numbers += [x, 2 * y + on]
            glyphs.append((code, font.advance(glyph), first, len(numbers) - first))
    print("// Made by tools/font_outlines.py from DejaVu Sans Condensed; do not edit. Licence: docs/licences/dejavu.txt.")
    print("// A contour is its number of points, then for each x and 2 y + 1 (on the curve) or 2 y (control point).")
    print("#ifndef PH_IO_FONT_OUTLINES_H\n#define PH_IO_FONT_OUTLINES_H\n\n#include <stdint.h>\n")
    print("// clang-format off")
    print("enum { FONT_UNITS = %d, FONT_GLYPHS = %d };\n" % (font.units, len(glyphs)))
    print("static const struct font_glyph {\n    uint16_t code, advance;\n    uint32_t first, count;\n} font_glyphs[] = {")
    for i in range(0, len(glyphs), 6):
        print("    " + " ".join("{0x%04x, %d, %d, %d}," % g for g in glyphs[i:i + 6]))
    print("};\n\nstatic const int16_t font_numbers[] = {")
    line = "   "
    for n in numbers:
        if len(line) > 114:
            print(line)
            line = "   "
        line += " %d," % n
    print(line + "\n};\n// clang-format on\n\n#endif")


main()
