import { createSandbox } from '../../src/sandbox/gateway.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { configFixture, merchant, other } from './sandbox-state.js';
import { conformance } from './suite.js';
import type { Target } from './target.js';

const origin = 'http://127.0.0.1:8484';

conformance('the sandbox called directly', async (settings): Promise<Target> => {
  const { sandboxState, database, now, advance } = configFixture();
  const faults: unknown[] = [];
  const sandbox = createSandbox(sandboxState, {
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
    queue: (outcome, clientOrderId) => sandboxState.queueOutcome(outcome, { login: merchant.login, clientOrderId }),
    async close() {
      database.close();
      if (faults.length > 0) throw new AggregateError(faults, 'the sandbox met faults of its own');
    },
  };
});
