// Colours: bodies, results, and scales for quantities. All can be told apart with the usual kinds of colour blindness.

import * as THREE from "three";

export const BODY_COLOURS = ["#4e8ff0", "#f0883e", "#2fb59a", "#d65f8f", "#e0b83c", "#8a72e8", "#4fb9dd", "#8fae3a"];
export const RESULT_COLOURS = ["#3b82f6", "#f97316", "#10a37f", "#d6409f", "#b8860b", "#7c5cdb", "#0891b2", "#65801f"];
export const FIXED_COLOUR = "#8b93a1";

// viridis, at nine points
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].map(
    (c) => new THREE.Color(c));

export function scaleColour(x: number, out: THREE.Color): THREE.Color {
    const s = Math.min(Math.max(x, 0), 1) * (VIRIDIS.length - 1);
    const i = Math.min(Math.floor(s), VIRIDIS.length - 2);
    return out.copy(VIRIDIS[i]).lerp(VIRIDIS[i + 1], s - i);
}

export const SCALE_CSS = `linear-gradient(to right, ${["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"].join(", ")})`;

export interface Theme {
    dark: boolean;
    background: string; // at the bottom of the view
    sky: string; // at its top
    grid: string;
    gridStrong: string;
    ink: string;
    faint: string;
    line: string;
    ambient: number;
    sun: number;
    fill: number;
    shadow: number;
}

export const DARK: Theme = {
    dark: true, background: "#1b212b", sky: "#0d1117", grid: "#3f4957", gridStrong: "#647085", ink: "#d9dfe8", faint: "#8893a4",
    line: "#2a323d", ambient: 1.35, sun: 2.5, fill: 0.9, shadow: 0.5,
};
export const LIGHT: Theme = {
    dark: false, background: "#fbfcfd", sky: "#dfe6ef", grid: "#c9d0da", gridStrong: "#9fabbb", ink: "#1d2530", faint: "#5f6b7c",
    line: "#d8dde5", ambient: 1.75, sun: 2.2, fill: 0.7, shadow: 0.26,
};
