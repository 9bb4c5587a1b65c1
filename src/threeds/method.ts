import { webAddress } from '../wire/address.js';
import { encodeJson, readJson } from './json.js';

/** What a merchant's hidden frame posts to the method URL, as threeDSMethodData. */
export interface MethodData {
  readonly tdsId: string;
  /** Where the issuer's frame tells the merchant that it is done. */
  readonly notificationUrl: string | undefined;
}

export function encodeMethodData({ tdsId, notificationUrl }: MethodData): string {
  const told = notificationUrl === undefined ? {} : { threeDSMethodNotificationURL: notificationUrl };
  return encodeJson({ threeDSServerTransID: tdsId, ...told });
}

/** What the issuer's frame posts to the notification address: the id alone. */
export function encodeMethodNotification(tdsId: string): string {
  return encodeJson({ threeDSServerTransID: tdsId });
}

export type MethodReading = ({ readonly ok: true } & MethodData) | { readonly ok: false; readonly why: string };

/** Reads threeDSMethodData. A notification address that is not http or https is no address. */
export function readMethodData(text: string): MethodReading {
  const message = readJson(text);
  if (message === undefined) return { ok: false, why: 'threeDSMethodData is not Base64 of a JSON object' };
  const { threeDSServerTransID: tdsId, threeDSMethodNotificationURL: url } = message;
  if (typeof tdsId !== 'string') return { ok: false, why: 'threeDSMethodData has no threeDSServerTransID' };
  if (url === undefined) return { ok: true, tdsId, notificationUrl: undefined };
  if (typeof url !== 'string' || webAddress(url) === undefined)
    return { ok: false, why: 'threeDSMethodNotificationURL must be an http or https address' };
  return { ok: true, tdsId, notificationUrl: url };
}
