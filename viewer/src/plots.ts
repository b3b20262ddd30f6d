// Plots beside the view. Their cursor is the time of the view; a click or a drag moves it, Shift and drag zooms.

import uPlot from "uplot";
import { RESULT_COLOURS, Theme } from "./palette";
import { Quantity, quantitiesOf } from "./quantities";
import type { Result } from "./result";
import { escapeHtml, formatNumber, formatTick, superscript } from "./text";

const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const SINGLE_COLOURS = ["#3b82f6", "#f97316", "#10a37f", "#d6409f", "#b8860b", "#7c5cdb"];

interface Curve {
    quantity: Quantity;
    result: number;
}

class Panel {
    readonly element = document.createElement("section");
    readonly ids: string[] = [];
    private plot: uPlot | null = null;
    private curves: Curve[] = [];
    private log: boolean | null = null; // null: as the quantities like it
    private readonly holder = document.createElement("div");
    private readonly line = document.createElement("div");
    private readonly head = document.createElement("h3");
    private readonly logButton: HTMLButtonElement;
    private readonly watch: ResizeObserver;
    private drag = false;

    constructor(private readonly plots: Plots, ids: string[]) {
        this.ids.push(...ids);
        this.element.className = "panel";
        const buttons = document.createElement("div");
        buttons.className = "panel-buttons";
        this.logButton = this.button(buttons, "log", "Logarithmic axis", () => {
            this.log = !this.isLog();
            this.build();
        });
        this.button(buttons, "×", "Remove this plot", () => this.plots.remove(this));
        const more = document.createElement("select");
        more.className = "more";
        more.setAttribute("aria-label", "Add a curve to this plot");
        more.addEventListener("focus", () => this.plots.fillSelect(more, "+"));
        more.addEventListener("pointerdown", () => this.plots.fillSelect(more, "+"));
        more.addEventListener("change", () => {
            if (more.value && !this.ids.includes(more.value)) this.ids.push(more.value);
            this.build();
        });
        this.plots.fillSelect(more, "+");
        buttons.prepend(more);
        this.line.className = "time-line";
        this.holder.className = "holder";
        const row = document.createElement("div");
        row.className = "panel-head";
        row.append(buttons, this.head);
        this.element.append(row, this.holder);
        this.watch = new ResizeObserver(() => this.resize());
        this.watch.observe(this.holder);
        this.holder.addEventListener("pointerdown", (e) => this.onPointer(e, true));
        this.holder.addEventListener("pointermove", (e) => this.onPointer(e, false));
        this.holder.addEventListener("pointerup", () => (this.drag = false));
        this.holder.addEventListener("pointercancel", () => (this.drag = false));
    }

    private button(to: HTMLElement, text: string, label: string, act: () => void): HTMLButtonElement {
        const b = document.createElement("button");
        b.textContent = text;
        b.title = label;
        b.setAttribute("aria-label", label);
        b.addEventListener("click", act);
        to.append(b);
        return b;
    }

    private isLog(): boolean {
        return this.log ?? this.curves.every((c) => c.quantity.log);
    }

    private onPointer(e: PointerEvent, down: boolean): void {
        if (e.shiftKey || !this.plot) return; // Shift and drag zooms
        const over = this.plot.over.getBoundingClientRect();
        const inside = e.clientX >= over.left && e.clientX <= over.right && e.clientY >= over.top && e.clientY <= over.bottom;
        if (down && inside && e.button === 0) {
            this.drag = true;
            this.holder.setPointerCapture(e.pointerId);
            e.preventDefault();
        }
        if (this.drag) this.plots.onSeek(this.plot.posToVal(Math.min(Math.max(e.clientX - over.left, 0), over.width), "x"));
    }

    private findCurves(): void {
        const known = this.plots.known();
        this.curves = [];
        for (const id of this.ids) {
            const quantity = known.find((q) => q.id === id);
            if (!quantity) continue;
            this.plots.results.forEach((_, result) => {
                if (this.plots.visible(result)) this.curves.push({ quantity, result });
            });
        }
    }

