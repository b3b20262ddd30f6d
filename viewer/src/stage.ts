// The 3-D picture: renderer, lights, ground, colours, and a view of each result, in one pane or side by side.

import * as THREE from "three";
import type { ColourBy } from "./bodies";
import { BadData } from "./codec";
import { Eye } from "./eye";
import { Backdrop, Ground } from "./ground";
import { Ribbon, Trace, TraceSpec } from "./marks";
import { DARK, RESULT_COLOURS, SCALE_CSS, Theme } from "./palette";
import { Quality, isSoftware } from "./quality";
import type { Result } from "./result";
import { Room, sampledFrames } from "./room";
import { formatNumber } from "./text";
import { floorOf, rollingJoints } from "./tracks";
import { Compass } from "./look";
import { MarkOptions, View } from "./view";

export interface Options extends MarkOptions {
    shadows: boolean;
    grid: boolean;
    tracks: boolean; // of contact points of joints that roll
    colour: ColourBy;
    layout: "overlay" | "split";
    follow: number;
}

interface Pane {
    x: number;
    y: number;
    w: number;
    h: number;
    views: number[];
}

const REST = 300; // ms without a change until the picture is drawn in full,
const LONG_REST = 1000; // and by a software renderer with smooth edges

function makeRenderer(canvas: HTMLCanvasElement, antialias: boolean): THREE.WebGLRenderer {
    try {
        return new THREE.WebGLRenderer({ canvas, antialias });
    } catch {
        throw new BadData("this browser shows no 3-D graphics (WebGL 2): it is turned off or the graphics driver is missing");
    }
}

export class Stage {
    readonly options: Options = {
        joints: false, frames: false, contacts: false, reactions: false, shadows: true, grid: true, tracks: true,
        colour: "body", layout: "overlay", follow: -1,
    };
    readonly eye: Eye;
    readonly views: View[] = [];
    readonly traces: { view: number; trace: Trace }[] = [];
    time = 0;
    selected = -1;
    onSettled: () => void = () => undefined; // it stands still after a coarse motion
    readonly quality: Quality;
    private readonly software: boolean;
    private readonly room = new Room();
    private readonly renderer: THREE.WebGLRenderer;
    private readonly scene = new THREE.Scene();
    private readonly sun = new THREE.DirectionalLight("#fff6ea", 2);
    private readonly sky = new THREE.HemisphereLight("#ffffff", "#6d7a92", 1.5);
    private readonly fill = new THREE.DirectionalLight("#cfe0ff", 0.6); // from the other side, without shadows
    private readonly backdrop = new Backdrop();
    private readonly grounds: { ground: Ground; view: number; body: number; local: THREE.Matrix4 }[] = [];
    private theme: Theme = DARK;
    private range: [number, number] = [0, 1];
    private anchorMaterial = new THREE.MeshStandardMaterial({ color: "#a9b3c2", roughness: 0.5, metalness: 0.3 });
    private pull: THREE.Line;
    private dirty = true;
    private disturbed = -Infinity; // when
    private moving = false;
    private smooth = false;
    private readonly compass = new Compass(document.querySelector<SVGElement>("#compass svg")!);

    constructor(readonly canvas: HTMLCanvasElement, private readonly legend: HTMLElement, private readonly labels: HTMLElement, many: boolean) {
        this.software = isSoftware();
        this.renderer = makeRenderer(canvas, !this.software);
        this.quality = new Quality(window.devicePixelRatio || 1, this.software, many);
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.renderer.autoClear = false;
        this.scene.add(this.sky, this.sun, this.sun.target, this.fill);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -0.0004;
        this.sun.shadow.radius = 3;
        this.eye = new Eye(canvas, () => this.disturb());
        const ends = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
        this.pull = new THREE.Line(ends, new THREE.LineBasicMaterial({ color: "#ff3d71", depthTest: false, transparent: true }));
        this.pull.frustumCulled = false;
        this.pull.visible = false;
        this.pull.renderOrder = 9;
        this.scene.add(this.pull);
    }

    private get extent(): number {
        return this.room.extent;
    }

    touch(): void {
        this.dirty = true;
    }

    get box(): THREE.Box3 {
        return this.room.box;
    }

    // Cuts away what is beyond a plane; null: nothing.
    setClip(plane: THREE.Plane | null): void {
        this.renderer.clippingPlanes = plane ? [plane] : [];
        this.touch();
    }

