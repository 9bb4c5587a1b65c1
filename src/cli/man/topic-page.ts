import type { Topic } from '../help/topics/block.js';
import type { topics } from '../help/topics/index.js';
import { blocks, head, page, section } from './roff.js';
import { seeAlso } from './see-also.js';
import { signingSteps } from './signing-steps.js';

const related: Readonly<Record<keyof typeof topics, readonly string[]>> = {
  'exit-codes': ['paycli-money-safety(7)', 'paycli-output(7)'],
  'money-safety': ['paycli-resolve(1)', 'paycli-journal(1)', 'paycli-states(7)', 'paycli-live(7)'],
  states: ['paycli-flow(1)', 'paycli-can(1)', 'paycli-journal(1)', 'paycli-money-safety(7)'],
  live: ['paycli-live(1)', 'paycli-profiles(7)', 'paycli-money-safety(7)'],
  output: ['paycli-commands(1)', 'paycli-exit-codes(7)', 'paycli-environment(7)'],
  environment: ['paycli-config-explain(1)', 'paycli-config(5)', 'paycli-secrets(7)'],
  profiles: ['paycli-profile(1)', 'paycli-config(5)', 'paycli-secrets(7)'],
  secrets: ['paycli-profile-add(1)', 'paycli-config(5)', 'paycli-keys(1)'],
  signing: ['paycli-sign(1)', 'paycli-recipe(1)', 'paycli-keys(1)', 'paycli-assumptions(7)'],
  assumptions: ['paycli-assumptions(1)', 'paycli-recipe(1)', 'paycli-config(5)'],
  sandbox: ['paycli-sandbox(1)', 'paycli-callbacks(7)', 'paycli-3ds(7)'],
  '3ds': ['paycli-3ds(1)', 'paycli-upload-3ds(1)', 'paycli-sandbox(7)'],
  callbacks: ['paycli-callback(1)', 'paycli-wait(1)', 'paycli-sandbox-callbacks(1)'],
  batches: ['paycli-batch(1)', 'paycli-money-safety(7)', 'paycli-exit-codes(7)'],
};

/** The page of a help topic; that of signing goes on with the steps of both schemes. */
export function topicPage(name: keyof typeof topics, topic: Topic, version: string): string {
  return page([
    head(`paycli-${name}`, 7, topic.brief, version),
    section('DESCRIPTION'),
    blocks(topic.blocks()),
    name === 'signing' ? blocks(signingSteps()) : '',
    section('SEE ALSO'),
    seeAlso(['paycli(1)', ...related[name]]),
  ]);
}
