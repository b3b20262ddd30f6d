// What tests and scripts may ask of the page: window.polhode.

import type { Page } from "./main";
import { rollingJoints, touchPoint } from "./tracks";

export function api(page: Page) {
    return {
        state: () => ({
            time: page.player.time, start: page.player.start, end: page.player.end, playing: page.player.playing, speed: page.player.speed,
            loop: page.player.loop, frame: page.results[0].frameAt(page.player.time), frames: page.results[0].frames,
            bodies: page.results[0].scene.bodies.map((b) => b.name), results: page.results.length, layout: page.stage.options.layout,
            live: page.live(), selected: page.panel.selection, colour: page.stage.options.colour, traces: page.traces.specs.length, plots: page.plots.panels.map((p) => p.ids),
            frameSeconds: page.stage.quality.frameSeconds, quality: page.stage.quality.number,
        }),
        position: (body: number, result = 0) => {
            const p = page.stage.views[result].bodies.pose.position;
            return [p[3 * body], p[3 * body + 1], p[3 * body + 2]];
        },
        value: (field: string, frame: number, channel = 0, result = 0) => {
            const f = page.results[result].field(field);
            return f ? f.data[frame * f.channels + channel] : null;
        },
        seek: (t: number) => page.player.seek(t),
        exact: () => page.exact(),
        command: (text: string) => page.command(text),
        play: () => page.player.playing || page.togglePlay(),
        pause: () => page.player.playing && page.togglePlay(),
        trace: (body: number, point: [number, number, number] | null, axis: number | null) => page.traces.set(body, point, axis),
        tracks: () => (page.stage.options.tracks ? rollingJoints(page.results[0]) : []),
        touch: (joint: number, frame: number, result = 0) => touchPoint(page.results[result], page.results[result].scene.joints[joint], frame),
        look: (azimuth: number, height: number, zoom: number) => {
            page.stage.eye.orbit(azimuth, height);
            page.stage.eye.zoom(zoom);
        },
        select: (body: number) => page.panel.select(body < 0 ? null : { kind: "body", index: body }),
        screen: (body: number, result = 0) => page.stage.screenPoint(body, result),
        pixel: (x: number, y: number) => page.stage.pixel(x, y),
        drawn: (body: number, result = 0) => page.stage.views[result].bodies.drawn(body),
        contacts: (result = 0) => page.stage.views[result].contactsAt(page.stage.time),
        plotCursor: (panel: number) => ({ x: page.plots.panels[panel].cursorX, over: page.plots.panels[panel].over }),
        addPlot: (ids: string[]) => page.plots.add(ids),
    };
}
