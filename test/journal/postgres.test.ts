// @module-tag postgres
import { afterAll, beforeAll } from 'vitest';
import { PostgresServer } from '../support/postgres.js';
import { describeJournal } from './behaviour.js';
import { placeOn } from './postgres-places.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});

afterAll(() => server.remove());

describeJournal('PostgreSQL', () => placeOn(server));
