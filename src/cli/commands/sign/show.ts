import { newNonceAndTimestamp } from '../../../payments/nonce.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { StageName } from '../../../signing/diagnose/index.js';
import {
  type NonceAndTimestamp,
  requestSigning,
  type SignatureStages,
  type SignedRequest,
  type Unsigned,
} from '../../../signing/index.js';
import type { Operation } from '../../../spec/index.js';
import type { Pair } from '../../../wire/form.js';
import { maskPairs } from '../../../wire/redact.js';
import { announce, composeRequest } from '../../core/compose-request.js';
import { withSession } from '../../core/open-session.js';
import type { Typed } from '../../core/options.js';
import type { Reporter } from '../../core/reporter.js';
import type { Resolved } from '../../core/resolve-fields.js';
import type { Session } from '../../core/session.js';
import { presentRequest, presentValues, type ShownValue } from '../../format/request.js';
import { presentStages } from '../../format/signature-stages.js';
import { stagesWithMasks, standInFor, withMasks } from './masked-texts.js';

export interface SignatureContext {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
  readonly session: Session;
  /** `send` is a --dry-run: it shows the request as well. */
  readonly mode: 'send' | 'sign';
  readonly explain: boolean;
  /** Only the bytes of this stage. */
  readonly stage?: StageName | undefined;
  /** Those of another program, to get what it should have got; new ones when left out. */
  readonly fresh?: Partial<NonceAndTimestamp>;
}

/** `sign OPERATION`: the request that the same flags would send, signed and not sent. */
export async function runSign(row: Operation, typed: Typed, runtime: Runtime): Promise<number> {
  const { explain, stage, nonce, timestamp } = typed.options;
  return withSession(typed.options, runtime, async (session, report) => {
    const composed = await composeRequest(row, typed, ['journal'], session, runtime);
    announce(composed.resolved, report);
    const fresh = { ...(nonce === undefined ? {} : { nonce }), ...(timestamp === undefined ? {} : { timestamp }) };
    const submission = { ...composed, session, mode: 'sign', explain: explain === true, stage, fresh } as const;
    return showSignature(submission, report, runtime);
  });
}

/**
 * Signs without sending and shows how. Outside the sandbox card fields are masked in every stage; digest and signature
 * are those of the true values, and the text says so.
 */
export async function showSignature(submission: SignatureContext, report: Reporter, runtime: Runtime): Promise<number> {
  const { unsigned, session, resolved, mode, explain } = submission;
  const credentials = await session.credentials(unsigned.protection);
  // The masked copy is signed with the same nonce and time, so that what is shown is what was signed but for the masks.
  const fresh = { ...newNonceAndTimestamp(runtime), ...submission.fresh };
  const sign = (request: Unsigned) => requestSigning.sign(request, credentials, session.assume, fresh);
  const signed = sign(unsigned);
  const open = session.class === 'sandbox';
  const hidden: Unsigned = open ? unsigned : { ...unsigned, pairs: withStandIns(unsigned) };
  const masking = hidden.pairs.some(([, value], at) => value !== unsigned.pairs[at]?.[1]);
  const shadow = masking ? sign(hidden) : signed;
  const shown = withTrueResults(shadow, signed);
  const { stages } = shown;
  if (submission.stage !== undefined) return showStage(signed.stages, submission.stage, masking, report);
  // Not loaded for those who want the signature alone: with it comes all of the diagnosis.
  const explained =
    explain && mode === 'sign'
      ? (await import('./explanation.js')).explainStages(signed.stages, stages, masking, credentials, session.assume)
      : undefined;
  const values = [...connectionValues(submission, fresh), ...fieldValues(submission, open)];
  const bodyBytes = Buffer.byteLength(signed.body);
  const signedBytes = Buffer.byteLength(textOf(signed.stages));
  await report.show({
    // Without the explanation it is to be pasted.
    ...(explain || mode === 'send' ? {} : { isExact: true }),
    document: {
      ...{ schema: 'paycli.sign/1', operation: unsigned.row.id, profile: session.name, masked: masking },
      request: { method: 'POST', url: signed.url, headers: signed.headers, fields: shown.pairs, bodyBytes },
      values,
      amount: unsigned.minor === undefined ? null : { body: unsigned.values['amount'], minor: unsigned.minor },
      ...{ signature: stages, signedBytes },
      ...explained?.document,
    },
    text: () =>
      [
        ...(mode === 'send' ? [presentRequest(shown, bodyBytes, report)] : []),
        ...(explain ? [presentValues(values, unsigned, report)] : []),
        presentStages(stages, signedBytes, explain || mode === 'send', report),
        ...(explained === undefined ? [] : [explained.present(report)]),
        ...(masking
          ? ['Card fields are masked here; the signature, digest and byte count are those of the real values.\n']
          : []),
      ].join('\n'),
  });
  if (mode === 'send') report.notes(['dry run: nothing was sent']);
  if (resolved.origins['clientOrderId'] === 'generated' && mode === 'sign')
    report.notes(['the client order id above is new each time; set --client-order-id to compare signatures']);
  return 0;
}

