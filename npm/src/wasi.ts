// The few calls of a system that the core makes: the clock, and reading files that lie in memory (shapes). Nothing is written
// but to the console, and nothing else is reached.

type Memory = () => DataView;

const OK = 0, BAD_DESCRIPTOR = 8, NOT_FOUND = 44, NOT_SUPPORTED = 58;
const FOLDER = 3; // descriptor of the one folder there is
const FIRST_FILE = 4;

interface Open {
    bytes: Uint8Array;
    at: number;
}

export type Files = Map<string, Uint8Array>;

const plain = (path: string) => path.split("/").filter((part) => part && part !== ".").join("/");

// The imports of the module. Files are named as in the model, relative to its folder.
export function wasi(view: Memory, files: Files): Record<string, (...a: never[]) => number> {
    const open = new Map<number, Open>();
    let next = FIRST_FILE;
    const text = (at: number, length: number) => new TextDecoder().decode(new Uint8Array(view().buffer, at, length));
    const find = (at: number, length: number) => files.get(plain(text(at, length)));

    function fdstat(fd: number, to: number): number {
        if (fd !== FOLDER && fd > 2 && !open.has(fd)) return BAD_DESCRIPTOR;
        const m = view();
        for (let i = 0; i < 24; i++) m.setUint8(to + i, 0);
        m.setUint8(to, fd === FOLDER ? 3 : fd < 3 ? 2 : 4); // folder, device, file
        m.setBigUint64(to + 8, ~0n, true); // may do everything
        m.setBigUint64(to + 16, ~0n, true);
        return OK;
    }

    function prestat(fd: number, to: number): number {
        if (fd !== FOLDER) return BAD_DESCRIPTOR;
        view().setUint32(to, 0, true);
        view().setUint32(to + 4, 1, true); // length of "/"
        return OK;
    }

    function prestatName(fd: number, to: number): number {
        if (fd !== FOLDER) return BAD_DESCRIPTOR;
        view().setUint8(to, 47);
        return OK;
    }

    function pathStat(_fd: number, _flags: number, at: number, length: number, to: number): number {
        const bytes = find(at, length);
        if (!bytes) return NOT_FOUND;
        const m = view();
        for (let i = 0; i < 64; i++) m.setUint8(to + i, 0);
        m.setUint8(to + 16, 4);
        m.setBigUint64(to + 32, BigInt(bytes.length), true);
        return OK;
    }

    function pathOpen(_fd: number, _dir: number, at: number, length: number, _o: number, _r: bigint, _i: bigint, _f: number, to: number): number {
        const bytes = find(at, length);
        if (!bytes) return NOT_FOUND;
        open.set(next, { bytes, at: 0 });
        view().setUint32(to, next++, true);
        return OK;
    }

    function read(fd: number, vectors: number, count: number, to: number): number {
        const file = open.get(fd);
        if (!file) return BAD_DESCRIPTOR;
        const m = view();
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const at = m.getUint32(vectors + 8 * i, true), room = m.getUint32(vectors + 8 * i + 4, true);
            const part = file.bytes.subarray(file.at, file.at + room);
            new Uint8Array(m.buffer, at, part.length).set(part);
            file.at += part.length;
            sum += part.length;
        }
        m.setUint32(to, sum, true);
        return OK;
    }

    function seek(fd: number, offset: bigint, whence: number, to: number): number {
        const file = open.get(fd);
        if (!file) return BAD_DESCRIPTOR;
        file.at = Number(offset) + (whence === 1 ? file.at : whence === 2 ? file.bytes.length : 0);
        view().setBigUint64(to, BigInt(file.at), true);
        return OK;
    }

    function write(fd: number, vectors: number, count: number, to: number): number {
        if (fd !== 1 && fd !== 2) return BAD_DESCRIPTOR;
        const m = view();
        let sum = 0;
        for (let i = 0; i < count; i++) {
            const length = m.getUint32(vectors + 8 * i + 4, true);
            if (length) console.warn(text(m.getUint32(vectors + 8 * i, true), length));
            sum += length;
        }
        m.setUint32(to, sum, true);
        return OK;
    }

    return {
        clock_time_get: (_id: number, _precision: bigint, to: number) => {
            view().setBigUint64(to, BigInt(Math.round(1e6 * performance.now())), true);
            return OK;
        },
        fd_close: (fd: number) => (open.delete(fd) ? OK : BAD_DESCRIPTOR),
        fd_fdstat_get: fdstat, fd_fdstat_set_flags: () => OK, fd_prestat_get: prestat, fd_prestat_dir_name: prestatName,
        fd_read: read, fd_seek: seek, fd_write: write, path_filestat_get: pathStat, path_open: pathOpen,
        fd_filestat_get: () => NOT_SUPPORTED,
        proc_exit: (status: number) => {
            throw new Error(`the core has ended with status ${status}`);
        },
    } as unknown as Record<string, (...a: never[]) => number>;
}
