import type { Paint } from '../../runtime/ports.js';
import type { OauthStages } from '../../signing/index.js';
import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';

/**
 * Every stage of RFC 5849 3.4.1 in its order. What the next stage changes is coloured, and said in words at the end of the line.
 * `bytes` is the length of the true base string, which a masked one does not have.
 */
export function explainOauth(stages: OauthStages, bytes: number, paint: Paint): string {
  const stage = (title: string, rows: readonly (readonly string[])[]) => `${paint.bold(title)}\n${columns(rows.map(indented))}`;
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
      ['address', marked(url, paint)],
      ['parameters', marked(parameters, paint)],
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
    marked(name, paint, paint.name),
    value === '' ? paint.dim('(empty)') : marked(value, paint),
    encodings(name + value),
  ]);
}

/** Pairs that sorting moves, with the place they go to. */
function encodedRows({ encoded, sorted }: OauthStages, paint: Paint): string[][] {
  const left: (Pair | undefined)[] = [...sorted];
  return encoded.map((pair, at) => {
    const place = left.findIndex((other) => other?.[0] === pair[0] && other[1] === pair[1]);
    left[place] = undefined;
    return [pairText(pair, paint), place === at ? '' : paint.warn(`to place ${place + 1}`)];
  });
}

function pairText([name, value]: Pair, paint: Paint): string {
  return `${paint.name(name)}=${paint.bold(value)}`;
}

/** The two & between the parts, which no encoding touches. */
function baseText(text: string, paint: Paint): string {
  return text.split('&').join(paint.bold('&'));
}

const changing = /[^A-Za-z0-9\-._~]/gu;

function marked(text: string, paint: Paint, plain = paint.bold): string {
  const pieces = text.split(/([^A-Za-z0-9\-._~]+)/u);
  return pieces.map((piece, at) => (piece === '' ? '' : at % 2 === 1 ? paint.warn(printable(piece)) : plain(piece))).join('');
}

const mostShown = 6;

/** Each character that encoding changes, with what becomes of it. */
function encodings(text: string): string {
  const chars = [...new Set(text.match(changing) ?? [])].filter((char) => char.isWellFormed());
  const shown = chars.slice(0, mostShown).map((char) => `${char === ' ' ? 'blank' : printable(char)} is ${percentEncode(char)}`);
  return `${shown.join(', ')}${chars.length > mostShown ? ', …' : ''}`;
}
