export { type CatalogueRow, catalogue, type ErrorCode, exitCodes } from './catalogue.js';
export { type Facts, fail, isPaycliError, PaycliError } from './error.js';
export { nearest } from './nearest.js';
export { printable, printableJson } from './printable.js';
export { type ErrorPaint, renderError, renderErrorJson, type ShownError } from './render.js';
