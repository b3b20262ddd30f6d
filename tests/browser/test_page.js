// The page in a real browser: it opens, draws, plays, scrubs, plots, compares, and says what is wrong with bad data.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { check, example, near, open, pageOf, polhode, runAll, state, test, until, work } from "./harness.js";
import "./test_live.js";
import "./test_look.js";
import { landings, manyBodies, shapes, strained } from "./models.js";

const pendulum = () => pageOf("pendulum", example("double_pendulum"), ["--until", "4"]);
const both = () => pageOf("both", example("double_pendulum"), ["--until", "4"], ["--until", "4", "--scheme", "rk4", "--step", "4e-3"]);

// ---- Drawing ----------------------------------------------------------------------------------------------------------------

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const pixel = (page, p) => page.evaluate(([x, y]) => window.polhode.pixel(x, y), [p.x, p.y]);
const place = (page, body, result = 0) => page.evaluate(([b, r]) => window.polhode.screen(b, r), [body, result]);

test("the page opens from disk and knows its result", async (page) => {
    await open(page, pendulum());
    const s = await state(page);
    check(s.frames === 4001, `${s.frames} frames`);
    near(s.end, 4, 1e-8, "end");
    check(s.bodies.join() === "rod1,rod2", `bodies ${s.bodies}`);
    check((await page.title()).startsWith("spatial double pendulum"), "title");
});

test("bodies are drawn in their colours where they are", async (page) => {
    await open(page, pendulum());
    await page.evaluate(() => window.polhode.seek(1.5));
    const [r1, g1, b1] = await pixel(page, await place(page, 0));
    const [r2, g2, b2] = await pixel(page, await place(page, 1));
    check(b1 > r1 + 40 && b1 > g1, `rod1 is drawn in ${[r1, g1, b1]}, not blue`);
    check(r2 > b2 + 40 && r2 > g2, `rod2 is drawn in ${[r2, g2, b2]}, not orange`);
    const before = await place(page, 1);
    await page.evaluate(() => window.polhode.seek(0.4));
    const behind = await pixel(page, before);
    check(behind[0] < r2 - 40, `where rod2 was, there is still ${behind}`);
});

test("positions in the page are those of the result", async (page) => {
    const file = join(work, "same.csv");
    polhode("run", example("double_pendulum"), "--quiet", "--until", "4", "--out", file);
    const [head, ...lines] = readFileSync(file, "utf8").trim().split("\n").map((l) => l.split(","));
    await open(page, pendulum());
    for (const frame of [0, 1, 777, 2500, 4000]) {
        for (const [body, name] of [[0, "rod1"], [1, "rod2"]]) {
            const t = Number(lines[frame][0]);
            const drawn = await page.evaluate(([t, b]) => (window.polhode.seek(t), window.polhode.position(b)), [t, body]);
            ["x", "y", "z"].forEach((a, i) => near(drawn[i], Number(lines[frame][head.indexOf(`${name}.${a}`)]), 1e-7, `${name}.${a} in frame ${frame}`));
        }
        const energy = await page.evaluate((f) => window.polhode.value("energy.kinetic", f), frame);
        near(energy, Number(lines[frame][head.indexOf("energy.kinetic")]), 1e-3, "kinetic energy");
    }
});

test("every kind of shape is drawn", async (page) => {
    await open(page, pageOf("shapes", shapes(), ["--until", "0.1"]));
    const s = await state(page);
    const background = await pixel(page, { x: 3, y: 3 });
    for (let b = 0; b < s.bodies.length; b++) {
        if (s.bodies[b] === "ground") continue;
        const c = await pixel(page, await place(page, b));
        check(distance(c, background) > 40, `${s.bodies[b]} is not to be seen: ${c} on ${background}`);
    }
});

// ---- Drawn shapes against the engine -----------------------------------------------------------------------------------------

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// From p to the triangle a b c: the nearest point is inside, or on an edge.
function toTriangle(p, a, b, c) {
    const [u, v, w] = [minus(b, a), minus(c, a), minus(p, a)];
    const [uu, uv, vv, wu, wv] = [dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v)];
    const det = uu * vv - uv * uv;
    const [s, t] = [(vv * wu - uv * wv) / det, (uu * wv - uv * wu) / det];
    if (det > 0 && s >= 0 && t >= 0 && s + t <= 1) return Math.hypot(...w.map((x, i) => x - s * u[i] - t * v[i]));
    const toEdge = (from, along) => {
        const q = minus(p, from);
        const k = Math.min(Math.max(dot(q, along) / (dot(along, along) || 1), 0), 1);
        return Math.hypot(...q.map((x, i) => x - k * along[i]));
    };
    return Math.min(toEdge(a, u), toEdge(a, v), toEdge(b, minus(c, b)));
}

