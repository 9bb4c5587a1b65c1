import type { Assume } from '../../spec/index.js';
import { controlEncoding } from '../schemes/control-checksum.js';
import type { Unsigned } from '../schemes/request.js';
import { controlRemedies } from './control-remedies.js';
import { type CorrectedLine, correctedLines } from './corrected-lines.js';
import type { CodeLanguage, Mistake } from './diagnosis.js';
import { keyRemedies } from './key-remedies.js';
import { parameterRemedies } from './parameter-remedies.js';
import type { RemedyContext, RemedyRow } from './remedy-row.js';

/** What to do about a mistake. */
export interface Remedy {
  /** In one sentence. */
  readonly change: string;
  /** The functions that do it wrongly, by language; only that of the wanted one where one is wanted. */
  readonly causes: Partial<Readonly<Record<CodeLanguage, string>>>;
  /** The corrected line in the wanted language; undefined without one, and where no line of code corrects it. */
  readonly line?: string | undefined;
}

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

/** The advice for one variant of a mistake, as it is right for this scheme and under these assumptions. */
export function remedyFor(mistake: Pick<Mistake, 'name' | 'variant'>, context: RemedyContext = {}): Remedy {
  const row = rowOf(mistake, context);
  const { language } = context;
  const line = row.line === undefined ? undefined : lineFor(row.line, context);
  const cause = language === undefined ? undefined : row.causes?.[language];
  return {
    change: row.change(context),
    causes: language === undefined ? (row.causes ?? {}) : cause === undefined ? {} : { [language]: cause },
    ...(language === undefined || line === undefined ? {} : { line: correctedLines[line][language] }),
  };
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

/** The same line as this scheme and these assumptions have it. */
function lineFor(line: CorrectedLine, { scheme, encoding, keyForm }: RemedyContext): CorrectedLine {
  if (line === 'control' && encoding === 'base64') return 'controlBase64';
  if (line === 'control' && encoding === 'hex-upper') return 'controlUpper';
  if (line === 'hmac' && scheme === 'RSA-SHA256') return 'rsa';
  if (line === 'hmac' && keyForm === 'raw') return 'hmacRaw';
  return line;
}
