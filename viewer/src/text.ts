// Numbers and words for people.

const UNITS: [number, string][] = [[1e-12, "p"], [1e-9, "n"], [1e-6, "µ"], [1e-3, "m"], [1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"]];

// Four digits; beyond the usual range `digits` and a power of ten.
export function formatNumber(x: number, digits = 3): string {
    if (!Number.isFinite(x)) return "–";
    if (x === 0) return "0";
    const a = Math.abs(x);
    if (a >= 1e-3 && a < 1e5) return String(+x.toPrecision(4)).replace("-", "−");
    const [m, e] = x.toExponential(digits - 1).split("e");
    return `${String(+m).replace("-", "−")}·10${superscript(+e)}`;
}

export function superscript(n: number): string {
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    return (n < 0 ? "⁻" : "") + [...String(Math.abs(n))].map((d) => digits[+d]).join("");
}

// Short enough for an axis: 12 µ, 3.5 k.
export function formatTick(x: number): string {
    if (x === 0) return "0";
    const a = Math.abs(x);
    if (a >= 1e-2 && a < 1e4) return String(+x.toPrecision(5)).replace("-", "−");
    const unit = [...UNITS].reverse().find(([u]) => a >= u * 0.9999);
    if (!unit || unit[1] === "" || a >= 1e12) {
        const [m, e] = x.toExponential(2).split("e");
        return +m === 1 ? `10${superscript(+e)}` : `${String(+m).replace("-", "−")}e${e.replace("+", "").replace("-", "−")}`;
    }
    return `${String(+(x / unit[0]).toPrecision(4)).replace("-", "−")}${unit[1]}`;
}

export function formatTime(t: number, step: number): string {
    const digits = step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step) + 0.3), 2), 6) : 3;
    return `${t.toFixed(digits)} s`;
}

export function escapeHtml(text: string): string {
    return text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!);
}