// Where the engine finds contacts, the page draws a surface: forces act on the surface of a fixed body.
test("shapes are drawn where the engine feels them", async (page) => {
    await open(page, pageOf("landings", landings(), ["--every", "50"]));
    const { bodies, end } = await state(page);
    const fixed = bodies.filter((name) => !/\d$/.test(name));
    const surfaces = {};
    for (const name of fixed) surfaces[name] = (await page.evaluate((b) => window.polhode.drawn(b), bodies.indexOf(name))).triangles;
    const met = Object.fromEntries(fixed.map((name) => [name, 0]));
    for (let t = 0; t <= end; t += 0.01) {
        const { points } = await page.evaluate((time) => (window.polhode.seek(time), window.polhode.contacts()), t);
        for (const p of points) {
            const name = fixed[Math.round(p[0] / 2)];
            let nearest = Infinity;
            for (let i = 0; i < surfaces[name].length; i += 3) nearest = Math.min(nearest, toTriangle(p, ...surfaces[name].slice(i, i + 3)));
            check(nearest < 6e-3, `at ${t.toFixed(2)} s ${name} is touched ${nearest} m away from what is drawn`); // round shapes are drawn with corners
            met[name]++;
        }
    }
    for (const name of fixed) check(met[name] >= 3, `${name} was touched ${met[name]} times`);
});

// The page of the pendulum with one contact in every frame, at the centre of rod1 at the start, put in by hand.
function withContacts() {
    return broken("contacts", (text) => {
        const meta = JSON.parse(/id="polhode-meta">(.*?)<\/script>/.exec(text)[1]);
        const packed = /id="polhode-data-0">([^<]*)/.exec(text)[1];
        const parts = [inflateSync(Buffer.from(packed, "base64"))];
        const frames = meta.results[0].fields[0].frames;
        for (const [name, row] of [["contacts.count", [1]], ["contacts.point", [0, 0.5, 0]], ["contacts.force", [0, 0, 100]]]) {
            const table = Buffer.alloc(4 * frames * row.length);
            row.forEach((x, c) => {
                const word = Buffer.alloc(4);
                word.writeFloatBE(x);
                for (let plane = 0; plane < 4; plane++) table.fill(word[plane], frames * (plane * row.length + c), frames * (plane * row.length + c + 1));
            });
            parts.push(table);
            meta.results[0].fields.push({ name, frames, channels: row.length, code: "f", width: 4, offset: 0, scale: 1 });
        }
        return text.replace(/(id="polhode-meta">).*?(<\/script>)/, (_, a, b) => a + JSON.stringify(meta).replace(/</g, "\\u003c") + b)
            .replace(packed, deflateSync(Buffer.concat(parts)).toString("base64"));
    });
}

test("contacts are drawn as points with arrows", async (page) => {
    await open(page, withContacts());
    await page.click("#toggle-contacts");
    const where = await place(page, 0);
    const [r, g, b] = await pixel(page, where);
    check(r > 150 && r > g + 60 && r > b + 60, `at the contact there is ${[r, g, b]}, not red`);
    await page.click("#toggle-contacts");
    const [r2, , b2] = await pixel(page, where);
    check(b2 > r2, "switched off, the rod is seen");
});

test("light and dark", async (page) => {
    await open(page, pendulum());
    const dark = await pixel(page, { x: 5, y: 5 });
    await page.keyboard.press("t");
    const light = await pixel(page, { x: 5, y: 5 });
    check(Math.max(...dark) < 90 && Math.min(...light) > 170, `dark ${dark}, light ${light}`);
});

// ---- Time -------------------------------------------------------------------------------------------------------------------

