// @module-tag python3
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { killMoment } from '../../src/certify/run-scenario.js';
import { freePort, Home } from '../e2e/home.js';

const topic = readFileSync('src/cli/docs/topics/certify.md', 'utf8');
const [, python = ''] = /^```python\n([\s\S]*?)^```$/m.exec(topic) ?? [];
const home = new Home();
afterAll(() => home.remove());

describe('the snippets for a build', () => {
  home.write('driver.py', python);
  const [github = '', gitlab = ''] = [...topic.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

  /** Runs a line of a snippet with our program in the place of npx, and one scenario in the place of all. */
  async function runLine(line: string): Promise<number | null> {
    expect(line).toMatch(/^npx paycli certify /);
    return (await home.shell(line.replace('npx paycli certify', 'paycli certify --only void-too-late,approved'))).exit;
  }

  test('GitHub: steps that run certify and keep its page, also after a failure', { timeout: 60_000 }, async () => {
    const steps = load(github) as readonly [{ run: string }, { uses: string; if: string; with: { path: string } }];
    expect(steps).toMatchObject([
      { run: expect.any(String) },
      { uses: expect.stringMatching(/^actions\/upload-artifact@v\d+$/), if: 'always()', with: { name: 'certificate' } },
    ]);
    // The driver of the topic does not void: one scenario passed, one was not judged.
    expect(await runLine(steps[0].run)).toBe(12);
    expect(readFileSync(join(home.path, steps[1].with.path), 'utf8')).toContain('1 could not be judged');
  });

  test('GitLab: a job whose JUnit report is read', { timeout: 60_000 }, async () => {
    const { certify } = load(gitlab) as {
      certify: { script: string; artifacts: { when: string; reports: { junit: string } } };
    };
    expect(certify.artifacts.when).toBe('always');
    expect(await runLine(certify.script)).toBe(12);
    expect(readFileSync(join(home.path, certify.artifacts.reports.junit), 'utf8')).toContain('tests="2" failures="1"');
  });
});

test('a handler in a process of its own gets the callbacks of --handler, and its shop decides', {
  timeout: 60_000,
}, async () => {
  const port = await freePort();
  const key = join(home.path, 'handler.key');
  const log = join(home.path, 'callbacks');
  writeFileSync(
    join(home.path, 'handler.mjs'),
    `import { createHash } from 'node:crypto';
    import { appendFileSync, readFileSync } from 'node:fs';
    import { createServer } from 'node:http';
    createServer((request, response) => {
      const q = new URL(request.url, 'http://a').searchParams;
      const text = q.get('status') + q.get('orderid') + q.get('client_orderid') + readFileSync('${key}', 'utf8');
      const isRight = createHash('sha1').update(text).digest('hex') === q.get('control');
      appendFileSync('${log}', [isRight, q.get('client_orderid'), q.get('status')].join(' ') + '\\n');
      response.writeHead(isRight ? 200 : 400).end();
    }).listen(${port}, '127.0.0.1', () => console.log('ready'));`,
  );
  // Pays as the driver of the topic does, and then believes the right callbacks alone.
  const body = python.replace(
    /^ {4}outcome, ids = [\s\S]*? {4}return outcome\n/m,
    `    end = time.monotonic() + float(env["CERTIFY_PATIENCE"])
    while time.monotonic() < end:
        lines = open("${log}").read().split("\\n") if os.path.exists("${log}") else []
        for line in lines:
            if line.startswith("true " + ref + " "): return words[line.split()[2]]
        time.sleep(0.1)
    return "pending"
open("${key}", "w").write(key)
`,
  );
  const sale = body.replace('**fields)', '**fields, server_callback_url=env["PAYCLI_CALLBACK_URL"])');
  expect(body).toContain('startswith');
  expect(sale).toContain('server_callback_url');
  home.write('believes.py', sale);
  writeFileSync(key, '');
  const handler = spawn(process.execPath, [join(home.path, 'handler.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await new Promise((resolve) => handler.stdout.once('data', resolve));
    const ran = await home.call([
      ...['certify', '--only', 'callback-approved,callback-forged', '--handler', `http://127.0.0.1:${port}/callback`],
      ...['--json', '--', 'python3', join(home.path, 'believes.py')],
    ]);
    const verdicts = JSON.parse(ran.out).scenarios.map((each: Record<string, unknown>) => [each['name'], each['said']]);
    expect(verdicts).toEqual([
      ['callback-approved', ['paid']],
      ['callback-forged', ['declined']],
    ]);
    expect(ran.exit, ran.err).toBe(0);
    const lines = readFileSync(log, 'utf8').split('\n');
    expect(lines).toContain('false certify-callback-forged approved');
  } finally {
    handler.kill();
  }
});

describe('--restart', () => {
  const named = (name: string) => ({ name });

  test('kills at moments that a seed repeats, within the time', () => {
    const moments = (seed: string) => Array.from({ length: 50 }, (_, at) => killMoment(seed, named(`s${at}`), 800));
    expect(moments('a')).toEqual(moments('a'));
    expect(moments('a')).not.toEqual(moments('b'));
    expect(new Set(moments('a')).size).toBeGreaterThan(30);
    expect(moments('a').every((moment) => moment >= 0 && moment < 800)).toBe(true);
    // printf 'k3 approved' | sha256sum | cut -c1-8
    expect(killMoment('k3', named('approved'), 2 ** 32)).toBe(0x0db735f2);
  });

  test('kills the driver, runs it again with the same order, and shows the seed', { timeout: 60_000 }, async () => {
    const mark = join(home.path, 'runs');
    const script = `echo "$CERTIFY_ORDER" >> ${mark}; [ $(wc -l <${mark}) = 2 ] && exit 4; sleep 60`;
    const flags = ['--only', 'void-too-late', '--restart', '--seed', 'k3', '--json'];
    const ran = await home.call(['certify', ...flags, '--', 'sh', '-c', script]);
    const { seed, scenarios } = JSON.parse(ran.out);
    expect([ran.exit, seed, scenarios[0].runs]).toMatchObject([
      ...[0, 'k3'],
      [
        { ended: 'killed', said: null },
        { ended: 'by itself', said: 'refused', from: 'nothing printed' },
      ],
    ]);
    const [one, other] = readFileSync(mark, 'utf8').split('\n');
    expect(one).toBe(other);
  });
});
