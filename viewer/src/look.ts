// How the picture is looked at: what is hidden, how clear bodies are, where it is cut, from where it is seen, what is measured.

import * as THREE from "three";
import type { Stage } from "./stage";
import { formatNumber } from "./text";

const get = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

// Directions from which one looks, as (along x, along y, up).
const PRESETS: Record<string, [number, number, number]> = {
    "from the corner": [1, -1.2, 0.7], front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, -1e-3, 1], bottom: [0, -1e-3, -1],
};

export class Look {
    private readonly clip = new THREE.Plane();
    private readonly points: THREE.Vector3[] = [];
    measuring = false;

    constructor(private readonly stage: Stage, private readonly selected: () => number, private readonly say: (text: string) => void) {
        const preset = get<HTMLSelectElement>("preset");
        for (const name of Object.keys(PRESETS)) preset.append(new Option(name, name));
        preset.addEventListener("change", () => {
            if (preset.value) this.goTo(preset.value);
            preset.value = "";
        });
        get<HTMLInputElement>("clear").addEventListener("input", (e) => this.setOpacity(1 - Number((e.target as HTMLInputElement).value)));
        for (const id of ["clip", "clip-at"]) get(id).addEventListener("input", () => this.setClip());
        get("hide").addEventListener("click", () => this.hide(false));
        get("isolate").addEventListener("click", () => this.hide(true));
        get("show-all").addEventListener("click", () => this.showAll());
        get("measure").addEventListener("click", () => this.setMeasuring(!this.measuring));
    }

    goTo(name: string): void {
        const [x, y, up] = PRESETS[name];
        this.stage.eye.seeFrom(new THREE.Vector3(x, y, 0), up);
        this.stage.fitAll();
        this.say(`seen ${name}`);
    }

    setOpacity(opacity: number): void {
        for (const view of this.stage.views) view.bodies.items.setOpacity(opacity);
        this.stage.touch();
    }

    // ---- Hiding -----------------------------------------------------------------------------------------------------

    hide(others: boolean): void {
        const body = this.selected();
        if (body < 0) {
            this.say("select a body first");
            return;
        }
        const hidden = this.stage.views[0].bodies.hidden;
        if (others) this.stage.views[0].result.scene.bodies.forEach((_, i) => i !== body && hidden.add(i));
        else hidden.add(body);
        this.shown();
    }

    showAll(): void {
        this.stage.views[0].bodies.hidden.clear();
        this.shown();
    }

    private shown(): void {
        const { hidden } = this.stage.views[0].bodies;
        for (const view of this.stage.views.slice(1)) {
            view.bodies.hidden.clear();
            hidden.forEach((i) => view.bodies.hidden.add(i));
        }
        get("show-all").toggleAttribute("disabled", hidden.size === 0);
        this.say(hidden.size ? `${hidden.size} ${hidden.size === 1 ? "body" : "bodies"} hidden` : "everything is shown");
        this.stage.seek(this.stage.time);
    }

    // ---- Cutting ----------------------------------------------------------------------------------------------------

    private setClip(): void {
        const axis = ["x", "y", "z"].indexOf(get<HTMLSelectElement>("clip").value);
        get("clip-row").hidden = axis < 0;
        if (axis >= 0) {
            const { min, max } = this.stage.box;
            const part = Number(get<HTMLInputElement>("clip-at").value);
            const at = min.getComponent(axis) + part * (max.getComponent(axis) - min.getComponent(axis));
            this.clip.normal.set(0, 0, 0).setComponent(axis, -1);
            this.clip.constant = at;
            get("clip-value").textContent = `${formatNumber(at)} m`;
        }
        this.stage.setClip(axis < 0 ? null : this.clip);
    }

    // ---- Measuring --------------------------------------------------------------------------------------------------

    setMeasuring(on: boolean): void {
        this.measuring = on;
        this.points.length = 0;
        get("measure").setAttribute("aria-pressed", String(on));
        get("measured").textContent = on ? "click two points" : "";
        this.stage.showPull(null);
    }

    // A click while measuring; the second tells the distance.
    point(at: THREE.Vector3): void {
        if (this.points.length === 2) this.points.length = 0;
        this.points.push(at.clone());
        if (this.points.length < 2) {
            get("measured").textContent = "and another";
            return;
        }
        const [a, b] = this.points;
        const d = b.clone().sub(a);
        get("measured").textContent = `${formatNumber(d.length())} m (${d.toArray().map((x) => formatNumber(x)).join(", ")})`;
        this.stage.showPull(a, b);
    }
}

// ---- Axes and sizes in a corner of the view -------------------------------------------------------------------------

const NAMES = ["x", "y", "z"], COLOURS = ["#f0524b", "#3fb860", "#4a86f7"];

export class Compass {
    private readonly lines: SVGLineElement[] = [];
    private readonly letters: SVGTextElement[] = [];
    private readonly note = get("grid-note");
    private told = "";

    constructor(svg: SVGElement) {
        for (let k = 0; k < 3; k++) {
            const line = document.createElementNS("http://www.w3.org/2000/svg", "line"), text = document.createElementNS("http://www.w3.org/2000/svg", "text");
            line.style.stroke = COLOURS[k];
            text.textContent = NAMES[k];
            svg.append(line, text);
            this.lines.push(line);
            this.letters.push(text);
        }
    }

    update(camera: THREE.Camera, cell: number | null, arrows: string): void {
        const turn = camera.quaternion.clone().invert();
        const v = new THREE.Vector3();
        this.lines.forEach((line, k) => {
            v.set(0, 0, 0).setComponent(k, 1).applyQuaternion(turn);
            line.setAttribute("x2", String(22 * v.x));
            line.setAttribute("y2", String(-22 * v.y));
            this.letters[k].setAttribute("x", String(29 * v.x));
            this.letters[k].setAttribute("y", String(-29 * v.y + 4));
        });
        const note = [cell === null ? "" : `grid ${formatNumber(cell)} m`, arrows].filter((s) => s).join(" · ");
        if (note !== this.told) this.note.textContent = this.told = note;
    }
}
