import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Inspection, inspect } from '../../../threeds/inspect.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable, printableJson } from '../../../wire/redact.js';
import { defineCommand } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';

export const threedsDecode = defineCommand({
  summary: 'Decode a 3-D Secure message, and report what is wrong with it',
  args: { text: { text: 'CReq, CRes, PaReq, PaRes or method data; - for standard input' } },
  flags: outputFlags,
  examples: ['3ds decode eyJ0aHJlZURTU2VydmVyVHJhbnNJRCI6ImMwZmZlZTAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMCJ9'],
  effect: 'local',
  result: ['3ds'],
  run: ({ args: { text }, flags, runtime }) => runThreedsDecode(text, flags, runtime),
});

/** Shows a decoded message, how it was encoded, and all mistakes in it. Exit 11 if there are any. */
async function runThreedsDecode(text: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const inspection = inspect(text === '-' ? await runtime.terminal.readStdin() : text);
  await report.show({
    isExact: true,
    document: documentOf(inspection),
    text: () => `${report.columns(wrapping(inspection))}${shownText(inspection)}${faultsText(inspection, report)}`,
  });
  if (inspection.wrong.length === 0) return exits.ok;
  report.becauseOfCheck(firstFault(inspection));
  return exits.checkFailed;
}

function firstFault({ wrong: [first = 'the message is neither JSON nor XML'] }: Inspection): string {
  return oneLine(withoutCardNumbers(first));
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

function faultsText({ kind, wrong, remarks }: Inspection, { paint }: Reporter): string {
  const lines = [
    ...wrong.map((text) => `${paint.bad('wrong:')} ${oneLine(withoutCardNumbers(text))}`),
    ...remarks.map((text) => `${paint.dim('note:')} ${text}`),
    ...(wrong.length === 0 ? [`${paint.good('good:')} ${kind ?? 'the message'} is well-formed`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