    // Something moves for a while: the camera, or the time under the user's hand.
    private disturb(): void {
        this.disturbed = performance.now();
        this.touch();
    }

    // ---- Building ---------------------------------------------------------------------------------------------------

    load(results: Result[], live: boolean): void {
        this.room.measure(results);
        results.forEach((result, index) => this.views.push(new View(result, index, this.room.extent, this.anchorMaterial)));
        for (const view of this.views) this.scene.add(view.group);
        this.room.grow(this.views);
        if (live) this.room.growSwing(this.views[0]);
        this.eye.setUp(results[0].scene.gravity);
        this.settle();
        this.findRange();
        this.seek(results[0].start);
        this.fit(true);
    }

    // The same bodies with other shapes or joints.
    reload(): void {
        const { result } = this.views[0];
        this.scene.remove(this.views[0].group);
        this.views[0] = new View(result, 0, this.room.extent, this.anchorMaterial);
        this.scene.add(this.views[0].group);
        this.setTheme(this.theme);
        this.settle();
        this.views[0].bodies.update(this.time);
        this.repaint();
    }

    // What depends on the room the motion takes.
    private settle(): void {
        this.room.settle();
        this.makeGround();
        this.setSun();
    }

    private makeGround(): void {
        for (const { ground } of this.grounds) this.scene.remove(ground.group);
        this.grounds.length = 0;
        this.views.forEach((view, index) => {
            for (const plane of view.bodies.planes) {
                this.addGround(new Ground(this.extent, false), index, plane.body, plane.local);
            }
        });
        if (this.grounds.length > 0) return;
        const { up } = this.eye;
        const { centre } = this.room;
        const rolledOn = floorOf(this.views[0].result);
        const normal = rolledOn ? new THREE.Vector3(...rolledOn.axis_a).normalize() : up;
        const level = rolledOn ? normal.dot(new THREE.Vector3(...rolledOn.anchor_a)) : this.room.lowest(up) - 0.04 * this.extent;
        const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
        const foot = centre.clone().addScaledVector(normal, level - centre.dot(normal));
        this.addGround(new Ground(this.extent, false), -1, -1, new THREE.Matrix4().compose(foot, q, new THREE.Vector3(1, 1, 1)));
    }

    private addGround(ground: Ground, view: number, body: number, local: THREE.Matrix4): void {
        this.grounds.push({ ground, view, body, local });
        ground.paint(this.theme);
        this.scene.add(ground.group);
    }

    private setSun(): void {
        const { up } = this.eye;
        const { centre } = this.room;
        const side = new THREE.Vector3(0.55, -0.35, 0.25);
        this.sun.position.copy(centre).addScaledVector(up, 2 * this.extent).addScaledVector(side, 1.6 * this.extent);
        this.sun.target.position.copy(centre);
        this.sky.position.copy(up);
        this.fill.position.copy(side).multiplyScalar(-1).addScaledVector(up, 0.4);
        const c = this.sun.shadow.camera;
        const r = 1.15 * this.extent;
        c.left = c.bottom = -r;
        c.right = c.top = r;
        c.near = 0.01 * this.extent;
        c.far = 6 * this.extent;
        c.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.004 * this.extent;
        for (const view of this.views) view.bodies.items.setSunDepth(1 / (c.far - c.near));
    }

    // Live results grow: what depends on the whole motion is found again.
    regrow(): void {
        const before = this.room.box.clone().expandByScalar(0.03 * this.extent);
        this.room.grow(this.views);
        if (!before.containsBox(this.room.box)) {
            this.settle();
            if (!this.eye.userMoved && this.options.follow < 0) this.fit(false);
        }
        if (this.scaleTitle()) this.setColour(this.options.colour);
        for (const view of this.views) view.measureForces();
    }

    // ---- Time -------------------------------------------------------------------------------------------------------

    seek(t: number): void {
        this.time = t;
        for (const view of this.views) view.bodies.update(t);
        const followed = this.followed();
        if (followed) this.eye.goAfter(followed);
        this.disturb();
    }

    // ---- What the camera looks at -----------------------------------------------------------------------------------

