import { readSecret } from '../../config/index.js';
import { fail } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { World } from '../../sandbox/index.js';
import { readPublicKey } from '../../signing/index.js';
import {
  type Assume,
  amountEndings,
  assumeDefaults,
  assumptionNamed,
  cvvOutcomes,
  mayBe,
  paresAmounts,
  testCards,
  testNumbers,
} from '../../spec/index.js';
import { parseEndpointId } from '../../wire/address.js';
import { boxPath, defaultPort, findListening, forgetListening, noteListening, openBox } from '../box.js';
import type { CommonOptions } from '../options.js';
import { columns } from '../present/columns.js';
import { Reporter } from '../reporter.js';

export interface StartOptions extends Omit<CommonOptions, 'endpointId'> {
  readonly port?: string;
  readonly publicKeyFile?: string;
  readonly endpointId?: string;
  readonly assume?: readonly string[];
  readonly settleMs?: string;
  readonly anyCard?: boolean;
  readonly readyFile?: string;
}

/** Serves the sandbox until SIGINT or SIGTERM. */
export async function runSandboxStart(options: StartOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const port = wholeNumber('--port', options.port ?? String(defaultPort), 65_535);
  const settleMs = wholeNumber('--settle-ms', options.settleMs ?? '300', 3_600_000);
  const assume = readAssume(options.assume ?? []);
  const running = findListening(runtime);
  if (running !== undefined)
    throw fail('PORT_TAKEN', {
      port: new URL(running.url).port,
      holder: ` by the sandbox of process ${running.pid}, which serves the same data`,
    });
  const world = await openBox(runtime);
  try {
    await addMerchant(world, options, runtime);
    const { createSandbox } = await import('../../sandbox/index.js');
    const { listen } = await import('../../sandbox/listen.js');
    const server = await listen((pagesBase) => createSandbox(world, { assume, settleMs, anyCard: options.anyCard === true, pagesBase }), {
      port,
    });
    const url = `http://127.0.0.1:${server.port}/gateway`;
    noteListening({ pid: runtime.processes.pid, url }, runtime);
    if (options.readyFile !== undefined) runtime.files.writeText(options.readyFile, `${url}\n`);
    announce(url, report);
    const signal = await new Promise<string>((resolve) => runtime.processes.onStop(resolve));
    await server.close();
    report.notes([`stopped by ${signal}`]);
    return 0;
  } finally {
    forgetListening(runtime);
    world.close();
  }
}

function announce(url: string, report: Reporter): void {
  if (report.json) report.out(`${JSON.stringify({ event: 'ready', url })}\n`);
  else report.out(`sandbox ready: ${url}\n  merchants and keys: paycli sandbox status   stop: Ctrl-C\n`);
}

async function addMerchant(world: World, options: StartOptions, runtime: Runtime): Promise<void> {
  const { login, endpointId, controlKeyFile, publicKeyFile } = options;
  if ([login, endpointId, controlKeyFile, publicKeyFile].every((value) => value === undefined)) return;
  if (login === undefined || endpointId === undefined || controlKeyFile === undefined)
    throw fail('USAGE', { why: 'a merchant of your own needs --login, --endpoint-id and --control-key-file', command: 'sandbox start' });
  const { secret } = await readSecret({ kind: 'file', path: controlKeyFile, origin: 'flag --control-key-file' }, runtime);
  const publicKeyPem = publicKeyFile === undefined ? undefined : readPublicPem(publicKeyFile, runtime);
  world.addMerchant({
    login,
    controlKey: secret.open(),
    endpointId: parseEndpointId(endpointId),
    ...(publicKeyPem === undefined ? {} : { publicKeyPem }),
  });
}

function readPublicPem(path: string, runtime: Runtime): string {
  try {
    const pem = runtime.files.readText(path, 65_536);
    readPublicKey(pem, path);
    return pem;
  } catch (cause) {
    throw fail('KEY_UNUSABLE', { source: path, why: 'it is no RSA public key in PEM of 2048 bits or more' }, { cause });
  }
}

function readAssume(settings: readonly string[]): Assume {
  const set: Record<string, string> = {};
  for (const setting of settings) {
    const [name = '', ...rest] = setting.split('=');
    const value = rest.join('=');
    const assumption = assumptionNamed(name);
    if (assumption === undefined || !mayBe(assumption, value))
      throw fail('USAGE', {
        why: `--assume ${setting.slice(0, 60)} is no switch with such a value; see \`paycli assumptions list\``,
        command: 'sandbox start',
      });
    set[assumption.switch] = value;
  }
  return { ...assumeDefaults, ...set };
}

