// Frames a second and processor time of a frame, for bench/page/run.
import { rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { launch } from "./browser.js";
import { open, pageOf, state, work } from "./harness.js";
import { ballPile, manyBodies } from "./models.js";

const SECONDS = 6;
const browser = await launch();
const session = await browser.newBrowserCDPSession();

// Seconds of processor time by kind of process.
async function processorTimes() {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const out = {};
    for (const { type, cpuTime } of processInfo) out[type] = (out[type] ?? 0) + cpuTime;
    return out;
}

const countFrames = (page, seconds) => page.evaluate((s) => new Promise((done) => {
    let count = 0;
    const begin = performance.now();
    const tick = (now) => (now - begin > 1000 * s ? done({ count, seconds: (now - begin) / 1000 }) : (count++, requestAnimationFrame(tick)));
    requestAnimationFrame(tick);
}), seconds);

async function measure(name, file) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: "dark" });
    const page = await context.newPage();
    await open(page, file);
    await page.click("#play");
    await countFrames(page, 4); // it settles how finely it draws
    const before = await processorTimes();
    const { count, seconds } = await countFrames(page, SECONDS);
    const after = await processorTimes();
    const each = Object.entries(after).map(([type, t]) => [type, (1000 * (t - (before[type] ?? 0))) / count]).filter(([, ms]) => ms > 0.5);
    const level = (await state(page)).quality;
    console.log(`${name}: ${(count / seconds).toFixed(1)} frames/s; processor time of a frame, ms: ${each.map(([type, ms]) => `${type} ${ms.toFixed(1)}`).join(", ")}` +
        ` (load ${loadavg()[0].toFixed(1)} on ${cpus().length} processors${level === undefined ? "" : `, level ${level}`})`);
    await context.close();
}

for (const count of process.argv.slice(4).flatMap((a) => a.split(" ")).map(Number)) {
    await measure(`${count} boxes, balls and rods`, pageOf(`many${count}`, manyBodies(count), ["--until", "2", "--step", "0.02"]));
    await measure(`${count} balls`, pageOf(`balls${count}`, ballPile(count), ["--until", "0.5", "--step", "0.01"]));
}
await browser.close();
rmSync(work, { recursive: true, force: true });
