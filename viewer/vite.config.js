// Builds the page: one HTML file with all scripts and styles inside and the fingerprint of its sources.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

// Moves every script and style sheet of the bundle into the page.
function onePage() {
    return {
        name: "one-page",
        enforce: "post",
        generateBundle(_options, bundle) {
            const page = Object.values(bundle).find((f) => f.fileName.endsWith(".html"));
            const hash = execFileSync("./sources_hash", { cwd: here }).toString().trim();
            let html = String(page.source).replace("SOURCES_HASH", hash);
            for (const file of Object.values(bundle)) {
                if (file === page) continue;
                const name = file.fileName.replace(/[.\\+*?[^\]$(){}=!<>|:]/g, "\\$&");
                if (file.type === "chunk") {
                    const code = file.code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
                    html = html.replace(new RegExp(`<script[^>]*src="[./]*${name}"[^>]*></script>`), () => "");
                    html = html.replace("<!--polhode:script-->", () => `<script type="module">${code}</script>`);
                } else {
                    html = html.replace(new RegExp(`<link[^>]*href="[./]*${name}"[^>]*>`), () => `<style>${file.source}</style>`);
                }
                delete bundle[file.fileName];
            }
            page.source = html;
            page.fileName = "page.html";
        },
    };
}

export default {
    base: "./",
    logLevel: "warn",
    build: {
        target: "es2022",
        modulePreload: false,
        cssCodeSplit: false,
        assetsInlineLimit: 100000000,
        chunkSizeWarningLimit: 2000,
        rollupOptions: { output: { inlineDynamicImports: true } },
    },
    plugins: [onePage()],
};
