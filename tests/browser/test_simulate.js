// Pages that simulate: the core in the browser, with the bits of the program.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cutOff } from "./cut_off.js";
import { check, example, near, open, polhode, program, pullSecondRod, runAll, skip, source, state, test, until, work } from "./harness.js";
import { ballPile } from "./models.js";

// The core is built when it is asked for, where there is a compiler for it.
function needCore() {
    const build = dirname(program);
    if (existsSync(join(build, "wasm/polhode.wasm")) && needCore.done) return;
    const made = spawnSync("cmake", ["--build", build, "--target", "polhode_wasm"], { encoding: "utf8" });
    if (made.status !== 0) {
        if (/unknown target/.test(made.stdout + made.stderr)) skip("there is no compiler for WebAssembly (Debian: clang lld wasi-libc libclang-rt-14-dev-wasm32)");
        throw new Error(`polhode_wasm does not build: ${(made.stdout + made.stderr).slice(-600)}`);
    }
    needCore.done = true;
}

const pages = new Map();

function simulator(model, ...options) {
    needCore();
    const key = [model, ...options].join(" ");
    if (!pages.has(key)) {
        const file = join(work, `simulate_${pages.size}.html`);
        polhode("view", model, "-o", file, "--quiet", ...options);
        pages.set(key, file);
    }
    return pages.get(key);
}

// The last row of a run by the program: time, positions, orientations, velocities, angular velocities.
function native(model, steps, step, ...options) {
    const file = join(work, "native.csv");
    polhode("run", model, "--until", String(steps * step), "--step", String(step), "--out", file, "--quiet", ...options);
    return readFileSync(file, "utf8").trim().split("\n").pop().split(",").map(Number);
}

async function sameBits(page, model, steps, step, ...options) {
    await open(page, simulator(model, "--step", String(step), ...options));
    await page.evaluate(() => window.polhode.command("pause"));
    await until(page, () => window.polhode.state().live.paused);
    await page.evaluate(() => window.polhode.command("reset"));
    await page.evaluate((n) => window.polhode.command(`step ${n}`), steps);
    const s = await page.evaluate(() => window.polhode.exact());
    const have = [s.time, ...s.positions, ...s.orientations, ...s.velocities, ...s.angular_velocities];
    const want = native(model, steps, step, ...options);
    const wrong = have.findIndex((x, i) => !Object.is(x, want[i]) && !(x === 0 && want[i] === 0));
    check(have.length > 13 && wrong < 0, `number ${wrong} of ${have.length} is ${have[wrong]}, the program has ${want[wrong]}`);
}

const scenes = [
    ["joints", "double_pendulum", 2000, 1e-3], ["a closed loop", "four_bar", 500, 1e-3], ["a motor", "slider_crank_driven", 300, 1e-3],
    ["contact", "contact/stack", 200, 2e-3], ["a heap", "contact/pile", 60, 2e-3], ["springs", "contact/spring_bounce", 300, 1e-3],
    ["rolling", "rolling", 300, 1e-3], ["a robot on the ground", "robots/quadruped", 100, 2e-3],
];
for (const [what, model, steps, step] of scenes) {
    test(`simulate: the bits of the program, ${what}`, async (page) => sameBits(page, example(model), steps, step));
}

test("simulate: the bits of the program under other schemes and parameters", async (page) => {
    await sameBits(page, example("double_pendulum"), 400, 2e-3, "--scheme", "lie-alpha", "--set", "g=3.7");
    await sameBits(page, example("double_pendulum"), 100, 4e-3, "--scheme", "rattlie6", "--set", "l=1.25");
});

test("simulate: the page of a double pendulum is below 1.5 MB", async () => {
    const bytes = statSync(simulator(example("double_pendulum"))).size;
    check(bytes < 1.5e6, `it has ${bytes} bytes`);
});

test("simulate: it runs, pauses, steps, begins again", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await until(page, () => window.polhode.state().time > 0.15);
    await page.click("#play");
    await until(page, () => window.polhode.state().live.paused);
    await page.click("#reset");
    await until(page, () => window.polhode.state().time === 0);
    await page.click("#forward");
    await until(page, () => window.polhode.state().time > 0);
    near((await state(page)).time, 1e-3, 1e-12, "one step");
    await page.selectOption("#speed", "0.1");
    await page.locator("#canvas").focus();
    await page.keyboard.press("Space");
    await until(page, () => window.polhode.state().time > 0.02 && window.polhode.state().live.speed === 0.1);
});

