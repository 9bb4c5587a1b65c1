import { homely } from '../../config/paths.js';
import type { CheckVerdict } from '../../payments/credential-check.js';
import { keyFingerprint } from '../../signing/index.js';
import { supportText } from '../keys/support-text.js';
import { columns } from '../present/columns.js';
import type { Reporter } from '../reporter.js';
import type { Checked } from './checking.js';
import { facts, fits, hanging } from './layout.js';
import type { Guide, Setup } from './setup.js';

/** A command to try, and what it is good for. */
export interface Step {
  readonly command: string;
  readonly why: string;
}

/** What to send to support about the RSA key, if there is one. */
export function textForSupport({ values, rsa }: Setup): string | undefined {
  if (rsa === undefined) return undefined;
  const publicFile = rsa.publicFile ?? `${values.name}.pub.pem`;
  return supportText({ ...rsa, publicFile }, { profile: values.name, login: values.login, endpointId: values.endpointId });
}

/** Everything that will be, or was, written. */
export function planText({ values, store, rsa, planned }: Setup, { slot, options, runtime }: Guide): string {
  const short = (path: string) => homely(path, runtime.files.folders.home);
  const endpoints = Object.entries(values.endpoints).map(([key, id]) => `${key} ${id}`);
  const isReplaced = slot.current.profiles.has(values.name);
  const place = store.source.kind === 'file' ? `file ${short(store.source.path)}` : store.place;
  return facts([
    ['profile', `${values.name}, class ${values.class}${isReplaced ? ', in the place of the one of this name' : ''}`],
    [
      'default',
      planned.isDefault
        ? 'yes: commands use it unless told otherwise'
        : `no: choose it with --profile ${values.name}, or by \`paycli profile use ${values.name}\``,
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
    ...(options.supportText === undefined || rsa === undefined ? [] : [['support text', short(options.supportText)] as const]),
  ]);
}

/** What the gateway said to the new credentials, and what to do about it. */
export function checkText(checked: Checked, { values }: Setup, flags: string, { paint }: Reporter): string {
  const said = 'answer' in checked ? checked.answer : checked.reason;
  const order = 'clientOrderId' in checked ? checked.clientOrderId : 'check-1';
  const question = `status --client-order-id ${order}${flags}${values.class === 'live' ? ' --live' : ''}`;
  const lines: Readonly<Record<CheckVerdict | 'none', () => readonly string[]>> = {
    none: () => [
      hanging(
        '- ',
        `not checked: ${checked.reason}. To check it later, ask for a made-up order; to be told that there is none is a good sign:`,
      ),
      `    paycli ${question}\n`,
    ],
    good: () => [
      hanging(
        `${paint.good('✓')} `,
        `the gateway knows this login, endpoint and control key; asked for a made-up order it answered ${said}`,
      ),
    ],
    refused: () => [
      hanging(`${paint.bad('✗')} `, `the gateway refused a signed question about a made-up order: ${said}`),
      hanging('  ', 'The control key, login, endpoint id or base address may be wrong. This shows what was signed:'),
      `    paycli sign ${question} --explain\n`,
      hanging('  ', 'To put the profile right:'),
      `    paycli init --replace --name ${values.name}\n`,
    ],
    'not-sent': () => failed(`nothing was sent: ${checked.reason}`, unreached, question, paint),
    'no-answer': () => {
      const isReached = 'status' in checked && checked.status !== undefined;
      return failed(`no usable answer came: ${said}`, isReached ? unusable : unreached, question, paint);
    },
  };
  return lines[checked.verdict ?? 'none']().join('');
}

const unreached = 'Check the address and the network, then ask again:';
const unusable =
  'Something answered: check the address, ask again later, and show the words above to the support of the gateway if they stay:';

function failed(what: string, how: string, question: string, paint: Reporter['paint']): readonly string[] {
  return [hanging(`${paint.warn('!')} `, what), hanging('  ', `The profile is written all the same. ${how}`), `    paycli ${question}\n`];
}

/** What to send to support, set off from the rest. */
export function supportBlock(text: string, file: string | undefined): string {
  return `${hanging('', `Send this to the support of the gateway${file === undefined ? '' : ` (it is in ${file} as well)`}:`)}\n${text}`;
}

export function stepsText(steps: readonly Step[]): string {
  const beside = columns(steps.map(({ command, why }) => [`  ${command}`, why]));
  const below = steps.map(({ command, why }) => `  ${command}\n      ${why}\n`).join('');
  return `Try next:\n\n${fits(beside) ? beside : below}`;
}
