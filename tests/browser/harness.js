// A small test runner: every case gets a page of its own, and no case may leave a message in the browser's console.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./browser.js";

export const [program, source] = process.argv.slice(2);
export const work = mkdtempSync(join(tmpdir(), "polhode-browser-"));

const cases = [];

export function test(name, run, options = {}) {
    cases.push({ name, run, options });
}

class Skip extends Error {}

export function skip(why) {
    throw new Skip(why);
}

export function check(good, what) {
    if (!good) throw new Error(what);
}

export function near(a, b, tolerance, what) {
    check(Math.abs(a - b) <= tolerance, `${what}: ${a}, expected ${b} within ${tolerance}`);
}

export function polhode(...args) {
    return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export const example = (name) => join(source, "examples", `${name}.yaml`);

const made = new Map();

// The page of a run, made once: pageOf("name", model, ["--until", "2"]), or several runs for one page.
export function pageOf(name, model, ...runs) {
    if (made.has(name)) return made.get(name);
    const results = runs.map((args, i) => {
        const file = join(work, `${name}_${i}.h5`);
        polhode("run", model, "--quiet", "--out", file, ...args);
        return file;
    });
    const page = join(work, `${name}.html`);
    polhode("view", ...results, "-o", page);
    made.set(name, page);
    return page;
}

export async function open(page, address) {
    await page.goto(address.startsWith("http") ? address : `file://${address}`);
    await page.waitForFunction(() => window.polhode?.ready || window.polhode?.fault, null, { timeout: 90000 });
}

// Waits until `expression` (in the page) holds.
export async function until(page, expression, argument, what = String(expression)) {
    try {
        await page.waitForFunction(expression, argument, { timeout: 60000 });
    } catch {
        throw new Error(`this never came: ${what}`);
    }
}

export const state = (page) => page.evaluate(() => window.polhode.state());

// A server of `polhode view --live`; resolves to its address.
export function startLive(...args) {
    const child = spawn(program, ["view", "--live", ...args], { stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((resolve, reject) => {
        child.stdout.once("data", (d) => resolve({ address: String(d).trim(), stop: () => stop(child) }));
        child.once("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
    });
}

function stop(child) {
    return new Promise((resolve) => {
        child.removeAllListeners("exit");
        child.once("exit", resolve);
        child.kill("SIGINT");
    });
}

export async function runAll() {
    const browser = await launch();
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const only = process.argv[4];
    for (const { name, run, options } of cases) {
        if (only && !name.includes(only)) continue;
        const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: "dark", ...options });
        const page = await context.newPage();
        page.setDefaultTimeout(90000); // the machine may be busy
        const said = [];
        page.on("console", (m) => ["error", "warning"].includes(m.type()) && said.push(m.text()));
        page.on("pageerror", (e) => said.push(e.message));
        const begin = Date.now();
        try {
            await run(page, said);
            check(said.filter((s) => !/GPU stall|GL Driver Message|software WebGL/i.test(s)).length === 0, `the console says: ${said.join("; ")}`);
            counts.passed++;
            console.log(`ok ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
        } catch (e) {
            if (e instanceof Skip) {
                counts.skipped++;
                console.log(`skip ${name}: ${e.message}`);
                await context.close();
                continue;
            }
            counts.failed++;
            console.log(`FAIL ${name}: ${e.message.split("\n").slice(0, 6).join("\n    ")}`);
            await page.screenshot({ path: join(tmpdir(), `polhode-${name.replace(/\W+/g, "_")}.png`) }).catch(() => {});
        }
        await context.close();
    }
    await browser.close();
    rmSync(work, { recursive: true, force: true });
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.exit(counts.failed ? 1 : 0);
}

// Pulls at rod2 of a double pendulum without gravity until it has moved, and lets go.
export async function pullSecondRod(page) {
    const before = await page.evaluate(() => window.polhode.position(1));
    const canvas = await page.locator("#canvas").boundingBox();
    const p = await page.evaluate(() => window.polhode.screen(1));
    await page.keyboard.down("Alt");
    await page.mouse.move(canvas.x + p.x, canvas.y + p.y);
    await page.mouse.down();
    await page.mouse.move(canvas.x + p.x + 40, canvas.y + p.y + 120, { steps: 8 });
    await until(page, (from) => Math.hypot(...window.polhode.position(1).map((x, i) => x - from[i])) > 0.02, before, "rod2 moves without gravity");
    await page.mouse.up();
    await page.keyboard.up("Alt");
}
