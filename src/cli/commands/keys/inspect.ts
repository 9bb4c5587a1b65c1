import { exits, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { signRsaSha256, verifyRsaSha256 } from '../../../signing/index.js';
import { halfOf, inspectKey, type KeyInspection } from '../../../signing/keys/inspect-key.js';
import type { Half } from '../../../signing/keys/key-forms.js';
import type { PublicKey } from '../../../signing/keys/rsa-keys.js';
import { defineCommand, type FlagsFor, mayPrompt, on, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { outputFlags } from '../../flags.js';
import { readKeyFile } from './key-files.js';
import { publicKeyOf, readPassphrase, unlock } from './unlock.js';

const command = 'keys inspect';

export const keysInspect = defineCommand({
  summary: 'Show what a key file contains and whether it is usable, or whether two are a pair; exit 11 if not',
  args: {
    file: { text: 'a key or certificate, in PEM or DER' },
    public: { text: 'with a private key: the public key or certificate to compare it with', isOptional: true },
  },
  flags: {
    passphraseFile: word('<file>', 'its passphrase'),
    noInput: on('never ask for a passphrase'),
    ...outputFlags,
  } satisfies FlagsFor<CommonOptions>,
  examples: ['keys inspect test-rsa.pem', 'keys inspect test-rsa.pem test-rsa.pub.pem'],
  effect: 'local',
  result: ['key', 'key-check'],
  run: ({ args: { file, public: publicFile }, flags, runtime }) =>
    publicFile === undefined
      ? runKeysInspect(file, flags as CommonOptions, runtime)
      : comparePair(file, publicFile, flags as CommonOptions, runtime),
});

/** Says what a key file is and whether it serves. Exit 11 when it does not, just as it is. */
async function runKeysInspect(written: string, options: CommonOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const { path, bytes } = readKeyFile(written, runtime);
  const half = halfOf(bytes);
  const file = options.passphraseFile;
  const locked = inspectKey(bytes, half);
  const inspection =
    locked.isLocked && (file !== undefined || mayPrompt(options, runtime))
      ? inspectKey(bytes, half, await readPassphrase({ options, report }, runtime))
      : locked;
  const next = nextStep(written, inspection);
  if (inspection.kind === 'private key' && runtime.files.facts(path)?.isPrivate === false)
    report.warn([`other users may read ${path}; it is used for signing only after chmod 600`]);
  await report.show({
    document: documentOf(path, half, inspection, next),
    text: () => report.columns(rowsOf(path, half, inspection, next, report)),
  });
  return inspection.fits ? exits.ok : exits.checkFailed;
}

function documentOf(file: string, half: Half, inspection: KeyInspection, next: string | undefined) {
  const { kind, form, encoding, algorithm, bits, curve, fingerprint, isLocked, fits, why } = inspection;
  return {
    ...{ schema: 'paycli.key/1', file, half, kind, form: form ?? null, encoding },
    ...{ algorithm: algorithm ?? null, bits: bits ?? null, curve: curve ?? null, fingerprint: fingerprint ?? null },
    ...{ passphraseNeeded: isLocked, fits, why: why ?? null, next: next ?? null },
  };
}

function rowsOf(file: string, half: Half, inspection: KeyInspection, next: string | undefined, { paint }: Reporter) {
  const { fingerprint, fits, why } = inspection;
  const use =
    half === 'private' ? 'it signs requests with RSA-SHA256' : 'the key to send to gateway support; it signs nothing';
  return [
    ['file', file],
    ['what', whatItIs(inspection)],
    ...(fingerprint === undefined ? [] : [['fingerprint', fingerprint]]),
    ['usable', fits ? `${paint.good('yes:')} ${use}` : `${paint.bad('no:')} ${why ?? ''}`],
    ...(next === undefined ? [] : [['next', next]]),
  ];
}

/** RSA private key, PKCS#8, 2048 bits. */
function whatItIs({ kind, form, encoding, algorithm, bits, curve }: KeyInspection): string {
  if (kind === 'unknown') return 'not recognized';
  const isKey = kind === 'private key' || kind === 'public key';
  const name = algorithm === undefined ? kind : isKey ? `${algorithm} ${kind}` : `${kind} with ${algorithm} public key`;
  return [
    name,
    form,
    encoding === 'DER' && form !== 'DER' ? encoding : undefined,
    bits === undefined ? curve : `${bits} bits`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** The command that goes on from here. */
function nextStep(written: string, { fits, mend, isLocked, kind, algorithm }: KeyInspection): string | undefined {
  const name = shellWord(written);
  const stem = written.replace(/\.(?:pem|key|der|crt|cer|txt)$/, '');
  if (mend === 'rewrite') return `paycli keys convert ${name} --out ${shellWord(`${stem}.new.pem`)}`;
  if (mend === 'take-public') return `paycli keys convert ${name} --to spki --out ${shellWord(`${stem}.pub.pem`)}`;
  if (isLocked) return `paycli keys inspect ${name} --passphrase-file FILE`;
  // A key of another kind or size is beyond mending.
  return fits || kind !== 'private key' || algorithm === undefined ? undefined : 'paycli keys generate --out NEW.pem';
}

/** Says whether two files are the halves of one pair, by their fingerprints and by a signature. Exit 11 when not. */
async function comparePair(
  privateFile: string,
  publicFile: string,
  options: CommonOptions,
  runtime: Runtime,
): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const [secret, open] = [readKeyFile(privateFile, runtime), readKeyFile(publicFile, runtime)];
  const publicKey = publicKeyOf(open);
  const { key: privateKey } = await unlock(secret, { options, report }, runtime);
  const verifies = verifyRsaSha256(command, signRsaSha256(command, privateKey.keyObject), publicKey.keyObject);
  const pair = verifies && privateKey.fingerprint === publicKey.fingerprint;
  const half = (file: string, { bits, fingerprint }: PublicKey) => ({ file, bits, fingerprint });
  const { paint } = report;
  const verdict = pair
    ? `${paint.good('yes:')} the keys match: what the private key signs, the public key verifies`
    : `${paint.bad('no:')} ${otherPair}; ${extractPublic}`;
  await report.show({
    document: {
      ...{ schema: 'paycli.key-check/1', pair, verifies },
      ...{ private: half(secret.path, privateKey), public: half(open.path, publicKey) },
    },
    text: () =>
      report.columns([
        ['private', privateKey.fingerprint, secret.path],
        ['public', publicKey.fingerprint, open.path],
        ['pair', verdict],
      ]),
  });
  if (!pair) report.becauseOfCheck(otherPair, extractPublic);
  return pair ? exits.ok : exits.checkFailed;
}

const otherPair = 'these keys belong to two different pairs';
const extractPublic = '`paycli keys convert PRIVATE --to spki --out NEW.pub.pem` extracts the right public key';