test("play, pause and speed", async (page) => {
    await open(page, pendulum());
    await page.click("#play");
    check(await page.getAttribute("#play", "aria-label") === "Pause", "the button says Pause while it plays");
    await until(page, () => window.polhode.state().time > 0.2);
    await page.click("#play");
    const t = (await state(page)).time;
    await page.waitForTimeout(250);
    check((await state(page)).time === t, "paused, the time stands still");
    await page.keyboard.press("l"); // the end is the end
    const rate = async (speed) => {
        await page.selectOption("#speed", String(speed));
        await page.evaluate(() => window.polhode.seek(0));
        await page.click("#play");
        await until(page, () => window.polhode.state().time > 0);
        const now = () => page.evaluate(() => [window.polhode.state().time, performance.now() / 1000]);
        const [from, begin] = await now();
        await page.waitForTimeout(500);
        const [to, end] = await now();
        await page.evaluate(() => window.polhode.pause());
        return (to - from) / (end - begin);
    };
    const slow = await rate(0.1);
    const fast = await rate(2);
    check(slow > 0.02 && slow < 0.3 && fast > 5 * slow, `0.1 x runs at ${slow}, 2 x at ${fast}`);
});

test("a loop begins again, without it the end is the end", async (page) => {
    await open(page, pendulum());
    await page.evaluate(() => window.polhode.seek(3.9));
    await page.click("#play");
    await until(page, () => window.polhode.state().time < 3);
    await page.keyboard.press("l");
    await page.evaluate(() => window.polhode.seek(3.9));
    await until(page, () => !window.polhode.state().playing);
    near((await state(page)).time, 4, 1e-8, "time");
});

