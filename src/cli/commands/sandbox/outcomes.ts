import { fail, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { amountEndings, cvvOutcomes, holderWord, paresAmounts, testCards, testNumbers } from '../../../spec/index.js';
import { secretIn } from '../../../wire/secret-names.js';
import { defineCommand } from '../../core/define-command.js';
import { openLocalSandbox } from '../../core/local-sandbox.js';
import type { CommonOptions } from '../../core/options.js';
import { nameFlag } from '../../core/other-sandboxes.js';
import { Reporter } from '../../core/reporter.js';
import { otherMerchants } from './which-sandbox.js';

interface OutcomeOptions extends CommonOptions {
  readonly clientOrderId?: string;
  readonly order?: string;
}

export const sandboxOutcomes = defineCommand<OutcomeOptions>({
  name: 'sandbox outcomes',
  summary: 'Test cards, codes, amounts and names, and their outcomes; `outcomes next NAME` queues one',
  args: [
    ['[next]', 'the literal word next'],
    ['[outcome]', 'the outcome of the next order'],
  ],
  options: [
    ['--client-order-id <id>', 'only for requests with this id'],
    ['--order <id>', 'only for follow-ups on this order (gateway order id)'],
    ['--login <login>', 'for this merchant (default: the built-in one)'],
  ],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['outcomes'],
  run: ({ args: [next, outcome], options, runtime }) => runSandboxOutcomes(next, outcome, options, runtime),
});

/** Shows the catalogue of outcomes, or queues one for a later request. */
async function runSandboxOutcomes(
  next: string | undefined,
  outcome: string | undefined,
  options: OutcomeOptions,
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { queueableOutcomes } = await import('../../../sandbox/ledger/outcomes.js');
  if (next === undefined) {
    await showCatalogue(queueableOutcomes, nameFlag(runtime), report);
    return 0;
  }
  const names = Object.keys(queueableOutcomes);
  if (next !== 'next' || outcome === undefined || !Object.hasOwn(queueableOutcomes, outcome))
    throw fail('outcomeNotNamed', {
      hint: suggest(outcome ?? '', names, `: ${names.join(', ')}`),
      command: 'sandbox outcomes',
    });
  const sandbox = await openLocalSandbox(runtime);
  try {
    const { login, clientOrderId, order: orderId } = options;
    const merchant = sandbox.queueOutcome(outcome, { login, clientOrderId, orderId });
    const whose =
      orderId !== undefined
        ? `the next follow-up on order ${orderId}`
        : clientOrderId === undefined
          ? 'the next order'
          : secretIn(clientOrderId) === undefined
            ? `order ${clientOrderId}`
            : 'that order';
    report.notes([`queued for merchant ${merchant}: ${whose} ends as ${outcome}`]);
    if (login === undefined && orderId === undefined) report.notes(await otherMerchants(sandbox));
    return 0;
  } finally {
    sandbox.close();
  }
}

function showCatalogue(queueable: Readonly<Record<string, string>>, flag: string, report: Reporter): Promise<void> {
  const { paint } = report;
  const others = testNumbers.filter((number) => testCards.every((card) => card.number !== number));
  return report.show({
    document: {
      ...{ schema: 'paycli.outcomes/1', testCards, testNumbers, cvv: cvvOutcomes, paresAmounts },
      ...{ amountEndings, holderWord, queueable },
    },
    text: () =>
      [
        `${paint.bold('Test cards')} (--test-card NAME)\n`,
        report.columns(testCards.map((card) => [`  ${card.name}`, card.number, `CVV ${card.cvv}`, card.about])),
        `${paint.bold('Security codes')} on any test card; every other code is declined\n`,
        report.columns(Object.entries(cvvOutcomes).map(([code, name]) => [`  ${code}`, name])),
        `${paint.bold('Amounts')} that start 3-D Secure 1.0.2: ${paresAmounts.join(', ')}\n`,
        `${paint.bold('Amount endings')} when no security code is sent\n`,
        report.columns(Object.entries(amountEndings).map(([ending, name]) => [`  .${ending}`, name])),
        `${paint.bold('Cardholder names')} such as "${holderWord} FUNDS" or "${holderWord} 3DS CHALLENGE": \
${holderWord} and a name from the queued list below\n`,
        `${paint.bold('Queued')} for the next order: paycli sandbox outcomes next NAME${flag}\n`,
        report.columns(Object.entries(queueable).map(([name, about]) => [`  ${name}`, about])),
        `${paint.bold('Numbers')} also accepted by the sandbox: ${others.join(' ')}\n`,
      ].join(''),
  });
}
