import { withTilde } from '../../../config/file-access.js';
import { secretLocation } from '../../../config/settings.js';
import { widthOf } from '../../../errors/text-width.js';
import type { Runtime } from '../../../runtime/ports.js';
import { keyFingerprint } from '../../../signing/index.js';
import { printable } from '../../../wire/redact.js';
import { columns } from '../../format/columns.js';
import { supportText } from '../keys/new-pair.js';
import type { CheckResult, InitContext, NewSetup } from './setup.js';

const usual = 80;

/** Columns of standard output, as texts are folded for it. */
export function outColumns({ terminal }: Pick<Runtime, 'terminal'>): number {
  return terminal.isOutTty ? terminal.width : usual;
}

/** The same of standard error. */
export function errColumns({ terminal }: Pick<Runtime, 'terminal'>): number {
  return terminal.errWidth ?? usual;
}

/** Names and values, no line wider than so many columns unless one word is. */
function factLines(rows: readonly (readonly [name: string, text: string])[], width: number): string {
  const room = Math.max(...rows.map(([name]) => widthOf(name))) + 2;
  return rows
    .flatMap(([name, text]) =>
      folded(printable(text), width - room - 2).map((line, at) => {
        const start = at === 0 ? name.padEnd(room) : ' '.repeat(room);
        if (widthOf(line) <= width - room - 2) return `  ${start}${line}`;
        return at === 0 ? `  ${name}\n    ${line}` : `    ${line}`;
      }),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** A text after a mark or spaces; further lines are indented to where it began. */
export function hangingIndent(first: string, text: string, width: number): string {
  const blanks = ' '.repeat(widthOf(first));
  const lines = folded(printable(text), width - blanks.length);
  return lines.map((line, at) => `${at === 0 ? first : blanks}${line}\n`).join('');
}

function folded(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \n\t]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** True when no line is too wide. */
function fits(text: string, width: number): boolean {
  return text.split('\n').every((line) => widthOf(line) <= width);
}

/** A command to try, and why. */
export interface Step {
  readonly command: string;
  readonly why: string;
}

/** What to send to support about the RSA key, if there is one. */
export function textForSupport({ values, rsa }: NewSetup): string | undefined {
  if (rsa === undefined) return undefined;
  const publicFile = rsa.publicFile ?? `${values.name}.pub.pem`;
  return supportText(
    { ...rsa, publicFile },
    { profile: values.name, login: values.login, endpointId: values.endpointId },
  );
}

/** The text of everything that will be, or was, written. */
export function planText(
  { values, store, rsa, planned }: NewSetup,
  { slot, options, runtime }: InitContext,
  width: number,
): string {
  const short = (path: string) => withTilde(path, runtime.files.folders.home);
  const endpoints = Object.entries(values.endpoints).map(([key, id]) => `${key} ${id}`);
  const isReplaced = slot.current.profiles.has(values.name);
  const source = store?.source ?? values.keptKey;
  const place =
    source?.kind === 'file' ? `file ${short(source.path)}` : source === undefined ? '' : secretLocation(source);
  const rows: readonly (readonly [string, string])[] = [
    ['profile', `${values.name}, class ${values.class}${isReplaced ? ', replacing the existing one' : ''}`],
    [
      'default',
      planned.isDefault
        ? 'yes: used unless another profile is named'
        : `no: select it with --profile ${values.name}, or make it the default with \`paycli profile set ${values.name} --default\``,
    ],
    ['file', short(planned.after.path)],
    ['base address', values.baseUrl],
    ['login', values.login],
    ['endpoint', [values.endpointId, ...endpoints].join(', ')],
    ...(values.maxAmount.length === 0 ? [] : [['largest payment', values.maxAmount.join(', ')] as const]),
    ['control key', `fingerprint ${keyFingerprint(values.controlKey.open())}, in ${place}`],
    ...(rsa === undefined
      ? []
      : [
          ['RSA key', `${rsa.bits} bits, in file ${short(rsa.file)}${rsa.files.length > 0 ? ' (new)' : ''}`] as const,
          ['its fingerprint', rsa.fingerprint] as const,
        ]),
    ...(options.supportText === undefined || rsa === undefined
      ? []
      : [['support text', short(options.supportText)] as const]),
  ];
  return factLines(rows, width);
}

/** The gateway's answer to the new credentials, and what to do about it. */
export function checkText(
  checked: CheckResult,
  { values }: NewSetup,
  flags: string,
  { report: { paint }, runtime }: Pick<InitContext, 'report' | 'runtime'>,
): string {
  const width = outColumns(runtime);
  const hang = (first: string, text: string) => hangingIndent(first, text, width);
  const failedLines = (what: string, how: string) => [
    hang(`${paint.warn('!')} `, what),
    hang('  ', `The profile was saved anyway. ${how}`),
    `    paycli ${question}\n`,
  ];
  const answer = 'answer' in checked ? checked.answer : checked.reason;
  const question = questionOf(checked, { values }, flags);
  const lines: Readonly<Partial<Record<string, () => readonly string[]>>> = {
    none: () => [
      hang(
        '- ',
        `not checked: ${checked.reason}. To check it later, query a non-existent order; "order not found" is the expected answer:`,
      ),
      `    paycli ${question}\n`,
    ],
    good: () => [
      hang(
        `${paint.good('✓')} `,
        `the gateway accepts this login, endpoint and control key; for a non-existent order it answered ${answer}`,
      ),
    ],
    refused: () => [
      hang(`${paint.bad('✗')} `, `the gateway refused a signed request for a non-existent order: ${answer}`),
      hang('  ', 'The control key, login, endpoint id or base address may be wrong. This shows what was signed:'),
      `    paycli sign ${question} --explain\n`,
      hang('  ', 'To correct the profile:'),
      `    paycli init --replace --name ${values.name}\n`,
    ],
    'not-sent': () => failedLines(`nothing was sent: ${checked.reason}`, unsentText(checked)),
  };
  const shown = lines[checked.verdict ?? 'none']?.();
  return (shown ?? failedLines(`no usable reply: ${answer}`, unansweredText(checked))).join('');
}

/** The command, without the word `paycli`, that checks the profile again. */
export function questionOf(checked: CheckResult, { values }: Pick<NewSetup, 'values'>, flags: string): string {
  const order = 'clientOrderId' in checked ? checked.clientOrderId : 'check-1';
  return `status --client-order-id ${order}${flags}${values.class === 'live' ? ' --live' : ''}`;
}

function unsentText(checked: CheckResult): string {
  if (!('check' in checked) || checked.check === undefined) return unreachedText;
  return `${checked.check.charAt(0).toUpperCase()}${checked.check.slice(1)}, then try again:`;
}

function unansweredText(checked: CheckResult): string {
  const isReached = 'httpStatus' in checked && checked.httpStatus !== undefined;
  if (isReached && 'check' in checked && checked.check !== undefined) return unsentText(checked);
  return isReached ? unusableText : unreachedText;
}

const unreachedText = 'Check the address and the network, then try again:';
const unusableText =
  'A server answered: check the address and try again later; if the reply stays the same, send it to gateway support:';

/** The block of text to send to support. */
export function supportBlock(text: string, file: string | undefined, width: number): string {
  const where = file === undefined ? '' : ` (also saved in ${file})`;
  return `${hangingIndent('', `Send this to gateway support${where}:`, width)}\n${text}`;
}

export function stepsText(steps: readonly Step[], width: number): string {
  const beside = columns(steps.map(({ command, why }) => [`  ${command}`, why]));
  const below = steps.map(({ command, why }) => `  ${command}\n      ${why}\n`).join('');
  return `Try next:\n\n${fits(beside, width) ? beside : below}`;
}