    // Where the body is that the camera follows.
    private followed(): THREE.Vector3 | null {
        const body = this.options.follow;
        const view = this.views[0];
        if (body < 0 || !view || body >= view.bodies.radius.length) return null;
        return view.bodies.worldPoint(body, [0, 0, 0], new THREE.Vector3());
    }

    setFollow(body: number): void {
        this.options.follow = body;
        this.eye.follow(this.followed());
        this.touch();
    }

    // The user wants to see everything.
    fitAll(): void {
        this.eye.userMoved = false;
        this.fit(false);
    }

    fit(turn: boolean): void {
        this.eye.fit(this.room, this.paneAspect(), turn);
        this.touch();
    }

    // ---- Picking ----------------------------------------------------------------------------------------------------

    // Pixel of the canvas (CSS pixels from its corner) to a ray of the pane it lies in.
    rayAt(x: number, y: number): { ray: THREE.Raycaster; pane: Pane } | null {
        const pane = this.panes().find((p) => x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + p.h);
        if (!pane) return null;
        this.eye.setAspect(pane.w / pane.h);
        const ray = new THREE.Raycaster();
        ray.setFromCamera(new THREE.Vector2((2 * (x - pane.x)) / pane.w - 1, 1 - (2 * (y - pane.y)) / pane.h), this.eye.camera);
        return { ray, pane };
    }

    pick(x: number, y: number): { view: number; body: number; point: THREE.Vector3 } | null {
        const at = this.rayAt(x, y);
        if (!at) return null;
        let best: { view: number; body: number; point: THREE.Vector3; distance: number } | null = null;
        for (const index of at.pane.views) {
            const hit = this.views[index].bodies.pick(at.ray);
            if (hit && (!best || hit.distance < best.distance)) best = { view: index, ...hit };
        }
        return best;
    }

    // Where the centre of mass of a body is drawn, in CSS pixels of the canvas.
    screenPoint(body: number, view = 0): { x: number; y: number } {
        const pane = this.panes().find((p) => p.views.includes(view))!;
        this.eye.setAspect(pane.w / pane.h);
        this.eye.camera.updateMatrixWorld();
        const p = this.views[view].bodies.worldPoint(body, [0, 0, 0], new THREE.Vector3()).project(this.eye.camera);
        return { x: pane.x + ((p.x + 1) / 2) * pane.w, y: pane.y + ((1 - p.y) / 2) * pane.h };
    }

    showPull(from: THREE.Vector3 | null, to?: THREE.Vector3): void {
        this.pull.visible = from !== null;
        if (from && to) this.pull.geometry.setFromPoints([from, to]);
        this.touch();
    }

    // ---- Traces -----------------------------------------------------------------------------------------------------

    // The centre of the unit sphere of an axis trace: the joint of the body to the world, else its first position.
    setTraces(specs: TraceSpec[], colourOf: (view: number, spec: TraceSpec) => string): void {
        for (const { trace, view } of this.traces) {
            this.views[view].group.remove(trace.group);
            trace.dispose();
        }
        this.traces.length = 0;
        this.views.forEach((view, index) => {
            for (const spec of [...specs, ...this.tracksOf(view.result)]) {
                if (spec.body >= view.result.scene.bodies.length) continue; // of another model
                const foot = view.result.scene.joints.find((j) => j.a < 0 && j.b === spec.body);
                const centre = new THREE.Vector3(...(foot ? foot.anchor_a : view.result.position(spec.body, 0)));
                const unit = this.unitSphere();
                const trace = new Trace(view.result, spec, colourOf(index, spec), centre, unit, (spec.kind === "track" ? 0.004 : 0.009) * this.extent);
                view.group.add(trace.group);
                this.traces.push({ view: index, trace });
            }
        });
        this.touch();
    }

    private tracksOf({ scene }: Result, joints = rollingJoints(this.views[0].result)): TraceSpec[] {
        return joints.filter((j) => scene.joints[j]?.touch).map((joint) => ({ body: scene.joints[joint].b, kind: "track", vector: [0, 0, 0], joint }));
    }

    // One metre where that can be seen; else a length that can.
    private unitSphere(): number {
        return this.extent > 0.6 && this.extent < 6 ? 1 : 0.45 * this.extent;
    }

    // ---- Colours ----------------------------------------------------------------------------------------------------

