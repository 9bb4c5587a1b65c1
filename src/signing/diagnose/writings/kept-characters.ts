import { type Writing, writing } from './writing.js';

const filter = (detail: string, others: RegExp, instead = '') =>
  writing('kept', detail, (text) => text.replace(others, instead));

/** Values out of which a filter took what it does not know. */
export const keptCharacters: readonly Writing[] = [
  // PHP: FILTER_SANITIZE_EMAIL, _URL, _NUMBER_INT, _NUMBER_FLOAT.
  filter('with the characters of an e-mail address only', /[^A-Za-z0-9!#$%&'*+\-=?^_`{|}~@.[\]]/g),
  filter('with the characters of an address only', /[^A-Za-z0-9$\-_.+!*'(),{}|\\^~[\]`<>#%";/?:@&=]/g),
  filter('with digits and signs only', /[^0-9+-]/g),
  filter('with digits, signs and points only', /[^0-9+.-]/g),
  filter('with digits only', /\D/g),
  filter('with letters and digits only', /[^A-Za-z0-9]/g),
  filter('with letters and digits only', /[^\p{L}\p{N}]/gu),
  filter('with letters, digits and blanks only', /[^A-Za-z0-9\s]/g),
  filter('with letters, digits and blanks only', /[^\p{L}\p{N}\s]/gu),
  filter('with the characters of a word only', /\W/g),
  filter('with the characters of a word and blanks only', /[^\w\s]/g),
  filter('with the characters of a file name only', /[^\w.-]/g),
  filter('with the characters of a file name and blanks only', /[^\w .-]/g),
  filter('with the characters of a file name only', /[^\w.-]/g, '_'),
  filter('with the characters of a word only', /\W+/g, '_'),
  filter('with the characters of a word only', /\W+/g, '-'),
  filter('with the characters of a word only', /\W+/g, ' '),
  filter('without control characters', /\p{Cc}/gu),
  filter('without quotes', /["']/g),
  filter('without quotes and backslashes', /["'\\]/g),
  filter('without angle brackets', /[<>]/g),
];
