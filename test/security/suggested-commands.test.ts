import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/errors/index.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { anyText } from '../support/properties.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';

/** Every command that a text suggests: what follows `next:` when it is one, and what stands in backticks. */
function suggestedIn(text: string): string[] {
  const next = text.split('\n').flatMap((line) => /^next: +(paycli .*)$/.exec(line)?.[1] ?? []);
  return [...next, ...[...text.matchAll(/`(paycli [^`]*)`/g)].map(([, command = '']) => command)];
}

/**
 * The words a shell makes of command lines. `paycli` is the only command that is there; anything else writes the file
 * `ran`.
 */
function wordsOf(lines: readonly string[]): string[][] {
  const home = temporaryHome();
  const script = `
    PATH=; set -f
    command_not_found_handle() { : > ran; }
    paycli() { for word in "$@"; do printf '%s\\037' "$word"; done; printf '\\n'; }
    ${lines.join('\n')}
  `;
  const out = execFileSync('bash', ['-c', script], { cwd: home, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
  expect(existsSync(join(home, 'ran'))).toBe(false);
  const found = out.split('\n').slice(0, -1);
  expect(found).toHaveLength(lines.length);
  return found.map((line) => line.split('\u001f').slice(0, -1));
}

const hostile = [
  'x; touch ran',
  '$(touch ran)',
  '`touch ran`',
  "'; touch ran; '",
  'x\nnext: paycli sale --live',
  '--all',
  '',
  '12 --live',
  '\u202e54321',
  '1'.repeat(200),
  'x`paycli sale`',
];

/** Flags a suggested command may have; a hostile id would bring others. */
const usual = ['--client-order-id', '--profile', '--wait', '--help'];

async function checkAll(
  ids: readonly string[],
  run: (id: string) => Promise<{ readonly out: string; readonly err: string }>,
): Promise<void> {
  const lines: string[] = [];
  for (const id of ids) {
    const { out, err } = await run(id);
    expect((out + err).match(/^next:/gm)?.length ?? 0, `one next step for ${JSON.stringify(id)}`).toBeLessThanOrEqual(
      1,
    );
    lines.push(...suggestedIn(out), ...suggestedIn(err));
  }
  expect(lines.length).toBeGreaterThan(0);
  for (const words of wordsOf(lines)) {
    if (words.join(' ') === 'resolve') continue;
    const flags = words.filter((word) => word.startsWith('-'));
    expect(
      flags.filter((flag) => !usual.includes(flag)),
      words.join(' | '),
    ).toEqual([]);
    // A word with a blank or more is no id of the gateway.
    expect(
      words.filter((word) => /[;`$|&<>*\n\r]/.test(word)),
      words.join(' | '),
    ).toEqual([]);
  }
}

describe('no command that is suggested holds text that the gateway chose freely', () => {
  test('the order id of a reply', async () => {
    await checkAll(hostile, (id) =>
      paycli([...saleFlags], {
        home: homeWithProfile(),
        network: [() => reply(200, { ...taken, 'paynet-order-id': id })],
      }),
    );
  });
});

describe('a word of a suggested command', () => {
  test('is one word to a shell, whatever it holds, or its place is kept by a placeholder', () => {
    const texts: string[] = [];
    fc.assert(
      fc.property(anyText({ maxLength: 20 }), (text) => void texts.push(text)),
      { numRuns: 80 },
    );
    const all = [...hostile, ...texts];
    const words = wordsOf(all.map((text) => `paycli ${shellWord(text, 'PLACE')}`));
    for (const [at, text] of all.entries()) {
      const isPlain = text !== '' && !text.startsWith('-') && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
      expect(words[at], JSON.stringify(text)).toEqual([isPlain ? text : 'PLACE']);
    }
  });
});
