/** What a program asked of the system, as far as it changes files or sends. */
export type Call =
  | { readonly kind: 'make' | 'empty' | 'remove' | 'flush'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'resize'; readonly path: string; readonly size: number }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'send'; readonly socket: string; readonly bytes: Buffer };

// Those behind a question mark are not there on every processor.
const names = [
  ...['openat', 'write', 'writev', 'pwrite64', 'pwritev', 'sendto', 'sendmsg', 'fsync', 'fdatasync', 'ftruncate'],
  ...['fallocate', 'renameat', 'renameat2', 'unlinkat', 'linkat', 'copy_file_range', 'sync_file_range'],
  ...['?rename', '?unlink', '?link', '?open'],
];

/** The words before a program that make strace write down its calls, with all bytes. */
export const recording = (file: string): readonly string[] => [
  ...['strace', '-f', '-qq', '-yy', '-xx', '-s', '4000000', '-e', 'signal=none'],
  ...['-e', `trace=${names.join(',')}`, '-o', file],
];

/** Calls that succeeded, in order. */
export function callsIn(trace: string): Call[] {
  const positions = new Map<string, number>();
  return wholeLines(trace).flatMap((line) => {
    const [, name = '', words = '', result = '', made = ''] = /^(\w+)\((.*)\) += (\d+)(?:<([^>]*)>)?/.exec(line) ?? [];
    return name === '' ? [] : callsOf({ name, words, result: Number(result), made: textOf(made) }, positions);
  });
}

/** A call that others overlap stands where it began; an opening and a flush count from where they ended. */
function wholeLines(trace: string): string[] {
  const lines: string[] = [];
  const halves = new Map<string, number>();
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const half = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1];
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    if (half !== undefined) halves.set(thread, lines.length);
    if (rest === undefined) {
      lines.push(half ?? text);
      continue;
    }
    const at = halves.get(thread) ?? -1;
    const whole = `${lines[at]}${rest}`;
    const isLate = /^(?:open|fsync|fdatasync)/.test(whole);
    lines[at] = isLate ? '' : whole;
    if (isLate) lines.push(whole);
  }
  return lines;
}

interface Parsed {
  readonly name: string;
  readonly words: string;
  readonly result: number;
  /** The path of the descriptor that came of it. */
  readonly made: string;
}

function callsOf({ name, words, result, made }: Parsed, positions: Map<string, number>): Call[] {
  const [, descriptor = '', opened = ''] = /^(\d+)<(\w+:\[.*?\]|[^>]*)>/.exec(words) ?? [];
  const path = textOf(opened);
  const last = Number(/(\d+)$/.exec(words)?.[1]);
  const strings = [...words.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => bytesOf(hex));
  const bytes = () => Buffer.concat(strings).subarray(0, result);
  switch (name) {
    case 'open':
    case 'openat':
      positions.set(String(result), 0);
      if (!words.includes('O_CREAT')) return [];
      return [
        { kind: 'make', path: made },
        ...(words.includes('O_TRUNC') ? [{ kind: 'empty', path: made } as const] : []),
      ];
    case 'write':
    case 'writev': {
      if (path.startsWith('TCP')) return [{ kind: 'send', socket: path, bytes: bytes() }];
      const at = positions.get(descriptor) ?? 0;
      positions.set(descriptor, at + result);
      return [{ kind: 'write', path, at, bytes: bytes() }];
    }
    case 'sendto':
    case 'sendmsg':
      return [{ kind: 'send', socket: path, bytes: bytes() }];
    case 'pwrite64':
    case 'pwritev':
      return [{ kind: 'write', path, at: last, bytes: bytes() }];
    case 'ftruncate':
      return [{ kind: 'resize', path, size: last }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'flush', path }];
    case 'rename':
    case 'renameat':
    case 'renameat2':
      return [{ kind: 'rename', path: String(strings[0]), to: String(strings[1]) }];
    case 'unlink':
    case 'unlinkat':
      return [{ kind: 'remove', path: String(strings[0]) }];
    default:
      throw new Error(`no model of ${name}(${words})`);
  }
}

function textOf(hex: string): string {
  return hex.includes('\\x') ? String(bytesOf(hex)) : hex;
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
