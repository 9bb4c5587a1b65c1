import type { CertifySettings, Judgement, Scenario } from '../../../certify/index.js';
import { exits, fail, suggest } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, list, on, oneOf, parsed, type Values, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags, portFlag, timeUpTo } from '../../flags.js';
import { readHandler } from '../callback/listen.js';

const flags = {
  list: on('list the scenarios without running them'),
  sample: oneOf(['bash', 'python', 'php', 'node'], '<language>', 'print a sample driver instead'),
  only: list('<name>', 'only this scenario, or those of a tag: money, callback, 3ds, format, outage; repeatable'),
  handler: parsed('<url>', 'the address of your callback handler, if it is already running', readHandler),
  compatible: on('accept what existing programs send against the description, as `sandbox start --compatible` does'),
  port: portFlag('port of the gateway, for a client with a fixed address; scenarios then run in turn (any)'),
  clientTimeout: parsed('<time>', 'how long your client waits for a reply (2s)', timeUpTo(120)),
  patience: parsed('<time>', 'how long your client waits for an outcome (5s)', timeUpTo(600)),
  junit: word('<file>', 'write the result as JUnit XML'),
  ...outputFlags,
};

type CertifyOptions = CommonOptions & Values<typeof flags>;

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
  flags,
  effect: 'local',
  note: '0: every scenario passed; 11: at least one failed; 12: none failed, and at least one could not be judged; 130: stopped by Ctrl-C (143: by SIGTERM); the reports then contain what had been judged.',
  result: ['certify', 'certify-list'],
  run: ({ args, flags, runtime }) => runCertify(args.command, flags, runtime),
});

async function runCertify(driver: readonly string[], options: CertifyOptions, runtime: Runtime): Promise<number> {
  if (options.sample !== undefined) return showSample(options.sample, runtime);
  const report = new Reporter(options, undefined, runtime);
  const { scenarios, tags } = await import('../../../certify/index.js');
  const chosen = chooseScenarios(
    scenarios,
    tags,
    options.only?.flatMap((text) => text.split(',')),
  );
  if (options.list === true) {
    const listed = chosen.map(({ name, tag, title, should }) => ({ name, tag, title, should }));
    await report.show({
      document: { schema: 'paycli.certify-list/1', scenarios: listed },
      list: 'scenarios',
      sheet: () => ({
        columns: [{ head: 'scenario' }, { head: 'tag' }, { head: 'what happens', flexible: true }],
        rows: chosen.map(({ name, tag, title }) => [report.paint.name(name), tag, title]),
      }),
    });
    return exits.ok;
  }
  if (driver.length === 0)
    throw fail('USAGE', { why: 'write `certify -- COMMAND` with the command that pays one order after --' });
  return judgeAndReport(chosen, readSettings(driver, options), options, report, runtime);
}

async function judgeAndReport(
  chosen: readonly Scenario[],
  settings: CertifySettings,
  options: CertifyOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  const { errorOf, reportRun, writeJunit } = await import('./report.js');
  const { notRun } = await import('../../../certify/index.js');
  const { junit } = options;
  // At once: a run of a minute must not end without its report.
  if (junit !== undefined)
    writeJunit(
      junit,
      chosen.map((each) => notRun(each, 'it was not run')),
      runtime,
    );
  const startedAt = runtime.clock.monotonic();
  const { judged, stoppedBy } = await judgeDriver(chosen, settings, report, runtime);
  const seconds = (runtime.clock.monotonic() - startedAt) / 1000;
  await reportRun({ judged, driver: settings.command, seconds, at: runtime.clock.now() }, report);
  if (junit !== undefined) writeJunit(junit, judged, runtime);
  const done = judged.filter(({ verdict }) => verdict !== 'not run').length;
  if (stoppedBy !== undefined && done < judged.length) {
    const how = stoppedBy === 'SIGINT' ? 'interrupted' : 'terminated';
    report.because(fail('CERTIFY_STOPPED', { how, judged: done, all: judged.length }));
    return exits[how];
  }
  const error = errorOf(judged);
  if (error !== undefined) report.because(error);
  return error?.exit ?? exits.ok;
}

/** One of the sample drivers of `paycli help certify`. */
async function showSample(language: string, { terminal }: Runtime): Promise<number> {
  const { default: text } = await import('./samples.md');
  terminal.out(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1] ?? '');
  return exits.ok;
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

/** Those of these names and tags; all without any. Throws USAGE. */
function chooseScenarios(all: readonly Scenario[], tags: readonly string[], words?: readonly string[]) {
  if (words === undefined) return all;
  const known = [...tags, ...all.map(({ name }) => name)];
  const unknown = words.find((each) => !known.includes(each));
  if (unknown !== undefined)
    throw fail('USAGE', {
      why: `there is no scenario ${unknown.slice(0, 40)}${suggest(unknown, known, '; `paycli certify --list` shows them all')}`,
    });
  return all.filter(({ name, tag }) => words.includes(name) || words.includes(tag));
}

function readSettings(driver: readonly string[], options: CertifyOptions): CertifySettings {
  const { handler, port = 0, clientTimeout = 2000, patience = 5000 } = options;
  return {
    ...{ command: driver, handler, isCompatible: options.compatible === true },
    port,
    // The driver is told the time in whole seconds.
    timeout: Math.max(1, Math.ceil(clientTimeout / 1000)),
    patience: Math.max(1, Math.ceil(patience / 1000)),
    callbackHosts: handler === undefined ? [] : [new URL(handler).host],
  };
}
