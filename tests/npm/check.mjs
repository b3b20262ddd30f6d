// The installed package: node check.mjs PROGRAM SOURCE FOLDER
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PolhodeError, load } from "polhode";

const [program, source, folder] = process.argv.slice(2);
const core = readFileSync(createRequire(import.meta.url).resolve("polhode/polhode.wasm"));
let passed = 0, failed = 0;

async function test(name, run) {
    try {
        const said = await run();
        passed++;
        console.log(`ok ${name}${said ? `: ${said}` : ""}`);
    } catch (e) {
        failed++;
        console.log(`FAIL ${name}: ${e.message} ${e.stdout ?? ""}`);
    }
}

function check(good, what) {
    if (!good) throw new Error(what);
}

// Every scene of tests/golden under every scheme that takes it, against a run of the program.
function native(model, scheme) {
    const file = join(folder, "native.csv");
    try {
        execFileSync(program, ["run", model, "--scheme", scheme, "--until", String(60 * stepOf(model)), "--step", String(stepOf(model)), "--out", file, "--quiet", "--missed", "1000000"], { stdio: "ignore" });
    } catch {
        return null;
    }
    return readFileSync(file, "utf8").trim().split("\n").pop().split(",").map(Number);
}

const steps = new Map();

function stepOf(model) {
    if (!steps.has(model)) steps.set(model, JSON.parse(readFileSync(model, "utf8")).run.step);
    return steps.get(model);
}

await test("the package says what is wrong", async () => {
    const polhode = await load(core);
    for (const [bad, word] of [["{", /./], [{ polhode: 1, bodies: [{ name: "a", mass: -1 }] }, /mass/], [{ polhode: 1, bodys: [] }, /bodys/]]) {
        try {
            polhode.model(bad);
            check(false, `${JSON.stringify(bad)} was taken`);
        } catch (e) {
            check(e instanceof PolhodeError && word.test(e.message), `it says: ${e.message}`);
        }
    }
});

await test("the golden scenes have the bits of the program", async () => {
    const scenes = readdirSync(join(source, "tests/golden/scenes")).filter((f) => f.endsWith(".yaml"));
    const schemes = ["rattlie", "lgvi", "lie-alpha", "rkmk4", "rattlie4", "moreau", "rattlie-ns", "dop853"];
    let same = 0;
    for (const scene of scenes) {
        const model = join(folder, scene.replace(".yaml", ".json"));
        execFileSync(program, ["convert", join(source, "tests/golden/scenes", scene), model, "--quiet"]);
        const polhode = await load(core);
        const compiled = polhode.model(readFileSync(model, "utf8"));
        for (const scheme of schemes) {
            const want = native(model, scheme);
            if (!want) continue; // it does not take the scene, or not as far
            const s = compiled.simulation({ scheme, step: stepOf(model) });
            s.step(60);
            const have = [s.time, ...s.positions, ...s.orientations, ...s.velocities, ...s.angularVelocities];
            const wrong = have.findIndex((x, i) => x !== want[i]);
            check(wrong < 0, `${scene}, ${scheme}: number ${wrong} is ${have[wrong]}, the program has ${want[wrong]}`);
            same++;
            s.free();
        }
    }
    check(same >= 40, `only ${same} runs could be compared`);
    return `${same} runs`;
});

await test("its types fit", () => {
    execFileSync(join(source, "viewer/node_modules/.bin/tsc"), ["--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler", "--lib", "es2022,dom", join(folder, "types.ts")], { stdio: "pipe" });
});

await test("parameters, keyframes, memory", async () => {
    const polhode = await load(core);
    const model = polhode.model(readFileSync(join(folder, "model.json"), "utf8").toString());
    for (let i = 0; i < 200; i++) {
        const s = model.simulation();
        s.step(10);
        s.set("g", 1 + i / 100);
        s.step(10);
        s.free();
    }
    const bytes = polhode.core.memory.buffer.byteLength;
    check(bytes < 64e6, `${bytes} bytes are taken`);
    return `core ${Math.round(statSync(createRequire(import.meta.url).resolve("polhode/polhode.wasm")).size / 1000)} kB`;
});

console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exit(failed ? 1 : 0);
