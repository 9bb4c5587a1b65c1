import { createSign } from 'node:crypto';

/** A certificate with its private key, both PEM. */
export interface OtherHost {
  readonly cert: string;
  readonly key: string;
}

const dayMs = 86_400_000;
const name = 'other-host.invalid';

/**
 * A certificate of another host than this machine, signed by itself (RFC 5280), valid for two days around `now`. A
 * client that trusts it must still refuse it here, by its name.
 */
export function otherHostCertificate(
  { publicKey, privateKey }: { readonly publicKey: string; readonly privateKey: string },
  now: number,
): OtherHost {
  const algorithm = sequence(objectId('2a864886f70d01010b'), Buffer.from('0500', 'hex'));
  const commonName = sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))));
  const alternative = sequence(objectId('551d11'), tagged(0x04, sequence(tagged(0x82, Buffer.from(name)))));
  const isAuthority = sequence(
    objectId('551d13'),
    tagged(0x01, Buffer.from('ff', 'hex')),
    tagged(0x04, sequence(tagged(0x01, Buffer.from('ff', 'hex')))),
  );
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    commonName,
    sequence(timeOf(now - dayMs), timeOf(now + dayMs)),
    commonName,
    Buffer.from(publicKey.replace(/-----[^-]+-----|\s/g, ''), 'base64'),
    tagged(0xa3, sequence(isAuthority, alternative)),
  );
  const signature = createSign('RSA-SHA256').update(content).sign(privateKey);
  const whole = sequence(content, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`, key: privateKey };
}

/** DER: tag, length, content. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

/** GeneralizedTime. */
function timeOf(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/\.\d+|[-:T]/g, '');
  return tagged(0x18, Buffer.from(text));
}