test("simulate: sliders change parameters while it moves", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await until(page, () => window.polhode.state().time > 0.1);
    await page.locator("#parameter-g").fill("0");
    await until(page, () => window.polhode.state().live.parameters.find((p) => p.name === "g").value === 0, null, "no gravity");
    const s = await state(page);
    check(s.time > 0.1 && !s.live.message, `the motion goes on: ${s.live.message}`);
    await until(page, () => {
        const n = window.polhode.state().frames;
        return n > 10 && Math.abs(window.polhode.value("energy.potential", n - 1)) < 1e-9;
    }, null, "its potential is nothing");
    // Longer rods: joints are moved, and met again.
    await page.locator("#parameter-l").fill("1.5");
    await until(page, () => window.polhode.state().live.parameters.find((p) => p.name === "l").value === 1.5, null, "longer rods");
    await until(page, () => {
        const n = window.polhode.state().frames;
        return n > 10 && window.polhode.value("violation.position", n - 1) < 1e-9 && Math.hypot(...window.polhode.position(0)) > 0.74;
    }, null, "the joints are closed");
});

test("simulate: a model that includes files keeps its bits and its sliders", async (page) => {
    const model = join(work, "car.yaml");
    writeFileSync(join(work, "wheel.yaml"), `polhode: 1
parameters: {r: 0.1}
bodies: [{name: hub, position: [r, 0, 0], mass: 1, inertia: [r^2, r^2, r^2]}]
joints: [{name: axle, type: revolute, bodies: [world, hub], anchor: [0, 0, 0], axis: y, motor: {torque: torque_of_the_motor}}]
inputs: {torque_of_the_motor: 0}
`);
    writeFileSync(model, `polhode: 1
parameters: {radius: 0.3}
gravity: [0, 0, -9.81]
bodies: []
parts: [{repeat: {i: 2}, include: wheel.yaml, prefix: w$(i)_, parameters: {r: radius*(i + 1)}}]
run: {step: 1e-3, until: 1}
`);
    await sameBits(page, model, 200, 1e-3);
    const wrong = await page.evaluate(cutOff);
    check(wrong.length === 0, `long names: ${wrong.join("; ")}`);
    await page.evaluate(() => window.polhode.command("play"));
    await page.evaluate(() => window.polhode.command("set radius 0.5"));
    await until(page, () => Math.abs(Math.hypot(...window.polhode.position(1)) - 1) < 1e-9, null, "the second wheel has another radius");
});

test("simulate: what cannot be is said, and nothing changes", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await page.evaluate(() => window.polhode.command("scheme exact"));
    await until(page, () => window.polhode.state().live.message.length > 10, null, "a sentence");
    check((await state(page)).live.scheme === "rattlie", "the scheme stays");
    await page.evaluate(() => window.polhode.command("set l -1"));
    await until(page, () => window.polhode.state().live.message.length > 10);
    check((await state(page)).live.parameters.find((p) => p.name === "l").value === 1, "the length stays");
});

test("simulate: scheme and step are chosen in the page", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await page.selectOption("#scheme", "rk4");
    await until(page, () => window.polhode.state().live.scheme === "rk4");
    await page.selectOption("#length", "0.0005");
    await until(page, () => window.polhode.state().live.step === 0.0005);
    check((await page.textContent("#chips")).includes("rk4"), "the head of the page says so");
    const t = (await state(page)).time;
    await until(page, (from) => window.polhode.state().time > from + 0.05, t, "it goes on");
});

test("simulate: keys move an input, held arrows drive it", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    const input = () => page.evaluate(() => window.polhode.state().live.inputs[0].value);
    await page.locator("#canvas").focus();
    await page.keyboard.press("]");
    await until(page, () => window.polhode.state().live.inputs[0].value > 0);
    await page.keyboard.press("0");
    await until(page, () => window.polhode.state().live.inputs[0].value === 0);
    await page.check("#drive");
    await page.locator("#canvas").focus();
    await page.keyboard.down("ArrowLeft");
    await until(page, () => window.polhode.state().live.inputs[0].value === -1);
    await page.keyboard.up("ArrowLeft");
    await until(page, () => window.polhode.state().live.inputs[0].value === 0);
    check((await input()) === 0, "back at its start");
});

test("simulate: pulling at a body moves it, and the bits before and after are those of nobody's hand", async (page) => {
    await open(page, simulator(example("double_pendulum"), "--set", "g=0"));
    await pullSecondRod(page);
    const s = await state(page);
    const error = await page.evaluate((f) => window.polhode.value("energy.error", f), s.frames - 1);
    const done = await page.evaluate((f) => window.polhode.value("energy.work", f), s.frames - 1);
    check(done > 0 && Math.abs(error) < 0.05 * done + 1e-6, `energy error ${error} J for ${done} J of work`);
    await sameBits(page, example("double_pendulum"), 100, 1e-3, "--set", "g=0");
});

