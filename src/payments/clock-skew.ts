import type { Delivery } from '../runtime/ports.js';

/** The time of the gateway: the reply's Date header, which has whole seconds. */
export function gatewayTime(delivery: Delivery): number | undefined {
  const text = delivery.kind === 'reply' ? delivery.reply.headers['date'] : undefined;
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Milliseconds that `now` is ahead of it; undefined without one. */
export function aheadOf(delivery: Delivery, now: number): number | undefined {
  const time = gatewayTime(delivery);
  if (time === undefined) return undefined;
  const off = now - time;
  return Math.sign(off) * Math.max(0, Math.abs(off) - 1000);
}

/** How far the clock of this machine is from the gateway's, where that is worth a warning: more than a minute. */
export function clockDifference(delivery: Delivery, now: number): string | undefined {
  const ahead = aheadOf(delivery, now);
  if (ahead === undefined || Math.abs(ahead) <= 60_000) return undefined;
  return `${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the gateway's`;
}
