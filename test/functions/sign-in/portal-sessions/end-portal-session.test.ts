import { beforeAll, describe, expect, it } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as listLogs } from '#functions/api/logs/list-logs.ts'
import { handler as endPortalSession } from '#functions/sign-in/portal-sessions/end-portal-session.ts'
import { type Account, call, newAccount } from '#test/support/accounts/account.ts'
import { signInWith } from '#test/support/accounts/portal-sessions.ts'

let account: Account
beforeAll(async () => {
  account = await newAccount()
})
const end = (token: string | null) => call(endPortalSession, { method: 'DELETE', path: '/sign_in/session', token })

describe('DELETE /sign_in/session (I2.6)', () => {
  it('ends the session of its token, and no other', async () => {
    const one = await signInWith(account, 'portal')
    const other = await signInWith(account, 'portal', { actorId: one.actor.id, provider: one.provider })
    const answer = await end(one.token)
    expect([answer.status, answer.body]).toEqual([200, { data: { id: expect.any(String) } }])
    expect((await call(getAccount, { token: one.token })).status).toBe(401)
    expect((await call(getAccount, { token: other.token })).status).toBe(200)
    const logged = await account.call(listLogs, { query: { type: 'session', actor_id: one.actor.id } })
    expect(logged.body.data.map(({ subject }: { subject: { token_id: string } }) => subject.token_id)).toContain(
      answer.body.data.id,
    )
  })

  it('knows no session that has ended, nor another credential', async () => {
    const { token } = await signInWith(account, 'portal')
    expect((await end(token)).status).toBe(200)
    for (const wrong of [token, null, 'nap_x', account.token]) {
      const { status, body } = await end(wrong)
      expect([status, body.code]).toEqual([401, 'unauthorized'])
    }
  })

  it('is on no record of requests, as all of sign-in', async () => {
    const { token, actor } = await signInWith(account, 'portal')
    await end(token)
    const logged = await account.call(listLogs, { query: { type: 'api_request', actor_id: actor.id } })
    expect(logged.body.data).toEqual([])
  })

  it('ends once, however many ask', async () => {
    const { token } = await signInWith(account, 'portal')
    const answers = await Promise.all(Array.from({ length: 20 }, () => end(token)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19)
  })
})
