import type { Explanation } from './diagnosis.js';
import { type MistakenBaseString, sourcesChanging } from './mistake-sources.js';
import { charactersOfATry } from './pair-search.js';
import { byRank } from './ranked.js';
import { eachOnce, type SignatureSearch } from './signature-search.js';
import { orderMistake, unsortedOrders } from './sort-orders.js';
import { changedText, type TextChange, textChanges } from './text-changes.js';

// As in the search of pairs: no clock, so that the same request has the same answer.
const maxOrderTries = 16_000;
const maxTries = 26_000;
const maxTriesOfChanges = 6000;
const maxTriesOfMakings = 20_000;
const likelySources = 140;

/**
 * Two mistakes that know nothing of each other: any change of a text beside any order, beside any other parameters, and
 * beside any other change. `rare` are texts with other parameters that few programs sign.
 */
export function findProduct(
  search: SignatureSearch,
  rare: readonly MistakenBaseString[],
  effort: number,
): Explanation | undefined {
  const product: Product = { search, changes: textChanges(search.parts), effort };
  return ofOrders(product) ?? ofParameters(product, rare) ?? ofChanges(product);
}

/** Pairs joined by another text, beside any other parameters: few tries. */
export function findOfJoints(search: SignatureSearch): Explanation | undefined {
  const joints = textChanges(search.parts).filter(isOfJoints);
  return besideParameters(search, likelyParameters(search), joints, search.effort);
}

interface Product {
  readonly search: SignatureSearch;
  readonly changes: readonly TextChange[];
  /** What multiplies the tries. */
  readonly effort: number;
}

/** A key or a hash has nothing to do with the text. */
export function findOfMaking(search: SignatureSearch): Explanation | undefined {
  const { parts, makings, effort } = search;
  let left = maxTriesOfMakings * effort;
  for (const change of textChanges(parts)) {
    const text = changedText(change, parts.elements);
    for (const { mistake, bytesOf } of makings) {
      if (mistake === undefined) continue;
      if (left < 0) return undefined;
      left -= 1 + text.length / charactersOfATry;
      if (search.held(bytesOf(text)) !== undefined) return [mistake, change.mistake];
    }
  }
  return undefined;
}

/** An order is made of pieces that are changed once. */
function ofOrders({ search, changes, effort }: Product): Explanation | undefined {
  const { parts } = search;
  const backwards = { variant: 'descending', detail: 'sorted backwards', list: parts.ordered.toReversed() };
  const orders = [backwards, ...unsortedOrders(parts.items)].map(({ list, ...order }) => ({
    order,
    places: list.map((item) => parts.items.indexOf(item)),
  }));
  let left = maxOrderTries * effort;
  for (const { mistake, piece, uri, frame } of changes) {
    if (piece === undefined || frame !== undefined) continue;
    const pieces = parts.items.map(({ element }) => piece(element));
    const between = piece('%26');
    const start = `${parts.elements.method}&${uri === undefined ? parts.elements.uri : uri(parts.elements.uri)}&`;
    for (const { order, places } of orders) {
      const text = start + places.map((at) => pieces[at]).join(between);
      left -= 1 + text.length / charactersOfATry;
      if (search.held(search.sign(text)) !== undefined) return [orderMistake(order.variant, order.detail), mistake];
    }
    if (left < 0) return undefined;
  }
  return undefined;
}

/** Without other joints, which `findOfJoints` has tried. */
function ofParameters(
  { search, changes, effort }: Product,
  rare: readonly MistakenBaseString[],
): Explanation | undefined {
  const others = [
    ...likelyParameters(search).slice(0, likelySources * effort),
    ...rare.filter(({ elements }) => isOfParameters(elements)),
  ];
  const some = changes.filter((each) => !isOfJoints(each));
  return besideParameters(search, others, some, effort);
}

function besideParameters(
  search: SignatureSearch,
  list: readonly MistakenBaseString[],
  changes: readonly TextChange[],
  effort: number,
): Explanation | undefined {
  let left = maxTries * effort;
  for (const { mistake: other, elements } of list)
    for (const change of changes) {
      if (left < 0) return undefined;
      const text = changedText(change, { ...search.parts.elements, ...elements });
      left -= 1 + text.length / charactersOfATry;
      if (search.held(search.sign(text)) !== undefined) return [change.mistake, other];
    }
  return undefined;
}

/** Each kind of them in turn, likeliest first. */
function likelyParameters({ likely }: SignatureSearch): readonly MistakenBaseString[] {
  const sources = sourcesChanging('which');
  const some = likely.filter(({ source, elements }) => sources.includes(source) && isOfParameters(elements));
  return byRank(eachOnce(some), ({ mistake }) => `${mistake.name} ${mistake.variant}`);
}

function isOfJoints({ mistake }: TextChange): boolean {
  return mistake.variant.endsWith('-otherwise');
}

function isOfParameters({ method, uri, parameters }: MistakenBaseString['elements']): boolean {
  return parameters !== undefined && method === undefined && uri === undefined;
}

/** Of two changes one makes the elements and the other puts them together. */
function ofChanges({ search, changes, effort }: Product): Explanation | undefined {
  const { elements } = search.parts;
  let left = maxTriesOfChanges * effort;
  for (const one of changes.filter(({ frame }) => frame === undefined)) {
    const changed = {
      method: elements.method,
      uri: one.uri?.(elements.uri) ?? elements.uri,
      parameters: one.piece?.(elements.parameters) ?? elements.parameters,
    };
    for (const other of changes) {
      if (other.mistake.variant === one.mistake.variant) continue;
      if (left < 0) return undefined;
      const text = changedText(other, changed);
      left -= 1 + text.length / charactersOfATry;
      if (search.held(search.sign(text)) !== undefined) return [other.mistake, one.mistake];
    }
  }
  return undefined;
}
