// The 3-D view: renderer, camera, lights, and one set of bodies and marks for each result.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Bodies, ColourBy } from "./bodies";
import { BadData } from "./codec";
import { Backdrop, Ground } from "./ground";
import { AnchorMarks, Arrows, FrameMarks, JointMarks, Ribbon, SpringMarks, Trace, TraceSpec } from "./marks";
import { DARK, RESULT_COLOURS, SCALE_CSS, Theme } from "./palette";
import { Quality, isSoftware } from "./quality";
import type { Result } from "./result";
import { formatNumber } from "./text";

export interface Options {
    joints: boolean;
    frames: boolean;
    contacts: boolean;
    reactions: boolean;
    shadows: boolean;
    grid: boolean;
    colour: ColourBy;
    layout: "overlay" | "split";
    follow: number;
}

interface View {
    result: Result;
    group: THREE.Group;
    bodies: Bodies;
    joints: JointMarks;
    frames: FrameMarks;
    springs: SpringMarks;
    anchors: AnchorMarks;
    contacts: Arrows;
    dots: THREE.Points;
    reactions: Arrows;
    forceScale: { contact: number; reaction: number };
    visible: boolean;
}

interface Pane {
    x: number;
    y: number;
    w: number;
    h: number;
    views: number[];
}

const SAMPLE_FRAMES = 160;
const REST = 300; // ms without a change until the picture is drawn in full,
const LONG_REST = 1000; // and by a software renderer with smooth edges
const CONTACT_DOTS = 4096;

function makeRenderer(canvas: HTMLCanvasElement, antialias: boolean): THREE.WebGLRenderer {
    try {
        return new THREE.WebGLRenderer({ canvas, antialias });
    } catch {
        throw new BadData("this browser shows no 3-D graphics (WebGL 2): it is turned off or the graphics driver is missing");
    }
}

