import { loadProfile } from '../../../config/index.js';
import script from '../../../signing/templates/postman.node.mjs';
import {
  type Assume,
  allOperations,
  assumeDefaults,
  type Field,
  kindOf,
  type Operation,
  testCards,
} from '../../../spec/index.js';
import { isoDigits } from '../../../wire/amount.js';
import { fieldsInForce } from '../../../wire/check.js';
import { defineCommand, on } from '../../command.js';
import { connectionFlags } from '../../flags.js';
import { describeSignature, sandboxBase } from './openapi.js';

const { profile, baseUrl, login, endpointId } = connectionFlags;

export const exportPostman = defineCommand({
  summary: 'Print a Postman collection of all operations, or the environment of a profile',
  help: 'The collection signs its requests itself: checksums and HMAC-SHA1, for which the environment needs the control key, in a secret variable that is exported empty. Operations with RSA-SHA256 are in a folder of their own, as Postman cannot sign those.',
  flags: {
    environment: on('print the environment of the profile, or of the sandbox, instead'),
    ...{ profile, baseUrl, login, endpointId },
  },
  examples: ['export postman', 'export postman --environment'],
  effect: 'local',
  result: [],
  run: async ({ flags, runtime }) => {
    const loaded = await loadProfile({ profile: flags.profile, overrides: flags, isOptional: true }, runtime);
    const { assume = assumeDefaults, ...connection } = loaded.profile ?? sandbox;
    const document = flags.environment === true ? environmentDocument(connection) : postmanCollection(assume);
    runtime.terminal.out(`${JSON.stringify(document, undefined, 2)}\n`);
    return 0;
  },
});

interface Connection {
  readonly name: string;
  readonly baseUrl: string;
  readonly login: string;
  readonly endpointId: string | undefined;
}

const sandbox: Connection & { readonly assume?: Assume } = {
  ...{ name: 'sandbox', baseUrl: sandboxBase, login: 'sandbox', endpointId: '4001' },
};

function environmentDocument(connection: Connection) {
  const variable = (key: string, value: string, type = 'default') => ({ key, value, type, enabled: true });
  return {
    name: `paycli ${connection.name}`,
    values: [
      variable('base_url', connection.baseUrl),
      variable('login', connection.login),
      variable('endpoint_id', connection.endpointId ?? ''),
      variable('control_key', '', 'secret'),
    ],
    _postman_variable_scope: 'environment',
  };
}

// Each follows on an earlier one; a hold can be voided or captured, so there are two.
const runnable = [
  ...['SALE', 'STATUS', 'CARDREF', 'CARDINFO', 'REBILL', 'RETURN'],
  ...['PREAUTH', 'VOID', 'PREAUTH', 'CAPTURE'],
];

