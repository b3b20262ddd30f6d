// What the user sets while it runs: parameters, inputs, scheme, step, where it starts, and whether it is recorded.

import type { Value } from "../../npm/src/index";
import { csvOf } from "./csv";
import type { LiveLink } from "./live";
import { formatStep } from "./result";
import { escapeHtml, formatNumber } from "./text";

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

const LISTED = 40; // parameters that get a slider
const LONGEST_WAIT = 1000; // ms for an answer
const NOTCHES = 20; // presses of a key from the middle of a slider to its end
const DRIVES: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowDown: [1, -1], ArrowUp: [1, 1] }; // which input, which way

// Where a slider may go: around zero for what starts there, else from nothing to three times the start.
function rangeOf(start: number, input: boolean): [number, number] {
    const size = Math.abs(start);
    if (input || size === 0) return size === 0 ? [-1, 1] : [-2 * size, 2 * size];
    return start > 0 ? [0, 3 * start] : [3 * start, 0];
}

class Slider {
    readonly row = document.createElement("div");
    readonly range = document.createElement("input");
    readonly number = document.createElement("input");

    constructor(public value: Value, readonly isInput: boolean, private readonly onSet: (slider: Slider, value: number) => void) {
        const id = `${isInput ? "input" : "parameter"}-${value.name.replace(/\W/g, "_")}`;
        this.row.className = "slider";
        this.row.innerHTML = `<label for="${id}">${escapeHtml(value.name).replace(/_/g, "_<wbr>")}</label>`;
        this.range.type = "range";
        this.range.id = id;
        this.range.step = "any";
        this.number.type = "number";
        this.number.step = "any";
        this.number.setAttribute("aria-label", `${value.name}, number`);
        [this.range.min, this.range.max] = rangeOf(value.start, isInput).map(String);
        this.row.append(this.range, this.number);
        this.range.addEventListener("input", () => this.set(Number(this.range.value)));
        this.number.addEventListener("change", () => this.set(Number(this.number.value)));
        this.row.addEventListener("dblclick", () => this.set(value.start));
        this.show(value);
    }

    get reach(): number {
        return Math.max(Math.abs(Number(this.range.min)), Math.abs(Number(this.range.max)));
    }

    set(x: number): void {
        if (!Number.isFinite(x)) return;
        this.onSet(this, x);
    }

    // A number beyond its ends makes the slider longer.
    show(value: Value): void {
        this.value = value;
        if (value.value < Number(this.range.min)) this.range.min = String(value.value);
        if (value.value > Number(this.range.max)) this.range.max = String(value.value);
        this.range.value = String(value.value);
        this.range.setAttribute("aria-valuetext", formatNumber(value.value));
        if (document.activeElement !== this.number) this.number.value = String(+value.value.toPrecision(6));
    }
}

