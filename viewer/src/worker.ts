// The thread in which the page simulates. The first message is what it starts with, the others are commands.

import { Runner, Start } from "./runner";

const scope = self as unknown as { postMessage(data: unknown, moved?: Transferable[]): void; onmessage: (e: MessageEvent) => void };
const runner = new Runner((data) => (typeof data === "string" ? scope.postMessage(data) : scope.postMessage(data, [data])));

scope.onmessage = (e: MessageEvent<Start | string>) => {
    if (typeof e.data === "string") runner.command(e.data);
    else void runner.start(e.data);
};
