// Everything that can be plotted over time, by name.

import type { Result } from "./result";

export interface Quantity {
    id: string; // "energy.error", "rod2.position.x"
    label: string;
    part?: string; // the end of the label that tells the components of one quantity apart
    unit: string;
    group: string;
    log: boolean; // drawn on a logarithmic axis unless told otherwise
    read: (result: Result) => ArrayLike<number> | null;
}

const XYZ = ["x", "y", "z"];

function column(name: string, channel: number): (result: Result) => ArrayLike<number> | null {
    return (result) => {
        const field = result.field(name);
        if (!field || channel >= field.channels) return null;
        if (field.channels === 1) return field.data.subarray(0, result.frames);
        const out = new Float64Array(result.frames);
        for (let f = 0; f < out.length; f++) out[f] = field.data[f * field.channels + channel];
        return out;
    };
}

function fieldQuantities(r: Result, name: string, label: string, unit: string, group: string, parts: string[] | null, log = false): Quantity[] {
    const field = r.field(name);
    if (!field) return [];
    if (!parts) return [{ id: name, label, unit, group, log, read: column(name, 0) }];
    return parts.map((p, i) => ({ id: `${name}.${p}`, label: `${label} ${p}`, part: p, unit, group, log, read: column(name, i) }));
}

function bodyQuantities(r: Result, body: number): Quantity[] {
    const name = r.scene.bodies[body].name;
    const n = r.scene.bodies.length;
    const kinds: [string, string, string, string[]][] = [
        ["position", "position", "m", XYZ], ["velocity", "velocity", "m/s", XYZ],
        ["angular_velocity", "angular velocity", "rad/s", XYZ], ["orientation", "orientation", "", ["w", "x", "y", "z"]],
    ];
    const list: Quantity[] = [];
    for (const [field, label, unit, parts] of kinds) {
        if (!r.field(field)) continue;
        parts.forEach((p, i) => {
            const read = (result: Result) => (result.field(field) && result.scene.bodies.length === n ? column(field, parts.length * body + i)(result) : null);
            list.push({ id: `${name}.${field}.${p}`, label: `${name} ${label} ${p}`, part: p, unit, group: `Body ${name}`, log: false, read });
        });
    }
    const speed = (result: Result) =>
        result.scene.bodies.length === n ? Float64Array.from({ length: result.frames }, (_, f) => result.speed(body, f)) : null;
    list.push({ id: `${name}.speed`, label: `${name} speed`, unit: "m/s", group: `Body ${name}`, log: false, read: speed });
    const stress = r.meta.stress_bodies?.indexOf(body) ?? -1;
    if (stress >= 0) {
        list.push({ id: `stress.${name}.mises`, label: `${name} mean stress (von Mises)`, unit: "Pa", group: `Body ${name}`, log: false, read: column("stress.mises", stress) });
    }
    return list;
}

function jointQuantities(r: Result, joint: number): Quantity[] {
    const { name } = r.scene.joints[joint];
    const group = `Joint ${name}`;
    const numbered = (field: string) => {
        const k = r.field(field)?.channels ?? 0;
        return k === 1 ? null : Array.from({ length: k }, (_, i) => String(i + 1));
    };
    const coordinate = `joints.${name}.coordinate`, rate = `joints.${name}.rate`;
    return [
        ...fieldQuantities(r, `joints.${name}.force`, `${name} force`, "N", group, XYZ),
        ...fieldQuantities(r, `joints.${name}.torque`, `${name} torque`, "N m", group, XYZ),
        ...fieldQuantities(r, coordinate, `${name} coordinate`, "", group, numbered(coordinate)),
        ...fieldQuantities(r, rate, `${name} rate`, "1/s", group, numbered(rate)),
    ];
}

function sensorQuantities(r: Result): Quantity[] {
    return [...r.fields.keys()].filter((name) => name.startsWith("sensors.")).flatMap((name) => {
        const k = r.field(name)!.channels;
        return fieldQuantities(r, name, name.slice(8), "", "Sensors", k === 1 ? null : k === 3 ? XYZ : Array.from({ length: k }, (_, i) => String(i + 1)));
    });
}

const LISTED = 200; // bodies and joints whose quantities are offered; the others when they are selected

// What the results hold; `selected` adds a body beyond those that are listed anyway.
export function quantitiesOf(r: Result, selected = -1): Quantity[] {
    const list = [
        ...fieldQuantities(r, "energy.error", "energy error", "J", "Energy", null),
        ...fieldQuantities(r, "energy.kinetic", "kinetic energy", "J", "Energy", null),
        ...fieldQuantities(r, "energy.potential", "potential energy", "J", "Energy", null),
        ...fieldQuantities(r, "energy.work", "work", "J", "Energy", null),
        ...fieldQuantities(r, "energy.total", "total energy", "J", "Energy", null),
        ...fieldQuantities(r, "momentum.linear", "linear momentum", "kg m/s", "Momentum", XYZ),
        ...fieldQuantities(r, "momentum.angular", "angular momentum", "kg m²/s", "Momentum", XYZ),
        ...fieldQuantities(r, "momentum.linear_change", "change of linear momentum", "kg m/s", "Momentum", XYZ),
        ...fieldQuantities(r, "momentum.angular_change", "change of angular momentum", "kg m²/s", "Momentum", XYZ),
        ...fieldQuantities(r, "violation.position", "position violation", "m", "Violation", null, true),
        ...fieldQuantities(r, "violation.velocity", "velocity violation", "m/s", "Violation", null, true),
        ...fieldQuantities(r, "contacts.count", "contacts", "", "Contact", null),
        ...sensorQuantities(r),
    ];
    const bodies = r.scene.bodies.map((_, i) => i).filter((i) => !r.scene.bodies[i].fixed && (i < LISTED || i === selected));
    for (const i of bodies) list.push(...bodyQuantities(r, i));
    r.scene.joints.slice(0, LISTED).forEach((_, i) => list.push(...jointQuantities(r, i)));
    return list;
}
