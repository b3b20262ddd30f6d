// Runs the Khronos validator on GLB files: node validate.mjs FOLDER_OF_NODE_MODULES FILE...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [folder, ...files] = process.argv.slice(2);
const validator = createRequire(folder + "/x.js")("gltf-validator");
let bad = 0;
for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    const { numErrors, numWarnings, messages } = report.issues;
    console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${report.info.animationCount} animations, ` +
        `${report.info.totalTriangleCount} triangles`);
    for (const m of messages.slice(0, 10)) console.log(`  ${m.code} ${m.message} ${m.pointer}`);
    bad += numErrors + numWarnings;
}
process.exit(bad ? 1 : 0);
