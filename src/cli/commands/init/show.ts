import type { EditedConfig } from '../../../config/edit.js';
import type { KeyStore } from '../../../config/key-store.js';
import { entriesBelow, type Layer } from '../../../config/layers.js';
import type { Secret } from '../../../wire/mask.js';
import type { SchemeCheck } from '../../core/credential-check.js';
import { judgeCheck } from '../profile/judge-check.js';
import type { RsaFile } from '../profile/keys.js';
import type { Guide } from './ask.js';

/** Everything to be written. */
export interface Setup {
  readonly name: string;
  readonly class: string;
  /** The profile as it will be. */
  readonly layer: Layer;
  readonly controlKey: Secret;
  /** Undefined where the control key of the replaced profile stays where it is. */
  readonly store: KeyStore | undefined;
  readonly rsa: RsaFile | undefined;
  readonly after: EditedConfig;
  readonly isDefault: boolean;
  /** Where the control key will be, fit for a message. */
  readonly keyPlace: string;
  readonly fingerprint: string;
}

/** The result of checking the new credentials, or why they were not checked. */
export type CheckResult = SchemeCheck | { readonly verdict: null; readonly reason: string };

const exits: Readonly<Record<string, number>> = { good: 0, refused: 4, 'not-sent': 6 };

/** Shows what was written, the gateway's answer, and next steps. Returns the exit code. */
export async function showResult(setup: Setup, checked: CheckResult, { report, asksAll }: Guide): Promise<number> {
  const { name, class: kind } = setup;
  const live = kind === 'live' ? ' --live' : '';
  const doctor = `paycli doctor --online --profile ${name}${live}`;
  const next = [doctor, `paycli sale --dry-run --profile ${name}${live}`];
  let exit = 0;
  let found = `- not checked: ${checked.reason}`;
  if (checked.verdict !== null) {
    exit = exits[checked.verdict] ?? 9;
    const { text, next: advice = '' } = judgeCheck(checked, 'control', name);
    found = `${exit === 0 ? report.paint.good('✓') : report.paint.bad('✗')} ${text}${exit === 0 ? '' : `; ${advice}`}`;
    report.noteStatus(checked.httpStatus);
    const repair = `profile ${name} was saved; \`paycli init --replace --name ${name}\` corrects it, and \`${doctor}\` checks it again`;
    if (exit !== 0) report.noteMeaning({ meaning: text, next: repair });
  }
  // With prompts, the user has just seen the rest.
  const plan = asksAll ? '' : report.columns(planRows(setup));
  await report.show({
    document: { ...toDocument(setup, checked), next, exit },
    text: () =>
      `${report.paint.good('✓')} profile ${name} was saved\n${plan}${found}\nTry next:\n${next.map((line) => `  ${line}\n`).join('')}`,
  });
  return exit;
}

/** The settings of a profile as they are shown. */
function valuesIn({ layer }: Setup) {
  return {
    baseUrl: layer['base-url']?.value ?? '',
    login: layer.login?.value ?? '',
    endpointId: layer['endpoint-id']?.value ?? '',
    endpoints: Object.fromEntries(entriesBelow(layer, 'endpoints').map(([key, { value }]) => [key, value])),
    maxAmount: layer['max-amount']?.value ?? [],
  };
}

function toDocument(setup: Setup, checked: CheckResult) {
  const { name, class: kind, store, after, isDefault, keyPlace, fingerprint, rsa } = setup;
  const { verdict, reason } = checked;
  const asked =
    verdict === null ? {} : { gatewayMessage: checked.gatewayMessage, clientOrderId: checked.clientOrderId };
  return {
    schema: 'paycli.init/1',
    ok: verdict === null || verdict === 'good',
    ...{ profile: name, class: kind, file: after.path, isDefault, ...valuesIn(setup) },
    controlKey: { store: store?.name ?? null, place: keyPlace, fingerprint },
    privateKey: rsa === undefined ? null : { file: rsa.file, bits: rsa.key.bits, fingerprint: rsa.key.fingerprint },
    check: { verdict, reason, ...asked },
  };
}

/** Names and values of everything that will be, or was, written. */
export function planRows(setup: Setup): string[][] {
  const { name, class: kind, isDefault, after, keyPlace, fingerprint, rsa } = setup;
  const { baseUrl, login, endpointId, endpoints, maxAmount } = valuesIn(setup);
  const others = Object.entries(endpoints).map(([key, id]) => `, ${key}=${id}`);
  return [
    ['profile', `${name}, class ${kind}${isDefault ? ', the default' : ''}`],
    ['file', after.path],
    ['base address', baseUrl],
    ['login', login],
    ['endpoint', `${endpointId}${others.join('')}`],
    ...(maxAmount.length === 0 ? [] : [['largest payment', maxAmount.join(', ')]]),
    ['control key', `fingerprint ${fingerprint}, in ${keyPlace}`],
    ...(rsa === undefined
      ? []
      : [['RSA key', `${rsa.key.bits} bits, in file ${rsa.file}, fingerprint ${rsa.key.fingerprint}`]]),
  ];
}

/** The built-in sandbox needs no setup: shows what to try with it. */
export async function showSandbox({ report, file }: Guide): Promise<number> {
  const isDefault = file.current.common.profile?.value === 'sandbox';
  const next = [
    'paycli sale --amount 10.42 --currency USD --test-card approved --wait --profile sandbox',
    'paycli sandbox outcomes',
    'paycli sandbox start',
  ];
  await report.show({
    document: {
      ...{ schema: 'paycli.init/1', ok: true, profile: 'sandbox', class: 'sandbox', file: null, isDefault },
      ...{ next, exit: 0 },
    },
    text: () =>
      `The built-in sandbox has keys and test cards of its own; --profile sandbox selects it.\nTry next:\n${next.map((line) => `  ${line}\n`).join('')}`,
  });
  return 0;
}
