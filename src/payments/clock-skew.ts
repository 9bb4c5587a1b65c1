import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { Clock, Files, HttpReply } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';

/** Milliseconds the clock of this machine may be off before a warning, and before nothing more is sent. */
export const warnSkewMs = 60_000;
export const maxSkewMs = 300_000;
// An older observation says nothing about a clock that was set since.
const keptMs = 86_400_000;

/** Where the clock is read, and where a clock that is off is recorded. */
interface SkewPorts {
  readonly files: Files;
  readonly clock: Clock;
}

interface Note {
  /** Milliseconds this machine was ahead of the gateway. */
  readonly aheadMs: number;
  readonly seenAt: number;
}

const notePath = ({ files }: Pick<SkewPorts, 'files'>): string => join(files.folders.state, 'clock.json');

/** Milliseconds that `now` is ahead of the reply's Date header, which has whole seconds; undefined without one. */
export function aheadOf({ headers }: HttpReply, now: number): number | undefined {
  const text = headers['date'];
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  const off = now - time;
  return Math.sign(off) * Math.max(0, Math.abs(off) - 1000);
}

/**
 * Called with each reply, records a clock that is off, and removes the record once it is right. Never throws: the reply
 * matters more. Once the clock was found right, the file is not read again before it is off, so that a batch does not
 * read it at every reply.
 */
export function clockNoter(address: string, ports: SkewPorts): (reply: HttpReply) => void {
  const place = gatewayName(address);
  let isKnownRight = false;
  return (reply) => {
    const aheadMs = aheadOf(reply, ports.clock.now());
    if (aheadMs === undefined) return;
    const isOff = Math.abs(aheadMs) > warnSkewMs;
    if (!isOff && isKnownRight) return;
    isKnownRight = !isOff;
    try {
      const notes = readNotes(ports);
      if (!isOff && !Object.hasOwn(notes, place)) return;
      const { [place]: _, ...others } = notes;
      const kept = isOff ? { ...others, [place]: { aheadMs, seenAt: ports.clock.now() } } : others;
      ports.files.writeText(notePath(ports), `${JSON.stringify(kept)}\n`);
    } catch {}
  };
}

/**
 * Throws CLOCK_OFF when the clock was off by more than five minutes at the gateway's last reply; a signature with a
 * wrong time proves nothing later. Returns a warning where it was more than one minute.
 */
export function checkClock(address: string, ports: SkewPorts): string | undefined {
  const note = readNotes(ports)[gatewayName(address)];
  const now = ports.clock.now();
  if (note === undefined || note.seenAt > now || now - note.seenAt > keptMs) return undefined;
  const off = Math.round(Math.abs(note.aheadMs) / 1000);
  const words = `${off} s ${note.aheadMs > 0 ? 'ahead of' : 'behind'} the gateway's`;
  if (Math.abs(note.aheadMs) > maxSkewMs) throw fail('CLOCK_OFF', { words });
  return `this machine's clock was ${words} when it last replied`;
}

function readNotes(ports: SkewPorts): Readonly<Record<string, Note>> {
  const path = notePath(ports);
  if (!ports.files.exists(path)) return {};
  try {
    const value: unknown = JSON.parse(ports.files.readText(path, 65_536));
    const notes = Object.entries(value ?? {}).filter((entry): entry is [string, Note] => isNote(entry[1]));
    return Object.fromEntries(notes.map(([place, note]) => [gatewayName(place), note]));
  } catch {
    return {};
  }
}

function isNote(value: unknown): value is Note {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aheadMs' in value &&
    'seenAt' in value &&
    typeof value.aheadMs === 'number' &&
    typeof value.seenAt === 'number'
  );
}
