import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, Home } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import type { Program } from '../support/programs.js';
import { paycli } from '../support/runtime.js';

const config = `default-profile: sandbox
profiles:
  shop-test: { class: test, base-url: 'https://sandbox.gateway.example/x', login: shop, endpoint-id: 4001, control-key: { file: ~/key } }
  shop-live: { class: live, base-url: 'https://gateway.example/x', login: shop, endpoint-id: 7001, control-key: { file: ~/key } }
`;

/** A user with `paycli` on the path, and two profiles. */
const home = new Home(config);

beforeAll(async () => {
  mkdirSync(join(home.path, 'bin'));
  symlinkSync(await program(), join(home.path, 'bin/paycli'));
  writeStartFiles();
}, 60_000);
afterAll(() => home.remove());

/** What is offered for a line whose last word is being typed. */
async function offers(line: string): Promise<readonly string[]> {
  const stdin = `${line.split(' ').slice(1).join('\n')}\n`;
  const ran = await paycli(['__complete'], { home: home.path, stdin });
  expect([ran.exit, ran.err]).toEqual([0, '']);
  return ran.out.split('\n').flatMap((each) => (each === '' ? [] : [each.split('\t')[0] ?? '']));
}

describe('what is offered', () => {
  test.each([
    ['paycli preau', ['preauth']],
    ['paycli card-ref ', ['create', 'info']],
    ['paycli sale --order-desc --amount 1 --cur', ['--currency']],
    ['paycli sale --test-card 3ds-c', ['3ds-challenge']],
    ['paycli sale --test-card=3ds-c', ['--test-card=3ds-challenge']],
    ['paycli sale --input ', ['@file']],
    ['paycli sale --profile shop', ['shop-live', 'shop-test']],
    ['paycli sale --amount ', []],
    ['paycli sale --client-order-id ', []],
    ['paycli completion pow', ['powershell']],
    ['paycli sale -- --amo', []],
  ])('%s', async (line, wanted) => {
    expect(await offers(line)).toEqual(wanted);
  });

  test('commands, and no hidden one', async () => {
    const found = await offers('paycli ');
    expect(found).toEqual(expect.arrayContaining(['sale', 'payout', 'sandbox', 'sign', 'help', 'completion']));
    expect(found.filter((name) => name.startsWith('_'))).toEqual([]);
  });

  test('nothing when the configuration cannot be read', async () => {
    home.write('config.yaml', '}{');
    const stdin = 'sale\n--profile\n\n';
    const env = { PAYCLI_CONFIG_DIR: home.path };
    const ran = await paycli(['__complete'], { home: home.path, env, stdin });
    expect([ran.exit, ran.out, ran.err]).toEqual([0, '', '']);
  });
});

/** The shells: how each is started with a short prompt and the script, and what a test of it needs. */
const shells: readonly (readonly [name: string, start: readonly string[], tags: readonly Program[]])[] = [
  ['bash', ['bash', '--rcfile', 'bashrc', '-i'], ['tmux']],
  ['zsh', ['zsh', '-d', '-i'], ['tmux', 'zsh']],
  ['fish', ['fish', '--private', '-i'], ['tmux', 'fish']],
];

function writeStartFiles(): void {
  const load = (shell: string) => `. '${join(process.cwd(), 'completions', `paycli.${shell}`)}'`;
  home.write('bashrc', `bind 'set bell-style none'\n${load('bash')}\nPS1='> '\n`);
  // By default a TAB of zsh expands the word itself before it asks any completion, for every command.
  home.write('.zshrc', `setopt no_beep\nbindkey '^I' complete-word\n${load('zsh')}\nPS1='> '\n`);
  // Without this folder, fish starts a program that reads all manual pages.
  mkdirSync(join(home.path, '.local/share/fish/generated_completions'), { recursive: true });
  mkdirSync(join(home.path, '.config/fish'), { recursive: true });
  const prompt = "function fish_prompt; echo '> '; end\nfunction fish_greeting; end";
  home.write('.config/fish/config.fish', `${prompt}\n${load('fish')}\n`);
}

for (const [name, start, tags] of shells)
  test.concurrent(`${name} completes at a terminal, and a TAB runs nothing of the line`, {
    tags: [...tags],
    timeout: 90_000,
  }, async () => {
    const tmux = async (...words: string[]) => {
      const env = { ...home.env, PATH: `${home.path}/bin:${process.env['PATH']}`, LANG: 'C.UTF-8', HOME: home.path };
      const base = ['-u', '-S', join(home.path, `tmux-${name}`), '-f', '/dev/null'];
      return (await execa('tmux', [...base, ...words], { cwd: home.path, env, extendEnv: false })).stdout;
    };
    const shows = (wanted: string) =>
      eventually(wanted, async () => ((await tmux('capture-pane', '-p')).includes(wanted) ? true : undefined));
    /** Types a line, TAB and a mark, which shows up once the shell has dealt with the TAB; abandons the line then. */
    const tab = async (line: string, wanted = '') => {
      await tmux('send-keys', '-l', line, ';', 'send-keys', 'Tab', ';', 'send-keys', '-l', '@@');
      await shows(`${wanted}@@`);
      await tmux('send-keys', 'C-u', 'C-l');
      await eventually('the line is gone', async () =>
        (await tmux('capture-pane', '-p')).includes('@@') ? undefined : true,
      );
    };
    await tmux('new-session', '-d', '-x', '110', '-y', '45', ...start);
    try {
      await shows('>');
      await tab('paycli sale --test-card=3ds-fo', '> paycli sale --test-card=3ds-form ');
      await tab('paycli sale --input ./bashr', '--input ./bashrc ');
      for (const line of ['paycli sale --test-card=`touch X`', 'paycli sale --input $(touch X)/']) {
        await tab(line);
        expect(existsSync(join(home.path, 'X')), line).toBe(false);
      }
    } finally {
      await tmux('kill-server');
    }
  });

test('no word of the line reaches the arguments of a process', async () => {
  mkdirSync(join(home.path, 'spy'));
  const spy = home.write('spy/paycli', `#!/bin/sh\nprintf '<%s>' "$@" >'${home.path}/spy.log'\n`, 0o755);
  const line = 'paycli sale --card-number 4444333322221111 --cur';
  const driver = `PATH='${dirname(spy)}':$PATH; . completions/paycli.bash
    COMP_LINE='${line}' COMP_WORDS=(${line}) COMP_CWORD=4; _paycli`;
  await execa('/bin/bash', ['--norc', '-c', driver]);
  expect(readFileSync(join(home.path, 'spy.log'), 'utf8')).toBe('<__complete>');
});
