import { type Writing, writing } from './writing.js';

const filter = (detail: string, others: RegExp, instead = '') =>
  writing('kept', detail, (text) => text.replace(others, instead));

/** Values out of which a filter took what it does not know. */
export const keptCharacters: readonly Writing[] = [
  // PHP: FILTER_SANITIZE_EMAIL, _URL, _NUMBER_INT, _NUMBER_FLOAT.
  filter('without the characters that an e-mail address cannot have', /[^A-Za-z0-9!#$%&'*+\-=?^_`{|}~@.[\]]/g),
  filter('without the characters that a URL cannot have', /[^A-Za-z0-9$\-_.+!*'(),{}|\\^~[\]`<>#%";/?:@&=]/g),
  filter('with everything but digits and signs removed', /[^0-9+-]/g),
  filter('with everything but digits, signs and dots removed', /[^0-9+.-]/g),
  filter('with everything but digits removed', /\D/g),
  filter('with everything but letters and digits removed', /[^A-Za-z0-9]/g),
  filter('with everything but letters and digits removed', /[^\p{L}\p{N}]/gu),
  filter('with everything but letters, digits and spaces removed', /[^A-Za-z0-9\s]/g),
  filter('with everything but letters, digits and spaces removed', /[^\p{L}\p{N}\s]/gu),
  filter('with everything but letters, digits and _ removed', /\W/g),
  filter('with everything but letters, digits, _ and spaces removed', /[^\w\s]/g),
  filter('with everything but letters, digits and _ . - removed', /[^\w.-]/g),
  filter('with everything but letters, digits, _ . - and spaces removed', /[^\w .-]/g),
  filter('with _ in place of everything but letters, digits and _ . -', /[^\w.-]/g, '_'),
  filter('with _ in place of everything but letters, digits and _', /\W+/g, '_'),
  filter('with - in place of everything but letters, digits and _', /\W+/g, '-'),
  filter('with a space in place of everything but letters, digits and _', /\W+/g, ' '),
  filter('without control characters', /\p{Cc}/gu),
  filter('without quotes', /["']/g),
  filter('without quotes and backslashes', /["'\\]/g),
  filter('without angle brackets', /[<>]/g),
];
