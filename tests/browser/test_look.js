// What the page looks like at the sizes people use, and what the view can show: nothing is cut off, nothing covers the picture.
import { check, example, near, open, pageOf, polhode, state, test, until, work } from "./harness.js";
import { cutOff } from "./cut_off.js";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const pendulum = () => pageOf("look_pendulum", example("double_pendulum"), ["--until", "2"]);
const stack = () => pageOf("look_stack", example("contact/stack"), ["--until", "0.3"]);

for (const [width, height] of [[1280, 720], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
        test(`nothing is cut off at ${width} x ${height}, ${colorScheme}`, async (page) => {
            await open(page, pendulum());
            let wrong = await page.evaluate(cutOff);
            check(wrong.length === 0, `as it opens: ${wrong.join("; ")}`);
            const canvas = await page.locator("#canvas").boundingBox();
            check(canvas.width >= 0.4 * width && canvas.height >= 0.45 * height, `the picture has ${canvas.width} x ${canvas.height}`);
            for (const id of ["show-side", "show-plots"]) {
                await page.click(`#${id}`);
                wrong = await page.evaluate(cutOff);
                check(wrong.length === 0, `after ${id}: ${wrong.join("; ")}`);
                await page.click(`#${id}`);
            }
            const where = await page.evaluate(() => window.polhode.screen(1));
            check(where.x > 0 && where.x < canvas.width && where.y > 0 && where.y < canvas.height, "the pendulum is in the picture");
            await page.screenshot({ path: join(work, `${width}_${colorScheme}.png`) });
        }, { viewport: { width, height }, colorScheme, hasTouch: width < 500 });
    }
}

test("a body is hidden, shown alone, shown again", async (page) => {
    await open(page, pendulum());
    const at = await page.evaluate(() => window.polhode.screen(1));
    const colour = () => page.evaluate((p) => window.polhode.pixel(p.x, p.y), at);
    await page.evaluate(() => window.polhode.select(1));
    const before = await colour();
    await page.click("#hide");
    const hidden = await colour();
    check(Math.hypot(...hidden.map((x, i) => x - before[i])) > 40, `hidden it looks the same: ${hidden}`);
    await page.click("#show-all");
    near(Math.hypot(...(await colour()).map((x, i) => x - before[i])), 0, 25, "shown again");
    await page.evaluate(() => window.polhode.select(0));
    await page.click("#isolate");
    near(Math.hypot(...(await colour()).map((x, i) => x - hidden[i])), 0, 25, "alone, the other is away");
});

test("a link leads to a moment", async (page) => {
    await open(page, `${pendulum()}#t=1.25`);
    near((await state(page)).time, 1.25, 1e-9, "the time of the link");
    await page.evaluate(() => (window.location.hash = "t=0.5"));
    await until(page, () => Math.abs(window.polhode.state().time - 0.5) < 1e-9, null, "another link");
});

test("views by name, cutting, clearness, measuring", async (page) => {
    await open(page, pendulum());
    const at = await page.evaluate(() => window.polhode.screen(1));
    await page.selectOption("#preset", "top");
    const above = await page.evaluate(() => window.polhode.screen(1));
    check(Math.hypot(at.x - above.x, at.y - above.y) > 5, "seen from above it is elsewhere");
    await page.selectOption("#preset", "front");
    await page.locator("#clear").fill("0.5");
    await page.selectOption("#clip", "z");
    check(/ m$/.test(await page.locator("#clip-value").textContent()), "it says where it is cut");
    await page.selectOption("#clip", "");
    await page.click("#measure");
    for (const body of [0, 1]) {
        const p = await page.evaluate((b) => window.polhode.screen(b), body);
        await page.locator("#canvas").click({ position: p });
    }
    check(/^[\d.]+ m \(/.test(await page.locator("#measured").textContent()), await page.locator("#measured").textContent());
    check(/grid [\d.]+ m/.test(await page.locator("#grid-note").textContent()), "the grid says its spacing");
});

test("contacts are off until asked for, and say their scale", async (page) => {
    await open(page, stack());
    check((await page.evaluate(() => window.polhode.contacts())).arrows === 0, "off at first");
    await page.click("#toggle-contacts");
    await page.evaluate(() => window.polhode.seek(0.2));
    await until(page, () => /contact arrows: .* m are .* N/.test(document.getElementById("grid-note").textContent), null, "what the arrows mean");
});

test("pictures of a motion in one archive", async (page) => {
    await open(page, pageOf("look_short", example("double_pendulum"), ["--until", "0.2"]));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#sequence")]);
    const chunks = [];
    for await (const part of await download.createReadStream()) chunks.push(part);
    const tar = Buffer.concat(chunks);
    check(/_00000\.png/.test(tar.subarray(0, 100).toString()), "it begins with the first picture");
    check(tar.subarray(512, 516).toString("latin1") === "\x89PNG", "which is a PNG");
});

test("a film of a motion", async (page) => {
    await open(page, pageOf("look_short", example("double_pendulum"), ["--until", "0.2"]));
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#film")]);
    check(/\.webm$/.test(download.suggestedFilename()), download.suggestedFilename());
});

test("tendons are drawn from site to site", async (page) => {
    const model = join(work, "cord.yaml");
    writeFileSync(model, `polhode: 1
bodies: [{name: m, position: [1, 0, 0], shapes: [{type: sphere, radius: 5 cm, density: 1000}]}]
sites: [{name: a, body: world}, {name: b, body: m}]
tendons: [{name: t, path: [a, b], stiffness: 100}]
run: {step: 0.01, until: 0.1}
`);
    await open(page, pageOf("cord", model, []));
    check((await state(page)).bodies[0] === "m", "the model");
});
