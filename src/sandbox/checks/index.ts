import { protectionOf } from '../../wire/check.js';
import { merchantOf } from '../merchants.js';
import { Refusal } from '../refusal.js';
import type { Checked, Route, SandboxRequest, Terms } from '../request.js';
import type { Store } from '../store.js';
import { decodeBody, envelopeFindings, mostBodyBytes, nameFindings, tooLarge } from './body.js';
import { endpointFinding, merchantFindings, readFields, valuesOf } from './fields.js';

export { routeOf } from './route.js';
export { checkSignature } from './signature.js';

/** Reads a request by its row. Throws one Refusal with everything that is wrong with its form. */
export function readRequest(store: Store, request: SandboxRequest, route: Route, terms: Terms): Checked {
  if (request.body.length > mostBodyBytes) throw tooLarge();
  const protection = protectionOf(route.row, terms.assume);
  const { pairs, finding } = decodeBody(request.body);
  const findings = envelopeFindings(request, protection);
  const malformedEndpoint = endpointFinding(route);
  const merchant = malformedEndpoint === undefined ? merchantOf(store, route.endpointId) : undefined;
  if (malformedEndpoint !== undefined) findings.push(malformedEndpoint);
  else if (merchant === undefined)
    findings.push(`end point with id ${route.endpointId} not found; \`paycli sandbox status\` lists those there are`);
  else findings.push(...merchantFindings(pairs, route, merchant));
  if (finding !== undefined) findings.push(finding);
  else findings.push(...nameFindings(pairs, route, protection, terms.assume));
  const reading = readFields(valuesOf(pairs, route, terms), route, terms, store.clock.now());
  if (finding === undefined) findings.push(...reading.findings);
  if (merchant === undefined || findings.length > 0) throw new Refusal('invalid', findings.join('; '));
  return { route, terms, merchant, protection, pairs, values: reading.values, amount: reading.amount, digits: reading.digits };
}
