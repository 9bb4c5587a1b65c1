import type { CertifySettings, Judgement, Scenario } from '../../../certify/index.js';
import { exits, fail, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list, on, oneOf, parsed, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags, timeUpTo } from '../../flags.js';
import { wholeNumber } from '../sandbox/serve.js';

interface CertifyOptions extends CommonOptions {
  readonly list?: boolean;
  readonly sample?: string;
  readonly only?: readonly string[];
  readonly tag?: string;
  readonly handler?: string;
  readonly restart?: boolean;
  readonly compatible?: boolean;
  readonly port?: string;
  readonly seed?: string;
  /** Milliseconds, as patience. */
  readonly clientTimeout?: number;
  readonly patience?: number;
  readonly junit?: string;
}

const command = 'certify';

export const certify = defineCommand({
  summary: 'Test your integration against everything that can go wrong with a payment',
  help: `Each run of the driver pays one order and reports its outcome.
Its environment:
  PAYCLI_BASE_URL, PAYCLI_LOGIN, PAYCLI_ENDPOINT_ID: as for paycli itself
  PAYCLI_CONTROL_KEY_FILE, PAYCLI_PRIVATE_KEY_FILE: test keys
  CERTIFY_ORDER: what to pay, as JSON
  CERTIFY_STATE: a folder that is kept when the driver is killed
  CERTIFY_TIMEOUT, CERTIFY_PATIENCE: how long to wait, in seconds

Its last line of output is a JSON object: {"outcome": "paid"}, or declined, pending, unknown, refused. A run of the driver is ended after three times the sum of client timeout and patience (21 s by default). \`paycli help certify\` describes drivers in full, with samples.`,
  usage: '[flags] -- command',
  heading: 'Tools:',
  args: { command: { text: 'the driver of your integration with its arguments, after --', isList: true } },
  flags: {
    list: on('list the scenarios without running them'),
    sample: oneOf(['bash', 'python', 'php', 'node'], '<language>', 'print a sample driver instead'),
    only: list('<name>', 'only this scenario; repeatable'),
    tag: word('<tags>', 'only scenarios with these tags, separated by commas: money, callback, 3ds, format, outage'),
    handler: word('<url>', 'the address of your callback handler, if it is already running'),
    restart: on('kill the driver at a random moment in every scenario, and run it again'),
    compatible: on('accept what existing programs send against the description, as `sandbox start --compatible` does'),
    seed: word('<text>', 'kill the driver at the same moments as the earlier run that printed this seed'),
    port: word('<number>', 'port of the gateway, for a client with a fixed address; scenarios then run in turn (any)'),
    clientTimeout: parsed('<time>', 'how long your client waits for a reply (2s)', timeUpTo(120)),
    patience: parsed('<time>', 'how long your client waits for an outcome (5s)', timeUpTo(600)),
    junit: word('<file>', 'write the result as JUnit XML'),
    ...outputFlags,
  } satisfies FlagsFor<CertifyOptions>,
  effect: 'local',
  note: '0: every scenario passed; 11: at least one failed; 12: none failed, and at least one could not be judged; 130: stopped by Ctrl-C (143: by SIGTERM); the reports then contain what had been judged.',
  result: ['certify', 'certify-list'],
  run: ({ args, flags, runtime }) => runCertify(args.command, flags as CertifyOptions, runtime),
});

