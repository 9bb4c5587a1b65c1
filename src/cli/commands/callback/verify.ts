import { maskFields, type ParsedCallback, parseCallback, verifyCallback } from '../../../callbacks/parse-callback.js';
import { exits } from '../../../errors/index.js';
import { diagnoseControl, type Mistake } from '../../../signing/diagnose/index.js';
import { controlEncoding, type Secret } from '../../../signing/index.js';
import { defineCommand, type FlagsFor } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { readInput } from '../../core/text-input.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { type Session, withSession } from '../../session.js';
import { readCallbackKey } from './listen.js';

export const callbackVerify = defineCommand({
  summary: 'Verify the control checksum of a callback; exit 11 if it is wrong',
  help: 'A wrong checksum is searched for mistakes, as by sign check. To learn what is wrong with the checksum that your handler computes, pass it as the control of the callback.',
  args: { callback: { text: 'its fields as text, or a URL with them, or @FILE; @- is standard input' } },
  flags: {
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<CommonOptions>,
  examples: ['callback verify @callback.txt', 'callback verify "status=approved&orderid=1&client_orderid=a&control=0"'],
  effect: 'local',
  result: ['callback-verify'],
  async run({ args: { callback: input }, flags, runtime }) {
    return withSession(flags, runtime, async (session, report) => {
      const text = input.startsWith('@') ? await readInput(input.slice(1), runtime) : input;
      const read = parseCallback({
        method: 'GET',
        target: `/?${queryIn(text.trim())}`,
        contentType: undefined,
        body: new Uint8Array(),
      });
      const key = await readCallbackKey(session);
      // Says what is missing.
      if (key === undefined) await session.credentials({ scheme: 'control', values: [] });
      const verdict = verifyCallback(read, key, controlEncoding(session.assume));
      const isRight = verdict.verified === 'fits';
      const exit = isRight ? exits.ok : exits.checkFailed;
      const mistakes = verdict.verified === 'wrong' ? mistakesOf(read, key, session, flags.endpointId) : [];
      const fields = maskFields(read.pairs);
      const { paint } = report;
      const head = isRight ? paint.good(`✓ ${verdict.why}`) : paint.bad(`✗ ${verdict.why}`);
      const named = mistakes.map(({ name, detail }) => `  ${name}: ${oneLine(detail)}\n`).join('');
      const shown = report.columns(fields.map(([name, value]) => [`  ${paint.name(oneLine(name))}`, oneLine(value)]));
      await report.show({
        document: {
          ...{ schema: 'paycli.callback-verify/1', ok: isRight, ...verdict, exit },
          fields: fields.map(([name, value]) => ({ name, value })),
          ...(mistakes.length === 0 ? {} : { mistakes }),
        },
        text: () => `${head}\n${named}${shown}`,
      });
      return exit;
    });
  },
});

/** How a checksum came about that is not that of the callback, such as one of the handler's own. */
function mistakesOf(
  read: ParsedCallback,
  key: Secret | undefined,
  session: Session,
  endpoint: string | undefined,
): readonly Mistake[] {
  if (key === undefined || read.control === '' || read.problem !== undefined) return [];
  const { status, orderId, clientOrderId, pairs } = read;
  const slots = [
    { name: 'status', wire: 'status', value: status },
    { name: 'orderId', wire: 'orderid', value: orderId },
    { name: 'clientOrderId', wire: 'client_orderid', value: clientOrderId },
  ];
  const endpointId = endpoint ?? session.connection.find(({ key }) => key === 'endpoint-id')?.value ?? '';
  const given = {
    ...{ slots, key: key.open(), encoding: controlEncoding(session.assume) },
    ...{ login: session.login, endpointId, body: pairs.filter(([name]) => name !== 'control') },
  };
  return diagnoseControl(given, { control: read.control }).mistakes;
}

/** The fields of an address, of the first line of a request, or of a text that is nothing but fields. */
function queryIn(text: string): string {
  const line = /^(?:GET|POST) (?<target>\S+)(?: HTTP\/\d)?/.exec(text)?.groups?.['target'] ?? text;
  const isAddress = /^(?:https?:\/|\/)/i.test(line);
  const bare = line.replace(/#.*$/s, '');
  return isAddress ? bare.slice(bare.indexOf('?') + 1 || bare.length) : bare.replace(/^\?/, '');
}
