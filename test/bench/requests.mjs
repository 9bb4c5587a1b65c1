// One sale and one status question: as flags of paycli, and as a signed body for those who post it by themselves.
import { createHash } from 'node:crypto';

const customer = {
  order_desc: 'Order',
  email: 'jane@example.com',
  phone: '+4930123456',
  address1: 'Street 1',
  city: 'Berlin',
  zip_code: '10115',
  country: 'DE',
  ipaddress: '192.0.2.1',
  redirect_url: 'https://shop.example/r',
};
const card = {
  credit_card_number: '4444333322221111',
  card_printed_name: 'JANE DOE',
  expire_month: '12',
  expire_year: '2035',
  cvv2: '123',
};
const rest = new URLSearchParams({ ...card, ...customer }).toString().replaceAll('+', '%20');

/** Only the customer: with `--test-card` these are all the flags a sale needs outside the sandbox in the process. */
export const saleFlags = [
  ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'],
  ...Object.entries(customer).map(([name, value]) => [`--${name}`, value]),
].flat();

/** Each id must be new, or the sale would be refused as a repetition. */
export function saleBody({ endpointId, key }, id) {
  const control = sha1(`${endpointId}${id}1042${customer.email}${key}`);
  return `client_orderid=${id}&amount=10.42&currency=USD&${rest}&control=${control}`;
}

export function statusBody({ login, key }, id) {
  return `login=${login}&client_orderid=${id}&control=${sha1(`${login}${id}${key}`)}`;
}

function sha1(text) {
  return createHash('sha1').update(text).digest('hex');
}
