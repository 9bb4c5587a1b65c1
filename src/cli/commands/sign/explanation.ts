import { fail } from '../../../errors/index.js';
import {
  type ControlCase,
  controlCommand,
  controlStageTexts,
  digestCommand,
  explainControlValues,
  explainOauthParameters,
  hmacCommand,
  type OauthCase,
  oauthStagesOf,
  oauthStageTexts,
  type ParameterRow,
  rsaCommands,
  type SignedParameterValue,
  type StageCommand,
  type StageName,
  type StageText,
  stageFile,
} from '../../../signing/diagnose/index.js';
import {
  type ControlStages,
  type Credentials,
  controlChecksum,
  keyFingerprint,
  type SignatureStages,
} from '../../../signing/index.js';
import type { Assume } from '../../../spec/index.js';
import type { Layout } from '../../format/document.js';
import { presentParameters } from '../../format/parameter-rows.js';
import { presentStages } from '../../format/signature-stages.js';
import { isCardName, maskCardValue, maskSigned } from './mask-difference.js';
import { stagesWithMasks, standInFor } from './masked-texts.js';

/** What one side signed beside what the other did, and every stage of ours. */
export interface Explanation {
  /** Undefined where nothing of theirs is compared. */
  readonly rows: readonly ParameterRow[];
  /** Whether it is known what they signed; else theirs stands for what they sent. */
  readonly isKnown: boolean;
  readonly stages: SignatureStages;
  readonly texts: readonly StageText[];
  readonly commands: readonly StageCommand[];
  /** Bytes of what was signed, before any mask. */
  readonly bytes: number;
  readonly isMasked: boolean;
}

/** `theirBaseString` is undefined where it is not known; nonce and timestamp of the case are theirs. */
export function explainOauthCase(given: OauthCase, theirBaseString: string | undefined, open: boolean): Explanation {
  const real = oauthStagesOf(given);
  const hidden = open ? given : withoutCards(given);
  const shadow = hidden === given ? real : oauthStagesOf(hidden);
  const isMasked = shadow.baseString !== real.baseString;
  const stages = { ...stagesWithMasks(shadow), signature: real.signature, header: real.header };
  const rows = explainOauthParameters(given, theirBaseString ?? real.baseString);
  const texts = oauthStageTexts(real);
  return {
    rows: open ? rows : rows.map(maskRow),
    isKnown: theirBaseString !== undefined,
    stages,
    texts,
    commands: [
      ...texts.filter(({ stage }) => stage !== 'signature').map(({ stage }) => digestCommand(stage)),
      ...(given.secret === undefined || given.signatureMethod !== 'HMAC-SHA1'
        ? rsaCommands
        : [hmacCommand(given.secret, given.keyForm)]),
    ],
    bytes: Buffer.byteLength(real.baseString),
    isMasked,
  };
}

/** The checksum of a request, beside the values they joined. */
export function explainControlCase(given: ControlCase, theirs: ControlCase['slots'] | undefined): Explanation {
  const { slots, key, encoding } = given;
  const string = slots.map(({ value }) => value).join('');
  const values = slots.map(({ value }) => value);
  const stages: ControlStages = {
    scheme: 'control',
    slots: slots.map((slot) => ({ ...slot, secret: false })),
    string,
    length: Buffer.byteLength(string),
    keyFingerprint: keyFingerprint(key),
    encoding,
    digest: controlChecksum(values, key, { encoding }),
  };
  return {
    rows: explainControlValues(given, theirs ?? slots),
    isKnown: theirs !== undefined,
    stages,
    texts: controlStageTexts(stages),
    commands: controlCommands(encoding),
    bytes: stages.length,
    isMasked: false,
  };
}

function controlCommands(encoding: ControlCase['encoding']): StageCommand[] {
  return [digestCommand('string'), controlCommand(encoding)];
}

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
  const texts = withoutCardStages(stageTextsOf(real), hidesCards);
  const commands = withoutCardStages(commandsOf(shown, controlKey?.open() ?? '', form), hidesCards);
  return {
    document: { ...sha256Document(texts), openssl: commands },
    present: (report) => presentCommands(commands, texts, report),
  };
}

export function stageTextsOf(stages: SignatureStages): readonly StageText[] {
  if (stages.scheme === 'none') return [];
  return stages.scheme === 'control' ? controlStageTexts(stages) : oauthStageTexts(stages);
}

function commandsOf(stages: SignatureStages, secret: string, form: 'encoded' | 'raw'): StageCommand[] {
  if (stages.scheme === 'none') return [];
  if (stages.scheme === 'control') return controlCommands(stages.encoding);
  const texts = (['parameters', 'address', 'base-string', 'authorization'] as const).map(digestCommand);
  return [...texts, ...(stages.scheme === 'rsa-sha256' ? rsaCommands : [hmacCommand(secret, form)])];
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
export function stageTextOf(texts: readonly StageText[], wanted: StageName, isMasked: boolean): string {
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

/** Keys of the JSON document. */
export function explanationDocument({ rows, isKnown, stages, isMasked, ...real }: Explanation) {
  return {
    explanation: {
      parameters: rows,
      signedByThemIsKnown: isKnown,
      masked: isMasked,
      stages,
      ...sha256Document(withoutCardStages(real.texts, isMasked)),
      openssl: withoutCardStages(real.commands, isMasked),
    },
  };
}

function sha256Document(texts: readonly StageText[]) {
  return { sha256: Object.fromEntries(texts.map(({ stage, sha256 }) => [stage, sha256])) };
}

export function presentExplanation(explanation: Explanation, match: boolean, report: Layout): string {
  const { paint } = report;
  const { rows, isKnown, stages, bytes, isMasked } = explanation;
  const texts = withoutCardStages(explanation.texts, isMasked);
  const commands = withoutCardStages(explanation.commands, isMasked);
  const title = match
    ? 'Parameters, as both sides signed them'
    : isKnown
      ? 'Parameters, theirs next to ours, in signing order'
      : 'Parameters they sent, as they should be signed; how they signed them is not known';
  return [
    `\n${paint.bold(title)}\n`,
    presentParameters(rows, report),
    '\n',
    presentStages(stages, bytes, true, report),
    isMasked ? 'Card fields are masked here; the signature and the byte counts are those of the real values.\n' : '',
    '\n',
    presentCommands(commands, texts, report),
  ].join('');
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
  const key = commands.some((each) => rsaCommands.includes(each)) ? 'rsa.pem' : 'control.key';
  return [
    `${paint.bold('With OpenSSL')} from ${[...new Set(texts.map(({ stage }) => stageFile(stage)))].join(', ')}, which --stage NAME writes, and from the key in ${key}\n`,
    report.columns(blocks.flat()),
  ].join('');
}

function withoutCards(given: OauthCase): OauthCase {
  return { ...given, body: given.body.map(([name, value]) => [name, standInFor(maskCardValue(name, value))] as const) };
}

function maskRow(row: ParameterRow): ParameterRow {
  const mask = (side: SignedParameterValue | undefined): SignedParameterValue | undefined => {
    if (side === undefined || !isCardName(row.name, side.value)) return side;
    const value = maskCardValue(row.name, side.value);
    return { ...side, value, signed: maskSigned(side.signed, value), odd: [] };
  };
  return { ...row, ours: mask(row.ours), theirs: mask(row.theirs) };
}
