import type { ControlEncoding } from '../../../../signing/index.js';
import { paragraphs } from '../../sign/code/plan.js';
import { controlKey } from '../../sign/code/ruby.js';
import { duties, inside, introduction } from './introduction.js';

const digests: Readonly<Record<ControlEncoding, readonly [given: string, method: string]>> = {
  'hex-lower': ['control.downcase', 'hexdigest'],
  'hex-upper': ['control.downcase', 'hexdigest'],
  base64: ['control', 'base64digest'],
};

/** A Ruby handler on WEBrick; what verifies fits any Rack application. */
export function rubyHandler(encoding: ControlEncoding, run: string): string {
  const [given, digest] = digests[encoding];
  return paragraphs([
    ['# frozen_string_literal: true', '', ...introduction('#', 'Ruby 3.0 or later and the gem webrick', run)],
    ['digest', 'openssl', 'uri', 'webrick'].map((name) => `require '${name}'`),
    controlKey,
    `# Status and both ids of a callback; nil when it is not signed by this key.
def verify_callback(query, key)
  fields = URI.decode_www_form(query).group_by(&:first)
  values = %w[status orderid client_orderid control].map { |name| fields.fetch(name, []).map(&:last) }
  # A field that is missing, empty or sent twice proves nothing.
  return nil unless values.all? { |each| each.length == 1 && !each.first.empty? }

  *texts, control = values.map(&:first)
  expected = Digest::SHA1.${digest}(texts.join + key)
  OpenSSL.secure_compare(expected, ${given}) ? texts : nil
rescue ArgumentError
  nil
end`,
    `def handle(status, order_id, client_order_id)
${inside('  ', duties('#'))}
  puts "verified: #{status}, order #{order_id} (#{client_order_id})"
end`,
    `$stdout.sync = true
port = Integer(ENV.fetch('PORT', '8080'))
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: port, AccessLog: [])
server.mount_proc '/' do |request, response|
  query = request.request_method == 'POST' ? request.body : request.query_string
  callback = verify_callback(query.to_s, key)
  handle(*callback) if callback
  response.status = callback ? 200 : 403
  response.body = callback ? "OK\\n" : "refused\\n"
end
%w[INT TERM].each { |signal| trap(signal) { server.shutdown } }
server.start`,
  ]);
}
