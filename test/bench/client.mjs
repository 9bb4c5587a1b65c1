// One command against a listening sandbox, its journal included, beside scripts that only send the same request.
import { join } from 'node:path';
import { build } from 'esbuild';
import { inTurns, paycli, root, row, scratch, startSandbox, time } from './harness.mjs';
import { saleFlags } from './requests.mjs';

export const title = 'One request to a listening sandbox';

export async function measure({ pairs }) {
  const scripts = join(scratch, 'bare');
  await bundle(scripts);
  const { settings } = await startSandbox();
  const own = (operation, id) => [process.execPath, paycli, ...words(operation, id), '--json'];
  const scripted = [
    {
      beside: 'a script with undici',
      line: (...asked) => [process.execPath, join(scripts, 'undici.cjs'), ...asked],
      goal: { atMost: 1.45 },
    },
    { beside: 'a script with node:http', line: (...asked) => [process.execPath, join(scripts, 'http.cjs'), ...asked] },
    {
      beside: 'a script with curl and openssl',
      line: (...asked) => ['sh', join(root, 'test/bench/bare/curl.sh'), ...asked],
    },
  ];
  const rows = [];
  for (const operation of ['status', 'sale']) {
    const idOf = await idsFor(operation, settings);
    const works = [own, ...scripted.map(({ line }) => line)].map(
      (line) => () => time(line(operation, idOf()), settings),
    );
    for (const work of works) work();
    const [values, ...others] = await inTurns(pairs, works);
    const what = `\`paycli ${operation} --json\``;
    rows.push(
      ...scripted.map(({ beside, goal }, at) =>
        row({ what, unit: 'ms', values, beside, besideValues: others[at], goal }),
      ),
    );
  }
  return { method: `${pairs} turns`, rows };
}

/** A new one for every sale; for status one of an order that paycli's journal knows. */
async function idsFor(operation, settings) {
  let count = 0;
  const idOf = () => {
    count += 1;
    return `bench-${operation}-${count}`;
  };
  if (operation === 'sale') return idOf;
  const id = idOf();
  time([process.execPath, paycli, ...words('sale', id)], settings);
  return () => id;
}

function words(operation, id) {
  return [operation, '--client-order-id', id, ...(operation === 'sale' ? saleFlags : [])];
}

/** As cheap as the program itself: CommonJS, and of undici only what a request needs. */
function bundle(outdir) {
  return build({
    absWorkingDir: join(root, 'test/bench/bare'),
    entryPoints: ['undici.mjs', 'http.mjs'],
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
  });
}
