// A simulation that runs now, in this page or behind a WebSocket: frames and news come, commands go back. Both speak the same:
// include/polhode/live.h.

import type { Description, News } from "../../npm/src/index";
import type { Numbers } from "./codec";
import { Result, ResultMeta, Scene } from "./result";

const SCALARS = 13;
const PER_BODY = 13;
const PER_CONTACT = 6;
const MOST_FRAMES = 40_000;
const MOST_NUMBERS = 30_000_000; // kept of body motion
const MOST_CONTACTS = 3_000_000;
const CONTACT_FIELDS = ["contacts.point", "contacts.force"];

interface Column {
    name: string;
    channels: number;
}

export interface Recording {
    running: boolean;
    file: string;
    rows: number;
    message: string;
}

// How the page reaches the simulation.
export interface Transport {
    readonly kind: "server" | "page";
    send(command: string): void;
    onMessage: (data: string | ArrayBuffer) => void;
    onEnd: (why: string) => void;
}

export class LiveResult extends Result {
    private room = 0;
    private readonly most: number;
    private readonly columns: Column[];
    private first: number[] = []; // energy and momenta at the start
    private rebase = false; // other values of parameters: errors go on from where they were
    private readonly more: Column[]; // what this model has beyond the common

    constructor(meta: ResultMeta, description: Description) {
        super(meta);
        const bodies = meta.scene.bodies.length;
        this.most = Math.max(200, Math.min(MOST_FRAMES, Math.floor(MOST_NUMBERS / (PER_BODY * bodies))));
        this.columns = [
            ...["time", "energy.kinetic", "energy.potential", "energy.work", "energy.total", "violation.position", "violation.velocity", "energy.error"].map((name) => ({ name, channels: 1 })),
            ...["momentum.linear", "momentum.angular", "momentum.linear_change", "momentum.angular_change"].map((name) => ({ name, channels: 3 })),
            { name: "position", channels: 3 * bodies }, { name: "orientation", channels: 4 * bodies },
            { name: "velocity", channels: 3 * bodies }, { name: "angular_velocity", channels: 3 * bodies },
        ];
        this.more = description.columns;
        this.columns.push(...this.more);
        if (meta.scene.contact) {
            this.columns.push({ name: "contacts.count", channels: 1 });
            for (const name of CONTACT_FIELDS) this.fields.set(name, { channels: 3, data: new Float32Array(3 * 64) });
        }
        this.grow(64);
    }

    clear(): void {
        this.frames = 0;
        this.contactStart?.fill(0);
    }

    // A parameter has changed the geometry, or at least what it may mean for energy and momenta.
    setScene(scene: Scene): void {
        this.meta.scene = scene;
        this.rebase = this.frames > 0;
    }

    // Energy and momenta that count as the start, so that errors stay as they are.
    private moveStart(s: number[]): void {
        this.rebase = false;
        const last = (name: string, c: number, k: number) => this.fields.get(name)!.data[(this.frames - 1) * k + c];
        this.first = s.slice();
        this.first[4] = s[4] - last("energy.error", 0, 1);
        for (let c = 0; c < 3; c++) {
            this.first[7 + c] = s[7 + c] - last("momentum.linear_change", c, 3);
            this.first[10 + c] = s[10 + c] - last("momentum.angular_change", c, 3);
        }
    }

    private grow(room: number): void {
        for (const { name, channels } of this.columns) {
            const old = this.fields.get(name)?.data;
            const data: Numbers = channels > 3 ? new Float32Array(room * channels) : new Float64Array(room * channels);
            if (old) data.set(old.subarray(0, this.frames * channels));
            this.fields.set(name, { channels, data });
        }
        this.room = room;
        if (!this.scene.contact) return;
        const start = new Uint32Array(room + 1);
        if (this.contactStart) start.set(this.contactStart.subarray(0, this.frames + 1));
        this.contactStart = start;
    }

    // Forgets the older half.
    private shift(): void {
        const from = this.frames >> 1;
        for (const { name, channels } of this.columns) this.fields.get(name)!.data.copyWithin(0, from * channels, this.frames * channels);
        if (this.contactStart) {
            const first = this.contactStart[from], end = this.contactStart[this.frames];
            for (const name of CONTACT_FIELDS) this.fields.get(name)!.data.copyWithin(0, 3 * first, 3 * end);
            for (let f = from; f <= this.frames; f++) this.contactStart[f - from] = this.contactStart[f] - first;
        }
        this.frames -= from;
    }

    private contactRoom(): number {
        return this.frames > 1 && this.contactStart ? this.contactStart[this.frames] : 0;
    }

