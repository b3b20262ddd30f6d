// One recorded motion: the model's bodies, shapes and joints, and tables of numbers over time.

import { BadData, FieldMeta, Numbers, fromBase64, inflate, readField, size } from "./codec";

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface Shape {
    type: string;
    position: Vec3; // from the centre of mass, body axes
    orientation: Quat;
    axis?: Vec3;
    size?: Vec3;
    radius?: number;
    length?: number;
    points?: number[]; // of a hull, or the corners of a mesh's triangles
    heights?: number[];
    rows?: number;
    columns?: number;
    color?: string;
    collide?: boolean;
}

export interface Body {
    name: string;
    fixed: boolean;
    mass: number;
    volume: number;
    inertia: number[];
    com: Vec3;
    shapes: Shape[];
}

// Surfaces that roll on each other: of a a plane, sphere or cylinder; of b the support |D m| + rho (src/joints/rolling.h).
export interface Touch {
    surface: "plane" | "sphere" | "cylinder";
    side: number; // 1: b is outside, -1: inside
    rho: number;
    squares: Vec3; // of the semi-axes D
    axes: Vec3[]; // x, y, z of its frame in b
}

export interface Joint {
    name: string;
    type: string;
    mark: string; // what it looks like: ball, pin, rod, slider, plate, ring, block, none
    hold: string; // what the world holds a body with: knob, rail, none
    a: number; // body index, -1: the world
    b: number;
    anchor_a: Vec3; // from the centres of mass, body axes
    anchor_b: Vec3;
    axis_a: Vec3;
    axis_b: Vec3;
    touch?: Touch;
}

export interface Spring {
    name: string;
    type: string;
    mark: string; // how it is drawn between its points: coil, cord
    a: number;
    b: number;
    point_a: Vec3;
    point_b: Vec3;
}

export interface Scene {
    gravity: Vec3;
    contact?: boolean; // bodies collide
    bodies: Body[];
    joints: Joint[];
    forces: Spring[];
}

export interface ResultMeta {
    file: string;
    name: string;
    scheme: string;
    step: number;
    scene: Scene; // of a recorded result packed, beside its motion
    text?: string;
    notes: string[];
    fields: FieldMeta[];
    stress_bodies?: number[];
}

export interface PageMeta {
    format: string;
    version: number;
    live?: boolean; // a program behind a socket moves it,
    token?: string;
    simulates?: boolean; // or the core in this page
    settings?: string;
    files?: string[];
    results: ResultMeta[];
}

export interface Field {
    channels: number;
    data: Numbers;
}

export const PAGE_VERSION = 1;

export class Result {
    fields = new Map<string, Field>();
    frames = 0;
    contactStart: Uint32Array | null = null;

    constructor(readonly meta: ResultMeta) {}

    get scene(): Scene {
        return this.meta.scene;
    }

    get label(): string {
        return `${this.meta.scheme}, ${formatStep(this.meta.step)}`;
    }

    field(name: string): Field | undefined {
        return this.fields.get(name);
    }

    get time(): Numbers {
        return this.fields.get("time")!.data;
    }

    get start(): number {
        return this.frames ? this.time[0] : 0;
    }

    get end(): number {
        return this.frames ? this.time[this.frames - 1] : 0;
    }

