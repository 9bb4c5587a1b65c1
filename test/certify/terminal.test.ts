// @module-tag tmux
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Home } from '../e2e/home.js';
import { Screen } from '../e2e/terminal.js';

const names = ['void-too-late', 'approved', 'declined', 'killed-before-reply'];
let home: Home;
let screen: Screen;
afterEach(async () => {
  await screen.close();
  home.remove();
});

/** Certifies a driver that passes one scenario, fails a second, and in the two others waits for a file to be removed. */
async function certify(): Promise<void> {
  home = new Home();
  writeFileSync(join(home.path, 'wait'), '');
  const driver = home.write(
    'driver.sh',
    `case $CERTIFY_SCENARIO in
      void-too-late) echo '{"outcome": "refused"}' ;;
      approved) echo '{"outcome": "paid"}' ;;
      *) while [ -e '${home.path}/wait' ]; do sleep 0.1; done; echo '{"outcome": "refused"}' ;;
    esac\n`,
  );
  screen = await Screen.open(home, ['certify', '--only', names.join(','), '--', 'sh', driver]);
}

/** The lines of scenarios and of progress, in their order: names of the first, the text of the second. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => /^[✓✗?–] +([\w-]+) +\d+\.\d s /.exec(line)?.[1] ?? /^\S (.* of \d+ scenarios.*)$/.exec(line)?.[1])
    .filter((line) => line !== undefined);

test('each scenario has one line, and below them one of progress that is gone at the end', {
  timeout: 60_000,
}, async () => {
  await certify();
  const during = linesOf(await screen.until(/2 of 4 scenarios/));
  expect(during.slice(0, 2).sort()).toEqual(['approved', 'void-too-late']);
  expect(during.slice(2)).toEqual(['2 of 4 scenarios, 1 failed']);
  rmSync(join(home.path, 'wait'));
  expect(await screen.exit()).toBe(11);
  const text = await screen.text();
  expect(linesOf(text).sort()).toEqual([...names].sort());
  expect(text).toMatch(/^3 of 4 failed; \d+ s$/m);
  expect(text).not.toMatch(/of 4 scenarios|[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\\u|\^\[/);
});
