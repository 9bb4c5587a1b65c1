export {
  headerOf,
  type PastedRequest,
  type RequestFormat,
  requestFormats,
  urlOf,
} from './pasted-request.js';
export {
  type ReadRequest,
  type RequestHints,
  readRequest,
} from './read-request.js';
export { type OperationPlace, operationAt } from './received-request.js';
