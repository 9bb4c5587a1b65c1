import { loadProfile } from '../../../config/index.js';
import {
  type Assume,
  allOperations,
  assumeDefaults,
  type Field,
  interfaceLabel,
  type KindName,
  kindOf,
  type Operation,
  type ReplyField,
  replies,
} from '../../../spec/index.js';
import { fieldsInForce, formOf, maxLength, protectionOf } from '../../../wire/check.js';
import { defineCommand } from '../../command.js';
import { connectionFlags } from '../../flags.js';

const { profile, baseUrl } = connectionFlags;

export const exportOpenapi = defineCommand({
  summary: 'Print the interface as an OpenAPI 3.1 document, as JSON',
  help: 'All operations, with the fields, replies and signatures that the assumptions of the profile lead to. What OpenAPI has no words for stands in x-signature and x-basis.',
  flags: { profile, baseUrl },
  examples: ['export openapi'],
  effect: 'local',
  result: [],
  run: async ({ flags, runtime }) => {
    const loaded = await loadProfile({ profile: flags.profile, overrides: flags, isOptional: true }, runtime);
    const { assume = assumeDefaults, baseUrl: base = sandboxBase } = loaded.profile ?? {};
    runtime.terminal.out(`${JSON.stringify(openapiDocument(assume, base), undefined, 2)}\n`);
    return 0;
  },
});

/** Where `sandbox start` listens unless it is told otherwise. */
export const sandboxBase = 'http://127.0.0.1:8484/gateway';

type Schema = Readonly<Record<string, unknown>>;

const mediaType = 'application/vnd.pay+json';

/** The interface under these assumptions. */
export function openapiDocument(assume: Assume, baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Card processing gateway',
      version: interfaceLabel,
      license: { name: 'MIT', identifier: 'MIT' },
      description: `Every operation is a POST of a form. The header Accept must be exactly ${mediaType}. An empty value counts as absent. x-basis says what rests on an assumption: see \`paycli assumptions\`.`,
    },
    servers: [{ url: baseUrl }],
    'x-assumptions': assume,
    paths: Object.fromEntries(
      allOperations.map((row) => [`${row.path}/{endpointId}`, { post: operationObject(row, assume) }]),
    ),
    components: {
      parameters: {
        endpointId: {
          ...{ name: 'endpointId', in: 'path', required: true, description: 'the endpoint, or endpoint group' },
          schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
        },
      },
      schemas: Object.fromEntries(
        Object.entries(replies).map(([name, { types, fields }]) => [name, replySchema(types, Object.values(fields))]),
      ),
      responses: {
        Refused: response('refused, and nothing was done', 'ValidationErrorResponse'),
        Failed: response('failed; money may have moved', 'ServerErrorResponse'),
      },
      securitySchemes: {
        oauth: { type: 'http', scheme: 'OAuth', description: 'OAuth 1.0 (RFC 5849) without a token; see x-signature' },
      },
    },
  };
}

function operationObject(row: Operation, assume: Assume): Schema {
  const signature = describeSignature(row, assume);
  return {
    operationId: row.id,
    summary: row.brief,
    parameters: [{ $ref: '#/components/parameters/endpointId' }],
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: requestSchema(row, assume) } },
    },
    responses: {
      200: response(row.records.reply, row.records.reply),
      '4XX': { $ref: '#/components/responses/Refused' },
      '5XX': { $ref: '#/components/responses/Failed' },
    },
    security: 'method' in signature ? [{ oauth: [] }] : [],
    'x-command': `paycli ${row.command}`,
    'x-effect': row.effect,
    'x-signature': signature,
    'x-basis': row.basis,
  };
}

function response(description: string, record: string) {
  return { description, content: { [mediaType]: { schema: { $ref: `#/components/schemas/${record}` } } } };
}

/** How a request is signed. The values of a checksum go by their names on the wire. */
export function describeSignature(row: Operation, assume: Assume) {
  const protection = protectionOf(row, assume);
  if (protection.scheme === 'none') return { scheme: 'none' } as const;
  if (protection.scheme === 'control') {
    const values = protection.values.map((key) => row.fields[key]?.wire ?? key);
    const recipe = `SHA-1 of these values joined with nothing between them, then the control key, as UTF-8; written as ${assume['control-encoding']} in the field control. endpointId is that of the path, login the merchant login; an amount counts in minor units (10.42 is 1042); an absent value adds nothing.`;
    return { scheme: 'control', values, recipe } as const;
  }
  const method = protection.scheme === 'hmac-sha1' ? 'HMAC-SHA1' : 'RSA-SHA256';
  const key =
    method === 'HMAC-SHA1' ? 'the control key, then & (no token secret)' : 'the RSA private key (PKCS #1 v1.5)';
  const recipe = `The header Authorization of RFC 5849 with ${method} over its base string (3.4.1): method, address without query, and all form fields and oauth_* parameters, encoded and sorted. oauth_consumer_key is the merchant login. Signed with ${key}.`;
  return { scheme: protection.scheme, method, recipe } as const;
}

function requestSchema(row: Operation, assume: Assume): Schema {
  const fields = fieldsInForce(row, assume);
  const properties = Object.fromEntries(fields.map(([, field]) => [field.wire, fieldSchema(field, assume)]));
  const required = fields.filter(([, { need }]) => need === 'required').map(([, { wire }]) => wire);
  const isSummed = protectionOf(row, assume).scheme === 'control';
  const control = { type: 'string', pattern: '^(?:[0-9A-Fa-f]{40}|[A-Za-z0-9+/]{27}=)$', description: 'the checksum' };
  return {
    type: 'object',
    properties: isSummed ? { ...properties, control } : properties,
    required: isSummed ? [...required, 'control'] : required,
  };
}

function fieldSchema(field: Field, assume: Assume): Schema {
  const { kind, meaning, values, basis } = field;
  const { form, pattern } = formOf(field, assume);
  return {
    type: 'string',
    description: values === undefined ? `${meaning}: ${form}` : meaning,
    ...(values === undefined ? { pattern: pattern.source, maxLength: maxLength(field, assume) } : { enum: values }),
    ...(kindOf(kind).secrecy === 'secret' ? { format: 'password' } : {}),
    'x-kind': kind,
    'x-basis': basis,
  };
}

/** Kinds of which it is known what their values look like, each with one. */
const formed: Partial<Readonly<Record<string, string>>> = {
  gatewayId: '112233',
  serial: '00000000-0000-4000-8000-000000000017',
  currency: 'EUR',
  uuid: '00000000-0000-4000-8000-000000000017',
  digits: '4001',
  url: 'https://gateway.example/page',
} satisfies Partial<Record<KindName, string>>;

function replySchema(types: readonly string[], fields: readonly ReplyField[]): Schema {
  const properties = fields.map(({ wire, kind, meaning, secrecy }) => {
    const example = formed[kind];
    const form = example === undefined ? {} : { pattern: kindOf(kind as KindName).pattern.source, examples: [example] };
    const shown = secrecy === 'open' ? {} : { 'x-secrecy': secrecy };
    return [wire, { type: 'string', description: meaning, ...(wire === 'type' ? { enum: types } : form), ...shown }];
  });
  const required = fields.filter(({ when }) => when === 'always').map(({ wire }) => wire);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}
