// The bodies of one result: pieces whose places follow the motion.

import * as THREE from "three";
import { Group, Items } from "./items";
import { BODY_COLOURS, FIXED_COLOUR, scaleColour } from "./palette";
import type { Result, Vec3 } from "./result";
import { Part, partOf, setDetail, skeletonOf } from "./shapes";

export type ColourBy = "body" | "result" | "speed" | "mises" | "start";

export const MANY = 300; // bodies beyond which each is drawn more simply

const AWAY = Float64Array.of(1e12, 1e12, 1e12); // where bodies are that are not shown

export interface Plane {
    body: number;
    local: THREE.Matrix4; // plane z = 0 to body
}

export interface Pose {
    position: Float64Array; // 3 for each body
    orientation: Float64Array; // w, x, y, z
}

export class Bodies {
    readonly items: Items;
    readonly planes: Plane[] = [];
    readonly radius: Float64Array; // of each body about its centre of mass
    readonly corners: THREE.Vector3[][]; // of the boxes about the shapes of each body, body axes; empty where there are many
    readonly pose: Pose;
    private readonly frame: Float64Array; // rotation and position of each body, 12 numbers
    private readonly groups: Group[] = [];
    private readonly things: { body: number; colour: THREE.Color }[] = []; // a body for each colour it has
    private readonly many: boolean;
    selected = -1;
    readonly hidden = new Set<number>();

    constructor(readonly result: Result, extent: number, ghost: boolean, private readonly tint: string) {
        const n = result.scene.bodies.length;
        this.many = n > MANY;
        this.radius = new Float64Array(n);
        this.corners = Array.from({ length: this.many ? 0 : n }, () => []);
        this.pose = { position: new Float64Array(3 * n), orientation: new Float64Array(4 * n) };
        this.frame = new Float64Array(12 * n);
        setDetail(n);
        this.findPieces(extent);
        this.items = new Items(this.things.length, this.groups, () =>
            (this.many ? new THREE.MeshLambertMaterial() : new THREE.MeshStandardMaterial({ roughness: 0.58, metalness: 0.08 })));
        this.paint("body", null);
        this.setGhost(ghost);
    }

    get group(): THREE.Group {
        return this.items.group;
    }

    private findPieces(extent: number): void {
        const groups = new Map<string, Group>();
        this.result.scene.bodies.forEach((body, index) => {
            const parts: Part[] = [];
            for (const shape of body.shapes) {
                if (shape.type === "plane") this.addPlane(index, shape.size ?? [0, 0, 1], shape.position, shape.orientation);
                const part = partOf(shape);
                if (part) parts.push(part);
            }
            if (body.shapes.length === 0) parts.push(...skeletonOf(this.result.scene, index, extent));
            const thingOf = new Map<string, number>(); // by colour
            for (const part of parts) {
                const colour = part.color ?? this.colourOfBody(index);
                if (!thingOf.has(colour)) thingOf.set(colour, this.things.push({ body: index, colour: new THREE.Color(colour) }) - 1);
                this.radius[index] = Math.max(this.radius[index], part.radius);
                const ball = Boolean(part.ball) && this.many, alone = ball && parts.length === 1;
                const key = alone ? "alone" : ball ? "ball" : part.key;
                let group = groups.get(key);
                if (!group) groups.set(key, (group = { geometry: part.geometry(), pieces: [], ball, alone }));
                group.pieces.push({ thing: thingOf.get(colour)!, local: part.local });
                if (!this.many) this.addCorners(index, group.geometry, part.local);
            }
        });
        this.groups.push(...groups.values());
    }

    private addCorners(body: number, geometry: THREE.BufferGeometry, local: THREE.Matrix4): void {
        if (!geometry.boundingBox) geometry.computeBoundingBox();
        const { min, max } = geometry.boundingBox!;
        for (let k = 0; k < 8; k++) {
            const corner = new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
            this.corners[body].push(corner.applyMatrix4(local));
        }
    }

