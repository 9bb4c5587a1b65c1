export { type CatalogueRow, catalogue, type ErrorCode, exitCodes, type Topic } from './catalogue.js';
export { thenClose } from './closing.js';
export { type Facts, fail, isPaycliError, PaycliError } from './error.js';
export { nearest, suggest } from './nearest.js';
export { printable, printableJson } from './printable.js';
export { problemsText } from './problems.js';
export { type ErrorPaint, renderError, renderErrorJson, type ShownError } from './render.js';
export { shellWord } from './shell-word.js';
