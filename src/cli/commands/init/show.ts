import type { EditedConfig } from '../../../config/edit.js';
import { withTilde } from '../../../config/file-access.js';
import type { KeyStore } from '../../../config/key-store.js';
import type { Layer } from '../../../config/layers.js';
import { entriesBelow } from '../../../config/layers.js';
import type { Secret } from '../../../wire/mask.js';
import type { SchemeCheck } from '../../core/credential-check.js';
import type { RsaFile } from '../profile/keys.js';
import { overridesDefault } from '../profile/user-file.js';
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
  /** Settings of the replaced profile that stay as they were. */
  readonly kept: readonly string[];
  /** Where the control key will be, fit for a message. */
  readonly keyPlace: string;
  readonly fingerprint: string;
}

/** The result of checking the new credentials, or why they were not checked. */
export type CheckResult = SchemeCheck | { readonly verdict: null; readonly reason: string };

/** A command to try, and why. */
type Step = readonly [command: string, why: string];

/** Shows what was written, the gateway's answer, and next steps. Returns the exit code. */
export async function showResult(setup: Setup, checked: CheckResult, guide: Guide): Promise<number> {
  const { report, runtime, asksAll } = guide;
  const { name, class: kind } = setup;
  const isInForce = setup.isDefault && (await overridesDefault(name, runtime)) === undefined;
  const flags = `${isInForce ? '' : ` --profile ${name}`}${kind === 'live' ? ' --live' : ''}`;
  const doctor = `paycli doctor --online${flags}`;
  const steps: readonly Step[] = [
    [`paycli profile show --origins${flags.replace(' --live', '')}`, 'shows the profile in use; sends nothing'],
    [`paycli sale --dry-run${flags}`, 'shows a payment without sending it'],
    // The check tests only the control key, and gateway support needs a new RSA key first.
    [doctor, 'checks machine, profile and each key with the gateway'],
  ];
  const { exit, text: found } = presentCheck(checked, name, doctor, guide);
  if (checked.verdict !== null) report.noteStatus(checked.httpStatus);
  if (checked.verdict !== null && exit !== 0)
    report.noteMeaning({
      meaning: checked.verdict === 'not-sent' ? checked.reason : checked.answer,
      next: `profile ${name} was saved; \`paycli init --replace --name ${name}\` corrects it, and \`${doctor}\` checks it again`,
    });
  // With prompts, the user has just seen the rest.
  const plan = asksAll ? '' : report.columns(planRows(setup, guide));
  await report.show({
    document: { ...toDocument(setup, checked), next: steps.map(([line]) => line), exit },
    text: () => `${report.paint.good('✓')} profile ${name} was saved\n${plan}${found}\n${presentSteps(steps, guide)}`,
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
  const message = 'gatewayMessage' in checked ? { gatewayMessage: checked.gatewayMessage } : {};
  const asked = 'clientOrderId' in checked ? { ...message, clientOrderId: checked.clientOrderId } : {};
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
export function planRows(setup: Setup, { file, runtime }: Guide): string[][] {
  const { name, class: kind, isDefault, after, keyPlace, fingerprint, rsa } = setup;
  const { baseUrl, login, endpointId, endpoints, maxAmount } = valuesIn(setup);
  const short = (path: string) => withTilde(path, runtime.files.folders.home);
  const isReplaced = file.current.profiles.has(name);
  const others = Object.entries(endpoints).map(([key, id]) => `, ${key}=${id}`);
  return [
    ['profile', `${name}, class ${kind}${isReplaced ? ', replacing the existing one' : ''}`],
    [
      'default',
      isDefault
        ? 'yes: used unless another profile is named'
        : `no: select it with --profile ${name}, or make it the default with \`paycli profile set ${name} --default\``,
    ],
    ['file', short(after.path)],
    ['base address', baseUrl],
    ['login', login],
    ['endpoint', `${endpointId}${others.join('')}`],
    ...(maxAmount.length === 0 ? [] : [['largest payment', maxAmount.join(', ')]]),
    [
      'control key',
      `fingerprint ${fingerprint}, in ${keyPlace.replace(/^file (.*)$/, (_, path) => `file ${short(path)}`)}`,
    ],
    ...(rsa === undefined
      ? []
      : [['RSA key', `${rsa.key.bits} bits, in file ${short(rsa.file)}, fingerprint ${rsa.key.fingerprint}`]]),
  ];
}

/** The gateway's answer to the new credentials, what to do about it, and the exit code. */
function presentCheck(checked: CheckResult, name: string, doctor: string, { report: { paint } }: Guide) {
  const again = `\n  The profile was saved anyway; this checks it again:\n    ${doctor}\n`;
  switch (checked.verdict) {
    case null:
      return { exit: 0, text: `- not checked: ${checked.reason}. To check it later:\n    ${doctor}\n` };
    case 'good':
      return {
        exit: 0,
        text: `${paint.good('✓')} the gateway accepts this login, endpoint and control key; for a non-existent order it answered ${checked.answer}\n`,
      };
    case 'refused':
      return {
        exit: 4,
        text: `${paint.bad('✗')} the gateway refused a signed request for a non-existent order: ${checked.answer}
  The control key, login, endpoint id or base address may be wrong. To correct the profile:
    paycli init --replace --name ${name}\n`,
      };
    case 'not-sent':
      return {
        exit: 6,
        text: `${paint.warn('!')} nothing was sent: ${checked.reason}; ${checked.check ?? 'check the address and the network'}${again}`,
      };
    default:
      return {
        exit: 9,
        text: `${paint.warn('!')} no usable reply: ${checked.answer}; ${checked.check ?? 'check the address, and try again later'}${again}`,
      };
  }
}

function presentSteps(steps: readonly Step[], { report }: Guide): string {
  return `Try next:\n\n${report.columns(steps.map(([line, why]) => [`  ${line}`, why]))}`;
}

/** The built-in sandbox needs no setup: shows what to try with it. */
export async function showSandbox(guide: Guide): Promise<number> {
  const usual = guide.file.current.common.profile?.value;
  const isDefault = usual === 'sandbox';
  const flags = isDefault ? '' : ' --profile sandbox';
  const steps: readonly Step[] = [
    [`paycli sale --amount 10.42 --currency USD --test-card approved --wait${flags}`, 'a complete payment'],
    ['paycli sandbox outcomes', 'the test cards, and what each of them does'],
    ['paycli sandbox start', 'lets other programs use it, and shows a dashboard'],
  ];
  const other = usual === undefined ? '' : `; the default profile is ${usual}`;
  const when = isDefault
    ? 'It is the default profile.'
    : `Select it with --profile sandbox or PAYCLI_PROFILE=sandbox${other}.`;
  await guide.report.show({
    document: {
      ...{ schema: 'paycli.init/1', ok: true, profile: 'sandbox', class: 'sandbox', file: null, isDefault },
      ...{ next: steps.map(([line]) => line), exit: 0 },
    },
    text: () => `The built-in sandbox has keys and test cards of its own. ${when}\n\n${presentSteps(steps, guide)}`,
  });
  return 0;
}
