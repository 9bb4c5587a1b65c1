import { encodeJson, readJson } from './json.js';
import { type Authentication, authenticationOf, challengeLetters } from './result.js';

/** The messages of a 3-D Secure 2.x challenge that an issuer's server and a merchant exchange. */
export interface ChallengeIds {
  readonly tdsId: string;
  readonly acsId: string;
}

const messageVersion = '2.2.0';

/** A challenge request as the browser would post it: base64url of JSON. */
export function encodeChallengeRequest({ tdsId, acsId }: ChallengeIds): string {
  return encodeJson({ threeDSServerTransID: tdsId, acsTransID: acsId, messageType: 'CReq', messageVersion, challengeWindowSize: '05' });
}

export type RequestReading =
  | { readonly ok: true; readonly tdsId: string; readonly acsId: string }
  | { readonly ok: false; readonly why: string };

/** Reads a challenge request: Base64 or base64url of JSON. */
export function readChallengeRequest(text: string): RequestReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'creq is not Base64 of a JSON object' };
  if (message['messageType'] !== 'CReq') return { ok: false, why: 'messageType of creq must be CReq' };
  const { threeDSServerTransID: tdsId, acsTransID: acsId } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'creq has no threeDSServerTransID' };
  if (typeof acsId !== 'string') return { ok: false, why: 'creq has no acsTransID' };
  return { ok: true, tdsId, acsId };
}

/** How a challenge ended. `cancel` says who or what ended it early: 01 the cardholder, 04 a timeout. */
export interface ChallengeEnd extends ChallengeIds {
  readonly transStatus: 'Y' | 'N';
  readonly cancel?: '01' | '04' | undefined;
}

/** A challenge response as the issuer's page posts it: base64url of JSON. */
export function encodeChallengeResponse({ tdsId, acsId, transStatus, cancel }: ChallengeEnd): string {
  return encodeJson({
    threeDSServerTransID: tdsId,
    acsTransID: acsId,
    messageType: 'CRes',
    messageVersion,
    challengeCompletionInd: 'Y',
    ...(cancel === undefined ? {} : { challengeCancel: cancel }),
    transStatus,
  });
}

export type ChallengeReading =
  | { readonly ok: true; readonly tdsId: string; readonly acsId: string | undefined; readonly authentication: Authentication }
  | { readonly ok: false; readonly why: string };

/** Reads a challenge response: Base64 or base64url of JSON. */
export function readChallengeResponse(text: string): ChallengeReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'cRes is not Base64 of a JSON object' };
  if (message['messageType'] !== 'CRes') return { ok: false, why: 'messageType of cRes must be CRes' };
  const { threeDSServerTransID: tdsId, acsTransID: acsId, transStatus } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'cRes has no threeDSServerTransID' };
  const authentication = authenticationOf(challengeLetters, transStatus);
  if (authentication === undefined) return { ok: false, why: 'transStatus of cRes must be Y, N, U or R' };
  return { ok: true, tdsId, acsId: typeof acsId === 'string' ? acsId : undefined, authentication };
}
