import { expect, test } from 'vitest';
import { openGateway } from '../../src/certify/gateway.js';
import { scenarios } from '../../src/certify/index.js';
import { systemClock } from '../../src/runtime/clock.js';
import { sqlite } from '../../src/runtime/database.js';
import { rsaPairs } from '../support/rsa-pairs.js';

const scenario = scenarios.find(({ name }) => name === 'approved') ?? expect.unreachable();

const awayMs = 12_345;

/** Closes a gateway so many turns of the event queue after it began to come back; says whether anybody listens then. */
async function listensAfterClose(turns: number): Promise<boolean> {
  let closed: Promise<void> | undefined;
  const sleep = async (ms: number) => {
    if (ms !== awayMs) return systemClock.sleep(ms);
    const closeLater = async () => {
      for (let turn = 0; turn < turns; turn += 1) await undefined;
      await gateway.close();
    };
    closed = closeLater();
    return undefined;
  };
  const clock = { ...systemClock, sleep };
  const ports = {
    clock,
    database: sqlite,
    rsa: rsaPairs()(),
    port: 0,
    timeoutMs: 1000,
    callbackHosts: [],
    isCompatible: false,
  };
  const gateway = await openGateway(scenario, 0, ports, () => undefined);
  await gateway.leave(awayMs);
  await closed;
  return fetch(gateway.url).then(
    () => true,
    () => false,
  );
}

test('a gateway that is closed while it comes back does not listen any more', async () => {
  const listening: number[] = [];
  for (let turns = 0; turns < 60; turns += 10) if (await listensAfterClose(turns)) listening.push(turns);
  expect(listening).toEqual([]);
});