test("scrubbing with the mouse", async (page) => {
    await open(page, pendulum());
    const box = await page.locator("#scrub").boundingBox();
    await page.mouse.move(box.x + 8, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    near((await state(page)).time, 2, 0.05, "in the middle");
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    near((await state(page)).time, 4, 0.02, "at the right end");
});

test("scrubbing with the keys", async (page) => {
    await open(page, pendulum());
    const frame = async () => (await state(page)).frame;
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    check(await frame() === 2, `after two steps: ${await frame()}`);
    await page.keyboard.press("Shift+ArrowRight");
    check(await frame() === 12, `after ten more: ${await frame()}`);
    await page.keyboard.press("ArrowLeft");
    check(await frame() === 11, `one back: ${await frame()}`);
    await page.keyboard.press("End");
    check(await frame() === 4000, `the last: ${await frame()}`);
    await page.keyboard.press("Home");
    check(await frame() === 0, `the first: ${await frame()}`);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    near((await state(page)).speed, 5, 0, "two steps faster");
    await page.keyboard.press("Space");
    check((await state(page)).playing, "Space plays");
});

// ---- Plots ------------------------------------------------------------------------------------------------------------------

test("the cursor of a plot is the time, both ways", async (page) => {
    await open(page, pendulum());
    const cursor = (i) => page.evaluate((p) => { const c = window.polhode.plotCursor(p); return { x: c.x, left: c.over.left, top: c.over.top, width: c.over.width, height: c.over.height }; }, i);
    for (const t of [0, 1, 3]) {
        await page.evaluate((time) => window.polhode.seek(time), t);
        const c = await cursor(0);
        near(c.x, (t / 4) * c.width, 2, `cursor at ${t} s`);
    }
    const c = await cursor(1);
    await page.mouse.click(c.left + 0.25 * c.width, c.top + c.height / 2);
    near((await state(page)).time, 1, 0.05, "a click sets the time");
    await page.mouse.move(c.left + 0.25 * c.width, c.top + 20);
    await page.mouse.down();
    await page.mouse.move(c.left + 0.75 * c.width, c.top + 25, { steps: 4 });
    await page.mouse.up();
    near((await state(page)).time, 3, 0.05, "a drag moves it");
});

test("quantities are added, with an axis for each unit", async (page) => {
    await open(page, pendulum());
    const count = (await state(page)).plots.length;
    await page.selectOption("#add-plot", "rod1.velocity.z");
    check((await state(page)).plots.length === count + 1, "a plot more");
    const more = page.locator(".panel").last().locator("select.more");
    await more.focus();
    await more.selectOption("energy.kinetic");
    check((await state(page)).plots.at(-1).join() === "rod1.velocity.z,energy.kinetic", "two curves");
    const axes = await page.locator(".panel").last().locator(".u-axis").count();
    check(axes === 3, `${axes} axes: time and one for each unit`);
    await page.locator(".panel").last().getByLabel("Remove this plot").click();
    check((await state(page)).plots.length === count, "and removed");
});

// ---- Several results --------------------------------------------------------------------------------------------------------

test("two results, one over the other and side by side", async (page) => {
    await open(page, both());
    check((await state(page)).results === 2, "two results");
    await page.evaluate(() => window.polhode.seek(2));
    await page.selectOption("#layout", "split");
    await until(page, () => document.querySelectorAll("#labels span").length === 2);
    const labels = await page.locator("#labels span").allTextContents();
    check(labels[0].startsWith("rattlie") && labels[1].startsWith("rk4"), `labels ${labels}`);
    const width = (await page.locator("#canvas").boundingBox()).width;
    const background = await pixel(page, { x: 5, y: 60 });
    for (const result of [0, 1]) {
        const p = await place(page, 1, result);
        check(result ? p.x > width / 2 : p.x < width / 2, `result ${result} is in its half`);
        check(distance(await pixel(page, p), background) > 40, `result ${result} is drawn`);
    }
    await page.locator("#chips button").nth(1).click();
    await until(page, () => document.querySelectorAll("#labels span").length === 0, null, "one pane when the other is hidden");
    await page.selectOption("#layout", "overlay");
    check((await state(page)).layout === "overlay", "overlay");
});

test("results of different models in one page", async (page) => {
    const files = ["double_pendulum", "heavy_top"].map((name) => {
        const file = join(work, `mixed_${name}.h5`);
        polhode("run", example(name), "--quiet", "--until", "1", "--out", file);
        return file;
    });
    const mixed = join(work, "mixed.html");
    polhode("view", ...files, "-o", mixed);
    await open(page, mixed);
    await page.evaluate(() => (window.polhode.trace(1, [0, 0, 0], 2), window.polhode.select(1), window.polhode.addPlot(["rod2.speed", "rod2.position.x"]), window.polhode.seek(0.5)));
    await page.selectOption("#colour", "speed");
    await page.selectOption("#layout", "split");
    const [x, y, z] = await page.evaluate(() => window.polhode.position(0, 1));
    near(Math.hypot(x, y, z), 1, 1e-6, "the top stays one metre from its foot");
});

test("polhode compare writes a page of all schemes", async (page) => {
    const folder = join(work, "compare");
    polhode("compare", example("double_pendulum"), "--schemes", "rattlie,lgvi,lie-alpha:rho=0.8", "--until", "1", "--quiet", "--out", folder);
    await open(page, join(folder, "page.html"));
    check((await state(page)).results === 3, "three results");
    const chips = await page.locator("#chips .chip").allTextContents();
    check(chips.map((c) => c.split(" ")[0]).join() === "rattlie,lgvi,lie-alpha", `chips ${chips}`);
});

test("results with other times share the clock", async (page) => {
    await open(page, both());
    const at = async (t) => page.evaluate((time) => (window.polhode.seek(time), [window.polhode.position(1, 0), window.polhode.position(1, 1)]), t);
    const [a, b] = await at(1);
    check(distance(a, b) < 0.02, `at 1 s the schemes agree: ${a} and ${b}`);
});

// ---- Model, traces, colours ---------------------------------------------------------------------------------------------------

test("a click selects a body and shows its numbers", async (page) => {
    await open(page, pendulum());
    await page.evaluate(() => window.polhode.seek(1));
    const canvas = await page.locator("#canvas").boundingBox();
    const p = await place(page, 1);
    await page.mouse.click(canvas.x + p.x, canvas.y + p.y);
    const s = await state(page);
    check(s.selected?.kind === "body" && s.selected.index === 1, `selected ${JSON.stringify(s.selected)}`);
    check(/mass, kg\s*61\.65/.test(await page.locator("#details").textContent()), "its mass");
    await page.keyboard.press("Escape");
    check((await state(page)).selected === null, "Esc selects nothing");
});

test("the trace of a top's axis on the unit sphere", async (page) => {
    await open(page, pageOf("top", example("heavy_top"), ["--until", "2"]));
    await page.locator("#tree [data-kind=body]").first().click();
    await page.getByLabel("axis on the unit sphere").check();
    check((await state(page)).traces === 1, "one trace");
    await page.getByLabel("path of the point").check();
    check((await state(page)).traces === 2, "two traces");
    await page.evaluate(() => window.polhode.seek(1.5));
});

test("tracks of rolling contact lie on the surfaces they touch", async (page) => {
    await open(page, pageOf("rolling", example("rolling"), ["--until", "3", "--every", "50"]));
    const frames = (await state(page)).frames;
    const drawn = await page.evaluate(() => window.polhode.tracks());
    check(drawn.length === 5, `ball, pea, stone, parcel and blade: ${drawn}`);
    const touch = (joint, frame) => page.evaluate(([j, f]) => window.polhode.touch(j, f), [joint, frame]);
    for (let frame = 0; frame < frames; frame += 4) {
        const [turntable, bowl, stone, belt, blade] = await Promise.all(drawn.map((joint) => touch(joint, frame)));
        for (const p of [turntable, stone, belt, blade]) near(p[2], 0, 2e-4, "on the plane"); // positions of pages are rounded
        near(Math.hypot(bowl[0] - 2, bowl[1], bowl[2] - 0.5), 0.5, 2e-4, "on the bowl");
    }
    await page.evaluate(() => window.polhode.seek(0));
    const [ball, first] = await Promise.all([page.evaluate(() => window.polhode.position(0)), touch(drawn[0], 0)]);
    near(first[0], ball[0], 2e-4, "below the ball, x");
    near(first[1], ball[1], 2e-4, "below the ball, y");
    await page.click("#toggle-tracks");
    check((await page.evaluate(() => window.polhode.tracks())).length === 0, "turned off");
});

test("the track of a coin is where its rim is lowest", async (page) => {
    await open(page, pageOf("coin", example("coin"), ["--until", "2", "--every", "50"]));
    for (let frame = 0; frame < (await state(page)).frames; frame += 5) {
        const [p, x] = await page.evaluate(([f]) => (window.polhode.seek(0.05 * f), [window.polhode.touch(0, f), window.polhode.position(0)]), [frame]);
        near(p[2], 0, 2e-4, "on the table");
        near(Math.hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]), 0.3, 2e-4, "at the radius");
    }
});

