import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as startSession } from '#functions/api/client-sessions/start-client-session.ts'
import { handler as createClientToken } from '#functions/api/client-tokens/create-client-token.ts'
import { handler as compareLimits } from '#functions/schedules/compare-limits.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { commit } from '#shared/commit/commit.ts'
import { clock } from '#shared/core/clock.ts'
import { mintClientToken } from '#shared/domain/client-tokens/client-token.ts'
import { publicKey } from '#test/support/access/public-key.ts'
import { call, newAccount } from '#test/support/accounts/account.ts'
import { insertActor } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

type Sent = { FromEmailAddress: string; to: string; subject: string; text: string }

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let sent: Sent[]
let refused: string | null
beforeEach(async () => {
  ownTable = await useOwnTable()
  sent = []
  refused = null
  catchLog('WARN')
  vi.stubEnv('MAIL_SENDER', 'access@example.net')
  sdkByFetch()
  vi.stubGlobal('fetch', async (url: string, { body, headers }: { body: string; headers: Record<string, string> }) => {
    expect(url).toBe(`https://email.${process.env.AWS_REGION}.amazonaws.com/v2/email/outbound-emails`)
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=.*\/ses\/aws4_request/)
    const { FromEmailAddress, Destination, Content } = JSON.parse(body)
    const [to] = Destination.ToAddresses
    if (to === refused) return new Response('', { status: 400 })
    sent.push({ FromEmailAddress, to, subject: Content.Simple.Subject.Data, text: Content.Simple.Body.Text.Data })
    return new Response('{}')
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await ownTable.end()
})

const now = clock.now.bind(clock)
const later = (hours: number) => vi.spyOn(clock, 'now').mockImplementation(() => now() + hours * 3_600_000_000)
const update = (id: string, account: object) => provision({ operation: 'update_account', account_id: id, account })
const person = (id: string, email: string, fields: object = {}) =>
  insertActor(id, { name: email, email, type: 'account_user', ...fields })
const recipients = () => sent.map(({ to }) => to).sort()

async function startWith(token: string): Promise<number> {
  const session = { svc_id: 'laptop', public_key: publicKey(), version: '1.4.0' }
  return (await call(startSession, { method: 'POST', token, body: { session } })).status
}

async function newExceeding() {
  const account = await newAccount()
  await person(account.id, 'grace@example.com')
  await update(account.id, { limits: { users_count: 1, sites_count: 0, service_accounts_count: 5 } })
  return account
}

describe('the comparison of limits (A11, I8.2)', () => {
  it('mails every enabled administrator which limits are exceeded, and by how much', async () => {
    const account = await newExceeding()
    await person(account.id, 'joan@example.com', { type: 'account_admin_user' })
    await person(account.id, 'off@example.com', { type: 'account_admin_user', is_disabled: true })
    await compareLimits()
    expect(recipients()).toEqual(['ada@example.com', 'joan@example.com'])
    const [{ FromEmailAddress, text }] = sent as [Sent]
    expect(FromEmailAddress).toBe('access@example.net')
    expect(text).toContain('- users: 3 of 1\n- sites: 1 of 0\n\n')
    expect(text).toContain('cannot start new sessions')
    expect(text).not.toContain('service accounts: ')
  })

  it('sends no mail while every limit is kept, including the total', async () => {
    const account = await newExceeding()
    await update(account.id, { limits: { users_count: 2, sites_count: 1 } })
    await newAccount()
    await compareLimits()
    expect(sent).toEqual([])
  })

  it('counts active users too', async () => {
    const account = await newAccount({ limits: { monthly_active_users_count: 0 } })
    await compareLimits()
    expect(sent).toEqual([])
    const { token } = await commit({ accountId: account.id, subject: null }, (transaction) =>
      mintClientToken(transaction, account.admin.id, { expires_at: '2099-01-01T00:00:00Z', auth_provider_id: null }),
    )
    await startWith(token)
    await compareLimits()
    expect(sent[0]?.text).toContain('- monthly active users: 1 of 0\n\nDisable')
  })

  it('mails each administrator at most every 3 days while a limit is exceeded', async () => {
    const account = await newExceeding()
    await compareLimits()
    for (const hours of [0.5, 24, 71.9]) {
      later(hours)
      await compareLimits()
    }
    expect(sent).toHaveLength(1)
    later(72.1)
    await compareLimits()
    expect(sent).toHaveLength(2)
    await update(account.id, { limits: { users_count: null, sites_count: null } })
    later(300)
    await compareLimits()
    expect(sent).toHaveLength(2)
  })

  it('retries only the failed mail at the next run', async () => {
    const account = await newExceeding()
    await person(account.id, 'joan@example.com', { type: 'account_admin_user' })
    refused = 'joan@example.com'
    await expect(compareLimits()).rejects.toThrow('Some accounts could not be notified of exceeded limits.')
    expect(recipients()).toEqual(['ada@example.com'])
    refused = null
    later(0.5)
    await compareLimits()
    expect(recipients()).toEqual(['ada@example.com', 'joan@example.com'])
  })

  it('does not mail twice when two runs overlap', async () => {
    await newExceeding()
    await Promise.all([compareLimits(), compareLimits()])
    expect(sent).toHaveLength(1)
  })

  it('skips disabled accounts, and one failure does not block others', async () => {
    const [off, failing, other] = [await newExceeding(), await newExceeding(), await newExceeding()]
    await update(off.id, { is_disabled: true })
    await person(failing.id, 'joan@example.com', { type: 'account_admin_user' })
    await person(other.id, 'mary@example.com', { type: 'account_admin_user' })
    refused = 'joan@example.com'
    await expect(compareLimits()).rejects.toThrow()
    expect(recipients()).toEqual(['ada@example.com', 'ada@example.com', 'mary@example.com'])
  })

  it('notifies only the operator if the deployment sends no mails', async () => {
    vi.stubEnv('MAIL_SENDER', '')
    const account = await newExceeding()
    const log = catchLog()
    await compareLimits()
    expect(sent).toEqual([])
    const expected = { event: 'account_above_limits', account_id: account.id, limits: ['users', 'sites'] }
    expect(log.lines()).toContainEqual(expect.objectContaining(expected))
  })

  it('does not decide on sessions: they are refused and allowed again with the limit itself (P3.1)', async () => {
    const account = await newAccount()
    const robot = await insertActor(account.id)
    const body = { client_token: { expires_at: '2099-01-01T00:00:00Z' } }
    const { token } = (await account.call(createClientToken, { params: { actor_id: robot.id }, body })).body.data
    await update(account.id, { limits: { service_accounts_count: 0 } })
    expect(await startWith(token)).toBe(403)
    await update(account.id, { limits: { service_accounts_count: 1 } })
    expect(await startWith(token)).toBe(201)
  })
})
