import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { type Assumption, assumptionNamed, isFixedAssumption } from '../../../spec/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { connectionFlags } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { type InterfaceSettings, readInterfaceSettings } from '../../open-session.js';
import { type AssumptionFacts, actors, affectedText, factsOf, suggestAssumption } from './list.js';

export const assumptionsExplain = defineCommand({
  name: 'assumptions explain',
  summary: 'One assumption in full',
  args: [['<id>', 'A07, or its switch name']],
  options: connectionFlags,
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['assumption'],
  run: ({ args: [id = ''], options, runtime }) => runAssumptionsExplain(id, options, runtime),
});

/** Prints one assumption in full. Throws USAGE for an unknown name. */
async function runAssumptionsExplain(name: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const assumption = assumptionNamed(name);
  if (assumption === undefined && !isFixedAssumption(name))
    throw fail('USAGE', {
      why: `there is no assumption ${name.slice(0, 40)}${suggestAssumption(name)}`,
      command: 'assumptions list',
    });
  const settings = await readInterfaceSettings(options, runtime);
  const report = new Reporter(options, settings, runtime);
  await (assumption === undefined
    ? explainFixed(name.toUpperCase(), settings, report)
    : explain(assumption, settings, report));
  return 0;
}

function explainFixed(id: string, { name }: InterfaceSettings, report: Reporter): Promise<void> {
  const about = 'cannot be switched; `paycli help assumptions` says what is assumed';
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: name, id, about },
    text: () => `${id} ${about}\n`,
  });
}

function explain(assumption: Assumption, settings: InterfaceSettings, report: Reporter): Promise<void> {
  const row = factsOf(assumption, settings);
  return report.show({
    document: { schema: 'paycli.assumption/1', profile: settings.name, ...row },
    text: () =>
      `${report.paint.bold(`${row.id} ${row.switch}`)}\n${row.about}\n${report.columns([
        ['  value', `${row.value} (${row.origin})`],
        ['  default', row.default],
        ['  others', row.others.join(', ')],
        [
          '  source',
          row.source === 'public'
            ? 'public documentation of related gateways'
            : 'no source; the safest choice for money',
        ],
        ['  applies to', actors[row.acts]],
        ['  concerns', affectedText(row.dependents)],
        ...howToSwitch(row),
      ])}`,
  });
}

/** How to change it: in the profile, in the sandbox, or in both. */
function howToSwitch({ switch: name, others, acts }: AssumptionFacts): string[][] {
  const [other = ''] = others;
  const inSandbox = `paycli sandbox start --assume ${name}=${other}`;
  if (acts === 'sandbox') return [['  to change it', inSandbox]];
  const inProfile = ['  to change it', `paycli profile set NAME --assume ${name}=${other}`];
  return acts === 'both' ? [inProfile, ['  in the sandbox', inSandbox]] : [inProfile];
}
