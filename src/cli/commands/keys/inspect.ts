import { exits, shellWord } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { inspectKey, type KeyInspection } from '../../../signing/keys/inspect-key.js';
import { flaws } from '../../../signing/keys/normalize-key.js';
import { mayPrompt } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { comparePair } from './compare-pair.js';
import { type KeyFile, readKeyFile } from './key-files.js';
import { readPassphrase } from './unlock.js';

interface InspectOptions extends CommonOptions {
  readonly public?: boolean;
}

type Half = 'private' | 'public';

export const keysInspect = defineCommand<InspectOptions>({
  name: 'keys inspect',
  summary: 'Show what a key file contains and whether it is usable, or whether two are a pair; exit 11 if not',
  args: [
    ['<file>', 'a key or certificate, in PEM, DER, JWK or XML'],
    ['[public]', 'with a private key: the public key or certificate to compare it with'],
  ],
  options: [
    ['--public', 'check it as a public key; by default, as the private key that signs'],
    ['--passphrase-file <file>', 'its passphrase'],
    ['--no-input', 'never ask for a passphrase'],
  ],
  examples: [
    'keys inspect test-rsa.pem',
    'keys inspect test-rsa.pub.pem --public --json',
    'keys inspect test-rsa.pem test-rsa.pub.pem',
  ],
  effect: 'none',
  network: false,
  exits: [...profileExits, 'checkFailed', 'interrupted'],
  prints: ['key', 'key-check'],
  run: ({ args: [file = '', publicFile], options, runtime }) =>
    publicFile === undefined ? runKeysInspect(file, options, runtime) : comparePair(file, publicFile, options, runtime),
});

/** Says what a key file is and whether it serves. Exit 11 when it does not, just as it is. */
async function runKeysInspect(written: string, options: InspectOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const half = options.public === true ? 'public' : 'private';
  const file = readKeyFile(written, runtime);
  const inspection = await inspected(file, half, options, report, runtime);
  const next = nextStep(written, inspection, half);
  await report.show({
    document: documentOf(file.path, half, inspection, next),
    text: () => report.columns(rowsOf(file.path, half, inspection, next, report)),
  });
  if (inspection.kind === 'private key' && isAccessibleByOthers(file.path, runtime))
    report.warn([`other users may read ${file.path}; it is used for signing only after chmod 600`]);
  return inspection.fits ? exits.ok : exits.checkFailed;
}

async function inspected(
  file: KeyFile,
  half: Half,
  options: InspectOptions,
  report: Reporter,
  runtime: Runtime,
): Promise<KeyInspection> {
  const locked = inspectKey(file.bytes, half);
  if (!locked.isLocked || (options.passphraseFile === undefined && !mayPrompt(options, runtime))) return locked;
  const asking = { flag: '--passphrase-file', command: 'keys inspect', options, report } as const;
  return inspectKey(file.bytes, half, await readPassphrase(options.passphraseFile, asking, runtime));
}

function isAccessibleByOthers(path: string, { files }: Runtime): boolean {
  return ((files.facts(path)?.mode ?? 0) & 0o077) !== 0;
}

function documentOf(file: string, half: Half, inspection: KeyInspection, next: string | undefined) {
  const { kind, form, encoding, algorithm, bits, curve, fingerprint, isLocked, blocks, fits, why } = inspection;
  return {
    schema: 'paycli.key/1',
    file,
    half,
    kind,
    form: form ?? null,
    encoding,
    algorithm: algorithm ?? null,
    bits: bits ?? null,
    curve: curve ?? null,
    fingerprint: fingerprint ?? null,
    passphraseNeeded: isLocked,
    fits,
    why: why ?? null,
    findings: inspection.flaws.map((name) => ({ name, ...flaws[name] })),
    blocks,
    next: next ?? null,
  };
}

function rowsOf(
  file: string,
  half: Half,
  inspection: KeyInspection,
  next: string | undefined,
  { paint }: Reporter,
): string[][] {
  const { fingerprint, fits, why, blocks } = inspection;
  const use = half === 'private' ? 'it signs requests with RSA-SHA256' : 'it is the key to send to gateway support';
  return [
    ['file', file],
    ['what', whatItIs(inspection)],
    ...(blocks.length === 0 ? [] : [['blocks', blocks.join(', ')]]),
    ...(fingerprint === undefined ? [] : [['fingerprint', fingerprint]]),
    ...inspection.flaws.map((name) => [
      'remark',
      `${flaws[name].text}${fits || flaws[name].harmless ? ' (fine)' : ''}`,
    ]),
    ['usable', fits ? `${paint.good('yes:')} ${use}` : `${paint.bad('no:')} ${why ?? ''}`],
    ...(next === undefined ? [] : [['next', next]]),
  ];
}

/** RSA private key, PKCS#8, 2048 bits. */
function whatItIs({ kind, form, encoding, algorithm, bits, curve }: KeyInspection): string {
  if (kind === 'unknown') return 'not recognized';
  const isKey = kind === 'private key' || kind === 'public key';
  const name = algorithm === undefined ? kind : isKey ? `${algorithm} ${kind}` : `${kind} with ${algorithm} public key`;
  // Neither of these has a form of PKCS#1 or PKCS#8.
  const isOwnForm = encoding === 'JWK' || encoding === 'XML';
  return [
    name,
    isOwnForm ? encoding : form,
    encoding === 'DER' && form !== 'DER' ? encoding : undefined,
    bits === undefined ? curve : `${bits} bits`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

/** The command that goes on from here. */
function nextStep(
  written: string,
  { fits, mend, isLocked, kind, algorithm }: KeyInspection,
  half: Half,
): string | undefined {
  const name = shellWord(written);
  const stem = written.replace(/\.(?:pem|key|der|crt|cer|txt)$/, '');
  if (mend === 'rewrite') return `paycli keys convert ${name} --out ${shellWord(`${stem}.new.pem`)}`;
  if (mend === 'take-public') return `paycli keys convert ${name} --to spki --out ${shellWord(`${stem}.pub.pem`)}`;
  if (isLocked) return `paycli keys inspect ${name} --passphrase-file FILE`;
  if (half === 'private' && kind === 'public key') return `paycli keys inspect ${name} --public`;
  // A key of another kind or size is beyond mending.
  return fits || kind !== 'private key' || algorithm === undefined ? undefined : 'paycli keys generate --out NEW.pem';
}
