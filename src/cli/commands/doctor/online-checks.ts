import { type Profile, readCaFile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import { allowListAdvice } from '../../../payments/failure.js';
import type { Runtime, Transport } from '../../../runtime/ports.js';
import {
  checkScheme,
  isSafeToProbe,
  probeLimits,
  probeOperation,
  type SchemeCheck,
  type SignedScheme,
} from '../../core/credential-check.js';
import { commandWith } from '../../flags.js';
import { profileFlag } from '../../format/profile.js';
import { ProfileKeys } from '../../open-session.js';
import { type CheckResult, type Finding, failed, failureOf, pass, skip, warn } from './runtime-check.js';

/** A request that changes nothing, signed in one scheme, and the local check of its key. */
interface SchemeProbe {
  readonly scheme: SignedScheme;
  readonly check: string;
  readonly signed: string;
  /** The key it is signed with, whose own check has to pass first. */
  readonly key: 'control key' | 'private key';
}

const schemeProbes: readonly SchemeProbe[] = [
  { scheme: 'control', check: 'control online', signed: 'with a control checksum', key: 'control key' },
  { scheme: 'hmac-sha1', check: 'hmac online', signed: 'with HMAC-SHA1', key: 'control key' },
  { scheme: 'rsa-sha256', check: 'rsa online', signed: 'with RSA-SHA256', key: 'private key' },
];

/** Sends one harmless request signed in each scheme the profile has a key for. */
export async function checkSchemesOnline(
  profile: Profile,
  before: readonly Finding[],
  runtime: Runtime,
): Promise<Finding[]> {
  const applicable = schemeProbes.filter(
    ({ key }) => (key === 'control key' ? profile.controlKey : profile.privateKey) !== undefined,
  );
  if (applicable.length === 0)
    return [{ check: 'signed online', ...skip('the profile has no key, so no signed request was sent') }];
  const { caFile } = profile;
  const findings: Finding[] = [];
  const keys = new ProfileKeys(profile, false, runtime);
  let transport: Transport | undefined;
  try {
    transport = await runtime.transport(caFile === undefined ? {} : { ca: readCaFile(caFile, runtime.files) });
    for (const each of applicable) {
      const isBroken = before.some(({ check, result }) => check === each.key && result === 'fail');
      const found = isBroken
        ? skip(`fix the ${each.key} first`)
        : await checkOneScheme(each, profile, { keys, transport, runtime });
      findings.push({ check: each.check, ...found });
    }
  } catch (error) {
    return applicable.map(({ check }) => ({ check, ...failureOf(error) }));
  } finally {
    await transport?.close();
  }
  return findings;
}

interface Ports {
  readonly keys: ProfileKeys;
  readonly transport: Transport;
  readonly runtime: Runtime;
}

async function checkOneScheme(
  each: SchemeProbe,
  profile: Profile,
  { keys, transport, runtime }: Ports,
): Promise<CheckResult> {
  const { scheme } = each;
  const { baseUrl, login, assume } = profile;
  if (!isSafeToProbe(scheme, profile))
    return skip(
      `no request signed ${each.signed} was sent: while card-ref-source is ${assume['card-ref-source']} (A11), it would store a card`,
      'send one operation signed with this key on a test profile',
    );
  try {
    const endpointId = profile.endpointFor(probeOperation(scheme).id);
    const ports = { transport, clock: runtime.clock, random: runtime.random };
    const target = () => ({ baseUrl, endpointId, login, assume });
    const credentials = () => keys.credentials({ scheme });
    const connection = { assume, limits: probeLimits, ports, target, credentials };
    const check = await checkScheme(scheme, connection, endpointId, new AbortController().signal);
    const found = findingOf(check, each, { ...profile, endpointId }, keys.nameOf(scheme));
    return check.httpStatus === undefined ? found : { ...found, httpStatus: check.httpStatus };
  } catch (error) {
    if (isPaycliError(error) && error.code === 'PROFILE_INCOMPLETE')
      return warn(`no request signed ${each.signed} could be sent: ${error.message}`, error.next);
    return failureOf(error);
  }
}

type ProbedEndpoint = Pick<Profile, 'name' | 'login'> & { readonly endpointId: string };

function findingOf(
  check: SchemeCheck,
  { scheme, signed }: SchemeProbe,
  place: ProbedEndpoint,
  key: string,
): CheckResult {
  const request = `a request signed ${signed} by ${key}`;
  const { answer } = check;
  switch (check.verdict) {
    case 'good':
      return pass(`the gateway accepted ${request}: for a non-existent id it answered ${answer}`);
    case 'refused':
      return failed(`the gateway refused ${request}: ${answer}`, remedyOf(scheme, place, check));
    case 'carried-out':
      return warn(
        `${request} proved nothing: the gateway accepted it although it refers to something that does not exist (${check.reason})`,
        `ask gateway support what happened to it; its client order id is ${check.clientOrderId}`,
      );
    case 'not-offered':
      return warn(
        `${request} proved nothing: endpoint ${place.endpointId} does not offer \`${probeOperation(scheme).command}\` (${answer})`,
        'send another operation signed with this key on a test profile, or contact gateway support',
      );
    case 'not-sent':
      return failed(`${request} could not be sent: ${check.reason}`, unsentText(check));
    case 'no-answer':
      if (check.httpStatus === undefined) return failed(`${request} was not answered: ${answer}`, unreachedText);
      return failed(
        `${request} got no usable reply: ${answer}`,
        `${byHttpStatus(place, check) ?? remedyOfAnswer(check)}; the key was not tested`,
      );
  }
}

const unreachedText = 'check the address and the network, then try again; the key was not tested';

function unsentText({ check }: SchemeCheck): string {
  return check === undefined ? unreachedText : `${check}; the key was not tested`;
}

/** Any answer shows that the network works. */
function remedyOfAnswer({ isOfAnother, gatewayMessage }: SchemeCheck): string {
  if (isOfAnother === true)
    return 'the reply is about another order: check base-url, and whether a proxy or a cache is in between, or contact gateway support';
  if (gatewayMessage !== undefined)
    return 'the gateway reports an internal error: try again later, and send this text to its support if it persists';
  return 'this may not be the gateway: check base-url and any proxy in between, then try again later';
}

/** The key is suspected only where the gateway complains about the signature or gives no reason. */
function remedyOf(scheme: SignedScheme, place: ProbedEndpoint, check: SchemeCheck): string {
  const explain = `\`${commandWith('profile show', ` --origins${profileFlag(place.name)}`)}\` shows where each value comes from`;
  const first = byHttpStatus(place, check);
  if (first !== undefined) return `${first}; then ${remedies[scheme](place, check)}`;
  if (check.about === 'endpoint') return `check base-url and endpoint ${place.endpointId}: ${explain}`;
  if (check.about !== 'signature' && check.about !== 'unsaid')
    return `the key may be correct: first fix what the gateway complains about; ${explain}`;
  return remedies[scheme](place, check);
}

/** What 401 and 403 usually mean, where the message of the gateway does not say. */
function byHttpStatus(
  { name, login, endpointId }: ProbedEndpoint,
  { httpStatus: status, gatewayMessage, about }: SchemeCheck,
): string | undefined {
  if (gatewayMessage !== undefined && about !== 'signature') return undefined;
  if (status === 403) return allowListAdvice;
  const explain = `\`${commandWith('profile show', ` --origins${profileFlag(name)}`)}\` shows where each comes from`;
  return status === 401 ? `check login ${login} and endpoint ${endpointId}: ${explain}` : undefined;
}

/** What may be wrong, and the command that shows what was signed. */
const remedies: Readonly<Record<SignedScheme, (place: ProbedEndpoint, check: SchemeCheck) => string>> = {
  control: (place, { clientOrderId }) =>
    `check the control key, login ${place.login} and endpoint ${place.endpointId}; \`paycli sign status --client-order-id ${clientOrderId}${profileFlag(place.name)} --explain\` shows what was signed`,
  'hmac-sha1': ({ login }) =>
    `the control key is also the HMAC-SHA1 key: check it, login ${login} and the clock of this machine; \`paycli help signing\` has more`,
  'rsa-sha256': ({ login }) =>
    `the gateway must have the public key that matches this one under login ${login}: send it to its support (\`paycli keys convert FILE --to spki\`), and compare the fingerprint`,
};
