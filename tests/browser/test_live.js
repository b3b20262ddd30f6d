// A running simulation in the browser, and a server that answers nobody else.
import { connect } from "node:net";
import { join } from "node:path";
import { check, example, near, open, polhode, pullSecondRod, startLive, state, test, until, work } from "./harness.js";

async function withLive(page, args, run) {
    const server = await startLive(...args);
    try {
        await open(page, server.address);
        await run(server);
    } finally {
        await server.stop();
    }
}

const live = async (page) => (await state(page)).live;

// The time at which a paused simulation stands, when the frames that were on their way have come.
async function comesToRest(page) {
    for (let i = 0; i < 30; i++) {
        const t = (await state(page)).time;
        await page.waitForTimeout(1000);
        if ((await state(page)).time === t) return t;
    }
    throw new Error("paused, the time goes on");
}

test("live: it runs, pauses, steps and begins again", async (page) => {
    await withLive(page, [example("double_pendulum")], async () => {
        await until(page, () => window.polhode.state().time > 0.15);
        await page.click("#play");
        await until(page, () => window.polhode.state().live.paused);
        const t = await comesToRest(page);
        await page.click("#forward");
        await until(page, (from) => window.polhode.state().time > from, t);
        near((await state(page)).time, t + 1e-3, 1e-9, "one step");
        await page.keyboard.press("Shift+ArrowRight");
        await until(page, (from) => window.polhode.state().time > from + 5e-3, t);
        near((await state(page)).time, t + 11e-3, 1e-9, "ten steps more");
        await page.click("#reset");
        await until(page, () => window.polhode.state().time === 0);
        check((await live(page)).paused, "still paused");
        await page.keyboard.press("Space");
        await until(page, () => window.polhode.state().time > 0.1);
    });
});

test("live: the speed is chosen in the page", async (page) => {
    await withLive(page, [example("double_pendulum")], async () => {
        await page.selectOption("#speed", "0.1");
        await until(page, () => window.polhode.state().live.speed === 0.1);
        await page.keyboard.press("Tab"); // leave the list
        await page.locator("#canvas").focus();
        await page.keyboard.press("+");
        await until(page, () => window.polhode.state().live.speed === 0.2);
    });
});

test("live: pulling at a body moves it, and the energy books stay closed", async (page) => {
    await withLive(page, [example("double_pendulum"), "--set", "g=0"], async () => {
        await until(page, () => window.polhode.state().frames > 5);
        await pullSecondRod(page);
        const s = await state(page);
        check(s.selected?.index === 1, "it is selected");
        const error = await page.evaluate((f) => window.polhode.value("energy.error", f), s.frames - 1);
        const work = await page.evaluate((f) => window.polhode.value("energy.work", f), s.frames - 1);
        check(Math.abs(error) < 0.05 * Math.abs(work) + 1e-6, `energy error ${error} J for ${work} J of work`);
    });
});

// The same run, recorded and shown, has the same contacts at the same time.
test("live: contacts are those of the recorded run", async (page) => {
    const model = example("contact/stack");
    let t, live;
    await withLive(page, [model, "--step", "1e-3"], async () => {
        await until(page, () => window.polhode.state().time > 0.05 && window.polhode.contacts().points.length > 0);
        await page.keyboard.press("Space");
        await until(page, () => window.polhode.state().live.paused);
        t = await comesToRest(page);
        await page.click("#toggle-contacts");
        await page.evaluate(() => window.polhode.pixel(1, 1)); // draws
        live = await page.evaluate(() => window.polhode.contacts());
        check(live.arrows > 0 && live.arrows <= live.points.length, `${live.arrows} arrows for ${live.points.length} contacts`);
        await page.click("#toggle-contacts");
        await page.evaluate(() => window.polhode.pixel(1, 1));
        check((await page.evaluate(() => window.polhode.contacts())).arrows === 0, "they can be switched off");
    });
    const steps = Math.round(t / 1e-3);
    const file = join(work, "stack.h5"), recorded = join(work, "stack.html");
    polhode("run", model, "--quiet", "--step", "1e-3", "--until", String(steps * 1e-3), "--every", String(steps), "--out", file);
    polhode("view", file, "-o", recorded);
    await open(page, recorded);
    const again = await page.evaluate((time) => (window.polhode.seek(time), window.polhode.contacts()), 2 * t);
    near((await state(page)).time, t, 1e-9, "the last frame");
    check(again.points.length === live.points.length, `${live.points.length} contacts live, ${again.points.length} recorded`);
    const most = Math.max(...again.forces.map((f) => Math.hypot(...f)));
    live.points.forEach((p, i) => p.forEach((x, c) => {
        near(x, again.points[i][c], 2e-3, `point ${i}`); // a page keeps 14 bits of them
        near(live.forces[i][c], again.forces[i][c], 2e-3 * most, `force ${i}`);
    }));
});

