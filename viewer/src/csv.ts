// A recording of a simulation in the page, as text.

import type { Result } from "./result";

const LEFT_OUT = /^contacts\.(point|force)$/;

function heads(name: string, channels: number, bodies: string[]): string[] {
    if (channels === 1) return [name];
    const per = channels / bodies.length;
    const parts = (n: number) => (n === 4 ? ["w", "x", "y", "z"] : n === 3 ? ["x", "y", "z"] : Array.from({ length: n }, (_, i) => String(i + 1)));
    if (/^(position|orientation|velocity|angular_velocity)$/.test(name)) return bodies.flatMap((b) => parts(per).map((p) => `${b}.${name}.${p}`));
    return parts(channels).map((p) => `${name}.${p}`);
}

// Everything from a time on.
export function csvOf(result: Result, from: number): string {
    const bodies = result.scene.bodies.map((b) => b.name);
    const fields = [...result.fields].filter(([name]) => !LEFT_OUT.test(name));
    const lines = [fields.flatMap(([name, f]) => heads(name, f.channels, bodies)).join(",")];
    for (let k = 0; k < result.frames; k++) {
        if (result.time[k] < from) continue;
        lines.push(fields.flatMap(([, f]) => Array.from(f.data.subarray(k * f.channels, (k + 1) * f.channels))).join(","));
    }
    return lines.join("\n") + "\n";
}