    // Results in one plot have their own times: uPlot joins them into one column.
    private data(): uPlot.AlignedData {
        const log = this.isLog();
        const tables = this.curves.map(({ quantity, result }) => {
            const r = this.plots.results[result];
            const values = quantity.read(r);
            const t = r.time.subarray(0, r.frames);
            const column: (number | null)[] = Array.from({ length: r.frames }, (_, i) => {
                const y = values ? values[i] : NaN;
                return Number.isFinite(y) && !(log && y <= 0) ? y : null;
            });
            return [Array.from(t), column] as uPlot.AlignedData;
        });
        if (tables.length === 0) return [[]];
        const first = tables[0][0];
        const same = tables.every((t) => t[0].length === first.length && t[0].every((x, i) => x === first[i]));
        return same ? ([first, ...tables.map((t) => t[1])] as uPlot.AlignedData) : uPlot.join(tables);
    }

    private colour(index: number): string {
        const { quantity, result } = this.curves[index];
        if (this.plots.results.length > 1) return RESULT_COLOURS[result % RESULT_COLOURS.length];
        return SINGLE_COLOURS[this.ids.indexOf(quantity.id) % SINGLE_COLOURS.length];
    }

    private axis(scale: string, unit: string, side: number): uPlot.Axis {
        const theme = this.plots.theme;
        const mine = this.curves.map((c, i) => (c.quantity.unit === unit ? i : -1)).filter((i) => i >= 0);
        const tells = this.curves.length > mine.length && mine.length === 1; // one curve of this unit: the axis has its colour
        return {
            scale, side, label: unit || undefined, labelSize: 16, size: (_u, ticks) => roomFor(ticks), gap: 4, stroke: tells ? this.colour(mine[0]) : theme.faint,
            labelFont: "11px system-ui, sans-serif", font: "11px system-ui, sans-serif", labelGap: 0,
            grid: { stroke: theme.line, width: 1, show: side === 3, filter: (_u, ticks) => this.decadesOnly(ticks) },
            ticks: { stroke: theme.line, size: 4, filter: (_u, ticks) => this.decadesOnly(ticks) },
            values: (_u, ticks) => ticks.map((v) => (v === null || v === undefined ? "" : this.isLog() ? powerOfTen(v) : formatTick(v))),
        };
    }

    private decadesOnly(ticks: (number | null)[]): (number | null)[] {
        return this.isLog() ? ticks.map((v) => (v !== null && powerOfTen(v) ? v : null)) : ticks;
    }

    // Names with the values at the cursor; components of one quantity share its name.
    private writeHead(quantities: Quantity[]): void {
        const stem = (q: Quantity) => (q.part ? q.label.slice(0, -q.part.length - 1) : null);
        const shared = quantities.length > 1 && quantities.every((q) => stem(q) !== null && stem(q) === stem(quantities[0])) ? stem(quantities[0]) : null;
        const several = this.plots.results.length > 1;
        const one = (q: Quantity) => {
            const own = this.curves.map((c, i) => ({ c, i })).filter(({ c }) => c.quantity === q);
            const values = own.map(({ i }) => `<i data-curve="${i}" ${several ? `style="color:color-mix(in srgb, ${this.colour(i)} 55%, var(--ink))"` : ""}></i>`).join("");
            const dash = several && quantities.length > 1 && this.ids.indexOf(q.id) > 0 ? "dashed" : "solid";
            return `<span style="--c:${several ? "currentColor" : this.colour(own[0].i)};--dash:${dash}">${escapeHtml(shared ? q.part! : q.label)} ${values}</span>`;
        };
        this.head.innerHTML = (shared ? `<b>${escapeHtml(shared)}</b>` : "") + quantities.map(one).join("");
    }

