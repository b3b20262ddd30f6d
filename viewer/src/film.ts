// Films of the motion: WebM by the browser's own recorder, or every picture as PNG in one archive.

import type { Stage } from "./stage";

const RATE = 30; // pictures a second

function save(data: Blob, name: string): void {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(data);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60_000);
}

// ---- Archives: tar, which needs no packing --------------------------------------------------------------------------

function header(name: string, size: number): Uint8Array {
    const out = new Uint8Array(512);
    const put = (text: string, at: number) => out.set(new TextEncoder().encode(text), at);
    put(name, 0);
    put("0000644\0" + "0000000\0" + "0000000\0" + size.toString(8).padStart(11, "0") + "\0" + "00000000000\0", 100);
    put("        0", 148);
    put("ustar\x0000", 257);
    const sum = out.reduce((n, b) => n + b, 0);
    put(sum.toString(8).padStart(6, "0") + "\0 ", 148);
    return out;
}

export function tarOf(files: { name: string; data: Uint8Array }[]): Blob {
    const parts: BlobPart[] = [];
    for (const { name, data } of files) parts.push(header(name, data.length) as BlobPart, data as BlobPart, new Uint8Array((512 - (data.length % 512)) % 512));
    return new Blob([...parts, new Uint8Array(1024)], { type: "application/x-tar" });
}

// ---- Films ----------------------------------------------------------------------------------------------------------

export interface Span {
    start: number;
    end: number;
    speed: number;
}

export class Film {
    private stopped = false;
    running = false;

    constructor(private readonly stage: Stage, private readonly seek: (t: number) => void, private readonly tell: (text: string) => void) {}

    stop(): void {
        this.stopped = true;
    }

    private *times({ start, end, speed }: Span): Generator<number> {
        const count = Math.max(1, Math.round(((end - start) / speed) * RATE));
        for (let i = 0; i <= count && !this.stopped; i++) {
            this.tell(`${Math.round((100 * i) / count)} %`);
            yield start + ((end - start) * i) / count;
        }
    }

    async pictures(span: Span, name: string): Promise<number> {
        const files: { name: string; data: Uint8Array }[] = [];
        this.begin();
        for (const t of this.times(span)) {
            this.seek(t);
            const blob = await (await fetch(this.stage.picture())).blob().catch(() => null);
            if (blob) files.push({ name: `${name}_${String(files.length).padStart(5, "0")}.png`, data: new Uint8Array(await blob.arrayBuffer()) });
        }
        this.end(files.length > 0 ? tarOf(files) : null, `${name}.tar`);
        return files.length;
    }

    async webm(span: Span, name: string): Promise<number> {
        const stream = this.stage.canvas.captureStream(RATE);
        const recorder = new MediaRecorder(stream, { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
        const parts: Blob[] = [];
        recorder.ondataavailable = (e) => parts.push(e.data);
        const done = new Promise((resolve) => (recorder.onstop = resolve));
        this.begin();
        recorder.start();
        for (const t of this.times(span)) {
            this.seek(t);
            this.stage.picture();
            await new Promise((resolve) => setTimeout(resolve, 1000 / RATE));
        }
        recorder.stop();
        await done;
        const film = new Blob(parts, { type: "video/webm" });
        this.end(film, `${name}.webm`);
        return film.size;
    }

    private begin(): void {
        this.stopped = false;
        this.running = true;
    }

    private end(data: Blob | null, name: string): void {
        this.running = false;
        this.tell("");
        if (data && !this.stopped) save(data, name);
    }
}
