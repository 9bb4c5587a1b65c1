import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type ControlTheirs,
  diffControl,
  diffOauth,
  type OauthCase,
  type OauthTheirs,
} from '../../../signing/diagnose/index.js';
import type { Operation } from '../../../spec/index.js';
import { printable } from '../../../wire/redact.js';
import { flagOf } from '../../command.js';
import type { Typed } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';

import { type Comparison, operationComparison, rawComparison, reportDiagnosis } from './diagnosis-report.js';
import {
  nonceAndTimestampIn,
  readControlTheirs,
  readOauthTheirs,
  requireFlags,
  secondsNow,
  type TheirsOptions,
  type TrimmedPiece,
} from './inputs.js';
import { controlMistakeDifference, oauthMistakeDifference } from './likeliest-mistake.js';
import { fillMasks } from './masked-texts.js';
import { controlCaseOf, oauthCaseOf, type PreparedRequest, withRequest } from './operation-case.js';
import { caseToCompare, type RawOptions } from './raw.js';

export type DiffOptions = RawOptions & TheirsOptions;

export interface FindOptions extends RawOptions {
  readonly signature?: string;
  readonly control?: string;
}

/** `sign diff` over a request given by hand. */
export async function runRawDiff(options: DiffOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const theirs = await readOauthTheirs(options, 'sign diff', runtime);
  const given = await caseToCompare('sign diff', options, theirs, report, runtime);
  return compareOauth(given, theirs, rawComparison(given, theirs), report);
}

/** `sign find-mistake` over a request given by hand. */
export async function runRawFind(options: FindOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const theirs = requireFlags('sign find-mistake', { signature: options.signature });
  const given = await caseToCompare('sign find-mistake', options, theirs, report, runtime);
  return compareOauth(given, theirs, rawComparison(given), report);
}

/** `sign diff OPERATION`. */
export async function runOperationDiff(
  row: Operation,
  typed: Typed,
  options: DiffOptions,
  runtime: Runtime,
): Promise<number> {
  const command = `sign diff ${row.command}`;
  return withRequest(row, typed, command, runtime, async (prepared) => {
    if (prepared.unsigned.protection.scheme === 'control') {
      refuseFlags(options, ['theirsSignature', 'theirsBaseString', 'theirsHeader'], 'a control', command);
      return compareControl(prepared, await readControlTheirs(options, command, runtime), runtime);
    }
    refuseFlags(options, ['theirsControl', 'theirsString'], 'an OAuth signature', command);
    return comparePrepared(prepared, await readOauthTheirs(options, command, runtime), options, command, runtime);
  });
}

/** `sign find-mistake OPERATION`. */
export async function runOperationFind(
  row: Operation,
  typed: Typed,
  options: FindOptions,
  runtime: Runtime,
): Promise<number> {
  const command = `sign find-mistake ${row.command}`;
  return withRequest(row, typed, command, runtime, async (prepared) => {
    if (prepared.unsigned.protection.scheme === 'control') {
      refuseFlags(options, ['signature'], 'a control', command);
      return compareControl(prepared, requireFlags(command, { control: options.control }), runtime);
    }
    refuseFlags(options, ['control'], 'an OAuth signature', command);
    const { signature, nonce, timestamp } = options;
    return comparePrepared(
      prepared,
      { signature: requireFlags(command, { signature, nonce, timestamp }).signature },
      options,
      command,
      runtime,
    );
  });
}

async function compareControl(
  { unsigned, session, report }: PreparedRequest,
  theirs: ControlTheirs & { readonly trimmed?: readonly TrimmedPiece[] },
  runtime: Runtime,
): Promise<number> {
  const given = await controlCaseOf(unsigned, session, runtime);
  const found = diffControl(given, theirs);
  const control = 'control' in theirs ? theirs.control : undefined;
  const comparison = { ...operationComparison(unsigned, session), trimmed: theirs.trimmed };
  const supposed = control === undefined ? undefined : controlMistakeDifference(given, control, found);
  const what = control === undefined ? ({ what: 'control string' } as const) : {};
  return reportDiagnosis(found, { ...comparison, ...what }, report, supposed);
}

async function comparePrepared(
  { unsigned, session, report }: PreparedRequest,
  theirs: OauthTheirs & { readonly trimmed?: readonly TrimmedPiece[] },
  options: FindOptions,
  command: string,
  runtime: Runtime,
): Promise<number> {
  const { nonce, timestamp } = options;
  const read = nonceAndTimestampIn(theirs);
  const fresh = requireFlags(
    command,
    'signature' in theirs
      ? { nonce, timestamp }
      : { nonce: nonce ?? read.nonce, timestamp: timestamp ?? read.timestamp },
  );
  const given = { ...(await oauthCaseOf(unsigned, session, fresh)), now: secondsNow(runtime) };
  const comparison = operationComparison(unsigned, session);
  return compareOauth(
    given,
    theirs,
    'baseString' in theirs ? { ...comparison, what: 'base string' } : comparison,
    report,
  );
}

function compareOauth(
  given: OauthCase,
  theirs: OauthTheirs & { readonly trimmed?: readonly TrimmedPiece[] },
  comparison: Comparison,
  report: Reporter,
): Promise<number> {
  const filled = 'baseString' in theirs ? fillMasks(theirs.baseString, given.body) : undefined;
  if (filled !== undefined && filled.names.length > 0)
    report.warn([`not compared, as it is masked in theirs: ${filled.names.map(printable).join(', ')}`]);
  const found = diffOauth(given, filled === undefined ? theirs : { baseString: filled.text });
  const supposed = oauthMistakeDifference(given, theirs, found);
  return reportDiagnosis(found, { ...comparison, trimmed: theirs.trimmed }, report, supposed);
}

/** Flags of the other kind of protection are a misunderstanding worth a sentence. */
function refuseFlags(
  options: DiffOptions & FindOptions,
  names: readonly (keyof (DiffOptions & FindOptions))[],
  kind: string,
  command: string,
) {
  const given = names.find((name) => options[name] !== undefined);
  if (given !== undefined)
    throw fail('USAGE', {
      why: `${flagOf(given)} does not apply: this operation is protected by ${kind}`,
      flag: flagOf(given),
      command,
    });
}
