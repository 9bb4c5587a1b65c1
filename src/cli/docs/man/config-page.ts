import { type Block, heading, lines, table, text } from '../block.js';
import { exampleFile } from '../topics.js';
import { type ConfigKey, fileKeys, profileKeys } from './config-keys.js';
import { blocks, bold, escaped, head, italic, item, page, section, seeAlso } from './roff.js';

export function configPage(version: string): string {
  return page([
    head('paycli-config', 5, 'configuration files of paycli', version),
    section('DESCRIPTION'),
    blocks(about),
    section('KEYS OF A FILE'),
    keyItems(fileKeys),
    section('KEYS OF A PROFILE'),
    blocks([text('Of the sources of one secret only one may be set.')]),
    keyItems(profileKeys),
    section('EXAMPLES'),
    blocks([text('A user file:'), exampleFile(), text('A project file that needs no trust:'), lines(...projectFile)]),
    section('FILES'),
    item(
      bold('~/.config/paycli/config.yaml'),
      'the user file, or config.yml, or config.json; only one of them may be there. XDG_CONFIG_HOME and \
PAYCLI_CONFIG_DIR move it',
    ),
    item(
      bold('.paycli.yaml'),
      'a project file, or .paycli.yml, or .paycli.json: looked for in the working folder and above it, up to the root \
of the repository',
    ),
    item(bold('~/.local/state/paycli/trust.json'), 'the project files that were trusted, each by its digest'),
    section('SEE ALSO'),
    seeAlso([
      'paycli(1)',
      'paycli-profile(1)',
      'paycli-config-explain(1)',
      'paycli-config-trust(1)',
      'paycli-profiles(7)',
      'paycli-secrets(7)',
      'paycli-environment(7)',
    ]),
  ]);
}

/** For a project; it needs no trust. */
export const projectFile = ['default-profile: shop-test', 'output: json', 'defaults: { order-desc: Test order }'];

const about: readonly Block[] = [
  text(
    'Configuration is YAML or JSON and is never executed. A key nobody knows is an error that names the one that may \
have been meant.',
  ),
  text(
    'A flag goes before a variable, a variable before the project file, that before the user file. `paycli config \
explain` shows each value and where it comes from.',
  ),
  text(
    'Keys, passphrases, card numbers and security codes never stand in a file: a value that looks like one is refused.',
  ),
  heading('Where a key counts'),
  table(
    ['', 'user file', 'project file'],
    [
      ['yes', 'counts', 'counts'],
      ['when trusted', 'counts', 'counts after `paycli config trust FILE`; else exit 3'],
      ['never', 'counts', 'refused'],
    ],
  ),
  text('Trust is in the content of a file as it is: the first change to it ends that.'),
];

function keyItems(keys: Readonly<Record<string, ConfigKey>>): string {
  return Object.entries(keys)
    .map(([name, { type, meaning, example, project }]) => {
      const term = `${bold(name)} ${italic(type)}`;
      const value = example === '{}' ? '' : `.br\n${escaped('Such as ')}${bold(`${name}: ${example}`)}\n`;
      return `${item(term, `${meaning}. In a project file: ${project}.`)}${value}`;
    })
    .join('');
}
