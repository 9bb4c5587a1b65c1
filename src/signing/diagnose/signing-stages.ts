import { createHash } from 'node:crypto';
import { type Pair, percentEncode } from '../../wire/form.js';
import { keyFingerprint, rsaFingerprint } from '../keys/rsa-keys.js';
import type { OauthStages } from '../schemes/request.js';
import type { OauthCase, StageName } from './diagnosis.js';
import { headerOf, signerOf } from './oauth-mistakes.js';
import { decomposeRequest } from './oauth-parts.js';

/** One stage of a signature: its bytes as UTF-8, and their SHA-256 to compare another program's with. */
export interface StageText {
  readonly stage: StageName;
  readonly text: string;
  readonly sha256: string;
}

/** The texts of a signature by OAuth; without the private key those before it. */
export function oauthStageTexts(stages: OauthStages): StageText[] {
  const { parts, baseString, signature, header } = stages;
  return [
    stageText('parameters', parts.parameters),
    stageText('address', parts.url),
    stageText('base-string', baseString),
    ...(signature === '' ? [] : [stageText('signature', signature), stageText('authorization', header)]),
  ];
}

/** The texts of a checksum. The control key, which follows the values, is none of them. */
export function controlStageTexts({
  string,
  digest,
}: {
  readonly string: string;
  readonly digest: string;
}): StageText[] {
  return [stageText('string', string), stageText('control', digest)];
}

function stageText(stage: StageName, text: string): StageText {
  return { stage, text, sha256: createHash('sha256').update(text, 'utf8').digest('hex') };
}

/**
 * Every stage of a request. The signature and the header are empty texts where there is no key that signs. Throws
 * TEXT_INVALID and URL_INVALID for what no signature can cover.
 */
export function oauthStagesOf(given: OauthCase): OauthStages {
  const { items, sorted, uri, parameters, text } = decomposeRequest(given);
  const signature = signerOf(given).sign(text) ?? '';
  return {
    scheme: given.signatureMethod === 'HMAC-SHA1' ? 'hmac-sha1' : 'rsa-sha256',
    method: 'POST',
    pairs: items.map(({ from, plain: [name, value] }) => ({ source: from, name, value })),
    encoded: items.map(({ encoded }): Pair => encoded),
    sorted,
    parts: { method: given.method.toUpperCase() as 'POST', url: uri, parameters },
    baseString: text,
    key: keyOf(given),
    signature,
    header: signature === '' ? '' : headerOf(given, signature),
  };
}

function keyOf({ secret, privateKey, publicKey, keyForm, tokenSecret = '' }: OauthCase): OauthStages['key'] {
  const rsa = privateKey ?? publicKey;
  if (rsa !== undefined)
    return { form: privateKey === undefined ? 'RSA public key' : 'RSA private key', fingerprint: rsaFingerprint(rsa) };
  const form = keyForm === 'raw' ? 'control key' : 'percent-encoded control key';
  return {
    form: `${form}, "&", ${percentEncode(tokenSecret) === '' ? 'empty token secret' : 'token secret'}`,
    fingerprint: keyFingerprint(secret ?? ''),
  };
}
