// Results in words: a table for the terminal.

export function machineLine({ date, machine: { processor, cores, load, node, variables = '' }, quick }) {
  const little = quick ? '; a quick run, of little worth' : '';
  // Some of them lengthen every start of Node, and so make ratios smaller.
  const under = variables === '' ? '' : ` with ${variables}`;
  return `${processor}, ${cores} cores, load ${load.toFixed(1)}, Node ${node}${under}, ${date.slice(0, 10)}${little}`;
}

export function textTable({ title, method, rows }) {
  const cells = rows.map((row) => [
    row.what,
    figureOf(row),
    row.beside ?? '',
    besideOf(row),
    ratioOf(row),
    goalOf(row),
    verdictOf(row),
  ]);
  const isNumber = [false, true, false, true, true, false, false];
  const head = ['', 'median', 'beside', 'median', 'ratio', 'goal', ''];
  const used = [...head.keys()].filter((column) => cells.some((line) => line[column] !== ''));
  const padded = used.map((column) => {
    const all = [head, ...cells].map((line) => line[column]);
    const width = Math.max(...all.map((cell) => cell.length));
    return all.map((cell) => (isNumber[column] ? cell.padStart(width) : cell.padEnd(width)));
  });
  const lines = padded[0].map((_, line) => `  ${padded.map((column) => column[line]).join('  ')}`.trimEnd());
  return `${title}: ${method}\n${lines.join('\n')}`;
}

function figureOf({ figure, unit }) {
  return withUnit(figure, unit);
}

function besideOf({ besideFigure, unit }) {
  return besideFigure === undefined ? '' : withUnit(besideFigure, unit);
}

function ratioOf({ ratio }) {
  return ratio === undefined ? '' : ratio.toFixed(2);
}

function goalOf({ goal, ratio, unit }) {
  if (goal === null) return '';
  const [sign, limit] = goal.atMost === undefined ? ['≥', goal.atLeast] : ['≤', goal.atMost];
  return `${sign} ${ratio === undefined ? withUnit(limit, unit) : limit}`;
}

function verdictOf({ met }) {
  return met === null ? '' : met ? 'met' : 'missed';
}

/** Three digits that count, and no blank before what is counted by the second. */
function withUnit(value, unit) {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit === '' || unit.startsWith('/') ? text + unit : `${text} ${unit}`;
}
