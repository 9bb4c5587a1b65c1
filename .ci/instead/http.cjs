// undici takes the default size of headers from it, and asks whether a body is one of its messages, which none is here.
module.exports = { maxHeaderSize: 16_384, IncomingMessage: class {} };
