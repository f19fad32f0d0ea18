import { afterAll, beforeAll, expect, vi } from 'vitest'
import { runLocal, type Service, startService } from '#test/support/service/service.ts'

let service: Service

/** Starts a service before the tests of a file, and stops it after them. */
export function withService(): void {
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service?.stop())
}

export const running = (): Service => service

export type Account = { id: string; token: string }

export async function newAccount(slug: string, fields: { limits?: object; scopes?: string[] } = {}): Promise<Account> {
  const { limits = {}, scopes = ['*'] } = fields
  const event = {
    account: { name: 'Smoke test', slug, limits },
    admin: { name: 'Ada', email: 'ada@example.com' },
    api_token: { scopes },
  }
  const { stdout } = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  const { data } = JSON.parse(stdout)
  return { id: data.account.id, token: data.api_token.token }
}

/** Creates an API token with all scopes for the account. */
export async function adminToken({ id }: Account): Promise<string> {
  const api_token = { expires_at: new Date(Date.now() + 86_400_000).toISOString() }
  const event = { operation: 'create_api_token', account_id: id, api_token }
  const { stdout } = await runLocal('provision', [JSON.stringify(event)], { DATA_DIR: service.dataDir })
  return JSON.parse(stdout).data.api_token.token
}

const collections = ['sites', 'groups', 'resources', 'policies', 'actors', 'clients', 'email_otp_auth_providers']

/** Returns the ids of an account's objects, by collection. */
export async function objectsOf(token: string): Promise<Record<string, string[]>> {
  const listed = collections.map(async (collection) => {
    const answer = await fetch(`${service.baseUrl}/${collection}?limit=1000`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    return [collection, data.map(({ id }) => id).sort()]
  })
  return Object.fromEntries(await Promise.all(listed))
}

/** Expects that only the earlier objects remain. Waits up to a minute, because follow-up work deletes dependent objects later. */
export const expectAsBefore = (token: string, before: Record<string, string[]>) =>
  vi.waitFor(async () => expect(await objectsOf(token)).toEqual(before), { timeout: 60_000 })

export const argsOf = (...args: string[]) => ['--base-url', service.baseUrl, ...args]
export const variablesOf = ({ token }: Account, variables: Record<string, string> = {}) => ({
  SMOKE_TOKEN: token,
  ...variables,
})

export const topic = 'arn:aws:sns:eu-central-1:111122223333:Alarms'
export const alarm = () => ({
  AlarmName: 'ApiFaults',
  StateValue: 'OK',
  ActionsEnabled: true,
  AlarmActions: [topic, `${topic}Second`],
})
export const awsVariables = (url: string) => ({
  AWS_ENDPOINT_URL_CLOUDWATCH: url,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'example',
})

export const allOf = (steps: string[], outcome: string) => Object.fromEntries(steps.map((step) => [step, outcome]))

/** Scopes that suffice for the smoke test according to the documents. */
export const enough = [
  'sites:write',
  'groups:write',
  'resources:write',
  'policies:write',
  'actors:write',
  'gateways:write',
  'tokens:write',
  'providers:write',
  'logs:read',
]
