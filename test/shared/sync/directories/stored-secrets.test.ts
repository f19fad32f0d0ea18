import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '#shared/core/clock.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { workOnRun } from '#shared/sync/steps/work-on-run.ts'
import { tenantCompany, tenantFake } from '#test/fakes/tenant.ts'
import { updateRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { mockAws } from '#test/support/service/mock-aws.ts'
import { directoriesApi } from '#test/support/sync/directories.ts'
import { newSyncWorld } from '#test/support/sync/sync-runs.ts'

const fake = await tenantFake(tenantCompany(5, 1))
const kms = mockAws(KMSClient)
beforeEach(() => {
  vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  vi.stubEnv('TENANT_TOKEN_URL', `${fake.url}/{tenant_id}/oauth2/v2.0/token`)
  vi.stubEnv('TENANT_API_URL', fake.url)
  vi.stubEnv('TENANT_ISSUER', 'https://tenants.example.com/{tenant_id}/v2.0')
  fake.requests.length = 0
})
afterEach(() => {
  kms.reset()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

async function newWorld() {
  const world = await newSyncWorld('tenant')
  const { tenantId: tenant_id, clientId: client_id, clientSecret: client_secret } = fake.data
  const update = (fields: Record<string, unknown>) => directoriesApi.tenant.update(world.account, world.id, fields)
  expect((await update({ tenant_id, client_id, client_secret })).status).toBe(200)
  const run = async () => {
    await world.begin()
    await workOnRun(world.syncSource, world.source as never, clock.monotonic() + 600_000)
    return world.last()
  }
  const store = async (secret: string) =>
    updateRow(world.account.id, directories.tenant, await world.row(), { client_secret: secret })
  return { ...world, update, run, store, secret: client_secret }
}

describe('the stored secret of a directory', () => {
  it.each<[string, (ownSecret: string, foreign: string) => string]>([
    ['that of another account', (_own, foreign) => foreign],
    [
      'one with the data key of another account',
      (ownSecret, foreign) => ownSecret.replace(/^[^.]+/, foreign.split('.')[0] ?? ''),
    ],
    ['one without its data key', (ownSecret) => ownSecret.replace(/^[^.]+/, '')],
    ['one with a part of its text missing', (ownSecret) => ownSecret.replace(/\.[^.]{20}/, '.')],
    ['a truncated one', (ownSecret) => ownSecret.slice(0, ownSecret.indexOf('.') + 10)],
  ])('is never sent after it is replaced by %s, and works again after it is entered again', async (_name, damage) => {
    const [world, other] = [await newWorld(), await newWorld()]
    const [ownSecret, foreign] = [await world.row(), await other.row()]
    await world.store(damage(String(ownSecret.client_secret), String(foreign.client_secret)))
    const log = catchLog('DEBUG')
    const failed = await world.run()
    expect(failed).toMatchObject({ outcome: 'failed', error: expect.stringContaining('enter it again') })
    expect(fake.requests).toEqual([])
    expect(log.text()).not.toContain(world.secret)
    vi.restoreAllMocks()
    // Enables the directory again, which the fatal fault has disabled.
    const entered = { client_secret: world.secret, is_disabled: false }
    expect((await world.update(entered)).status).toBe(200)
    expect(await world.run()).toMatchObject({ outcome: 'applied' })
  })

  it.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException'])(
    'is kept while KMS answers %s, which is logged, and the next run succeeds',
    async (failure) => {
      const world = await newWorld()
      const file = String(process.env.SECRET_KEY_FILE)
      vi.stubEnv('AWS_REGION', 'eu-central-1')
      vi.stubEnv('SECRET_KEY_ARN', 'arn:key')
      vi.stubEnv('SECRET_KEY_FILE', '')
      kms.on(DecryptCommand).rejects(Object.assign(new Error(failure), { name: failure }))
      const log = catchLog('WARN')
      const before = await world.row()
      expect(await world.run()).toMatchObject({
        outcome: 'failed',
        error: 'client_secret cannot be decrypted at the moment.',
      })
      expect(fake.requests).toEqual([])
      const lines = log.lines().filter(({ event }) => event === 'secret_key_failed')
      expect(lines).not.toEqual([])
      expect(lines.every(({ error }) => error === failure)).toBe(true)
      for (const hidden of [world.secret, String(before.client_secret)]) expect(log.text()).not.toContain(hidden)
      expect(await world.row()).toMatchObject({ client_secret: before.client_secret, is_disabled: false })
      vi.restoreAllMocks()
      vi.stubEnv('SECRET_KEY_FILE', file)
      expect(await world.run()).toMatchObject({ outcome: 'applied' })
    },
  )
})