test("live: history can be looked at, and a second page takes over", async (page) => {
    await withLive(page, [example("double_pendulum")], async (server) => {
        await until(page, () => window.polhode.state().time > 0.2);
        await page.keyboard.press("Home");
        await until(page, () => window.polhode.state().live.paused);
        near((await state(page)).time, 0, 0.05, "the first frame");
        const second = await page.context().newPage();
        await open(second, server.address);
        await until(page, () => !window.polhode.state().live.open);
        check(/ended/.test(await page.locator("#live-text").textContent()), "the first page says so");
        await second.close();
    });
});

// ---- Strangers --------------------------------------------------------------------------------------------------------------

// Sends bytes as they are; resolves to what came back until the server closed or went silent.
function raw(port, bytes, wait = 1500) {
    return new Promise((resolve) => {
        let text = "";
        const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
        const end = () => {
            socket.destroy();
            resolve(text);
        };
        socket.setTimeout(wait, end);
        socket.on("data", (d) => (text += d.toString("latin1")));
        socket.on("close", end);
        socket.on("error", end);
    });
}

const status = (answer) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

test("live: strangers are turned away", async (page) => {
    await withLive(page, [example("double_pendulum")], async (server) => {
        const { port, pathname } = new URL(server.address);
        const host = `Host: 127.0.0.1:${port}\r\n`;
        const get = (path, headers = host, method = "GET") => raw(port, `${method} ${path} HTTP/1.1\r\n${headers}\r\n`);
        const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
        const good = await get(pathname);
        check(status(good) === 200 && good.includes("polhode-meta"), "the page itself");
        check(/Referrer-Policy: no-referrer/.test(good) && /no-store/.test(good), "its headers");
        const expected = [
            [404, await get("/")], [404, await get("/index.html")], [404, await get(`${pathname}../../../../etc/passwd`)],
            [404, await get("/../../../../etc/passwd")], [404, await get(`${pathname}%2e%2e/etc/passwd`)],
            [404, await get(pathname.replace(/[0-9a-f]/, (c) => (c === "0" ? "1" : "0")))], [404, await get(pathname.slice(0, -3) + "/")],
            [403, await get(pathname, `Host: evil.example:${port}\r\n`)], [403, await get(pathname, "")], [400, await get(pathname, `${host}${host}`)],
            [403, await get(pathname, `${host}Origin: http://evil.example\r\n`)], [405, await get(pathname, host, "POST")], [405, await get(pathname, host, "DELETE")],
            [403, await get(`${pathname}socket`, `${host}${upgrade}`)], [403, await get(`${pathname}socket`, `${host}Origin: null\r\n${upgrade}`)],
            [403, await get(`${pathname}socket`, `${host}Origin: http://evil.example\r\n${upgrade}`)],
            [400, await get(`${pathname}socket`, `${host}Origin: http://127.0.0.1:${port}\r\n`)],
            [400, await raw(port, "GET / HTTP/1.0\r\n\r\n")], [400, await raw(port, "nonsense\r\n\r\n")], [400, await raw(port, `GET /${"a".repeat(20000)} HTTP/1.1\r\n\r\n`)],
            [400, await raw(port, `GET / HTTP/1.1\r\n${"X: y\r\n".repeat(3000)}\r\n`)], [400, await raw(port, "GET /\0 HTTP/1.1\r\n\r\n")],
            [400, await get(pathname, `${host}Content-Length: 1000000000\r\n`)],
        ];
        expected.forEach(([code, answer], i) => check(status(answer) === code, `request ${i}: ${answer.slice(0, 40)} where ${code} was expected`));
        const t = (await state(page)).time;
        await until(page, (from) => window.polhode.state().time > from, t, "the page that was there goes on");
    });
});

const hello = (port, pathname) => `GET ${pathname}socket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n` +
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

function frame(text, { masked = true, head = 0x81, length = null } = {}) {
    const body = Buffer.from(text);
    const mask = Buffer.from([1, 2, 3, 4]);
    const n = length ?? body.length;
    const size = n < 126 ? [n] : n < 65536 ? [126, n >> 8, n & 255] : [127, 0, 0, 0, 0, 0, n >> 16, (n >> 8) & 255, n & 255];
    size[0] |= masked ? 0x80 : 0;
    return Buffer.concat([Buffer.from([head, ...size]), masked ? mask : Buffer.alloc(0), body.map((b, i) => b ^ (masked ? mask[i % 4] : 0))]);
}