// viridis at nine points, as matplotlib has it; the page interpolates linear light between them.
const linear = (c) => c.match(/../g).map((h) => parseInt(h, 16) / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
const VIRIDIS = ["440154", "472d7b", "3b528b", "2c728e", "21918c", "28ae80", "5ec962", "addc30", "fde725"].map(linear);
function viridis(x) {
    const s = 8 * Math.min(Math.max(x, 0), 1), i = Math.min(Math.floor(s), 7);
    return VIRIDIS[i].map((c, k) => c + (s - i) * (VIRIDIS[i + 1][k] - c));
}

// Colours every body by valueOf(frame, body) and compares what is drawn at some moments; the legend ends with the largest.
async function expectColours(page, by, valueOf) {
    const { frames, bodies } = await state(page);
    const table = [];
    for (let f = 0; f < frames; f++) table.push(await Promise.all(bodies.map((_, b) => valueOf(f, b))));
    const most = Math.max(...table.flat());
    await page.selectOption("#colour", by);
    const legend = await page.locator("#legend i").last().textContent();
    const shown = Number(legend.replace("−", "-").replace(/·10(.*)/, (_, e) => `e${[...e].map((c) => ("⁰¹²³⁴⁵⁶⁷⁸⁹".includes(c) ? "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c) : "-")).join("")}`));
    near(shown / most, 1, 0.01, "the legend ends with the largest value");
    const largest = table.findIndex((row) => row.includes(most));
    for (const f of new Set([0, largest, frames - 1])) {
        const colours = await page.evaluate((f) => {
            window.polhode.seek(window.polhode.value("time", f));
            window.polhode.pixel(1, 1); // draws
            return window.polhode.state().bodies.map((_, b) => window.polhode.drawn(b).colour);
        }, f);
        colours.forEach((c, b) => viridis(table[f][b] / most).forEach((x, k) => near(c[k], x, 0.02, `${by} of body ${b} in frame ${f}, channel ${k}`)));
    }
    await page.evaluate((f) => window.polhode.seek(window.polhode.value("time", f)), largest);
    return table[largest].indexOf(most);
}

test("colours by mean stress are those of the result", async (page) => {
    await open(page, pageOf("strained", strained(), []));
    const body = await expectColours(page, "mises", (f, b) => page.evaluate(([f, b]) => window.polhode.value("stress.mises", f, b), [f, b]));
    const [r, g, b] = await pixel(page, await place(page, body));
    check(r > b + 60 && g > b + 60, `the most strained body is drawn in ${[r, g, b]}, not yellow`);
});

test("colours by speed are those of the result", async (page) => {
    await open(page, pageOf("strained", strained(), []));
    await expectColours(page, "speed", async (f, b) => Math.hypot(...(await page.evaluate(([f, b]) => [0, 1, 2].map((k) => window.polhode.value("velocity", f, 3 * b + k)), [f, b]))));
});

test("colours by speed, follow, joints, frames, reactions", async (page) => {
    await open(page, pendulum());
    await page.selectOption("#colour", "speed");
    check(await page.locator("#legend").isVisible(), "a legend");
    for (const name of ["joints", "frames", "reactions", "grid", "shadows"]) {
        const button = page.locator(`#toggle-${name}`);
        const was = await button.getAttribute("aria-pressed");
        await button.click();
        check(await button.getAttribute("aria-pressed") !== was, `${name} can be switched`);
    }
    await page.selectOption("#follow", "1");
    const place1 = await place(page, 1);
    await page.evaluate(() => window.polhode.seek(2.2));
    const place2 = await place(page, 1);
    near(place2.x, place1.x, 1.5, "a followed body stays where it is, x");
    near(place2.y, place1.y, 1.5, "and y");
});

// ---- Without a mouse, without eyes ---------------------------------------------------------------------------------------------

test("every control has a name and can be reached with Tab", async (page) => {
    await open(page, both());
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [tabindex='0']")].filter((e) => {
        const own = e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.title;
        return e.checkVisibility() && !own && !e.labels?.length;
    }).map((e) => e.outerHTML.slice(0, 100)));
    check(nameless.length === 0, `without a name: ${nameless}`);
    const reached = new Set();
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        reached.add(await page.evaluate(() => document.activeElement.id));
    }
    for (const id of ["play", "scrub", "speed", "fit", "colour", "layout", "canvas", "theme", "help", "search", "add-plot"]) check(reached.has(id), `Tab does not reach ${id}`);
});

