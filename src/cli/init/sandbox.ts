import { hanging } from './layout.js';
import type { Guide } from './setup.js';
import { type Step, stepsText } from './words.js';

/** The sandbox in the box needs nothing: shows what to try with it. */
export async function showSandbox({ slot, report }: Guide): Promise<number> {
  const usual = slot.current.defaultProfile?.value ?? 'sandbox';
  const isDefault = usual === 'sandbox';
  const flags = isDefault ? '' : ' --profile sandbox';
  const steps: readonly Step[] = [
    { command: `paycli sale --amount 10.42 --currency USD --test-card approved --wait${flags}`, why: 'a payment, from start to end' },
    { command: 'paycli sandbox outcomes', why: 'the test cards, and what each of them does' },
    { command: 'paycli sandbox start', why: 'lets other programs in, and shows a dashboard' },
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
  const when = isDefault
    ? 'It answers whenever no profile is chosen.'
    : `It answers to --profile sandbox; the default profile is ${usual}.`;
  const about = `The sandbox in the box has keys and test cards of its own. ${when}`;
  await report.show({ document, text: () => `${hanging('', about)}\n${stepsText(steps)}` });
  return 0;
}