/** A request for each operation, in an order in which they can be run. */
export function postmanCollection(assume: Assume) {
  const rows = (ids: readonly string[]) => ids.flatMap((id) => allOperations.filter((row) => row.id === id));
  const isRsa = (row: Operation) => describeSignature(row, assume).scheme === 'rsa-sha256';
  const isUpload = ({ answers }: Operation) => answers !== undefined;
  const first = rows(runnable);
  const plain = allOperations.filter((row) => !isRsa(row) && !isUpload(row) && !first.includes(row));
  const folder = (name: string, members: readonly Operation[]) => ({
    name,
    item: members.map((row) => requestItem(row, assume)),
  });
  return {
    info: { name: 'paycli', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    item: [
      folder('Can be run in this order', [...first, ...plain]),
      folder('Results of 3-D Secure, for an order that waits for one', allOperations.filter(isUpload)),
      folder('Signed with RSA-SHA256, which Postman cannot', allOperations.filter(isRsa)),
    ],
    event: [scriptEvent('prerequest', `${scriptFacts(assume)}\n${script}`), scriptEvent('test', keepIds)],
  };
}

function scriptEvent(listen: string, text: string) {
  return { listen, script: { type: 'text/javascript', exec: text.trimEnd().split('\n') } };
}

/** What the script knows of the interface. */
function scriptFacts(assume: Assume): string {
  const signatures = allOperations.map((row) => {
    const signature = describeSignature(row, assume);
    return [row.command, { scheme: signature.scheme, values: 'values' in signature ? signature.values : [] }];
  });
  const digits = Object.fromEntries([...isoDigits].filter(([, count]) => count !== 2));
  const written = {
    'hex-upper': 'sum.toString().toUpperCase()',
    base64: 'hashes.enc.Base64.stringify(sum)',
  }[assume['control-encoding']];
  return [
    `const signatures = ${JSON.stringify(Object.fromEntries(signatures))};`,
    `const digits = ${JSON.stringify(digits)};`,
    `const written = (sum) => ${written ?? 'sum.toString()'};`,
    `const hmacKey = (key) => ${assume['hmac-key-encoding'] === 'raw' ? 'key' : 'encode(key)'};`,
  ].join('\n');
}

const keepIds = `pm.test('accepted', () => pm.response.to.have.status(200));
const reply = pm.response.json();
const keep = (name, value) => value && pm.collectionVariables.set(name, value);
keep(pm.info.requestName + '_order', reply['paynet-order-id']);
keep(pm.info.requestName + '_id', reply['merchant-order-id']);
keep('card_ref', reply['card-ref-id']);`;

function requestItem(row: Operation, assume: Assume) {
  const signature = describeSignature(row, assume);
  const headers = [['Accept', 'application/vnd.pay+json'], ...('method' in signature ? [authorization] : [])];
  const url = `{{base_url}}${row.path}/{{endpoint_id}}`;
  const fields = fieldsInForce(row, assume).map(([, field]) => formEntry(row, field));
  const control = { key: 'control', value: '{{control}}', type: 'text' };
  return {
    name: row.command,
    request: {
      method: 'POST',
      description: row.brief,
      header: headers.map(([key, value]) => ({ key, value })),
      url: { raw: url, host: ['{{base_url}}'], path: [...row.path.slice(1).split('/'), '{{endpoint_id}}'] },
      body: { mode: 'urlencoded', urlencoded: signature.scheme === 'control' ? [...fields, control] : fields },
    },
  };
}

const authorization = ['Authorization', '{{authorization}}'];

/** Optional fields that one of several groups needs, or without which a request says little. */
const alsoSent: Readonly<Record<string, readonly string[]>> = {
  STATUS: ['client_orderid', 'orderid'],
  PAYOUT: ['account_number', 'bank_name', 'bank_branch'],
  PAN_ELIGIBILITY_SEND: ['sending-card-ref-id'],
};

function formEntry(row: Operation, field: Field) {
  const { wire, kind, need, meaning, values } = field;
  const isSent = need === 'required' || alsoSent[row.id]?.includes(wire) === true;
  const value = sampleValues[wire] ?? sampleByKind(row, field) ?? values?.[0] ?? kindOf(kind).placeholder;
  return { key: wire, value, type: 'text', description: meaning, ...(isSent ? {} : { disabled: true }) };
}

/** The operation whose order a request follows on, where that is not the sale. */
const follows: Readonly<Record<string, string>> = {
  CAPTURE: 'preauth',
  VOID: 'preauth',
  PAYOUT_V4_PAY: 'payout check',
};

function sampleByKind({ id, opens }: Operation, { kind, wire }: Field): string | undefined {
  const earlier = follows[id] ?? 'sale';
  if (kind === 'clientOrderId')
    return opens || id === 'PAN_ELIGIBILITY_SEND' ? '{{new_order_id}}' : `{{${earlier}_id}}`;
  if (kind === 'gatewayId') return wire === 'orderid' ? `{{${earlier}_order}}` : '{{card_ref}}';
  return kind === 'cardNumber' ? testCards[0]?.number : undefined;
}

const sampleValues: Readonly<Record<string, string>> = {
  login: '{{login}}',
  amount: '10.42',
  currency: 'EUR',
  card_printed_name: 'JANE DOE',
  expire_year: '{{expire_year}}',
  cvv2: testCards[0]?.cvv ?? '',
  order_desc: 'Two tickets',
  email: 'jane@example.com',
  address1: 'Example Street 1',
  city: 'Berlin',
  zip_code: '10115',
  redirect_url: 'https://shop.example/return',
  account_number: 'DE02120300000000202051',
  bank_name: 'DKB',
  bank_branch: 'Berlin',
};
