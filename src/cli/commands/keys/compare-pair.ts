import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { signRsaSha256, verifyRsaSha256 } from '../../../signing/index.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { readKeyFile } from './key-files.js';
import { publicKeyOf, unlock } from './unlock.js';

const command = 'keys inspect';

/** Says whether two files are the halves of one pair, by their fingerprints and by a signature. Exit 11 when not. */
export async function comparePair(
  privateFile: string,
  publicFile: string,
  options: CommonOptions & { readonly public?: boolean },
  runtime: Runtime,
): Promise<number> {
  if (options.public === true) throw fail('USAGE', { why: '--public cannot be combined with two files', command });
  const report = new Reporter(options, undefined, runtime);
  const asking = { flag: '--passphrase-file', command, options, report } as const;
  const secret = readKeyFile(privateFile, runtime);
  const open = readKeyFile(publicFile, runtime);
  const publicKey = publicKeyOf(open);
  const { key: privateKey } = await unlock(secret, options.passphraseFile, asking, runtime);
  const text = 'paycli keys inspect';
  const verifies = verifyRsaSha256(text, signRsaSha256(text, privateKey.keyObject), publicKey.keyObject);
  const pair = verifies && privateKey.fingerprint === publicKey.fingerprint;
  const half = (file: string, { bits, fingerprint }: { readonly bits: number; readonly fingerprint: string }) => ({
    file,
    bits,
    fingerprint,
  });
  await report.show({
    document: {
      ...{ schema: 'paycli.key-check/1', pair, verifies },
      ...{ private: half(secret.path, privateKey), public: half(open.path, publicKey) },
    },
    text: () =>
      report.columns([
        ['private', privateKey.fingerprint, secret.path],
        ['public', publicKey.fingerprint, open.path],
        ['pair', verdict(pair, report)],
      ]),
  });
  if (pair) return exits.ok;
  report.becauseOfCheck(otherPair, extractPublic);
  return exits.checkFailed;
}

const otherPair = 'these keys belong to two different pairs';
const extractPublic = '`paycli keys convert PRIVATE --to spki --out NEW.pub.pem` extracts the right public key';

function verdict(pair: boolean, { paint }: Reporter): string {
  return pair
    ? `${paint.good('yes:')} the keys match: what the private key signs, the public key verifies`
    : `${paint.bad('no:')} ${otherPair}; ${extractPublic}`;
}
