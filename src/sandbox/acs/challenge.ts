/** The messages of a 3-D Secure 2.x challenge that an issuer's server and a merchant exchange. */
export interface ChallengeIds {
  readonly tdsId: string;
  readonly acsId: string;
}

/** A challenge request as the browser would post it: base64url of JSON. */
export function encodeChallengeRequest({ tdsId, acsId }: ChallengeIds): string {
  const message = {
    threeDSServerTransID: tdsId,
    acsTransID: acsId,
    messageType: 'CReq',
    messageVersion: '2.2.0',
    challengeWindowSize: '05',
  };
  return Buffer.from(JSON.stringify(message)).toString('base64url');
}

export type ChallengeReading =
  | { readonly ok: true; readonly tdsId: string; readonly acsId: string | undefined; readonly isAuthenticated: boolean }
  | { readonly ok: false; readonly why: string };

/** Reads a challenge response: Base64 or base64url of JSON. */
export function readChallengeResponse(text: string): ChallengeReading {
  const message = parseObject(Buffer.from(text, 'base64').toString('utf8'));
  if (message === undefined) return { ok: false, why: 'cRes is not Base64 of a JSON object' };
  if (message['messageType'] !== 'CRes') return { ok: false, why: 'messageType of cRes must be CRes' };
  const { threeDSServerTransID: tdsId, acsTransID: acsId, transStatus } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'cRes has no threeDSServerTransID' };
  if (typeof transStatus !== 'string' || !/^[A-Z]$/.test(transStatus)) return { ok: false, why: 'cRes has no transStatus' };
  return { ok: true, tdsId, acsId: typeof acsId === 'string' ? acsId : undefined, isAuthenticated: transStatus === 'Y' };
}

function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
