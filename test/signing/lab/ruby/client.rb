# A client in Ruby: signs each request under each fault of a table, and under pairs of them. Reads and writes JSON.
require 'base64'
require 'cgi'
require 'digest'
require 'erb'
require 'json'
require 'openssl'
require 'uri'

module Client
  module_function

  def strict(text)
    text.b.gsub(/[^A-Za-z0-9\-._~]/n) { |byte| format('%%%02X', byte.ord) }.force_encoding('US-ASCII')
  end

  def base_string(request, steps)
    pairs = request['oauth'] + request['query'] + request['body']
    pairs = steps[:pairs].call(pairs, request) if steps[:pairs]
    encode = steps[:encode] || method(:strict)
    name = steps[:encode_name] || encode
    encoded = pairs.map { |n, v| [name.call(n), encode.call(v), n, v] }
    ordered = (steps[:order] || ->(list) { list.sort_by { |p| p[0, 2].map(&:b) } }).call(encoded)
    parameters = (steps[:join] || ->(list) { list.map { |p| "#{p[0]}=#{p[1]}" }.join('&') }).call(ordered)
    verb = (steps[:method] || :itself.to_proc).call(request['method'])
    uri = (steps[:uri] || ->(r) { r['uri'] }).call(request)
    return steps[:whole].call(verb, uri, parameters) if steps[:whole]

    text = [verb, uri, parameters].map { |part| (steps[:outer] || method(:strict)).call(part) }.join('&')
    (steps[:text] || :itself.to_proc).call(text)
  end

  def sign(request, steps)
    key = (steps[:key] || ->(secret) { "#{strict(secret)}&" }).call(request['secret'])
    digest = (steps[:mac] || ->(k, t) { OpenSSL::HMAC.digest('SHA1', k, t) }).call(key, base_string(request, steps))
    (steps[:write] || Base64.method(:strict_encode64)).call(digest)
  end

  def checksum(request, steps)
    values = request['values'].map(&:dup)
    values = steps[:values].call(values, request) if steps[:values]
    key = (steps[:key] || :itself.to_proc).call(request['key'])
    whole = (steps[:concat] || ->(list, k) { list.join + k }).call(values.map(&:last), key)
    data = (steps[:bytes] || :itself.to_proc).call(whole)
    digest = (steps[:hash] || ->(d) { Digest::SHA1.digest(d) }).call(data)
    (steps[:write] || ->(d) { d.unpack1('H*') }).call(digest)
  end

  def made(requests, table, make, base = nil)
    requests.each_with_index.flat_map do |request, at|
      right = make.call(request, {})
      alone = table.map { |row| make.call(request, row[3]) }
      singles = table.each_index.select { |i| alone[i] != right }
      one = lambda do |rows, value|
        steps = rows.map { |row| row[3] }.reduce(:merge)
        out = { request: at, channels: rows.map { |row| row[0] }, expected: rows.map { |row| row[1] },
                what: rows.map { |row| row[2] }, value: value }
        is_base = base && (steps.keys & %i[key mac write]).empty?
        is_base ? out.merge(base: base.call(request, steps)) : out
      end
      pairs = singles.combination(2).filter_map do |i, j|
        rows = [table[i], table[j]]
        next if rows[0][0] == rows[1][0] || (rows[0][3].keys & rows[1][3].keys).any?

        both = make.call(request, rows[0][3].merge(rows[1][3]))
        one.call(rows, both) unless [right, alone[i], alone[j]].include?(both)
      end
      singles.map { |i| one.call([table[i]], alone[i]) } + pairs
    end
  end

  def run(oauth, control)
    given = JSON.parse($stdin.read)
    puts JSON.generate(
      oauth: made(given['oauth'], oauth, method(:sign), method(:base_string)),
      control: made(given['control'], control, method(:checksum))
    )
  end
end
