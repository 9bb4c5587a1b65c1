import { type Writing, writing } from './writing.js';

const filter = (detail: string, others: RegExp, instead = '') =>
  writing('kept', detail, (text) => text.replace(others, instead));

/** Values out of which a filter took what it does not know. */
export const keptCharacters: readonly Writing[] = [
  // PHP: FILTER_SANITIZE_EMAIL, _URL, _NUMBER_INT, _NUMBER_FLOAT.
  filter('without the characters that an e-mail address cannot have', /[^A-Za-z0-9!#$%&'*+\-=?^_`{|}~@.[\]]/g),
  filter('without the characters that a URL cannot have', /[^A-Za-z0-9$\-_.+!*'(),{}|\\^~[\]`<>#%";/?:@&=]/g),
  filter('without everything but digits and signs', /[^0-9+-]/g),
  filter('without everything but digits, signs and points', /[^0-9+.-]/g),
  filter('without everything but digits', /\D/g),
  filter('without everything but letters and digits', /[^A-Za-z0-9]/g),
  filter('without everything but letters and digits', /[^\p{L}\p{N}]/gu),
  filter('without everything but letters, digits and spaces', /[^A-Za-z0-9\s]/g),
  filter('without everything but letters, digits and spaces', /[^\p{L}\p{N}\s]/gu),
  filter('without everything but letters, digits and _', /\W/g),
  filter('without everything but letters, digits, _ and spaces', /[^\w\s]/g),
  filter('without everything but letters, digits and _ . -', /[^\w.-]/g),
  filter('without everything but letters, digits, _ . - and spaces', /[^\w .-]/g),
  filter('with _ in place of everything but letters, digits and _ . -', /[^\w.-]/g, '_'),
  filter('with _ in place of everything but letters, digits and _', /\W+/g, '_'),
  filter('with - in place of everything but letters, digits and _', /\W+/g, '-'),
  filter('with a space in place of everything but letters, digits and _', /\W+/g, ' '),
  filter('without control characters', /\p{Cc}/gu),
  filter('without quotes', /["']/g),
  filter('without quotes and backslashes', /["'\\]/g),
  filter('without angle brackets', /[<>]/g),
];
