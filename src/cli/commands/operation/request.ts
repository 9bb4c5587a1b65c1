import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { allFields, allOperations, type Field, type Operation, type PlainProtection } from '../../../spec/index.js';
import { cardNumbersIn } from '../../../wire/mask.js';
import { defineCommand, on, oneOf, type Values, word } from '../../command.js';
import type { CommonOptions, Input } from '../../core/common-options.js';
import { connectionFlags, fieldSourceFlags, liveFlag, outputFlags, timeoutFlag } from '../../flags.js';
import { runOperation } from '../../send.js';

const flags = {
  ...fieldSourceFlags,
  scheme: oneOf(
    ['control', 'hmac-sha1', 'rsa-sha256', 'none'],
    '<scheme>',
    'how to sign a path that is not in the API',
  ),
  signedValues: word('<names>', 'with control: the signed fields in order, separated by commas'),
  read: on('the path only reads: it is not recorded, and may be repeated'),
  dryRun: on('show the request and its signature; send nothing', { heading: 'Sending:' }),
  live: liveFlag,
  again: on('send an identical request again on purpose', { heading: 'Sending:' }),
  confirmLogin: word('<login>', 'confirm a live payment in a script', { heading: 'Sending:' }),
  timeout: timeoutFlag,
  ...connectionFlags,
  ...outputFlags,
};

type RequestOptions = CommonOptions & Values<typeof flags>;

export const request = defineCommand({
  summary: 'Send a signed request to any path',
  heading: 'Tools:',
  args: { path: { text: 'such as /api/v2/sale', ask: 'Path, such as /api/v2/sale' } },
  flags,
  effect: 'money',
  note: 'A path that is not in the API counts as a payment, so an identical request is sent only once; --read says that it is none.',
  result: ['reply'],
  run: async ({ args: { path }, flags, runtime }) => {
    const { row, typed } = await rowAt(path, flags, runtime);
    return runOperation(row, typed, 'by hand', runtime);
  },
});

function wrongUse(why: string): Error {
  return fail('USAGE', { why });
}

/**
 * The operation of a path, or a row for one that is not in the API, and what was typed for it. Such a path needs
 * --scheme, counts as moving money, and every value without a known field is masked. Throws USAGE.
 */
export async function rowAt(path: string, options: RequestOptions, runtime: Runtime) {
  const { known, endpointId } = splitPath(path);
  const described = allOperations.find((candidate) => candidate.path === known);
  if (described !== undefined) refuseScheme(described, options);
  const input = described === undefined ? await inputOf(options, runtime) : undefined;
  const row = described ?? undescribedOperation(known, options, input);
  if (endpointId !== undefined && options.endpointId !== undefined && options.endpointId !== endpointId)
    throw wrongUse('the path and --endpoint-id name different endpoints; give one of them');
  const settings = endpointId === undefined ? options : { ...options, endpointId };
  return { row, typed: { fields: {}, order: undefined, options: settings, input } };
}

/** For an unknown path the names in --input define its fields, so it is read first. */
async function inputOf(options: RequestOptions, runtime: Runtime): Promise<Input | undefined> {
  if (options.inputFile === undefined) return undefined;
  const { readInput } = await import('../../fields/input-json.js');
  return readInput(options.inputFile, options, runtime);
}

function refuseScheme({ path }: Operation, { scheme, signedValues, read }: RequestOptions): void {
  if ((scheme ?? signedValues ?? read) === undefined) return;
  throw wrongUse(`${path} is in the API: --scheme, --signed-values and --read are only for a path that is not`);
}

/** `/api/v2/sale` or `/api/v2/sale/4001`. */
function splitPath(path: string): { readonly known: `/api/${string}`; readonly endpointId: string | undefined } {
  if (cardNumbersIn(path).length > 0)
    throw wrongUse('the path holds a card number, which would be sent and kept in the open');
  const [, known, endpointId] = /^\/api\/([A-Za-z0-9-]+(?:\/[A-Za-z0-9-]+)*?)(?:\/(\d{1,19}))?$/.exec(path) ?? [];
  if (known === undefined) throw wrongUse('a path looks like /api/v2/sale, with or without an endpoint id at its end');
  return { known: `/api/${known}`, endpointId };
}

function undescribedOperation(path: `/api/${string}`, options: RequestOptions, input: Input | undefined): Operation {
  if (options.scheme === undefined)
    throw wrongUse(
      `${path} is not a path of the API; choose how to sign it with --scheme control, hmac-sha1, rsa-sha256 or none`,
    );
  const byFlag = (options.field ?? []).map((text) => text.slice(0, text.indexOf('=')));
  const names = [...byFlag, ...(input?.entries ?? []).map(([name]) => name)];
  const fields = Object.fromEntries(names.map((name) => [keyOf(name), fieldFor(name)]));
  return {
    id: 'REQUEST',
    command: `request ${path}`,
    path,
    examples: [],
    brief: 'A path that is not in the API',
    fields,
    rules: [],
    protection: protectionFor(options, names),
    records: { request: null, reply: 'AsyncResponse' },
    effect: options.read === true ? 'read' : 'money',
    opens: false,
    withoutAmount: 'unknown',
    basis: 'stated',
  };
}

// Keys that composing and classifying look for.
const keysByWire: Readonly<Record<string, string>> = {
  client_orderid: 'clientOrderId',
  'client-order-id': 'clientOrderId',
  orderid: 'orderId',
};

function keyOf(wire: string): string {
  return Object.hasOwn(keysByWire, wire) ? (keysByWire[wire] ?? wire) : wire;
}

const byHand: Omit<Field, 'wire' | 'need'> = { kind: 'opaque', meaning: 'a field by hand', basis: 'stated' };

/** A field name of the interface keeps its kind, and so its secrecy; any other is masked text. */
function fieldFor(wire: string): Field {
  const known = allFields.find((field) => field.wire === wire);
  const { kind, meaning, basis, values } = known ?? byHand;
  return { wire, kind, meaning, basis, need: 'optional', ...(values === undefined ? {} : { values }) };
}

function protectionFor({ scheme, signedValues }: RequestOptions, names: readonly string[]): PlainProtection {
  if (signedValues !== undefined && scheme !== 'control')
    throw wrongUse('--signed-values does nothing without --scheme control');
  if (scheme === 'hmac-sha1' || scheme === 'rsa-sha256' || scheme === 'none') return { scheme };
  const values = (signedValues ?? '').split(',').filter((name) => name !== '');
  const stranger = values.find((name) => name !== 'login' && name !== 'endpointId' && !names.includes(name));
  if (values.length === 0 || stranger !== undefined)
    throw wrongUse(
      '--scheme control needs --signed-values: the signed values in order, each a wire name of the request, login or endpointId',
    );
  return { scheme: 'control', values: values.map(keyOf) };
}
