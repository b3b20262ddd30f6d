// The page: reads what the program has put into it and ties view, plots, tree and clock together.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import * as THREE from "three";
import { ColourBy, MANY } from "./bodies";
import { api } from "./api";
import { BadData, checkBrowser } from "./codec";
import { Controls } from "./controls";
import { Film } from "./film";
import { HELP } from "./help";
import { LiveLink } from "./live";
import { Look } from "./look";
import type { TraceSpec } from "./marks";
import { BODY_COLOURS, DARK, LIGHT, RESULT_COLOURS } from "./palette";
import { ModelPanel, TraceBook } from "./panel";
import { Player, SPEEDS } from "./player";
import { Plots } from "./plots";
import { PageMeta, Result, formatStep, loadResults, readPageMeta } from "./result";
import { Stage } from "./stage";
import { escapeHtml, formatTime } from "./text";
import { rollingJoints } from "./tracks";
import { toPage, toServer } from "./transport";

const SMALL = 480; // pixels of a window in which plots wait until they are asked for
const NARROW = 900; // pixels of a window in which the model panel would cover the view

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export class Page {
    readonly stage: Stage;
    readonly player: Player;
    readonly plots: Plots;
    readonly panel: ModelPanel;
    readonly traces: TraceBook;
    readonly look: Look;
    readonly film: Film;
    private link: LiveLink | null = null;
    private controls: Controls | null = null;
    private dark: boolean;
    private last = 0;
    private lastTold = 0; // when plots and numbers were brought up to date
    private untold = 0; // frames since then
    private frameCount = 0;
    private frameClock = 0;
    private refreshDue = false;
    private rateTime = 0;
    stepsPerSecond = 0;
    private holding = false; // live: the user looks at an earlier moment
    private pulling: { body: number; local: [number, number, number]; plane: THREE.Plane } | null = null;

    constructor(readonly meta: PageMeta, readonly results: Result[]) {
        this.dark = !window.matchMedia("(prefers-color-scheme: light)").matches;
        const bodies = results.reduce((n, r) => n + r.scene.bodies.length, 0);
        this.stage = new Stage(get<HTMLCanvasElement>("canvas"), get("legend"), get("labels"), bodies > MANY);
        this.stage.onSettled = () => this.tell(this.player.time);
        this.stage.resize();
        this.stage.load(results, meta.live === true || meta.simulates === true);
        this.player = new Player(Math.min(...results.map((r) => r.start)), Math.max(...results.map((r) => r.end)), (t) => this.onTime(t));
        this.traces = new TraceBook((specs) => this.setTraces(specs));
        this.plots = new Plots(get("panels"), get<HTMLSelectElement>("add-plot"), results, this.theme(), (t) => this.seekByHand(t));
        this.panel = new ModelPanel(get("tree"), get("details"), get<HTMLInputElement>("search"), results[0],
            (b) => this.stage.views[0].bodies.colourOfBody(b), (s) => this.onSelect(s?.kind === "body" ? s.index : -1), this.traces);
        this.look = new Look(this.stage, () => (this.panel.selection?.kind === "body" ? this.panel.selection.index : -1), (text) => this.say(text));
        this.film = new Film(this.stage, (t) => this.player.seek(t), (text) => (get("film-note").textContent = text));
        this.fillHead();
        this.fillControls();
        this.bindMouse();
        document.addEventListener("keydown", (e) => this.onKey(e));
        // A button that was clicked with the mouse gives the keys back: Space is then for playing.
        document.addEventListener("click", (e) => e.detail > 0 && (e.target as HTMLElement).closest("button")?.blur());
        if (window.innerWidth <= NARROW) this.togglePanel("side");
        if (window.innerWidth <= SMALL) this.togglePanel("plots");
        this.applyTheme();
        this.addPlots();
        this.setTraces([]); // tracks
        this.player.seek(this.linkedTime());
        window.addEventListener("hashchange", () => this.seekByHand(this.linkedTime()));
        new ResizeObserver(() => this.onResize()).observe(get("stage"));
        requestAnimationFrame((t) => this.loop(t));
    }

    // #t=2.5 in the address: a link to a moment.
    private linkedTime(): number {
        const t = Number(new URLSearchParams(window.location.hash.slice(1)).get("t") ?? NaN);
        return Number.isFinite(t) ? Math.min(Math.max(t, this.player.start), this.player.end) : this.player.start;
    }

    private saveFilm(kind: "webm" | "pictures"): void {
        if (this.film.running) {
            this.film.stop();
            return;
        }
        this.player.pause();
        const span = { start: this.player.start, end: this.player.end, speed: this.player.speed };
        this.film[kind](span, this.meta.results[0].name || "polhode").catch((e: unknown) => this.say(`no film: ${String(e)}`));
    }

    // ---- Filling in ---------------------------------------------------------------------------------------------------

    private fillHead(): void {
        const first = this.meta.results[0];
        const name = first.name || first.file;
        get("title").textContent = name;
        document.title = `${name} – Polhode`;
        const chips = get("chips");
        this.results.forEach((r, i) => {
            const chip = document.createElement(this.results.length > 1 ? "button" : "span");
            chip.className = "chip";
            chip.style.setProperty("--c", RESULT_COLOURS[i % RESULT_COLOURS.length]);
            chip.innerHTML = `${escapeHtml(r.meta.scheme || r.meta.file)} <em>${formatStep(r.meta.step)}</em>`;
            chip.title = `${r.meta.file}: ${r.frames} frames`;
            if (this.results.length > 1) {
                chip.setAttribute("aria-pressed", "true");
                chip.addEventListener("click", () => this.toggleResult(i, chip));
            }
            chips.append(chip);
        });
        const notes = [...new Set(this.results.flatMap((r) => r.meta.notes ?? []))];
        get("notes").textContent = notes.join(" · ");
        const bodies = this.results[0].scene.bodies.length;
        get("canvas").setAttribute("aria-label", `3-D view of ${name}: ${bodies} ${bodies === 1 ? "body" : "bodies"}, ${this.results[0].scene.joints.length} joints`);
        get("help-text").innerHTML = `<dl>${HELP.map(([k, v]) => `<dt>${k}</dt><dd>${v}</dd>`).join("")}</dl>`;
    }

    private toggleResult(index: number, chip: HTMLElement): void {
        const on = chip.getAttribute("aria-pressed") !== "true";
        chip.setAttribute("aria-pressed", String(on));
        this.stage.setVisible(index, on);
        this.plots.setVisible(index, on);
    }

    private addToggle(name: "joints" | "frames" | "contacts" | "reactions" | "shadows" | "grid" | "tracks", label: string, key: string): void {
        const button = document.createElement("button");
        button.id = `toggle-${name}`;
        button.textContent = label;
        button.title = key ? `${label} (${key})` : label;
        button.setAttribute("aria-pressed", String(this.stage.options[name]));
        button.addEventListener("click", () => {
            this.stage.options[name] = !this.stage.options[name];
            button.setAttribute("aria-pressed", String(this.stage.options[name]));
            this.stage.touch();
        });
        get("toggles").append(button);
    }

    private fillControls(): void {
        const r = this.results[0];
        if (r.scene.joints.length) this.addToggle("joints", "Joints", "1");
        this.addToggle("frames", "Frames", "2");
        if (r.contactStart) this.addToggle("contacts", "Contacts", "3");
        if (r.scene.joints.some((j) => r.field(`joints.${j.name}.force`))) this.addToggle("reactions", "Reactions", "");
        if (rollingJoints(r).length) this.addToggle("tracks", "Tracks", "K");
        this.addToggle("shadows", "Shadows", "");
        this.addToggle("grid", "Grid", "G");
        const colour = get<HTMLSelectElement>("colour");
        colour.append(new Option("body", "body"));
        if (this.results.length > 1) colour.append(new Option("result", "result"));
        colour.append(new Option("speed", "speed"));
        if (r.scene.bodies.length > 2) colour.append(new Option("height at the start", "start"));
        if (r.field("stress.mises")) colour.append(new Option("mean stress (von Mises)", "mises"));
        colour.addEventListener("change", () => this.stage.setColour(colour.value as ColourBy));
        const follow = get<HTMLSelectElement>("follow");
        r.scene.bodies.slice(0, 500).forEach((b, i) => b.fixed || follow.append(new Option(b.name, String(i))));
        follow.addEventListener("change", () => this.stage.setFollow(Number(follow.value)));
        if (this.results.length > 1) {
            get("layout-row").hidden = false;
            colour.value = "result";
            this.stage.setColour("result");
        }
        const layout = get<HTMLSelectElement>("layout");
        layout.addEventListener("change", () => this.stage.setLayout(layout.value as "overlay" | "split"));
        const speed = get<HTMLSelectElement>("speed");
        for (const s of SPEEDS) speed.append(new Option(`${s} ×`, String(s)));
        speed.value = "1";
        speed.addEventListener("change", () => this.setSpeed(Number(speed.value)));
        this.bindButtons();
    }

    private bindButtons(): void {
        const on = (id: string, act: () => void) => get(id).addEventListener("click", act);
        on("play", () => this.togglePlay());
        on("first", () => this.seekByHand(this.player.start));
        on("last", () => this.seekByHand(this.player.end));
        on("back", () => this.stepFrames(-1));
        on("forward", () => this.stepFrames(1));
        on("loop", () => this.toggleLoop());
        on("fit", () => this.stage.fitAll());
        on("theme", () => this.toggleTheme());
        on("help", () => get<HTMLDialogElement>("help-box").showModal());
        on("picture", () => this.savePicture());
        on("film", () => this.saveFilm("webm"));
        on("sequence", () => this.saveFilm("pictures"));
        on("reset", () => {
            this.holding = false;
            this.controls?.restart();
        });
        on("show-side", () => this.togglePanel("side"));
        on("show-plots", () => this.togglePanel("plots"));
        const scrub = get<HTMLInputElement>("scrub");
        scrub.min = String(this.player.start);
        scrub.max = String(this.player.end);
        scrub.addEventListener("input", () => this.seekByHand(Number(scrub.value)));
    }

    private addPlots(): void {
        const r = this.results[0];
        this.plots.add(["energy.error"]);
        const momentum = this.meta.live || this.meta.simulates ? ["momentum.angular.z"] : ["momentum.angular_change.x", "momentum.angular_change.y", "momentum.angular_change.z"];
        const hasJoints = r.scene.joints.length > 0;
        if (hasJoints) this.plots.add(["violation.position", "violation.velocity"]);
        else this.plots.add(momentum);
        const moving = r.scene.bodies.map((b, i) => (b.fixed ? -1 : i)).filter((i) => i >= 0);
        const body = moving[moving.length - 1];
        if (body !== undefined) {
            this.plots.setSelected(body);
            const name = r.scene.bodies[body].name;
            const turns = !hasJoints && r.scene.bodies.length <= 3 && this.results.length === 1; // a body on its own: how it turns
            if (turns) this.plots.add(["x", "y", "z"].map((a) => `${name}.angular_velocity.${a}`));
            else this.plots.add(this.results.length > 1 ? [`${name}.position.z`] : ["x", "y", "z"].map((a) => `${name}.position.${a}`));
        }
    }

    // ---- Time -----------------------------------------------------------------------------------------------------------

    private onTime(t: number): void {
        this.stage.seek(t);
        const now = performance.now();
        this.untold++;
        const runs = this.player.playing || (this.link !== null && !this.link.state.paused);
        if (runs && this.stage.isSlow && (now - this.lastTold < 150 || this.untold < 5)) return; // pictures first
        this.lastTold = now;
        this.untold = 0;
        this.tell(t);
    }

    // Plots, clock and numbers.
    private tell(t: number): void {
        this.plots.setTime(t);
        this.panel.update(t);
        const scrub = get<HTMLInputElement>("scrub");
        const r = this.results[0];
        const clock = formatTime(t, r.meta.step);
        scrub.value = String(t);
        scrub.style.setProperty("--done", `${(100 * (t - this.player.start)) / Math.max(this.player.end - this.player.start, 1e-300)}%`);
        scrub.setAttribute("aria-valuetext", clock);
        get("clock").textContent = clock;
        get("frame").textContent = `${r.frameAt(t) + 1} / ${r.frames}`;
        this.showPlaying();
    }

    private showPlaying(): void {
        const playing = this.link ? !this.link.state.paused : this.player.playing;
        const button = get("play");
        if (button.classList.contains("playing") === playing) return;
        button.classList.toggle("playing", playing);
        button.setAttribute("aria-label", playing ? "Pause" : "Play");
    }

    togglePlay(): void {
        if (this.link) {
            this.holding = false;
            this.link.send(this.link.state.paused ? "play" : "pause");
            return;
        }
        if (this.player.playing) this.player.pause();
        else this.player.play();
        this.showPlaying();
    }

    // A moment chosen by the user; a live simulation waits meanwhile.
    seekByHand(t: number): void {
        if (this.link) this.link.send("pause");
        this.holding = this.link !== null;
        this.player.seek(t);
    }

    stepFrames(count: number): void {
        const r = this.results[0];
        this.player.pause();
        const frame = r.frameAt(this.player.time);
        if (this.link && count > 0 && frame === r.frames - 1) {
            this.holding = false;
            this.link.send(`step ${count}`);
        } else this.seekByHand(r.time[Math.min(Math.max(frame + count, 0), r.frames - 1)]);
        this.showPlaying();
    }

    setSpeed(speed: number): void {
        this.player.speed = speed;
        get<HTMLSelectElement>("speed").value = String(speed);
        this.link?.send(`speed ${speed}`);
        this.say(`speed ${speed}`);
    }

    private toggleLoop(): void {
        this.player.loop = !this.player.loop;
        get("loop").setAttribute("aria-pressed", String(this.player.loop));
    }

    private loop(now: number): void {
        const seconds = this.last ? (now - this.last) / 1000 : 0;
        this.last = now;
        const moving = this.player.playing || (this.link !== null && !this.link.state.paused);
        if (this.player.playing) this.player.tick(seconds);
        this.stage.noteFrame(moving, seconds);
        if (this.refreshDue) this.refreshLive();
        this.stage.draw();
        this.frameCount++;
        if (now - this.frameClock > 1000) {
            const rate = Math.round((1000 * this.frameCount) / (now - this.frameClock));
            get("rate").textContent = moving ? `${rate} fps${this.stepRate(now - this.frameClock)}` : "";
            this.frameClock = now;
            this.frameCount = 0;
            if (this.link && moving) this.refreshScales();
        }
        requestAnimationFrame((t) => this.loop(t));
    }

    // Steps that the simulation makes in a second.
    private stepRate(milliseconds: number): string {
        if (!this.link) return "";
        const end = this.results[0].end, made = (end - this.rateTime) / this.link.state.step / (milliseconds / 1000);
        this.rateTime = end;
        this.stepsPerSecond = made > 0 ? made : this.stepsPerSecond;
        return made > 0 ? `, ${made < 100 ? made.toPrecision(2) : Math.round(made)} steps/s` : "";
    }

    // ---- Selection and traces ---------------------------------------------------------------------------------------------

    private onSelect(body: number): void {
        this.stage.selected = body;
        this.stage.repaint();
        if (body >= 0) this.plots.setSelected(body);
    }

    private setTraces(specs: TraceSpec[]): void {
        const several = this.results.length > 1;
        this.stage.setTraces(specs, (view, spec) =>
            several ? RESULT_COLOURS[view % RESULT_COLOURS.length] : BODY_COLOURS[(spec.body + (spec.kind === "axis" ? 1 : 0)) % BODY_COLOURS.length]);
    }

    private bindMouse(): void {
        const canvas = get<HTMLCanvasElement>("canvas");
        let down: { x: number; y: number } | null = null;
        const at = (e: PointerEvent) => {
            const box = canvas.getBoundingClientRect();
            return { x: e.clientX - box.left, y: e.clientY - box.top };
        };
        canvas.addEventListener("pointerdown", (e) => {
            down = at(e);
            if (this.link && e.altKey && e.button === 0) this.beginPull(down.x, down.y);
        }, true);
        canvas.addEventListener("pointermove", (e) => this.pulling && this.movePull(at(e).x, at(e).y));
        const up = (e: PointerEvent) => {
            const p = at(e);
            if (this.pulling) this.endPull();
            else if (down && Math.hypot(p.x - down.x, p.y - down.y) < 4 && e.button === 0) {
                const hit = this.stage.pick(p.x, p.y);
                if (this.look.measuring && hit) this.look.point(hit.point);
                else this.panel.select(hit ? { kind: "body", index: hit.body } : null);
            }
            down = null;
        };
        canvas.addEventListener("pointerup", up);
        canvas.addEventListener("pointercancel", up);
        canvas.addEventListener("dblclick", () => this.stage.fitAll());
    }

    // ---- Pulling at a body (live) ---------------------------------------------------------------------------------------

    private beginPull(x: number, y: number): void {
        const hit = this.stage.pick(x, y);
        if (!hit || this.results[0].scene.bodies[hit.body].fixed) return;
        const m = this.stage.views[0].bodies.matrix(hit.body, new THREE.Matrix4());
        const local = hit.point.clone().applyMatrix4(m.clone().invert());
        const normal = this.stage.eye.camera.getWorldDirection(new THREE.Vector3());
        this.pulling = { body: hit.body, local: local.toArray(), plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point) };
        this.stage.eye.controls.enabled = false;
        this.panel.select({ kind: "body", index: hit.body });
        this.movePull(x, y);
    }

    private movePull(x: number, y: number): void {
        const at = this.stage.rayAt(x, y);
        const target = at?.ray.ray.intersectPlane(this.pulling!.plane, new THREE.Vector3());
        if (!target) return;
        const { body, local } = this.pulling!;
        this.link!.send(`drag ${body} ${local.map((v) => v.toPrecision(9)).join(" ")} ${target.toArray().map((v) => v.toPrecision(9)).join(" ")}`);
        const from = this.stage.views[0].bodies.worldPoint(body, local, new THREE.Vector3());
        this.stage.showPull(from, target);
    }

    private endPull(): void {
        this.link!.send("release");
        this.pulling = null;
        this.stage.eye.controls.enabled = true;
        this.stage.showPull(null);
    }

    // ---- Live -------------------------------------------------------------------------------------------------------------

    connect(link: LiveLink): void {
        this.link = link;
        get("live").hidden = false;
        get("reset").hidden = false;
        get("loop").hidden = true;
        get("notes").textContent = "Alt and drag pulls at a body";
        this.controls = new Controls(link);
        link.onFrame = () => (this.refreshDue = true);
        link.onState = () => this.showLive();
        link.onScene = () => {
            this.setTraces([]); // they hang on what is drawn
            this.stage.reload();
            this.setTraces(this.traces.specs);
        };
        link.onEnd = (why) => {
            link.state = { ...link.state, paused: true, message: why };
            get("live").classList.add("ended");
            this.showLive();
        };
        this.showLive();
    }

    command = (text: string): void => this.link?.send(text);

    live() {
        return this.link ? { ...this.link.state, open: this.link.open, recording: this.link.recording, stepsPerSecond: this.stepsPerSecond } : null;
    }

    // The state with every digit.
    exact(): Promise<unknown> {
        return new Promise((resolve) => {
            this.link!.exact = resolve;
            this.link!.send("exact");
        });
    }

    private showLive(): void {
        const { paused, speed, message } = this.link!.state;
        get("live").classList.toggle("paused", paused);
        get("live-text").textContent = message || (paused ? "paused" : "running");
        this.showScheme();
        this.controls?.update();
        get<HTMLSelectElement>("speed").value = String(speed);
        this.player.speed = speed;
        this.showPlaying();
    }

    private showScheme(): void {
        const { scheme, step } = this.link!.state;
        const meta = this.results[0].meta;
        if (!scheme || (meta.scheme === scheme && meta.step === step)) return;
        Object.assign(meta, { scheme, step });
        get("chips").replaceChildren();
        this.fillHead();
    }

    private refreshLive(): void {
        this.refreshDue = false;
        this.link!.send("seen");
        const r = this.results[0];
        if (r.frames === 0) return; // it has just been reset
        this.player.start = r.start;
        this.player.end = r.end;
        const scrub = get<HTMLInputElement>("scrub");
        scrub.min = String(r.start);
        scrub.max = String(r.end);
        this.player.seek(this.holding ? this.player.time : r.end);
    }

    // What depends on the whole motion so far: now and then.
    private refreshScales(): void {
        this.stage.regrow();
        this.plots.refresh();
    }

    // ---- Look -------------------------------------------------------------------------------------------------------------

    private theme() {
        return this.dark ? DARK : LIGHT;
    }

    private applyTheme(): void {
        document.documentElement.dataset.theme = this.dark ? "dark" : "light";
        this.stage.setTheme(this.theme());
        this.plots.setTheme(this.theme());
    }

    toggleTheme(): void {
        this.dark = !this.dark;
        this.applyTheme();
    }

    private togglePanel(id: "side" | "plots"): void {
        const hidden = document.body.classList.toggle(`no-${id}`);
        get(`show-${id}`).setAttribute("aria-pressed", String(!hidden));
    }

    private onResize(): void {
        this.stage.resize();
        this.stage.draw();
    }

    private savePicture(): void {
        const a = document.createElement("a");
        a.href = this.stage.picture();
        a.download = `${this.meta.results[0].name || "polhode"}.png`;
        a.click();
    }

    say(text: string): void {
        get("say").textContent = text;
    }

    private cycle(select: HTMLSelectElement): void {
        select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
        select.dispatchEvent(new Event("change"));
    }

    // ---- Keyboard ---------------------------------------------------------------------------------------------------------

    private onKey(e: KeyboardEvent): void {
        const target = e.target as HTMLElement;
        if (e.ctrlKey || e.metaKey || e.altKey || get<HTMLDialogElement>("help-box").open) return;
        if (/^(SELECT|TEXTAREA)$/.test(target.tagName) || (target.tagName === "INPUT" && target.id !== "scrub" && (target as HTMLInputElement).type !== "checkbox")) return;
        if (target.tagName === "BUTTON" && (e.key === " " || e.key === "Enter")) return; // presses the button
        const act = this.action(e);
        if (act) {
            act();
            e.preventDefault();
        }
    }

    private action(e: KeyboardEvent): (() => void) | null {
        const many = e.shiftKey ? 10 : 1;
        const faster = (by: number) => () => {
            this.player.faster(by);
            this.setSpeed(this.player.speed);
        };
        const press = (id: string) => () => document.getElementById(id)?.click();
        const actions: Record<string, () => void> = {
            " ": () => this.togglePlay(), arrowleft: () => this.stepFrames(-many), arrowright: () => this.stepFrames(many),
            home: press("first"), end: press("last"), "+": faster(1), "=": faster(1), "-": faster(-1), l: press("loop"), f: press("fit"),
            a: () => this.stage.eye.orbit(-0.12, 0), d: () => this.stage.eye.orbit(0.12, 0), w: () => this.stage.eye.orbit(0, -0.1), s: () => this.stage.eye.orbit(0, 0.1),
            q: () => this.stage.eye.zoom(1.12), e: () => this.stage.eye.zoom(1 / 1.12), "1": press("toggle-joints"), "2": press("toggle-frames"), "3": press("toggle-contacts"),
            g: press("toggle-grid"), k: press("toggle-tracks"), h: press("hide"), i: press("isolate"), u: press("show-all"), c: () => this.cycle(get("colour")), v: () => this.results.length > 1 && this.cycle(get("layout")),
            m: press("show-side"), p: press("show-plots"), t: press("theme"), r: press("reset"), "?": press("help"), escape: () => this.panel.select(null),
        };
        return this.controls?.keys()[e.key] ?? actions[e.key.toLowerCase()] ?? null;
    }
}

