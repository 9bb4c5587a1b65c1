import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFixture, payouts } from './command.js';

test('a plan of status questions answers a row a line, and is moved by nothing', async () => {
  const fixture = openFixture(payouts(3));
  const plan = await fixture.plan();
  expect((await fixture.run(['batch', 'run', plan, '--rate', '1000/s'])).exit).toBe(0);
  const file = join(fixture.home, 'orders.csv');
  writeFileSync(file, 'client_orderid\nrow-1\nrow-3\nnobody\n');
  const planned = await fixture.run(['batch', 'plan', file, '--operation', 'status', '--json']);
  expect(planned.exit, planned.err).toBe(0);
  const questions = String(JSON.parse(planned.out).plan);
  const dry = await fixture.run(['batch', 'run', questions, '--dry-run', '--json']);
  expect([dry.exit, JSON.parse(dry.out).signed, dry.requests]).toEqual([0, 3, []]);
  expect((await fixture.run(['batch', 'show', questions, '--out', 'out'])).exit).toBe(2);
  const ran = await fixture.run(['batch', 'run', questions, '--rate', '1000/s', '-o', 'ndjson']);
  expect(ran.exit, ran.err).toBe(9);
  const lines = ran.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const answers = lines.slice(0, -1).sort((a, b) => a.row - b.row);
  expect(answers.map(({ clientOrderId, status }) => [clientOrderId, status])).toEqual([
    ['row-1', 'approved'],
    ['row-3', 'approved'],
    ['nobody', null],
  ]);
  expect(lines.at(-1)).toMatchObject({ answered: 2, unanswered: 1, left: 0 });
  const journal = JSON.parse((await fixture.run(['journal', '--json'])).out);
  expect(journal.entries).toHaveLength(3);
});
