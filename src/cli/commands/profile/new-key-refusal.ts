import type { Profile } from '../../../config/index.js';
import { fail, ifKnown, type PaycliError } from '../../../errors/index.js';
import type { SchemeCheck } from '../../../payments/credential-check.js';
import { hostOf } from '../../../wire/address.js';
import { commandWith } from '../../flags.js';
import { profileFlag } from '../../format/profile.js';

/** The error of a new key that the gateway did not accept. `kept` says which key the profile has after this. */
export function newKeyRefusal(
  check: SchemeCheck,
  { scheme, fingerprint }: { readonly scheme: 'control' | 'rsa-sha256'; readonly fingerprint: string },
  { name, baseUrl }: Profile,
  kept: string,
  old?: string,
): PaycliError {
  const key = scheme === 'control' ? 'control key' : 'private key';
  const { answer, about } = check;
  const facts = { why: `${answer}; profile ${name} ${kept}`, profile: name, fingerprint };
  switch (check.verdict) {
    case 'refused': {
      const unchanged = `nothing was changed: profile ${name} ${kept}`;
      if (about === 'endpoint' || about === 'other' || about === 'used-id') {
        const config = commandWith('profile show', ` --origins${profileFlag(name)}`);
        const where = `check base-url and the endpoint: \`${config}\` shows where each comes from`;
        const first = about === 'endpoint' ? where : `first fix what the gateway complains about (${where})`;
        const why = `this does not show whether it accepts the new ${key}: ${answer}`;
        return fail('REFUSED', { ...facts, why, how: `${unchanged}; ${first}, then repeat the command` });
      }
      const stillOld = ifKnown(old, (was) => `, but still accepts the old one (${was})`);
      const notSwitched = ifKnown(
        old,
        (was) =>
          `if gateway support has not switched to the new one yet (old key ${was} still works), repeat the command once it has; otherwise `,
      );
      const advice =
        scheme === 'control'
          ? `${notSwitched}compare the new one (fingerprint ${fingerprint}), login and endpoint with what gateway support gave you`
          : `give the new public key (fingerprint ${fingerprint}) to gateway support, then repeat the command`;
      const why = `it does not accept the new ${key}${stillOld}: ${answer}`;
      return fail('REFUSED', { ...facts, why, how: `${unchanged}; ${advice}` });
    }
    case 'not-sent':
      return check.check === undefined
        ? fail('NOT_SENT', facts)
        : fail('CERTIFICATE', { ...facts, host: hostOf(baseUrl), check: check.check });
    case 'carried-out':
      return newKeyUnproved(name, kept, 'the gateway accepted a request for something that does not exist');
    case 'not-offered':
      return newKeyUnproved(name, kept, `the endpoint does not offer the check: ${answer}`);
    default:
      return fail('READ_FAILED', { ...facts, check: check.check });
  }
}

/** The error of a new key of which nothing is known. */
export function newKeyUnproved(profile: string, kept: string, why: string): PaycliError {
  return fail('CONFIRMATION_NEEDED', {
    why: `the new key could not be verified: ${why}`,
    how: `profile ${profile} ${kept}; add --unchecked to replace it anyway`,
    profile,
  });
}
