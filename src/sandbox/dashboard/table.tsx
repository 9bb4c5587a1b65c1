import type { Child } from 'hono/jsx';

// On a phone the rows are shown as cards, and then browsers forget that it is a table unless it says so.
const roles = {
  table: { role: 'table' },
  group: { role: 'rowgroup' },
  row: { role: 'row' },
  column: { role: 'columnheader' },
  name: { role: 'rowheader' },
  cell: { role: 'cell' },
} as const;

interface TableProps {
  readonly caption: string;
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly string[];
  readonly children?: Child;
}

/** The column called Amount is the one of numbers. */
export function Table({ caption, isCaptionHidden, columns, children }: TableProps) {
  return (
    <table class="cards" {...roles.table}>
      <caption class={isCaptionHidden === true ? 'hidden' : undefined}>{caption}</caption>
      <thead {...roles.group}>
        <tr {...roles.row}>
          {columns.map((name) => (
            <th scope="col" class={name === 'Amount' ? 'amount' : undefined} {...roles.column}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...roles.group}>{children}</tbody>
    </table>
  );
}

export function Row({ children }: { readonly children?: Child }) {
  return <tr {...roles.row}>{children}</tr>;
}

interface CellProps {
  /** The name of its column, for a phone. */
  readonly label: string;
  readonly children?: Child;
}

/** The cell that names its row. */
export function NameCell({ label, children }: CellProps) {
  return (
    <th scope="row" data-label={label} {...roles.name}>
      {children}
    </th>
  );
}

export function Cell({ label, children }: CellProps) {
  return (
    <td data-label={label} class={label === 'Amount' ? 'amount' : undefined} {...roles.cell}>
      {children}
    </td>
  );
}
