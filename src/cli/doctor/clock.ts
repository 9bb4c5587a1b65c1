import { aheadOf, clockNoter, maxSkewMs, warnSkewMs } from '../../payments/clock-skew.js';
import type { Limits, Runtime } from '../../runtime/ports.js';
import { hostOf, isLoopback } from '../../wire/address.js';
import { broken, type Found, pass, skip, warn } from './finding.js';

/** Of each request `doctor` makes. */
export const limits: Limits = {
  connectMs: 10_000,
  firstByteMs: 15_000,
  gapMs: 5000,
  totalMs: 30_000,
  maxBodyBytes: 1_048_576,
  maxHeaderBytes: 16_384,
};

/**
 * This machine's clock against the Date of one answer to a plain GET, which no operation is. On this machine the root is asked: below
 * its base address a sandbox takes everything for a request of the merchant, and this one would stand on the report card.
 */
export async function findClock(baseUrl: string, ca: string | undefined, runtime: Runtime): Promise<Found> {
  const transport = await runtime.transport(ca === undefined ? {} : { ca });
  try {
    const delivery = await transport.post(
      { url: isLoopback(baseUrl) ? new URL('/', baseUrl).href : `${baseUrl}/`, method: 'GET', headers: {}, body: '' },
      limits,
    );
    const host = hostOf(baseUrl);
    if (delivery.kind !== 'reply') return broken(`${host} could not be asked: ${delivery.reason}`, 'check the address and the network');
    clockNoter(baseUrl, runtime)(delivery.reply);
    return compare(aheadOf(delivery.reply, runtime.clock.now()), host);
  } finally {
    await transport.close();
  }
}

function compare(aheadMs: number | undefined, host: string): Found {
  if (aheadMs === undefined) return skip(`${host} answered without a Date`, 'compare the clock of this machine with another one');
  const off = Math.abs(aheadMs);
  const text = `${Math.round(off / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`;
  const next = 'set the clock of this machine, by NTP for example: a signature with a wrong time may be refused';
  if (off > maxSkewMs) return broken(text, next);
  return off > warnSkewMs ? warn(text, next) : pass(off < 1000 ? `agrees with ${host}` : text);
}
