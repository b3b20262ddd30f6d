// Runs a WebAssembly program of WASI: node run_wasi.mjs PROGRAM ARGUMENT... It sees the files below /.
import {readFile} from 'node:fs/promises';
import {WASI} from 'node:wasi';

const wasi = new WASI({version: 'preview1', args: process.argv.slice(2), preopens: {'/': '/'}, returnOnExit: true});
const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: wasi.wasiImport});
process.exitCode = wasi.start(instance);