function save(blob: Blob, name: string): void {
    const a = document.createElement("a");
    a.href = URL.createObjectURL(blob);
    a.download = name;
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

export class Controls {
    private readonly sliders = new Map<string, Slider>();
    private readonly inputs: Slider[] = [];
    private readonly wanted = new Map<string, number>(); // to be sent when the last was answered
    private asked = -Infinity; // when something was sent that is not answered yet
    private chosen = 0; // input that [ and ] move
    private recordedFrom = NaN; // in the page: when recording began

    constructor(private readonly link: LiveLink) {
        const d = link.description!;
        get("simulation").hidden = false;
        d.parameters.slice(0, LISTED).forEach((v) => this.add(v, false, "parameters"));
        d.inputs.slice(0, LISTED).forEach((v) => this.add(v, true, "inputs"));
        get("drive-row").hidden = this.inputs.length === 0;
        this.choose(0);
        this.fillMenus();
        get("record").addEventListener("click", () => this.toggleRecord());
        document.addEventListener("keydown", (e) => this.drive(e, true), true);
        document.addEventListener("keyup", (e) => this.drive(e, false), true);
        this.update();
    }

    private add(value: Value, input: boolean, into: string): void {
        const slider = new Slider(value, input, (s, x) => this.want(s, x));
        this.sliders.set(value.name, slider);
        if (input) this.inputs.push(slider);
        get(into).append(slider.row);
    }

    private fillMenus(): void {
        const { schemes, keyframes, step } = this.link.description!;
        const scheme = get<HTMLSelectElement>("scheme"), length = get<HTMLSelectElement>("length"), start = get<HTMLSelectElement>("keyframe");
        for (const name of schemes) scheme.append(new Option(name, name));
        for (const k of [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.01]) length.append(new Option(formatStep(k * step), String(k * step)));
        get("keyframe-row").hidden = keyframes.length === 0;
        for (const name of keyframes) start.append(new Option(name, name));
        scheme.addEventListener("change", () => this.link.send(`scheme ${scheme.value}`));
        length.addEventListener("change", () => this.link.send(`length ${length.value}`));
        start.addEventListener("change", () => this.restart());
    }

    // At the keyframe that is chosen, or at the start of the model.
    restart(): void {
        this.link.send(`reset ${get<HTMLSelectElement>("keyframe").value}`.trim());
    }

    // The latest value of each slider is sent when the one before was answered: a slow model is not flooded.
    private want(slider: Slider, value: number): void {
        slider.show({ ...slider.value, value });
        this.wanted.set(slider.value.name, value);
        this.sendWanted();
    }

    private sendWanted(): void {
        const now = performance.now();
        if (this.wanted.size === 0 || now - this.asked < LONGEST_WAIT) return;
        this.asked = now;
        for (const [name, value] of this.wanted) this.link.send(`set ${name} ${value}`);
        this.wanted.clear();
    }

    // What the simulation says.
    update(): void {
        const { state, recording } = this.link;
        this.asked = -Infinity;
        for (const v of [...state.parameters, ...state.inputs]) if (!this.wanted.has(v.name)) this.sliders.get(v.name)?.show(v);
        const scheme = get<HTMLSelectElement>("scheme"), length = get<HTMLSelectElement>("length");
        if (![...scheme.options].some((o) => o.value === state.scheme)) scheme.append(new Option(state.scheme, state.scheme)); // with options
        scheme.value = state.scheme;
        length.value = [...length.options].find((o) => Math.abs(Number(o.value) / state.step - 1) < 1e-9)?.value ?? "";
        if (recording) this.showRecording(recording.running, recording.message || (recording.file ? `${recording.running ? "to" : "written:"} ${recording.file}` : ""));
        this.sendWanted();
    }

    // The program writes a result; a page alone hands out a table.
    private toggleRecord(): void {
        const { result, transport } = this.link;
        if (transport.kind === "server") {
            this.link.send("record");
            return;
        }
        const running = Number.isNaN(this.recordedFrom);
        this.showRecording(running, "");
        if (!running) save(new Blob([csvOf(result!, this.recordedFrom)], { type: "text/csv" }), `${result!.meta.name || "polhode"}.csv`);
        this.recordedFrom = running ? result!.end : NaN;
    }

    private showRecording(running: boolean, note: string): void {
        get("record").setAttribute("aria-pressed", String(running));
        get("record").textContent = running ? "Stop recording" : "Record";
        get("record-note").textContent = note;
    }

    // ---- Keys -------------------------------------------------------------------------------------------------------

    private choose(index: number): void {
        const n = this.inputs.length;
        if (n === 0) return;
        this.chosen = (index + n) % n;
        this.inputs.forEach((s, i) => s.row.classList.toggle("chosen", n > 1 && i === this.chosen));
    }

    // [ ] move an input, , . choose another, 0 puts it back.
    keys(): Record<string, () => void> {
        const chosen = this.inputs[this.chosen];
        if (!chosen) return {};
        const move = (way: number) => () => chosen.set(chosen.value.value + (way * chosen.reach) / NOTCHES);
        return { "[": move(-1), "]": move(1), ",": () => this.choose(this.chosen - 1), ".": () => this.choose(this.chosen + 1), "0": () => chosen.set(chosen.value.start) };
    }

    // Arrows held down drive the first two inputs to their ends; let go, they come back.
    private drive(e: KeyboardEvent, down: boolean): void {
        const way = DRIVES[e.key];
        const slider = way && this.inputs[way[0]];
        if (!slider || !get<HTMLInputElement>("drive").checked || /^(INPUT|SELECT|TEXTAREA)$/.test((e.target as HTMLElement).tagName)) return;
        e.preventDefault();
        e.stopPropagation();
        if (!e.repeat) slider.set(down ? way[1] * slider.reach : slider.value.start);
    }
}
