import { fail, isPaycliError } from '../../errors/index.js';
import { allOperations, kindOf } from '../../spec/index.js';
import { decodeForm } from '../../wire/form.js';
import { isMask } from '../../wire/mask.js';
import { headerOf, type PastedRequest } from './pasted-request.js';

const fields = allOperations.flatMap((row) => Object.values(row.fields));
// No other field is ever masked, so what looks like a mask there is a value.
const openNames: ReadonlySet<string> = new Set(
  fields.flatMap(({ wire, kind }) => (['open', 'personal'].includes(kindOf(kind).secrecy) ? [wire] : [])),
);

/**
 * A request from a log or a screen may have masks in place of card data. A checksum covers none, so it can be checked;
 * a remark says so. `field` is how messages call the request. Throws TEXT_INVALID where a signature covers it, or is
 * masked itself.
 */
export function checkMasks<R extends PastedRequest>(request: R, field: string): R {
  const authorization = headerOf(request, 'authorization');
  const names = maskedNames(request.body);
  const signature = /oauth_signature="([^"]*)"/.exec(authorization ?? '')?.[1] ?? '';
  const masked = names.includes('control') ? 'control' : 'oauth_signature';
  if (names.includes('control') || isMask(signature))
    throw fail('TEXT_INVALID', {
      field,
      why: `${masked} is masked, so there is nothing to check; use the request as it was sent`,
      name: masked,
    });
  if (names.length === 0) return request;
  if (authorization !== undefined)
    throw fail('TEXT_INVALID', {
      field,
      why: `${names.join(', ')}: masked, and the signature covers what the mask hides; use the request as it was sent`,
    });
  const remark = `${names.join(', ')}: masked in the request; the checksum does not cover any card data`;
  return { ...request, notes: [...request.notes, remark] };
}

function maskedNames(body: string): readonly string[] {
  try {
    return decodeForm(body).flatMap(([name, value]) => (isMask(value) && !openNames.has(name) ? [name] : []));
  } catch (error) {
    // A body that is no form is reported where its fields are read.
    if (isPaycliError(error)) return [];
    throw error;
  }
}