    build(): void {
        this.findCurves();
        this.plot?.destroy();
        this.plot = null;
        const units = [...new Set(this.curves.map((c) => c.quantity.unit))];
        const labels = [...new Map(this.curves.map((c) => [c.quantity.id, c.quantity])).values()];
        this.writeHead(labels);
        this.element.setAttribute("aria-label", `Plot of ${labels.map((q) => q.label).join(", ")}`);
        const log = this.isLog();
        this.logButton.setAttribute("aria-pressed", String(log));
        const theme = this.plots.theme;
        const scales: uPlot.Scales = { x: { time: false, range: timeRange } };
        for (const unit of units) scales[unit || "1"] = log ? { distr: 3, log: 10, range: decades } : { range: niceRange };
        const options: uPlot.Options = {
            width: Math.max(this.holder.clientWidth, 120), height: Math.max(this.holder.clientHeight, 90),
            scales, legend: { show: false }, padding: [8, units.length > 1 ? 4 : 12, 0, 0],
            cursor: { x: false, y: false, points: { show: false }, drag: { x: true, y: false, setScale: true }, bind: { mousedown: (_u, _t, handler) => (e) => (e.shiftKey ? handler(e) : null) } },
            axes: [
                { stroke: theme.faint, font: "11px system-ui, sans-serif", size: 26, gap: 3, grid: { stroke: theme.line, width: 1 }, ticks: { stroke: theme.line, size: 4 },
                    values: (_u, ticks) => ticks.map((v) => `${formatTick(v)}`) },
                ...units.map((unit, i) => this.axis(unit || "1", unit, i === 0 ? 3 : 1)),
            ],
            series: [{}, ...this.curves.map((c, i) => ({
                scale: c.quantity.unit || "1", stroke: this.colour(i), width: 1.5, points: { show: false },
                dash: this.plots.results.length > 1 ? DASHES[this.ids.indexOf(c.quantity.id) % DASHES.length] : undefined,
            }))],
            hooks: { setScale: [() => this.setTime(this.plots.time)] },
        };
        this.holder.replaceChildren();
        this.plot = new uPlot(options, this.data(), this.holder);
        this.plot.over.append(this.line);
        this.setTime(this.plots.time);
        this.setValues(this.plots.time);
    }

    refresh(): void {
        if (this.plot && this.curves.length) this.plot.setData(this.data());
    }

    resize(): void {
        if (this.plot && this.holder.clientWidth > 0) this.plot.setSize({ width: this.holder.clientWidth, height: this.holder.clientHeight });
        this.setTime(this.plots.time);
    }

    setTime(t: number): void {
        if (!this.plot) return;
        const x = this.plot.valToPos(t, "x");
        const inside = Number.isFinite(x) && x >= -0.5 && x <= this.plot.over.clientWidth + 0.5;
        this.line.style.display = inside ? "" : "none";
        this.line.style.transform = `translateX(${x}px)`;
    }

    // The numbers in the heading.
    setValues(t: number): void {
        for (const cell of this.head.querySelectorAll<HTMLElement>("[data-curve]")) {
            const { quantity, result } = this.curves[Number(cell.dataset.curve)];
            const r = this.plots.results[result];
            const column = r.frames > 0 ? this.plots.cached(quantity, result) : null;
            const text = column ? formatNumber(column[r.frameAt(t)], 2) : "";
            if (cell.textContent !== text) cell.textContent = text;
        }
    }

    get cursorX(): number {
        return this.plot && this.line.style.display !== "none" ? this.plot.valToPos(this.plots.time, "x") : NaN;
    }

    get over(): DOMRect | null {
        return this.plot ? this.plot.over.getBoundingClientRect() : null;
    }

    destroy(): void {
        this.watch.disconnect();
        this.plot?.destroy();
        this.element.remove();
    }
}

// Pixels for the longest of these numbers beside an axis.
function roomFor(ticks: (string | number)[] | null): number {
    return Math.ceil(Math.max(34, 12 + 6.6 * Math.max(0, ...(ticks ?? []).map((t) => String(t ?? "").length))));
}

function powerOfTen(v: number): string {
    const e = Math.log10(v);
    return Math.abs(e - Math.round(e)) < 1e-9 ? `10${superscript(Math.round(e))}` : "";
}

function timeRange(_u: uPlot, low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? [low, high] : [low, low + 1];
}

