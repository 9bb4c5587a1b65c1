import { assumptions } from '../../../spec/index.js';
import { type Topic, table, text } from './block.js';

export const assumptionsTopic: Topic = {
  brief: 'what the interface does not say, and what is assumed',
  blocks: () => [
    text(
      'What the interface description does not show, and what paycli does about it. No default can lose money. Help says [A07] beside a flag that rests on one, `paycli recipe OPERATION` says what is stated and what is assumed.',
    ),
    text('A profile may set a switch that has other values: `assume: { control-encoding: hex-upper }`.'),
    table(
      ['id', 'switch', 'default', 'or'],
      assumptions.map((row) => [
        row.id,
        row.switch,
        row.default,
        row.others.join(' | ').replace('<CUR=n or endpoint/CUR=n, comma separated>', '<CUR=n,…>'),
      ]),
    ),
    text('`paycli assumptions explain A07` tells more; `paycli assumptions list` shows the values in force.'),
  ],
};
