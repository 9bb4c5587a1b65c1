import type { Runtime } from '../../../runtime/ports.js';
import {
  type ControlCase,
  controlHypotheses,
  type Mistake,
  type OauthCase,
  type OauthHypothesis,
  oauthHypotheses,
} from '../../../signing/diagnose/index.js';
import {
  type ControlStages,
  type NonceAndTimestamp,
  type OauthStages,
  percentEncode,
  requestSigning,
  Secret,
} from '../../../signing/index.js';
import { type Assume, allOperations, assumeDefaults, interfaceLabel, type Operation } from '../../../spec/index.js';
import { printableJson } from '../../../wire/redact.js';
import { defineCommand } from '../../core/define-command.js';
import { findOperation } from '../../core/operation-commands.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { headings } from './flags.js';
import { keyTexts, type VectorKeys, vectorKeys } from './vectors/keys.js';
import { requestsFor, type VectorRequest } from './vectors/requests.js';
import { type Seeded, seededBy } from './vectors/values.js';

interface VectorOptions extends CommonOptions {
  readonly seed?: string;
}

const aboutVectors = `Keys are derived from the seed, and are for tests only. The same seed always gives the same bytes.

  keys      uuid and reserved: control keys, the second with characters
            that are encoded in an HMAC key; rsa and rsaPublic: an RSA key
  vectors   a list of:
    scheme  control, hmac-sha1, rsa-sha256 or none
    assume  the switch that decides on the scheme, where there is one
    request method, url, login, endpointId, fields in the order they are
            sent, key (its name in keys); OAuth: nonce, timestamp,
            signatureMethod, version; control: amountInMinorUnits
    stages  control: slots, string (the key follows it), bytes, encoding;
            OAuth: encoded, sorted, parts, baseString, for HMAC signingKey
    result  control, or signature and authorization; and the body
    wrong   the result of one mistake: its name and variant (those of
            \`sign find-mistake\`) and the wrong control or signature`;

export const signVectors = defineCommand<VectorOptions>({
  name: 'sign vectors',
  summary: 'Test vectors in JSON for a client in any language',
  help: 'Test vectors in JSON for a client in any language, for one operation or all',
  heading: headings.client,
  usage: '[operation] [flags]',
  args: [['[operation...]', 'such as sale, or card-ref create; default: all']],
  options: [['--seed <text>', 'seed for keys, ids and values (paycli)']],
  examples: ['sign vectors sale', 'sign vectors --seed my-tests'],
  details: aboutVectors,
  effect: 'none',
  network: false,
  exits: [],
  prints: ['vectors'],
  run: ({ words, options, runtime }) => runSignVectors(words.join(' '), options, runtime),
});

/** Prints test vectors of one operation, or of all. No profile goes into them, and nobody's key. */
async function runSignVectors(name: string, options: VectorOptions, runtime: Runtime): Promise<number> {
  const rows = name === '' ? allOperations : [findOperation(name, 'sign vectors')];
  const seed = options.seed ?? 'paycli';
  const seeded = seededBy(seed);
  const keys = vectorKeys(seeded);
  const vectors = rows.flatMap((row) => vectorsOf(row, keys, seeded));
  const document = { schema: 'paycli.vectors/1', interface: interfaceLabel, seed, keys: keyTexts(keys), vectors };
  await new Reporter(options, undefined, runtime).show({
    document,
    list: 'vectors',
    // Nobody reads them but programs.
    sheet: () => ({
      columns: [{ head: 'id' }, { head: 'scheme' }, { head: 'about', flexible: true }],
      rows: vectors.map(({ id, scheme, about }) => [id, scheme, about]),
    }),
    text: () => printableJson(`${JSON.stringify(document, null, 2)}\n`),
  });
  return 0;
}

/** A request with its signature; further keys hold the rest. */
export interface Vector {
  readonly id: string;
  readonly about: string;
  readonly scheme: string;
}

/** The vectors of one operation, signed in each way that an assumption leaves open. */
export function vectorsOf(row: Operation, keys: VectorKeys, seeded: Seeded): readonly Vector[] {
  const { protection } = row;
  const settings =
    protection.scheme === 'switched'
      ? Object.keys(protection.values).map((value) => ({ [protection.by]: value }))
      : [{}];
  return settings.flatMap((setting) =>
    requestsFor(row, { ...assumeDefaults, ...setting }, seeded).map((request) => ({
      id: request.id,
      operation: row.id,
      about: request.about,
      assume: setting,
      scheme: request.unsigned.protection.scheme,
      ...signed(request, { ...assumeDefaults, ...setting }, keys, seeded),
    })),
  );
}

/** A request with everything that goes into its signature. */
interface Signing extends VectorRequest {
  readonly keys: VectorKeys;
  readonly controlKey: string;
  readonly fresh: NonceAndTimestamp;
}

