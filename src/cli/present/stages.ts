import type { Paint } from '../../runtime/ports.js';
import type { ControlStages, OauthStages, Stages } from '../../signing/index.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';

/** How a signature came about. Without `explain`, only what was signed and the result. */
export function presentStages(stages: Stages, explain: boolean, paint: Paint): string {
  switch (stages.scheme) {
    case 'none':
      return `${paint.bold('Signature')}\n  none: the interface shows none for this operation\n`;
    case 'control':
      return explain
        ? explainControl(stages, paint)
        : columns([
            ['string', printable(stages.string)],
            ['control', stages.digest],
          ]);
    default:
      return explain
        ? explainOauth(stages, paint)
        : columns([
            ['base string', stages.baseString],
            ['signature', stages.signature],
            ['Authorization', stages.header],
          ]);
  }
}

function explainControl(stages: ControlStages, paint: Paint): string {
  const slots = stages.slots.map(({ wire, name, value }) => [
    `  ${wire}`,
    value === '' ? paint.dim('(empty)') : printable(value),
    name === 'amount' ? 'in minor units' : '',
  ]);
  const marked = stages.slots.map(({ value }) => `[${printable(value)}]`).join('');
  return [
    `${paint.bold('Control')} SHA-1 of these values and the merchant control key, nothing between them\n`,
    columns(slots),
    `${paint.bold('String')} (brackets mark the values and are not part of it; the control key follows)\n  ${marked}[control key]\n`,
    columns([
      ['  without key', printable(stages.string)],
      ['  length', `${stages.length} bytes without the key`],
      ['  key fingerprint', stages.keyFingerprint],
      ['  written as', stages.encoding],
      ['  control', paint.good(stages.digest)],
    ]),
  ].join('');
}

function explainOauth(stages: OauthStages, paint: Paint): string {
  const stage = (title: string, body: string) => `${paint.bold(title)}\n${body}`;
  const list = (pairs: readonly (readonly [string, string])[]) => pairs.map(([name, value]) => `  ${paint.name(name)}=${value}\n`).join('');
  const sources = stages.pairs.map(({ source, name, value }) => [
    `  ${source}`,
    printable(name),
    value === '' ? paint.dim('(empty)') : printable(value),
  ]);
  return [
    stage('1 Parameters, by source', columns(sources)),
    stage('2 Percent-encoded (RFC 3986)', list(stages.encoded)),
    stage('3 Sorted by encoded name, then value', list(stages.sorted)),
    stage(
      '4 The three parts',
      columns([
        ['  method', stages.parts.method],
        ['  address', stages.parts.url],
        ['  parameters', stages.parts.parameters],
      ]),
    ),
    stage(`5 Base string (${Buffer.byteLength(stages.baseString)} bytes)`, `  ${stages.baseString}\n`),
    stage(
      '6 Key',
      columns([
        ['  form', stages.key.form],
        ['  fingerprint', stages.key.fingerprint],
      ]),
    ),
    stage(
      '7 Result',
      columns([
        ['  signature', paint.good(stages.signature)],
        ['  Authorization', stages.header],
      ]),
    ),
  ].join('');
}
