// Polhode in JavaScript: the same core as the program's, as WebAssembly, with the same bits.
//
//     const polhode = await load(await fetch("polhode.wasm"));
//     const model = polhode.model({ polhode: 1, gravity: [0, 0, -9.81], bodies: [...], joints: [...], run: { step: 1e-3 } });
//     const simulation = model.simulation({ scheme: "rattlie" });
//     simulation.step(1000);
//     simulation.positions; // Float64Array, x y z of each body's centre of mass

import { Files, wasi } from "./wasi.js";

export type { Files } from "./wasi.js";

/** What the core refuses or cannot do, in a sentence for a person. */
export class PolhodeError extends Error {}

export interface ModelOptions {
    /** For messages. */
    name?: string;
    /** Parameters, inputs and starts of joints, as `polhode run --set`: numbers or expressions. */
    settings?: Record<string, number | string>;
}

export interface SimulationOptions {
    /** Name of the scheme with its options, `lie-alpha:rho=0.8`; as the model says when it is left out. */
    scheme?: string;
    /** Length of a step in seconds; as the model says when it is left out. */
    step?: number;
}

export interface Value {
    name: string;
    value: number;
    /** As the model file has it. */
    start: number;
}

/** What has changed in a simulation. */
export interface News {
    paused: boolean;
    speed: number;
    message: string;
    scheme: string;
    step: number;
    /** It begins again: what was seen so far is over. */
    reset: boolean;
    parameters: Value[];
    inputs: Value[];
    /** New geometry, where a parameter has changed it. */
    scene?: unknown;
}

export interface Description extends News {
    name: string;
    columns: { name: string; channels: number }[];
    stress_bodies: number[];
    keyframes: string[];
    schemes: string[];
    scene: unknown;
}

interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    polhode_allocate(bytes: number): number;
    polhode_release(at: number): void;
    polhode_failure(): number;
    polhode_version(): number;
    polhode_model(text: number, length: number, name: number, settings: number): number;
    polhode_model_destroy(model: number): void;
    polhode_live(model: number, scheme: number, step: number): number;
    polhode_live_destroy(live: number): void;
    polhode_command(live: number, text: number): number;
    polhode_advance(live: number, clock: number, most: number): number;
    polhode_step(live: number, count: number): number;
    polhode_frame(live: number): number;
    polhode_frame_bytes(): number;
    polhode_describe(live: number): number;
    polhode_news(live: number): number;
    polhode_paused(live: number): number;
    polhode_unseen(live: number): number;
    polhode_time(live: number): number;
    polhode_bodies(live: number): number;
    polhode_array(live: number, which: number): number;
    polhode_touch(live: number): void;
}

/** One core: models and simulations that share its memory. */
export class Polhode {
    /** Files that models name (meshes, height fields), by their name in the model. */
    readonly files: Files = new Map();
    /** @internal */
    core!: Exports;

    /** @internal */
    static async start(module: WebAssembly.Module): Promise<Polhode> {
        const made = new Polhode();
        const imports = { wasi_snapshot_preview1: wasi(() => new DataView(made.core.memory.buffer), made.files) };
        const instance = await WebAssembly.instantiate(module, imports as unknown as WebAssembly.Imports);
        made.core = instance.exports as unknown as Exports;
        made.core._initialize();
        return made;
    }

    get version(): string {
        return this.text(this.core.polhode_version());
    }

    /** Reads a model: the text of a JSON model file, or what stands in one. Throws with every mistake in it. */
    model(source: string | object, options: ModelOptions = {}): Model {
        const text = typeof source === "string" ? source : JSON.stringify(source);
        const settings = Object.entries(options.settings ?? {}).map(([k, v]) => `${k}=${v}\n`).join("");
        const bytes = new TextEncoder().encode(text).length;
        const handle = this.with([text, options.name ?? "model", settings], ([t, n, s]) => this.core.polhode_model(t, bytes, n, s));
        if (!handle) throw this.failure();
        return new Model(this, handle);
    }

    /** @internal */
    text(at: number): string {
        const bytes = new Uint8Array(this.core.memory.buffer);
        return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
    }

    /** @internal */
    failure(): PolhodeError {
        return new PolhodeError(this.text(this.core.polhode_failure()).trim());
    }

    /** @internal Calls with texts in the core's memory. */
    with<T>(texts: string[], call: (at: number[]) => T): T {
        const places = texts.map((text) => {
            const bytes = new TextEncoder().encode(text);
            const at = this.core.polhode_allocate(bytes.length + 1);
            if (!at) throw new PolhodeError("out of memory");
            const room = new Uint8Array(this.core.memory.buffer, at, bytes.length + 1);
            room.set(bytes);
            room[bytes.length] = 0;
            return at;
        });
        try {
            return call(places);
        } finally {
            for (const at of places) this.core.polhode_release(at);
        }
    }
}

