import { aheadOf, maxSkewMs } from '../../payments/clock-skew.js';
import type { Delivery } from '../../runtime/ports.js';

/** Why nothing more may be sent: a signature with a wrong time proves nothing later. Undefined while the clock is right. */
export function clockFault(delivery: Delivery, now: number): string | undefined {
  const ahead = delivery.kind === 'reply' ? aheadOf(delivery.reply, now) : undefined;
  if (ahead === undefined || Math.abs(ahead) <= maxSkewMs) return undefined;
  return `the clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the gateway`;
}