    // The last frame at or before t.
    frameAt(t: number): number {
        const time = this.time;
        let low = 0;
        let high = this.frames - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (time[middle] <= t) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    position(body: number, frame: number): Vec3 {
        const x = this.fields.get("position")!.data;
        const i = 3 * (frame * this.scene.bodies.length + body);
        return [x[i], x[i + 1], x[i + 2]];
    }

    orientation(body: number, frame: number): Quat {
        const q = this.fields.get("orientation")!.data;
        const i = 4 * (frame * this.scene.bodies.length + body);
        return [q[i], q[i + 1], q[i + 2], q[i + 3]];
    }

    // Of the centre of mass; from the velocities where there are any, else from neighbouring positions.
    speed(body: number, frame: number): number {
        const n = this.scene.bodies.length;
        const v = this.fields.get("velocity")?.data;
        if (v) {
            const i = 3 * (frame * n + body);
            return Math.hypot(v[i], v[i + 1], v[i + 2]);
        }
        const before = Math.max(0, frame - 1);
        const after = Math.min(this.frames - 1, frame + 1);
        const dt = this.time[after] - this.time[before];
        if (!(dt > 0)) return 0;
        const x = this.fields.get("position")!.data;
        const i = 3 * (before * n + body);
        const j = 3 * (after * n + body);
        return Math.hypot(x[j] - x[i], x[j + 1] - x[i + 1], x[j + 2] - x[i + 2]) / dt;
    }

    async load(base64: string): Promise<void> {
        const bytes = await inflate(fromBase64(base64));
        let at = 0;
        for (const meta of this.meta.fields) {
            const next = at + size(meta);
            if (next > bytes.length) throw new BadData("the packed motion ends too early: the file is damaged");
            this.fields.set(meta.name, { channels: meta.channels, data: readField(meta, bytes, at) });
            at = next;
        }
        this.checkShape();
    }

    private checkShape(): void {
        const bodies = this.scene.bodies.length;
        const time = this.fields.get("time");
        this.frames = time ? time.data.length : 0;
        if (this.frames === 0) throw new BadData("this result has no frames: the run ended before the first was recorded");
        for (const [name, width] of [["position", 3], ["orientation", 4]] as const) {
            if (this.fields.get(name)?.data.length !== this.frames * bodies * width) {
                throw new BadData(`the ${name}s of this result do not fit its bodies: the file is damaged`);
            }
        }
        const count = this.fields.get("contacts.count");
        if (count) {
            this.contactStart = new Uint32Array(this.frames + 1);
            for (let f = 0; f < this.frames; f++) this.contactStart[f + 1] = this.contactStart[f] + count.data[f];
        }
    }
}

export function formatStep(h: number): string {
    if (!(h > 0)) return "";
    return h < 1e-3 ? `${+(h * 1e6).toPrecision(4)} µs` : h < 1 ? `${+(h * 1e3).toPrecision(4)} ms` : `${+h.toPrecision(4)} s`;
}

export function readPageMeta(): PageMeta {
    const element = document.getElementById("polhode-meta");
    if (!element) {
        throw new BadData("this page is empty: it is the template that 'polhode view RESULT -o page.html' fills");
    }
    let meta: PageMeta;
    try {
        meta = JSON.parse(element.textContent ?? "");
    } catch {
        throw new BadData("the description of the results in this page is damaged");
    }
    if (meta?.format !== "polhode page") throw new BadData("what stands in this page is not a Polhode result");
    if (meta.version !== PAGE_VERSION) {
        throw new BadData(`the data in this page has version ${meta.version}; this viewer reads version ${PAGE_VERSION}`);
    }
    if (!Array.isArray(meta.results) || meta.results.length === 0) throw new BadData("there is no result in this page");
    return meta;
}

export function takeText(id: string, what: string): string {
    const element = document.getElementById(id);
    if (!element) throw new BadData(`${what} is missing from this page: the file is cut off`);
    element.remove(); // the text is not needed any more
    return element.textContent ?? "";
}

async function readScene(base64: string): Promise<Scene> {
    const bytes = await inflate(fromBase64(base64));
    try {
        return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
        throw new BadData("the model in this page is damaged");
    }
}

export async function loadResults(meta: PageMeta): Promise<Result[]> {
    const results: Result[] = [];
    for (let i = 0; i < meta.results.length; i++) {
        const scene = await readScene(takeText(`polhode-scene-${i}`, "the model"));
        const result = new Result({ ...meta.results[i], scene });
        await result.load(takeText(`polhode-data-${i}`, "the motion"));
        results.push(result);
    }
    return results;
}
