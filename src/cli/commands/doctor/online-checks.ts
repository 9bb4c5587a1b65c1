import type { Profile } from '../../../config/index.js';
import { isPaycliError } from '../../../errors/index.js';
import { allowListAdvice } from '../../../payments/failure.js';
import {
  checkKey,
  isSafeToProbe,
  probeOperation,
  type SchemeCheck,
  type SignedScheme,
} from '../../core/credential-check.js';
import { profileFlag } from '../../format/profile.js';
import { type Check, type CheckResult, type Examined, failed, pass, skip, warn } from './finding.js';

/** A request that changes nothing, signed in one scheme. */
interface SchemeProbe {
  readonly scheme: SignedScheme;
  readonly name: string;
  readonly signed: string;
  /** The key it is signed with, whose own check has to pass first. */
  readonly key: 'control key' | 'private key';
  /** What may be wrong when it is refused, and the command that shows what was signed. */
  readonly remedy: (profile: Profile, endpointId: string, check: SchemeCheck) => string;
}

const probes: readonly SchemeProbe[] = [
  {
    ...{ scheme: 'control', name: 'control online', signed: 'with a control checksum', key: 'control key' },
    remedy: ({ name, login }, endpointId, { clientOrderId }) =>
      `check the control key, login ${login} and endpoint ${endpointId}; \`paycli sign status --client-order-id ${clientOrderId}${profileFlag(name)} --explain\` shows what was signed`,
  },
  {
    ...{ scheme: 'hmac-sha1', name: 'hmac online', signed: 'with HMAC-SHA1', key: 'control key' },
    remedy: ({ login }) =>
      `the control key is also the HMAC-SHA1 key: check it, login ${login} and the clock of this machine; \`paycli help signing\` has more`,
  },
  {
    ...{ scheme: 'rsa-sha256', name: 'rsa online', signed: 'with RSA-SHA256', key: 'private key' },
    remedy: ({ login }) =>
      `the gateway must have the public key that matches this one under login ${login}: send it to its support (\`paycli keys convert FILE --to spki\`), and compare the fingerprint`,
  },
];

/** One harmless request signed in each scheme the profile has a key for. */
export const onlineChecks: readonly Check[] = [
  ...probes.map(
    (probe): Check => ({
      name: probe.name,
      level: 'online',
      run: (examined, profile) => checkOne(probe, examined, profile),
    }),
  ),
  {
    name: 'signed online',
    level: 'online',
    run: (_, { controlKey, privateKey }) =>
      (controlKey ?? privateKey) === undefined
        ? skip('the profile has no key, so no signed request was sent')
        : undefined,
  },
];

async function checkOne(
  probe: SchemeProbe,
  { before, keys, report, runtime }: Examined,
  profile: Profile,
): Promise<CheckResult | undefined> {
  const { scheme, signed, key } = probe;
  const source = key === 'control key' ? profile.controlKey : profile.privateKey;
  if (source === undefined || keys === undefined) return undefined;
  if (before.some(({ check, result }) => check === key && result === 'fail')) return skip(`fix the ${key} first`);
  if (!isSafeToProbe(scheme, profile))
    return skip(
      `no request signed ${signed} was sent: while card-ref-source is ${profile.assume['card-ref-source']} (A11), it would store a card`,
      'send one operation signed with this key on a test profile',
    );
  try {
    const endpointId = profile.endpointFor(probeOperation(scheme).id);
    const check = await checkKey(scheme, profile, await keys.credentials({ scheme }), report, runtime);
    const request = `a request signed ${signed} by ${keys.nameOf(scheme)}`;
    const found = judge(check, request, probe, profile, endpointId);
    return check.httpStatus === undefined ? found : { ...found, httpStatus: check.httpStatus };
  } catch (error) {
    if (!isPaycliError(error) || error.code !== 'PROFILE_INCOMPLETE') throw error;
    return warn(`no request signed ${signed} could be sent: ${error.message}`, error.next);
  }
}

function judge(
  check: SchemeCheck,
  request: string,
  probe: SchemeProbe,
  profile: Profile,
  endpointId: string,
): CheckResult {
  const { answer, reason, clientOrderId } = check;
  switch (check.verdict) {
    case 'good':
      return pass(`the gateway accepted ${request}: for a non-existent id it answered ${answer}`);
    case 'refused':
      return failed(`the gateway refused ${request}: ${answer}`, adviseRefused(check, probe, profile, endpointId));
    case 'carried-out':
      return warn(
        `${request} proved nothing: the gateway accepted it although it refers to something that does not exist (${reason})`,
        `ask gateway support what happened to it; its client order id is ${clientOrderId}`,
      );
    case 'not-offered':
      return warn(
        `${request} proved nothing: endpoint ${endpointId} does not offer \`${probeOperation(probe.scheme).command}\` (${answer})`,
        'send another operation signed with this key on a test profile, or contact gateway support',
      );
    case 'not-sent':
      return failed(`${request} could not be sent: ${reason}`, `${check.check ?? unreached}${untested}`);
    case 'no-answer':
      return check.httpStatus === undefined
        ? failed(`${request} was not answered: ${answer}`, `${unreached}${untested}`)
        : failed(
            `${request} got no usable reply: ${answer}`,
            `${adviseNoAnswer(check, profile, endpointId)}${untested}`,
          );
  }
}

const unreached = 'check the address and the network, then try again';
const untested = '; the key was not tested';

/** Any answer shows that the network works. */
function adviseNoAnswer(check: SchemeCheck, profile: Profile, endpointId: string): string {
  const byStatus = adviseByStatus(check, profile, endpointId);
  if (byStatus !== undefined) return byStatus;
  if (check.isOfAnother === true)
    return 'the reply is about another order: check base-url, and whether a proxy or a cache is in between, or contact gateway support';
  return check.gatewayMessage === undefined
    ? 'this may not be the gateway: check base-url and any proxy in between, then try again later'
    : 'the gateway reports an internal error: try again later, and send this text to its support if it persists';
}

/** The key is suspected only where the gateway complains about the signature or gives no reason. */
function adviseRefused(check: SchemeCheck, { remedy }: SchemeProbe, profile: Profile, endpointId: string): string {
  const explain = `${showOrigins(profile)} shows where each value comes from`;
  const first = adviseByStatus(check, profile, endpointId);
  if (first !== undefined) return `${first}; then ${remedy(profile, endpointId, check)}`;
  if (check.about === 'endpoint') return `check base-url and endpoint ${endpointId}: ${explain}`;
  if (check.about !== 'signature' && check.about !== 'unsaid')
    return `the key may be correct: first fix what the gateway complains about; ${explain}`;
  return remedy(profile, endpointId, check);
}

/** What 401 and 403 usually mean, where the message of the gateway does not say. */
function adviseByStatus(
  { httpStatus: status, gatewayMessage, about }: SchemeCheck,
  profile: Profile,
  endpointId: string,
): string | undefined {
  if (gatewayMessage !== undefined && about !== 'signature') return undefined;
  if (status === 403) return allowListAdvice;
  return status === 401
    ? `check login ${profile.login} and endpoint ${endpointId}: ${showOrigins(profile)} shows where each comes from`
    : undefined;
}

function showOrigins({ name }: Profile): string {
  return `\`paycli profile show --origins${profileFlag(name)}\``;
}
