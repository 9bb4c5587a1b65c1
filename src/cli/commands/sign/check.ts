import type { KeyObject } from 'node:crypto';
import { pathFrom, readSecretText } from '../../../config/file-access.js';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { examineSignature } from '../../../signing/diagnose/index.js';
import { type Received, readPublicKey } from '../../../signing/index.js';
import { decodeText, type FormFinding, readForm } from '../../../signing/request-form.js';
import { headerOf, type OperationPlace, operationAt, urlOf } from '../../../signing/requests/pasted-request.js';
import { type ReadRequest, readRequest } from '../../../signing/requests/read-request.js';
import { protectionOf } from '../../../wire/check.js';
import { defineCommand, word } from '../../command.js';
import type { Reporter } from '../../core/reporter.js';
import { readOr, sourceOf } from '../../core/text-input.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { type Session, withSession } from '../../session.js';
import { examineWithOwnKey, findingOf } from './finding.js';
import { merchantFor, nothingSigned, readSurroundings } from './operation-case.js';
import { reportComparison } from './report.js';

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
  },
  examples: ['sign check request.txt', 'sign check - < request.txt'],
  effect: 'local',
  result: ['diagnosis'],
  async run({ args: { file = '-' }, flags: options, runtime }) {
    const { text, finding } = decodeText(await readBytes(file, runtime));
    const pasted = readRequest(text, options.url, sourceOf(file));
    const place = operationAt(pasted.url);
    if (place === undefined)
      throw fail('USAGE', {
        why: 'the address is not an operation of the API, such as /api/v2/sale/4001',
      });
    return withSession(options, runtime, async (session, report) => {
      report.notes(pasted.notes);
      const encoding = finding === undefined ? [] : [finding];
      return checkRequest({ ...pasted, encoding }, place, options.publicKeyFile, session, report, runtime);
    });
  },
});

// Of HAR files.
const maxRequestBytes = 64 * 2 ** 20;

/** A request as it was sent may be in any encoding. */
async function readBytes(path: string, { terminal, files }: Runtime): Promise<Uint8Array> {
  if (path === '-') return terminal.readStdinBytes();
  const read = () => files.readBytes(pathFrom(path, files.folders.working, files.folders.home), maxRequestBytes);
  return readOr(read, (why) => fail('TEXT_INVALID', { field: sourceOf(path), why }));
}

async function checkRequest(
  pasted: ReadRequest & { readonly encoding: readonly FormFinding[] },
  { row, endpointId }: OperationPlace,
  publicKeyFile: string | undefined,
  session: Session,
  report: Reporter,
  runtime: Runtime,
): Promise<number> {
  const { assume } = session;
  const protection = protectionOf(row, assume);
  if (protection.scheme === 'none') throw nothingSigned(row.command);
  const url = urlOf(pasted, session.target(endpointId).baseUrl);
  const [accept, type, authorization] = ['accept', 'content-type', 'authorization'].map((name) =>
    headerOf(pasted, name),
  );
  const { method, body, format, encoding } = pasted;
  const request = { method, url, headers: { accept, 'content-type': type }, body };
  const { findings, pairs, minor } = readForm(request, { row, endpointId, assume });
  const received: Received = {
    ...{ row, url, protection, endpointId, pairs },
    ...(minor === undefined ? {} : { minor }),
    ...(authorization === undefined ? {} : { authorization }),
  };
  const publicKey = publicKeyFile === undefined ? undefined : readPublicKeyFile(publicKeyFile, runtime);
  const merchant = await merchantFor(session, protection, publicKey);
  const around = await readSurroundings(runtime);
  const { found, damage } = examineWithOwnKey(merchant, (keys, maxPairs) =>
    examineSignature(received, keys, assume, { ...around, maxPairs }),
  );
  // A body alone has no headers.
  const violations = [...encoding, ...findings].filter(({ rule }) => format !== 'body' || !rule.startsWith('accept'));
  const isControl = protection.scheme === 'control';
  const { form } = await findingOf(violations, found, isControl);
  const what = isControl ? 'control' : 'signature';
  return reportComparison(
    { of: received, what, form: [...damage, ...form], diagnosis: found.diagnosis },
    session,
    report,
  );
}

/** A public key in PEM. Throws SECRET_UNREADABLE or KEY_UNUSABLE. */
function readPublicKeyFile(path: string, { files }: Runtime): KeyObject {
  const text = readOr(
    () => readSecretText(pathFrom(path, files.folders.working, files.folders.home), files),
    (why) =>
      fail('SECRET_UNREADABLE', { what: sourceOf(path), why, how: 'name a file that holds the key and nothing else' }),
  );
  return readPublicKey(text, sourceOf(path)).keyObject;
}
