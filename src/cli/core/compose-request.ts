import { compose } from '../../payments/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import { flagOf } from './flags.js';
import type { OrderSource } from './follow-up-order.js';
import type { Typed } from './options.js';
import type { Reporter } from './reporter.js';
import { type Resolved, resolveFields, testPayerOrigin } from './resolve-fields.js';
import type { Session } from './session.js';

/** A request ready to be signed, with the values it was composed of. */
export interface Composed {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
}

/**
 * Composes the request that the typed flags describe, and notes the values that the user did not give. Throws what
 * `resolveFields` throws.
 */
export async function composeRequest(
  row: Operation,
  typed: Typed,
  sources: readonly OrderSource[],
  session: Session,
  report: Reporter,
  runtime: Runtime,
): Promise<Composed> {
  const resolved = await resolveFields(row, typed, session, runtime, sources);
  const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
  announce(resolved, report);
  return { unsigned, resolved };
}

const sourceTexts = new Map([
  ['journal', 'the journal'],
  ['status', 'the status of the order'],
]);

/** Notes which values the user did not give. */
export function announce({ filledIn, overridden, values, origins }: Resolved, report: Reporter): void {
  if (overridden.length > 0) report.notes(overridden);
  if (filledIn.length > 0 && report.verbose)
    report.notes([`filled in: ${filledIn.map((key) => `${flagOf(key)} ${values[key] ?? ''}`).join(', ')}`]);
  else if (filledIn.length > 0)
    report.notes([
      `${filledIn.length} more fields filled in ${fillerOf(origins[filledIn[0] ?? ''])} (--verbose shows them)`,
    ]);
  const found = ['orderId', 'clientOrderId', 'currency'].filter((key) => sourceTexts.has(origins[key] ?? ''));
  if (found.length > 0)
    report.notes([
      `${found.map((key) => `${flagOf(key)} ${values[key] ?? ''}`).join(' ')}: from \
${sourceTexts.get(origins[found[0] ?? ''] ?? '') ?? ''}`,
    ]);
  if (origins['clientOrderId'] === 'generated') report.urgent([`client order id: ${values['clientOrderId'] ?? ''}`]);
}

function fillerOf(origin: string | undefined): string {
  return origin === testPayerOrigin ? 'for a test payer' : 'by the sandbox';
}
