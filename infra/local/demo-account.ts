import { join } from 'node:path'
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { readJson, writeAtomically } from './data-dir.ts'
import { Fault } from './fault.ts'
import type { Service } from './service.ts'

export type Credentials = { base_url: string; account_id: string; api_token: string }

const slug = 'demo'

export const credentialsFile = (dir: string): string => join(dir, 'credentials.json')

type Provisioned = {
  data?: { account?: { id: string }; api_token: { token: string } }
  error?: { code: string; errors?: unknown }
}

async function findDemoAccount({ clients, deployment }: Service): Promise<string | undefined> {
  let start: Record<string, never> | undefined
  do {
    const page = await clients.dynamodb.send(
      new ScanCommand({
        TableName: deployment.table.TableName,
        ConsistentRead: true,
        FilterExpression: 'slug = :slug',
        ExpressionAttributeValues: { ':slug': { S: slug } },
        ...(start ? { ExclusiveStartKey: start } : {}),
      }),
    )
    const id = page.Items?.find((item) => item.id?.S)?.id?.S
    if (id) return id
    start = page.LastEvaluatedKey as Record<string, never> | undefined
  } while (start)
}

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** A new token for the demo account that is there already. */
async function renew(service: Service): Promise<{ accountId: string; token: string }> {
  const accountId = await findDemoAccount(service)
  if (!accountId) throw new Fault(`The slug "${slug}" is taken, but no account has it. Use another data directory.`)
  const event = {
    operation: 'create_api_token',
    account_id: accountId,
    api_token: { name: 'Demo', expires_at: inDays(90) },
  }
  const { data, error } = (await service.runTask('provision-account', event)) as Provisioned
  if (!data) throw new Fault(`The demo account could not be given a token: ${JSON.stringify(error)}`)
  return { accountId, token: data.api_token.token }
}

async function create(service: Service): Promise<{ accountId: string; token: string }> {
  const { data, error } = (await service.runTask('provision-account', {
    operation: 'create_account',
    account: { name: 'Demo', slug },
    admin: { name: 'Admin', email: 'admin@example.com' },
  })) as Provisioned
  if (data?.account) return { accountId: data.account.id, token: data.api_token.token }
  // Taken: a start before this one made the account and ended before it could write the token down.
  if (error?.code === 'validation_failed') return renew(service)
  throw new Fault(`The demo account could not be provisioned: ${JSON.stringify(error)}`)
}

/** The demo account's credentials: those of the last start, or new ones where there are none or they have ended. */
export async function demoCredentials(service: Service, baseUrl: string, ended = false): Promise<Credentials> {
  const path = credentialsFile(service.dir.path)
  const kept = readJson<Credentials>(path)
  if (!ended && kept?.account_id && kept.api_token) {
    const credentials = { ...kept, base_url: baseUrl }
    if (kept.base_url !== baseUrl) writeAtomically(path, `${JSON.stringify(credentials, null, 2)}\n`)
    return credentials
  }
  const { accountId, token } = ended ? await renew(service) : await create(service)
  const credentials = { base_url: baseUrl, account_id: accountId, api_token: token }
  writeAtomically(path, `${JSON.stringify(credentials, null, 2)}\n`)
  return credentials
}
