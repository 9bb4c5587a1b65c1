/** As languages and libraries print the method of a request. */
export function printedMethods(method: string): string[] {
  const [lower, title] = [method.toLowerCase(), method.slice(0, 1) + method.slice(1).toLowerCase()];
  return [
    ...[
      `Method: ${method}`,
      `Method: ${title}`,
      `HttpMethod.${method}`,
      `HttpMethod.${title}`,
      `Method.${method}`,
      `Method.${title}`,
    ],
    ...[
      `Net::HTTP::${title}`,
      `Http${title}`,
      `http.Method${title}`,
      `RequestMethod.${method}`,
      `HTTP ${method}`,
      `HTTP::${method}`,
    ],
    ...[
      `"${method}"`,
      `'${method}'`,
      `:${lower}`,
      `:${method}`,
      `${method} `,
      ` ${method}`,
      `${method}\n`,
      `[${method}]`,
      `b'${method}'`,
    ],
    ...[
      `HttpMethod {${method}}`,
      `Optional[${method}]`,
      'null',
      'undefined',
      'None',
      'nil',
      '<nil>',
      'System.Net.Http.HttpMethod',
    ],
    ...['0', '1', '2', 'HTTP', 'https', 'CONNECT', 'TRACE', 'ANY', '[object Object]', 'HTTP/1.1', `${method} HTTP/1.1`],
  ];
}
