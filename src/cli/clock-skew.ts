import { join } from 'node:path';
import { fail } from '../errors/index.js';
import type { HttpReply, Runtime } from '../runtime/ports.js';
import { gatewayName } from '../wire/address.js';
import type { Reporter } from './reporter.js';

/** Milliseconds the clock of this machine may be off before a warning, and before nothing more is sent. */
export const warnMs = 60_000;
export const mostMs = 300_000;
// An older observation says nothing about a clock that was set since.
const keptMs = 86_400_000;

interface Note {
  /** Milliseconds this machine was ahead of the gateway. */
  readonly aheadMs: number;
  readonly seenAt: number;
}

const notePath = ({ files }: Runtime): string => join(files.folders.state, 'clock.json');

/** What the Date of a reply says, read when it came; undefined without one. The header has whole seconds. */
export function aheadOf({ headers }: HttpReply, now: number): number | undefined {
  const text = headers['date'];
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) return undefined;
  const off = now - time;
  return Math.sign(off) * Math.max(0, Math.abs(off) - 1000);
}

/**
 * Told of replies, it remembers a clock that is off, and forgets it once it is right. Never fails: the reply is what was asked for.
 * After a reply that finds it right, only one that does not is looked into, so that a batch does not read the note at every reply.
 */
export function clockNoter(address: string, runtime: Runtime): (reply: HttpReply) => void {
  const place = gatewayName(address);
  let isKnownRight = false;
  return (reply) => {
    const aheadMs = aheadOf(reply, runtime.clock.now());
    if (aheadMs === undefined) return;
    const isOff = Math.abs(aheadMs) > warnMs;
    if (!isOff && isKnownRight) return;
    isKnownRight = !isOff;
    try {
      const notes = readNotes(runtime);
      if (!isOff && !Object.hasOwn(notes, place)) return;
      const { [place]: _, ...others } = notes;
      const kept = isOff ? { ...others, [place]: { aheadMs, seenAt: runtime.clock.now() } } : others;
      runtime.files.writeText(notePath(runtime), `${JSON.stringify(kept)}\n`);
    } catch {}
  };
}

/** Throws CLOCK_OFF when the gateway last seen was more than five minutes away; a signature with a wrong time proves nothing later. */
export function checkClock(address: string, report: Reporter, runtime: Runtime): void {
  const note = readNotes(runtime)[gatewayName(address)];
  const now = runtime.clock.now();
  if (note === undefined || note.seenAt > now || now - note.seenAt > keptMs) return;
  const off = Math.round(Math.abs(note.aheadMs) / 1000);
  const words = `${off} s ${note.aheadMs > 0 ? 'ahead of' : 'behind'} the gateway`;
  if (Math.abs(note.aheadMs) > mostMs) throw fail('CLOCK_OFF', { words });
  report.warn([`the clock of this machine was ${words} when it last answered`]);
}

function readNotes(runtime: Runtime): Readonly<Record<string, Note>> {
  const path = notePath(runtime);
  if (!runtime.files.exists(path)) return {};
  try {
    const value: unknown = JSON.parse(runtime.files.readText(path, 65_536));
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