test("simulate: it starts again at keyframes", async (page) => {
    const model = join(work, "keyed.yaml");
    writeFileSync(model, ["polhode: 1", "name: keyed", "gravity: [0, 0, -9.81]", "bodies:", "  - {name: rod, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, -0.5]}",
        "joints:", "  - {name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: x}",
        "keyframes:", "  - {name: up, joints: {hinge: {coordinate: 3}}}", "run: {step: 1e-3, until: 1}"].join("\n") + "\n");
    await open(page, simulator(model));
    await page.evaluate(() => window.polhode.command("pause"));
    await page.selectOption("#keyframe", "up");
    await until(page, () => window.polhode.position(0)[2] > 0.4, null, "upside down");
    await page.selectOption("#keyframe", "");
    await until(page, () => window.polhode.position(0)[2] < -0.4, null, "hanging");
});

test("simulate: reactions and stress are there", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await until(page, () => window.polhode.state().frames > 20);
    const n = (await state(page)).frames - 1;
    const force = await page.evaluate((f) => [0, 1, 2].map((c) => window.polhode.value("joints.O.force", f, c)), n);
    check(Math.hypot(...force) > 1, `the upper joint holds ${force}`);
    await page.click("#toggle-reactions");
    await page.selectOption("#colour", "mises");
    await until(page, () => window.polhode.state().colour === "mises");
    check((await page.evaluate((f) => window.polhode.value("stress.mises", f), n)) > 0, "there is stress");
});

test("simulate: a recording is handed out as a table", async (page) => {
    await open(page, simulator(example("double_pendulum")));
    await page.click("#record");
    await until(page, () => window.polhode.state().time > 0.3);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#record")]);
    const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
    check(lines.length > 3 && lines[0].startsWith("time,") && lines[1].split(",").length === lines[0].split(",").length, lines[0].slice(0, 80));
});

test("simulate: shapes from files come along, missing ones are said", async (page) => {
    const corners = [[-0.4, -0.4, 0], [0.4, -0.4, 0], [0.4, 0.4, 0], [-0.4, 0.4, 0], [0, 0, 0.6]];
    const faces = [[1, 3, 2], [1, 4, 3], [1, 2, 5], [2, 3, 5], [3, 4, 5], [4, 1, 5]];
    const model = join(work, "roofed.yaml");
    writeFileSync(join(work, "roofed.obj"), corners.map((v) => `v ${v.join(" ")}`).concat(faces.map((f) => `f ${f.join(" ")}`)).join("\n") + "\n");
    writeFileSync(model, ["polhode: 1", "name: roofed", "gravity: [0, 0, -9.81]", "bodies:", "  - {name: roof, fixed: true, shapes: [{type: mesh, file: roofed.obj}]}",
        "  - {name: ball, position: [0.1, 0, 0.9], shapes: [{type: sphere, radius: 0.1, density: 1000}]}", "contact: {}", "run: {scheme: moreau, step: 2e-3, until: 1}"].join("\n") + "\n");
    await sameBits(page, model, 150, 2e-3);
    const gone = join(work, "gone.yaml");
    writeFileSync(gone, readFileSync(model, "utf8").replace("roofed.obj", "gone.obj"));
    let said = "";
    try {
        execFileSync(program, ["view", gone, "-o", join(work, "gone.html")], { stdio: ["ignore", "pipe", "pipe"] });
    } catch (e) {
        said = String(e.stderr);
        check(e.status === 2, `exit status ${e.status}`);
    }
    check(/gone\.obj/.test(said) && !existsSync(join(work, "gone.html")), `it says: ${said}`);
});

test("simulate: a damaged page says so", async (page, said) => {
    const text = readFileSync(simulator(example("double_pendulum")), "utf8");
    const at = text.indexOf('id="polhode-core">') + 4000;
    const file = join(work, "hurt.html");
    writeFileSync(file, text.slice(0, at) + "AAAAAAAA" + text.slice(at + 8));
    await open(page, file);
    check((await page.evaluate(() => window.polhode.fault ?? "")).length > 10, "a sentence");
    said.length = 0; // the console has it too
});

for (const [width, height] of [[1280, 720], [390, 844]]) {
    test(`simulate: nothing is cut off at ${width} x ${height}`, async (page) => {
        await open(page, simulator(example("double_pendulum")));
        if (width < 900) await page.click("#show-side");
        const wrong = await page.evaluate(cutOff);
        check(wrong.length === 0, wrong.join("; "));
        check(await page.isVisible("#parameter-g"), "sliders are there");
    }, { viewport: { width, height } });
}

// How many steps a second, told but not judged.
test("simulate: a thousand spheres move", async (page) => {
    await open(page, simulator(ballPile(1000)));
    await page.selectOption("#speed", "100");
    await until(page, () => window.polhode.state().time > 0.1);
    const rate = await page.evaluate(() => new Promise((done) => {
        const begin = performance.now(), from = window.polhode.state().time;
        setTimeout(() => done((window.polhode.state().time - from) / 5e-3 / (performance.now() - begin) * 1000), 5000);
    }));
    check(rate > 0, "it goes on");
    console.log(`     ${rate.toFixed(1)} steps/s in 5 s, with everything else this machine does`);
});

if (process.argv[1].endsWith("test_simulate.js")) await runAll();
