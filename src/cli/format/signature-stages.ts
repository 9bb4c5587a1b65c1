import {
  type ControlStages,
  controlEncoding,
  controlRecipe,
  type OauthStages,
  type SignatureStages,
} from '../../signing/index.js';
import type { Assume, Operation, PlainProtection } from '../../spec/index.js';
import type { Pair } from '../../wire/form.js';
import { printable } from '../../wire/redact.js';
import type { Layout } from './document.js';

/** What an operation is signed with, in words. */
export function recipeWords(row: Operation, protection: PlainProtection, assume: Assume): string {
  switch (protection.scheme) {
    case 'none':
      return 'nothing is signed';
    case 'control':
      return controlRecipe(row, protection.values, controlEncoding(assume));
    case 'hmac-sha1':
      return 'OAuth 1.0a HMAC-SHA1 over all fields';
    case 'rsa-sha256':
      return 'OAuth 1.0a RSA-SHA256 over all fields';
  }
}

/** How a signature was computed. `bytes` is the length of what was signed, before masking. */
export function presentStages(stages: SignatureStages, bytes: number, report: Layout): string {
  if (stages.scheme === 'none')
    return `${report.paint.bold('Signature')}\n  none: no signature is documented for this operation\n`;
  return stages.scheme === 'control' ? explainControl(stages, bytes, report) : explainOauth(stages, bytes, report);
}

function explainControl(stages: ControlStages, bytes: number, report: Layout): string {
  const { paint } = report;
  const slots = stages.slots.map(({ wire, name, value }) => [
    `  ${paint.name(wire)}`,
    value === '' ? paint.dim('(empty)') : paint.bold(printable(value)),
    name === 'amount' && value !== '' ? 'in minor units' : '',
  ]);
  const marked = stages.slots
    .map(({ value }) => `${paint.dim('[')}${paint.bold(printable(value))}${paint.dim(']')}`)
    .join(' ');
  return [
    `${paint.bold('Control')} SHA-1 of these values and the merchant control key, without separators\n`,
    report.columns(slots),
    `${paint.bold('String')} (brackets and the spaces between them are not part of it; the control key follows)\n  ${marked} [control key]\n`,
    report.columns([
      ['  without key', printable(stages.string)],
      ['  length', `${bytes} bytes without the key`],
      ['  key fingerprint', stages.keyFingerprint],
      ['  encoded as', stages.encoding],
      ['  control', paint.good(stages.digest)],
    ]),
  ].join('');
}

/** Every stage of RFC 5849 3.4.1 in order. `bytes` is the length of the unmasked base string. */
function explainOauth(stages: OauthStages, bytes: number, report: Layout): string {
  const { paint } = report;
  const stage = (title: string, rows: readonly (readonly string[])[]) =>
    `${paint.bold(title)}\n${report.columns(rows.map(([first = '', ...rest]) => [`  ${first}`, ...rest]))}`;
  const { method, url, parameters } = stages.parts;
  const pairText = ([name, value]: Pair) => `${paint.name(name)}=${paint.bold(value)}`;
  const sources = stages.pairs.map(({ source, name, value }) => [
    ...[source, paint.name(printable(name))],
    value === '' ? paint.dim('(empty)') : paint.bold(printable(value)),
  ]);
  return [
    stage('1 Parameters, by source', sources),
    stage(
      '2 Percent-encoded, RFC 3986',
      stages.encoded.map((pair) => [pairText(pair)]),
    ),
    stage(
      '3 Sorted by encoded name, then value',
      stages.sorted.map((pair) => [pairText(pair)]),
    ),
    stage('4 The three parts (= will be %3D, & %26 and % %25)', [
      ['method', method],
      ['address', url],
      ['parameters', parameters],
    ]),
    `${paint.bold(`5 Base string (${bytes} bytes)`)}\n  ${stages.baseString}\n`,
    stage('6 Key', [
      ['form', stages.key.form],
      ['fingerprint', stages.key.fingerprint],
    ]),
    stage('7 Result', [
      ['signature', paint.good(stages.signature)],
      ['Authorization', stages.header],
    ]),
  ].join('');
}

/** How openssl makes the same. */
export function presentOpenssl(
  lines: readonly string[],
  { scheme }: Pick<SignatureStages, 'scheme'>,
  { paint }: Layout,
): string {
  const key = scheme === 'rsa-sha256' ? 'the private key in rsa.pem' : 'the control key in control.key';
  return `${paint.bold('With openssl')}, in sh, with ${key}\n${lines.map((line) => `  ${printable(line)}\n`).join('')}`;
}