// Whole decades, 20 at the most and none below 1e-20: uPlot finds no ticks for less.
function decades(_u: uPlot, low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !(low > 0) || !Number.isFinite(high)) return [1e-16, 1];
    const top = Math.max(Math.ceil(Math.log10(high) + 1e-9), -19);
    const bottom = Math.max(Math.floor(Math.log10(low) + 1e-9), top - 20, -20);
    return [Math.pow(10, Math.min(bottom, top - 1)), Math.pow(10, top)];
}

// A little room above and below; a constant gets a range of its own size.
function niceRange(_u: uPlot, low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    const size = high - low;
    const scale = Math.max(Math.abs(low), Math.abs(high));
    if (size <= 1e-9 * scale || size < 1e-25) { // uPlot finds no ticks for less
        const r = scale > 1e-20 ? 0.1 * scale : 1;
        return [low - r, high + r];
    }
    return [low - 0.06 * size, high + 0.06 * size];
}

export class Plots {
    readonly panels: Panel[] = [];
    time = 0;
    private quantities: Quantity[] = [];
    private cache = new Map<string, ArrayLike<number> | null>();
    private hidden = new Set<number>();
    private selected = -1;
    private written = -Infinity; // when the values were brought up to date
    private waiting = 0; // the timer that will do so

    constructor(private readonly holder: HTMLElement, private readonly adder: HTMLSelectElement, readonly results: Result[],
                public theme: Theme, readonly onSeek: (t: number) => void) {
        this.quantities = quantitiesOf(results[0]);
        adder.addEventListener("change", () => {
            if (adder.value) this.add([adder.value]);
            adder.value = "";
        });
        this.fillSelect(adder, "Add a plot …");
    }

    known(): Quantity[] {
        return this.quantities;
    }

    setSelected(body: number): void {
        if (body < 200 || body === this.selected) return;
        this.selected = body;
        this.quantities = quantitiesOf(this.results[0], body);
        this.fillSelect(this.adder, "Add a plot …");
    }

    visible(result: number): boolean {
        return !this.hidden.has(result);
    }

    setVisible(result: number, visible: boolean): void {
        if (visible) this.hidden.delete(result);
        else this.hidden.add(result);
        this.panels.forEach((p) => p.build());
    }

    fillSelect(select: HTMLSelectElement, first: string): void {
        const groups = new Map<string, Quantity[]>();
        for (const q of this.quantities) groups.set(q.group, [...(groups.get(q.group) ?? []), q]);
        select.replaceChildren(new Option(first, ""));
        for (const [name, list] of groups) {
            const group = document.createElement("optgroup");
            group.label = name;
            for (const q of list) group.append(new Option(q.unit ? `${q.label}, ${q.unit}` : q.label, q.id));
            select.append(group);
        }
    }

    cached(quantity: Quantity, result: number): ArrayLike<number> | null {
        const key = `${result} ${this.results[result].frames} ${quantity.id}`;
        if (!this.cache.has(key)) {
            if (this.cache.size > 64) this.cache.clear();
            this.cache.set(key, quantity.read(this.results[result]));
        }
        return this.cache.get(key)!;
    }

    add(ids: string[]): boolean {
        const known = ids.filter((id) => this.quantities.some((q) => q.id === id));
        if (known.length === 0) return false;
        const panel = new Panel(this, known);
        this.panels.push(panel);
        this.holder.append(panel.element);
        panel.build();
        return true;
    }

    remove(panel: Panel): void {
        this.panels.splice(this.panels.indexOf(panel), 1);
        panel.destroy();
    }

    setTime(t: number): void {
        this.time = t;
        this.panels.forEach((p) => p.setTime(t));
        const now = performance.now();
        if (Math.abs(now - this.written) < 80) { // nobody reads faster; the last value is written in any case
            window.clearTimeout(this.waiting);
            this.waiting = window.setTimeout(() => this.writeValues(), 90);
        } else this.writeValues();
    }

    private writeValues(): void {
        window.clearTimeout(this.waiting);
        this.written = performance.now();
        this.panels.forEach((p) => p.setValues(this.time));
    }

    setTheme(theme: Theme): void {
        this.theme = theme;
        this.panels.forEach((p) => p.build());
    }

    refresh(): void {
        this.panels.forEach((p) => p.refresh());
        this.setTime(this.time);
    }
}
