import { fail } from '../../../errors/index.js';
import { newNonceAndTimestamp } from '../../../payments/exchange.js';
import type { Runtime } from '../../../runtime/ports.js';
import {
  type NonceAndTimestamp,
  requestSigning,
  type SignatureStages,
  type SignedRequest,
  type Unsigned,
} from '../../../signing/index.js';
import { opensslLines } from '../../../signing/openssl.js';
import { type StageName, stageTexts } from '../../../signing/stages.js';
import type { Operation } from '../../../spec/index.js';
import type { Pair } from '../../../wire/form.js';
import { hidden } from '../../../wire/mask.js';
import { maskPairs } from '../../../wire/redact.js';
import type { Typed } from '../../core/common-options.js';
import type { Reporter } from '../../core/reporter.js';
import { announce, composeRequest, type Resolved } from '../../fields/resolve.js';
import { presentRequest, presentValues } from '../../format/request.js';
import { presentOpenssl, presentStages } from '../../format/signature-stages.js';
import { type Session, withSession } from '../../session.js';
import { connectionValues, fieldValues } from './request-values.js';

/** A request whose signature is to be shown, and how much of it. */
export interface SignatureToShow {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
  readonly session: Session;
  /** `send`: an operation with --dry-run, which shows the request as well. `sign`: `paycli sign OPERATION`. */
  readonly mode: 'send' | 'sign';
  /** --explain: every stage of the signature, and where each value came from. */
  readonly explain: boolean;
  /** Only the bytes of this stage are printed. */
  readonly stage?: StageName | undefined;
  /** The nonce and timestamp (seconds) of another program, to get the signature that it should have made. */
  readonly given?: Partial<NonceAndTimestamp>;
}

/**
 * `paycli sign OPERATION`: shows the signature of the request that the same flags would send. Sends nothing. Gives the
 * exit code. Throws what composing the request and reading the key throw.
 */
export async function runSign(row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  const { stage, nonce, timestamp } = typed.options;
  return withSession(typed.options, runtime, async (session, report) => {
    const composed = await composeRequest(row, typed, session, runtime, false);
    announce(composed.resolved, report);
    const given = { ...(nonce === undefined ? {} : { nonce }), ...(timestamp === undefined ? {} : { timestamp }) };
    const request = { ...composed, session, mode: 'sign', explain: true, stage, given } as const;
    return showSignature(request, report, runtime);
  });
}

/**
 * Signs a request without sending it, and shows the signature. Outside the sandbox card fields are masked in everything
 * that is shown, while digest and signature are those of the real values, and the text says so. Gives the exit code.
 */
export async function showSignature(request: SignatureToShow, report: Reporter, runtime: Runtime): Promise<number> {
  const { unsigned, session, resolved, mode, explain } = request;
  const credentials = await session.credentials(unsigned.protection);
  const nonceAndTimestamp = { ...newNonceAndTimestamp(runtime), ...request.given };
  const sign = (each: Unsigned) => requestSigning.sign(each, credentials, session.assume, nonceAndTimestamp);
  const signed = sign(unsigned);
  // To show the stages with masks, a copy with masked fields is signed, with the same nonce and timestamp.
  const masksCards = session.class !== 'sandbox';
  const maskedPairs = masksCards ? withStandIns(unsigned) : unsigned.pairs;
  const isMasked = maskedPairs.some(([, value], at) => value !== unsigned.pairs[at]?.[1]);
  const shown = isMasked ? withRealResults(sign({ ...unsigned, pairs: maskedPairs }), signed) : signed;
  const { stages } = shown;
  if (request.stage !== undefined) return showStage(signed.stages, request.stage, isMasked, report);
  const values = [...connectionValues(request, nonceAndTimestamp, request.given), ...fieldValues(request, masksCards)];
  const bodyBytes = Buffer.byteLength(signed.body);
  const signedBytes = Buffer.byteLength(signedText(signed.stages));
  const form = session.assume['hmac-key-encoding'] === 'raw' ? 'raw' : 'encoded';
  // With masks in the text openssl would make something else.
  const isWhole = signedText(stages) === signedText(signed.stages);
  const openssl = isWhole ? opensslLines(stages, credentials.controlKey?.open() ?? '', form) : [];
  await report.show({
    // What is copied from the terminal is not wrapped.
    ...(mode === 'sign' ? { isExact: true } : {}),
    document: {
      schema: 'paycli.sign/1',
      operation: unsigned.row.id,
      profile: session.name,
      masked: isMasked,
      request: { method: 'POST', url: signed.url, headers: signed.headers, fields: shown.pairs, bodyBytes },
      values,
      amount: unsigned.minor === undefined ? null : { body: unsigned.values['amount'], minor: unsigned.minor },
      signature: stages,
      signedBytes,
      openssl,
    },
    text: () =>
      [
        ...(mode === 'send' ? [presentRequest(shown, bodyBytes, session.name, report)] : []),
        ...(explain ? [presentValues(values, unsigned, report)] : []),
        presentStages(stages, signedBytes, report),
        ...(explain && openssl.length > 0 ? [presentOpenssl(openssl, stages, report)] : []),
        ...(isMasked
          ? ['Card fields are masked here; the signature, digest and byte count are those of the real values.\n']
          : []),
      ].join('\n'),
  });
  if (mode === 'send') report.notes(['dry run: nothing was sent']);
  if (resolved.origins['clientOrderId'] === 'generated' && mode === 'sign')
    report.notes(['the client order id above is new each time; set --client-order-id to compare signatures']);
  return 0;
}

