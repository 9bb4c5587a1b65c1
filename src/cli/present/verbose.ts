import type { Delivery } from '../../runtime/ports.js';
import type { SignedRequest } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import { printable, shownPairs } from '../../wire/redact.js';
import type { Reporter } from '../reporter.js';

/** Prints the HTTP exchange to standard error. Card data and signatures are masked; bodies of replies are shown as text. */
export function watchExchange(row: Operation, report: Reporter): { sent(request: SignedRequest): void; came(delivery: Delivery): void } {
  return {
    sent(request) {
      report.trace([`> POST ${request.url}`]);
      for (const [name, value] of Object.entries(request.headers))
        report.trace([`> ${name}: ${name === 'Authorization' ? maskHeader(value) : value}`]);
      for (const [name, value] of shownPairs(row, request.pairs)) report.trace([`> ${name} = ${value}`]);
    },
    came(delivery) {
      if (delivery.kind !== 'reply') return report.trace([`< ${delivery.kind}: ${delivery.reason}`]);
      report.trace([`< HTTP ${delivery.reply.status}`]);
      for (const [name, value] of Object.entries(delivery.reply.headers)) report.trace([`< ${name}: ${printable(String(value))}`]);
      report.trace([`< ${printable(new TextDecoder().decode(delivery.reply.body.subarray(0, 4096))).replaceAll('\n', ' ')}`]);
    },
  };
}

function maskHeader(value: string): string {
  return value.replace(/oauth_signature="[^"]*"/, 'oauth_signature="•••"');
}
