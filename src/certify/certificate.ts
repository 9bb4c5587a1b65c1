import { createHash } from 'node:crypto';
import { fail } from '../errors/index.js';
import type { Files } from '../runtime/ports.js';
import type { Judgement, Verdict } from './judge.js';

/** The result of one run. */
export interface Certificate {
  /** Its version. */
  readonly paycli: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly driver: readonly string[];
  readonly seconds: number;
  /** Of the random moments. */
  readonly seed: string;
  readonly judged: readonly Judgement[];
  /** SHA-256 over version, time, scenarios and verdicts, in hexadecimal. */
  readonly digest: string;
  /** Verdicts of an earlier run; undefined without one. */
  readonly baseline: Baseline | undefined;
  /** What is worse than in the baseline; without one, whatever did not pass. */
  readonly worse: readonly Judgement[];
  /** In a few words. */
  readonly verdict: string;
}

export type Baseline = ReadonlyMap<string, Verdict>;

export function certificateOf(
  judged: readonly Judgement[],
  run: Omit<Certificate, 'judged' | 'digest' | 'worse' | 'verdict'>,
): Certificate {
  const lines = judged.map(({ scenario, verdict }) => `${scenario.name} ${verdict}\n`);
  const text = `paycli ${run.paycli} ${new Date(run.at).toISOString()}\n${lines.join('')}`;
  const worse = judged.filter(
    ({ scenario, verdict }) => ranks[verdict] > ranks[run.baseline?.get(scenario.name) ?? 'passed'],
  );
  const verdict = verdictText(judged, worse, run.baseline);
  return { ...run, judged, worse, verdict, digest: createHash('sha256').update(text).digest('hex') };
}

const ranks: Readonly<Record<Verdict, number>> = { passed: 0, 'not run': 1, 'not judged': 1, failed: 2 };

function verdictText(
  judged: readonly Judgement[],
  worse: readonly Judgement[],
  baseline: Baseline | undefined,
): string {
  const suffix = baseline === undefined ? '' : ' than before';
  if (worse.length === 0)
    return baseline === undefined ? `all ${judged.length} scenarios passed` : 'nothing is worse than before';
  const count = (word: Verdict) => worse.filter(({ verdict }) => verdict === word).length;
  const [failed, open, left] = [count('failed'), count('not judged'), count('not run')];
  const verb = baseline === undefined ? 'failed' : 'worse';
  const parts = [
    ...(failed === 0 ? [] : [`${failed} of ${judged.length} ${verb}${suffix}`]),
    ...(open === 0 ? [] : [`${open} could not be judged`]),
    ...(left === 0 ? [] : [`${left} of ${judged.length} not run`]),
  ];
  return parts.join(', ');
}

/** Reads what `--json` printed. Throws USAGE. */
export function readBaseline(file: string, files: Files): Baseline {
  try {
    const document: unknown = JSON.parse(files.readText(file));
    const list = entriesOf(document);
    return new Map(list.flatMap((entry) => verdictIn(entry)));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : cause instanceof Error ? cause.message : '';
    throw fail(
      'USAGE',
      { why: `${file} is not a result of \`certify --json\`: ${why}`, file, command: 'certify' },
      { cause },
    );
  }
}

function entriesOf(document: unknown): readonly unknown[] {
  const isResult = typeof document === 'object' && document !== null && 'scenarios' in document;
  if (!isResult || !Array.isArray(document.scenarios)) throw new Error('it has no list of scenarios');
  return document.scenarios;
}

function verdictIn(entry: unknown): readonly (readonly [string, Verdict])[] {
  if (typeof entry !== 'object' || entry === null || !('name' in entry && 'verdict' in entry)) return [];
  const { name, verdict } = entry;
  return typeof name === 'string' && isVerdict(verdict) ? [[name, verdict]] : [];
}

function isVerdict(value: unknown): value is Verdict {
  return typeof value === 'string' && Object.hasOwn(ranks, value);
}
