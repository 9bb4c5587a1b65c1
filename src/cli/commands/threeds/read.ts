import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { replyField } from '../../../spec/index.js';
import { type Expected, type Inspection, inspect, xidOf } from '../../../threeds/index.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable, printableJson } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, statusExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { fetchStatus } from '../../core/order-query.js';
import { Reporter } from '../../core/reporter.js';
import { idsOfTyped } from '../../core/typed-order.js';
import { oneLine } from '../../format/document.js';
import type { Fields } from '../../format/meaning.js';
import { openSession } from '../../open-session.js';

interface LintOptions extends CommonOptions {
  readonly order?: string;
  readonly clientOrderId?: string;
}

const messageText = 'CReq, CRes, PaReq, PaRes or method data; - for standard input';

export const threedsDecode = defineCommand({
  name: '3ds decode',
  summary: 'Decode a 3-D Secure message',
  args: [['<text>', messageText]],
  effect: 'none',
  network: false,
  exits: ['checkFailed'],
  prints: ['3ds'],
  run: ({ args: [text = ''], options, runtime }) => runThreedsDecode(text, options, runtime),
});

export const threedsLint = defineCommand<LintOptions>({
  name: '3ds lint',
  summary: 'Report what is wrong with a 3-D Secure message',
  args: [['<text>', messageText]],
  options: [
    ['--order <id>', 'compare its ids with the open step of this order (either id)'],
    ['--client-order-id <id>', 'your client order id'],
    ['--live', 'required with a live profile'],
    ...connectionFlags,
  ],
  effect: 'read',
  network: true,
  exits: [...statusExits, 'checkFailed'],
  prints: ['3ds'],
  run: ({ args: [text = ''], options, runtime }) => runThreedsLint(text, options, runtime),
});

/** Shows a decoded 3-D Secure message and how it was encoded. */
async function runThreedsDecode(text: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const inspection = inspect(await readMessage(text, runtime));
  await report.show({
    isExact: true,
    document: documentOf(inspection),
    text: () => `${report.columns(wrapping(inspection))}${shownText(inspection)}`,
  });
  if (inspection.content !== 'other') return exits.ok;
  report.becauseOfCheck(firstFault(inspection));
  return exits.checkFailed;
}

/** Reports all mistakes in a 3-D Secure message, and in its ids when an order is named. Exit 11 if there are any. */
async function runThreedsLint(text: string, options: LintOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const inspection = inspect(await readMessage(text, runtime), await expectedIds(options, runtime));
  await report.show({ isExact: true, document: documentOf(inspection), text: () => lintText(inspection, report) });
  if (inspection.wrong.length === 0) return exits.ok;
  report.becauseOfCheck(firstFault(inspection));
  return exits.checkFailed;
}

function firstFault({ wrong: [first = 'the message is neither JSON nor XML'] }: Inspection): string {
  return oneLine(withoutCardNumbers(first));
}

async function readMessage(text: string, runtime: Runtime): Promise<string> {
  return text === '-' ? runtime.terminal.readStdin() : text;
}

async function expectedIds(options: LintOptions, runtime: Runtime): Promise<Expected> {
  const { order, clientOrderId } = options;
  if (order === undefined && clientOrderId === undefined) return {};
  const session = await openSession(options, runtime);
  try {
    const ids = await idsOfTyped({ name: undefined, order, clientOrderId }, '3ds lint', session, options, runtime);
    const fields = await fetchStatus(ids, session, runtime);
    const orderId = replyField(fields, 'orderId');
    return { ...stepIds(fields), xid: orderId === undefined ? undefined : xidOf(orderId) };
  } finally {
    await session.close();
  }
}

function documentOf(inspection: Inspection) {
  const { kind, variant, padding, packing, content, fields, wrong, remarks } = inspection;
  return {
    schema: 'paycli.3ds/1',
    kind: kind ?? null,
    base64: variant ?? null,
    padding: padding ?? null,
    packing,
    content,
    fields: withoutCards(fields),
    wrong: wrong.map(withoutCardNumbers),
    remarks,
  };
}

function wrapping({ kind, variant, padding, packing, content }: Inspection): string[][] {
  return [
    ['message', kind ?? 'unknown'],
    [
      'alphabet',
      variant === undefined
        ? 'not Base64'
        : variant === 'either'
          ? 'Base64 or base64url, which cannot be told apart here'
          : variant,
    ],
    ['padding', padding ?? 'none'],
    ['packing', packing],
    ['content', content],
  ];
}

function shownText({ content, text, fields }: Inspection): string {
  if (text === undefined) return '';
  return content === 'json'
    ? `${printableJson(JSON.stringify(withoutCards(fields), null, 2))}\n`
    : `${printable(withoutCardNumbers(text.trim()))}\n`;
}

/** A payer authentication request contains the card number. */
function withoutCards(fields: Inspection['fields']): Inspection['fields'] {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withoutCardNumbers(value)]));
}

function lintText({ kind, wrong, remarks }: Inspection, { paint }: Reporter): string {
  const lines = [
    ...wrong.map((text) => `${paint.bad('wrong:')} ${oneLine(withoutCardNumbers(text))}`),
    ...remarks.map((text) => `${paint.dim('note:')} ${text}`),
    ...(wrong.length === 0 ? [`${paint.good('good:')} ${kind ?? 'the message'} is well-formed`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** The ids of the open 3-D Secure step of an order, as its status reply names them. */
export function stepIds(fields: Fields): { readonly tdsId?: string | undefined; readonly acsId?: string | undefined } {
  const creq = replyField(fields, 'creq');
  if (creq === undefined) return { tdsId: replyField(fields, 'tdsId') };
  const { fields: inside } = inspect(creq);
  return { tdsId: inside['threeDSServerTransID'], acsId: inside['acsTransID'] };
}