// Plays the viewer for a while: resolves to [wall, time] of the frames, in seconds. Two bodies make frames of 272 bytes.
function watch(address, speed, seconds) {
    const { port, pathname } = new URL(address);
    return new Promise((resolve) => {
        const frames = [];
        let bytes = Buffer.alloc(0);
        const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.concat([Buffer.from(hello(port, pathname)), frame(`speed ${speed}`)])));
        socket.on("data", (d) => {
            bytes = Buffer.concat([bytes, d]);
            for (let at; (at = bytes.indexOf(Buffer.from([0x82, 126, 1, 16]))) >= 0 && bytes.length >= at + 276; bytes = bytes.subarray(at + 276)) {
                frames.push([performance.now() / 1000, bytes.readDoubleLE(at + 4)]);
                socket.write(frame("seen"));
            }
        });
        setTimeout(() => (socket.destroy(), resolve(frames)), 1000 * seconds);
    });
}

test("live: the speed is that of the clock", async (page) => {
    await withLive(page, [example("double_pendulum")], async (server) => {
        for (const speed of [0.1, 1, 3]) {
            const frames = await watch(server.address, speed, 2.5);
            const some = frames.slice(Math.floor(frames.length / 4));
            const [from, to] = [some[0], some.at(-1)];
            const rate = (to[1] - from[1]) / (to[0] - from[0]);
            check(rate > 0.6 * speed && rate < 1.4 * speed, `at ${speed} it runs at ${rate}`);
        }
    });
});

test("live: bad messages end the connection, bad commands do nothing", async (page) => {
    await withLive(page, [example("double_pendulum")], async (server) => {
        const { port, pathname } = new URL(server.address);
        const talk = (...frames) => raw(port, Buffer.concat([Buffer.from(hello(port, pathname)), ...frames]), 700);
        const answer = await talk(frame("pause"));
        check(/s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/.test(answer), "the handshake of RFC 6455"); // its own example
        check(answer.includes('"paused":true'), "a good command works");
        for (const bad of [frame("x".repeat(600)), frame("pause", { masked: false }), frame("pause", { head: 0x01 }), frame("pause", { head: 0x82 }),
            frame("", { length: 100000 }), frame("", { head: 0xf1 })]) {
            const begin = Date.now();
            await talk(bad);
            check(Date.now() - begin < 650, "the connection is closed at once");
        }
        const nothing = await talk(frame("drag 99 0 0 0 0 0 0"), frame("drag 0 nan 0 0 0 0 0"), frame("drag 0 0 0 0 0 0"), frame("step -5"), frame("step 1e300"),
            frame("speed 0"), frame("speed -1"), frame("speed inf"), frame("fly"), frame(""), frame("drag"), frame("reset"));
        check(nothing.includes('"reset":true'), "and the last command is obeyed");
        await open(page, server.address);
        check((await state(page)).live.open, "the server is well");
    });
});

test("live: what is recorded is a result, and a parameter ends it", async (page) => {
    const file = join(work, "watched.h5");
    await withLive(page, [example("double_pendulum"), "--record", file], async () => {
        await page.click("#record");
        await until(page, () => window.polhode.state().live.recording?.running);
        const from = (await state(page)).time;
        await until(page, (t) => window.polhode.state().time > t + 0.1, from);
        await page.locator("#parameter-g").fill("3");
        await until(page, () => !window.polhode.state().live.recording.running, null, "the recording has ended");
        check((await page.textContent("#record-note")).includes("watched.h5"), "the page names it");
        await page.click("#record");
        await until(page, () => window.polhode.state().live.recording?.running);
        const again = (await state(page)).time;
        await until(page, (t) => window.polhode.state().time > t + 0.05, again);
    });
    for (const name of ["watched.h5", "watched-2.h5"]) {
        const rows = JSON.parse(polhode("convert", join(work, name), join(work, `${name}.csv`), "--json")).rows;
        check(rows > 20, `${name} has ${rows} rows`);
    }
});

test("live: sliders, scheme, step and keys as in the page", async (page) => {
    await withLive(page, [example("double_pendulum")], async () => {
        await page.locator("#parameter-g").fill("0");
        await until(page, () => window.polhode.state().live.parameters.find((p) => p.name === "g").value === 0);
        await page.selectOption("#scheme", "lgvi");
        await until(page, () => window.polhode.state().live.scheme === "lgvi");
        await page.selectOption("#length", "0.002");
        await until(page, () => window.polhode.state().live.step === 0.002);
        await page.locator("#canvas").focus();
        await page.keyboard.press("]");
        await until(page, () => window.polhode.state().live.inputs[0].value > 0);
        const n = (await state(page)).frames - 1;
        check(await page.evaluate((f) => Math.hypot(...[0, 1, 2].map((c) => window.polhode.value("joints.O.force", f, c))) > 0, n), "reactions come along");
    });
});
