import { describe, expect, test } from 'vitest';
import { gatewayName } from '../../src/wire/address.js';

describe('a gateway has one name', () => {
  test.each([
    ['http://localhost:8080', 'http://127.0.0.1:8080'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://[::1]:8080', 'http://127.0.0.1:8080'],
    ['http://127.1:8080//', 'http://127.0.0.1:8080'],
    ['http://LOCALHOST:80/pay/', 'http://127.0.0.1/pay'],
    ['https://localhost.:443', 'https://127.0.0.1'],
    ['https://Gate.Example.:443/pay/', 'https://gate.example/pay'],
    ['https://gate.example/pay', 'https://gate.example/pay'],
    ['sandbox default/abc', 'sandbox default/abc'],
  ])('%s', (address, name) => {
    expect(gatewayName(address)).toBe(name);
    expect(gatewayName(name)).toBe(name);
  });

  test.each([
    ['http://localhost', 'https://localhost'],
    ['http://localhost:8080', 'http://localhost:8081'],
    ['https://gate.example/pay', 'https://gate.example/pay/v2'],
    ['https://gate.example/Pay', 'https://gate.example/pay'],
    ['http://127.0.0.1:8080', 'http://127.0.0.2:8080'],
  ])('%s is not %s', (one, other) => {
    expect(gatewayName(one)).not.toBe(gatewayName(other));
  });
});
