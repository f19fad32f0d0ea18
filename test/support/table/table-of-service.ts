import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { databaseFile } from '#infra/local/engines/dynoxide.ts'
import { awsClients } from '#shared/core/aws/clients.ts'
import { table } from '#shared/table/table.ts'
import type { Service } from '../service/service.ts'

/** Runs `work` on the table and the archive of a service that was started, instead of those of the test run. */
export async function inTableOf<T>({ dataDir }: Pick<Service, 'dataDir'>, work: () => Promise<T>): Promise<T> {
  const { endpoint } = JSON.parse(readFileSync(join(dataDir, 'dynamodb.pid'), 'utf8'))
  const changed: Record<string, string> = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    DYNAMODB_FILE: databaseFile(dataDir),
    ARCHIVE_FOLDER: join(dataDir, 'archive'),
  }
  const saved = ['TABLE_NAME', ...Object.keys(changed)].map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, changed)
  awsClients.clear()
  try {
    const { TableNames = [] } = await table().send(new ListTablesCommand({}))
    Object.assign(process.env, { TABLE_NAME: TableNames[0] })
    return await work()
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    awsClients.clear()
  }
}
