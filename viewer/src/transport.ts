// The two ways to a simulation: a program behind a WebSocket, or the core in this page.

import { BadData, fromBase64, inflate } from "./codec";
import type { Transport } from "./live";
import { PageMeta, takeText } from "./result";
import { Runner, Start } from "./runner";
import SimulationWorker from "./worker?worker&inline";

const nothing = () => undefined;

export function toServer(token: string): Transport {
    const socket = new WebSocket(`ws://${location.host}/${token}/socket`);
    socket.binaryType = "arraybuffer";
    const transport: Transport = { kind: "server", send: (text) => socket.send(text), onMessage: nothing, onEnd: nothing };
    let was = false;
    socket.onopen = () => (was = true);
    socket.onmessage = (e) => transport.onMessage(e.data);
    socket.onclose = () => transport.onEnd(was ? "the simulation has ended" : "the program does not answer: it has ended, or another page is connected to it");
    return transport;
}

async function unpack(id: string, what: string): Promise<Uint8Array> {
    return inflate(fromBase64(takeText(`polhode-${id}`, what)));
}

async function readStart(meta: PageMeta): Promise<Start> {
    const { name, scheme, step } = meta.results[0];
    const files: [string, Uint8Array][] = [];
    for (const [i, file] of (meta.files ?? []).entries()) files.push([file, await unpack(`file-${i}`, `the file '${file}'`)]);
    const model = new TextDecoder().decode(await unpack("model", "the model"));
    return { core: await unpack("core", "the core"), model, name: name || "model", settings: meta.settings ?? "", files, scheme, step };
}

// In a thread of its own; in this one where the browser allows no other.
export async function toPage(meta: PageMeta): Promise<Transport> {
    if (typeof WebAssembly === "undefined") throw new BadData("this browser has no WebAssembly, in which the model would run");
    const start = await readStart(meta);
    const transport: Transport = { kind: "page", send: nothing, onMessage: nothing, onEnd: nothing };
    try {
        const worker = new SimulationWorker();
        worker.onmessage = (e) => transport.onMessage(e.data);
        worker.onerror = (e) => transport.onEnd(e.message || "the simulation's thread has ended");
        transport.send = (text) => worker.postMessage(text);
        worker.postMessage(start);
    } catch {
        const runner = new Runner((data) => transport.onMessage(data));
        transport.send = (text) => runner.command(text);
        void runner.start(start);
    }
    return transport;
}
