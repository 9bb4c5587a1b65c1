// Takes forms and streams of fetch apart; the bodies of requests are text here.
exports.extractBody = () => {
  throw new Error('a body is text');
};
