// Debian's Chromium, without a window and, where there is no graphics card, with WebGL in software: SwiftShader for the
// canvas, the browser's own painter for the page around it, as on the machine of somebody without a card.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export function launch() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
        args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"],
        env: { ...process.env, HOME: mkdtempSync(join(tmpdir(), "chromium-")) },
    });
}
