import { type Profile, readCaFile, readSecret } from '../../../config/index.js';
import { type SecretSource, secretLocation } from '../../../config/settings.js';
import { isPaycliError } from '../../../errors/index.js';
import { aheadOf, clockDifference } from '../../../payments/exchange.js';
import { hostOf, isLoopback } from '../../../wire/address.js';
import { checkKey, isSafeToProbe, probeLimits, type SignedScheme } from '../../core/credential-check.js';
import { judgeCheck } from '../profile/judge-check.js';
import { readRsaKey } from '../profile/keys.js';
import { type Check, type CheckResult, type Examined, failed, pass, skip, warn } from './finding.js';

type ProfileCheck = (
  profile: Profile,
  examined: Examined,
) => Promise<CheckResult | undefined> | CheckResult | undefined;

const rows: Readonly<Record<string, ProfileCheck>> = {
  'control key': checkControlKey,
  'private key': checkPrivateKey,
  authorities: ({ caFile }, { runtime }) => {
    if (caFile === undefined) return undefined;
    readCaFile(caFile, runtime.files);
    return pass(`the usual ones and those in ${caFile}`);
  },
  clock: checkClock,
  'control online': (profile, examined) => checkOnline('control', profile, examined),
  'hmac online': (profile, examined) => checkOnline('hmac-sha1', profile, examined),
  'rsa online': (profile, examined) => checkOnline('rsa-sha256', profile, examined),
};

/** Checks of a configured profile; the built-in sandbox has its own keys and clock. */
export const profileChecks: readonly Check[] = Object.entries(rows).map(([name, check]) => ({
  name,
  run: (examined) => (examined.loaded?.profile === undefined ? undefined : check(examined.loaded.profile, examined)),
}));

async function checkControlKey({ controlKey }: Profile, { runtime }: Examined): Promise<CheckResult> {
  if (controlKey === undefined)
    return warn(
      'the profile has none, so it can neither sign most operations nor query an outcome',
      '`paycli profile set-key` sets it',
    );
  if (isReadOnce(controlKey)) return readOnce;
  const { from, warning } = await readSecret(controlKey, runtime);
  return warning === undefined ? pass(from) : warn(warning, 'put only the key in it, on one line');
}

async function checkPrivateKey(
  { privateKey, passphrase }: Profile,
  { runtime }: Examined,
): Promise<CheckResult | undefined> {
  if (privateKey === undefined) return undefined;
  if (isReadOnce(privateKey) || isReadOnce(passphrase)) return readOnce;
  const { bits, form, fingerprint } = await readRsaKey(privateKey, passphrase, runtime);
  return pass(`RSA ${bits} bits, ${form}, fingerprint ${fingerprint}, from ${secretLocation(privateKey)}`);
}

const readOnce = skip('it is read from a pipe, which can be read only once');

function isReadOnce(source: SecretSource | undefined): boolean {
  return source?.kind === 'stdin' || source?.kind === 'descriptor';
}

/**
 * Compares this machine's clock with the Date of a reply to a plain GET. On loopback the root is requested: a sandbox
 * reads anything below its base address as a merchant's request and would list it in its audit.
 */
async function checkClock({ baseUrl, caFile }: Profile, { options, runtime }: Examined): Promise<CheckResult> {
  const isHere = isLoopback(baseUrl);
  if (options.online !== true && !isHere)
    return skip('not compared with the gateway; --online does it, and checks each key');
  const transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
  const host = hostOf(baseUrl);
  try {
    const url = isHere ? new URL('/', baseUrl).href : `${baseUrl}/`;
    const delivery = await transport.post({ url, method: 'GET', headers: {}, body: '' }, probeLimits);
    if (delivery.kind !== 'reply')
      return failed(`${host} could not be reached: ${delivery.reason}`, 'check the address and the network');
    const now = runtime.clock.now();
    const aheadMs = aheadOf(delivery, now);
    if (aheadMs === undefined) return skip(`${host} answered without a Date header`);
    const text = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${host}`;
    if (clockDifference(delivery, now) === undefined) return pass(text);
    return warn(text, "correct this machine's clock: an OAuth signature with a wrong timestamp may be refused");
  } finally {
    await transport.close();
  }
}

/** One request that changes nothing, signed in a scheme the profile has a key for. */
async function checkOnline(
  scheme: SignedScheme,
  profile: Profile,
  { options, report, keys, runtime }: Examined,
): Promise<CheckResult | undefined> {
  const source = scheme === 'rsa-sha256' ? profile.privateKey : profile.controlKey;
  if (options.online !== true || source === undefined || keys === undefined) return undefined;
  if (!isSafeToProbe(scheme, profile))
    return skip(
      `nothing was sent: while card-ref-source is ${profile.assume['card-ref-source']} (A11), it would store a card`,
    );
  try {
    const check = await checkKey(scheme, profile, await keys.credentials({ scheme }), report, runtime);
    return judgeCheck(check, scheme, profile.name);
  } catch (error) {
    if (!isPaycliError(error) || error.code !== 'PROFILE_INCOMPLETE') throw error;
    return warn(`nothing was sent: ${error.message}`, error.next);
  }
}
