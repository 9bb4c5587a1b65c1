import { exits, fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { caseOfHeader, diffOauth, type OauthCase, type StageName } from '../../../signing/diagnose/index.js';
import { authorizationHeader, type Unsigned } from '../../../signing/index.js';
import {
  headerOf,
  operationAt,
  type ReadRequest,
  type ReceivedRequest,
  type RequestFormat,
  readRequest,
  receivedRequestFrom,
  urlOf,
} from '../../../signing/requests/index.js';
import type { Operation } from '../../../spec/index.js';
import { isLoopback } from '../../../wire/address.js';
import { decodeForm, type Pair } from '../../../wire/form.js';
import type { CommonOptions, Typed } from '../../core/common-options.js';
import { Reporter } from '../../core/reporter.js';
import { readInput, sourceOf } from '../../core/text-input.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { type Comparison, operationComparison, rawComparison, reportDiagnosis } from './diagnosis-report.js';
import {
  type Explanation,
  explainOauthCase,
  explanationDocument,
  presentExplanation,
  stageTextOf,
} from './explanation.js';
import {
  nonceAndTimestampIn,
  parameterIn,
  readHeader,
  readPublicKeyFile,
  readSecretFile,
  requireFlags,
  secondsNow,
  withoutLineEnd,
} from './inputs.js';
import { baseStringBehind, oauthMistakeDifference } from './likeliest-mistake.js';
import { nothingSigned, withRequest } from './operation-case.js';
import { verifyReceived } from './verify-received.js';

export interface VerifyOptions extends CommonOptions {
  readonly requestFile?: string;
  readonly format?: RequestFormat;
  readonly entry?: string;
  readonly url?: string;
  readonly method?: string;
  readonly bodyFile?: string;
  readonly stage?: StageName;
  readonly keyFile?: string;
  readonly publicKeyFile?: string;
  readonly control?: string;
  readonly signature?: string;
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly authorizationFile?: string;
}

/** Whether the signature of a pasted request is right. */
export async function runVerifyRequest(options: VerifyOptions, runtime: Runtime): Promise<number> {
  const pasted = await readPasted(options, runtime);
  const place = operationAt(pasted.url);
  if (place === undefined) return verifyUnknown(pasted, options, runtime);
  return withSession(options, runtime, async (session, report) => {
    const arrived = receivedRequestFrom(pasted, place, {
      assume: session.assume,
      baseUrl: session.target(place.endpointId).baseUrl,
    });
    if (arrived.unsigned.protection.scheme === 'none') throw nothingSigned(place.row.command);
    const address = session.target(place.endpointId).baseUrl;
    report.notes([...pasted.notes, ...remarks(pasted, arrived, address), ...clockRemark(arrived, runtime)]);
    return reportVerification({ arrived, session, report, method: pasted.method }, options, runtime);
  });
}

// Of HAR files.
const maxRequestBytes = 64 * 2 ** 20;

/** The request of the file, and what further flags say of it. */
async function readPasted(options: VerifyOptions, runtime: Runtime): Promise<ReadRequest> {
  const { format, url, method, bodyFile, authorizationFile } = options;
  if (options.entry !== undefined && !/^[1-9]\d{0,5}$/.test(options.entry))
    throw fail('USAGE', { why: '--entry: use a whole number from 1' });
  const hints = {
    format,
    url,
    method,
    entry: options.entry === undefined ? undefined : Number(options.entry),
    body: bodyFile === undefined ? undefined : withoutLineEnd(await readInput(bodyFile, runtime)),
    authorization: authorizationFile === undefined ? undefined : await readHeader(authorizationFile, runtime),
  };
  // A body with its address is a whole request.
  if (options.requestFile === undefined && url !== undefined && bodyFile !== undefined)
    return readRequest('', { ...hints, format: 'body' }, sourceOf(bodyFile));
  const { requestFile } = requireFlags('sign verify', { requestFile: options.requestFile });
  return readRequest(await readInput(requestFile, runtime, maxRequestBytes), hints, sourceOf(requestFile));
}

/** Whether a control or a signature is right for a request given by the operation's flags. */
export async function runVerifyOperation(
  row: Operation,
  typed: Typed,
  options: VerifyOptions,
  runtime: Runtime,
): Promise<number> {
  const command = `sign verify ${row.command}`;
  return withRequest(row, typed, command, runtime, async ({ unsigned, session, report }) => {
    const signed =
      unsigned.protection.scheme === 'control'
        ? withControl(unsigned, options, command)
        : await withHeader(unsigned, session.login, options, command, runtime);
    const arrived = { unsigned, received: { ...unsigned, ...signed } };
    report.notes(clockRemark(arrived, runtime));
    return reportVerification({ arrived, session, report, method: 'POST' }, options, runtime);
  });
}

interface VerifyContext {
  readonly arrived: ReceivedRequest;
  readonly session: Session;
  readonly report: Reporter;
  /** The method the request was sent with. */
  readonly method: string;
}

async function reportVerification(
  { arrived, session, report, method }: VerifyContext,
  options: VerifyOptions,
  runtime: Runtime,
): Promise<number> {
  const { row, protection } = arrived.unsigned;
  if (options.publicKeyFile !== undefined && protection.scheme !== 'rsa-sha256')
    throw fail('USAGE', {
      why: `--public-key-file does not apply: ${row.command} is not signed with RSA`,
      operation: row.command,
      command: 'sign verify',
    });
  const publicKey = options.publicKeyFile === undefined ? undefined : readPublicKeyFile(options.publicKeyFile, runtime);
  const judged = await verifyReceived(arrived, publicKey?.keyObject, session, runtime);
  const otherMethod =
    method === 'POST' ? undefined : `every operation must be a POST, in upper case; this was ${shownMethod(method)}`;
  const unsent = otherMethod ?? arrived.lostPlusSigns;
  const reason = unsent ?? judged.reason;
  const diagnosis = { ...judged.diagnosis, match: reason === undefined };
  const isOpen = session.class === 'sandbox';
  const explanation = isExplained(options) ? judged.explain?.(isOpen) : undefined;
  if (options.stage !== undefined) return writeStage(options.stage, explanation, isOpen, report);
  const key = publicKey === undefined ? undefined : `public key fingerprint ${publicKey.fingerprint}`;
  const { document, ...comparison } = operationComparison(arrived.unsigned, session, key);
  const shownReason = unsent ?? (judged.isPlain ? undefined : judged.reason);
  return reportDiagnosis(
    diagnosis,
    {
      ...comparison,
      ...(explanation === undefined ? {} : appendixOf(explanation, reason === undefined)),
      reason: shownReason,
      document: { ...document, reason: reason ?? null },
    },
    report,
    judged.supposed,
  );
}

function isExplained({ explain, stage }: VerifyOptions): boolean {
  return explain === true || stage !== undefined;
}

function appendixOf(explanation: Explanation, match: boolean): Pick<Comparison, 'appendix'> {
  return {
    appendix: {
      document: explanationDocument(explanation),
      text: (report) => presentExplanation(explanation, match, report),
    },
  };
}

/** Writes the bytes of one stage of ours and nothing else. */
function writeStage(stage: StageName, explanation: Explanation | undefined, open: boolean, report: Reporter): number {
  if (explanation === undefined)
    throw fail('USAGE', { why: 'this request has no stages: its amount cannot be read, or its signature is missing' });
  report.out(stageTextOf(explanation.texts, stage, explanation.isMasked && !open));
  return exits.ok;
}

function shownMethod(method: string): string {
  return /^[A-Za-z]{1,10}$/.test(method) ? method : 'another method';
}

function withControl(
  { pairs }: Unsigned,
  options: VerifyOptions,
  command: string,
): { readonly pairs: readonly Pair[] } {
  const { control } = requireFlags(command, { control: options.control });
  return { pairs: [...pairs, ['control', control]] };
}

async function withHeader(
  { pairs, protection }: Unsigned,
  login: string,
  options: VerifyOptions,
  command: string,
  runtime: Runtime,
): Promise<{ readonly pairs: readonly Pair[]; readonly authorization: string }> {
  if (options.authorizationFile !== undefined)
    return { pairs, authorization: await readHeader(options.authorizationFile, runtime) };
  const { signature, nonce, timestamp } = requireFlags(command, {
    signature: options.signature,
    nonce: options.nonce,
    timestamp: options.timestamp,
  });
  const authorization = authorizationHeader([
    ['oauth_consumer_key', login],
    ['oauth_nonce', nonce],
    ['oauth_signature', signature],
    ['oauth_signature_method', protection.scheme.toUpperCase()],
    ['oauth_timestamp', timestamp],
    ['oauth_version', '1.0'],
  ]);
  return { pairs, authorization };
}

/** What the gateway would not like although it is no matter of the signature. */
function remarks(pasted: ReadRequest, { received }: ReceivedRequest, baseUrl: string): readonly string[] {
  const expected = `${baseUrl}${received.row.path}/${received.endpointId}`;
  const bare = received.url.replace(/[?#].*$/s, '');
  return [
    ...(isSamePlace(bare, expected) ? [] : [`the request goes to a different address from this profile's ${expected}`]),
    ...(received.url.includes('?') ? ['the address has a query; the fields of an operation belong in the body'] : []),
    ...(pasted.format === 'body' || headerOf(pasted, 'accept') === 'application/vnd.pay+json'
      ? []
      : ['the gateway accepts only requests with Accept: application/vnd.pay+json']),
  ];
}

/** On this machine a sandbox may have any port. */
function isSamePlace(address: string, expected: string): boolean {
  const isHere = URL.canParse(address) && isLoopback(address) && isLoopback(expected);
  return address === expected || (isHere && new URL(address).pathname === new URL(expected).pathname);
}

const clockWindowSeconds = 300;

/** A signature may be right and come too late. */
function clockRemark({ received }: ReceivedRequest, runtime: Runtime): readonly string[] {
  const stamp = parameterIn(received.authorization, 'oauth_timestamp');
  if (stamp === undefined || !/^\d{1,12}$/.test(stamp)) return [];
  const off = Math.abs(secondsNow(runtime) - Number(stamp));
  return off > clockWindowSeconds
    ? [`oauth_timestamp is ${off} seconds off this machine's clock; if sent now, it would be refused`]
    : [];
}

/** A path the interface does not have can still carry an OAuth signature by a key that is named. */
async function verifyUnknown(pasted: ReadRequest, options: VerifyOptions, runtime: Runtime): Promise<number> {
  const header = headerOf(pasted, 'authorization');
  if (header === undefined || (options.keyFile === undefined && options.publicKeyFile === undefined))
    throw fail('USAGE', {
      why: 'the address is not an operation of the API, such as /api/v2/sale/4001; an OAuth header can still be checked if you name its key with --key-file or --public-key-file',
      command: 'sign verify',
    });
  const report = new Reporter(options, undefined, runtime);
  report.notes(pasted.notes);
  const given = caseFrom(pasted, header, options, report, runtime);
  const found = diffOauth(given, { header });
  const explanation = isExplained(options)
    ? explainOauthCase(given, baseStringBehind(caseOfHeader(given, header), { header }, found), false)
    : undefined;
  if (options.stage !== undefined) return writeStage(options.stage, explanation, false, report);
  const comparison = rawComparison(given);
  return reportDiagnosis(
    found,
    explanation === undefined ? comparison : { ...comparison, ...appendixOf(explanation, found.match) },
    report,
    oauthMistakeDifference(given, { header }, found),
  );
}

function caseFrom(
  pasted: ReadRequest,
  header: string,
  options: VerifyOptions,
  report: Reporter,
  runtime: Runtime,
): OauthCase {
  const { publicKeyFile, keyFile = '' } = options;
  const common = {
    method: pasted.method,
    url: urlOf(pasted),
    body: decodeForm(pasted.body),
    consumerKey: parameterIn(header, 'oauth_consumer_key') ?? '',
    token: parameterIn(header, 'oauth_token'),
    ...nonceAndTimestampIn({ header }),
    hasVersion: parameterIn(header, 'oauth_version') !== undefined,
  };
  return publicKeyFile === undefined
    ? { ...common, signatureMethod: 'HMAC-SHA1', secret: readSecretFile(keyFile, report, runtime), tokenSecret: '' }
    : { ...common, signatureMethod: 'RSA-SHA256', publicKey: readPublicKeyFile(publicKeyFile, runtime).keyObject };
}
