import { fail } from '../../../errors/index.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import type { Paint, Runtime } from '../../../runtime/ports.js';
import {
  type OauthCase,
  type OauthTheirs,
  oauthStagesOf,
  oauthStageTexts,
  type RawSignature,
  signOauthCase,
} from '../../../signing/diagnose/index.js';
import { type ControlEncoding, controlChecksum, type NonceAndTimestamp } from '../../../signing/index.js';
import type { Pair } from '../../../wire/form.js';
import { printable } from '../../../wire/redact.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { readJson, sourceOf } from '../../core/text-input.js';
import { stageTextOf } from './explanation.js';
import { headings, rawExample, rawFlags, stageFlag } from './flags.js';
import {
  holdsPublicKey,
  nonceAndTimestampIn,
  readPrivateKeyFile,
  readPublicKeyFile,
  readSecretFile,
  requireFlags,
  secondsNow,
} from './inputs.js';

/** The flags of `sign raw`, which `sign diff` and `sign find-mistake` take as well. */
export interface RawOptions extends CommonOptions {
  readonly method?: string;
  readonly url?: string;
  readonly signatureMethod?: 'HMAC-SHA1' | 'RSA-SHA256';
  readonly consumerKey?: string;
  readonly keyFile?: string;
  readonly tokenSecretFile?: string;
  readonly paramsFile?: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly token?: string;
  readonly realm?: string;
  /** False with --no-version. */
  readonly version?: boolean;
}

type Keys = Pick<OauthCase, 'secret' | 'tokenSecret' | 'privateKey' | 'publicKey'>;

/** The request to sign. Nonce and timestamp that are not given are made now. */
export async function caseToSign(options: RawOptions, report: Reporter, runtime: Runtime): Promise<OauthCase> {
  return caseOf(
    'sign raw',
    options,
    newNonceAndTimestamp(runtime),
    (path) => keysToSign(path, options, report, runtime),
    runtime,
  );
}

/**
 * The request whose signature is known; the public half of an RSA key is enough. Nonce and timestamp must be given
 * where the other side's text does not tell them.
 */
export async function caseToCompare(
  command: string,
  options: RawOptions,
  theirs: OauthTheirs,
  report: Reporter,
  runtime: Runtime,
): Promise<OauthCase> {
  if ('signature' in theirs)
    requireFlags(command, { ...requiredFlags(options), nonce: options.nonce, timestamp: options.timestamp });
  const keys = (path: string): Keys =>
    options.signatureMethod === 'RSA-SHA256' && holdsPublicKey(path, runtime)
      ? { publicKey: readPublicKeyFile(path, runtime).keyObject }
      : keysToSign(path, options, report, runtime);
  return { ...(await caseOf(command, options, nonceAndTimestampIn(theirs), keys, runtime)), now: secondsNow(runtime) };
}

function requiredFlags({ url, signatureMethod, consumerKey, keyFile }: RawOptions) {
  return { url, signatureMethod, consumerKey, keyFile };
}

async function caseOf(
  command: string,
  options: RawOptions,
  fresh: NonceAndTimestamp,
  keysIn: (path: string) => Keys,
  runtime: Runtime,
): Promise<OauthCase> {
  const { url, signatureMethod, consumerKey, keyFile } = requireFlags(command, requiredFlags(options));
  return {
    method: options.method ?? 'POST',
    url,
    body: options.paramsFile === undefined ? [] : await readPairs(options.paramsFile, runtime),
    signatureMethod,
    consumerKey,
    nonce: options.nonce ?? fresh.nonce,
    timestamp: options.timestamp ?? fresh.timestamp,
    hasVersion: options.version !== false,
    token: options.token,
    realm: options.realm,
    ...keysIn(keyFile),
  };
}

function keysToSign(path: string, options: RawOptions, report: Reporter, runtime: Runtime): Keys {
  const { signatureMethod, passphraseFile, tokenSecretFile } = options;
  if (signatureMethod === 'RSA-SHA256')
    return { privateKey: readPrivateKeyFile(path, passphraseFile, report, runtime).keyObject };
  const secret = readSecretFile(path, report, runtime);
  if (secret === '')
    throw fail('SECRET_UNREADABLE', { what: sourceOf(path), why: 'it is empty', how: 'put the consumer secret in it' });
  return { secret, tokenSecret: tokenSecretFile === undefined ? '' : readSecretFile(tokenSecretFile, report, runtime) };
}

/** `[["amount", "10.42"], …]`, in the order of the body. Throws TEXT_INVALID. */
async function readPairs(path: string, runtime: Runtime): Promise<readonly Pair[]> {
  const given = await readJson(path, runtime);
  const field = sourceOf(path);
  if (!Array.isArray(given))
    throw fail('TEXT_INVALID', { field, why: 'write it as a JSON array of pairs such as [["amount", "10.42"]]' });
  return given.map((item: unknown, at): Pair => {
    const [name, value, ...more]: readonly unknown[] = Array.isArray(item) ? item : [];
    if (typeof name !== 'string' || typeof value !== 'string' || more.length > 0)
      throw fail('TEXT_INVALID', {
        field,
        why: `write item ${at + 1} as two strings such as ["amount", "10.42"], with numbers in quotes too`,
      });
    return [name, value];
  });
}

