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
    blocks([text('Set only one source for each secret.')]),
    keyItems(profileKeys),
    section('EXAMPLES'),
    blocks([text('A user file:'), exampleFile(), text('A project file:'), lines(...projectFile)]),
    section('FILES'),
    item(
      bold('~/.config/paycli/config.yaml'),
      'the user file, or config.yml, or config.json; only one of them may exist. XDG_CONFIG_HOME and PAYCLI_CONFIG_DIR change its location',
    ),
    item(
      bold('.paycli.yaml'),
      'a project file, or .paycli.yml, or .paycli.json: searched for in the working folder and its parents, up to the root of the repository',
    ),
    section('SEE ALSO'),
    seeAlso([
      'paycli(1)',
      'paycli-profile(1)',
      'paycli-profile-show(1)',
      'paycli-profiles(7)',
      'paycli-secrets(7)',
      'paycli-environment(7)',
    ]),
  ]);
}

/** For a project. */
export const projectFile = ['default-profile: shop-test', 'output: json', 'defaults: { order-desc: Test order }'];

const about: readonly Block[] = [
  text(
    'Configuration is YAML or JSON and is never executed. An unknown key is an error; the message suggests the nearest known key.',
  ),
  text(
    'A flag overrides a variable, which overrides the project file, which overrides the user file. `paycli profile show --origins` shows each value and where it comes from.',
  ),
  text(
    'Keys, passphrases, card numbers and security codes do not belong in a file: a value that looks like one is refused.',
  ),
  heading('Where a key is allowed'),
  table(
    ['', 'user file', 'project file'],
    [
      ['yes', 'counts', 'counts'],
      ['never', 'counts', 'refused'],
    ],
  ),
];

function keyItems(keys: Readonly<Record<string, ConfigKey>>): string {
  return Object.entries(keys)
    .map(([name, { type, meaning, example, project }]) => {
      const term = `${bold(name)} ${italic(type)}`;
      const value = example === '{}' ? '' : `.br\n${escaped('Example: ')}${bold(`${name}: ${example}`)}\n`;
      return `${item(term, `${meaning}. In a project file: ${project}.`)}${value}`;
    })
    .join('');
}
