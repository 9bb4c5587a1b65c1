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

/** Composes the request that the typed flags describe. Throws what `resolveFields` throws. */
export async function composeRequest(
  row: Operation,
  typed: Typed,
  sources: readonly OrderSource[],
  session: Session,
  runtime: Runtime,
): Promise<Composed> {
  const resolved = await resolveFields(row, typed, session, runtime, sources);
  const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
  return { unsigned, resolved };
}

const sourceTexts = new Map([
  ['journal', 'the journal'],
  ['status', 'the status of the order'],
]);

/** Notes which values of a request that is only shown the user did not give. */
export function announce(resolved: Resolved, report: Reporter): void {
  announceFound(resolved, report);
  announceMadeUp(resolved, report);
}

/**
 * Notes values that were given and are not used, and those that were found elsewhere: they explain a refusal as well.
 * With --verbose, those that were filled in too.
 */
export function announceFound({ filledIn, remarks, values, origins }: Resolved, report: Reporter): void {
  if (remarks.length > 0) report.notes(remarks);
  if (filledIn.length > 0 && report.verbose)
    report.notes([`filled in: ${filledIn.map((key) => `${flagOf(key)} ${values[key] ?? ''}`).join(', ')}`]);
  const found = ['orderId', 'clientOrderId', 'currency'].filter((key) => sourceTexts.has(origins[key] ?? ''));
  if (found.length > 0)
    report.notes([
      `${found.map((key) => `${flagOf(key)} ${values[key] ?? ''}`).join(' ')}: from ${sourceTexts.get(origins[found[0] ?? ''] ?? '') ?? ''}`,
    ]);
}

/** Notes values that were made up for a request. Only of one that is sent or shown: nothing else has them. */
export function announceMadeUp({ filledIn, values, origins }: Resolved, report: Reporter): void {
  if (filledIn.length > 0 && !report.verbose)
    report.notes([
      `${filledIn.length} more fields filled in ${fillerOf(origins[filledIn[0] ?? ''])} (--verbose shows them)`,
    ]);
  if (origins['clientOrderId'] === 'generated')
    report.urgent([`client order id (idempotency key): ${values['clientOrderId'] ?? ''}`]);
}

function fillerOf(origin: string | undefined): string {
  return origin === testPayerOrigin ? 'for a test payer' : 'by the sandbox';
}