function signed(request: VectorRequest, assume: Assume, keys: VectorKeys, seeded: Seeded): object {
  const { id, unsigned, login } = request;
  const controlName = request.style === 'plain' ? 'uuid' : 'reserved';
  const keyName = unsigned.protection.scheme === 'rsa-sha256' ? 'rsa' : controlName;
  const controlKey = keys[controlName];
  const fresh = {
    nonce: seeded.hex(`${id}/nonce`, 32),
    timestamp: String(1_893_456_000 + seeded.below(`${id}/timestamp`, 86_400)),
  };
  const credentials = { login, controlKey: new Secret(controlKey), privateKey: keys.rsa };
  const { stages, body } = requestSigning.sign(unsigned, credentials, assume, fresh);
  const sent = { method: 'POST', url: unsigned.url, login, endpointId: unsigned.endpointId, fields: unsigned.pairs };
  if (stages.scheme === 'none') return { request: sent, result: { body } };
  const signing: Signing = { ...request, keys, controlKey, fresh };
  const parts = stages.scheme === 'control' ? controlParts(stages, signing) : oauthParts(stages, signing);
  const { more, result, wrong } = parts;
  return { request: { ...sent, key: keyName, ...more }, stages: parts.stages, result: { ...result, body }, wrong };
}

function controlParts(
  { slots, string, length, encoding, digest }: ControlStages,
  { unsigned, login, controlKey, keys }: Signing,
) {
  const { minor, values, endpointId } = unsigned;
  const { amount: amountText, currency, email } = values;
  const others = {
    otherEndpoints: [String(Number(endpointId) + 1)],
    otherKeys: [{ name: 'another merchant', key: keys.other }],
  };
  const given = { slots, key: controlKey, encoding, amountText, currency, email, login, endpointId, ...others };
  return {
    more: minor === undefined ? {} : { amountInMinorUnits: minor },
    stages: { slots: slots.map(({ wire, value }) => [wire, value]), string, bytes: length, encoding },
    result: { control: digest },
    wrong: wrongControls(given, digest).map(({ name, variant, result }) => ({ name, variant, control: result })),
  };
}

function oauthParts(stages: OauthStages, { unsigned, login, controlKey, keys, fresh }: Signing) {
  const { encoded, sorted, parts, baseString, signature, header } = stages;
  const isRsa = stages.scheme === 'rsa-sha256';
  const signatureMethod = isRsa ? 'RSA-SHA256' : 'HMAC-SHA1';
  const common = {
    method: 'POST',
    url: unsigned.url,
    body: unsigned.pairs,
    consumerKey: login,
    ...fresh,
    hasVersion: true,
  };
  const key = isRsa ? { privateKey: keys.rsa.keyObject } : { secret: controlKey };
  return {
    more: { ...fresh, signatureMethod, version: '1.0' },
    stages: { encoded, sorted, parts, baseString, ...(isRsa ? {} : { signingKey: `${percentEncode(controlKey)}&` }) },
    result: { signature, authorization: header },
    wrong: wrongSignatures({ ...common, ...key, signatureMethod }, signature).map(({ name, variant, result }) => ({
      name,
      variant,
      signature: result,
    })),
  };
}

/** What comes out under one mistake, by the mistake's name. */
export interface WrongResult {
  readonly name: string;
  readonly variant: string;
  readonly result: string;
}

export function wrongControls(given: ControlCase, right: string): readonly WrongResult[] {
  const wrong = new WrongResults(right);
  for (const { mistakes, control } of controlHypotheses(given)) {
    const [mistake, second] = mistakes;
    // Pairs of mistakes come last, and are many.
    if (mistake === undefined || second !== undefined) break;
    wrong.add(mistake, () => control);
  }
  return wrong.all;
}

export function wrongSignatures(given: OauthCase, right: string): readonly WrongResult[] {
  const wrong = new WrongResults(right);
  for (const hypothesis of oauthHypotheses(given)) wrong.add(hypothesis.mistake, () => repeatable(hypothesis));
  return wrong.all;
}

/** A padding with chance in it gives another signature each time, which is no vector. */
function repeatable(hypothesis: OauthHypothesis): string | undefined {
  const result = hypothesis.sign();
  return hypothesis.mistake.name === 'rsa-key-or-method' && hypothesis.sign() !== result ? undefined : result;
}

/** One of each kind, and nothing that happens to be right. Of a kind that is there nothing more is signed. */
class WrongResults {
  readonly all: WrongResult[] = [];
  readonly #right: string;
  readonly #seen = new Set<string>();

  constructor(right: string) {
    this.#right = right;
  }

  add({ name, variant }: Mistake, sign: () => string | undefined): void {
    const kind = `${name} ${variant}`;
    if (this.#seen.has(kind)) return;
    const result = sign();
    if (result === undefined || result === this.#right) return;
    this.#seen.add(kind);
    this.all.push({ name, variant, result });
  }
}
