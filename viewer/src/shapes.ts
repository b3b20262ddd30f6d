// From shapes of the model to three.js geometry. Shapes that differ only in size share one geometry and carry their size
// in the matrix of the instance, so that thousands of bodies are a handful of draw calls.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import type { Body, Joint, Scene, Shape, Vec3 } from "./result";

export interface Part {
    key: string; // parts with the same key share their geometry
    geometry: () => THREE.BufferGeometry;
    local: THREE.Matrix4; // shape to body, from the centre of mass, with its size
    radius: number; // of a ball about the centre of mass that holds it
    color?: string;
    ball?: boolean; // a sphere
}

const UP = new THREE.Vector3(0, 0, 1);

function matrixOf(shape: Shape, scale: Vec3): THREE.Matrix4 {
    const [w, x, y, z] = shape.orientation;
    const q = new THREE.Quaternion(x, y, z, w);
    if (shape.axis) {
        const axis = new THREE.Vector3(...shape.axis);
        if (axis.lengthSq() > 0) q.multiply(new THREE.Quaternion().setFromUnitVectors(UP, axis.normalize()));
    }
    return new THREE.Matrix4().compose(new THREE.Vector3(...shape.position), q, new THREE.Vector3(...scale));
}

let detail = 1; // of round shapes: 1 for a few bodies, less for many

export function setDetail(bodies: number): void {
    detail = bodies < 100 ? 1 : bodies < 400 ? 0.6 : bodies < 2000 ? 0.3 : 0.22;
}

const round = (count: number) => Math.max(6, Math.round(detail * count));
const sphere = () => new THREE.SphereGeometry(1, round(32), round(20));
const box = () => new THREE.BoxGeometry(1, 1, 1);
const cylinder = () => cylinderGeometry(round(36));

function capsule(slenderness: number): THREE.BufferGeometry {
    return new THREE.CapsuleGeometry(1, slenderness, Math.max(3, Math.round(10 * detail)), round(28)).rotateX(Math.PI / 2);
}

