// Takes the pictures of docs/gallery.md and the README: node screenshots.js PROGRAM SOURCE FOLDER [NAME]
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./browser.js";
import { example, pageOf } from "./harness.js";

const folder = process.argv[4];
const only = process.argv[5];

// What is shown of each: a run, a moment, and what is switched on.
const pictures = [
    { name: "double_pendulum", model: "double_pendulum", runs: [["--until", "12"]], time: 5.05, theme: "dark",
        act: (p) => { p.trace(1, [0, 0.5, 0], null); p.select(1); } },
    { name: "heavy_top", model: "heavy_top", runs: [["--until", "2"]], time: 1.9, theme: "dark", act: (p) => { p.trace(0, null, p.axis ?? 1); p.select(0); } },
    { name: "hanging_chain", model: "hanging_chain", runs: [["--every", "4"]], time: 0.6, theme: "light", colour: "speed", act: (p) => p.look(0, 0, 0.75) },
    { name: "slider_crank", model: "slider_crank", runs: [[]], time: 0.62, theme: "light", toggles: ["joints", "reactions"] },
    { name: "four_bar", model: "four_bar", runs: [[]], time: 0.8, theme: "light", act: (p) => p.trace(1, [0, 0, 0], null), toggles: ["joints"] },
    { name: "dzhanibekov", model: "dzhanibekov", runs: [[]], time: 14.3, theme: "dark", act: (p) => { p.trace(0, null, 0); p.select(0); }, toggles: ["frames"] },
    { name: "stack", model: "contact/stack", runs: [["--until", "1"]], time: 0.8, theme: "light", act: (p) => p.look(0.25, 0, 1.04) },
    { name: "coin", model: "coin", runs: [["--every", "10"]], time: 7.7, theme: "light", act: (p) => p.look(0, -0.25, 0.75) },
    { name: "bicycle", model: "bicycle", runs: [["--every", "5"]], time: 3.1, theme: "dark", act: (p) => p.look(-0.9, -0.05, 0.3) },
    { name: "differential", model: "machines/differential", runs: [["--every", "5"]], time: 7.5, theme: "light", act: (p) => p.look(0, -0.3, 0.7) },
    { name: "rolling", model: "rolling", runs: [["--every", "5"]], time: 4.2, theme: "dark", act: (p) => p.look(0, -0.35, 0.8) },
    { name: "compare", model: "double_pendulum", runs: [["--until", "20", "--step", "4e-3"], ["--until", "20", "--step", "4e-3", "--scheme", "rk4"]], time: 16.2, theme: "light", split: true, act: (p) => p.look(0, 0, 0.62) },
];

mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const shot of pictures) {
    if (only && shot.name !== only) continue;
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: shot.theme });
    page.setDefaultTimeout(120000);
    await page.goto(`file://${pageOf(shot.name, example(shot.model), ...shot.runs)}`);
    await page.waitForFunction(() => window.polhode?.ready);
    for (const name of shot.toggles ?? []) await page.click(`#toggle-${name}`);
    if (shot.colour) await page.selectOption("#colour", shot.colour);
    if (shot.split) await page.selectOption("#layout", "split");
    await page.evaluate(([act, t]) => {
        if (act) new Function("p", `(${act})(p)`)(window.polhode);
        window.polhode.seek(t);
    }, [shot.act ? String(shot.act) : null, shot.time]).catch(async () => {
        throw new Error(`${shot.name}: the page refuses what the picture needs`);
    });
    await page.mouse.move(640, 5);
    await page.waitForTimeout(3000); // at rest it is drawn with smooth edges
    await page.screenshot({ path: join(folder, `${shot.name}.png`) });
    console.log(`${shot.name}.png`);
    await page.close();
}
await browser.close();