function wholeNumber(flag: string, text: string, most: number): number {
  const value = /^\d{1,7}$/.test(text) ? Number(text) : -1;
  if (value < 0 || value > most) throw fail('USAGE', { why: `${flag} takes a whole number from 0 to ${most}`, command: 'sandbox start' });
  return value;
}

/** Merchants, endpoints and keys of the sandbox. They are worth nothing elsewhere, so they are printed. */
export async function runSandboxStatus(options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const world = await openBox(runtime);
  try {
    const merchants = world.merchants();
    const listening = findListening(runtime);
    if (report.json) {
      report.document({ schema: 'paycli.sandbox/1', file: boxPath(runtime), listening: listening?.url ?? null, merchants });
      return 0;
    }
    const rows = merchants.map(({ login, endpoints, controlKey, publicKeyPem }) => [
      login,
      endpoints.map(({ id, currency }) => (currency === undefined ? id : `${id} (${currency})`)).join(', '),
      controlKey,
      publicKeyPem === undefined
        ? login === 'sandbox'
          ? 'none yet; made when first needed'
          : 'none'
        : readPublicKey(publicKeyPem).fingerprint,
    ]);
    report.out(
      `${columns([
        ['listens', listening === undefined ? 'no; `paycli sandbox start` serves it over HTTP' : listening.url],
        ['data', boxPath(runtime)],
      ])}\n${columns([['merchant', 'endpoints', 'control key', 'RSA public key'], ...rows])}`,
    );
    return 0;
  } finally {
    world.close();
  }
}

/** Forgets orders, cards and payouts. */
export async function runSandboxReset(options: CommonOptions & { readonly all?: boolean }, runtime: Runtime): Promise<number> {
  if (options.all === true) {
    const running = findListening(runtime);
    if (running !== undefined)
      throw fail('PORT_TAKEN', { port: new URL(running.url).port, holder: ' by a sandbox that uses these data; stop it first' });
    for (const end of ['', '-wal', '-shm']) runtime.files.remove(boxPath(runtime) + end);
  }
  const world = await openBox(runtime);
  try {
    world.reset();
    new Reporter(options, undefined, runtime).notes(['the sandbox has forgotten its orders; merchants and keys are as they were']);
    return 0;
  } finally {
    world.close();
  }
}

/** The published catalogue, or one outcome queued for the next order. */
export async function runSandboxOutcomes(
  next: string | undefined,
  outcome: string | undefined,
  options: CommonOptions & { readonly clientOrderId?: string },
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { queueable } = await import('../../sandbox/outcomes.js');
  if (next === undefined) {
    showCatalogue(queueable, report);
    return 0;
  }
  if (next !== 'next' || outcome === undefined || !Object.hasOwn(queueable, outcome))
    throw fail('USAGE', {
      why: `write \`paycli sandbox outcomes next OUTCOME\` with one of ${Object.keys(queueable).join(', ')}`,
      command: 'sandbox outcomes',
    });
  const world = await openBox(runtime);
  try {
    world.queueOutcome(outcome, options.clientOrderId);
    report.notes([`queued: ${options.clientOrderId === undefined ? 'the next order' : 'that order'} ends as ${outcome}`]);
    return 0;
  } finally {
    world.close();
  }
}

function showCatalogue(queueable: Readonly<Record<string, string>>, report: Reporter): void {
  if (report.json) {
    report.document({ schema: 'paycli.outcomes/1', testCards, testNumbers, cvv: cvvOutcomes, paresAmounts, amountEndings, queueable });
    return;
  }
  const { paint } = report;
  report.out(
    [
      `${paint.bold('Test cards')} (--test-card NAME)\n`,
      columns(testCards.map((card) => [`  ${card.name}`, card.number, `CVV ${card.cvv}`, card.about])),
      `${paint.bold('Security codes')} on any test card; every other code is declined\n`,
      columns(Object.entries(cvvOutcomes).map(([code, name]) => [`  ${code}`, name])),
      `${paint.bold('Amounts')} that start 3-D Secure 1.0.2: ${paresAmounts.join(', ')}\n`,
      `${paint.bold('Amount endings')} where no security code is sent\n`,
      columns(Object.entries(amountEndings).map(([ending, name]) => [`  .${ending}`, name])),
      `${paint.bold('Queued')} for the next order: paycli sandbox outcomes next NAME\n`,
      columns(Object.entries(queueable).map(([name, about]) => [`  ${name}`, about])),
      `${paint.bold('Numbers')} the sandbox takes besides: ${testNumbers.filter((number) => testCards.every((card) => card.number !== number)).join(' ')}\n`,
    ].join(''),
  );
}
