// The room that a motion takes: where the ground is, what the camera looks at, how large marks are.

import * as THREE from "three";
import type { Result } from "./result";
import type { View } from "./view";

const SAMPLE_FRAMES = 160;

// Frames that stand for all.
export function sampledFrames(result: Result): number[] {
    const count = Math.min(result.frames, SAMPLE_FRAMES);
    return Array.from({ length: count }, (_, i) => Math.round((i * (result.frames - 1)) / Math.max(count - 1, 1)));
}

export function cornersOf(box: THREE.Box3): THREE.Vector3[] {
    const { min, max } = box;
    return Array.from({ length: 8 }, (_, i) => new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

export class Room {
    readonly box = new THREE.Box3();
    extent = 1;

    get centre(): THREE.Vector3 {
        return this.box.getCenter(new THREE.Vector3());
    }

    get size(): THREE.Vector3 {
        return this.box.getSize(new THREE.Vector3());
    }

    // How large the motion is, before anything is drawn.
    measure(results: Result[]): void {
        const p = new THREE.Vector3();
        this.box.makeEmpty();
        for (const result of results) {
            const stride = Math.max(1, Math.floor(result.scene.bodies.length / 2000));
            for (const f of sampledFrames(result)) {
                for (let b = 0; b < result.scene.bodies.length; b += stride) this.box.expandByPoint(p.set(...result.position(b, f)));
            }
            for (const j of result.scene.joints) if (j.a < 0) this.box.expandByPoint(p.set(...j.anchor_a));
        }
        let reach = 0;
        for (const result of results) {
            for (const j of result.scene.joints) reach = Math.max(reach, Math.hypot(...j.anchor_b), j.a < 0 ? 0 : Math.hypot(...j.anchor_a));
        }
        this.extent = Math.max(this.size.length(), reach) || 1;
    }

    // With all shapes.
    grow(views: View[]): void {
        for (const view of views) for (let b = 0; b < view.bodies.radius.length; b++) this.growBody(view, b);
    }

    // The shapes of a body in all its positions; of many bodies roughly.
    private growBody(view: View, body: number): void {
        const r = view.bodies.radius[body];
        if (!(r > 0) || r > 20 * this.extent) return;
        const p = new THREE.Vector3();
        const q = new THREE.Quaternion();
        const frames = sampledFrames(view.result);
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

    // A motion that begins: room for what hangs on ball joints of the world to swing.
    growSwing({ result, bodies }: View): void {
        const { joints } = result.scene;
        for (const foot of joints) {
            if (foot.a >= 0 || foot.type !== "ball") continue;
            const hangs = new Set([foot.b]);
            for (const b of hangs) for (const j of joints) if (j.a >= 0 && (j.a === b || j.b === b)) hangs.add(j.a).add(j.b);
            const ball = new THREE.Sphere(new THREE.Vector3(...foot.anchor_a), 0);
            for (const b of hangs) ball.radius = Math.max(ball.radius, ball.center.distanceTo(new THREE.Vector3(...result.position(b, 0))) + bodies.radius[b]);
            this.box.union(ball.getBoundingBox(new THREE.Box3()));
        }
    }

    // The extent that the box has now.
    settle(): void {
        this.extent = Math.max(this.size.length() / 1.6, 1e-6);
    }

    lowest(up: THREE.Vector3): number {
        return Math.min(...cornersOf(this.box).map((p) => p.dot(up)));
    }
}
