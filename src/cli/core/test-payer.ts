import type { Operation } from '../../spec/operation.js';

/** A payer who does not exist, at addresses reserved for documentation. */
export const testPayer: Readonly<Record<string, string>> = {
  orderDesc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zipCode: '10115',
  country: 'DE',
  ipAddress: '192.0.2.10',
  redirectUrl: 'https://shop.example/return',
  firstName: 'Pat',
  lastName: 'Payer',
};

/** True for operations with payer fields, which take --test-payer. */
export function hasPayer(row: Operation): boolean {
  return ['email', 'address1', 'country'].every((key) => key in row.fields);
}
