import type { Diagnosis } from '../../../signing/diagnose/index.js';
import { type Merchant, Secret } from '../../../signing/index.js';
import { type FormProblem, ownKeyDamaged } from './report.js';

/** What editors, shells and copying do to a key file, and how the key reads without it. */
const repairs: readonly (readonly [words: string, repair: (key: string) => string])[] = [
  ['without its quotes', (key) => /^(["'])(.*)\1$/s.exec(key.trim())?.[2] ?? key],
  ['without the name and = before it', (key) => key.replace(/^\s*(?:export\s+)?\w+\s*=\s*(["']?)(.*)\1\s*$/s, '$2')],
  ['without its byte order mark', (key) => key.replace(/^\uFEFF/, '')],
  ['without the spaces and line ends around it', (key) => key.trim()],
  // Keys are issued in upper case.
  ['in upper case', (key) => (key === key.toLowerCase() ? key.toUpperCase() : key)],
];

/**
 * Examines something of the other side with our key. Where it does not match, our own key file may be what is wrong:
 * then it is examined with the key as it was meant, and the damage is told.
 */
export function examineWithOwnKey<Found extends { readonly diagnosis: Diagnosis }>(
  merchant: Merchant,
  examine: (merchant: Merchant, maxPairs?: number) => Found,
): { readonly found: Found; readonly damage: readonly FormProblem[] } {
  const found = examine(merchant);
  const key = merchant.controlKey.open();
  for (const [words, repair] of found.diagnosis.match ? [] : repairs) {
    const meant = repair(key);
    if (meant === key || meant === '') continue;
    const other = examine({ ...merchant, controlKey: new Secret(meant) }, 0);
    if (!other.diagnosis.match) continue;
    const detail = `the request matches your key ${words}: correct the key file`;
    return {
      found: other,
      damage: [{ name: ownKeyDamaged, detail, fix: 'put the key alone on one line of its file' }],
    };
  }
  return { found, damage: [] };
}
