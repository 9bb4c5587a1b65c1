import { type Profile, readCaFile, readPemText, readSecret } from '../../../config/index.js';
import { aheadOf, clockDifference } from '../../../payments/exchange.js';
import type { Delivery, Runtime } from '../../../runtime/ports.js';
import {
  keyFingerprint,
  type PrivateKey,
  readPrivateKey,
  readPublicKey,
  signRsaSha256,
  verifyRsaSha256,
} from '../../../signing/index.js';
import { hostOf, isLoopback } from '../../../wire/address.js';
import { probeLimits } from '../../core/credential-check.js';
import { sharedKeyAdvice, sharedKeyText } from '../profile/keys.js';
import { type CheckResult, failed, failureOf, pass, skip, warn } from './runtime-check.js';

type Source = NonNullable<Profile['controlKey']>;

/** The merchant control key: present, readable by its owner only, on one line. */
export async function checkControlKey(profile: Profile, runtime: Runtime): Promise<CheckResult> {
  const { controlKey } = profile;
  if (controlKey === undefined)
    return warn(
      'the profile has none, so it can neither sign most operations nor query an outcome',
      'set control-key in the profile',
    );
  if (isReadOnce(controlKey)) return skip(readOnceOnly);
  try {
    const { secret, from, warning } = await readSecret(controlKey, runtime);
    if (warning !== undefined) return warn(warning, 'put only the key in it, on one line');
    const shared = await sharedKeyText(profile, keyFingerprint(secret.open()), runtime);
    return shared === undefined ? pass(from) : warn(`${from}: ${shared}`, sharedKeyAdvice);
  } catch (error) {
    return failureOf(error);
  }
}

/** The RSA key: readable by its owner only, long enough, and its signatures verify. */
export async function checkPrivateKey(profile: Profile, runtime: Runtime): Promise<CheckResult> {
  const { privateKey, passphrase } = profile;
  if (privateKey === undefined) return skip('the profile has none; only operations signed with RSA-SHA256 need one');
  if (isReadOnce(privateKey) || (passphrase !== undefined && isReadOnce(passphrase))) return skip(readOnceOnly);
  try {
    const { secret, from } = await readPemText(privateKey, runtime);
    const phrase = passphrase === undefined ? undefined : (await readSecret(passphrase, runtime)).secret;
    return checkPair(readPrivateKey(secret.open(), phrase, from), privateKey, from, runtime);
  } catch (error) {
    return failureOf(error);
  }
}

const maxKeyFileBytes = 65_536;

function checkPair(key: PrivateKey, source: Source, from: string, { files }: Runtime): CheckResult {
  const facts = `RSA ${key.bits} bits, ${key.form}, fingerprint ${key.fingerprint}, from ${from}`;
  const neighbour = source.kind === 'file' ? source.path.replace(/(?:\.pem)?$/, '.pub.pem') : undefined;
  if (neighbour === undefined || !files.exists(neighbour)) return pass(facts);
  const open = readPublicKey(files.readText(neighbour, maxKeyFileBytes), neighbour);
  const text = 'paycli doctor';
  if (verifyRsaSha256(text, signRsaSha256(text, key.keyObject), open.keyObject))
    return pass(`${facts}; ${neighbour} is the matching public key`);
  return failed(
    `${neighbour} does not match the private key`,
    `\`paycli keys inspect PRIVATE PUBLIC\` compares the two; the gateway must have the right public key`,
  );
}

/** The custom CA certificate. */
export function checkCaFile({ caFile }: Profile, { files }: Runtime): CheckResult {
  if (caFile === undefined) return pass('the default CA certificates');
  try {
    readCaFile(caFile, files);
    return pass(`the default ones and those in ${caFile}`);
  } catch (error) {
    return failureOf(error);
  }
}

const readOnceOnly = 'it is read from a pipe, which can be read only once';

function isReadOnce({ kind }: Source): boolean {
  return kind === 'stdin' || kind === 'descriptor';
}

/**
 * Compares this machine's clock with the Date of a reply to a plain GET. On loopback the root is requested: a sandbox
 * reads anything below its base address as a merchant's request and would list it in its audit.
 */
export async function checkGatewayClock(
  baseUrl: string,
  ca: string | undefined,
  runtime: Runtime,
): Promise<CheckResult> {
  const transport = await runtime.transport(ca === undefined ? {} : { ca });
  try {
    const delivery = await transport.post(
      { url: isLoopback(baseUrl) ? new URL('/', baseUrl).href : `${baseUrl}/`, method: 'GET', headers: {}, body: '' },
      probeLimits,
    );
    const host = hostOf(baseUrl);
    if (delivery.kind !== 'reply')
      return failed(`${host} could not be reached: ${delivery.reason}`, 'check the address and the network');
    return compareClocks(delivery, runtime.clock.now(), host);
  } finally {
    await transport.close();
  }
}

function compareClocks(delivery: Delivery, now: number, host: string): CheckResult {
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
