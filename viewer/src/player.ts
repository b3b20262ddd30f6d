// The clock of the page.

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
    time: number;
    playing = false;
    loop = true;
    speed = 1;

    constructor(public start: number, public end: number, private readonly onChange: (t: number) => void) {
        this.time = start;
    }

    seek(t: number): void {
        this.time = Math.min(Math.max(Number.isFinite(t) ? t : this.start, this.start), this.end);
        this.onChange(this.time);
    }

    play(): void {
        if (this.time >= this.end) this.seek(this.start);
        this.playing = this.end > this.start;
    }

    pause(): void {
        this.playing = false;
    }

    faster(by: number): void {
        const at = SPEEDS.findIndex((s) => s >= this.speed * 0.999);
        this.speed = SPEEDS[Math.min(Math.max((at < 0 ? SPEEDS.length - 1 : at) + by, 0), SPEEDS.length - 1)];
    }

    // `seconds` have passed on the wall.
    tick(seconds: number): void {
        if (!this.playing) return;
        let t = this.time + this.speed * seconds;
        if (t >= this.end) {
            if (this.loop) t = this.start + ((t - this.start) % (this.end - this.start));
            else {
                t = this.end;
                this.playing = false;
            }
        }
        this.seek(t);
    }
}
