import type { Assume } from '../../spec/index.js';
import { controlEncoding } from '../schemes/control-checksum.js';
import type { Unsigned } from '../schemes/request.js';
import { controlRemedies } from './control-remedies.js';
import type { Mistake } from './diagnosis.js';
import { keyRemedies } from './key-remedies.js';
import { parameterRemedies } from './parameter-remedies.js';
import type { RemedyContext, RemedyRow } from './remedy-row.js';

const schemeNames = {
  control: 'control',
  'hmac-sha1': 'HMAC-SHA1',
  'rsa-sha256': 'RSA-SHA256',
  none: undefined,
} as const satisfies Readonly<Record<Unsigned['protection']['scheme'], RemedyContext['scheme']>>;

/** What the advice depends on, for a request that is protected in this way under these assumptions. */
export function remedyContext(scheme: Unsigned['protection']['scheme'], assume: Assume): RemedyContext {
  return {
    scheme: schemeNames[scheme],
    encoding: controlEncoding(assume),
    keyForm: assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded',
  };
}

/** In one sentence what to do about a mistake, as it is right for this scheme and under these assumptions. */
export function remedyFor(mistake: Pick<Mistake, 'name' | 'variant'>, context: RemedyContext = {}): string {
  return rowOf(mistake, context).change(context);
}

/** The row of a variant. Every variant that a diagnosis gives has one; a test holds that. */
export function rowOf({ name, variant }: Pick<Mistake, 'name' | 'variant'>, { scheme }: RemedyContext): RemedyRow {
  const found = remedyRows.find(
    (row) =>
      row.name === name &&
      (row.variants === undefined || row.variants.test(variant)) &&
      (row.scheme === undefined || scheme === undefined || row.scheme === scheme),
  );
  return found ?? general;
}

/** The advice for every mistake by its name, where the variant is not known. */
export function generalRemedies(): readonly (readonly [name: Mistake['name'], change: string])[] {
  const names = [...new Set(remedyRows.map(({ name }) => name))];
  return names.map((name) => {
    const rows = remedyRows.filter((row) => row.name === name && row.variants === undefined);
    const advice = (row: RemedyRow) => {
      const scheme = row.scheme ?? (controlRemedies.includes(row) ? 'control' : undefined);
      const text = row.change({ scheme });
      if (rows.length === 1) return text;
      return scheme === undefined ? `otherwise: ${text}` : `with ${scheme}: ${text}`;
    };
    return [name, rows.map(advice).join('; ')];
  });
}

/** The first row that fits a mistake is its advice. */
const remedyRows: readonly RemedyRow[] = [...parameterRemedies, ...keyRemedies, ...controlRemedies];

const general: RemedyRow = { name: 'digest', change: () => 'do it as `paycli sign … --explain` shows' };
