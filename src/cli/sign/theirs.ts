import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { ControlTheirs, OauthTheirs } from '../../signing/diagnose/index.js';
import { type Fresh, splitAuthorizationHeader } from '../../signing/index.js';
import type { CommonOptions } from '../options.js';
import { readLine } from './files.js';

/** What the other side made of the same request. */
export interface TheirsOptions extends CommonOptions {
  readonly theirsSignature?: string;
  readonly theirsBaseString?: string;
  readonly theirsHeader?: string;
  readonly theirsControl?: string;
  readonly theirsString?: string;
}

/** Throws USAGE unless exactly one of the three is given. */
export async function readOauthTheirs(options: TheirsOptions, command: string, runtime: Runtime): Promise<OauthTheirs> {
  const { theirsSignature: signature, theirsBaseString, theirsHeader } = options;
  requireOne({ '--theirs-signature': signature, '--theirs-base-string': theirsBaseString, '--theirs-header': theirsHeader }, command);
  if (signature !== undefined) return { signature };
  if (theirsBaseString !== undefined) return { baseString: await readLine(theirsBaseString, runtime) };
  return { header: await readHeader(theirsHeader ?? '', runtime) };
}

/** Throws USAGE unless exactly one of the two is given. */
export async function readControlTheirs(options: TheirsOptions, command: string, runtime: Runtime): Promise<ControlTheirs> {
  const { theirsControl: control, theirsString } = options;
  requireOne({ '--theirs-control': control, '--theirs-string': theirsString }, command);
  return control === undefined ? { string: await readLine(theirsString ?? '', runtime) } : { control };
}

/** The value of an Authorization header, with or without the name of the header in front. */
export async function readHeader(path: string, runtime: Runtime): Promise<string> {
  return (await readLine(path, runtime)).trim().replace(/^authorization:\s*/i, '');
}

/** Nonce and timestamp of a header; elsewhere they are given, or taken from the base string by the comparison itself. */
export function freshIn(theirs: OauthTheirs): Fresh {
  const header = 'header' in theirs ? theirs.header : undefined;
  return { nonce: parameterIn(header, 'oauth_nonce') ?? '', timestamp: parameterIn(header, 'oauth_timestamp') ?? '' };
}

/** A parameter of an Authorization header, decoded; undefined where the header cannot be read. */
export function parameterIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  try {
    const found = splitAuthorizationHeader(header).pairs.find(([each]) => each === name)?.[1];
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch (error) {
    if (isPaycliError(error) || error instanceof URIError) return undefined;
    throw error;
  }
}

export function secondsNow({ clock }: Runtime): number {
  return Math.floor(clock.now() / 1000);
}

function requireOne(given: Readonly<Record<string, string | undefined>>, command: string): void {
  if (Object.values(given).filter((value) => value !== undefined).length === 1) return;
  throw fail('USAGE', { why: `take exactly one of ${Object.keys(given).join(', ')}`, command });
}
