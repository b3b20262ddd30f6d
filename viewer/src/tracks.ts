// Where surfaces that roll on each other touch: the equations of src/joints/rolling.h.

import type { Joint, Quat, Result, Touch, Vec3 } from "./result";

const MOST = 50; // joints whose tracks are drawn

export function rotate(q: Quat, v: Vec3): Vec3 {
    const [w, x, y, z] = q;
    const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

const dot = (a: Vec3, b: Vec3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const add = (a: Vec3, k: number, b: Vec3): Vec3 => [a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]];

// A point of a body, in the world; the world is body -1.
function place(result: Result, body: number, point: Vec3, frame: number): Vec3 {
    return body < 0 ? point : add(result.position(body, frame), 1, rotate(result.orientation(body, frame), point));
}

function direction(result: Result, body: number, axis: Vec3, frame: number): Vec3 {
    return body < 0 ? axis : rotate(result.orientation(body, frame), axis);
}

// n, from a to b
function normal(result: Result, joint: Joint, touch: Touch, centre: Vec3, frame: number): Vec3 {
    const z = direction(result, joint.a, joint.axis_a, frame);
    if (touch.surface === "plane") return z;
    const d = add(centre, -1, place(result, joint.a, joint.anchor_a, frame));
    const arm = touch.surface === "cylinder" ? add(d, -dot(z, d), z) : d;
    return add([0, 0, 0], touch.side / Math.hypot(...arm), arm);
}

// The centre of b, and from it c = -rho n - Q D^2 m/|D m|, m = Q^T n.
export function touchPoint(result: Result, joint: Joint, frame: number): Vec3 {
    const touch = joint.touch!;
    const centre = place(result, joint.b, joint.anchor_b, frame);
    const n = normal(result, joint, touch, centre, frame);
    const Q = touch.axes.map((axis) => direction(result, joint.b, axis, frame));
    const m = Q.map((axis) => dot(axis, n));
    const size = Math.sqrt(m.reduce((sum, x, i) => sum + touch.squares[i] * x * x, 0));
    const point = add(centre, -touch.rho, n);
    return size > 0 ? Q.reduce((p, axis, i) => add(p, (-touch.squares[i] * m[i]) / size, axis), point) : point;
}

export function rollingJoints(result: Result): number[] {
    const all = result.scene.joints.map((joint, i) => (joint.touch && joint.b >= 0 ? i : -1)).filter((i) => i >= 0);
    return all.length > MOST ? [] : all;
}

// The plane of the world on which something rolls.
export function floorOf(result: Result): Joint | undefined {
    return result.scene.joints.find((joint) => joint.a < 0 && joint.touch?.surface === "plane");
}