async function runCertify(driver: readonly string[], options: CertifyOptions, runtime: Runtime): Promise<number> {
  if (options.sample !== undefined) return showSample(options.sample, runtime);
  const report = new Reporter(options, undefined, runtime);
  const { scenarios, tags } = await import('../../../certify/index.js');
  const { errorOf, listDocument, listSheet, openJunit, reportRun } = await import('./report.js');
  const chosen = chooseScenarios(scenarios, tags, options);
  if (options.list === true) {
    await report.show({ document: listDocument(chosen), list: 'scenarios', sheet: () => listSheet(chosen, report) });
    return exits.ok;
  }
  if (driver.length === 0)
    throw fail('USAGE', { why: 'write `certify -- COMMAND` with the command that pays one order after --', command });
  const settings = readSettings(driver, options, runtime);
  const file = options.junit === undefined ? undefined : openJunit(options.junit, runtime);
  try {
    const startedAt = runtime.clock.monotonic();
    const { judged, stoppedBy } = await judgeDriver(chosen, settings, report, runtime);
    const took = (runtime.clock.monotonic() - startedAt) / 1000;
    await reportRun({ judged, driver, seconds: took, seed: settings.seed, at: runtime.clock.now() }, report);
    file?.write(judged);
    if (stoppedBy !== undefined && judged.some(({ verdict }) => verdict === 'not run'))
      return endStopped(judged, stoppedBy, report);
    const error = errorOf(judged);
    if (error !== undefined) report.because(error);
    return error?.exit ?? exits.ok;
  } finally {
    file?.drop();
  }
}

/** One of the sample drivers of `paycli help certify`. */
async function showSample(language: string, { terminal }: Runtime): Promise<number> {
  const { default: text } = await import('./samples.md');
  terminal.out(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1] ?? '');
  return exits.ok;
}

function endStopped(judged: readonly Judgement[], signal: StopSignal, report: Reporter): number {
  const done = judged.filter(({ verdict }) => verdict !== 'not run').length;
  const how = signal === 'SIGINT' ? 'interrupted' : 'terminated';
  report.because(fail('CERTIFY_STOPPED', { how, judged: done, all: judged.length }));
  return signal === 'SIGINT' ? exits.interrupted : exits.terminated;
}

type StopSignal = 'SIGINT' | 'SIGTERM';

/** Runs the driver, side by side, with a line for each scenario as it ends; a signal leaves the rest. */
async function judgeDriver(
  chosen: readonly Scenario[],
  settings: CertifySettings,
  report: Reporter,
  runtime: Runtime,
): Promise<{ readonly judged: readonly Judgement[]; readonly stoppedBy: StopSignal | undefined }> {
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
}

/** By name and by tag; all without either. Throws USAGE. */
function chooseScenarios(
  all: readonly Scenario[],
  known: readonly string[],
  { only, tag }: CertifyOptions,
): readonly Scenario[] {
  const names = only?.flatMap((text) => text.split(','));
  const tags = tag?.split(',');
  const check = (given: readonly string[] = [], words: readonly string[], missing: string, hint: string) => {
    const wrong = given.find((word) => !words.includes(word));
    if (wrong === undefined) return;
    const name = wrong.slice(0, 40);
    throw fail('USAGE', { why: `${missing} ${name}${suggest(wrong, words, hint)}`, name });
  };
  const allNames = all.map(({ name }) => name);
  check(names, allNames, 'there is no scenario', '; `paycli certify --list` shows them all');
  check(tags, known, 'no scenario has the tag', `; use ${known.join(', ')}`);
  const chosen = all.filter(
    (scenario) => (names?.includes(scenario.name) ?? true) && (tags?.includes(scenario.tag) ?? true),
  );
  if (chosen.length === 0) throw fail('USAGE', { why: 'no scenario is in both --only and --tag', command });
  return chosen;
}

function readSettings(driver: readonly string[], options: CertifyOptions, { random }: Runtime): CertifySettings {
  const { handler, restart = false, seed = random.letters(8), port = '0' } = options;
  const { clientTimeout = 2000, patience = 5000 } = options;
  if (handler !== undefined && !/^https?:\/\/\S+$/.test(handler))
    throw fail('USAGE', { why: '--handler: use an http address such as http://127.0.0.1:3000/callback', command });
  return {
    ...{ command: driver, handler, isRestarted: restart, seed, isCompatible: options.compatible === true },
    port: wholeNumber('--port', port, 65_535, command),
    timeout: wholeSeconds(clientTimeout),
    patience: wholeSeconds(patience),
    callbackHosts: handler === undefined || !URL.canParse(handler) ? [] : [new URL(handler).host],
  };
}

/** Since the driver is told the time in these. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
