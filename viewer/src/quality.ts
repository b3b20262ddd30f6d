// How finely the view is drawn while it moves: as finely as the renderer can at a rate that looks smooth. What stands
// still is drawn in full.

export interface Level {
    pixels: number; // of the canvas for one of the page, at the most
    shadows: boolean;
}

const LEVELS: Level[] = [
    { pixels: 2, shadows: true }, { pixels: 1, shadows: true }, { pixels: 1, shadows: false },
    { pixels: 0.75, shadows: false }, { pixels: 0.55, shadows: false }, { pixels: 0.4, shadows: false },
];
const SLOW = 1 / 27; // s for a frame: coarser beyond
const QUICK = 1 / 45; // finer below
const SOME = 5; // frames that decide for coarser; two when they are much too slow
const PATIENCE = 2; // s of quick frames before the next finer level is tried; doubled each time it was too much

export class Quality {
    frameSeconds = 0; // smoothed
    private at = 0;
    private measured = 0; // frames at this level
    private quick = 0; // s of quick frames without a break
    private patience = PATIENCE;
    private rising = false; // this level is a trial
    private readonly finest: number;

    constructor(devicePixels: number, software: boolean, many: boolean) {
        this.finest = devicePixels > 1 ? 0 : 1;
        this.at = software ? (many ? 3 : 2) : this.finest;
    }

    get level(): Level {
        return LEVELS[this.at];
    }

    get number(): number {
        return this.at - this.finest;
    }

    // A frame of a motion took so long; true when the level has changed.
    note(seconds: number): boolean {
        if (!(seconds > 0) || seconds > 2) return false; // the page was hidden
        this.measured++;
        if (this.measured <= 2) return false; // a new level compiles shaders
        this.frameSeconds = this.measured === 3 ? seconds : 0.75 * this.frameSeconds + 0.25 * seconds;
        this.quick = seconds < QUICK ? this.quick + seconds : this.frameSeconds < QUICK ? this.quick : 0;
        const decided = this.measured > (this.frameSeconds > 3 * SLOW ? 3 : 2 + SOME);
        if (decided && this.frameSeconds > SLOW && this.at < LEVELS.length - 1) return this.coarser();
        if (this.quick > this.patience && this.at > this.finest) return this.move(-1, true);
        return false;
    }

    // A trial that failed is not repeated soon, so that the picture does not flicker between two levels.
    private coarser(): boolean {
        this.patience = this.rising ? Math.min(2 * this.patience, 60) : this.patience;
        return this.move(this.frameSeconds > 3 * SLOW && this.at < LEVELS.length - 2 ? 2 : 1, false);
    }

    private move(by: number, rising: boolean): boolean {
        this.at += by;
        this.rising = rising;
        this.pause();
        return true;
    }

    // What was measured is forgotten, the level stays.
    pause(): void {
        this.measured = 0;
        this.quick = 0;
        this.frameSeconds = 0;
    }
}

// Whether pictures are made by the processor. Asked before the view is made: smooth edges are chosen with the context.
export function isSoftware(): boolean {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) return false;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
