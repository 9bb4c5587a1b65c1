import { inspect } from '../../threeds/index.js';
import type { Fields } from '../present/meaning.js';

/** The ids of the open 3-D Secure step of an order, as its status reply names them. */
export function stepIds(fields: Fields): { readonly tdsId?: string | undefined; readonly acsId?: string | undefined } {
  const creq = fields.get('tds-creq-form-creq');
  if (creq === undefined) return { tdsId: fields.get('tds-method-url-frame-3ds-server-trans-id') };
  const { fields: inside } = inspect(creq);
  return { tdsId: inside['threeDSServerTransID'], acsId: inside['acsTransID'] };
}
