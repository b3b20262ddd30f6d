// The model as a tree, and what is known of the part that is selected.

import type { Result, Vec3 } from "./result";
import { escapeHtml, formatNumber } from "./text";
import type { TraceSpec } from "./marks";

export interface Selection {
    kind: "body" | "joint";
    index: number;
}

const ROOM = 400; // rows of the tree that are shown at once; the search finds the others

const ICONS: Record<string, string> = {
    body: `<svg viewBox="0 0 16 16"><path d="M8 1.500l5.500 3v7L8 14.500l-5.500-3v-7zM2.500 4.500L8 7.500l5.500-3M8 7.500v7"/></svg>`,
    joint: `<svg viewBox="0 0 16 16"><circle cx="8" cy="8" r="2.500"/><path d="M1.500 14.500l4.700-4.700M9.800 6.200l4.700-4.700"/></svg>`,
};

export class ModelPanel {
    selection: Selection | null = null;
    private query = "";

    constructor(private readonly tree: HTMLElement, private readonly details: HTMLElement, search: HTMLInputElement,
                private readonly result: Result, private readonly colourOf: (body: number) => string,
                private readonly onSelect: (s: Selection | null) => void, private readonly traces: TraceBook) {
        search.addEventListener("input", () => {
            this.query = search.value.trim().toLowerCase();
            this.fill();
        });
        tree.addEventListener("click", (e) => {
            const row = (e.target as HTMLElement).closest<HTMLElement>("[data-kind]");
            if (row) this.select({ kind: row.dataset.kind as "body" | "joint", index: Number(row.dataset.index) });
        });
        tree.addEventListener("keydown", (e) => this.onKey(e));
        this.fill();
    }

    private rows(): HTMLElement[] {
        return [...this.tree.querySelectorAll<HTMLElement>("[data-kind]")];
    }

    private onKey(e: KeyboardEvent): void {
        const rows = this.rows();
        const at = rows.indexOf(document.activeElement as HTMLElement);
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[e.key];
        if (to !== undefined) {
            const row = rows[Math.min(Math.max(to, 0), rows.length - 1)];
            row?.focus();
            e.preventDefault();
            e.stopPropagation();
        } else if (e.key === "Enter" || e.key === " ") {
            (document.activeElement as HTMLElement).click();
            e.preventDefault();
            e.stopPropagation();
        }
    }

    private branch(title: string, kind: "body" | "joint", names: string[], notes: (i: number) => string): string {
        const found = names.map((name, i) => ({ name, i })).filter(({ name }) => name.toLowerCase().includes(this.query));
        if (names.length === 0) return "";
        const items = found.slice(0, ROOM).map(({ name, i }) => {
            const swatch = kind === "body" ? `style="--c:${this.colourOf(i)}"` : "";
            return `<li role="treeitem" tabindex="-1" data-kind="${kind}" data-index="${i}" aria-selected="false" ${swatch}>${ICONS[kind]}<span>${escapeHtml(name)}</span><em>${notes(i)}</em></li>`;
        });
        const more = found.length > ROOM ? `<li class="quiet">and ${found.length - ROOM} more: find them by name</li>` : "";
        return `<li role="treeitem" aria-expanded="true" class="branch"><b>${title}</b> <em>${names.length}</em><ul role="group">${items.join("")}${more}</ul></li>`;
    }

    private fill(): void {
        const { bodies, joints } = this.result.scene;
        this.tree.innerHTML =
            this.branch("Bodies", "body", bodies.map((b) => b.name), (i) => (bodies[i].fixed ? "fixed" : "")) +
            this.branch("Joints", "joint", joints.map((j) => j.name), (i) => escapeHtml(joints[i].type));
        const first = this.rows()[0];
        if (first) first.tabIndex = 0;
        this.mark();
    }

    private mark(): void {
        for (const row of this.rows()) {
            const is = this.selection?.kind === row.dataset.kind && this.selection?.index === Number(row.dataset.index);
            row.setAttribute("aria-selected", String(is));
            if (is) row.scrollIntoView({ block: "nearest" });
        }
    }

    select(selection: Selection | null): void {
        this.selection = selection;
        this.mark();
        this.showDetails();
        this.onSelect(selection);
    }

    private showDetails(): void {
        const s = this.selection;
        this.details.innerHTML = "";
        if (!s) return;
        if (s.kind === "body") this.showBody(s.index);
        else this.showJoint(s.index);
    }

    private table(rows: [string, string, string?][]): string {
        return `<table>${rows.map(([k, v, id]) => `<tr><th scope="row">${k}</th><td${id ? ` data-live="${id}"` : ""}>${v}</td></tr>`).join("")}</table>`;
    }

