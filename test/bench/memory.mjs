// The most memory a command holds at any time, beside `node -e 0`.
import { freshSettings, inTurns, paycli, peak, row, startSandbox } from './harness.mjs';
import { saleFlags } from './requests.mjs';

export const title = 'Memory of one command';

export async function measure({ pairs }) {
  const { settings } = await startSandbox();
  const alone = freshSettings();
  const id = ['--client-order-id', 'bench-1'];
  peak([paycli, 'sale', ...saleFlags, ...id], settings);
  const commands = [
    { what: '`paycli --version`', argv: ['--version'], env: alone },
    { what: '`paycli sign sale … --json`', argv: ['sign', 'sale', ...saleFlags, '--json'], env: alone },
    { what: '`paycli sale`, sandbox in the process', argv: ['sale', ...saleFlags, '--json'], env: alone },
    { what: '`paycli status`, listening sandbox', argv: ['status', ...id, '--json'], env: settings },
  ];
  const [floor, ...took] = await inTurns(pairs, [
    () => peak(['-e', '0'], alone),
    ...commands.map(
      ({ argv, env }) =>
        () =>
          peak([paycli, ...argv], env),
    ),
  ]);
  const rows = commands.map(({ what }, at) =>
    row({ what, unit: 'MiB', values: took[at], beside: '`node -e 0`', besideValues: floor, goal: { atMost: 1.6 } }),
  );
  return { method: `${pairs} turns`, rows };
}