    setTheme(theme: Theme): void {
        this.theme = theme;
        this.sky.intensity = theme.ambient;
        this.sun.intensity = theme.sun;
        this.fill.intensity = theme.fill;
        this.backdrop.paint(theme);
        this.renderer.setClearColor(new THREE.Color(theme.background).lerp(new THREE.Color(theme.sky), 0.5));
        for (const view of this.views) for (const line of view.springs.ribbons) line.paint(theme.dark ? "#aab4c3" : "#5b6675");
        for (const { ground } of this.grounds) ground.paint(theme);
        this.touch();
    }

    // Bodies have the colours of a scale; the title of its legend.
    private scaleTitle(): string | null {
        return { speed: "speed, m/s", mises: "mean stress (von Mises), Pa", start: "height at the start, m" }[this.options.colour as string] ?? null;
    }

    private value(view: View, body: number, frame: number): number {
        if (this.options.colour === "start") {
            return view.result.scene.bodies[body].fixed ? NaN : new THREE.Vector3(...view.result.position(body, 0)).dot(this.eye.up);
        }
        if (this.options.colour === "speed") return view.result.speed(body, frame);
        const mises = view.result.field("stress.mises");
        const column = view.result.meta.stress_bodies?.indexOf(body) ?? -1;
        return mises && column >= 0 ? mises.data[frame * mises.channels + column] : NaN;
    }

    private findRange(): void {
        if (!this.scaleTitle()) return;
        let low = this.options.colour === "start" ? Infinity : 0, high = low === 0 ? 0 : -Infinity;
        for (const view of this.views) {
            const stride = Math.max(1, Math.floor(view.bodies.radius.length / 400));
            for (const f of this.options.colour === "start" ? [0] : sampledFrames(view.result)) {
                for (let b = 0; b < view.bodies.radius.length; b += stride) {
                    const x = this.value(view, b, f);
                    if (x > high) high = x;
                    if (x < low) low = x;
                }
            }
        }
        this.range = high > low ? [low, high] : [Number.isFinite(low) ? low : 0, (Number.isFinite(low) ? low : 0) + 1];
    }

    setColour(by: ColourBy): void {
        this.options.colour = by;
        this.findRange();
        const title = this.scaleTitle();
        this.legend.hidden = title === null;
        if (title) this.writeLegend(title);
        this.repaint();
    }

    private writeLegend(title: string): void {
        const [low, high] = this.range;
        this.legend.innerHTML = `<span>${title}</span><div style="background:${SCALE_CSS}"></div><p>${[low, (low + high) / 2, high].map((x) => `<i>${formatNumber(x)}</i>`).join("")}</p>`;
    }

    repaint(): void {
        const scaled = this.scaleTitle() !== null;
        const [low, high] = this.range;
        for (const view of this.views) {
            view.bodies.selected = this.selected;
            const frame = view.result.frameAt(this.time);
            view.bodies.paint(this.options.colour, scaled ? (b) => (this.value(view, b, frame) - low) / (high - low) : null);
        }
        this.touch();
    }

    // ---- Drawing ----------------------------------------------------------------------------------------------------

    private panes(): Pane[] {
        const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
        const shown = this.views.map((_, i) => i).filter((i) => this.views[i].visible);
        if (this.options.layout === "overlay" || shown.length < 2) return [{ x: 0, y: 0, w, h, views: shown }];
        const columns = shown.length <= 3 && w > h ? shown.length : Math.ceil(Math.sqrt(shown.length));
        const rows = Math.ceil(shown.length / columns);
        return shown.map((view, i) => ({
            x: Math.round(((i % columns) * w) / columns), y: Math.round((Math.floor(i / columns) * h) / rows),
            w: Math.round(w / columns), h: Math.round(h / rows), views: [view],
        }));
    }

    private paneAspect(): number {
        const pane = this.panes()[0];
        return pane && pane.h > 0 ? pane.w / pane.h : 1;
    }

    setLayout(layout: "overlay" | "split"): void {
        this.options.layout = layout;
        this.views.forEach((view, i) => view.bodies.setGhost(layout === "overlay" && i > 0));
        this.fit(false);
    }

    setVisible(view: number, visible: boolean): void {
        this.views[view].visible = visible;
        this.touch();
    }

    resize(): void {
        const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
        if (w < 1 || h < 1) return;
        const device = Math.min(window.devicePixelRatio || 1, 2);
        const ratio = this.moving ? Math.min(device, this.quality.level.pixels) : this.smooth ? 2 : device;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(w, h, false);
        this.touch();
    }

