import { afterAll, beforeAll, describe } from 'vitest';
import { engineSuite } from './engine-suite.js';
import { localUnderTest } from './local-fixture.js';
import { PostgresServer } from './postgres.js';
import { postgresUnderTest } from './postgres-fixture.js';

engineSuite('local', localUnderTest);

describe('with a server', { tags: 'postgres' }, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
  }, 60_000);

  afterAll(() => server.remove());

  engineSuite(
    'postgres',
    postgresUnderTest(() => server),
  );
});
