/**
 * Signatures and checksums that clients made wrongly, each with what its diagnosis says. By day a sample of those in
 * PHP, JavaScript and the shell; SIGNING_LAB=1 takes all of it, Python, Go, Java, C# and Ruby with them, and prints the
 * figures. With LAB_LIMIT=1 each search ends at its limit, as for a user.
 *
 * @module-tag php
 * @module-tag jq
 * @module-tag curl
 * @module-tag openssl
 */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOauthMistakes } from '../../../src/signing/diagnose/index.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { caseOf, rich } from '../diagnose/orders.js';
import { hmac, type Order, type Pair, percent, protocol, type Steps } from '../diagnose/signer.js';
import { type Judged, judgeControl, judgeOauth, keysOf } from './judge.js';
import { type Made, madeBy } from './made.js';
import { oauthOrders } from './requests.js';
import { madeByShell } from './shell.js';

const isWhole = process.env['SIGNING_LAB'] !== undefined;

interface Values {
  readonly oauth: readonly Made[];
  readonly control: readonly Made[];
}

function values(keys: { readonly key: string; readonly other: string }, scratch: string): Values {
  const all = [
    ...[madeBy('php'), madeBy('node'), madeByShell(keys)],
    ...(isWhole ? [madeBy('python3'), ...compiled.map((name) => onceEach(madeBy(name, scratch)))] : []),
  ];
  return { oauth: all.flatMap(({ oauth }) => oauth), control: all.flatMap(({ control }) => control) };
}

const compiled = ['go', 'ruby', 'java', 'csharp'] as const;

/** Each of the many faults of a client in one request of each scheme, another one each time. */
function onceEach({ oauth, control }: Values): Values {
  const once = (list: readonly Made[]) => {
    const byFault = new Map<string, Made[]>();
    for (const made of list.filter(({ what }) => what.length === 1)) {
      const key = JSON.stringify([made.channels, made.what]);
      byFault.set(key, [...(byFault.get(key) ?? []), made]);
    }
    return [...byFault.values()].flatMap((all, at) => all[at % all.length] ?? []);
  };
  const isRsa = ({ request }: Made) => oauthOrders[request]?.signatureMethod === 'RSA-SHA256';
  const pairs = (list: readonly Made[]) => list.filter(({ what }) => what.length === 2);
  return {
    oauth: [
      ...once(oauth.filter((made) => !isRsa(made))),
      ...spread(once(oauth.filter((made) => isRsa(made) && made.base !== undefined)), 25),
      ...spread(pairs(oauth), 60),
    ],
    control: [...once(control), ...spread(pairs(control), 40)],
  };
}

