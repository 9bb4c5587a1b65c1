/** The parts of values in results that are objects themselves. */

const money = 'minor digits currency text';
const orderIds = 'orderId clientOrderId';
const entryParts = { order: orderIds, amount: money, card: 'lastFour' };

/** The parts of nested values, by kind of document and field. */
const partsIn: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  reply: { order: orderIds, amount: money },
  journal: entryParts,
  resolve: entryParts,
  'callback-list': { order: orderIds },
  order: { card: 'brand lastFour' },
  sign: { request: 'method url headers fields bodyBytes', amount: 'body minor' },
  'support-bundle': { order: orderIds },
};

/** The parts of a field such as `amount`, in their order; none where its value is not divided. */
export function partsOf(schema: string, field: string): readonly string[] {
  return partsIn[schema]?.[field]?.split(' ') ?? [];
}