declare global {
    interface Window {
        polhode: Record<string, unknown>;
    }
}

function showFault(error: unknown): void {
    const known = error instanceof BadData;
    const box = get("fault");
    box.hidden = false;
    const what = error instanceof Error ? error.message : String(error);
    box.innerHTML = `<h2>${known ? "This result cannot be shown" : "Something went wrong"}</h2><p>${escapeHtml(what)}</p>`;
    window.polhode.fault = what;
}

// The view is built when the first frame has come.
async function startLive(meta: PageMeta): Promise<Page> {
    const link = new LiveLink(meta.simulates ? await toPage(meta) : toServer(meta.token ?? ""), meta.results[0]);
    return new Promise((resolve, reject) => {
        link.onEnd = (why) => reject(new BadData(why));
        link.onFrame = () => {
            try {
                const page = new Page(meta, [link.result!]);
                page.connect(link);
                resolve(page);
            } catch (e) {
                reject(e);
            }
        };
    });
}

async function start(): Promise<void> {
    window.polhode = { ready: false };
    try {
        checkBrowser();
        const meta = readPageMeta();
        const page = meta.live || meta.simulates ? await startLive(meta) : new Page(meta, await loadResults(meta));
        Object.assign(window.polhode, api(page), { ready: true });
        document.body.classList.add("ready");
    } catch (error) {
        console.warn(error);
        showFault(error);
    }
}

void start();
