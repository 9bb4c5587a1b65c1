import type { SandboxRequest } from '../request.js';
import { maskedText } from './masked.js';

export function shownMethod({ method }: Pick<SandboxRequest, 'method'>): string {
  return /^[A-Z]{1,10}$/.test(method) ? method : '[other method]';
}

/** The path of an address, without a query and without long numbers. */
export function shownPath(request: Pick<SandboxRequest, 'url'>): string {
  const path = pathOf(request);
  return /^[\w/.-]{1,100}$/.test(path) ? maskedText(path) : `[${path.length} characters]`;
}

export function pathOf({ url }: Pick<SandboxRequest, 'url'>): string {
  return /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url)?.[1] ?? '';
}