/** Spread evenly over a list. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  if (list.length <= count) return list;
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)] as T);
}

function chosen(list: readonly Made[], faults: number, count: number): readonly Made[] {
  const some = list.filter(({ what }) => what.length === faults);
  return faults === 1 && isWhole ? some : spread(some, count);
}

test('what clients make wrongly is named', { timeout: 3_600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lab-'));
  const next = rsaPairs();
  const [own, other] = [next(), next()];
  const files = { key: join(folder, 'own.pem'), other: join(folder, 'other.pem') };
  writeFileSync(files.key, own.privateKey);
  writeFileSync(files.other, other.privateKey);
  const keys = keysOf(own.privateKey, other.privateKey);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const made = values(files, folder);
  const judged = [
    ...chosen(made.oauth, 1, 12).flatMap((each) => judgeOauth(each, keys) ?? []),
    ...chosen(made.control, 1, 12).map(judgeControl),
    ...chosen(made.oauth, 2, isWhole ? 180 : 2).flatMap((each) => judgeOauth(each, keys) ?? []),
    ...chosen(made.control, 2, isWhole ? 120 : 2).map(judgeControl),
  ].filter(({ outcome }) => outcome !== 'match');
  if (isWhole) print(judged);
  expect(judged.length).toBeGreaterThan(isWhole ? 360 : 18);
  expect(judged.filter(({ outcome }) => outcome === 'wrong').map(told)).toEqual([]);
  expect(share(judged, 1)).toBeGreaterThanOrEqual(0.95);
  expect(share(judged, 2)).toBeGreaterThanOrEqual(isWhole ? 0.8 : 0.5);
});

const many: Order = {
  ...rich,
  body: Array.from({ length: 30 }, (_, at): Pair => [`field_${at}`, `value (${at}) of thirty`]),
};
const body = rich.body.filter(([name]) => ['client_orderid', 'amount', 'order_desc', 'marks', 'city'].includes(name));
const usual: Order = { ...rich, host: 'pay.example', query: '', queryPairs: [], body };
const common: readonly Partial<Steps>[] = [
  { encode: (text) => encodeURIComponent(text) },
  { encode: (text) => percent(text).replaceAll('%20', '+') },
  { encode: (text) => percent(percent(text)) },
  { parameters: protocol },
  { sort: (list) => list },
  { key: (order) => order.secret },
  { uri: ({ host, path }) => `http://${host}${path}` },
  { method: () => 'GET' },
  { encode: (text) => percent(Buffer.from(text, 'latin1')) },
  { mac: (base, key) => createHmac('sha1', key).update(base).digest('hex') },
];

function answersInTime(): void {
  for (const steps of common) {
    // Of the processor: the machine may do other things.
    const start = process.cpuUsage();
    const { explanations } = findOauthMistakes(caseOf(usual), hmac(usual, steps));
    const { user, system } = process.cpuUsage(start);
    const [taken, isFound] = [(user + system) / 1000, explanations.length > 0];
    expect({ steps: Object.keys(steps), isFound, isFast: taken < 300 }).toMatchObject({ isFound: true, isFast: true });
  }
  const start = performance.now();
  const found = findOauthMistakes(caseOf(many), Buffer.alloc(20, 1).toString('base64'), {
    clock: () => performance.now(),
  });
  const taken = performance.now() - start;
  const tried = found.search === undefined ? 'all' : String(found.search.tried);
  process.stdout.write(`thirty fields: ${taken.toFixed(0)} ms, ${tried} tried\n`);
  expect(found.explanations).toEqual([]);
  expect(taken).toBeLessThan(2000);
}

// Time is not for a run by day, on a machine that does other things besides.
if (isWhole) test('answers in time: 0.3 s for the common mistakes, 2 s for thirty fields', answersInTime);

function told({ scheme, made, named }: Judged): string {
  return `${scheme} ${made.request}: ${made.what.join(' + ')} (${made.expected.join(' + ')}): ${named.map(({ name, variant }) => `${name} ${variant}`).join(' + ')}`;
}

function share(judged: readonly Judged[], faults: number): number {
  const some = judged.filter(({ made }) => made.what.length === faults);
  return some.filter(({ outcome }) => outcome === 'right').length / some.length;
}

/** Figures for each scheme and channel, then each value that was not named rightly. */
function print(judged: readonly Judged[]): void {
  const lines: string[] = [];
  for (const faults of [1, 2]) {
    const some = judged.filter(({ made }) => made.what.length === faults);
    for (const scheme of ['HMAC-SHA1', 'RSA-SHA256', 'control']) {
      const own = some.filter((each) => each.scheme === scheme);
      const channels = faults === 1 ? [...new Set(own.map(({ channel }) => channel))] : [];
      for (const channel of channels)
        lines.push(
          row(
            `${scheme} ${channel}`,
            own.filter((each) => each.channel === channel),
          ),
        );
      lines.push(row(`${scheme}, ${faults === 1 ? 'single faults' : 'pairs'}`, own));
    }
    lines.push(row(faults === 1 ? 'single faults' : 'pairs', some));
  }
  const [slowest] = judged.toSorted((one, other) => other.ms - one.ms);
  if (slowest !== undefined) lines.push(`slowest answer ${Math.round(slowest.ms)} ms: ${told(slowest)}`);
  for (const each of judged) if (each.outcome !== 'right') lines.push(`${each.outcome}: ${told(each)}`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function row(title: string, some: readonly Judged[]): string {
  const count = (outcome: string) => String(some.filter((each) => each.outcome === outcome).length).padStart(5);
  return `${title.padEnd(32)} right ${count('right')}  unnamed ${count('unnamed')}  wrong ${count('wrong')}`;
}