    // Called for each frame; what has come to rest is drawn in full.
    noteFrame(playing: boolean, seconds: number): void {
        const rest = playing ? 0 : performance.now() - this.disturbed;
        const moving = rest < REST, smooth = this.software && rest >= LONG_REST; // more pixels: it has no other way
        if (moving !== this.moving || smooth !== this.smooth) {
            const settled = this.moving && !moving;
            this.moving = moving;
            this.smooth = smooth;
            this.quality.pause();
            if (this.software || this.quality.number > 0) this.resize();
            if (settled) this.onSettled();
        } else if (playing && !document.hidden && this.quality.note(seconds)) this.resize();
    }

    get isSlow(): boolean {
        return this.moving && this.quality.number > 0;
    }

    private placeGrounds(): void {
        const m = new THREE.Matrix4();
        for (const { ground, view, body, local } of this.grounds) {
            if (view >= 0) this.views[view].bodies.matrix(body, m).multiply(local);
            else m.copy(local);
            ground.place(m);
            ground.show(this.options.grid, this.sun.castShadow, this.renderer.getPixelRatio());
        }
    }

    // Draws when something has changed.
    draw(): boolean {
        if (!this.dirty || this.canvas.clientWidth < 1) return false;
        this.dirty = false;
        if (this.options.colour === "speed" || this.options.colour === "mises") {
            this.repaint();
            this.dirty = false;
        }
        for (const view of this.views) if (view.visible) view.updateMarks(this.time, this.options, this.extent);
        for (const { trace } of this.traces) {
            trace.group.visible = trace.spec.kind !== "track" || this.options.tracks;
            trace.update(this.time);
        }
        this.sun.castShadow = this.options.shadows && (!this.moving || this.quality.level.shadows);
        this.placeGrounds();
        this.renderer.setScissorTest(true);
        const height = this.canvas.clientHeight;
        const panes = this.panes();
        for (const pane of panes) {
            this.views.forEach((view, i) => (view.group.visible = view.visible && pane.views.includes(i)));
            for (const g of this.grounds) g.ground.group.visible = g.view < 0 || g.view === pane.views[0];
            this.renderer.setViewport(pane.x, height - pane.y - pane.h, pane.w, pane.h);
            this.renderer.setScissor(pane.x, height - pane.y - pane.h, pane.w, pane.h);
            this.eye.setAspect(pane.w / pane.h);
            for (const line of this.ribbons()) line.setView(pane.w, pane.h);
            this.renderer.clear();
            this.backdrop.draw(this.renderer);
            this.renderer.render(this.scene, this.eye.camera);
        }
        this.placeLabels(panes);
        this.compass.update(this.eye.camera, this.options.grid ? this.grounds[0]?.ground.cell ?? null : null, this.views[0]?.arrowNote(this.options) ?? "");
        return true;
    }

    private ribbons(): Ribbon[] {
        return [...this.views.flatMap((v) => v.springs.ribbons), ...this.traces.flatMap(({ trace }) => trace.line ?? [])];
    }

    private placeLabels(panes: Pane[]): void {
        const wanted = panes.length > 1 ? panes.length : 0;
        while (this.labels.children.length > wanted) this.labels.lastElementChild!.remove();
        while (this.labels.children.length < wanted) this.labels.append(document.createElement("span"));
        for (let i = 0; i < wanted; i++) {
            const label = this.labels.children[i] as HTMLElement;
            const view = panes[i].views[0];
            label.textContent = this.views[view].result.label;
            label.style.cssText = `left:${panes[i].x + 12}px;top:${panes[i].y + 10}px;--c:${RESULT_COLOURS[view % RESULT_COLOURS.length]}`;
        }
    }

    picture(): string {
        this.touch();
        this.draw();
        return this.canvas.toDataURL("image/png");
    }

    // The colour of one pixel, for tests.
    pixel(x: number, y: number): [number, number, number] {
        this.touch();
        this.draw();
        const gl = this.renderer.getContext();
        const ratio = this.renderer.getPixelRatio();
        const out = new Uint8Array(4);
        gl.readPixels(Math.floor(x * ratio), Math.floor((this.canvas.clientHeight - y) * ratio), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
        return [out[0], out[1], out[2]];
    }
}
