import { freshNow } from '../../gateway/exchange.js';
import type { Runtime } from '../../runtime/ports.js';
import { requestSigning, type SignedRequest, type Stages, type Unsigned } from '../../signing/index.js';
import type { Pair } from '../../wire/form.js';
import { shownPairs } from '../../wire/redact.js';
import { presentRequest, presentValues, type ShownValue } from '../present/request.js';
import { presentStages } from '../present/stages.js';
import type { Reporter } from '../reporter.js';
import type { Resolved } from '../resolve.js';
import type { Session } from '../session.js';

export interface SignatureJob {
  readonly unsigned: Unsigned;
  readonly resolved: Resolved;
  readonly session: Session;
  /** `send` is a --dry-run: it shows the request as well. */
  readonly mode: 'send' | 'sign';
  readonly explain: boolean;
}

/**
 * Signs without sending and shows how. Outside the sandbox card fields are masked in every stage; digest and signature are
 * those of the true values, and the text says so.
 */
export async function showSignature(job: SignatureJob, report: Reporter, runtime: Runtime): Promise<number> {
  const { unsigned, session, resolved, mode, explain } = job;
  const credentials = await session.credentials(unsigned.protection);
  // The masked twin is signed with the same nonce and time, so that what is shown is what was signed but for the masks.
  const fresh = freshNow(runtime);
  const sign = (request: Unsigned) => requestSigning.sign(request, credentials, session.assume, fresh);
  const signed = sign(unsigned);
  const open = session.class === 'sandbox';
  const hidden: Unsigned = open ? unsigned : { ...unsigned, pairs: masked(unsigned) };
  const masking = hidden.pairs.some(([, value], at) => value !== unsigned.pairs[at]?.[1]);
  const shadow = masking ? sign(hidden) : signed;
  const stages = withTrueResult(shadow.stages, signed.stages);
  const shown: SignedRequest = {
    ...signed,
    pairs: shadow.pairs.map(([name, value]): Pair => [name, name === 'control' ? controlOf(signed) : value]),
    body: '',
    stages,
  };
  const values = valuesOf(job, open);
  if (report.json) {
    report.document({
      schema: 'paycli.sign/1',
      operation: unsigned.row.id,
      profile: session.name,
      masked: masking,
      request: { method: 'POST', url: signed.url, headers: signed.headers, fields: shown.pairs, bodyBytes: Buffer.byteLength(signed.body) },
      values,
      amount: unsigned.minor === undefined ? null : { body: unsigned.values['amount'], minor: unsigned.minor },
      signature: stages,
    });
    return 0;
  }
  const parts: string[] = [];
  if (mode === 'send') parts.push(presentRequest(shown, Buffer.byteLength(signed.body), report.paint));
  if (explain) parts.push(presentValues(values, unsigned, report.paint));
  parts.push(presentStages(stages, explain || mode === 'send', report.paint));
  if (masking) parts.push('Card fields are masked here; signature and digest are over the true values.\n');
  report.out(parts.join('\n'));
  if (mode === 'send') report.notes(['dry run: nothing was sent']);
  if (resolved.origins['clientOrderId'] === 'generated' && mode === 'sign')
    report.notes(['the client order id above is made up anew each time; give --client-order-id to compare']);
  return 0;
}

function masked(unsigned: Unsigned): Pair[] {
  return shownPairs(unsigned.row, unsigned.pairs).map(([name, value], at): Pair => {
    const changed = value !== unsigned.pairs[at]?.[1];
    return [name, changed ? value.replaceAll('•', '*').replaceAll(' ', '') : value];
  });
}

function controlOf(signed: SignedRequest): string {
  return signed.pairs.find(([name]) => name === 'control')?.[1] ?? '';
}

/** The stages of the masked request with the result of the true one. */
function withTrueResult(stages: Stages, real: Stages): Stages {
  if (stages.scheme === 'none' || real.scheme === 'none') return stages;
  if (stages.scheme === 'control') return real.scheme === 'control' ? { ...stages, digest: real.digest } : stages;
  return real.scheme === 'control' ? stages : { ...stages, signature: real.signature, header: real.header };
}

function valuesOf({ unsigned, resolved, session }: SignatureJob, open: boolean): readonly ShownValue[] {
  const pairs = open ? unsigned.pairs : masked(unsigned);
  const keyByWire = new Map(Object.entries(unsigned.row.fields).map(([key, field]) => [field.wire, key]));
  const rows = pairs.map(([wire, value]): ShownValue => {
    const key = keyByWire.get(wire) ?? '';
    return { field: key, wire, value, origin: key === 'login' ? `profile ${session.name}` : (resolved.origins[key] ?? 'flag --field') };
  });
  return [{ field: 'endpointId', wire: '(path)', value: unsigned.endpointId, origin: `profile ${session.name}` }, ...rows];
}