    private showBody(index: number): void {
        const body = this.result.scene.bodies[index];
        const rows: [string, string, string?][] = [];
        if (!body.fixed && body.mass > 0) rows.push(["mass, kg", formatNumber(body.mass)], ["inertia, kg m²", vector([body.inertia[0], body.inertia[4], body.inertia[8]])]);
        if (body.volume > 0) rows.push(["volume, m³", formatNumber(body.volume)]);
        rows.push(["shapes", escapeHtml(body.shapes.map((s) => s.type).join(", ")) || "none"]);
        rows.push(["position, m", "", "position"], ["orientation", "", "orientation"], ["speed, m/s", "", "speed"]);
        const at = (kind: string) => this.traces.specs.some((t) => t.body === index && t.kind === kind);
        this.details.innerHTML = `<h2>${escapeHtml(body.name)}</h2>${this.table(rows)}
            <fieldset><legend>Trace</legend>
            <label><input type="checkbox" data-trace="point" ${at("point") ? "checked" : ""}> path of the point</label>
            <span class="xyz">${["x", "y", "z"].map((a, i) => `<input type="number" step="any" value="${this.traces.point(index)[i]}" aria-label="${a} of the traced point, from the centre of mass">`).join("")}<i>m</i></span>
            <label><input type="checkbox" data-trace="axis" ${at("axis") ? "checked" : ""}> axis on the unit sphere</label>
            <select data-axis aria-label="Axis of the trace">${["x", "y", "z"].map((a, i) => `<option value="${i}" ${this.traces.axis(index) === i ? "selected" : ""}>${a}</option>`).join("")}</select>
            </fieldset>`;
        this.details.querySelectorAll("input,select").forEach((e) => e.addEventListener("change", () => this.readTrace(index)));
        this.update(this.time);
    }

    private readTrace(index: number): void {
        const checked = (kind: string) => this.details.querySelector<HTMLInputElement>(`[data-trace=${kind}]`)!.checked;
        const numbers = [...this.details.querySelectorAll<HTMLInputElement>(".xyz input")].map((i) => Number(i.value) || 0) as Vec3;
        const axis = Number(this.details.querySelector<HTMLSelectElement>("[data-axis]")!.value);
        this.traces.set(index, checked("point") ? numbers : null, checked("axis") ? axis : null);
    }

    private showJoint(index: number): void {
        const joint = this.result.scene.joints[index];
        const name = (b: number) => (b < 0 ? "world" : escapeHtml(this.result.scene.bodies[b].name));
        this.details.innerHTML = `<h2>${escapeHtml(joint.name)}</h2>` + this.table([
            ["type", escapeHtml(joint.type)], ["between", `${name(joint.a)} and ${name(joint.b)}`],
            ["force, N", "", "force"], ["torque, N m", "", "torque"], ["coordinate", "", "coordinate"],
        ]);
        this.update(this.time);
    }

    private time = 0;

    // Numbers at time t.
    update(t: number): void {
        this.time = t;
        const s = this.selection;
        if (!s || this.result.frames === 0) return;
        const frame = this.result.frameAt(t);
        const set = (id: string, text: string) => {
            const cell = this.details.querySelector(`[data-live=${id}]`);
            if (cell && cell.textContent !== text) cell.textContent = text;
        };
        if (s.kind === "body") {
            set("position", vector(this.result.position(s.index, frame)));
            set("orientation", vector(this.result.orientation(s.index, frame)));
            set("speed", formatNumber(this.result.speed(s.index, frame)));
        } else {
            const name = this.result.scene.joints[s.index].name;
            for (const part of ["force", "torque", "coordinate"]) {
                const field = this.result.field(`joints.${name}.${part}`);
                const values = field && field.channels ? [...field.data.subarray(frame * field.channels, (frame + 1) * field.channels)] : [];
                set(part, values.length ? vector(values) : "–");
            }
        }
    }
}

function vector(v: number[]): string {
    return v.map((x) => formatNumber(Math.abs(x) < 1e-12 ? 0 : x)).join(", ");
}

// Which traces are drawn.
export class TraceBook {
    specs: TraceSpec[] = [];
    private points = new Map<number, Vec3>();
    private axes = new Map<number, number>();

    constructor(private readonly onChange: (specs: TraceSpec[]) => void) {}

    point(body: number): Vec3 {
        return this.points.get(body) ?? [0, 0, 0];
    }

    axis(body: number): number {
        return this.axes.get(body) ?? 2;
    }

    set(body: number, point: Vec3 | null, axis: number | null): void {
        this.specs = this.specs.filter((s) => s.body !== body);
        if (point) {
            this.points.set(body, point);
            this.specs.push({ body, kind: "point", vector: point });
        }
        if (axis !== null) {
            this.axes.set(body, axis);
            const vector: Vec3 = [0, 0, 0];
            vector[axis] = 1;
            this.specs.push({ body, kind: "axis", vector });
        }
        this.onChange(this.specs);
    }
}