// What axe-core, the checker most people use, finds wrong for screen readers, keyboards and weak eyes.
async function axe(page, when) {
    await page.evaluate(readFileSync(join(process.argv[3], "tests/browser/node_modules/axe-core/axe.min.js"), "utf8"));
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const wrong = found.violations.map((v) => `${v.id} (${v.help}): ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`);
    check(wrong.length === 0, `${when}: ${wrong.join("\n    ")}`);
}

test("axe finds nothing wrong, light and dark", async (page) => {
    await open(page, both());
    await axe(page, "dark");
    await page.locator("#tree [data-kind=body]").first().click();
    await page.selectOption("#colour", "speed");
    await axe(page, "dark, with a selection and a legend");
    await page.keyboard.press("Escape");
    await page.locator("#tree [data-kind=joint]").first().click();
    await page.locator("#theme").click();
    await axe(page, "light, with a joint");
    await page.locator("#help").click();
    await axe(page, "help");
}, { reducedMotion: "reduce" }); // colours change at once

test("every control answers to the keyboard", async (page) => {
    await open(page, both());
    const press = async (id, key) => {
        await page.locator(id).first().focus();
        await page.keyboard.press(key);
    };
    const pressed = (id) => page.locator(id).first().getAttribute("aria-pressed");
    for (const id of ["#toggle-joints", "#toggle-frames", "#toggle-reactions", "#toggle-shadows", "#toggle-grid", "#loop", "#show-side", "#show-plots", "#chips button"]) {
        const was = await pressed(id);
        await press(id, "Enter");
        check(await pressed(id) !== was, `Enter switches ${id}`);
        await press(id, id === "#show-side" || id === "#show-plots" ? "Enter" : " ");
        check(await pressed(id) === was, `${id} is switched back`);
    }
    await press("#forward", "Enter");
    check((await state(page)).frame === 1, "one frame forward");
    await press("#last", " ");
    near((await state(page)).time, 4, 1e-8, "the end");
    await press("#first", "Enter");
    check((await state(page)).time === 0, "the start");
    await press("#play", "Enter");
    check((await state(page)).playing, "it plays");
    await press("#play", "Enter");
    check(!(await state(page)).playing, "it is paused");
    await page.locator("#follow").focus();
    await page.keyboard.press("ArrowDown");
    check(await page.locator("#follow").inputValue() === "0", "a body to follow");
    const count = (await state(page)).plots.length;
    await page.locator(".panel").last().getByLabel("Remove this plot").focus();
    await page.keyboard.press("Enter");
    check((await state(page)).plots.length === count - 1, "a plot is removed");
    await page.locator("#canvas").focus();
    const before = await place(page, 1);
    for (const key of ["a", "w", "e"]) await page.keyboard.press(key);
    check(distance([before.x, before.y, 0], [(await place(page, 1)).x, (await place(page, 1)).y, 0]) > 2, "the camera turns and comes nearer");
});

