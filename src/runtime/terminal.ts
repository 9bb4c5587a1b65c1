import { fstatSync, writeSync } from 'node:fs';
import { Chalk } from 'chalk';
import { fail, printable } from '../errors/index.js';
import { hasCode, sleepSync } from './machine.js';
import type { Env, Paint, Progress, Terminal } from './ports.js';

/** The device behind a terminal; tests bring their own. */
export interface Device {
  isTty(descriptor: 0 | 1 | 2): boolean;
  /** Writes some of the bytes and returns how many; throws system errors. */
  write(descriptor: 1 | 2, bytes: Uint8Array): number;
  columns(descriptor: 1 | 2): number | undefined;
  input(): AsyncIterable<unknown>;
}

const processDevice: Device = {
  // A file or pipe is certainly no terminal, which saves loading the module that checks.
  isTty: (descriptor) => isDevice(descriptor) && process.getBuiltinModule('node:tty').isatty(descriptor),
  // The streams of the process would cost start-up time, and on a pipe their text may be lost at exit.
  write: writeSync,
  columns(descriptor) {
    const [own, other] = descriptor === 1 ? [process.stdout, process.stderr] : [process.stderr, process.stdout];
    // 0 of a terminal that nobody gave a size, as in CI.
    return (own.columns ?? other.columns) || 80;
  },
  input: () => process.stdin,
};

function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

export function openTerminal(env: Env, device: Device = processDevice): Terminal {
  const isOutTty = device.isTty(1);
  const isErrTty = device.isTty(2);
  const line = isErrTty && env['TERM'] !== 'dumb' ? progressLine(device) : undefined;
  const above = (write: (text: string) => void) => (text: string) => {
    line?.clear();
    write(text);
  };
  return {
    isOutTty,
    isErrTty,
    canPrompt: isErrTty && device.isTty(0),
    get width() {
      return (isOutTty ? device.columns(1) : undefined) ?? 80;
    },
    get errWidth() {
      return isErrTty ? device.columns(2) : undefined;
    },
    out: above(writer(device, 1, isOutTty)),
    err: above(writer(device, 2, isErrTty)),
    progress: (text) => line?.show(text),
    paint: (stream, colour) => painter(wantsColour(env, stream === 'out' ? isOutTty : isErrTty, colour)),
    async readStdin() {
      const bytes = await readInput(device);
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch (cause) {
        throw fail('TEXT_INVALID', { field: 'standard input', why: 'not UTF-8 text' }, { cause });
      }
    },
    readStdinBytes: () => readInput(device),
  };
}

// What painters write: bold, dim, three colours and their ends.
const esc = '\u001b';
const painted = new RegExp(`(${esc}\\[(?:1|2|22|31|32|33|36|39)m)`);

/** The last guard of a terminal against control characters in untrusted text; other output stays as it is. */
function escapeControls(text: string): string {
  return text
    .split(painted)
    .map((piece, at) => (at % 2 === 1 ? piece : printable(piece)))
    .join('');
}

function writer(device: Device, descriptor: 1 | 2, isTty: boolean): (text: string) => void {
  let isOpen = true;
  return (text) => {
    let rest: Uint8Array = Buffer.from(isTty ? escapeControls(text) : text);
    while (isOpen && rest.length > 0) {
      try {
        rest = rest.subarray(device.write(descriptor, rest));
      } catch (error) {
        // A slow reader of a non-blocking pipe.
        if (hasCode(error, 'EAGAIN')) sleepSync();
        // A closed pipe or terminal, a descriptor that was never open: nobody reads, and the work must go on.
        else if (descriptor === 2 || hasCode(error, 'EPIPE', 'EIO', 'EBADF', 'ECONNRESET')) isOpen = false;
        else throw unwritable(error);
      }
    }
  };
}

function unwritable(cause: unknown): Error {
  const why = hasCode(cause, 'ENOSPC', 'EDQUOT', 'EFBIG') ? 'the disk is full' : 'it could not be written';
  const how = 'check where the output goes, then run `paycli {command}` again';
  return fail('STORAGE', { what: 'standard output', why, how }, { cause });
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];
const frameMs = 100;

/** A line that is redrawn repeatedly; other output removes it until it is drawn again. */
function progressLine(device: Device) {
  const write = writer(device, 2, false);
  let shown: Progress = '';
  let isDrawn = false;
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  const clear = () => {
    if (isDrawn) write('\r\u001b[2K');
    isDrawn = false;
  };
  const draw = () => {
    const room = (device.columns(2) ?? 80) - 3;
    const content = typeof shown === 'string' ? shown : shown();
    const text = [...printable(content).replaceAll(/[\n\t]/g, ' ')].slice(0, room).join('');
    write(`\r\u001b[2K${frames[frame % frames.length] ?? ''} ${text}`);
    isDrawn = true;
    frame += 1;
  };
  return {
    clear,
    show(text: Progress | undefined) {
      clearInterval(timer);
      if (text === undefined) return clear();
      shown = text;
      draw();
      // The work keeps the process alive, not this timer.
      timer = setInterval(draw, frameMs).unref();
    },
  };
}

/** The user's flag first, then NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR=0 and TERM=dumb, then the stream. */
export function wantsColour(env: Env, isTty: boolean, flag?: boolean): boolean {
  if (flag !== undefined) return flag;
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  if (env['CLICOLOR_FORCE'] && env['CLICOLOR_FORCE'] !== '0') return true;
  return env['CLICOLOR'] !== '0' && env['TERM'] !== 'dumb' && isTty;
}

function painter(on: boolean): Paint {
  // Own instances: the level of chalk's shared one is global.
  const chalk = new Chalk({ level: on ? 1 : 0 });
  return { bold: chalk.bold, dim: chalk.dim, good: chalk.green, bad: chalk.red, warn: chalk.yellow, name: chalk.cyan };
}

const maxInputBytes = 1_048_576;

async function readInput(device: Device): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of device.input()) {
    const bytes = piece instanceof Uint8Array ? piece : Buffer.from(String(piece));
    total += bytes.length;
    if (total > maxInputBytes) throw fail('TEXT_INVALID', { field: 'standard input', why: 'larger than 1 MiB' });
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