export class Stage {
    readonly options: Options = {
        joints: false, frames: false, contacts: true, reactions: false, shadows: true, grid: true,
        colour: "body", layout: "overlay", follow: -1,
    };
    readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly views: View[] = [];
    readonly traces: { view: number; trace: Trace }[] = [];
    readonly up = new THREE.Vector3(0, 0, 1);
    readonly box = new THREE.Box3();
    extent = 1;
    time = 0;
    selected = -1;
    onSettled: () => void = () => undefined; // it stands still after a coarse motion
    readonly quality: Quality;
    private readonly software: boolean;
    private userMoved = false; // the camera is where the user wants it
    private readonly renderer: THREE.WebGLRenderer;
    private readonly scene = new THREE.Scene();
    private readonly sun = new THREE.DirectionalLight("#fff6ea", 2);
    private readonly sky = new THREE.HemisphereLight("#ffffff", "#6d7a92", 1.5);
    private readonly fill = new THREE.DirectionalLight("#cfe0ff", 0.6); // from the other side, without shadows
    private readonly backdrop = new Backdrop();
    private readonly grounds: { ground: Ground; view: number; body: number; local: THREE.Matrix4 }[] = [];
    private theme: Theme = DARK;
    private followed = new THREE.Vector3();
    private range: [number, number] = [0, 1];
    private anchorMaterial = new THREE.MeshStandardMaterial({ color: "#a9b3c2", roughness: 0.5, metalness: 0.3 });
    private pull: THREE.Line;
    private dirty = true;
    private disturbed = -Infinity; // when
    private moving = false;
    private smooth = false;

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
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", () => this.disturb());
        this.controls.addEventListener("start", () => (this.userMoved = true));
        const ends = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]);
        this.pull = new THREE.Line(ends, new THREE.LineBasicMaterial({ color: "#ff3d71", depthTest: false, transparent: true }));
        this.pull.frustumCulled = false;
        this.pull.visible = false;
        this.pull.renderOrder = 9;
        this.scene.add(this.pull);
    }

    touch(): void {
        this.dirty = true;
    }

    // Something moves for a while: the camera, or the time under the user's hand.
    private disturb(): void {
        this.disturbed = performance.now();
        this.touch();
    }

    // ---- Building ---------------------------------------------------------------------------------------------------

    load(results: Result[], live: boolean): void {
        this.measure(results);
        results.forEach((result, index) => this.views.push(this.makeView(result, index)));
        this.growBoxes();
        if (live) this.growSwing(results[0]);
        this.findUp(results[0]);
        this.settle();
        this.findRange();
        this.seek(results[0].start);
        this.fit(true);
    }

    private growBoxes(): void {
        for (const view of this.views) for (let b = 0; b < view.bodies.radius.length; b++) this.growBox(view, b);
    }

    // What depends on the room the motion takes.
    private settle(): void {
        this.extent = Math.max(this.box.getSize(new THREE.Vector3()).length() / 1.6, 1e-6);
        this.makeGround();
        this.setSun();
    }

    // A motion that begins: room for what hangs on ball joints of the world to swing.
    private growSwing({ scene }: Result): void {
        for (const foot of scene.joints) {
            if (foot.a >= 0 || foot.type !== "ball") continue;
            const hangs = new Set([foot.b]);
            for (const b of hangs) for (const j of scene.joints) if (j.a >= 0 && (j.a === b || j.b === b)) hangs.add(j.a).add(j.b);
            const ball = new THREE.Sphere(new THREE.Vector3(...foot.anchor_a), 0);
            for (const b of hangs) ball.radius = Math.max(ball.radius, ball.center.distanceTo(new THREE.Vector3(...this.views[0].result.position(b, 0))) + this.views[0].bodies.radius[b]);
            this.box.union(ball.getBoundingBox(new THREE.Box3()));
        }
    }

    private sampled(result: Result): number[] {
        const count = Math.min(result.frames, SAMPLE_FRAMES);
        return Array.from({ length: count }, (_, i) => Math.round((i * (result.frames - 1)) / Math.max(count - 1, 1)));
    }

    // How large the motion is, before anything is drawn.
    private measure(results: Result[]): void {
        const p = new THREE.Vector3();
        this.box.makeEmpty();
        for (const result of results) {
            const stride = Math.max(1, Math.floor(result.scene.bodies.length / 2000));
            for (const f of this.sampled(result)) {
                for (let b = 0; b < result.scene.bodies.length; b += stride) this.box.expandByPoint(p.set(...result.position(b, f)));
            }
            for (const j of result.scene.joints) if (j.a < 0) this.box.expandByPoint(p.set(...j.anchor_a));
        }
        let reach = 0;
        for (const result of results) {
            for (const j of result.scene.joints) reach = Math.max(reach, Math.hypot(...j.anchor_b), j.a < 0 ? 0 : Math.hypot(...j.anchor_a));
        }
        this.extent = Math.max(this.box.getSize(p).length(), reach) || 1;
    }

    // Room for the shapes of a body in all its positions; of many bodies roughly.
    private growBox(view: View, body: number): void {
        const r = view.bodies.radius[body];
        if (!(r > 0) || r > 20 * this.extent) return;
        const p = new THREE.Vector3();
        const q = new THREE.Quaternion();
        const frames = this.sampled(view.result);
        const rough = view.bodies.corners.length === 0;
        for (let i = 0; i < frames.length; i += rough ? 8 : 1) {
            const x = new THREE.Vector3(...view.result.position(body, frames[i]));
            if (rough) {
                this.box.expandByPoint(p.copy(x).addScalar(0.6 * r)).expandByPoint(p.copy(x).addScalar(-0.6 * r));
                continue;
            }
            const [w, u, v, z] = view.result.orientation(body, frames[i]);
            q.set(u, v, z, w);
            for (const corner of view.bodies.corners[body]) this.box.expandByPoint(p.copy(corner).applyQuaternion(q).add(x));
        }
    }

    private makeView(result: Result, index: number): View {
        const group = new THREE.Group();
        const bodies = new Bodies(result, this.extent, index > 0, RESULT_COLOURS[index % RESULT_COLOURS.length]);
        const size = 0.014 * this.extent;
        const dotGeometry = new THREE.BufferGeometry();
        dotGeometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * CONTACT_DOTS), 3));
        const view: View = {
            result, group, bodies, visible: true,
            joints: new JointMarks(result, size),
            frames: new FrameMarks(bodies, 0.03 * this.extent),
            springs: new SpringMarks(result, 1.6 * size),
            anchors: new AnchorMarks(result, 0.85 * size, this.extent, this.anchorMaterial),
            contacts: new Arrows("#e5484d", 0.28 * this.extent),
            reactions: new Arrows("#f5a524", 0.28 * this.extent),
            dots: new THREE.Points(dotGeometry, new THREE.PointsMaterial({ color: "#e5484d", size: 5, sizeAttenuation: false, depthTest: false })),
            forceScale: { contact: 0, reaction: 0 },
        };
        view.dots.frustumCulled = false;
        group.add(bodies.group, view.joints.group, view.frames.group, view.springs.group, view.anchors.group, view.contacts.group, view.reactions.group, view.dots);
        this.scene.add(group);
        view.forceScale = { contact: this.largestOf(result, "contacts.force"), reaction: this.largestReaction(result) };
        return view;
    }

    // A length that most vectors of the field do not exceed.
    private largestOf(result: Result, name: string): number {
        const all = result.field(name)?.data;
        const data = name.startsWith("contacts.") && result.contactStart ? all?.subarray(0, 3 * result.contactStart[result.frames]) : all;
        if (!data || data.length < 3) return 0;
        const sizes: number[] = [];
        const stride = 3 * Math.max(1, Math.floor(data.length / 3 / 4000));
        for (let i = 0; i + 2 < data.length; i += stride) {
            const s = Math.hypot(data[i], data[i + 1], data[i + 2]);
            if (Number.isFinite(s)) sizes.push(s);
        }
        sizes.sort((a, b) => a - b);
        return sizes[Math.floor(0.97 * (sizes.length - 1))] ?? 0;
    }

    private largestReaction(result: Result): number {
        return Math.max(0, ...result.scene.joints.slice(0, 64).map((j) => this.largestOf(result, `joints.${j.name}.force`)));
    }

    // Up is against gravity; z where there is none.
    private findUp(result: Result): void {
        const g = new THREE.Vector3(...result.scene.gravity);
        if (g.length() > 1e-9) this.up.copy(g).negate().normalize();
        this.camera.up.copy(this.up);
        // OrbitControls reads the camera's up once, when it is made.
        const turn = new THREE.Quaternion().setFromUnitVectors(this.up, new THREE.Vector3(0, 1, 0));
        Object.assign(this.controls, { _quat: turn, _quatInverse: turn.clone().invert() });
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
        const q = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
        const centre = this.box.getCenter(new THREE.Vector3());
        const low = this.lowest();
        const foot = centre.clone().addScaledVector(this.up, low - centre.dot(this.up) - 0.04 * this.extent);
        this.addGround(new Ground(this.extent, false), -1, -1, new THREE.Matrix4().compose(foot, q, new THREE.Vector3(1, 1, 1)));
    }

    private lowest(): number {
        let low = Infinity;
        const p = new THREE.Vector3();
        for (let i = 0; i < 8; i++) {
            p.set(i & 1 ? this.box.max.x : this.box.min.x, i & 2 ? this.box.max.y : this.box.min.y, i & 4 ? this.box.max.z : this.box.min.z);
            low = Math.min(low, p.dot(this.up));
        }
        return low;
    }

    private addGround(ground: Ground, view: number, body: number, local: THREE.Matrix4): void {
        this.grounds.push({ ground, view, body, local });
        ground.paint(this.theme);
        this.scene.add(ground.group);
    }

    private setSun(): void {
        const centre = this.box.getCenter(new THREE.Vector3());
        const side = new THREE.Vector3(0.55, -0.35, 0.25);
        this.sun.position.copy(centre).addScaledVector(this.up, 2 * this.extent).addScaledVector(side, 1.6 * this.extent);
        this.sun.target.position.copy(centre);
        this.sky.position.copy(this.up);
        this.fill.position.copy(side).multiplyScalar(-1).addScaledVector(this.up, 0.4);
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
        const before = this.box.clone().expandByScalar(0.03 * this.extent);
        this.growBoxes();
        if (!before.containsBox(this.box)) {
            this.settle();
            if (!this.userMoved && this.options.follow < 0) this.fit(false);
        }
        if (this.scaleTitle()) this.setColour(this.options.colour);
        for (const view of this.views) view.forceScale = { contact: this.largestOf(view.result, "contacts.force"), reaction: this.largestReaction(view.result) };
    }

    // ---- Time -------------------------------------------------------------------------------------------------------

    seek(t: number): void {
        this.time = t;
        for (const view of this.views) view.bodies.update(t);
        this.follow();
        this.disturb();
    }

    private follow(): void {
        const body = this.options.follow;
        const view = this.views[0];
        if (body < 0 || !view || body >= view.bodies.radius.length) return;
        const now = view.bodies.worldPoint(body, [0, 0, 0], new THREE.Vector3());
        const move = now.clone().sub(this.followed);
        this.camera.position.add(move);
        this.controls.target.add(move);
        this.followed.copy(now);
        this.controls.update();
    }

    setFollow(body: number): void {
        this.options.follow = body;
        if (body >= 0) {
            this.views[0].bodies.worldPoint(body, [0, 0, 0], this.followed);
            const shift = this.followed.clone().sub(this.controls.target);
            this.camera.position.add(shift);
            this.controls.target.add(shift);
            this.controls.update();
        }
        this.touch();
    }

    // ---- Camera -----------------------------------------------------------------------------------------------------

    // The user wants to see everything.
    fitAll(): void {
        this.userMoved = false;
        this.fit(false);
    }

    // Looks at everything; `turn` also chooses the direction: against a motion that is nearly flat, else from above.
    fit(turn: boolean): void {
        const size = this.box.getSize(new THREE.Vector3());
        const centre = this.box.getCenter(new THREE.Vector3());
        let direction = this.camera.position.clone().sub(this.controls.target);
        if (turn || direction.lengthSq() === 0) direction = this.chooseDirection(size);
        direction.normalize();
        const aspect = this.paneAspect();
        const half = Math.tan((this.camera.fov * Math.PI) / 360);
        const distance = this.fitDistance(centre, direction, half, aspect);
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(direction, distance);
        this.camera.near = Math.max(distance - 6 * this.extent, 0.002 * this.extent);
        this.camera.far = distance + 30 * this.extent;
        this.controls.maxDistance = 20 * this.extent;
        this.controls.minDistance = 0.01 * this.extent;
        this.controls.update();
        if (this.options.follow >= 0) this.views[0].bodies.worldPoint(this.options.follow, [0, 0, 0], this.followed);
        this.touch();
    }

    private fitDistance(centre: THREE.Vector3, direction: THREE.Vector3, half: number, aspect: number): number {
        const right = new THREE.Vector3().crossVectors(this.up, direction);
        if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
        right.normalize();
        const over = new THREE.Vector3().crossVectors(direction, right);
        let distance = 0;
        const p = new THREE.Vector3();
        for (let i = 0; i < 8; i++) {
            p.set(i & 1 ? this.box.max.x : this.box.min.x, i & 2 ? this.box.max.y : this.box.min.y, i & 4 ? this.box.max.z : this.box.min.z).sub(centre);
            const need = Math.max(Math.abs(p.dot(right)) / (half * aspect), Math.abs(p.dot(over)) / half);
            distance = Math.max(distance, p.dot(direction) + 1.1 * need);
        }
        return distance;
    }

    private chooseDirection(size: THREE.Vector3): THREE.Vector3 {
        const axes = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
        const lengths = size.toArray();
        const most = Math.max(...lengths);
        const thin = lengths.findIndex((l, i) => l < 0.3 * most && Math.abs(axes[i].dot(this.up)) < 0.5);
        const side = thin >= 0 ? axes[thin].clone() : axes.find((a) => Math.abs(a.dot(this.up)) < 0.5)!.clone();
        const other = new THREE.Vector3().crossVectors(this.up, side);
        if (thin === 1) side.negate(); // from the front, x to the right
        return thin >= 0
            ? side.addScaledVector(other, 0.34).addScaledVector(this.up, 0.3)
            : side.addScaledVector(other, -0.75).addScaledVector(this.up, 0.5);
    }

    orbit(azimuth: number, height: number): void {
        this.userMoved = true;
        const offset = this.camera.position.clone().sub(this.controls.target);
        offset.applyAxisAngle(this.up, azimuth);
        const right = new THREE.Vector3().crossVectors(this.up, offset).normalize();
        const tilted = offset.clone().applyAxisAngle(right, height);
        if (Math.abs(tilted.clone().normalize().dot(this.up)) < 0.995) offset.copy(tilted);
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
    }

    zoom(factor: number): void {
        this.userMoved = true;
        const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
    }

    // ---- Picking ----------------------------------------------------------------------------------------------------

    // Pixel of the canvas (CSS pixels from its corner) to a ray of the pane it lies in.
    rayAt(x: number, y: number): { ray: THREE.Raycaster; pane: Pane } | null {
        const pane = this.panes().find((p) => x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + p.h);
        if (!pane) return null;
        this.camera.aspect = pane.w / pane.h;
        this.camera.updateProjectionMatrix();
        const ray = new THREE.Raycaster();
        ray.setFromCamera(new THREE.Vector2((2 * (x - pane.x)) / pane.w - 1, 1 - (2 * (y - pane.y)) / pane.h), this.camera);
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
        this.camera.aspect = pane.w / pane.h;
        this.camera.updateProjectionMatrix();
        this.camera.updateMatrixWorld();
        const p = this.views[view].bodies.worldPoint(body, [0, 0, 0], new THREE.Vector3()).project(this.camera);
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
            for (const spec of specs) {
                if (spec.body >= view.result.scene.bodies.length) continue; // of another model
                const foot = view.result.scene.joints.find((j) => j.a < 0 && j.b === spec.body);
                const centre = new THREE.Vector3(...(foot ? foot.anchor_a : view.result.position(spec.body, 0)));
                const unit = this.unitSphere(view.result, spec.body);
                const trace = new Trace(view.result, spec, colourOf(index, spec), centre, unit, 0.009 * this.extent);
                view.group.add(trace.group);
                this.traces.push({ view: index, trace });
            }
        });
        this.touch();
    }

    // One metre where that can be seen; else a length that can.
    private unitSphere(_result: Result, _body: number): number {
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
            return view.result.scene.bodies[body].fixed ? NaN : new THREE.Vector3(...view.result.position(body, 0)).dot(this.up);
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
            for (const f of this.options.colour === "start" ? [0] : this.sampled(view.result)) {
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

    private updateMarks(view: View): void {
        const o = this.options;
        view.joints.group.visible = o.joints;
        view.frames.group.visible = o.frames;
        if (o.joints) view.joints.update(view.bodies);
        if (o.frames) view.frames.update();
        view.springs.update(view.bodies);
        this.updateContacts(view);
        this.updateReactions(view);
    }

    private updateContacts(view: View): void {
        const start = view.result.contactStart;
        const shown = this.options.contacts && start !== null;
        view.contacts.group.visible = view.dots.visible = shown;
        if (!shown) return;
        const frame = view.result.frameAt(this.time);
        const points = view.result.field("contacts.point")!.data;
        const forces = view.result.field("contacts.force")!.data;
        const first = start[frame], last = start[frame + 1];
        if (view.forceScale.contact === 0 && last > first) view.forceScale.contact = this.largestOf(view.result, "contacts.force"); // live: the first
        const scale = view.forceScale.contact > 0 ? (0.16 * this.extent) / view.forceScale.contact : 0;
        const p = new THREE.Vector3(), f = new THREE.Vector3();
        const dots = view.dots.geometry.getAttribute("position") as THREE.BufferAttribute;
        view.contacts.begin(last - first);
        for (let i = first; i < last; i++) {
            p.set(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
            f.set(forces[3 * i], forces[3 * i + 1], forces[3 * i + 2]);
            if (i - first < CONTACT_DOTS) dots.setXYZ(i - first, p.x, p.y, p.z);
            view.contacts.add(p, f, Math.min(scale * f.length(), 0.4 * this.extent));
        }
        view.contacts.end();
        view.dots.geometry.setDrawRange(0, Math.min(last - first, CONTACT_DOTS));
        dots.needsUpdate = true;
    }

    // What is drawn of the contacts now, for tests: points, forces, and how many arrows.
    contactsOf(index: number): { points: number[][]; forces: number[][]; arrows: number } {
        const { result, contacts } = this.views[index];
        const frame = result.frameAt(this.time);
        const read = (name: string) => {
            const data = result.field(name)?.data;
            if (!data || !result.contactStart) return [];
            const [first, last] = [result.contactStart[frame], result.contactStart[frame + 1]];
            return Array.from({ length: last - first }, (_, i) => [...data.subarray(3 * (first + i), 3 * (first + i) + 3)]);
        };
        return { points: read("contacts.point"), forces: read("contacts.force"), arrows: contacts.group.visible ? contacts.count : 0 };
    }

    private updateReactions(view: View): void {
        const shown = this.options.reactions && view.forceScale.reaction > 0;
        view.reactions.group.visible = shown;
        if (!shown) return;
        const frame = view.result.frameAt(this.time);
        const scale = (0.16 * this.extent) / view.forceScale.reaction;
        const p = new THREE.Vector3(), f = new THREE.Vector3();
        view.reactions.begin(view.result.scene.joints.length);
        for (const joint of view.result.scene.joints) {
            const data = view.result.field(`joints.${joint.name}.force`)?.data;
            if (!data) continue;
            f.set(data[3 * frame], data[3 * frame + 1], data[3 * frame + 2]);
            view.reactions.add(view.bodies.worldPoint(joint.b, joint.anchor_b, p), f, Math.min(scale * f.length(), 0.4 * this.extent));
        }
        view.reactions.end();
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
        for (const view of this.views) if (view.visible) this.updateMarks(view);
        for (const { trace } of this.traces) trace.update(this.time);
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
            this.camera.aspect = pane.w / pane.h;
            this.camera.updateProjectionMatrix();
            for (const line of this.ribbons()) line.setView(pane.w, pane.h);
            this.renderer.clear();
            this.backdrop.draw(this.renderer);
            this.renderer.render(this.scene, this.camera);
        }
        this.placeLabels(panes);
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