export const signRaw = defineCommand<RawOptions>({
  name: 'sign raw',
  summary: 'Sign any address and any fields (OAuth 1.0a)',
  heading: headings.byHand,
  usage: '[flags]',
  options: [...rawFlags, stageFlag],
  examples: [`sign raw ${rawExample}`, `sign raw ${rawExample} --nonce a1b2 --timestamp 1893456000 --json`],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['raw'],
  run: ({ options, runtime }) => runSignRaw(options, runtime),
});

/** Signs a request given by hand. The JSON form is fixed: other programs read it. */
async function runSignRaw(options: RawOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const given = await caseToSign(options, report, runtime);
  if (options.stage !== undefined) {
    report.out(stageTextOf(oauthStageTexts(oauthStagesOf(given)), options.stage, false));
    return 0;
  }
  const signed = signOauthCase(given);
  await report.show({ isExact: true, document: { ...signed }, text: () => presentRaw(signed, report.paint) });
  return 0;
}

interface ControlOptions extends CommonOptions {
  readonly valuesFile?: string;
  readonly keyFile?: string;
  readonly encoding?: ControlEncoding;
}

export const signControl = defineCommand<ControlOptions>({
  name: 'sign control',
  summary: 'Compute the checksum (control) of the given values',
  heading: headings.byHand,
  usage: '[flags]',
  options: [
    ['--values-file <file>', 'a JSON array of strings, in the order of the recipe'],
    ['--key-file <file>', 'file with the merchant control key'],
    ['--encoding <form>', 'encoding of the checksum (hex-lower)', { choices: ['hex-lower', 'hex-upper', 'base64'] }],
  ],
  examples: ['sign control --values-file values.json --key-file control.key'],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['control'],
  run: ({ options, runtime }) => runSignControl(options, runtime),
});

/** The checksum over values given by hand. */
async function runSignControl(options: ControlOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { encoding } = options;
  const { valuesFile, keyFile } = requireFlags('sign control', {
    valuesFile: options.valuesFile,
    keyFile: options.keyFile,
  });
  const values = await readValues(valuesFile, runtime);
  const key = readSecretFile(keyFile, report, runtime);
  if (key === '')
    throw fail('SECRET_UNREADABLE', { what: sourceOf(keyFile), why: 'it is empty', how: 'put the control key in it' });
  const made = {
    string: values.join(''),
    control: controlChecksum(values, key, encoding === undefined ? {} : { encoding }),
  };
  await report.show({ isExact: true, document: made, text: () => presentRawControl(made, values, report.paint) });
  return 0;
}

async function readValues(path: string, runtime: Runtime): Promise<readonly string[]> {
  const given = await readJson(path, runtime);
  const field = sourceOf(path);
  if (!Array.isArray(given))
    throw fail('TEXT_INVALID', {
      field,
      why: 'write it as a JSON array of strings such as ["1144", "902B4FF5", "1042"]',
    });
  return given.map((item: unknown, at) => {
    if (typeof item === 'string') return item;
    throw fail('TEXT_INVALID', {
      field,
      why: `item ${at + 1} is not a string; write numbers in quotes, and an omitted value as ""`,
    });
  });
}

/** A signature made by hand, for people. */
export function presentRaw({ baseString, signature, authorization, parameters }: RawSignature, paint: Paint): string {
  const pairs = parameters.map(([name, value]) => `  ${paint.name(name)}=${value}\n`);
  return [
    `${paint.bold('Parameters')}, encoded and sorted\n${pairs.join('')}`,
    `${paint.bold('Base string')} (${Buffer.byteLength(baseString)} bytes)\n  ${baseString}\n`,
    `${paint.bold('Signature')}\n  ${paint.good(signature)}\n`,
    `${paint.bold('Authorization')}\n  ${printable(authorization)}\n`,
  ].join('');
}

export interface RawControl {
  readonly string: string;
  readonly control: string;
}

/** A checksum made by hand, for people. */
export function presentRawControl({ string, control }: RawControl, values: readonly string[], paint: Paint): string {
  const marked = values.map((value) => `[${printable(value)}]`).join(' ');
  return [
    `${paint.bold('String')} (brackets and the spaces between them are not part of it; the control key follows)\n  ${marked} [control key]\n`,
    `${paint.bold('Without key')} (${Buffer.byteLength(string)} bytes)\n  ${printable(string)}\n`,
    `${paint.bold('Control')}\n  ${paint.good(control)}\n`,
  ].join('');
}
