import fc from 'fast-check';

const surrogates = 0x800;
const printable = 0x20;

/**
 * Every character but half of a pair, beginning at the blank, to which it shrinks. What fast-check has for it,
 * `unit: 'binary'`, makes a table of all of them, which takes each process two seconds.
 */
const character = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((at) => (at < 0x80 ? (at + printable) % 0x80 : at))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + surrogates));

/** Texts of any characters. */
export function anyText(
  lengths: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: character });
}

/** FC_RUNS=10000 npm test: every property without a number of its own is tried that often. */
export const propertyRuns = Number(process.env['FC_RUNS'] ?? 25);

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: propertyRuns });
