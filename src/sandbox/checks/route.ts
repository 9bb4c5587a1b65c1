import { nearest } from '../../errors/nearest.js';
import { operations } from '../../spec/index.js';
import { Refusal } from '../refusal.js';
import type { Route, SandboxRequest } from '../request.js';

/** Where a sandbox serves the interface, under whatever host. */
export const prefix = '/gateway';

/** Finds the operation of an address by the path alone; the endpoint id behind it is not looked at yet. */
export function routeOf({ url, method }: SandboxRequest): Route {
  const path = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url)?.[1] ?? '';
  const cut = path.lastIndexOf('/');
  const wanted = path.slice(0, cut);
  const row = rows.get(wanted);
  if (row === undefined) throw new Refusal('unknown-path', unknownWords(path, wanted));
  if (method !== 'POST')
    throw new Refusal('method', `every operation is a POST; this was ${/^[A-Z]{1,10}$/.test(method) ? method : 'another method'}`);
  return { id: row.id, row, endpointId: path.slice(cut + 1) };
}

const rows = new Map(operations.map((row) => [prefix + row.path, row]));
const paths = [...rows.keys()];

function unknownWords(path: string, wanted: string): string {
  const whole = paths.find((known) => known === path);
  if (whole !== undefined) return `the path ends with the endpoint id, such as ${whole}/4001`;
  const known = nearest(wanted, paths) ?? nearest(prefix + wanted, paths) ?? nearest(path, paths);
  const outside = `paths begin with ${prefix}/api/ and end with the endpoint id`;
  return known === undefined
    ? `there is no operation at this path; ${outside}`
    : `there is no operation at this path; the nearest is ${known}/{endpointId}`;
}