    private putContacts(numbers: Float32Array): void {
        if (!this.contactStart) return;
        const sent = numbers[1], first = this.contactStart[this.frames];
        this.put("contacts.count", [numbers[0]]);
        this.contactStart[this.frames + 1] = first + sent;
        CONTACT_FIELDS.forEach((name, k) => {
            const field = this.fields.get(name)!;
            if (field.data.length < 3 * (first + sent)) {
                const larger = new Float32Array(6 * (first + sent));
                larger.set(field.data);
                field.data = larger;
            }
            for (let i = 0; i < sent; i++) for (let c = 0; c < 3; c++) field.data[3 * (first + i) + c] = numbers[2 + PER_CONTACT * i + 3 * k + c];
        });
    }

    private putMore(numbers: Float32Array): void {
        let at = 0;
        for (const { name, channels } of this.more) {
            this.put(name, numbers.subarray(at, at + channels));
            at += channels;
        }
    }

    private put(name: string, values: ArrayLike<number>): void {
        const field = this.fields.get(name)!;
        for (let i = 0; i < values.length; i++) field.data[this.frames * field.channels + i] = values[i];
    }

    append(buffer: ArrayBuffer): boolean {
        const bodies = this.scene.bodies.length;
        const moreAt = 8 * SCALARS + 4 * PER_BODY * bodies;
        const contactsAt = moreAt + 4 * this.more.reduce((n, c) => n + c.channels, 0);
        if (buffer.byteLength < contactsAt + 8) return false;
        const contacts = new Float32Array(buffer, contactsAt);
        if (contacts.length !== 2 + PER_CONTACT * contacts[1]) return false;
        if (this.frames === this.most || this.contactRoom() > MOST_CONTACTS) this.shift();
        if (this.frames === this.room) this.grow(Math.min(2 * this.room, this.most));
        const view = new DataView(buffer);
        const s = Array.from({ length: SCALARS }, (_, i) => view.getFloat64(8 * i, true));
        if (this.frames === 0) this.first = s;
        else if (this.rebase) this.moveStart(s);
        ["time", "energy.kinetic", "energy.potential", "energy.work", "energy.total", "violation.position", "violation.velocity"].forEach((name, i) => this.put(name, [s[i]]));
        this.put("energy.error", [s[4] - this.first[4]]);
        this.put("momentum.linear", s.slice(7, 10));
        this.put("momentum.angular", s.slice(10, 13));
        this.put("momentum.linear_change", [7, 8, 9].map((i) => s[i] - this.first[i]));
        this.put("momentum.angular_change", [10, 11, 12].map((i) => s[i] - this.first[i]));
        const f = new Float32Array(buffer, 8 * SCALARS);
        const x = this.fields.get("position")!.data, q = this.fields.get("orientation")!.data;
        const v = this.fields.get("velocity")!.data, w = this.fields.get("angular_velocity")!.data;
        for (let b = 0; b < bodies; b++) {
            const i = PER_BODY * b, k = this.frames * bodies + b;
            for (let c = 0; c < 3; c++) {
                x[3 * k + c] = f[i + c];
                v[3 * k + c] = f[i + 7 + c];
                w[3 * k + c] = f[i + 10 + c];
            }
            for (let c = 0; c < 4; c++) q[4 * k + c] = f[i + 3 + c];
        }
        this.putMore(new Float32Array(buffer, moreAt));
        this.putContacts(contacts);
        this.frames++;
        return true;
    }
}

const AT_FIRST: News = { paused: true, speed: 1, message: "", scheme: "", step: 0, reset: false, parameters: [], inputs: [] };

export class LiveLink {
    open = false;
    state: News = AT_FIRST;
    description: Description | null = null;
    recording: Recording | null = null;
    result: LiveResult | null = null;
    exact: ((state: unknown) => void) | null = null; // who waits for the state in full
    onFrame: () => void = () => undefined;
    onState: () => void = () => undefined;
    onScene: () => void = () => undefined;
    onEnd: (why: string) => void = () => undefined;

    // `meta`: what the page says about the result; the simulation tells the rest.
    constructor(readonly transport: Transport, private readonly meta: ResultMeta) {
        transport.onMessage = (data) => {
            if (typeof data === "string") this.onText(JSON.parse(data));
            else if (this.result?.append(data)) this.onFrame();
        };
        transport.onEnd = (why) => {
            this.open = false;
            this.onEnd(why);
        };
    }

    private onText(told: Partial<Description> & { record?: Recording; fault?: string; exact?: unknown }): void {
        if (told.fault) this.transport.onEnd(told.fault);
        else if (told.exact) this.exact?.(told.exact);
        else if (told.record) {
            this.recording = told.record;
            this.onState();
        } else this.onNews(told);
    }

    private onNews(told: Partial<Description>): void {
        this.state = { ...this.state, ...told };
        if (told.columns) {
            this.open = true;
            this.description = told as Description;
            this.result = new LiveResult({ ...this.meta, scene: told.scene as Scene, stress_bodies: told.stress_bodies }, this.description);
            return;
        }
        if (told.reset) this.result?.clear();
        if (told.scene && this.result) {
            this.result.setScene(told.scene as Scene);
            this.onScene();
        }
        this.onState();
    }

    send(command: string): void {
        if (this.open) this.transport.send(command);
    }
}
