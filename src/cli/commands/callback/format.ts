import { maskFields, readStored } from '../../../callbacks/parse-callback.js';
import type { Handled } from '../../../callbacks/receiver.js';
import { type ForwardAttempt, handlerFault, type StoredCallback, type Verified } from '../../../callbacks/store.js';
import { exits, fail } from '../../../errors/index.js';
import type { Paint } from '../../../runtime/ports.js';
import type { Reporter } from '../../core/reporter.js';
import type { Sheet } from '../../format/document.js';
import { oneLine } from '../../format/document.js';
import { profileText } from '../../format/profile.js';
import { timeText } from '../../format/time.js';
import { statusText } from '../../print-reply.js';
import type { EntryOf } from '../../results.js';

const marks: Readonly<Record<Verified, string>> = { fits: '✓', wrong: '✗', 'no-key': '?' };

function mark({ verified, conflicts }: StoredCallback, paint: Paint): string {
  if (verified === 'wrong') return paint.bad(marks.wrong);
  return verified === 'fits' && conflicts.length === 0
    ? paint.good(marks.fits)
    : paint.warn(conflicts.length > 0 ? '!' : marks[verified]);
}

/** Of a callback whose key is not here. */
export const sealedText = 'encrypted with a key that is not on this machine';

/** A callback on one line: what it says, of which order, and whether it may be believed. */
export function callbackLine(callback: StoredCallback, paint: Paint): string {
  const { id, at, verified, why, orderId, clientOrderId, status, type, repeats, repeatOf } = callback;
  const { amount = '', currency = '' } = readStored(callback);
  const words = [
    paint.dim(timeText(at)),
    `#${id}`,
    mark(callback, paint),
    oneLine([status, type].filter((word) => word !== '').join(' ')),
    orderId === '' && clientOrderId === '' ? 'no order' : oneLine(`order ${orderId} (${clientOrderId})`),
    oneLine(`${amount} ${currency}`.trim()),
    verified === 'fits' ? '' : paint.warn(oneLine(why)),
    callback.raw === undefined ? paint.warn(sealedText) : '',
    repeats === 0 ? '' : `received ${repeats + 1} times`,
    repeatOf === undefined || verified === 'wrong' ? '' : `same ids as #${repeatOf}, with different content`,
  ];
  return words.filter((word) => word !== '').join('  ');
}

const verdicts: Readonly<Record<Verified, string>> = {
  fits: 'valid',
  wrong: 'invalid',
  'no-key': 'no key',
};

/** Callbacks as a table. */
export function callbackSheet(callbacks: readonly StoredCallback[], report: Pick<Reporter, 'paint' | 'time'>): Sheet {
  return {
    columns: [
      ...[{ head: 'id', right: true }, { head: 'received' }, { head: 'profile', optional: true }, { head: 'status' }],
      ...[{ head: 'type', optional: true }, { head: 'order' }, { head: 'your id', below: true as const }],
      ...[{ head: 'amount', right: true }, { head: 'control' }, { head: 'reason', below: true as const }],
    ],
    rows: callbacks.map((callback) => {
      const { id, at, status, type, orderId, clientOrderId, verified } = callback;
      const { amount = '', currency = '' } = readStored(callback);
      return [
        ...[String(id), report.time(at), oneLine(profileText(callback)), statusText(status, report.paint)],
        ...[type, orderId === '' ? clientOrderId : orderId, clientOrderId, `${amount} ${currency}`.trim()].map(oneLine),
        ...[`${mark(callback, report.paint)} ${verdicts[verified]}`, oneLine(reasonsFor(callback).join('; '))],
      ];
    }),
  };
}

function reasonsFor({ verified, why, raw, conflicts, forwards, repeats }: StoredCallback): readonly string[] {
  return [
    ...(verified === 'fits' ? [] : [why]),
    ...(raw === undefined ? [sealedText] : []),
    ...conflicts,
    ...forwards.slice(-1).flatMap((forward) => handlerFault(forward) ?? []),
    ...(repeats === 0 ? [] : [`received ${repeats + 1} times`]),
  ];
}

/** The same with what came of it right now. */
export function handledText({ callback, as, finding, forwarded }: Handled, paint: Paint): string {
  const behind = [
    as === 'repeat' ? 'a repeat, ignored' : undefined,
    finding?.asked?.says,
    finding === undefined || finding.resolved === 0 ? undefined : 'now resolved in the journal',
    finding?.notAsked === undefined ? undefined : `status was not queried: ${finding.notAsked}`,
  ].filter((word) => word !== undefined);
  const lines = [
    callbackLine(callback, paint),
    ...(behind.length === 0 ? [] : [`    ${paint.dim(oneLine(behind.join('; ')))}`]),
    ...(finding?.conflicts ?? []).map((conflict) => `    ${paint.bad('contradiction:')} ${oneLine(conflict)}`),
    ...(forwarded === undefined ? [] : [`    ${forwardLine(forwarded)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

export function forwardLine({ url, status, reply, reason, ms }: ForwardAttempt): string {
  const words = [
    `→ ${url}`,
    status === undefined ? 'no answer' : String(status),
    `${ms} ms`,
    reason ?? '',
    reply.trimEnd() === '' ? '' : `"${reply.trimEnd()}"`,
  ];
  return oneLine(words.filter((word) => word !== '').join('  '));
}

/** A callback for programs. Fields by their secrecy; the checksum never. */
export function callbackDocument(callback: StoredCallback): EntryOf<'callback-list'> {
  const { id, verified, why, orderId, clientOrderId, status, type, repeats, raw, asked, conflicts } = callback;
  const { amount = null, currency = null, pairs } = readStored(callback);
  const { profile = null, class: kind = null, repeatOf = null } = callback;
  return {
    ...{ id, at: isoTime(callback.at), verified, why, order: { orderId, clientOrderId }, status, type },
    ...{ amount, currency, profile, class: kind, readable: raw !== undefined },
    ...{ method: raw?.method ?? null, contentType: raw?.contentType ?? null, bytes: raw?.body.length ?? null },
    ...{ repeats, lastAt: isoTime(callback.lastAt), repeatOf },
    fields: maskFields(pairs).map(([name, value]) => ({ name, value })),
    asked: asked === undefined ? null : { at: isoTime(asked.at), status: asked.status ?? null, says: asked.says },
    ...{ conflicts, forwards: callback.forwards.map(forwardDocument) },
  };
}

export function forwardDocument({ at, url, status, reply, reason, ms }: ForwardAttempt): Record<string, unknown> {
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
    notAsked: finding?.notAsked ?? null,
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
  const exit = handlerFault(forwarded) === undefined ? exits.ok : exits.checkFailed;
  await report.show({
    document: { schema: 'paycli.callback-send/1', ok: exit === exits.ok, forwarded: forwardDocument(forwarded), exit },
    text: () => `${forwardLine(forwarded)}\n`,
  });
  if (exit !== exits.ok)
    report.becauseOfCheck(
      `the handler answered ${status}${reason === undefined ? '' : `: ${reason}`}`,
      'correct the handler so that it answers 200, then forward the callback again',
    );
  return exit;
}
