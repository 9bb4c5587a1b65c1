import { createSandbox } from '../../src/sandbox/server/sandbox.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { conformance } from './suite.js';
import type { Target } from './target.js';
import { merchant, other, testWorld } from './world.js';

const origin = 'http://127.0.0.1:8484';

conformance('the sandbox called directly', 'fewer signatures', async (settings): Promise<Target> => {
  const { world, database, now, advance } = testWorld();
  const faults: unknown[] = [];
  const sandbox = createSandbox(world, {
    assume: { ...assumeDefaults, ...settings },
    settleMs: 300,
    pagesBase: origin,
    onFault: (error) => faults.push(error),
  });
  return {
    base: `${origin}/gateway`,
    merchant,
    other,
    now,
    advance,
    async post({ path, method, headers, body }) {
      const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      const url = `${origin}/gateway${path}`;
      return sandbox.handle({ method, url, headers: Object.fromEntries(named), body: Buffer.from(body, 'utf8') });
    },
    queue: (outcome, clientOrderId) => world.queueOutcome(outcome, { login: merchant.login, clientOrderId }),
    async close() {
      database.close();
      if (faults.length > 0) throw new AggregateError(faults, 'the sandbox met faults of its own');
    },
  };
});
