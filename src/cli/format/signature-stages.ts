import type { Paint } from '../../runtime/ports.js';
import {
  type ControlStages,
  controlEncoding,
  controlRecipe,
  type OauthStages,
  type SignatureStages,
} from '../../signing/index.js';
import type { Assume, Operation, PlainProtection } from '../../spec/index.js';
import { type Pair, percentEncode } from '../../wire/form.js';
import { isMask } from '../../wire/mask.js';
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

/**
 * Every stage of RFC 5849 3.4.1 in order. What the next stage changes is coloured and named at the end of the line.
 * `bytes` is the length of the unmasked base string.
 */
function explainOauth(stages: OauthStages, bytes: number, report: Layout): string {
  const { paint } = report;
  const stage = (title: string, rows: readonly (readonly string[])[]) =>
    `${paint.bold(title)}\n${report.columns(rows.map(indented))}`;
  const { method, url, parameters } = stages.parts;
  return [
    stage('1 Parameters, by source (and what encoding will change)', sourceRows(stages, paint)),
    stage('2 Percent-encoded, RFC 3986 (and where sorting will put it)', encodedRows(stages, paint)),
    stage(
      '3 Sorted by encoded name, then value',
      stages.sorted.map((pair) => [pairText(pair, paint)]),
    ),
    stage('4 The three parts (= will be %3D, & %26 and % %25)', [
      ['method', method],
      ['address', highlighted(url, paint)],
      ['parameters', highlighted(parameters, paint)],
    ]),
    `${paint.bold(`5 Base string (${bytes} bytes)`)}\n  ${baseText(stages.baseString, paint)}\n`,
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

function indented(row: readonly string[]): readonly string[] {
  const [first = '', ...rest] = row;
  return [`  ${first}`, ...rest];
}

function sourceRows({ pairs }: OauthStages, paint: Paint): string[][] {
  return pairs.map(({ source, name, value }) => [
    source,
    highlighted(name, paint, paint.name),
    value === '' ? paint.dim('(empty)') : isMask(value) ? paint.bold(value) : highlighted(value, paint),
    encodings(isMask(value) ? name : name + value),
  ]);
}

/** Encoded pairs; those that sorting moves with their new position. */
function encodedRows({ encoded, sorted }: OauthStages, paint: Paint): string[][] {
  const unplaced: (Pair | undefined)[] = [...sorted];
  return encoded.map((pair, at) => {
    const place = unplaced.findIndex((other) => other?.[0] === pair[0] && other[1] === pair[1]);
    unplaced[place] = undefined;
    return [pairText(pair, paint), place === at ? '' : paint.warn(`moves to position ${place + 1}`)];
  });
}

function pairText([name, value]: Pair, paint: Paint): string {
  return `${paint.name(name)}=${paint.bold(value)}`;
}

/** Highlights the two & between the parts. */
function baseText(text: string, paint: Paint): string {
  return text.split('&').join(paint.bold('&'));
}

const changing = /[^A-Za-z0-9\-._~]/gu;

function highlighted(text: string, paint: Paint, plain = paint.bold): string {
  const pieces = text.split(/([^A-Za-z0-9\-._~]+)/u);
  return pieces
    .map((piece, at) => (piece === '' ? '' : at % 2 === 1 ? paint.warn(printable(piece)) : plain(piece)))
    .join('');
}

const maxShown = 6;

/** Each character that encoding changes, with its encoded form. */
function encodings(text: string): string {
  const chars = [...new Set(text.match(changing) ?? [])].filter((char) => char.isWellFormed());
  const shown = chars
    .slice(0, maxShown)
    .map((char) => `${char === ' ' ? 'blank' : printable(char)} is ${percentEncode(char)}`);
  return `${shown.join(', ')}${chars.length > maxShown ? ', …' : ''}`;
}
