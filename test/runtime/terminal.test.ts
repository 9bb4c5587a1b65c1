import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Device, openTerminal, wantsColour } from '../../src/runtime/terminal.js';

interface Parts {
  readonly ttys?: readonly (0 | 1 | 2)[];
  readonly columns?: number;
  readonly input?: readonly Uint8Array[];
  readonly write?: Device['write'];
}

function device({ ttys = [], columns, input = [], write }: Parts = {}) {
  const written = { 1: '', 2: '' };
  const real: Device = {
    isTty: (descriptor) => ttys.includes(descriptor),
    write:
      write ??
      ((descriptor, bytes) => {
        written[descriptor] += Buffer.from(bytes).toString();
        return bytes.length;
      }),
    columns: () => columns,
    input: async function* () {
      yield* input;
    },
  };
  return { real, written };
}

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test.each([
  [{}, true, undefined, true],
  [{}, false, undefined, false],
  [{ NO_COLOR: '1' }, true, undefined, false],
  [{ NO_COLOR: '1' }, true, true, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
  [{ FORCE_COLOR: '1' }, false, undefined, true],
  [{ FORCE_COLOR: '1' }, false, false, false],
  [{ FORCE_COLOR: '0' }, true, undefined, false],
  [{ TERM: 'dumb' }, true, undefined, false],
])('colour with %j on a terminal: %s, asked: %s is %s', (env, isTty, asked, expected) => {
  expect(wantsColour(env, isTty, asked)).toBe(expected);
});

test.each([
  [[], false, false, false],
  [[0, 1, 2], true, true, true],
  [[0, 2], false, true, true],
  [[1, 2], true, true, false],
] as const)('terminals %j', (ttys, isOutTty, isErrTty, canPrompt) => {
  const terminal = openTerminal({}, device({ ttys, columns: 120 }).real);
  expect(terminal).toMatchObject({ isOutTty, isErrTty, canPrompt, width: isOutTty ? 120 : 80 });
});

describe('writing', () => {
  test('goes on after a part and after a full pipe', () => {
    let calls = 0;
    let text = '';
    const { real } = device({
      write: (_, bytes) => {
        calls += 1;
        if (calls % 2 === 1) return failing('EAGAIN')();
        text += Buffer.from(bytes.subarray(0, 3)).toString('latin1');
        return Math.min(3, bytes.length);
      },
    });
    openTerminal({}, real).out('0123456789');
    expect(text).toBe('0123456789');
  });

  test.each(['EPIPE', 'EIO', 'EBADF'])('%s ends it in silence, for that stream only', (code) => {
    const calls: number[] = [];
    const { real } = device({
      write: (descriptor, bytes) => {
        calls.push(descriptor);
        return descriptor === 1 ? failing(code)() : bytes.length;
      },
    });
    const terminal = openTerminal({}, real);
    terminal.out('a');
    terminal.out('b');
    terminal.err('c');
    expect(calls).toEqual([1, 2]);
  });

  test('a full disk behind standard output is told, behind standard error it is not', () => {
    const terminal = openTerminal({}, device({ write: failing('ENOSPC') }).real);
    expect(() => terminal.out('a')).toThrow(expect.objectContaining({ code: 'STORAGE' }));
    expect(() => terminal.err('a')).not.toThrow();
  });
});

test('standard input is read to its end, as UTF-8', async () => {
  const read = (...input: Uint8Array[]) => openTerminal({}, device({ input }).real).readStdin();
  expect(await read(Buffer.from([0x61, 0xc3]), Buffer.from([0xa9]))).toBe('aé');
  await expect(read(Buffer.from([0xff]))).rejects.toMatchObject({ code: 'TEXT_INVALID' });
});

describe('a line of progress', () => {
  const clear = '\r\u001b[2K';

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is drawn on standard error after a second, goes away before anything else is written, and comes back', () => {
    const { real, written } = device({ ttys: [2], columns: 40 });
    const terminal = openTerminal({}, real);
    let left = 3;
    terminal.progress(() => `${left} s`);
    vi.advanceTimersByTime(900);
    expect(written[2]).toBe('');
    vi.advanceTimersByTime(100);
    terminal.err('note\n');
    terminal.out('result\n');
    expect(written).toEqual({ 1: 'result\n', 2: `${clear}⠋ 3 s${clear}note\n${clear}` });
    left = 2;
    vi.advanceTimersByTime(100);
    terminal.progress(undefined);
    vi.advanceTimersByTime(2000);
    expect(written[2]).toBe(`${clear}⠋ 3 s${clear}note\n${clear}${clear}⠙ 2 s${clear}`);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('stays on one line, and steers nothing', () => {
    const { real, written } = device({ ttys: [2], columns: 12 });
    const terminal = openTerminal({}, real);
    terminal.progress('other');
    vi.advanceTimersByTime(950);
    terminal.progress('a\nb\u001b[2Jcdefghijkl');
    vi.advanceTimersByTime(50);
    terminal.progress(undefined);
    expect(written[2]).toBe(`${clear}⠋ a b\\u{1b}${clear}`);
  });

  test.each([
    [{}, [1]],
    [{ TERM: 'dumb' }, [1, 2]],
  ] as const)('is not there with %j on terminals %j', (env, ttys) => {
    const { real, written } = device({ ttys: [...ttys] });
    const terminal = openTerminal(env, real);
    terminal.progress('asking');
    vi.advanceTimersByTime(2000);
    expect(written).toEqual({ 1: '', 2: '' });
  });
});
