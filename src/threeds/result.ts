/**
 * What an issuer says of a payer, in the words of the field verified-3d-status: Y and A authenticate (A: the issuer takes an
 * attempt for it), N and R do not, and with U it could not be done, which proves nothing about who pays.
 */
export type Authentication = 'AUTHENTICATED' | 'NOT_AUTHENTICATED' | 'UNSUPPORTED';

/** The letters a payer authentication response of 1.0.2 ends with. */
export const payerLetters: Readonly<Record<string, Authentication>> = {
  Y: 'AUTHENTICATED',
  A: 'AUTHENTICATED',
  N: 'NOT_AUTHENTICATED',
  U: 'UNSUPPORTED',
};

/** Those of a challenge response: a challenge is no attempt, so there is no A. */
export const challengeLetters: Readonly<Record<string, Authentication>> = {
  Y: 'AUTHENTICATED',
  N: 'NOT_AUTHENTICATED',
  U: 'UNSUPPORTED',
  R: 'NOT_AUTHENTICATED',
};

/** What a letter means; undefined for one that is not in the table. */
export function authenticationOf(letters: Readonly<Record<string, Authentication>>, letter: unknown): Authentication | undefined {
  return typeof letter === 'string' && Object.hasOwn(letters, letter) ? letters[letter] : undefined;
}
