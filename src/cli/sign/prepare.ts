import { fail } from '../../errors/index.js';
import { compose } from '../../payments/compose.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Unsigned } from '../../signing/index.js';
import type { Operation } from '../../spec/index.js';
import { protectionOf } from '../../wire/check.js';
import type { Typed } from '../options.js';
import type { Reporter } from '../reporter.js';
import { announce, resolveFields } from '../resolve.js';
import type { Session } from '../session.js';
import { withSession } from '../with-session.js';

/** A request of an operation that is compared with what somebody else signed. */
export interface Prepared {
  readonly unsigned: Unsigned;
  readonly session: Session;
  readonly report: Reporter;
}

/** Puts the request together from the operation's flags and hands it over; nothing is sent. A control needs no more than its own values. */
export async function withRequest(
  row: Operation,
  typed: Typed,
  command: string,
  runtime: Runtime,
  use: (prepared: Prepared) => Promise<number>,
): Promise<number> {
  return withSession(typed.options, runtime, async (session, report) => {
    const resolved = await resolveFields(...narrowed(row, typed, session), session, runtime);
    if (resolved.origins['clientOrderId'] === 'generated')
      throw fail('USAGE', { why: 'name the order id of the request that was refused, with --client-order-id', command });
    const unsigned = compose(row, resolved.values, resolved.extra, session.target(resolved.endpointId));
    if (unsigned.protection.scheme === 'none')
      throw fail('USAGE', { why: `${row.command} carries no signature under the assumptions in force`, command: 'assumptions list' });
    announce(resolved, report);
    return use({ unsigned, session, report });
  });
}

/** The row with the fields its control is made of; whatever else was in the request makes no difference to it. */
function narrowed(row: Operation, typed: Typed, { assume }: Session): readonly [Operation, Typed] {
  const protection = protectionOf(row, assume);
  if (protection.scheme !== 'control') return [row, typed];
  const keys = new Set([...protection.values, ...(protection.values.includes('amount') ? ['currency'] : [])]);
  const fields = Object.fromEntries(Object.entries(row.fields).filter(([key]) => keys.has(key)));
  const rules = row.rules.filter(
    (rule) => (rule.rule === 'together' || rule.rule === 'atLeastOne') && rule.fields.every((key) => keys.has(key)),
  );
  return [
    { ...row, fields, rules },
    { ...typed, options: { ...typed.options, allowUnknownField: true } },
  ];
}
