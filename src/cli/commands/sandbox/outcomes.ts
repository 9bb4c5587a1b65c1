import { fail, suggest } from '../../../errors/index.js';
import { amountEndings, cvvOutcomes, paresAmounts, testCards, testNumbers } from '../../../spec/index.js';
import { defineCommand, word } from '../../command.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { withSandbox } from '../../sandbox-session.js';

export const sandboxOutcomes = defineCommand({
  summary: 'Test cards, codes, amounts and names, and their outcomes; `outcomes next NAME` queues one',
  args: {
    next: { text: 'the literal word next', isOptional: true },
    outcome: { text: 'the outcome of the next order', isOptional: true },
  },
  flags: {
    clientOrderId: word('<id>', 'only for requests with this id'),
    order: word('<id>', 'only for follow-ups on this order (gateway order id)'),
    login: word('<login>', 'for this merchant (default: the built-in one)'),
    ...outputFlags,
  },
  examples: ['sandbox outcomes', 'sandbox outcomes next declined'],
  effect: 'local',
  result: ['outcomes'],
  async run({ args: { next, outcome }, flags, runtime }) {
    const { queueableOutcomes } = await import('../../../sandbox/outcomes.js');
    if (next === undefined) {
      await showCatalogue(queueableOutcomes, new Reporter(flags, undefined, runtime));
      return 0;
    }
    if (next !== 'next' || outcome === undefined || !Object.hasOwn(queueableOutcomes, outcome)) {
      const names = Object.keys(queueableOutcomes);
      throw fail('USAGE', {
        why: `\`paycli sandbox outcomes next\` takes the name of an outcome${suggest(outcome ?? '', names, `: ${names.join(', ')}`)}`,
      });
    }
    return withSandbox(flags, runtime, async (sandbox, report) => {
      const { login, clientOrderId, order: orderId } = flags;
      const merchant = sandbox.queueOutcome(outcome, { login, clientOrderId, orderId });
      report.notes([`queued for merchant ${merchant}: ${outcome}`]);
      return 0;
    });
  },
});

/** Shows what each test card, security code and amount leads to, and each outcome that can be queued. */
function showCatalogue(outcomes: Readonly<Record<string, string>>, report: Reporter): Promise<void> {
  const { paint } = report;
  const otherNumbers = testNumbers.filter((number) => testCards.every((card) => card.number !== number));
  return report.show({
    document: {
      schema: 'paycli.outcomes/1',
      ...{ testCards, testNumbers, cvv: cvvOutcomes, paresAmounts, amountEndings, queueable: outcomes },
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
        `${paint.bold('Queued')} for the next order: paycli sandbox outcomes next NAME\n`,
        report.columns(Object.entries(outcomes).map(([name, about]) => [`  ${name}`, about])),
        `${paint.bold('Numbers')} also accepted by the sandbox: ${otherNumbers.join(' ')}\n`,
      ].join(''),
  });
}
