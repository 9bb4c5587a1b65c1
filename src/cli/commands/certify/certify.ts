import type { Certificate } from '../../../certify/certificate.js';
import type { CertifySettings, Judgement, Scenario } from '../../../certify/index.js';
import { exits, fail, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { seconds } from '../../flags.js';
import { wholeNumber } from '../sandbox/serve.js';
import { openReportFiles } from './report-files.js';

export interface CertifyOptions extends CommonOptions {
  readonly list?: boolean;
  readonly only?: readonly string[];
  readonly tag?: string;
  readonly handler?: string;
  readonly serve?: boolean;
  readonly restart?: boolean;
  readonly port?: string;
  readonly pagePort?: string;
  readonly seed?: string;
  readonly clientTimeout?: string;
  readonly patience?: string;
  readonly junit?: string;
  readonly html?: string;
  readonly baseline?: string;
}

const command = 'certify';

export const certify = defineCommand<CertifyOptions>({
  name: command,
  summary: 'Test your integration against everything that can go wrong with a payment',
  heading: 'Tools:',
  usage: '[flags] -- command',
  args: [['[command...]', 'the driver of your integration with its arguments, after --']],
  options: [
    ['--list', 'list the scenarios without running them'],
    ['--only <name>', 'only this scenario; repeatable', { repeated: true }],
    ['--tag <tags>', 'only scenarios with these tags, separated by commas: money, callback, 3ds, format, outage'],
    ['--handler <url>', 'the address of your callback handler, if it is already running'],
    ['--restart', 'kill the driver at a random moment in every scenario, and run it again'],
    ['--seed <text>', 'kill the driver at the same moments as the earlier run that printed this seed'],
    ['--serve', 'instead of a command: serve a page with a button for each scenario, until Ctrl-C'],
    ['--port <number>', 'port of the gateway, for a client with a fixed address; scenarios then run in turn (any)'],
    ['--page-port <number>', 'port of the page of --serve (any)'],
    ['--client-timeout <time>', 'how long your client waits for a reply (2s)'],
    ['--patience <time>', 'how long your client waits for an outcome (5s)'],
    { heading: 'Reports:' },
    ['--junit <file>', 'write the result as JUnit XML'],
    ['--html <file>', 'write the result as an HTML page to share'],
    ['--baseline <file>', 'an earlier --json result; exit 11 or 12 only if something got worse since then'],
  ],
  details: `Each run of the driver pays one order and reports its outcome.
Its environment:
  PAYCLI_BASE_URL, PAYCLI_LOGIN, PAYCLI_ENDPOINT_ID: as for paycli itself
  PAYCLI_CONTROL_KEY_FILE, PAYCLI_PRIVATE_KEY_FILE: test keys
  CERTIFY_ORDER: what to pay, as JSON
  CERTIFY_STATE: a folder that is kept when the driver is killed
  CERTIFY_TIMEOUT, CERTIFY_PATIENCE: how long to wait, in seconds

Its last line of output is a JSON object: {"outcome": "paid"}, or declined, pending, unknown, refused. A run of the driver is ended after three times the sum of client timeout and patience (21 s by default). \`paycli help certify\` describes drivers in full, with samples in four languages.`,
  effect: 'none',
  network: false,
  exits: ['checkFailed', 'batchLeft', 'storage', 'interrupted'],
  note: '0: every scenario passed; 11: at least one failed; 12: none failed, and at least one could not be judged; 130: stopped by Ctrl-C (143: by SIGTERM); the reports then contain what had been judged.',
  prints: ['certify', 'certify-list'],
  run: ({ words, options, runtime }) => runCertify(words, options, runtime),
});

async function runCertify(driver: readonly string[], options: CertifyOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { scenarios, tags } = await import('../../../certify/index.js');
  const { certificateOf, readBaseline } = await import('../../../certify/certificate.js');
  const { errorOf, listDocument, listSheet, reportCertificate } = await import('./report.js');
  const chosen = chooseScenarios(scenarios, tags, options);
  if (options.list === true) {
    await report.show({ document: listDocument(chosen), list: 'scenarios', sheet: () => listSheet(chosen, report) });
    return exits.ok;
  }
  if ((options.serve === true) === driver.length > 0)
    throw fail('USAGE', {
      why: 'write `certify -- COMMAND` with the command that pays one order after --, or `certify --serve`',
      command,
    });
  const settings = readSettings(driver, options, runtime);
  const baseline = options.baseline === undefined ? undefined : readBaseline(options.baseline, runtime.files);
  const files = openReportFiles(options, runtime);
  try {
    const startedAt = runtime.clock.monotonic();
    const judge = options.serve === true ? judgeServed : judgeDriven;
    const { judged, stoppedBy } = await judge(chosen, settings, report, runtime);
    const took = (runtime.clock.monotonic() - startedAt) / 1000;
    const run = {
      paycli: packageVersion,
      driver,
      seconds: took,
      seed: settings.seed,
      at: runtime.clock.now(),
      baseline,
    };
    const certificate = certificateOf(judged, run);
    await reportCertificate(certificate, report);
    await files.write(certificate);
    if (stoppedBy !== undefined && judged.some(({ verdict }) => verdict === 'not run'))
      return endStopped(certificate, stoppedBy, report);
    const error = errorOf(certificate);
    if (error !== undefined) report.because(error);
    return error?.exit ?? exits.ok;
  } finally {
    files.drop();
  }
}

function endStopped({ judged }: Certificate, signal: StopSignal, report: Reporter): number {
  const done = judged.filter(({ verdict }) => verdict !== 'not run').length;
  const how = signal === 'SIGINT' ? 'interrupted' : 'terminated';
  report.because(fail('CERTIFY_STOPPED', { how, judged: done, all: judged.length }));
  return signal === 'SIGINT' ? exits.interrupted : exits.terminated;
}

type StopSignal = 'SIGINT' | 'SIGTERM';

interface Judged {
  readonly judged: readonly Judgement[];
  /** Undefined for a run that came to its end. */
  readonly stoppedBy: StopSignal | undefined;
}

type Judge = (
  chosen: readonly Scenario[],
  settings: CertifySettings,
  report: Reporter,
  runtime: Runtime,
) => Promise<Judged>;

/** Runs the driver, side by side, with a line for each scenario as it ends; a signal leaves the rest. */
const judgeDriven: Judge = async (chosen, settings, report, runtime) => {
  const library = await import('../../../certify/index.js');
  const { judgedLine, progressLine } = await import('./report.js');
  const stop = new AbortController();
  let stoppedBy: StopSignal | undefined;
  const unlisten = runtime.processes.onStop((signal) => {
    stoppedBy ??= signal;
    stop.abort();
  });
  const done: Judgement[] = [];
  const onJudged = (one: Judgement) => {
    done.push(one);
    if (report.isWholeText) report.out(judgedLine(one, chosen, report));
  };
  try {
    report.progress(() => progressLine(done, chosen.length));
    return { judged: await library.certify(chosen, settings, runtime, stop.signal, onJudged), stoppedBy };
  } finally {
    report.progress(undefined);
    unlisten();
  }
};

/** A person starts each scenario on a page, and says what the client believes; until Ctrl-C, which is its end. */
const judgeServed: Judge = async (chosen, settings, report, runtime) => {
  const library = await import('../../../certify/index.js');
  const { serveScenarios } = await import('../../../certify/served.js');
  const { judgedLine } = await import('./report.js');
  const stopped = new Promise<void>((resolve) => runtime.processes.onStop(() => resolve()));
  const served = await serveScenarios(chosen, settings, await library.gatewayPorts(settings, runtime), runtime);
  report.urgent([`scenarios at ${served.url}; Ctrl-C ends it and shows the result`]);
  await stopped;
  await served.close();
  const { judged } = served;
  if (report.isWholeText)
    for (const each of judged) if (each.verdict !== 'not run') report.out(judgedLine(each, chosen, report));
  return { judged, stoppedBy: undefined };
};

/** By name and by tag; all without either. Throws USAGE. */
function chooseScenarios(
  all: readonly Scenario[],
  known: readonly string[],
  { only, tag }: CertifyOptions,
): readonly Scenario[] {
  const names = only?.flatMap((text) => text.split(','));
  const tags = tag?.split(',');
  for (const name of names ?? [])
    if (!all.some((scenario) => scenario.name === name)) {
      const hint = suggest(
        name,
        all.map((each) => each.name),
        '; `paycli certify --list` shows them all',
      );
      throw fail('USAGE', { why: `there is no scenario ${name.slice(0, 40)}${hint}`, name: name.slice(0, 40) });
    }
  for (const name of tags ?? [])
    if (!known.includes(name))
      throw fail('USAGE', {
        why: `no scenario has the tag ${name.slice(0, 40)}${suggest(name, known, `; use ${known.join(', ')}`)}`,
        name: name.slice(0, 40),
      });
  const chosen = all.filter(
    (scenario) => (names?.includes(scenario.name) ?? true) && (tags?.includes(scenario.tag) ?? true),
  );
  if (chosen.length === 0) throw fail('USAGE', { why: 'no scenario is in both --only and --tag', command });
  return chosen;
}

function readSettings(driver: readonly string[], options: CertifyOptions, { random }: Runtime): CertifySettings {
  const {
    handler,
    restart = false,
    seed = random.letters(8),
    port = '0',
    pagePort = '0',
    clientTimeout = '2',
    patience = '5',
  } = options;
  if (handler !== undefined && !/^https?:\/\/\S+$/.test(handler))
    throw fail('USAGE', { why: '--handler: use an http address such as http://127.0.0.1:3000/callback', command });
  return {
    command: driver,
    handler,
    isRestarted: restart,
    seed,
    pagePort: wholeNumber('--page-port', pagePort, 65_535, command),
    port: wholeNumber('--port', port, 65_535, command),
    timeout: wholeSeconds('--client-timeout', clientTimeout, 120),
    patience: wholeSeconds('--patience', patience, 600),
    callbackHosts: handler === undefined || !URL.canParse(handler) ? [] : [new URL(handler).host],
  };
}

/** Whole seconds, since the driver is told the time in these. Throws USAGE. */
function wholeSeconds(flag: string, text: string, max: number): number {
  return Math.max(1, Math.ceil((seconds(flag, text, max) ?? 0) / 1000));
}
