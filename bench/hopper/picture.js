// A picture of the hopper: node bench/hopper/picture.js PAGE TIME PICTURE.png [ZOOM], where `polhode view motion.h5 -o PAGE` made the page.
import { resolve } from "node:path";
import { launch } from "../../tests/browser/browser.js";

const [page, time, picture, zoom = 0.3] = process.argv.slice(2);
const browser = await launch();
const tab = await browser.newPage({ viewport: { width: 1000, height: 1000 }, colorScheme: "light" });
tab.setDefaultTimeout(600000);
await tab.goto(`file://${resolve(page)}`);
await tab.waitForFunction(() => window.polhode?.ready);
await tab.keyboard.press("m"); // without the lists and plots beside it
await tab.keyboard.press("p");
await tab.evaluate(([t, z]) => { window.polhode.look(3.4, 0.1, z); window.polhode.seek(t); }, [Number(time), Number(zoom)]);
await tab.waitForTimeout(8000);
await tab.screenshot({ path: picture, timeout: 600000 });
await browser.close();
