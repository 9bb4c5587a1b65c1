import { encodeForm, percentEncode } from '../../wire/form.js';
import { type Mistake, permutations } from './diagnosis.js';
import type { BaseStringMistake, Elements, OauthParts } from './oauth-parts.js';

/** Parameters joined otherwise than by = and & (3.4.1.3.2), and elements otherwise than by & (3.4.1.1) or not all. */
export function* joiningMistakes(parts: OauthParts): Generator<BaseStringMistake> {
  yield* joinedParameters(parts);
  yield* joinedElements(parts);
}

/** Between the parameters, and between name and value. */
export const joiningMarks: readonly (readonly [between: string, within: string])[] = [
  ...[';', ',', ', ', '&amp;', '\n', '\r\n', ' ', '|', '', '%26', '&&', '+'].map((between) => [between, '='] as const),
  ...['', ':', ': ', '==', ' '].flatMap((within) => ['&', ''].map((between) => [between, within] as const)),
];

function* joinedParameters({ sorted }: OauthParts): Generator<BaseStringMistake> {
  for (const [between, within] of joiningMarks)
    yield {
      name: 'encoded-twice-or-once',
      variant: 'joined-otherwise',
      detail: `parameters joined with ${markWords(between)}, name and value with ${markWords(within)}; they must be joined with & and =`,
      elements: { parameters: percentEncode(sorted.map((pair) => pair.join(within)).join(between)) },
    };
  for (const [variant, end] of [
    ['joined-otherwise', '&'],
    ['joined-otherwise', '='],
    ['joined-otherwise', '\n'],
  ] as const)
    yield {
      name: 'encoded-twice-or-once',
      variant,
      detail: `${end === '\n' ? 'a line feed' : `a ${end}`} signed after the last parameter`,
      elements: { parameters: percentEncode(sorted.map((pair) => pair.join('=')).join('&') + end) },
    };
}

export function markWords(mark: string): string {
  return mark === '' ? 'nothing' : JSON.stringify(mark);
}

/** A mistake in how the three elements are put together. */
export function elementsOtherwise(detail: string): Mistake<'encoded-twice-or-once'> {
  return {
    name: 'encoded-twice-or-once',
    variant: 'elements-otherwise',
    detail: `${detail}; it must be the method, the address and the parameters, encoded and joined with &`,
  };
}

/** The parameters behind the address as they stand in a link. */
export const asLinks = ['?', '%3F'].map((mark) => ({
  detail: 'the parameters joined to the address with ?, as in a link',
  text: ({ method, uri, parameters }: Elements) => `${method}&${uri}${mark}${parameters}`,
}));

const separators = ['', ' ', '\n', '\r\n', '|', ',', '%26', '&&', '?', '%3F'];

function* joinedElements({ elements, uri, parameters, text, items }: OauthParts): Generator<BaseStringMistake> {
  const wrong = (detail: string, changed: string): BaseStringMistake => ({
    ...elementsOtherwise(detail),
    elements: {},
    text: changed,
  });
  const encoded = { method: elements.method, address: elements.uri, parameters: elements.parameters };
  const plain = { method: elements.method, address: uri, parameters };
  const all = ['method', 'address', 'parameters'] as const;
  for (const separator of separators)
    for (const each of [encoded, plain])
      yield wrong(`the elements joined with ${markWords(separator)}`, all.map((name) => each[name]).join(separator));
  const [, ...orders] = permutations(all);
  const fewer = [['address', 'parameters'], ['method', 'parameters'], ['method', 'address'], ['parameters']] as const;
  for (const names of [...orders, ...fewer])
    for (const each of [encoded, plain])
      yield wrong(
        `the base string made only of ${names.join(', ')}, in this order`,
        names.map((name) => each[name]).join('&'),
      );
  for (const { detail, text: link } of asLinks) yield wrong(detail, link(elements));
  yield wrong('no parameters signed', `${elements.method}&${elements.uri}&`);
  const body = items.filter(({ from }) => from === 'body').map(({ plain }) => plain);
  const form = new URLSearchParams(body.map(([name, value]): [string, string] => [name, value])).toString();
  for (const only of new Set([encodeForm(body), form, decodedForm(encodeForm(body))]))
    if (body.length > 0) yield wrong('only the text of the body signed', only);
  yield wrong('only the parameters signed, decoded', decodedForm(parameters));
  yield wrong('the base string in quotes', JSON.stringify(text));
}

function decodedForm(parameters: string): string {
  return decodeURIComponent(parameters.replaceAll('+', ' '));
}
