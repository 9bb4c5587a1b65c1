import type { HttpReply, Limits, Runtime } from '../../runtime/ports.js';
import { hostOf } from '../../wire/address.js';
import { broken, type Found, pass, skip, warn } from './finding.js';

const warnMs = 60_000;
const mostMs = 300_000;
const limits: Limits = {
  connectMs: 10_000,
  firstByteMs: 15_000,
  gapMs: 5000,
  totalMs: 30_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

/** This machine's clock against the Date of one answer to a plain GET, which no operation is. */
export async function findClock(baseUrl: string, ca: string | undefined, runtime: Runtime): Promise<Found> {
  const transport = await runtime.transport(ca === undefined ? {} : { ca });
  try {
    const before = runtime.clock.now();
    const delivery = await transport.post({ url: `${baseUrl}/`, method: 'GET', headers: {}, body: '' }, limits);
    const host = hostOf(baseUrl);
    if (delivery.kind !== 'reply') return broken(`${host} could not be asked: ${delivery.reason}`, 'check the address and the network');
    return compare(dateOf(delivery.reply), (before + runtime.clock.now()) / 2, host);
  } finally {
    await transport.close();
  }
}

function compare(theirs: number | undefined, ours: number, host: string): Found {
  if (theirs === undefined) return skip(`${host} answered without a Date`, 'compare the clock of this machine with another one');
  // The header has whole seconds.
  const off = Math.max(0, Math.abs(ours - theirs) - 1000);
  const text = `${Math.round(off / 1000)} s ${ours > theirs ? 'ahead of' : 'behind'} ${host}`;
  const next = 'set the clock of this machine, by NTP for example: a signature with a wrong time may be refused';
  if (off > mostMs) return broken(text, next);
  return off > warnMs ? warn(text, next) : pass(off < 1000 ? `agrees with ${host}` : text);
}

function dateOf({ headers }: HttpReply): number | undefined {
  const text = headers['date'];
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
