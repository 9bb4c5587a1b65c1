import type { Delivery, Runtime } from '../../src/runtime/ports.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';
import { taken } from './profiles.js';

/** The clock of a test home stands at first at 2030-01-07 12:00:00 UTC; this shows another time. */
export function at(minutes: number): (usual: Runtime) => Runtime {
  return (usual) => ({
    ...usual,
    clock: {
      now: () => usual.clock.now() + minutes * 60_000,
      monotonic: () => usual.clock.monotonic(),
      sleep: (ms) => usual.clock.sleep(ms),
    },
  });
}

export const eur = (amount: string): readonly string[] => ['--amount', amount, '--currency', 'EUR'];

/** A return of an order that is made up for it; the gateway takes it. */
export function refund(order: string, more: readonly string[] = []): readonly string[] {
  return [
    'return',
    order,
    '--client-order-id',
    `own-${order}`,
    ...(more.includes('--amount') ? [] : ['--all']),
    ...more,
  ];
}

export function takenFor(argv: readonly string[]): Delivery {
  const own = argv[argv.indexOf('--client-order-id') + 1] ?? '';
  const order = /^\d+$/.test(argv[1] ?? '') ? (argv[1] ?? '') : '777';
  return reply(200, { ...taken, 'merchant-order-id': own, 'paynet-order-id': order });
}

/** Runs a command that reaches the gateway once and is taken. */
export function sent(home: string, argv: readonly string[], more: TestOptions = {}): Promise<Ran> {
  return paycli(argv, { home, network: [() => takenFor(argv)], ...more });
}