test("the tree is used with the keys", async (page) => {
    await open(page, pendulum());
    await page.locator("#tree [data-kind=body]").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    check((await state(page)).selected?.index === 1, "the second body");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    check((await state(page)).selected?.kind === "joint", "then a joint");
    check(/ball/.test(await page.locator("#details").textContent()), "its type");
});

test("help is a dialog that Esc closes", async (page) => {
    await open(page, pendulum());
    await page.keyboard.press("?");
    check(await page.locator("#help-box").isVisible(), "open");
    await page.keyboard.press("Escape");
    check(!(await page.locator("#help-box").isVisible()), "closed");
});

// ---- Bad data -----------------------------------------------------------------------------------------------------------------

function broken(name, change) {
    const file = join(work, `${name}.html`);
    writeFileSync(file, change(readFileSync(pendulum(), "utf8")));
    return file;
}

async function expectFault(page, said, file, words) {
    await open(page, file);
    check(await page.locator("#fault").isVisible(), "a message instead of a blank page");
    const text = await page.locator("#fault").textContent();
    check(words.test(text), `it says: ${text}`);
    said.length = 0; // it also warns in the console
}

test("a page that was cut off says so", async (page, said) => {
    await expectFault(page, said, broken("cut", (t) => t.replace(/("polhode-data-0">)([A-Za-z0-9+/]{4000})[^<]*/, "$1$2")), /damaged|too early/);
});

test("a page whose data was changed says so", async (page, said) => {
    await expectFault(page, said, broken("changed", (t) => t.replace(/"polhode-data-0">[^<]{200}/, `"polhode-data-0">${"A".repeat(200)}`)), /damaged/);
});

test("a page of another version says so", async (page, said) => {
    await expectFault(page, said, broken("version", (t) => t.replace('"format":"polhode page","version":1', '"format":"polhode page","version":7')), /version 7/);
});

test("a browser without 3-D graphics is told so", async (page, said) => {
    await page.addInitScript(() => {
        const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
            return /webgl/.test(kind) ? null : get.call(this, kind, ...more);
        };
    });
    await expectFault(page, said, pendulum(), /WebGL/);
});

test("an empty page says what it is", async (page, said) => {
    await expectFault(page, said, join(process.argv[3], "viewer/dist/page.html"), /template/);
});

test("zero frames", async (page, said) => {
    await expectFault(page, said, broken("none", (t) => t.replace(/"fields":\[.*?\],"notes"/, '"fields":[],"notes"')), /no frames/);
});

// ---- Large --------------------------------------------------------------------------------------------------------------------

// How many frames a second is a matter of the machine: it is printed, and what must hold is that the motion goes on.
test("a thousand bodies move", async (page) => {
    await open(page, pageOf("many", manyBodies(1000), ["--until", "2", "--step", "0.02"]));
    check((await state(page)).bodies.length === 1000, "bodies");
    await page.click("#play");
    let best = 0;
    for (let i = 0; i < 12 && best < 20; i++) {
        const rate = await page.evaluate(() => new Promise((done) => {
            let count = 0;
            const begin = performance.now();
            const tick = (now) => (now - begin > 1000 ? done((1000 * count) / (now - begin)) : (count++, requestAnimationFrame(tick)));
            requestAnimationFrame(tick);
        }));
        best = Math.max(best, rate);
    }
    const [load] = loadavg();
    console.log(`   ${best.toFixed(1)} frames/s at a load of ${load.toFixed(1)} on ${cpus().length} processors`);
    check(best >= 1 && (await state(page)).time > 0, `${best} frames/s`);
});

await runAll();
