// The camera: how the user moves it, what it looks at, whom it follows.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Room, cornersOf } from "./room";

export class Eye {
    readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly up = new THREE.Vector3(0, 0, 1);
    userMoved = false; // it is where the user wants it
    private followed: THREE.Vector3 | null = null;

    constructor(canvas: HTMLCanvasElement, onChange: () => void) {
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener("change", onChange);
        this.controls.addEventListener("start", () => (this.userMoved = true));
    }

    // Up is against gravity; z where there is none.
    setUp(gravity: [number, number, number]): void {
        const g = new THREE.Vector3(...gravity);
        if (g.length() > 1e-9) this.up.copy(g).negate().normalize();
        this.camera.up.copy(this.up);
        // OrbitControls reads the camera's up once, when it is made.
        const turn = new THREE.Quaternion().setFromUnitVectors(this.up, new THREE.Vector3(0, 1, 0));
        Object.assign(this.controls, { _quat: turn, _quatInverse: turn.clone().invert() });
    }

    // From a horizontal direction (x, y) and a height over it, about what is looked at.
    seeFrom(level: THREE.Vector3, height: number): void {
        const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
        const way = level.clone().applyQuaternion(turn).addScaledVector(this.up, height).normalize();
        const distance = this.camera.position.distanceTo(this.controls.target) || 1;
        this.camera.position.copy(this.controls.target).addScaledVector(way, distance);
        this.controls.update();
    }

    setAspect(aspect: number): void {
        this.camera.aspect = aspect;
        this.camera.updateProjectionMatrix();
    }

    // ---- Following --------------------------------------------------------------------------------------------------

    // Begins to look at a point that moves; null: it stays where it is.
    follow(point: THREE.Vector3 | null): void {
        this.followed = point;
        if (point) this.shift(point.clone().sub(this.controls.target));
    }

    // The point has moved.
    goAfter(point: THREE.Vector3): void {
        if (this.followed) this.shift(point.clone().sub(this.followed));
        this.followed = point;
    }

    private shift(by: THREE.Vector3): void {
        this.camera.position.add(by);
        this.controls.target.add(by);
        this.controls.update();
    }

    // ---- Fitting ----------------------------------------------------------------------------------------------------

    // Looks at everything; `turn` also chooses the direction: against a motion that is nearly flat, else from above.
    fit(room: Room, aspect: number, turn: boolean): void {
        const { centre, extent } = room;
        let direction = this.camera.position.clone().sub(this.controls.target);
        if (turn || direction.lengthSq() === 0) direction = this.chooseDirection(room.size);
        direction.normalize();
        const distance = this.fitDistance(room, direction, aspect);
        this.controls.target.copy(centre);
        this.camera.position.copy(centre).addScaledVector(direction, distance);
        this.camera.near = Math.max(distance - 6 * extent, 0.002 * extent);
        this.camera.far = distance + 30 * extent;
        this.controls.maxDistance = 20 * extent;
        this.controls.minDistance = 0.01 * extent;
        this.controls.update();
    }

    private fitDistance(room: Room, direction: THREE.Vector3, aspect: number): number {
        const half = Math.tan((this.camera.fov * Math.PI) / 360);
        const right = new THREE.Vector3().crossVectors(this.up, direction);
        if (right.lengthSq() < 1e-6) right.set(1, 0, 0);
        right.normalize();
        const over = new THREE.Vector3().crossVectors(direction, right);
        let distance = 0;
        for (const corner of cornersOf(room.box)) {
            const p = corner.sub(room.centre);
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

    // ---- Keys -------------------------------------------------------------------------------------------------------

    orbit(azimuth: number, height: number): void {
        const offset = this.camera.position.clone().sub(this.controls.target);
        offset.applyAxisAngle(this.up, azimuth);
        const right = new THREE.Vector3().crossVectors(this.up, offset).normalize();
        const tilted = offset.clone().applyAxisAngle(right, height);
        if (Math.abs(tilted.clone().normalize().dot(this.up)) < 0.995) offset.copy(tilted);
        this.lookFrom(offset);
    }

    zoom(factor: number): void {
        this.lookFrom(this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor));
    }

    private lookFrom(offset: THREE.Vector3): void {
        this.userMoved = true;
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
    }
}
