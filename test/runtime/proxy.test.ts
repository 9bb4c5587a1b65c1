import { expect, test } from 'vitest';
import { proxyFor } from '../../src/runtime/connector.js';

const proxy = 'http://proxy.example:3128';

test.each([
  ['https://gateway.example/', {}, undefined],
  ['https://gateway.example/', { HTTPS_PROXY: '' }, undefined],
  ['https://gateway.example/', { HTTPS_PROXY: proxy }, `${proxy}/`],
  ['https://gateway.example/', { HTTPS_PROXY: 'http://second.example', https_proxy: proxy }, `${proxy}/`],
  ['https://gateway.example/', { HTTPS_PROXY: 'proxy.example:3128' }, `${proxy}/`],
  ['https://gateway.example/', { HTTP_PROXY: proxy, ALL_PROXY: proxy }, undefined],
  ['http://gateway.example/', { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }, undefined],
  ['https://localhost/', { HTTPS_PROXY: proxy }, undefined],
  ['https://a.localhost:8443/', { HTTPS_PROXY: proxy }, undefined],
  ['https://127.0.0.2:8443/', { HTTPS_PROXY: proxy }, undefined],
  ['https://[::1]:8443/', { HTTPS_PROXY: proxy }, undefined],
  ['https://127.example.com/', { HTTPS_PROXY: proxy }, `${proxy}/`],
  ['https://gateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: '*' }, undefined],
  ['https://gateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: 'other.example, Gateway.Example' }, undefined],
  ['https://pay.gateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: '.gateway.example' }, undefined],
  ['https://pay.gateway.example/', { HTTPS_PROXY: proxy, no_proxy: '*.gateway.example' }, undefined],
  ['https://mygateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: 'gateway.example' }, `${proxy}/`],
  ['https://gateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: 'gateway.example:443' }, undefined],
  ['https://gateway.example/', { HTTPS_PROXY: proxy, NO_PROXY: 'gateway.example:8443' }, `${proxy}/`],
])('%s with %j goes by %s', (target, env, expected) => {
  expect(proxyFor(new URL(target), env)?.href).toBe(expected);
});
