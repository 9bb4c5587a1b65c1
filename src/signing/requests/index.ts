export { formType, headerOf, type PastedRequest, urlOf } from './pasted-request.js';
export {
  formatOf,
  type ReadRequest,
  type RequestFormat,
  type RequestHints,
  readRequest,
  requestFormats,
} from './read-request.js';
export { type OperationPlace, operationAt, type ReceivedRequest, receivedRequestFrom } from './received-request.js';
