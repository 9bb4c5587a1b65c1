import { fail } from '../../../errors/index.js';
import {
  type StageCommand,
  type StageName,
  type StageText,
  stageCommands,
  stageFile,
  stageTexts,
} from '../../../signing/diagnose/index.js';
import type { Credentials, SignatureStages } from '../../../signing/index.js';
import type { Assume } from '../../../spec/index.js';
import type { Layout } from '../../format/document.js';

/** The stages of a request of ours, and how openssl makes them. */
export interface ExplainedStages {
  /** Keys of the JSON document. */
  readonly document: Readonly<Record<string, unknown>>;
  readonly present: (report: Layout) => string;
}

/** What `sign OPERATION --explain` adds. `shown` has card fields masked; the texts are those of the real values. */
export function explainStages(
  real: SignatureStages,
  shown: SignatureStages,
  isMasked: boolean,
  { controlKey }: Credentials,
  assume: Assume,
): ExplainedStages {
  const form = assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
  const hidesCards = isMasked && real.scheme !== 'control';
  const texts = withoutCardStages(stageTexts(real), hidesCards);
  const commands = withoutCardStages(stageCommands(shown, controlKey?.open() ?? '', form), hidesCards);
  return {
    document: { sha256: Object.fromEntries(texts.map(({ stage, sha256 }) => [stage, sha256])), openssl: commands },
    present: (report) => presentCommands(commands, texts, report),
  };
}

const cardStages: ReadonlySet<StageName> = new Set(['parameters', 'base-string']);

/**
 * Without the stages that hold card data, where that is masked: whoever has the digest of such a text finds the number
 * by trying all of them.
 */
function withoutCardStages<T extends { readonly stage: StageName }>(all: readonly T[], isMasked: boolean): T[] {
  return all.filter(({ stage }) => !isMasked || !cardStages.has(stage));
}

/** The bytes of one stage. Throws USAGE for a stage that this scheme does not have. */
export function stageTextOf(stages: SignatureStages, wanted: StageName, isMasked: boolean): string {
  const texts = stageTexts(stages);
  const found = texts.find(({ stage }) => stage === wanted);
  if (found === undefined)
    throw fail('USAGE', {
      why: `${wanted} is not a stage of this signature; its stages are ${texts.map(({ stage }) => stage).join(', ')}`,
      stage: wanted,
    });
  if (isMasked && cardStages.has(wanted))
    throw fail('USAGE', {
      why: `${wanted} holds card data, which is shown only in the sandbox; --explain shows it masked`,
      stage: wanted,
    });
  return found.text;
}

/** How to make each stage again, and what comes out. */
function presentCommands(commands: readonly StageCommand[], texts: readonly StageText[], report: Layout): string {
  const { paint } = report;
  if (commands.length === 0) return '';
  const blocks = commands.map(({ stage, lines }) => {
    const text = texts.find((each) => each.stage === stage);
    const isDigest = lines[0]?.startsWith('openssl dgst -sha256 -r') === true;
    const result = text === undefined ? '' : isDigest ? text.sha256 : text.text;
    const shown = [[`  ${stage}`, lines[0] ?? ''], ...lines.slice(1).map((line) => ['', line])];
    return [...shown, ...(result === '' ? [] : [['', paint.dim(`# ${result}`)]])];
  });
  const key = commands.some(({ lines }) => lines[0]?.includes('rsa.pem') === true) ? 'rsa.pem' : 'control.key';
  return [
    `${paint.bold('With OpenSSL')} from ${[...new Set(texts.map(({ stage }) => stageFile(stage)))].join(', ')}, which --stage NAME writes, and from the key in ${key}\n`,
    report.columns(blocks.flat()),
  ].join('');
}
