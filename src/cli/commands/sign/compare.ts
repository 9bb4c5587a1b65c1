import { pathFrom, readSecretText, secretText } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  controlCase,
  diagnoseControl,
  diagnoseOauth,
  type OauthTheirs,
  oauthCase,
} from '../../../signing/diagnose/index.js';
import { protocolPairs } from '../../../signing/schemes/oauth-scheme.js';
import type { Operation } from '../../../spec/index.js';
import { flagOf } from '../../command.js';
import type { CommonOptions, Typed } from '../../core/common-options.js';
import { readOr, sourceOf } from '../../core/text-input.js';
import { examineWithOwnKey } from './finding.js';
import { merchantFor, type PreparedRequest, readSurroundings, withRequest } from './operation-case.js';

import { reportComparison } from './report.js';

/** What the other side made of the same request. */
interface TheirsOptions extends CommonOptions {
  readonly control?: string;
  readonly signature?: string;
  readonly header?: string;
  readonly baseString?: string;
}

const theirFlags = ['control', 'signature', 'header', 'baseString'] as const;
const given = (options: TheirsOptions) => theirFlags.filter((name) => options[name] !== undefined);

/** True where something of theirs is to be compared. */
export function isCompared(options: TheirsOptions): boolean {
  return given(options).length > 0;
}

/** `sign OPERATION … --control V`: compares with any text of the other side, and names the mistake. */
export async function runCompare(
  row: Operation,
  typed: Typed,
  options: TheirsOptions,
  runtime: Runtime,
): Promise<number> {
  const flags = given(options).map(flagOf);
  if (flags.length > 1) throw fail('USAGE', { why: `give one of ${flags.join(', ')}` });
  return withRequest(row, typed, runtime, (prepared) => {
    const isControl = prepared.unsigned.protection.scheme === 'control';
    const takes = isControl ? ['--control', '--base-string'] : ['--signature', '--header', '--base-string'];
    const wrong = flags.find((flag) => !takes.includes(flag));
    if (wrong !== undefined) {
      const why = `${wrong} does not apply: this operation is protected by ${isControl ? 'a control' : 'an OAuth signature'}`;
      throw fail('USAGE', { why, flag: wrong });
    }
    return isControl ? compareControl(prepared, options, runtime) : compareOauth(prepared, options, runtime);
  });
}

async function compareControl(
  { unsigned, session, report }: PreparedRequest,
  { control, baseString }: TheirsOptions,
  runtime: Runtime,
): Promise<number> {
  const merchant = await merchantFor(session, unsigned.protection);
  const around = await readSurroundings(runtime);
  const theirs = control === undefined ? { string: await readTheirText(baseString ?? '', runtime) } : { control };
  const what = control === undefined ? 'text that is hashed' : 'control';
  const { found, damage } = examineWithOwnKey(merchant, (keys, maxPairs) => ({
    diagnosis: diagnoseControl(controlCase(unsigned, keys, session.assume, around), theirs, maxPairs),
  }));
  return reportComparison({ of: unsigned, what, form: damage, ...found }, session, report);
}

async function compareOauth(
  { unsigned, session, report }: PreparedRequest,
  { signature, nonce, timestamp, baseString, header }: TheirsOptions,
  runtime: Runtime,
): Promise<number> {
  if (signature !== undefined && (nonce === undefined || timestamp === undefined))
    throw fail('USAGE', { why: '--signature needs --nonce and --timestamp of the same request' });
  const fresh = { nonce: nonce ?? '', timestamp: timestamp ?? '', login: session.login };
  const text = signature === undefined ? await readTheirText(header ?? baseString ?? '', runtime) : signature;
  const theirs: OauthTheirs =
    signature !== undefined ? { signature } : header !== undefined ? { header: text } : { baseString: text };
  const what = 'baseString' in theirs ? 'base string' : 'signature';
  const merchant = await merchantFor(session, unsigned.protection);
  const { found, damage } = examineWithOwnKey(merchant, (keys, maxPairs) => {
    const bare = oauthCase(unsigned, keys, session.assume);
    const ours = { ...bare, protocol: protocolPairs({ ...fresh, name: bare.signatureMethod }) };
    return { diagnosis: diagnoseOauth(ours, theirs, maxPairs) };
  });
  return reportComparison({ of: unsigned, what, form: damage, ...found }, session, report);
}

/**
 * A text of the other side: a byte order mark at its beginning and one line end behind it, which editors and shells
 * put there, are left out. Throws TEXT_INVALID.
 */
async function readTheirText(path: string, runtime: Runtime): Promise<string> {
  const { files, terminal } = runtime;
  const whole =
    path === '-'
      ? secretText(await terminal.readStdinBytes())
      : readOr(
          () => readSecretText(pathFrom(path, files.folders.working, files.folders.home), files),
          (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }),
        );
  return whole.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
}