    private addPlane(body: number, normal: Vec3, position: Vec3, orientation: number[]): void {
        const [w, x, y, z] = orientation;
        const q = new THREE.Quaternion(x, y, z, w);
        const n = new THREE.Vector3(...normal).normalize();
        q.multiply(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), n));
        const local = new THREE.Matrix4().compose(new THREE.Vector3(...position), q, new THREE.Vector3(1, 1, 1));
        this.planes.push({ body, local });
    }

    colourOfBody(index: number): string {
        const body = this.result.scene.bodies[index];
        const own = body.shapes.find((s) => s.color)?.color;
        return own ?? (body.fixed ? FIXED_COLOUR : BODY_COLOURS[index % BODY_COLOURS.length]);
    }

    setGhost(ghost: boolean): void {
        this.items.setGhost(ghost);
    }

    // Moves everything to time t, between the recorded frames in proportion.
    update(t: number): void {
        const r = this.result;
        const a = r.frameAt(t);
        const b = Math.min(a + 1, r.frames - 1);
        const dt = r.time[b] - r.time[a];
        const s = dt > 0 ? Math.min(Math.max((t - r.time[a]) / dt, 0), 1) : 0;
        this.interpolate(a, b, s);
        this.place();
    }

    private interpolate(a: number, b: number, s: number): void {
        const n = this.radius.length;
        const x = this.result.fields.get("position")!.data;
        const q = this.result.fields.get("orientation")!.data;
        const { position, orientation } = this.pose;
        for (let i = 0, j = 3 * n * a, k = 3 * n * b; i < 3 * n; i++) position[i] = x[j + i] + s * (x[k + i] - x[j + i]);
        for (let i = 0, j = 4 * n * a, k = 4 * n * b; i < 4 * n; i += 4, j += 4, k += 4) {
            const dot = q[j] * q[k] + q[j + 1] * q[k + 1] + q[j + 2] * q[k + 2] + q[j + 3] * q[k + 3];
            const sb = dot < 0 ? -s : s;
            let w = (1 - s) * q[j] + sb * q[k];
            let u = (1 - s) * q[j + 1] + sb * q[k + 1];
            let v = (1 - s) * q[j + 2] + sb * q[k + 2];
            let z = (1 - s) * q[j + 3] + sb * q[k + 3];
            const norm = Math.sqrt(w * w + u * u + v * v + z * z) || 1;
            orientation[i] = w /= norm;
            orientation[i + 1] = u /= norm;
            orientation[i + 2] = v /= norm;
            orientation[i + 3] = z /= norm;
        }
    }

    private place(): void {
        const { position: p, orientation: o } = this.pose;
        const f = this.frame;
        for (let i = 0, n = this.radius.length; i < n; i++) {
            const w = o[4 * i], x = o[4 * i + 1], y = o[4 * i + 2], z = o[4 * i + 3];
            const k = 12 * i;
            f[k] = 1 - 2 * (y * y + z * z); f[k + 1] = 2 * (x * y + w * z); f[k + 2] = 2 * (x * z - w * y);
            f[k + 3] = 2 * (x * y - w * z); f[k + 4] = 1 - 2 * (x * x + z * z); f[k + 5] = 2 * (y * z + w * x);
            f[k + 6] = 2 * (x * z + w * y); f[k + 7] = 2 * (y * z - w * x); f[k + 8] = 1 - 2 * (x * x + y * y);
            f[k + 9] = p[3 * i]; f[k + 10] = p[3 * i + 1]; f[k + 11] = p[3 * i + 2];
        }
        if (this.hidden.size === 0) this.things.forEach(({ body }, i) => this.items.setPose(i, p, 3 * body, o, 4 * body));
        else this.things.forEach(({ body }, i) => (this.hidden.has(body) ? this.items.setPose(i, AWAY, 0, o, 4 * body) : this.items.setPose(i, p, 3 * body, o, 4 * body)));
    }

    // Point of body `index` (from its centre of mass, body axes) in the world; index -1 is the world.
    worldPoint(index: number, point: Vec3, out: THREE.Vector3): THREE.Vector3 {
        if (index < 0) return out.set(...point);
        this.worldDirection(index, point, out);
        const k = 12 * index + 9;
        return out.set(out.x + this.frame[k], out.y + this.frame[k + 1], out.z + this.frame[k + 2]);
    }

    worldDirection(index: number, v: Vec3, out: THREE.Vector3): THREE.Vector3 {
        if (index < 0) return out.set(...v);
        const k = 12 * index;
        const f = this.frame;
        return out.set(
            f[k] * v[0] + f[k + 3] * v[1] + f[k + 6] * v[2],
            f[k + 1] * v[0] + f[k + 4] * v[1] + f[k + 7] * v[2],
            f[k + 2] * v[0] + f[k + 5] * v[1] + f[k + 8] * v[2]);
    }

    matrix(index: number, out: THREE.Matrix4): THREE.Matrix4 {
        const f = this.frame.subarray(12 * index, 12 * index + 12);
        return out.set(f[0], f[3], f[6], f[9], f[1], f[4], f[7], f[10], f[2], f[5], f[8], f[11], 0, 0, 0, 1);
    }

    // value(body) in 0..1 for the coloured quantities
    paint(by: ColourBy, value: ((body: number) => number) | null): void {
        const colour = new THREE.Color();
        const white = new THREE.Color("#ffffff");
        const tint = new THREE.Color(this.tint);
        this.things.forEach(({ body, colour: base }, i) => {
            const x = value ? value(body) : NaN;
            if (by === "result") colour.copy(tint).lerp(base, this.result.scene.bodies[body].fixed ? 0.85 : 0.12);
            else if (by !== "body" && Number.isFinite(x)) scaleColour(x, colour);
            else colour.copy(base);
            if (body === this.selected) colour.lerp(white, 0.09);
            this.items.paint(i, colour);
        });
    }

    // The body under the ray, with the point that was hit.
    pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number } | null {
        const mesh = new THREE.Mesh(undefined, new THREE.MeshBasicMaterial());
        const ball = new THREE.Sphere();
        const point = new THREE.Vector3();
        let best: { body: number; point: THREE.Vector3; distance: number } | null = null;
        const note = (body: number, at: THREE.Vector3) => {
            const distance = at.distanceTo(ray.ray.origin);
            if (!best || distance < best.distance) best = { body, point: at.clone(), distance };
        };
        for (const group of this.groups) {
            mesh.geometry = group.geometry;
            for (const { thing, local } of group.pieces) {
                const { body } = this.things[thing];
                if (this.hidden.has(body)) continue;
                ball.set(this.worldPoint(body, [0, 0, 0], point), 1.001 * this.radius[body]);
                if (!ray.ray.intersectsSphere(ball)) continue;
                this.matrix(body, mesh.matrixWorld).multiply(local);
                if (group.ball) {
                    ball.set(point.setFromMatrixPosition(mesh.matrixWorld), local.getMaxScaleOnAxis());
                    if (ray.ray.intersectSphere(ball, point)) note(body, point);
                } else ray.intersectObject(mesh, false).forEach((hit) => note(body, hit.point));
            }
        }
        return best;
    }

    // What is drawn of a body, for tests: the corners of its triangles in the world, and its colour.
    drawn(index: number): { triangles: number[][]; colour: number[] } {
        const m = new THREE.Matrix4();
        const triangles = this.groups.flatMap(({ geometry, pieces }) => pieces.filter((p) => this.things[p.thing].body === index).flatMap(({ local }) => {
            const at = geometry.getAttribute("position"), order = geometry.index;
            this.matrix(index, m).multiply(local);
            return Array.from({ length: order?.count ?? at.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(at, order ? order.getX(i) : i).applyMatrix4(m).toArray());
        }));
        return { triangles, colour: this.items.colour(this.things.findIndex((t) => t.body === index)) };
    }
}
