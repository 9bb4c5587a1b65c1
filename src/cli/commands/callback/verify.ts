import { maskFields, type ParsedCallback, parseCallback } from '../../../callbacks/parse-callback.js';
import { type CallbackKey, verifyCallback } from '../../../callbacks/verify.js';
import { exits } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { diagnoseControl, type Mistake } from '../../../signing/diagnose/index.js';
import { controlEncoding } from '../../../signing/index.js';
import { defineCommand, type FlagsFor, list } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { inJournal } from '../../core/order-requests.js';
import { readInput } from '../../core/text-input.js';
import { journalOf } from '../../core/user-stores.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { oneLine } from '../../format/document.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { readCallbackKeys } from './listener.js';
import { otherOrder } from './match-callback.js';

interface VerifyFlags extends CommonOptions {
  readonly oldControlKeyFile?: readonly string[];
}

export const callbackVerify = defineCommand({
  summary: 'Verify the control checksum of a callback; exit 11 if it is wrong',
  help: 'A wrong checksum is searched for mistakes, as by sign check. To learn what is wrong with the checksum that your handler computes, pass it as the control of the callback.',
  args: { callback: { text: 'its fields as text, or a URL with them, or @FILE; @- is standard input' } },
  flags: {
    oldControlKeyFile: list('<file>', 'another control key to try; repeatable'),
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<VerifyFlags>,
  examples: ['callback verify @callback.txt', 'callback verify "status=approved&orderid=1&client_orderid=a&control=0"'],
  effect: 'local',
  result: ['callback-verify'],
  run: ({ args: { callback }, flags, runtime }) => runCallbackVerify(callback, flags as VerifyFlags, runtime),
});

/** Verifies the checksum of a callback with the keys of the profile. Nothing is sent, asked or stored. */
async function runCallbackVerify(input: string, flags: VerifyFlags, runtime: Runtime): Promise<number> {
  return withSession(flags, runtime, async (session, report) => {
    const text = input.startsWith('@') ? await readInput(input.slice(1), runtime) : input;
    const read = parseCallback({
      method: 'GET',
      target: `/?${queryIn(text.trim())}`,
      contentType: undefined,
      body: new Uint8Array(),
    });
    const keys = await readCallbackKeys(session, flags.oldControlKeyFile ?? [], report, runtime);
    // Says what is missing.
    if (keys.length === 0) await session.credentials({ scheme: 'control', values: [] });
    const verdict = verifyCallback(read, keys, controlEncoding(session.assume));
    const isRight = verdict.verified === 'fits';
    const other =
      isRight &&
      (await inJournal(runtime, journalOf(session), undefined, (journal) =>
        otherOrder({ ...read, place: session.gatewayBase }, journal),
      ));
    const note = other === false ? undefined : other;
    const exit = isRight ? exits.ok : exits.checkFailed;
    const mistakes = verdict.verified === 'wrong' ? mistakesOf(read, keys, session, flags.endpointId) : [];
    const fields = maskFields(read.pairs);
    const { paint } = report;
    const head = isRight ? paint.good(`✓ ${verdict.why}`) : paint.bad(`✗ ${verdict.why}`);
    report.notes(note === undefined ? [] : [note]);
    const named = mistakes.map(({ name, detail }) => `  ${name}: ${oneLine(detail)}\n`).join('');
    const shown = report.columns(fields.map(([name, value]) => [`  ${paint.name(oneLine(name))}`, oneLine(value)]));
    await report.show({
      document: {
        ...{ schema: 'paycli.callback-verify/1', ok: isRight, ...verdict, note: note ?? null, exit },
        fields: fields.map(([name, value]) => ({ name, value })),
        ...(mistakes.length === 0 ? {} : { mistakes }),
      },
      text: () => `${head}\n${named}${shown}`,
    });
    return exit;
  });
}

/** How a checksum came about that is not that of the callback, such as one of the handler's own. */
function mistakesOf(
  read: ParsedCallback,
  [first]: readonly CallbackKey[],
  session: Session,
  endpoint: string | undefined,
): readonly Mistake[] {
  if (first === undefined || read.control === '' || read.problem !== undefined) return [];
  const { status, orderId, clientOrderId, pairs, amount, currency } = read;
  const slots = [
    { name: 'status', wire: 'status', value: status },
    { name: 'orderId', wire: 'orderid', value: orderId },
    { name: 'clientOrderId', wire: 'client_orderid', value: clientOrderId },
  ];
  const endpointId = endpoint ?? session.connection.find(({ key }) => key === 'endpoint-id')?.value ?? '';
  const given = {
    ...{ slots, key: first.key.open(), encoding: controlEncoding(session.assume), amountText: amount, currency },
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
