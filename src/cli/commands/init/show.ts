import { keyFacts } from '../profile/save.js';
import { overridesDefault } from '../profile/user-profile.js';
import type { CheckResult, InitContext, NewSetup } from './setup.js';
import {
  checkText,
  hangingIndent,
  outColumns,
  planText,
  questionOf,
  type Step,
  stepsText,
  supportBlock,
} from './text.js';

/** A profile that was written. */
interface InitResult {
  readonly setup: NewSetup;
  readonly checked: CheckResult;
  readonly support: string | undefined;
}

const exits: Readonly<Record<string, number>> = { good: 0, refused: 4, 'not-sent': 6 };

/** Shows what was written, the gateway's answer, what support needs, and next steps. Returns the exit code. */
export async function showResult(done: InitResult, guide: InitContext): Promise<number> {
  const { setup, checked } = done;
  const { planned, values } = setup;
  const isInForce = planned.isDefault && (await overridesDefault(values.name, guide.runtime)) === undefined;
  const flags = isInForce ? '' : ` --profile ${values.name}`;
  const steps = stepsWith(flags, values.class === 'live' ? ' --live' : '', setup.rsa !== undefined);
  const exit = checked.verdict === null ? 0 : (exits[checked.verdict] ?? 9);
  if (checked.verdict !== null) guide.report.noteStatus(checked.httpStatus);
  if (checked.verdict !== null && checked.verdict !== 'good')
    guide.report.noteMeaning({
      meaning: checked.verdict === 'not-sent' ? checked.reason : checked.answer,
      next: afterCheck(done, flags),
    });
  const document = { ...documentOf(done, guide), next: steps.map(({ command }) => command), exit };
  await guide.report.show({ isExact: true, document, text: () => textOf(done, flags, steps, guide) });
  return exit;
}

/** For programs; on a terminal the result has it in more words. */
function afterCheck({ setup, checked }: InitResult, flags: string): string {
  const { name } = setup.values;
  return `profile ${name} was saved; \`paycli init --replace --name ${name}\` corrects it, and \`paycli ${questionOf(checked, setup, flags)}\` checks it again`;
}

function stepsWith(flags: string, live: string, hasRsa: boolean): readonly Step[] {
  return [
    { command: `paycli profile show --origins${flags}`, why: 'shows the profile in use; sends nothing' },
    { command: `paycli sale --dry-run${flags}${live}`, why: 'shows a payment without sending it' },
    // The check tests only the control key, and gateway support needs a new RSA key first.
    hasRsa
      ? {
          command: `paycli doctor --online${flags}${live}`,
          why: 'checks each key with the gateway, once support has the RSA key',
        }
      : { command: `paycli doctor${flags}`, why: 'checks keys, clock, disk' },
  ];
}

function documentOf({ setup, checked, support }: InitResult, { options, slot, runtime }: InitContext) {
  const { values, store, rsa, planned } = setup;
  return {
    schema: 'paycli.init/1',
    ok: checked.verdict === null || checked.verdict === 'good',
    profile: values.name,
    class: values.class,
    file: planned.after.path,
    isDefault: planned.isDefault,
    baseUrl: values.baseUrl,
    login: values.login,
    endpointId: values.endpointId,
    endpoints: values.endpoints,
    maxAmount: values.maxAmount,
    controlKey: keyFacts(values, store, slot, runtime),
    privateKey:
      rsa === undefined
        ? null
        : {
            file: rsa.file,
            isNew: rsa.files.length > 0,
            publicKeyFile: rsa.publicFile ?? null,
            bits: rsa.bits,
            fingerprint: rsa.fingerprint,
            publicKey: rsa.pem,
          },
    check: checkDocument(checked),
    supportText: support ?? null,
    supportTextFile: support === undefined ? null : (options.supportText ?? null),
  };
}

/** The document of the check; its text is in the result anyway. */
function checkDocument(checked: CheckResult) {
  if (checked.verdict === null) return checked;
  const { verdict, reason, gatewayMessage, clientOrderId } = checked;
  return { verdict, reason, ...(gatewayMessage === undefined ? {} : { gatewayMessage }), clientOrderId };
}

function textOf(
  { setup, checked, support }: InitResult,
  flags: string,
  steps: readonly Step[],
  guide: InitContext,
): string {
  const { values } = setup;
  const { paint } = guide.report;
  const width = outColumns(guide.runtime);
  const parts = [
    // With prompts, the user has just seen the rest.
    `${paint.good('✓')} profile ${values.name} was saved\n${guide.asksAll ? '' : planText(setup, guide, width)}${checkText(checked, setup, flags, guide)}`,
    ...(support === undefined ? [] : [supportBlock(support, guide.options.supportText, width)]),
    stepsText(steps, width),
  ];
  return parts.join('\n');
}

/** The built-in sandbox needs no setup: shows what to try with it. */
export async function showSandbox({ slot, report, runtime }: InitContext): Promise<number> {
  const usual = slot.current.defaultProfile?.value;
  const isDefault = usual === 'sandbox';
  const flags = isDefault ? '' : ' --profile sandbox';
  const steps: readonly Step[] = [
    {
      command: `paycli sale --amount 10.42 --currency USD --test-card approved --wait${flags}`,
      why: 'a complete payment',
    },
    { command: 'paycli sandbox outcomes', why: 'the test cards, and what each of them does' },
    { command: 'paycli sandbox start', why: 'lets other programs use it, and shows a dashboard' },
  ];
  const document = {
    schema: 'paycli.init/1',
    ok: true,
    profile: 'sandbox',
    class: 'sandbox',
    file: null,
    isDefault,
    next: steps.map(({ command }) => command),
    exit: 0,
  };
  const other = usual === undefined ? '' : `; the default profile is ${usual}`;
  const when = isDefault
    ? 'It is the default profile.'
    : `Select it with --profile sandbox or PAYCLI_PROFILE=sandbox${other}.`;
  const about = `The built-in sandbox has keys and test cards of its own. ${when}`;
  const width = outColumns(runtime);
  const text = () => `${hangingIndent('', about, width)}\n${stepsText(steps, width)}`;
  await report.show({ isExact: true, document, text });
  return 0;
}
