// The bodies of one result: instanced meshes whose matrices follow the motion.

import * as THREE from "three";
import { BODY_COLOURS, FIXED_COLOUR, scaleColour } from "./palette";
import type { Result, Vec3 } from "./result";
import { Piece, pieceOf, setDetail, skeletonOf } from "./shapes";

export type ColourBy = "body" | "result" | "speed" | "mises";

interface Batch {
    mesh: THREE.InstancedMesh;
    body: Int32Array; // of each instance
    local: Float32Array; // 16 for each instance
    base: THREE.Color[];
}

export interface Plane {
    body: number;
    local: THREE.Matrix4; // plane z = 0 to body
}

export interface Pose {
    position: Float64Array; // 3 for each body
    orientation: Float64Array; // w, x, y, z
}

export class Bodies {
    readonly group = new THREE.Group();
    readonly batches: Batch[] = [];
    readonly planes: Plane[] = [];
    readonly radius: Float64Array; // of each body about its centre of mass
    readonly corners: THREE.Vector3[][]; // of the boxes about the shapes of each body, body axes
    readonly pose: Pose;
    private readonly frame: Float64Array; // rotation and position of each body, 12 numbers
    selected = -1;
    material: THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;

    constructor(readonly result: Result, extent: number, private readonly ghost: boolean, private readonly tint: string) {
        const n = result.scene.bodies.length;
        this.radius = new Float64Array(n);
        this.corners = Array.from({ length: n }, () => []);
        this.pose = { position: new Float64Array(3 * n), orientation: new Float64Array(4 * n) };
        this.frame = new Float64Array(12 * n);
        setDetail(n);
        this.material = n > 200 ? new THREE.MeshLambertMaterial() : new THREE.MeshStandardMaterial({ roughness: 0.58, metalness: 0.08 });
        this.build(extent);
        this.setGhost(ghost);
    }

    private build(extent: number): void {
        const groups = new Map<string, { piece: Piece; body: number }[]>();
        this.result.scene.bodies.forEach((body, index) => {
            const pieces: Piece[] = [];
            for (const shape of body.shapes) {
                if (shape.type === "plane") this.addPlane(index, shape.size ?? [0, 0, 1], shape.position, shape.orientation);
                const piece = pieceOf(shape);
                if (piece) pieces.push(piece);
            }
            if (body.shapes.length === 0) pieces.push(...skeletonOf(this.result.scene, index, extent));
            for (const piece of pieces) {
                this.radius[index] = Math.max(this.radius[index], piece.radius);
                const list = groups.get(piece.key) ?? [];
                list.push({ piece, body: index });
                groups.set(piece.key, list);
            }
        });
        for (const list of groups.values()) this.addBatch(list);
    }

    private addPlane(body: number, normal: Vec3, position: Vec3, orientation: number[]): void {
        const [w, x, y, z] = orientation;
        const q = new THREE.Quaternion(x, y, z, w);
        const n = new THREE.Vector3(...normal).normalize();
        q.multiply(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), n));
        const local = new THREE.Matrix4().compose(new THREE.Vector3(...position), q, new THREE.Vector3(1, 1, 1));
        this.planes.push({ body, local });
    }

    private addBatch(list: { piece: Piece; body: number }[]): void {
        const geometry = list[0].piece.geometry();
        const mesh = new THREE.InstancedMesh(geometry, this.material, list.length);
        geometry.computeBoundingBox();
        const { min, max } = geometry.boundingBox!;
        mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
        mesh.frustumCulled = false;
        mesh.castShadow = !this.ghost;
        mesh.receiveShadow = !this.ghost;
        const body = new Int32Array(list.length);
        const local = new Float32Array(16 * list.length);
        const base = list.map(({ piece, body: index }, i) => {
            body[i] = index;
            local.set(piece.local.elements, 16 * i);
            for (let k = 0; k < 8; k++) {
                const corner = new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z);
                this.corners[index].push(corner.applyMatrix4(piece.local));
            }
            return new THREE.Color(piece.color ?? this.colourOfBody(index));
        });
        base.forEach((colour, i) => mesh.setColorAt(i, colour));
        this.group.add(mesh);
        this.batches.push({ mesh, body, local, base });
    }

    colourOfBody(index: number): string {
        const body = this.result.scene.bodies[index];
        const own = body.shapes.find((s) => s.color)?.color;
        return own ?? (body.fixed ? FIXED_COLOUR : BODY_COLOURS[index % BODY_COLOURS.length]);
    }

    setGhost(ghost: boolean): void {
        this.material.transparent = ghost;
        this.material.opacity = ghost ? 0.38 : 1;
        this.material.depthWrite = !ghost;
        this.material.needsUpdate = true;
        for (const batch of this.batches) {
            batch.mesh.castShadow = !ghost;
            batch.mesh.receiveShadow = !ghost;
            batch.mesh.renderOrder = ghost ? 2 : 0;
        }
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
        for (const batch of this.batches) this.placeBatch(batch);
    }

    private placeBatch(batch: Batch): void {
        const out = batch.mesh.instanceMatrix.array as Float32Array;
        const { local, body } = batch;
        const f = this.frame;
        for (let i = 0; i < body.length; i++) {
            const k = 12 * body[i];
            for (let column = 0; column < 4; column++) {
                const at = 16 * i + 4 * column;
                const a = local[at], b = local[at + 1], c = local[at + 2], d = local[at + 3];
                out[at] = f[k] * a + f[k + 3] * b + f[k + 6] * c + f[k + 9] * d;
                out[at + 1] = f[k + 1] * a + f[k + 4] * b + f[k + 7] * c + f[k + 10] * d;
                out[at + 2] = f[k + 2] * a + f[k + 5] * b + f[k + 8] * c + f[k + 11] * d;
                out[at + 3] = d;
            }
        }
        batch.mesh.instanceMatrix.needsUpdate = true;
        batch.mesh.boundingSphere = null;
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
        for (const batch of this.batches) {
            for (let i = 0; i < batch.body.length; i++) {
                const body = batch.body[i];
                const x = value ? value(body) : NaN;
                if (by === "result") colour.copy(tint).lerp(batch.base[i], this.result.scene.bodies[body].fixed ? 0.85 : 0.12);
                else if (by !== "body" && Number.isFinite(x)) scaleColour(x, colour);
                else colour.copy(batch.base[i]);
                if (body === this.selected) colour.lerp(white, 0.16);
                batch.mesh.setColorAt(i, colour);
            }
            batch.mesh.instanceColor!.needsUpdate = true;
        }
    }

    // The body under the ray, with the point that was hit.
    pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number } | null {
        let best: { body: number; point: THREE.Vector3; distance: number } | null = null;
        for (const batch of this.batches) {
            for (const hit of ray.intersectObject(batch.mesh, false)) {
                if (hit.instanceId !== undefined && (!best || hit.distance < best.distance)) {
                    best = { body: batch.body[hit.instanceId], point: hit.point.clone(), distance: hit.distance };
                }
            }
        }
        return best;
    }

    dispose(): void {
        for (const batch of this.batches) {
            batch.mesh.geometry.dispose();
            batch.mesh.dispose();
        }
        this.material.dispose();
    }
}
