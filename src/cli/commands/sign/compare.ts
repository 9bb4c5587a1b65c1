import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  controlCase,
  diagnoseControl,
  diagnoseOauth,
  type OauthTheirs,
  oauthCase,
  plainProtocol,
} from '../../../signing/diagnose/index.js';
import type { Operation } from '../../../spec/index.js';
import { flagOf } from '../../command.js';
import type { CommonOptions, Typed } from '../../core/common-options.js';
import { readTheirText } from './inputs.js';
import { merchantFor, type PreparedRequest, readSurroundings, withRequest } from './operation-case.js';
import { operationFacts, reportComparison } from './report.js';

/** What the other side made of the same request. */
export interface TheirsOptions extends CommonOptions {
  readonly control?: string;
  readonly signature?: string;
  readonly header?: string;
  readonly baseString?: string;
}

/** True where something of theirs is to be compared. */
export function isCompared({ control, signature, header, baseString }: TheirsOptions): boolean {
  return [control, signature, header, baseString].some((each) => each !== undefined);
}

/** `sign OPERATION … --control V`: compares with any text of the other side, and names the mistake. */
export async function runCompare(
  row: Operation,
  typed: Typed,
  options: TheirsOptions,
  runtime: Runtime,
): Promise<number> {
  const command = `sign ${row.command}`;
  requireOne(options, command);
  return withRequest(row, typed, command, runtime, (prepared) =>
    prepared.unsigned.protection.scheme === 'control'
      ? compareControl(prepared, options, command, runtime)
      : compareOauth(prepared, options, command, runtime),
  );
}

function requireOne({ control, signature, header, baseString }: TheirsOptions, command: string): void {
  const given = Object.entries({ control, signature, header, baseString }).filter(([, value]) => value !== undefined);
  if (given.length === 1) return;
  const flags = given.map(([name]) => flagOf(name)).join(', ');
  throw fail('USAGE', { why: `give one of ${flags}`, flags, command });
}

async function compareControl(
  { unsigned, session, report }: PreparedRequest,
  { control, baseString, signature, header }: TheirsOptions,
  command: string,
  runtime: Runtime,
): Promise<number> {
  if (signature !== undefined || header !== undefined)
    throw otherKind('a control', signature === undefined ? '--header' : '--signature', command);
  const merchant = await merchantFor(session, unsigned.protection);
  const given = controlCase(unsigned, merchant, session.assume, await readSurroundings(session, runtime));
  const theirs =
    control === undefined ? { string: await readTheirText(baseString ?? '', report, runtime) } : { control };
  const diagnosis = diagnoseControl(given, theirs);
  return reportComparison(
    {
      ...operationFacts(unsigned, session),
      what: control === undefined ? 'text that is hashed' : 'control',
      diagnosis,
      rows: diagnosis.compare?.() ?? [],
    },
    report,
  );
}

async function compareOauth(
  { unsigned, session, report }: PreparedRequest,
  options: TheirsOptions,
  command: string,
  runtime: Runtime,
): Promise<number> {
  const { control, signature, nonce, timestamp, baseString, header } = options;
  if (control !== undefined) throw otherKind('an OAuth signature', '--control', command);
  if (signature !== undefined && (nonce === undefined || timestamp === undefined))
    throw fail('USAGE', { why: '--signature needs --nonce and --timestamp of the same request', command });
  const merchant = await merchantFor(session, unsigned.protection);
  const bare = oauthCase(unsigned, merchant, session.assume);
  const fresh = { nonce: nonce ?? '', timestamp: timestamp ?? '' };
  const given = {
    ...bare,
    protocol: plainProtocol(session.login, fresh, bare.signatureMethod),
  };
  const theirs: OauthTheirs =
    signature !== undefined
      ? { signature }
      : header !== undefined
        ? { header: await readTheirText(header, report, runtime) }
        : { baseString: await readTheirText(baseString ?? '', report, runtime) };
  const diagnosis = diagnoseOauth(given, theirs);
  return reportComparison(
    {
      ...operationFacts(unsigned, session),
      what: 'baseString' in theirs ? 'base string' : 'signature',
      diagnosis,
      rows: diagnosis.compare?.() ?? [],
    },
    report,
  );
}

function otherKind(kind: string, flag: string, command: string): Error {
  return fail('USAGE', { why: `${flag} does not apply: this operation is protected by ${kind}`, flag, command });
}
