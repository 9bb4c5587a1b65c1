import { exits } from '../../../errors/index.js';
import { type Inspection, inspect } from '../../../threeds/inspect.js';
import { withoutCardNumbers } from '../../../wire/mask.js';
import { printable, printableJson } from '../../../wire/redact.js';
import { defineCommand } from '../../command.js';
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
  async run({ args: { text }, flags, runtime }) {
    const report = new Reporter(flags, undefined, runtime);
    const inspection = inspect(text === '-' ? await runtime.terminal.readStdin() : text);
    const { kind, variant, packing, content } = inspection;
    const wrong = inspection.wrong.map(withoutCardNumbers);
    // A payer authentication request contains the card number.
    const fields = Object.fromEntries(
      Object.entries(inspection.fields).map(([name, value]) => [name, withoutCardNumbers(value)]),
    );
    await report.show({
      isExact: true,
      document: {
        ...{ schema: 'paycli.3ds/1', kind: kind ?? null, base64: variant ?? null },
        ...{ packing, content, fields, wrong },
      },
      text: () => {
        const facts = [
          ['message', kind ?? 'unknown'],
          ['alphabet', variant ?? 'not Base64'],
          ['packing', packing],
          ['content', content],
          ...wrong.map((each) => [report.paint.bad('wrong:'), oneLine(each)]),
        ];
        return `${report.columns(facts)}${shownText(inspection, fields)}`;
      },
    });
    if (inspection.wrong.length === 0) return exits.ok;
    report.becauseOfCheck(oneLine(wrong[0] ?? ''));
    return exits.checkFailed;
  },
});

function shownText({ content, text }: Inspection, fields: Inspection['fields']): string {
  if (text === undefined) return '';
  return content === 'json'
    ? `${printableJson(JSON.stringify(fields, null, 2))}\n`
    : `${printable(withoutCardNumbers(text.trim()))}\n`;
}
