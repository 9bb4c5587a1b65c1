import { pathFrom } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { diagnoseOauth, examineSignature, oauthCase, type Surroundings } from '../../../signing/diagnose/index.js';
import { type Merchant, type Received, Secret } from '../../../signing/index.js';
import { decodeText, type FormReading, readForm } from '../../../signing/request-form.js';
import { headerOf, type OperationPlace, operationAt, urlOf } from '../../../signing/requests/pasted-request.js';
import { type ReadRequest, readRequest } from '../../../signing/requests/read-request.js';
import { protectionOf } from '../../../wire/check.js';
import { decodeForm } from '../../../wire/form.js';
import { defineCommand, type FlagsFor, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { readInput, readOr, sourceOf } from '../../core/text-input.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { withSession } from '../../open-session.js';
import type { Session } from '../../session.js';
import { readPublicKeyFile } from './inputs.js';
import { merchantFor, nothingSigned, readSurroundings } from './operation-case.js';
import { type Comparison, type FormProblem, operationFacts, reportComparison } from './report.js';

interface CheckOptions extends CommonOptions {
  readonly url?: string;
  readonly publicKeyFile?: string;
}

export const signCheck = defineCommand({
  summary: 'Check a pasted request: its form, its signature, and if it is wrong, why',
  args: {
    file: {
      text: 'curl command, HTTP request, HAR file, form body or JSON; - or nothing for standard input',
      isOptional: true,
    },
  },
  flags: {
    url: word('<url>', 'the address, if the file does not show it'),
    publicKeyFile: word('<file>', 'the public RSA key (PEM), if the private one is not here'),
    ...connectionFlags,
    ...outputFlags,
  } satisfies FlagsFor<CheckOptions>,
  examples: ['sign check request.txt', 'sign check - < request.txt'],
  effect: 'local',
  result: ['diagnosis'],
  run: ({ args: { file }, flags, runtime }) => runCheck(file ?? '-', flags as CheckOptions, runtime),
});

// Of HAR files.
const maxRequestBytes = 64 * 2 ** 20;

async function runCheck(file: string, options: CheckOptions, runtime: Runtime): Promise<number> {
  const { text, charset } = await readRequestText(file, runtime);
  const pasted = readRequest(text, options.url, sourceOf(file));
  const place = operationAt(pasted.url);
  const publicKey =
    options.publicKeyFile === undefined ? undefined : readPublicKeyFile(options.publicKeyFile, runtime).keyObject;
  return withSession(options, runtime, async (session, report) => {
    report.notes([...pasted.notes, ...clockNote(headerOf(pasted, 'authorization'), runtime)]);
    const comparison =
      place === undefined
        ? await checkUnknown(pasted, publicKey, session)
        : await checkOperation(pasted, place, publicKey, session, runtime);
    if (charset === 'utf-8') return reportComparison(comparison, report);
    const detail = `the body is not UTF-8; it reads as ${charset}`;
    const form = await formProblems({ findings: [{ rule: 'body-encoding', detail }] }, pasted);
    return reportComparison({ ...comparison, form: [...form, ...(comparison.form ?? [])] }, report);
  });
}

/** A file may hold a request as it was sent, in any encoding. */
async function readRequestText(file: string, runtime: Runtime): Promise<ReturnType<typeof decodeText>> {
  if (file === '-') return { text: await readInput(file, runtime), charset: 'utf-8' };
  const { files } = runtime;
  const read = () => files.readBytes(pathFrom(file, files.folders.working, files.folders.home), maxRequestBytes);
  return decodeText(readOr(read, (why) => fail('TEXT_INVALID', { field: sourceOf(file), why })));
}

const clockWindowSeconds = 300;

/** A request that is pasted was sent some time ago; its age is no mistake. */
function clockNote(header: string | undefined, { clock }: Runtime): string[] {
  const stamp = /oauth_timestamp="?(\d{1,11})"?(?!\d)/.exec(header ?? '')?.[1];
  const off = stamp === undefined ? 0 : Math.abs(Math.floor(clock.now() / 1000) - Number(stamp));
  return off > clockWindowSeconds
    ? [`oauth_timestamp is ${off} seconds off this machine's clock; if sent now, it would be refused`]
    : [];
}

type Key = Merchant['publicKey'];

async function checkOperation(
  pasted: ReadRequest,
  { row, endpointId }: OperationPlace,
  publicKey: Key,
  session: Session,
  runtime: Runtime,
): Promise<Comparison> {
  const { assume } = session;
  const protection = protectionOf(row, assume);
  if (protection.scheme === 'none') throw nothingSigned(row.command);
  const url = urlOf(pasted, session.target(endpointId).baseUrl);
  const headers = { accept: headerOf(pasted, 'accept'), 'content-type': headerOf(pasted, 'content-type') };
  const form = readForm({ method: pasted.method, url, headers, body: pasted.body }, { row, endpointId, assume });
  const authorization = headerOf(pasted, 'authorization');
  const { pairs, minor } = form;
  const received: Received = {
    ...{ row, url, protection, endpointId, pairs },
    ...(minor === undefined ? {} : { minor }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const merchant = await merchantFor(session, protection, publicKey);
  const around = await readSurroundings(session, runtime);
  const found = examineSignature(received, merchant, assume, around);
  const damaged = found.state === 'wrong' ? damageOf(received, merchant, session, around) : undefined;
  return {
    ...operationFacts(received, session),
    what: protection.scheme === 'control' ? 'control' : 'signature',
    form: [...(await formProblems(form, pasted)), ...(damaged === undefined ? [] : [damaged])],
    diagnosis: damaged === undefined ? found.diagnosis : { match: true, mistakes: [], otherwise: [] },
    reason: found.state === 'wrong' && !found.isPlain && damaged === undefined ? found.detail : undefined,
    rows: damaged === undefined && found.state === 'wrong' ? (found.diagnosis.compare?.() ?? []) : [],
  };
}

/** A body alone has no headers. */
async function formProblems(
  { findings }: Pick<FormReading, 'findings'>,
  { format }: ReadRequest,
): Promise<FormProblem[]> {
  const { rules } = await import('../../../sandbox/audit/rules.js');
  return findings
    .filter(({ rule }) => format !== 'body' || !rule.startsWith('accept'))
    .map(({ rule, detail }) => ({ name: rule, detail, fix: rules[rule].fix }));
}

const repairs: readonly (readonly [words: string, repair: (key: string) => string])[] = [
  ['its quotes', (key) => /^(["'])(.*)\1$/s.exec(key.trim())?.[2] ?? key],
  ['the name and = before it', (key) => key.replace(/^\s*(?:export\s+)?\w+\s*=\s*(["']?)(.*)\1\s*$/s, '$2')],
  ['its byte order mark', (key) => key.replace(/^\uFEFF/, '')],
  ['the blanks around it', (key) => key.trim()],
];

/** Our own key file may be what is wrong: then the request matches the key as it was meant. */
function damageOf(
  received: Received,
  merchant: Merchant,
  { assume }: Session,
  around: Surroundings,
): FormProblem | undefined {
  const key = merchant.controlKey.open();
  const meant = repairs.find(([, repair]) => {
    const mended = repair(key);
    const other = { ...merchant, controlKey: new Secret(mended) };
    return (
      mended !== key &&
      mended !== '' &&
      examineSignature(received, other, assume, { ...around, maxPairs: 0 }).state === 'right'
    );
  });
  if (meant === undefined) return undefined;
  return {
    name: 'own-key-damaged',
    detail: `the request matches your key without ${meant[0]}`,
    fix: 'correct the key file: the key alone on one line',
  };
}

/** A path the interface does not have can still carry an OAuth signature by a key of the profile. */
async function checkUnknown(pasted: ReadRequest, publicKey: Key, session: Session): Promise<Comparison> {
  const header = headerOf(pasted, 'authorization');
  if (header === undefined)
    throw fail('USAGE', {
      why: 'the address is not an operation of the API, such as /api/v2/sale/4001, and there is no OAuth header',
      command: 'sign check',
    });
  const scheme = /RSA/i.test(/oauth_signature_method="?([^",]*)/.exec(header)?.[1] ?? '') ? 'rsa-sha256' : 'hmac-sha1';
  const merchant = await merchantFor(session, { scheme }, publicKey);
  const url = urlOf(pasted);
  const given = {
    ...oauthCase({ url, pairs: decodeForm(pasted.body), protection: { scheme } }, merchant, session.assume),
    method: pasted.method,
  };
  const diagnosis = diagnoseOauth(given, { header });
  return {
    what: 'signature',
    facts: [
      ['request', `${pasted.method} ${url}`],
      ['key', `${session.keyName(scheme)} of profile ${session.name}`],
    ],
    document: { operation: null, profile: session.name, scheme },
    isOpen: false,
    diagnosis,
    rows: diagnosis.match ? [] : (diagnosis.compare?.() ?? []),
  };
}
