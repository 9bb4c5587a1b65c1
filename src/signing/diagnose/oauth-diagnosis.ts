import { diffBaseString } from './diff-base-string.js';
import { diffHeader } from './diff-header.js';
import { findOauthMistakes } from './find-oauth.js';
import type { Diagnosis, OauthCase, OauthTheirs } from './types.js';

/** Names what went wrong on the other side, from as much as it shows. */
export function diffOauth(given: OauthCase, theirs: OauthTheirs): Diagnosis {
  if ('signature' in theirs) return findOauthMistakes(given, theirs.signature);
  return 'header' in theirs ? diffHeader(given, theirs.header) : diffBaseString(given, theirs.baseString);
}