/** A compiled model. */
export class Model {
    /** @internal */
    constructor(readonly polhode: Polhode, private handle: number) {}

    simulation(options: SimulationOptions = {}): Simulation {
        const handle = this.polhode.with([options.scheme ?? ""], ([s]) => this.polhode.core.polhode_live(this.handle, s, options.step ?? 0));
        if (!handle) throw this.polhode.failure();
        return new Simulation(this.polhode, handle);
    }

    /** Gives its memory back; its simulations must be gone. */
    free(): void {
        this.polhode.core.polhode_model_destroy(this.handle);
        this.handle = 0;
    }
}

/** A model that moves under one scheme. */
export class Simulation {
    /** @internal */
    constructor(readonly polhode: Polhode, private handle: number) {}

    /** Makes steps. Throws where one fails; the state is then that of the last good one. */
    step(count = 1): void {
        if (this.core.polhode_step(this.handle, count) < count) throw this.polhode.failure();
    }

    get time(): number {
        return this.core.polhode_time(this.handle);
    }

    get bodies(): number {
        return this.core.polhode_bodies(this.handle);
    }

    /** Centres of mass, world: x, y, z of each body. The arrays are copies of the state as it is now. */
    get positions(): Float64Array {
        return this.array(0, 3);
    }

    /** Unit quaternions w, x, y, z from body to world. */
    get orientations(): Float64Array {
        return this.array(1, 4);
    }

    /** Of the centres of mass, world. */
    get velocities(): Float64Array {
        return this.array(2, 3);
    }

    /** Body frame. */
    get angularVelocities(): Float64Array {
        return this.array(3, 3);
    }

    /** Sets a parameter (the model is made anew, the motion goes on) or an input (acts from the next step on). */
    set(name: string, value: number): void {
        if (!this.command(`set ${name} ${value}`)) throw new PolhodeError(this.news()?.message || `'${name}' cannot be set to ${value}`);
    }

    /** Back to the start, or to a keyframe of the model. */
    reset(keyframe = ""): void {
        if (!this.command(keyframe ? `reset ${keyframe}` : "reset")) throw new PolhodeError(`there is no keyframe '${keyframe}'`);
    }

    /** Pulls with a spring at a point of a body (from its centre of mass, body axes) towards a point in the world. */
    pull(body: number, point: ArrayLike<number>, target: ArrayLike<number>): void {
        this.command(`drag ${body} ${Array.from(point).join(" ")} ${Array.from(target).join(" ")}`);
    }

    release(): void {
        this.command("release");
    }

    /** For viewers: one command as in polhode/live.h. False: it is none, or could not be carried out. */
    command(text: string): boolean {
        return this.polhode.with([text], ([t]) => this.core.polhode_command(this.handle, t)) !== 0;
    }

    /** For viewers: steps until it has caught up with a clock (seconds), for `most` seconds of work. How many steps it made. */
    advance(clock: number, most: number): number {
        return this.core.polhode_advance(this.handle, clock, most);
    }

    get paused(): boolean {
        return this.core.polhode_paused(this.handle) !== 0;
    }

    /** Frames that the viewer has not said to have seen. */
    get unseen(): number {
        return this.core.polhode_unseen(this.handle);
    }

    /** A frame as polhode/live.h describes it; a copy. */
    frame(): ArrayBuffer {
        const at = this.core.polhode_frame(this.handle);
        return this.core.memory.buffer.slice(at, at + this.core.polhode_frame_bytes()) as ArrayBuffer;
    }

    describe(): Description {
        return JSON.parse(this.polhode.text(this.core.polhode_describe(this.handle)));
    }

    news(): News | null {
        const at = this.core.polhode_news(this.handle);
        return at ? JSON.parse(this.polhode.text(at)) : null;
    }

    free(): void {
        this.core.polhode_live_destroy(this.handle);
        this.handle = 0;
    }

    private get core(): Exports {
        return this.polhode.core;
    }

    private array(which: number, width: number): Float64Array {
        return new Float64Array(this.core.memory.buffer, this.core.polhode_array(this.handle, which), width * this.bodies).slice();
    }
}

/** Starts a core from polhode.wasm: its bytes, a response of fetch, or a module compiled before. */
export async function load(source: BufferSource | Response | WebAssembly.Module): Promise<Polhode> {
    if (source instanceof WebAssembly.Module) return Polhode.start(source);
    const bytes = typeof Response !== "undefined" && source instanceof Response ? await source.arrayBuffer() : (source as BufferSource);
    return Polhode.start(await WebAssembly.compile(bytes));
}