// Along z, with as few corners as there can be: thousands are drawn.
function cylinderGeometry(sides: number): THREE.BufferGeometry {
    const points: number[] = [], normals: number[] = [], triangles: number[] = [];
    for (let i = 0; i < sides; i++) {
        const x = Math.cos((2 * Math.PI * i) / sides), y = Math.sin((2 * Math.PI * i) / sides), next = 4 * ((i + 1) % sides);
        for (const z of [-0.5, 0.5]) {
            points.push(x, y, z, x, y, z); // of the side and of the end
            normals.push(x, y, 0, 0, 0, 2 * z);
        }
        triangles.push(4 * i, next, next + 2, 4 * i, next + 2, 4 * i + 2);
        if (i > 1) triangles.push(1, 4 * i + 1, 4 * i - 3, 3, 4 * i - 1, 4 * i + 3);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
    return geometry.setIndex(triangles);
}

function meshGeometry(points: number[], triangles: number[]): THREE.BufferGeometry {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    geometry.setIndex(triangles);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return flat;
}

function hullGeometry(points: number[]): THREE.BufferGeometry {
    const corners: THREE.Vector3[] = [];
    for (let i = 0; i + 2 < points.length; i += 3) corners.push(new THREE.Vector3(points[i], points[i + 1], points[i + 2]));
    return new ConvexGeometry(corners);
}

// size.z heights[row][column] over size x, y, centred; rows run along y.
function heightGeometry(shape: Shape): THREE.BufferGeometry {
    const rows = shape.rows ?? 0;
    const columns = shape.columns ?? 0;
    const [sx, sy, sz] = shape.size ?? [1, 1, 1];
    const points: number[] = [];
    const triangles: number[] = [];
    for (let r = 0; r < rows; r++) {
        for (let c = 0; c < columns; c++) {
            points.push(sx * (c / (columns - 1) - 0.5), sy * (r / (rows - 1) - 0.5), sz * shape.heights![r * columns + c]);
        }
    }
    for (let r = 0; r + 1 < rows; r++) {
        for (let c = 0; c + 1 < columns; c++) {
            const i = r * columns + c;
            const cell = [i, i + 1, i + columns + 1, i, i + columns + 1, i + columns];
            triangles.push(...cell, ...cell.reverse()); // seen from below too
        }
    }
    return meshGeometry(points, triangles);
}

function heightReach(shape: Shape): number {
    const [x, y, z] = shape.size!;
    return Math.hypot(x / 2, y / 2, shape.heights!.reduce((most, h) => Math.max(most, Math.abs(z * h)), 0));
}

function reach(points: number[]): number {
    let most = 0;
    for (let i = 0; i + 2 < points.length; i += 3) most = Math.max(most, Math.hypot(points[i], points[i + 1], points[i + 2]));
    return most;
}

let unique = 0;

// The part of a shape; null for planes, which are drawn apart, and for what cannot be drawn.
export function partOf(shape: Shape): Part | null {
    const r = shape.radius ?? 0;
    const l = shape.length ?? 0;
    const away = Math.hypot(...shape.position);
    const make = (key: string, geometry: () => THREE.BufferGeometry, scale: Vec3, radius: number): Part => ({
        key, geometry, local: matrixOf(shape, scale), radius: away + radius, color: shape.color,
    });
    switch (shape.type) {
        case "sphere":
            return { ...make("sphere", sphere, [r, r, r], r), ball: true };
        case "ellipsoid":
            return make("sphere", sphere, shape.size!, Math.max(...shape.size!));
        case "box":
            return make("box", box, shape.size!, Math.hypot(...shape.size!) / 2);
        case "cylinder":
            return make("cylinder", cylinder, [r, r, l], Math.hypot(r, l / 2));
        case "capsule": {
            const slenderness = l / r;
            return make(`capsule ${slenderness.toPrecision(6)}`, () => capsule(slenderness), [r, r, r], r + l / 2);
        }
        case "hull":
        case "mesh": {
            const points = shape.points;
            if (!points || points.length < 9) return null;
            const corners = () => Array.from({ length: points.length / 3 }, (_, i) => i);
            const geometry = shape.type === "mesh" ? () => meshGeometry(points, corners()) : () => hullGeometry(points);
            return make(`own ${unique++}`, geometry, [1, 1, 1], reach(points));
        }
        case "heightfield":
            if (!shape.heights || !((shape.rows ?? 0) > 1) || !((shape.columns ?? 0) > 1)) return null;
            return make(`own ${unique++}`, () => heightGeometry(shape), [1, 1, 1], heightReach(shape));
        default:
            return null;
    }
}

// ---- Bodies without shapes ------------------------------------------------------------------------------------------

function rod(from: THREE.Vector3, to: THREE.Vector3, radius: number): Part {
    const along = to.clone().sub(from);
    const q = new THREE.Quaternion().setFromUnitVectors(UP, along.clone().normalize());
    const local = new THREE.Matrix4().compose(
        from.clone().add(to).multiplyScalar(0.5), q, new THREE.Vector3(radius, radius, along.length()));
    return { key: "cylinder", geometry: cylinder, local, radius: Math.max(from.length(), to.length()) };
}

function anchorsOf(body: number, joints: Joint[]): THREE.Vector3[] {
    const anchors: THREE.Vector3[] = [];
    for (const j of joints) {
        if (j.a === body) anchors.push(new THREE.Vector3(...j.anchor_a));
        if (j.b === body) anchors.push(new THREE.Vector3(...j.anchor_b));
    }
    return anchors;
}

// The lengths of a box of uniform density with the same mass and inertia.
function inertiaBox(body: Body, least: number): Vec3 {
    const [xx, yy, zz] = [body.inertia[0], body.inertia[4], body.inertia[8]];
    const side = (a: number) => Math.max(Math.sqrt(Math.max((6 * a) / body.mass, 0)) || 0, least);
    return [side(yy + zz - xx), side(zz + xx - yy), side(xx + yy - zz)];
}

// A body without shapes is drawn as rods from its centre of mass to its joints, or as the box of its inertia.
export function skeletonOf(scene: Scene, index: number, extent: number): Part[] {
    const body = scene.bodies[index];
    const thin = 0.011 * extent;
    const parts: Part[] = [];
    for (const anchor of anchorsOf(index, scene.joints)) {
        if (anchor.length() > thin) parts.push(rod(new THREE.Vector3(), anchor, thin));
    }
    if (parts.length > 0) {
        const r = 2.2 * thin;
        parts.push({ key: "sphere", geometry: sphere, local: new THREE.Matrix4().makeScale(r, r, r), radius: r });
    } else if (!body.fixed && body.mass > 0) {
        const lengths = inertiaBox(body, 2 * thin);
        parts.push({ key: "box", geometry: box, local: new THREE.Matrix4().makeScale(...lengths), radius: Math.hypot(...lengths) / 2 });
    }
    return parts;
}

// A thin line along the side and over the ends of a round shape: a mark that turns with it. Null for all others.
export function spinLine(shape: Shape): { geometry: THREE.BufferGeometry; local: THREE.Matrix4 } | null {
    const r = shape.radius ?? 0, l = shape.length ?? 0;
    if (!(r > 0)) return null;
    const local = matrixOf(shape, [1, 1, 1]);
    const out = 1.006 * r, thin = 0.02 * r, wide = 0.1 * r;
    if (shape.type === "sphere") return { geometry: new THREE.TorusGeometry(out, thin, 6, 40, Math.PI), local };
    if (shape.type === "cylinder") {
        return { geometry: new THREE.BoxGeometry(out, wide, l + 0.012 * r).translate(0.5 * out, 0, 0), local };
    }
    if (shape.type === "capsule") return { geometry: new THREE.BoxGeometry(thin, wide, l).translate(out - 0.3 * thin, 0, 0), local };
    return null;
}
