import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineClients } from '#infra/local/clients.ts'
import { createStream, createTable } from '#infra/local/create-resources.ts'
import { startEngines } from '#infra/local/engines/start-engines.ts'
import { engineEnvironment } from '#infra/local/environment.ts'

/** One engine of each kind for the whole run: accounts keep the tests apart. The workers inherit the variables. */
export default async function startTestEngines(): Promise<() => Promise<void>> {
  const engines = await startEngines(mkdtempSync(join(tmpdir(), 'test-engines-')), { removeAtExit: true })
  const clients = engineClients(engines)
  Object.assign(process.env, engineEnvironment(engines), {
    TABLE_NAME: 'test-table',
    FLOW_STREAM_NAME: 'test-flows',
    SERVICE_URL: 'http://127.0.0.1',
    SERVICE_SECRET: randomBytes(32).toString('base64url'),
  })
  await Promise.all([
    createTable(clients, {
      TableName: 'test-table',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      ttlAttribute: 'ttl',
    }),
    createStream(clients, { name: 'test-flows', shards: 1 }),
  ])
  return async () => {
    clients.destroy()
    await engines.stop()
  }
}
