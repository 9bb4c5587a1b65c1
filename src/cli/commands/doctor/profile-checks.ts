import { type Profile, readCaFile, readSecret } from '../../../config/index.js';
import { secretLocation } from '../../../config/settings.js';
import { aheadOf, clockDifference } from '../../../payments/exchange.js';
import type { Delivery } from '../../../runtime/ports.js';
import { keyFingerprint, readPublicKey } from '../../../signing/index.js';
import { hostOf, isLoopback } from '../../../wire/address.js';
import { probeLimits } from '../../core/credential-check.js';
import { findListening } from '../../sandbox-session.js';
import { readRsaKey, sharedKeyAdvice, sharedKeyText } from '../profile/keys.js';
import { type Check, type CheckResult, type Examined, failed, pass, skip, warn } from './finding.js';

type Source = NonNullable<Profile['controlKey']>;

export const profileChecks: readonly Check[] = [
  { name: 'control key', level: 'profile', run: checkControlKey },
  { name: 'private key', level: 'profile', run: checkPrivateKey },
  {
    name: 'authorities',
    level: 'profile',
    run: ({ runtime }, { caFile }) => {
      if (caFile === undefined) return pass('the default CA certificates');
      readCaFile(caFile, runtime.files);
      return pass(`the default ones and those in ${caFile}`);
    },
  },
  { name: 'clock', level: 'machine', run: checkClock },
];

/** The merchant control key: present, readable by its owner only, on one line. */
async function checkControlKey({ runtime }: Examined, profile: Profile): Promise<CheckResult> {
  const { controlKey } = profile;
  if (controlKey === undefined)
    return warn(
      'the profile has none, so it can neither sign most operations nor query an outcome',
      'set control-key in the profile',
    );
  if (isReadOnce(controlKey)) return readOnce;
  const { secret, from, warning } = await readSecret(controlKey, runtime);
  if (warning !== undefined) return warn(warning, 'put only the key in it, on one line');
  const shared = await sharedKeyText(profile, keyFingerprint(secret.open()), runtime);
  return shared === undefined ? pass(from) : warn(`${from}: ${shared}`, sharedKeyAdvice);
}

const readOnce = skip('it is read from a pipe, which can be read only once');

function isReadOnce(source: Source | undefined): boolean {
  return source?.kind === 'stdin' || source?.kind === 'descriptor';
}

const maxKeyFileBytes = 65_536;

/** The RSA key: readable by its owner only, long enough, and that of the public key beside it. */
async function checkPrivateKey({ runtime }: Examined, { privateKey, passphrase }: Profile): Promise<CheckResult> {
  if (privateKey === undefined) return skip('the profile has none; only operations signed with RSA-SHA256 need one');
  if (isReadOnce(privateKey) || isReadOnce(passphrase)) return readOnce;
  const key = await readRsaKey(privateKey, passphrase, runtime);
  const facts = `RSA ${key.bits} bits, ${key.form}, fingerprint ${key.fingerprint}, from ${secretLocation(privateKey)}`;
  const neighbour = privateKey.kind === 'file' ? privateKey.path.replace(/(?:\.pem)?$/, '.pub.pem') : undefined;
  if (neighbour === undefined || !runtime.files.exists(neighbour)) return pass(facts);
  const open = readPublicKey(runtime.files.readText(neighbour, maxKeyFileBytes), neighbour);
  if (open.fingerprint === key.fingerprint) return pass(`${facts}; ${neighbour} is the matching public key`);
  return failed(
    `${neighbour} does not match the private key`,
    `\`paycli keys inspect PRIVATE PUBLIC\` compares the two; the gateway must have the right public key`,
  );
}

/**
 * Compares this machine's clock with the Date of a reply to a plain GET. On loopback the root is requested: a sandbox
 * reads anything below its base address as a merchant's request and would list it in its audit.
 */
async function checkClock({ loaded, options, runtime }: Examined): Promise<CheckResult> {
  if (loaded === undefined) return skip('fix the configuration first');
  const baseUrl = loaded.profile?.baseUrl ?? (await findListening(runtime))?.url;
  if (baseUrl === undefined) return pass('the built-in sandbox uses the clock of this machine');
  if (options.online !== true && !isLoopback(baseUrl))
    return skip(
      'no request was sent to the gateway',
      "add --online to compare its clock with this machine's and to check each key against it",
    );
  const caFile = loaded.profile?.caFile;
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  try {
    const url = isLoopback(baseUrl) ? new URL('/', baseUrl).href : `${baseUrl}/`;
    const delivery = await transport.post({ url, method: 'GET', headers: {}, body: '' }, probeLimits);
    return compareClocks(delivery, runtime.clock.now(), hostOf(baseUrl));
  } finally {
    await transport.close();
  }
}

function compareClocks(delivery: Delivery, now: number, host: string): CheckResult {
  if (delivery.kind !== 'reply')
    return failed(`${host} could not be reached: ${delivery.reason}`, 'check the address and the network');
  const aheadMs = aheadOf(delivery, now);
  if (aheadMs === undefined)
    return skip(`${host} answered without a Date header`, "check this machine's clock against another one");
  const off = Math.abs(aheadMs);
  const text = `${Math.round(off / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`;
  if (clockDifference(delivery, now) === undefined) return pass(off < 1000 ? `agrees with ${host}` : text);
  return warn(
    text,
    "check this machine's clock, for example with NTP: an OAuth signature with a wrong timestamp may be refused",
  );
}
