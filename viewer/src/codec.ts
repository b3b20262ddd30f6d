// The numbers of a result as the program packs them (src/io/page_pack.c).
//
// A field is a table of `frames` rows and `channels` columns. Its bytes are stored plane by plane, the highest byte of
// every number first, and within a plane column after column. With code "q" a number is offset + scale k, and what is
// stored of the integers k are their second differences along a column, modulo 2^32 and folded so that small ones of
// either sign are small. With code "f" they are 32-bit floats.

export interface FieldMeta {
    name: string;
    frames: number;
    channels: number;
    code: "q" | "f";
    width: number; // bytes of a number
    offset: number;
    scale: number;
}

export type Numbers = Float32Array | Float64Array;

export class BadData extends Error {}

export function checkBrowser(): void {
    if (typeof DecompressionStream === "undefined") throw new BadData("this browser is too old: it cannot unpack the motion (DecompressionStream is missing)");
}

const DOUBLE_ROOM = 4_000_000; // larger tables are kept in single precision

export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
    const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
    try {
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new BadData("what is packed in this page is damaged and cannot be unpacked");
    }
}

export function fromBase64(text: string): Uint8Array {
    let binary: string;
    try {
        binary = atob(text.trim());
    } catch {
        throw new BadData("what is packed in this page is not base64: the file is damaged");
    }
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

function gather(bytes: Uint8Array, at: number, stride: number, width: number): number {
    let u = 0;
    for (let plane = 0; plane < width; plane++) u = (u << 8) | bytes[at + plane * stride];
    return u >>> 0;
}

function readIntegers(meta: FieldMeta, bytes: Uint8Array, at: number, out: Numbers): void {
    const { frames, channels, width, offset, scale } = meta;
    const stride = frames * channels;
    for (let c = 0; c < channels; c++) {
        let value = 0;
        let slope = 0;
        for (let f = 0; f < frames; f++) {
            const folded = gather(bytes, at + c * frames + f, stride, width);
            const change = (folded >>> 1) ^ -(folded & 1);
            slope = (slope + change) | 0;
            value = (value + slope) | 0;
            out[f * channels + c] = offset + scale * value;
        }
    }
}

function readFloats(meta: FieldMeta, bytes: Uint8Array, at: number, out: Numbers): void {
    const { frames, channels } = meta;
    const stride = frames * channels;
    const word = new Uint32Array(1);
    const float = new Float32Array(word.buffer);
    for (let c = 0; c < channels; c++) {
        for (let f = 0; f < frames; f++) {
            word[0] = gather(bytes, at + c * frames + f, stride, 4);
            out[f * channels + c] = float[0];
        }
    }
}

// Reads the field at `at`; the next one begins size(meta) bytes later.
export function readField(meta: FieldMeta, bytes: Uint8Array, at: number): Numbers {
    const count = meta.frames * meta.channels;
    const out = count > DOUBLE_ROOM ? new Float32Array(count) : new Float64Array(count);
    if (meta.code === "q") readIntegers(meta, bytes, at, out);
    else readFloats(meta, bytes, at, out);
    return out;
}

export function size(meta: FieldMeta): number {
    const whole = (x: number) => Number.isInteger(x) && x >= 0;
    if (!whole(meta.frames) || !whole(meta.channels) || !whole(meta.width) || meta.width > 4) {
        throw new BadData(`the field ${meta.name} is described wrongly: the file is damaged`);
    }
    return meta.frames * meta.channels * meta.width;
}