async function showStage(stages: SignatureStages, stage: StageName, isMasked: boolean, report: Reporter): Promise<0> {
  const { stageTextOf, stageTextsOf } = await import('./explanation.js');
  report.out(stageTextOf(stageTextsOf(stages), stage, isMasked));
  return 0;
}

/** Pairs to sign for what is shown. */
function withStandIns(unsigned: Unsigned): Pair[] {
  return maskPairs(unsigned.row, unsigned.pairs).map(([name, value], at): Pair => {
    const changed = value !== unsigned.pairs[at]?.[1];
    return [name, changed ? standInFor(value) : value];
  });
}

function controlOf(signed: SignedRequest): string {
  return signed.pairs.find(([name]) => name === 'control')?.[1] ?? '';
}

/** The masked request with what the true one was signed to. */
function withTrueResults(shadow: SignedRequest, signed: SignedRequest): SignedRequest {
  return {
    ...signed,
    pairs: shadow.pairs.map(([name, value]): Pair => [name, name === 'control' ? controlOf(signed) : withMasks(value)]),
    body: '',
    stages: withTrueResult(stagesWithMasks(shadow.stages), signed.stages),
  };
}

/** The stages of the masked request with the result of the true one. */
function withTrueResult(stages: SignatureStages, real: SignatureStages): SignatureStages {
  if (stages.scheme === 'none' || real.scheme === 'none') return stages;
  if (stages.scheme === 'control') return real.scheme === 'control' ? { ...stages, digest: real.digest } : stages;
  return real.scheme === 'control' ? stages : { ...stages, signature: real.signature, header: real.header };
}

function textOf(stages: SignatureStages): string {
  if (stages.scheme === 'none') return '';
  return stages.scheme === 'control' ? stages.string : stages.baseString;
}

function fieldValues({ unsigned, resolved, session }: SignatureContext, open: boolean): readonly ShownValue[] {
  const pairs = open ? unsigned.pairs : maskPairs(unsigned.row, unsigned.pairs);
  const keyByWire = new Map(Object.entries(unsigned.row.fields).map(([key, field]) => [field.wire, key]));
  return pairs.map(([wire, value]): ShownValue => {
    const key = keyByWire.get(wire) ?? '';
    return {
      field: key,
      wire,
      value,
      origin: key === 'login' ? originOf('login', session) : (resolved.origins[key] ?? 'flag --field'),
    };
  });
}

/** What does not stand in the body: where it goes, as whom, with which key, and what is made anew each time. */
function connectionValues(
  { unsigned, session, fresh: given = {} }: SignatureContext,
  { nonce, timestamp }: NonceAndTimestamp,
): readonly ShownValue[] {
  const { scheme } = unsigned.protection;
  const endpoint = session.connection.find(
    ({ key, value, hidden }) =>
      !hidden && value === unsigned.endpointId && (key === 'endpoint-id' || key.startsWith('endpoints.')),
  );
  const address = {
    field: 'baseUrl',
    wire: '(address)',
    value: session.target(unsigned.endpointId).baseUrl,
    origin: originOf('base-url', session),
  };
  const path = {
    field: 'endpointId',
    wire: '(path)',
    value: unsigned.endpointId,
    origin: endpoint?.origin ?? `profile ${session.name}`,
  };
  if (scheme === 'none') return [address, path];
  const keyOrigin = originOf(scheme === 'rsa-sha256' ? 'private-key' : 'control-key', session);
  const key = { field: 'key', wire: '(key)', value: session.keyName(scheme), origin: keyOrigin };
  const derived = {
    field: 'amount',
    wire: '(minor units)',
    value: unsigned.minor ?? '',
    origin: 'amount and currency, derived',
  };
  const login = { field: 'login', wire: '(login)', value: session.login, origin: originOf('login', session) };
  if (scheme === 'control') return [address, path, login, key, ...(unsigned.minor === undefined ? [] : [derived])];
  return [
    address,
    path,
    key,
    { ...login, wire: 'oauth_consumer_key' },
    {
      field: 'nonce',
      wire: 'oauth_nonce',
      value: nonce,
      origin: given.nonce === undefined ? 'random, new each time' : 'flag --nonce',
    },
    {
      field: 'timestamp',
      wire: 'oauth_timestamp',
      value: timestamp,
      origin: given.timestamp === undefined ? 'the clock of this machine' : 'flag --timestamp',
    },
  ];
}

function originOf(key: string, session: Session): string {
  return session.connection.find((row) => row.key === key && !row.hidden)?.origin ?? `profile ${session.name}`;
}
