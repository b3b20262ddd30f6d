// What is drawn on request: joints, frames, springs, arrows of forces, traces of points.

import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Bodies } from "./bodies";
import { Group, Items } from "./items";
import { spinLine } from "./shapes";
import { rotate, touchPoint } from "./tracks";
import type { Joint, Result, Vec3 } from "./result";

const UP = new THREE.Vector3(0, 0, 1);
const AXES: Vec3[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

// ---- Arrows ---------------------------------------------------------------------------------------------------------

function arrowGeometry(simple: boolean): THREE.BufferGeometry {
    const shaft = new THREE.CylinderGeometry(0.022, 0.022, 0.8, simple ? 4 : 10, 1, true).translate(0, 0.4, 0);
    const head = new THREE.ConeGeometry(0.065, 0.22, simple ? 5 : 14).translate(0, 0.89, 0);
    return mergeGeometries([shaft, head]).rotateX(Math.PI / 2);
}

// Arrows of equal thickness, as many as are needed.
export class Arrows {
    readonly group = new THREE.Group();
    private items: Items | null = null;
    private readonly q = new THREE.Quaternion();
    private readonly d = new THREE.Vector3();
    private readonly s = new THREE.Vector3();
    private readonly colour: THREE.Color;
    count = 0;

    constructor(colour: string, private readonly thickness: number) {
        this.colour = new THREE.Color(colour);
    }

    begin(most: number): void {
        this.count = 0;
        if (most <= (this.items?.count ?? 0)) return;
        if (this.items) this.group.remove(this.items.group);
        this.items?.dispose();
        const room = Math.max(16, 2 * most);
        const all = Array.from({ length: room }, (_, i) => i);
        const pieces = all.map((thing) => ({ thing, local: new THREE.Matrix4() }));
        this.items = new Items(room, [{ geometry: arrowGeometry(room > 400), pieces, ball: false }], () => new THREE.MeshBasicMaterial(), true);
        all.forEach((i) => this.items!.paint(i, this.colour));
        this.items.meshes[0].renderOrder = 3;
        this.group.add(this.items.group);
    }

    add(from: THREE.Vector3, direction: THREE.Vector3, length: number): void {
        if (!this.items || !(length > 0) || !Number.isFinite(length)) return;
        this.q.setFromUnitVectors(UP, this.d.copy(direction).normalize());
        const thick = Math.min(this.thickness, 1.5 * length);
        this.items.set(this.count++, from, this.q, this.s.set(thick, thick, length));
    }

    end(): void {
        this.items?.show(this.count);
    }
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

const RIBBON = `
attribute vec3 along;
attribute float side;
uniform vec2 size; // of the view, in pixels of the page
uniform float width;
void main() {
    vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 next = projectionMatrix * modelViewMatrix * vec4(position + along, 1.0);
    vec2 d = size * (next.xy * at.w - at.xy * next.w);
    float length2 = dot(d, d);
    vec2 across = length2 > 0.0 ? vec2(-d.y, d.x) * inversesqrt(length2) * sign(next.w) : vec2(0.0);
    gl_Position = at + vec4(side * width * across / size * at.w, 0.0, 0.0);
}`;

// A line through points that is as wide on every screen: WebGL's own are one pixel wide.
export class Ribbon {
    readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.ShaderMaterial>;

    constructor(colour: string, width: number, count: number) {
        const geometry = new THREE.BufferGeometry();
        const side = Float32Array.from({ length: 2 * count }, (_, i) => (i & 1 ? 1 : -1));
        const index = new Uint32Array(6 * Math.max(count - 1, 0));
        for (let i = 0; i + 1 < count; i++) index.set([0, 1, 3, 0, 3, 2].map((k) => 2 * i + k), 6 * i);
        for (const name of ["position", "along"]) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(6 * count), 3));
        geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
        geometry.setIndex(new THREE.BufferAttribute(index, 1));
        const uniforms = { size: { value: new THREE.Vector2(1, 1) }, width: { value: width }, colour: { value: new THREE.Color() } };
        const fragmentShader = "uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0); }";
        this.mesh = new THREE.Mesh(geometry, new THREE.ShaderMaterial({ uniforms, vertexShader: RIBBON, fragmentShader, side: THREE.DoubleSide }));
        this.mesh.frustumCulled = false;
        this.paint(colour);
    }

    paint(colour: string): void {
        this.mesh.material.uniforms.colour.value.set(colour).convertLinearToSRGB(); // drawn as it is
    }

    // Points, 3 numbers each.
    set(points: Float32Array): void {
        const position = this.mesh.geometry.getAttribute("position"), along = this.mesh.geometry.getAttribute("along");
        for (let i = 0, count = points.length / 3; i < count; i++) {
            const a = 3 * Math.max(i - 1, 0), b = 3 * Math.min(i + 1, count - 1);
            for (const k of [2 * i, 2 * i + 1]) {
                position.setXYZ(k, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
                along.setXYZ(k, points[b] - points[a], points[b + 1] - points[a + 1], points[b + 2] - points[a + 2]);
            }
        }
        position.needsUpdate = along.needsUpdate = true;
    }

    // Draws the first points alone.
    show(count: number): void {
        this.mesh.geometry.setDrawRange(0, 6 * Math.max(count - 1, 0));
    }

    setView(w: number, h: number): void {
        this.mesh.material.uniforms.size.value.set(w, h);
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        this.mesh.material.dispose();
    }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

const WITHOUT_AXIS = new Set(["ball", "block"]);

function jointGeometry(joint: Joint, size: number): THREE.BufferGeometry {
    switch (joint.mark) {
        case "pin":
            return new THREE.CylinderGeometry(0.55 * size, 0.55 * size, 2.4 * size, 20).rotateX(Math.PI / 2);
        case "rod":
            return new THREE.CylinderGeometry(0.5 * size, 0.5 * size, 3.6 * size, 20).rotateX(Math.PI / 2);
        case "slider":
            return new THREE.BoxGeometry(0.9 * size, 0.9 * size, 3.6 * size);
        case "plate":
            return new THREE.BoxGeometry(3 * size, 3 * size, 0.3 * size);
        case "ring":
            return new THREE.TorusGeometry(0.8 * size, 0.28 * size, 10, 24);
        case "block":
            return new THREE.BoxGeometry(1.2 * size, 1.2 * size, 1.2 * size);
        default:
            return new THREE.SphereGeometry(0.75 * size, 20, 14);
    }
}

export class JointMarks {
    readonly group = new THREE.Group();
    private readonly joints: Joint[];
    private readonly items: Items | null = null;

    constructor(result: Result, size: number) {
        this.joints = result.scene.joints.filter((joint) => joint.mark !== "none");
        if (this.joints.length === 0) return;
        const groups = new Map<string, Group>();
        this.joints.forEach((joint, i) => {
            if (!groups.has(joint.mark)) groups.set(joint.mark, { geometry: jointGeometry(joint, size), pieces: [], ball: false });
            groups.get(joint.mark)!.pieces.push({ thing: i, local: new THREE.Matrix4() });
        });
        const colour = new THREE.Color("#ffb020");
        this.items = new Items(this.joints.length, [...groups.values()],
            () => new THREE.MeshStandardMaterial({ roughness: 0.4, depthTest: false, transparent: true, opacity: 0.85 }));
        this.joints.forEach((_, i) => this.items!.paint(i, colour));
        this.items.meshes.forEach((mesh) => (mesh.renderOrder = 4));
        this.group.add(this.items.group);
    }

    update(bodies: Bodies): void {
        if (!this.items) return;
        const at = new THREE.Vector3(), axis = new THREE.Vector3(), q = new THREE.Quaternion();
        this.joints.forEach((joint, i) => {
            bodies.worldPoint(joint.b, joint.anchor_b, at);
            bodies.worldDirection(joint.b, joint.axis_b, axis);
            if (WITHOUT_AXIS.has(joint.mark) || axis.lengthSq() === 0) q.identity();
            else q.setFromUnitVectors(UP, axis.normalize());
            this.items!.set(i, at, q);
        });
    }
}

// What the world holds bodies with, always drawn: a knob at a pivot, a thin rail along a straight guide.
export class AnchorMarks {
    readonly group = new THREE.Group();

    constructor(result: Result, size: number, extent: number, material: THREE.Material) {
        const knob = new THREE.SphereGeometry(size, 20, 14);
        const rail = new THREE.CylinderGeometry(0.3 * size, 0.3 * size, 1.1 * extent, 12).rotateX(Math.PI / 2);
        for (const joint of result.scene.joints) {
            if (joint.a >= 0 || joint.hold === "none") continue;
            const mark = new THREE.Mesh(joint.hold === "rail" ? rail : knob, material);
            mark.position.set(...joint.anchor_a);
            if (joint.hold === "rail") mark.quaternion.setFromUnitVectors(UP, new THREE.Vector3(...joint.axis_a).normalize());
            mark.castShadow = true;
            this.group.add(mark);
        }
    }
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

export class FrameMarks {
    readonly group = new THREE.Group();
    private readonly items: Items | null = null;

    constructor(private readonly bodies: Bodies, private readonly least: number) {
        const n = bodies.radius.length;
        if (n === 0) return;
        const pieces = Array.from({ length: 3 * n }, (_, thing) => ({ thing, local: new THREE.Matrix4() }));
        const axes = [new THREE.Color("#f0524b"), new THREE.Color("#3fb860"), new THREE.Color("#4a86f7")];
        this.items = new Items(3 * n, [{ geometry: arrowGeometry(n > 100), pieces, ball: false }], () => new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }), true);
        for (let i = 0; i < 3 * n; i++) this.items.paint(i, axes[i % 3]);
        this.items.meshes.forEach((mesh) => (mesh.renderOrder = 5));
        this.group.add(this.items.group);
    }

    update(): void {
        const at = new THREE.Vector3(), axis = new THREE.Vector3(), scale = new THREE.Vector3(), q = new THREE.Quaternion();
        for (let i = 0; i < this.bodies.radius.length; i++) {
            const length = Math.max(this.least, 1.25 * this.bodies.radius[i]);
            this.bodies.worldPoint(i, [0, 0, 0], at);
            scale.set(0.45 * length, 0.45 * length, length);
            AXES.forEach((direction, k) => {
                q.setFromUnitVectors(UP, this.bodies.worldDirection(i, direction, axis));
                this.items!.set(3 * i + k, at, q, scale);
            });
        }
    }
}

// ---- Bodies of revolution -------------------------------------------------------------------------------------------

// A line over balls, cylinders and capsules, so that one sees them turn; where there are many bodies, none.
export class SpinMarks {
    readonly group = new THREE.Group();
    private readonly items: Items | null = null;
    private readonly of: number[] = [];

    constructor(private readonly bodies: Bodies) {
        const { bodies: all } = bodies.result.scene;
        if (all.length > 100) return;
        const groups: Group[] = [];
        all.forEach((body, index) => {
            if (body.fixed) return;
            for (const shape of body.shapes) {
                const line = spinLine(shape);
                if (line) groups.push({ geometry: line.geometry, pieces: [{ thing: this.of.push(index) - 1, local: line.local }], ball: false });
            }
        });
        if (this.of.length === 0) return;
        this.items = new Items(this.of.length, groups, () => new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.45 }));
        const colour = new THREE.Color("#10151d");
        this.of.forEach((_, i) => this.items!.paint(i, colour));
        this.group.add(this.items.group);
    }

    update(): void {
        const { position, orientation } = this.bodies.pose;
        const away = Float64Array.of(1e12, 1e12, 1e12);
        this.of.forEach((body, i) => {
            if (this.bodies.hidden.has(body)) this.items!.setPose(i, away, 0, orientation, 4 * body);
            else this.items!.setPose(i, position, 3 * body, orientation, 4 * body);
        });
    }
}

