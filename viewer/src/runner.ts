// The core and its clock: what cli/live.c does behind a WebSocket, in the page.

import { Simulation, load } from "../../npm/src/index";

export interface Start {
    core: Uint8Array;
    model: string;
    name: string;
    settings: string; // lines "name=value"
    files: [string, Uint8Array][];
    scheme: string;
    step: number;
}

const FRAME = 1 / 60; // s
const UNSEEN = 3; // frames that are sent ahead of what was drawn

export class Runner {
    private simulation: Simulation | null = null;
    private waiting: string[] = []; // commands that came too early
    private held = 0; // s during which nobody looked
    private lastFrame = 0;
    private lastTick = 0;

    constructor(private readonly post: (data: string | ArrayBuffer) => void) {}

    async start(start: Start): Promise<void> {
        try {
            const polhode = await load(start.core as BufferSource);
            for (const [name, bytes] of start.files) polhode.files.set(name.split("/").filter((p) => p && p !== ".").join("/"), bytes);
            const settings = Object.fromEntries(start.settings.split("\n").filter((l) => l.includes("=")).map((l) => [l.slice(0, l.indexOf("=")), l.slice(l.indexOf("=") + 1)]));
            const model = polhode.model(start.model, { name: start.name, settings });
            this.simulation = model.simulation({ scheme: start.scheme, step: start.step });
        } catch (e) {
            this.post(JSON.stringify({ fault: e instanceof Error ? e.message : String(e) }));
            return;
        }
        this.simulation.news();
        this.post(JSON.stringify(this.simulation.describe()));
        this.post(this.simulation.frame());
        this.waiting.splice(0).forEach((text) => this.command(text));
        this.tick();
    }

    command(text: string): void {
        const s = this.simulation;
        if (!s) this.waiting.push(text);
        else if (text === "exact") this.post(JSON.stringify({ exact: this.exact(s) }));
        else this.carryOut(s, text);
    }

    private carryOut(s: Simulation, text: string): void {
        const ran = !s.paused;
        try {
            s.command(text);
        } catch (e) {
            this.post(JSON.stringify({ fault: e instanceof Error ? e.message : String(e) })); // the core is lost
            this.simulation = null;
            return;
        }
        this.tell(s);
        if (s.paused && (ran || (text !== "seen" && text !== "pause"))) this.post(s.frame());
    }

    private tell(s: Simulation): void {
        const news = s.news();
        if (news) this.post(JSON.stringify(news));
    }

    // Every digit, for comparing with other programs.
    private exact(s: Simulation): unknown {
        const list = (a: Float64Array) => Array.from(a);
        return { time: s.time, positions: list(s.positions), orientations: list(s.orientations), velocities: list(s.velocities), angular_velocities: list(s.angularVelocities) };
    }

    // A viewer that cannot keep up gets fewer frames; while nobody looks nothing moves.
    private tick(): void {
        const s = this.simulation;
        if (!s) return;
        const now = performance.now() / 1000;
        const alone = s.unseen >= UNSEEN && now - this.lastFrame > 2;
        if (alone) this.held += now - this.lastTick;
        else if (!s.paused) {
            s.advance(now - this.held, FRAME);
            this.tell(s);
            if (s.unseen < UNSEEN) {
                this.lastFrame = now;
                this.post(s.frame());
            }
        }
        this.lastTick = now;
        setTimeout(() => this.tick(), Math.max(0, 1000 * (FRAME - (performance.now() / 1000 - now))));
    }
}
