export { type CatalogueRow, catalogue, type ErrorCode, type Topic } from './catalogue.js';
export {
  closeAfter,
  type Facts,
  fail,
  ifInterrupted,
  isOutOfFiles,
  isPaycliError,
  PaycliError,
  stopError,
  tooManyFilesOpen,
} from './error.js';
export { type Effect, type ExitName, exitCodes, exits, exitsByEffect } from './exits.js';
export {
  ifKnown,
  nearest,
  printable,
  printableJson,
  problemsText,
  reasonText,
  shellWord,
  suggest,
} from './message-text.js';
export { type ErrorPaint, nextLine, renderError, renderErrorJson, type ShownError, shownError } from './render.js';
