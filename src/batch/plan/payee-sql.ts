// Fields of a stored row that name an account; a card number is not stored.
const accountKeys = ['accountNumber', 'receiverPhone', 'walletId'];
const idKeys = ['destinationRecurringId', 'destinationCardRefId', 'cardRefId'];

/**
 * Who is paid, or whose card is charged, by a row of a plan: its account without what does not distinguish one (case,
 * blanks, punctuation, and zeros in front), or the id of a card; NULL for a card, which is not stored.
 */
export function accountSql(table?: string): string {
  const stored = (key: string) => `json_extract(${columnOf('content', table)}, '$.${key}')`;
  const comparable = (key: string) =>
    [' ', '-', '.', '/', '+', '(', ')', '\u00A0'].reduce((sql, mark) => `replace(${sql}, '${mark}', '')`, stored(key));
  const accounts = accountKeys.map((key) => `ltrim(upper(${comparable(key)}), '0')`);
  return `coalesce(${[...accounts, ...idKeys.map(stored)].join(', ')})`;
}

// An index takes no name of a table.
function columnOf(column: string, table?: string): string {
  return table === undefined ? column : `${table}.${column}`;
}

/** The same, and for a card its last four digits, as the journal compares it. */
export function payeeSql(table?: string): string {
  return `coalesce(${accountSql(table)}, ${columnOf('destination', table)})`;
}
