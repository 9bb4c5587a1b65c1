import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { Handled } from '../../../callbacks/receiver.js';
import { type ForwardAttempt, handlerFault, type StoredCallback } from '../../../callbacks/store.js';
import { exits, fail } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import { oneLine, type Sheet } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { statusText } from '../../print-reply.js';
import type { EntryOf } from '../../results.js';

/** Whether a callback may be believed. */
function verdictText({ verified, conflicts }: StoredCallback, paint: Paint): string {
  if (verified === 'wrong') return paint.bad('✗ invalid');
  if (verified === 'no-key') return paint.warn('? no key');
  return conflicts.length > 0 ? paint.warn('! valid') : paint.good('✓ valid');
}

/** Callbacks as a table. */
export function callbackSheet(callbacks: readonly StoredCallback[], report: Pick<Reporter, 'paint' | 'time'>): Sheet {
  return {
    columns: [
      ...[{ head: 'id', right: true }, { head: 'received' }, { head: 'profile', optional: true }, { head: 'status' }],
      ...[{ head: 'type', optional: true }, { head: 'order' }, { head: 'your id', below: true as const }],
      ...[{ head: 'amount', right: true }, { head: 'control' }, { head: 'reason', below: true as const }],
    ],
    rows: callbacks.map((callback) => {
      const { id, at, status, type, orderId, clientOrderId } = callback;
      const { amount = '', currency = '' } = readStored(callback);
      return [
        ...[String(id), report.time(at), oneLine(profileText(callback)), statusText(status, report.paint)],
        ...[type, orderId, clientOrderId, `${amount} ${currency}`.trim()].map(oneLine),
        ...[verdictText(callback, report.paint), oneLine(reasonsFor(callback).join('; '))],
      ];
    }),
  };
}

function reasonsFor({ verified, why, raw, conflicts, forwards, repeats }: StoredCallback): readonly string[] {
  return [
    ...(verified === 'fits' ? [] : [why]),
    ...(raw === undefined ? ['encrypted with a key that is not on this machine'] : []),
    ...conflicts,
    ...forwards.slice(-1).flatMap((forward) => handlerFault(forward) ?? []),
    ...(repeats === 0 ? [] : [`received ${repeats + 1} times`]),
  ];
}

/** A callback on one line, with what came of it right now. */
export function handledText({ callback, as, finding, forwarded }: Handled, paint: Paint): string {
  const { id, status, type, orderId, clientOrderId } = callback;
  const { amount = '', currency = '' } = readStored(callback);
  const about = [status, type, `order ${orderId} (${clientOrderId})`, amount, currency, ...reasonsFor(callback)];
  const words = [
    ...[`#${id}`, verdictText(callback, paint)],
    oneLine(about.filter((word) => word !== '').join(' ')),
    ...(as === 'repeat' ? ['a repeat, ignored'] : []),
    oneLine(finding?.asked?.says ?? ''),
    ...(forwarded === undefined ? [] : [forwardLine(forwarded)]),
  ];
  return `${words.filter((word) => word !== '').join('  ')}\n`;
}

export function forwardLine({ url, status, reply, reason, ms }: ForwardAttempt): string {
  const words = [`→ ${url}`, status === undefined ? 'no answer' : String(status), `${ms} ms`, reason ?? ''];
  return oneLine([...words, reply.trimEnd()].filter((word) => word !== '').join('  '));
}

/** A callback for programs. Fields by their secrecy; the checksum never. */
export function callbackDocument(callback: StoredCallback): EntryOf<'callback-list'> {
  const { id, verified, why, orderId, clientOrderId, status, type, repeats, raw, asked, conflicts } = callback;
  const { amount = null, currency = null, pairs } = readStored(callback);
  return {
    ...{ id, at: isoTime(callback.at), verified, why, order: { orderId, clientOrderId }, status, type },
    ...{ amount, currency, profile: callback.profile, class: callback.class, readable: raw !== undefined },
    ...{ repeats, lastAt: isoTime(callback.lastAt) },
    fields: maskFields(pairs).map(([name, value]) => ({ name, value })),
    asked: asked === undefined ? null : { at: isoTime(asked.at), status: asked.status ?? null, says: asked.says },
    ...{ conflicts, forwards: callback.forwards.map(forwardDocument) },
  };
}

function forwardDocument({ at, url, status, reply, reason, ms }: ForwardAttempt): Record<string, unknown> {
  return { at: isoTime(at), url, status: status ?? null, reply, reason: reason ?? null, milliseconds: ms };
}

/** The same with what came of it right now. */
export function handledDocument({ callback, as, answered, finding, forwarded }: Handled): Record<string, unknown> {
  return {
    event: 'callback',
    as,
    answered: answered ?? null,
    ...callbackDocument(callback),
    settled: finding?.resolved ?? 0,
    forwarded: forwarded === undefined ? null : forwardDocument(forwarded),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Shows what a handler answered; the exit code says whether a gateway would count it as received. Throws NOT_SENT
 * without an answer.
 */
export async function reportForwarded(forwarded: ForwardAttempt, report: Reporter): Promise<number> {
  const { url, status, reason } = forwarded;
  if (status === undefined) throw fail('HANDLER_SILENT', { url, why: reason });
  const fault = handlerFault(forwarded);
  const exit = fault === undefined ? exits.ok : exits.checkFailed;
  await report.show({
    document: {
      schema: 'paycli.callback-send/1',
      ok: fault === undefined,
      forwarded: forwardDocument(forwarded),
      exit,
    },
    text: () => `${forwardLine(forwarded)}\n`,
  });
  if (fault !== undefined)
    report.becauseOfCheck(fault, 'correct the handler so that it answers 200, then forward the callback again');
  return exit;
}
