// HTTP/2 is off in paycli.
module.exports = () => {
  throw new Error('HTTP/2 is off');
};
