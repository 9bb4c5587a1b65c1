import type { Paint } from '../../runtime/ports.js';
import type { ControlStages, Stages } from '../../signing/index.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';
import { explainOauth } from './oauth-stages.js';

/** How a signature came about. Without `explain`, only what was signed and the result. `bytes` of what was signed, before any mask. */
export function presentStages(stages: Stages, bytes: number, explain: boolean, paint: Paint): string {
  switch (stages.scheme) {
    case 'none':
      return `${paint.bold('Signature')}\n  none: the interface shows none for this operation\n`;
    case 'control':
      return explain
        ? explainControl(stages, bytes, paint)
        : columns([
            ['string', printable(stages.string)],
            ['control', stages.digest],
          ]);
    default:
      return explain
        ? explainOauth(stages, bytes, paint)
        : columns([
            ['base string', stages.baseString],
            ['signature', stages.signature],
            ['Authorization', stages.header],
          ]);
  }
}

function explainControl(stages: ControlStages, bytes: number, paint: Paint): string {
  const slots = stages.slots.map(({ wire, name, value }) => [
    `  ${paint.name(wire)}`,
    value === '' ? paint.dim('(empty)') : paint.bold(printable(value)),
    name === 'amount' && value !== '' ? 'in minor units' : '',
  ]);
  const marked = stages.slots.map(({ value }) => `${paint.dim('[')}${paint.bold(printable(value))}${paint.dim(']')}`).join('');
  return [
    `${paint.bold('Control')} SHA-1 of these values and the merchant control key, nothing between them\n`,
    columns(slots),
    `${paint.bold('String')} (brackets mark the values and are not part of it; the control key follows)\n  ${marked}[control key]\n`,
    columns([
      ['  without key', printable(stages.string)],
      ['  length', `${bytes} bytes without the key`],
      ['  key fingerprint', stages.keyFingerprint],
      ['  written as', stages.encoding],
      ['  control', paint.good(stages.digest)],
    ]),
  ].join('');
}
