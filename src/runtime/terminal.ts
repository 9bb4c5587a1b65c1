import { writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { Chalk } from 'chalk';
import { fail, printable } from '../errors/index.js';
import { type Env, hasCode, sleepSync } from './machine.js';

/** The device behind a terminal; tests bring their own. */
export interface Device {
  isTty(descriptor: 0 | 1 | 2): boolean;
  /** Writes some of the bytes and returns how many; throws system errors. */
  write(descriptor: 1 | 2, bytes: Uint8Array): number;
  columns(descriptor: 1 | 2): number | undefined;
  input(): AsyncIterable<Uint8Array>;
}

const processDevice: Device = {
  isTty: isatty,
  // The streams of the process would cost start-up time, and on a pipe their text may be lost at exit.
  write: writeSync,
  // 0 of a terminal that nobody gave a size, as in CI.
  columns: (descriptor) => (descriptor === 1 ? process.stdout : process.stderr).columns || 80,
  input: () => process.stdin,
};

/** Painters for one stream; each returns its text unchanged when the stream has no colour. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'good' | 'bad' | 'warn' | 'name', (text: string) => string>>;

/** The text of a progress line; a function is called each time the line is drawn. */
export type Progress = string | (() => string);

export function openTerminal(env: Env, device: Device = processDevice) {
  const isOutTty = device.isTty(1);
  const isErrTty = device.isTty(2);
  const line = progressLine(device);
  return {
    isOutTty,
    isErrTty,
    /** Standard input and standard error are both terminals. */
    canPrompt: isErrTty && device.isTty(0),
    get width(): number {
      return (isOutTty ? device.columns(1) : undefined) ?? 80;
    },
    get errWidth(): number | undefined {
      return isErrTty ? device.columns(2) : undefined;
    },
    out: writer(device, 1, isOutTty, line.clear),
    err: writer(device, 2, isErrTty, line.clear),
    /** Undefined removes it. */
    progress: (text: Progress | undefined) => line.show(isErrTty && env['TERM'] !== 'dumb' ? text : undefined),
    /** `colour` is the user's --color / --no-color, if any. */
    paint(stream: 'out' | 'err', colour?: boolean): Paint {
      // Own instances: the level of chalk's shared one is global.
      const chalk = new Chalk({ level: wantsColour(env, stream === 'out' ? isOutTty : isErrTty, colour) ? 1 : 0 });
      const { bold, dim, green, red, yellow, cyan } = chalk;
      return { bold, dim, good: green, bad: red, warn: yellow, name: cyan };
    },
    async readStdin(): Promise<string> {
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(await this.readStdinBytes());
      } catch (cause) {
        throw fail('TEXT_INVALID', { field: 'standard input', why: 'not UTF-8 text' }, { cause });
      }
    },
    readStdinBytes: async (): Promise<Uint8Array> => (await import('node:stream/consumers')).buffer(device.input()),
  };
}

/** The user's flag first, then NO_COLOR, FORCE_COLOR and TERM=dumb, then the stream. */
export function wantsColour(env: Env, isTty: boolean, flag?: boolean): boolean {
  if (flag !== undefined) return flag;
  if (env['NO_COLOR']) return false;
  return env['FORCE_COLOR'] ? env['FORCE_COLOR'] !== '0' : isTty && env['TERM'] !== 'dumb';
}

// What painters write: bold, dim, three colours and their ends.
const painted = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|2|22|31|32|33|36|39)m)`);

/** The last guard of a terminal against control characters in untrusted text; other output stays as it is. */
function escapeControls(text: string): string {
  const pieces = text.split(painted);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : printable(piece))).join('');
}

function writer(device: Device, descriptor: 1 | 2, isTty: boolean, first = () => {}): (text: string) => void {
  let isOpen = true;
  return (text) => {
    first();
    let rest: Uint8Array = Buffer.from(isTty ? escapeControls(text) : text);
    while (isOpen && rest.length > 0) {
      try {
        rest = rest.subarray(device.write(descriptor, rest));
      } catch (cause) {
        // A slow reader of a non-blocking pipe.
        if (hasCode(cause, 'EAGAIN')) sleepSync();
        // A closed pipe or terminal, a descriptor that was never open: nobody reads, and the work must go on.
        else if (descriptor === 2 || hasCode(cause, 'EPIPE', 'EIO', 'EBADF', 'ECONNRESET')) isOpen = false;
        else {
          const why = 'it could not be written';
          const how = 'check the disk and where the output goes, then run `paycli {command}` again';
          throw fail('STORAGE', { what: 'standard output', why, how }, { cause });
        }
      }
    }
  };
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

/** A line that is redrawn repeatedly; other output removes it until it is drawn again. */
function progressLine(device: Device) {
  const write = writer(device, 2, false);
  let timer: NodeJS.Timeout | undefined;
  let [text, ticks]: [Progress, number] = ['', 0];
  // What is over within a second needs no line.
  const clear = () => {
    if (ticks >= 10) write('\r\u001b[2K');
  };
  const draw = () => {
    ticks += 1;
    if (ticks < 10) return;
    const content = printable(typeof text === 'string' ? text : text()).replaceAll(/[\n\t]/g, ' ');
    const room = (device.columns(2) ?? 80) - 3;
    write(`\r\u001b[2K${frames[ticks % frames.length]} ${[...content].slice(0, room).join('')}`);
  };
  const show = (given: Progress | undefined) => {
    text = given ?? '';
    // The work keeps the process alive, not this timer.
    if (given !== undefined) timer ??= setInterval(draw, 100).unref();
    else {
      clear();
      clearInterval(timer);
      [timer, ticks] = [undefined, 0];
    }
  };
  return { clear, show };
}
