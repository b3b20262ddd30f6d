// Models that only the browser tests need.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { work } from "./harness.js";

function write(name, lines) {
    const file = join(work, `${name}.yaml`);
    writeFileSync(file, lines.join("\n") + "\n");
    return file;
}

// Boxes, balls and rods in a cube, each with a push of its own.
export function manyBodies(count) {
    const side = Math.ceil(Math.cbrt(count));
    const shapes = ["{type: box, size: [0.5, 0.4, 0.3], density: 500}", "{type: sphere, radius: 0.25, density: 500}", "{type: cylinder, radius: 0.15, length: 0.6, density: 500}"];
    const bodies = Array.from({ length: count }, (_, i) => {
        const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
        const v = [Math.sin(i), Math.cos(2 * i), Math.sin(3 * i)].map((a) => a.toFixed(3));
        return `  - {name: b${i}, position: [${x}, ${y}, ${z}], velocity: [${v}], angular_velocity: [${v.reverse()}], shapes: [${shapes[i % 3]}]}`;
    });
    return write(`many${count}`, ["polhode: 1", "name: many bodies", "bodies:", ...bodies, "run: {scheme: rattlie, step: 1e-2, until: 1}"]);
}

// Every kind of shape, fixed, turned and off its body's origin, with balls that fall on it and touch it.
export function landings() {
    writeRoof();
    const list = {
        ball: "type: sphere, radius: 0.4", brick: "type: box, size: [0.8, 0.6, 0.5]", pill: "type: capsule, radius: 0.25, length: 0.6, axis: x",
        can: "type: cylinder, radius: 0.35, length: 0.8, axis: y", egg: "type: ellipsoid, radii: [0.5, 0.3, 0.2]", roof: "type: mesh, file: roof.obj",
        wedge: "type: hull, points: [[0.4,0.4,-0.3],[-0.4,0.4,-0.3],[-0.4,-0.4,-0.3],[0.4,-0.4,-0.3],[0.1,0,0.5]]",
        hills: "type: heightfield, size: [1.2, 0.8, 0.7], values: [[0,0.1,0,0.3],[0.1,0.9,0.2,0.1],[0,0.2,1.4,0]]",
    };
    const bodies = Object.entries(list).flatMap(([name, shape], i) => [
        `  - {name: ${name}, fixed: true, position: [${2 * i}, 0, 0], orientation: {axis: [0, 0, 1], angle: 0.7}, shapes: [{${shape}, position: [0.05, -0.1, 0.2], orientation: {axis: [1, 0.3, 0], angle: 0.25}}]}`,
        ...[[-0.15, -0.05], [0, 0.1], [0.2, -0.12], [0.1, 0.15]].map(([x, y], k) =>
            `  - {name: ${name}${k}, position: [${2 * i + x}, ${y}, ${1.4 + 0.1 * k}], shapes: [{type: sphere, radius: 0.03, density: 1000}]}`),
    ]);
    return write("landings", ["polhode: 1", "name: landings", "gravity: [0, 0, -9.81]", "bodies:", ...bodies, "contact: {}", "record: {contacts: true}",
        "run: {scheme: moreau, step: 2e-4, until: 0.7}"]);
}

function writeRoof() {
    const corners = [[-0.4, -0.4, 0], [0.4, -0.4, 0], [0.4, 0.4, 0], [-0.4, 0.4, 0], [0, 0, 0.6]];
    const faces = [[1, 3, 2], [1, 4, 3], [1, 2, 5], [2, 3, 5], [3, 4, 5], [4, 1, 5]];
    writeFileSync(join(work, "roof.obj"), corners.map((v) => `v ${v.join(" ")}`).concat(faces.map((f) => `f ${f.join(" ")}`)).join("\n") + "\n");
}

// Two rods swing and are strained, one more than the other.
export function strained() {
    const rod = (name, y, density) => `  - {name: ${name}, position: [0, ${y}, 0], shapes: [{type: cylinder, radius: 0.08, length: 1, axis: y, density: ${density}}]}`;
    return write("strained", ["polhode: 1", "name: strained", "gravity: [0, 0, -9.81]", "bodies:", rod("upper", 0.5, 7800), rod("lower", 1.5, 7800),
        "joints:", "  - {name: O, type: ball, bodies: [world, upper], anchor: [0, 0, 0]}", "  - {name: A, type: ball, bodies: [upper, lower], anchor: [0, 1, 0]}",
        "record: {stress: all}", "run: {scheme: rattlie, step: 1e-2, until: 1}"]);
}

// One body of every kind of shape.
export function shapes() {
    writeRoof();
    const list = {
        ball: "{type: sphere, radius: 0.4, density: 1}", brick: "{type: box, size: [0.8, 0.6, 0.5], density: 1}",
        pill: "{type: capsule, radius: 0.25, length: 0.6, density: 1}", can: "{type: cylinder, radius: 0.35, length: 0.8, axis: y, density: 1}",
        egg: "{type: ellipsoid, radii: [0.5, 0.3, 0.3], density: 1}",
        roof: "{type: mesh, file: roof.obj}",
        wedge: "{type: hull, points: [[0.4,0.4,-0.3],[-0.4,0.4,-0.3],[-0.4,-0.4,-0.3],[0.4,-0.4,-0.3],[0,0,0.5]], density: 1}",
    };
    const bodies = Object.entries(list).map(([name, shape], i) => `  - {name: ${name}, position: [${1.3 * i}, 0, 1], ${name === "roof" ? "mass: 1, inertia: [0.1, 0.1, 0.1], " : ""}shapes: [${shape}]}`);
    const hills = "[[0,0.1,0],[0.1,0.5,0.2],[0,0.2,0]]";
    return write("shapes", ["polhode: 1", "name: shapes", "bodies:", ...bodies,
        "  - {name: bare, mass: 1, inertia: [0.1, 0.1, 0.05], position: [9.1, 0, 1]}",
        `  - {name: hills, fixed: true, position: [3.2, 2.5, 0], shapes: [{type: heightfield, size: [4, 2, 1], values: ${hills}}]}`,
        "  - {name: ground, fixed: true, shapes: [{type: plane, normal: [0, 0, 1]}]}", "run: {scheme: rattlie, step: 1e-2, until: 1}"]);
}

// Balls that fall into a bin.
export function ballPile(count) {
    const radius = 0.05, side = Math.ceil(Math.cbrt(count)), width = 1.15 * Math.cbrt(count / 1000), gap = width / side;
    const wall = (normal, x, y) => `{type: plane, normal: [${normal}], position: [${x}, ${y}, 0]}`;
    const balls = Array.from({ length: count }, (_, i) => {
        const [x, y, z] = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)];
        const place = [(x + 0.5) * gap - width / 2 + 2e-3 * Math.sin(7 * i), (y + 0.5) * gap - width / 2 + 2e-3 * Math.cos(11 * i), 0.1 + 1.2 * gap * z];
        return `  - {name: b${i}, position: [${place.map((a) => a.toFixed(6))}], shapes: [{type: sphere, radius: ${radius}, density: 1000, friction: 0.5}]}`;
    });
    const h = width / 2;
    return write(`balls${count}`, ["polhode: 1", "name: balls in a bin", "gravity: [0, 0, -9.81]", "bodies:",
        `  - {name: bin, fixed: true, shapes: [${[wall([0, 0, 1], 0, 0), wall([1, 0, 0], -h, 0), wall([-1, 0, 0], h, 0), wall([0, 1, 0], 0, -h), wall([0, -1, 0], 0, h)]}]}`,
        ...balls, "contact: {}", "run: {scheme: moreau, step: 5e-3, until: 2}"]);
}