/** Prints the bytes of one stage. Throws USAGE for one that this scheme does not have, or that holds masked values. */
function showStage(stages: SignatureStages, stage: StageName, isMasked: boolean, report: Reporter): 0 {
  const texts = stageTexts(stages);
  const text = texts[stage];
  const names = Object.keys(texts).join(', ');
  if (text === undefined)
    throw fail('USAGE', { why: `${stage} is not a stage of this signature; its stages are ${names}`, stage });
  const why = `${stage} holds card data, which is shown only in the sandbox; --explain shows it masked`;
  if (isMasked && (stage === 'parameters' || stage === 'base-string')) throw fail('USAGE', { why, stage });
  report.out(text);
  return 0;
}

/** The pairs of a request with masked card fields: each mask is written so that no step of signing changes it. */
function withStandIns(unsigned: Unsigned): Pair[] {
  return maskPairs(unsigned.row, unsigned.pairs, { showAccounts: true }).map(([name, value], at): Pair => {
    if (value === unsigned.pairs[at]?.[1]) return [name, value];
    return [name, standIns.reduce((text, [dots, standIn]) => text.replaceAll(dots, standIn), value)];
  });
}

/** The request that was signed with masked fields, with the checksum or signature of the real one. */
function withRealResults(masked: SignedRequest, real: SignedRequest): SignedRequest {
  const control = real.pairs.find(([name]) => name === 'control')?.[1] ?? '';
  return {
    ...real,
    pairs: masked.pairs.map(([name, value]): Pair => [name, name === 'control' ? control : withMasks(value)]),
    // Nothing shows the body, so it is not masked but left out.
    body: '',
    // Dots need no escape in JSON.
    stages: withRealResult(JSON.parse(withMasks(JSON.stringify(masked.stages))), real.stages),
  };
}

/** Both are of the same scheme, as they are of the same request. */
function withRealResult(masked: SignatureStages, real: SignatureStages): SignatureStages {
  if (masked.scheme === 'none' || real.scheme === 'none') return masked;
  if (masked.scheme === 'control') return real.scheme === 'control' ? { ...masked, digest: real.digest } : masked;
  return real.scheme === 'control' ? masked : { ...masked, signature: real.signature, header: real.header };
}

/** The text that is signed; empty for a request without a signature. */
function signedText(stages: SignatureStages): string {
  if (stages.scheme === 'none') return '';
  return stages.scheme === 'control' ? stages.string : stages.baseString;
}

// Letters and marks that no encoding changes: in a signed text the dots themselves would be percent-encoded, twice.
const standIns = [
  [`${hidden}\u2022 `, 'masked-by-paycli-to-the-last-four~'],
  [hidden, 'masked-by-paycli~'],
] as const;

/** A text that was made from such values, with the masks again; whatever their length was, they have one form. */
function withMasks(text: string): string {
  return standIns.reduce((shown, [dots, standIn]) => shown.replaceAll(standIn, dots), text);
}