// ---- Springs --------------------------------------------------------------------------------------------------------

const COIL_POINTS = 160;
const COIL_TURNS = 9;

export class SpringMarks {
    readonly group = new THREE.Group();
    readonly ribbons: Ribbon[] = [];
    private readonly coils: { line: Ribbon; index: number }[] = [];
    private readonly cords: { line: Ribbon; index: number }[] = []; // spans of tendons
    private readonly points = new Float32Array(3 * COIL_POINTS);

    constructor(private readonly result: Result, private readonly radius: number) {
        result.scene.forces.forEach((force, index) => {
            if (force.mark !== "coil" && force.mark !== "cord") return;
            const cord = force.mark === "cord";
            const line = new Ribbon("#9aa5b5", cord ? 2.4 : 1.8, cord ? 2 : COIL_POINTS);
            (cord ? this.cords : this.coils).push({ line, index });
            this.ribbons.push(line);
            this.group.add(line.mesh);
        });
    }

    update(bodies: Bodies): void {
        const a = new THREE.Vector3(), b = new THREE.Vector3(), d = new THREE.Vector3(), u = new THREE.Vector3(), v = new THREE.Vector3();
        for (const { line, index } of this.cords) {
            const span = this.result.scene.forces[index];
            bodies.worldPoint(span.a, span.point_a, a);
            bodies.worldPoint(span.b, span.point_b, b);
            line.set(Float32Array.of(a.x, a.y, a.z, b.x, b.y, b.z));
        }
        for (const { line, index } of this.coils) {
            const spring = this.result.scene.forces[index];
            bodies.worldPoint(spring.a, spring.point_a, a);
            bodies.worldPoint(spring.b, spring.point_b, b);
            d.subVectors(b, a);
            const n = d.clone().normalize();
            u.set(0, 0, 1);
            if (Math.abs(n.z) > 0.9) u.set(1, 0, 0);
            u.cross(n).normalize();
            v.crossVectors(n, u);
            const out = this.points;
            for (let i = 0; i < COIL_POINTS; i++) {
                const s = i / (COIL_POINTS - 1);
                const wound = Math.min(Math.max((s - 0.1) / 0.8, 0), 1);
                const r = this.radius * Math.min(1, 12 * wound, 12 * (1 - wound));
                const angle = 2 * Math.PI * COIL_TURNS * wound;
                const c = r * Math.cos(angle), e = r * Math.sin(angle);
                out[3 * i] = a.x + s * d.x + c * u.x + e * v.x;
                out[3 * i + 1] = a.y + s * d.y + c * u.y + e * v.y;
                out[3 * i + 2] = a.z + s * d.z + c * u.z + e * v.z;
            }
            line.set(out);
        }
    }
}

