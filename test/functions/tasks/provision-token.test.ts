import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { replyWith, stubService } from '#test/support/service/stub-service.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { crashAfter, failTable } from '#test/support/table/table-faults.ts'

type Stub = Awaited<ReturnType<typeof stubService>>
type Created = { Name: string; SecretString: string; ClientRequestToken: string; KmsKeyId?: string; Tags: unknown[] }

let manager: Stub
beforeAll(async () => {
  manager = await stubService(replyWith(400, {}))
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', manager.endpoint)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await manager.end()
})
beforeEach(() => {
  manager.requests.length = 0
  manager.reply((response, { body }) => replyWith(200, { ARN: arnOf(JSON.parse(body).Name) })(response, {} as never))
  vi.stubEnv('TOKEN_SECRETS', 'network-access/api-token')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
})
afterEach(() => void vi.restoreAllMocks())

const arnOf = (name: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${name}-AbCdEf`
const created = (): Created[] =>
  manager.requests.map(({ headers, body }) => {
    expect(headers['x-amz-target']).toBe('secretsmanager.CreateSecret')
    return JSON.parse(body)
  })
// biome-ignore lint/suspicious/noExplicitAny: results of every shape are looked into
const run = (event: object): Promise<any> => provision(event) as Promise<any>
const newEvent = () => ({
  account: { name: 'Company', slug: `slug-${randomUUID()}` },
  admin: { name: 'Ada', email: 'ada@example.com' },
})
const isValid = async (token: string) => (await call(getAccount, { token })).status === 200
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

describe('a new account', () => {
  it('stores its token in a new secret, and the response has only the ARN', async () => {
    const event = newEvent()
    const answer = await run(event)
    const { data } = answer
    const [secret, more] = created()
    expect(more).toBeUndefined()
    expect(secret).toEqual({
      Name: `network-access/api-token/${data.account.id}/${data.api_token.id}`,
      Description: expect.stringContaining(event.account.slug),
      SecretString: expect.stringMatching(/^naa_/),
      ClientRequestToken: data.api_token.id,
      Tags: [
        { Key: 'network-access:account-id', Value: data.account.id },
        { Key: 'network-access:slug', Value: event.account.slug },
      ],
    })
    expect(data.token_secret_arn).toBe(arnOf(secret?.Name ?? ''))
    expect(data.api_token).not.toHaveProperty('token')
    expect(await isValid(secret?.SecretString ?? '')).toBe(true)
    const parts = [(secret?.SecretString ?? '').slice(-30), 'secret_hash']
    for (const part of parts) expect(JSON.stringify(answer)).not.toContain(part)
    expect(JSON.stringify(await readCommits(data.account.id))).not.toContain(parts[0])
  })

  it("encrypts the secret with the deployment's key if there is one", async () => {
    vi.stubEnv('TOKEN_SECRETS_KEY', 'arn:aws:kms:eu-central-1:123456789012:key/some')
    await run(newEvent())
    expect(created()[0]?.KmsKeyId).toBe('arn:aws:kms:eu-central-1:123456789012:key/some')
    vi.stubEnv('TOKEN_SECRETS_KEY', '')
  })

  it('returns its token in the response if the event requests it', async () => {
    const { data } = await run({ ...newEvent(), token_in: 'answer' })
    expect(created()).toEqual([])
    expect(data).not.toHaveProperty('token_secret_arn')
    expect(await isValid(data.api_token.token)).toBe(true)
  })

  it.each([
    [{ token_in: 'mail' }, 'must be one of secret, answer'],
    [{ token_in: 7 }, 'must be one of secret, answer'],
  ])('is refused for %j before anything is created', async (fields, message) => {
    const { error } = await run({ ...newEvent(), ...fields })
    expect(error).toMatchObject({ code: 'validation_failed', errors: { token_in: [message] } })
    expect(created()).toEqual([])
  })

  it('is refused on one machine, unless the token is to be in the response', async () => {
    vi.stubEnv('TOKEN_SECRETS', '')
    const { error } = await run(newEvent())
    expect(error.errors).toEqual({ token_in: ['must be answer, because this service runs without Secrets Manager'] })
    expect(created()).toEqual([])
  })

  it('is not created if its secret fails, and is created by a retry', async () => {
    const { log } = logged()
    manager.reply(replyWith(400, { __type: 'AccessDeniedException', Message: 'not allowed' }))
    const event = newEvent()
    expect((await run(event)).error.code).toBe('internal_error')
    const [refused] = created()
    expect(log()).toContain('AccessDeniedException')
    expect(log()).not.toContain(refused?.SecretString.slice(-30))
    expect(await isValid(refused?.SecretString ?? '')).toBe(false)
    manager.reply((response, { body }) => replyWith(200, { ARN: arnOf(JSON.parse(body).Name) })(response, {} as never))
    expect((await run(event)).data.account.slug).toBe(event.account.slug)
  })

  it('leaves a useless secret if its commit fails, and the retry creates another one', async () => {
    failTable('ValidationException', (command) => command.constructor.name === 'TransactWriteCommand')
    const event = newEvent()
    expect((await run(event)).error).toBeDefined()
    vi.restoreAllMocks()
    const { data } = await run(event)
    const [left, secret, more] = created()
    expect(more).toBeUndefined()
    expect(await isValid(left?.SecretString ?? '')).toBe(false)
    expect(left?.Name).not.toContain(data.account.id)
    expect(await isValid(secret?.SecretString ?? '')).toBe(true)
  })

  it('has its token in the secret even if the process ends before the response', async () => {
    crashAfter(1, { isResponseLost: true })
    const event = newEvent()
    expect((await run(event)).error).toBeDefined()
    vi.restoreAllMocks()
    const [secret] = created()
    expect(await isValid(secret?.SecretString ?? '')).toBe(true)
    // Expects that a retry, which the AWS CLI sends after a timeout, creates no second account and no second secret.
    expect((await run(event)).error.errors).toEqual({ slug: ['has already been taken'] })
    expect(created()).toHaveLength(1)
  })

  it('has one secret with one token however often the commit is retried', async () => {
    let lost = 2
    interceptTable(async (command, send) => {
      if (command.constructor.name === 'TransactWriteCommand' && lost-- > 0) {
        const { TransactionCanceledException } = await import('@aws-sdk/client-dynamodb')
        const CancellationReasons = [{ Code: 'TransactionConflict' }]
        throw new TransactionCanceledException({ $metadata: {}, message: 'conflict', CancellationReasons })
      }
      return send(command)
    })
    const { data } = await run(newEvent())
    expect(lost).toBeLessThan(0)
    const secrets = created()
    expect(new Set(secrets.map(({ Name, SecretString }) => `${Name} ${SecretString}`)).size).toBe(1)
    expect(secrets[0]?.ClientRequestToken).toBe(data.api_token.id)
    expect(await isValid(secrets[0]?.SecretString ?? '')).toBe(true)
  })
})

describe('an additional token', () => {
  it('is stored in a secret like the first', async () => {
    const account = await newAccount()
    const event = { operation: 'create_api_token', account_id: account.id, api_token: { expires_at: inHours(1) } }
    const { data } = await run(event)
    const [secret] = created()
    expect(secret?.Name).toBe(`network-access/api-token/${account.id}/${data.api_token.id}`)
    expect(data).toMatchObject({ api_client: { name: 'Provisioning' }, token_secret_arn: arnOf(secret?.Name ?? '') })
    expect(data.api_token).not.toHaveProperty('token')
    expect(await isValid(secret?.SecretString ?? '')).toBe(true)
  })

  it('creates no secret for invalid input', async () => {
    const account = await newAccount()
    const event = { operation: 'create_api_token', account_id: account.id, api_token: { expires_at: inHours(-1) } }
    expect((await run(event)).error.errors).toEqual({ 'api_token.expires_at': ['must be in the future'] })
    expect(created()).toEqual([])
  })
})

function logged() {
  const lines: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(String(chunk))
      return true
    })
  }
  return { log: () => lines.join('') }
}