// ---- Traces ---------------------------------------------------------------------------------------------------------

export interface TraceSpec {
    body: number;
    kind: "point" | "axis" | "track"; // the path of a point, the tip of a direction on the unit sphere, where a joint touches
    vector: Vec3; // body axes
    joint?: number;
}

const TRACE_ROOM = 40_000; // points of a trace at the most

export class Trace {
    readonly group = new THREE.Group();
    line: Ribbon | null = null;
    private stride = 1;
    private made = -1; // frames it was made for
    private readonly dot: THREE.Mesh;

    constructor(readonly result: Result, readonly spec: TraceSpec, private readonly colour: string, private readonly centre: THREE.Vector3,
                private readonly unit: number, dotSize: number) {
        this.dot = new THREE.Mesh(new THREE.SphereGeometry(dotSize, 14, 10), new THREE.MeshBasicMaterial({ color: colour }));
        this.group.add(this.dot);
        if (spec.kind === "axis") this.addSphere(colour);
    }

    private addSphere(colour: string): void {
        const ball = new THREE.Mesh(
            new THREE.SphereGeometry(this.unit, 48, 32),
            new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.07, depthWrite: false }));
        const wire = new THREE.LineSegments(
            new THREE.EdgesGeometry(new THREE.SphereGeometry(this.unit, 24, 12), 1),
            new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity: 0.13, depthWrite: false }));
        wire.rotation.x = Math.PI / 2;
        for (const part of [ball, wire]) {
            part.position.copy(this.centre);
            part.renderOrder = 1;
            this.group.add(part);
        }
    }

    pointAt(frame: number): Vec3 {
        if (this.spec.kind === "track") return touchPoint(this.result, this.result.scene.joints[this.spec.joint!], frame);
        const q = this.result.orientation(this.spec.body, frame);
        const v = rotate(q, this.spec.vector);
        if (this.spec.kind === "axis") {
            const k = this.unit / (Math.hypot(...v) || 1);
            return [this.centre.x + k * v[0], this.centre.y + k * v[1], this.centre.z + k * v[2]];
        }
        const x = this.result.position(this.spec.body, frame);
        return [x[0] + v[0], x[1] + v[1], x[2] + v[2]];
    }

    private make(): void {
        const frames = this.result.frames;
        this.stride = Math.max(1, Math.ceil(frames / TRACE_ROOM));
        const count = Math.ceil(frames / this.stride);
        const points = new Float32Array(3 * count);
        for (let i = 0; i < count; i++) points.set(this.pointAt(i * this.stride), 3 * i);
        if (this.line) {
            this.group.remove(this.line.mesh);
            this.line.dispose();
        }
        this.line = new Ribbon(this.colour, 1.7, count);
        this.line.set(points);
        this.group.add(this.line.mesh);
        this.made = frames;
    }

    update(t: number): void {
        if (this.made !== this.result.frames) this.make();
        const frame = this.result.frameAt(t);
        this.line!.show(Math.floor(frame / this.stride) + 1);
        this.dot.position.set(...this.pointAt(frame));
    }

    dispose(): void {
        this.line?.dispose();
    }
}
