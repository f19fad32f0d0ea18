import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as createProvider } from '#functions/api/mdm-posture-providers/create-mdm-posture-provider.ts'
import { handler as mailSyncErrors } from '#functions/schedules/mail-sync-errors.ts'
import { clock, dayMicros, parseTimestamp } from '#shared/core/clock.ts'
import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { type DirectoryRow, directories } from '#shared/domain/directories/directory.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { isMailDue, mailSyncErrors as mailUntil } from '#shared/sync/mails/mail-sync-errors.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertActor, updateRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { sdkByFetch } from '#test/support/service/sdk-by-fetch.ts'
import { directoriesApi, storedDirectory } from '#test/support/sync/directories.ts'
import { mdmFields } from '#test/support/sync/posture-providers.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

type Sent = { to: string; subject: string; text: string }

const monday = parseTimestamp('2027-01-04T00:00:00Z') as number
const at = (day: number, hour: number) => monday + day * dayMicros + (hour * dayMicros) / 24

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
let sent: Sent[]
let refused: string[]
/** Function that runs while a mail is being sent. */
let meanwhile: () => Promise<unknown>
beforeEach(async () => {
  ownTable = await useOwnTable()
  sent = []
  refused = []
  meanwhile = async () => {}
  catchLog('ERROR')
  vi.stubEnv('MAIL_SENDER', 'access@example.net')
  sdkByFetch()
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { Destination, Content } = JSON.parse(body)
    const [to] = Destination.ToAddresses
    await meanwhile()
    if (refused.includes(to)) return new Response('', { status: 400 })
    sent.push({ to, subject: Content.Simple.Subject.Data, text: Content.Simple.Body.Text.Data })
    return new Response('{}')
  })
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  await ownTable.end()
})

let ticks = 0
const runAt = async (day: number, hour: number) => {
  vi.spyOn(clock, 'now').mockImplementation(() => at(day, hour) + ticks++)
  sent = []
  await mailSyncErrors()
  return sent.map(({ to }) => to).sort()
}

async function newFailing() {
  const account = await newAccount({ features: { idp_sync: true } })
  const { id } = await directoriesApi.suite.createAndGet(account)
  const row = await storedDirectory(account, 'suite', id)
  const failing = await updateRow<DirectoryRow>(account.id, directories.suite, row, {
    is_disabled: true,
    disabled_reason: 'sync error',
    error: 'GET users returned 403 forbidden.',
    error_count: 1,
    first_failed_at: '2027-01-03T22:20:00.000000Z',
  })
  return { account, id, failing, stored: () => storedDirectory(account, 'suite', id) }
}

describe('mails about sync errors (I8.1)', () => {
  it('go to every enabled administrator, and name the object, its kind, the first failure and the error', async () => {
    const { account, stored, failing } = await newFailing()
    await insertActor(account.id, { name: 'Joan', email: 'joan@example.com', type: 'account_admin_user' })
    await insertActor(account.id, {
      name: 'O',
      email: 'off@example.com',
      type: 'account_admin_user',
      is_disabled: true,
    })
    await insertActor(account.id, { name: 'U', email: 'user@example.com', type: 'account_user' })
    expect(await runAt(0, 9.2)).toEqual(['ada@example.com', 'joan@example.com'])
    const [{ subject, text }] = sent as [Sent]
    expect(subject).toBe(`Sync of ${failing.name} has stopped`)
    for (const part of [failing.name, 'suite directory', '2027-01-03T22:20:00', failing.error]) {
      expect(text).toContain(part)
    }
    expect(await stored()).toMatchObject({
      error_mails: 1,
      error_emailed_at: expect.stringMatching(/^2027-01-04T09:12/),
    })
  })

  it('are sent daily, then every three days, then on Mondays, then never; at most once a day', async () => {
    await newFailing()
    const days: number[] = []
    for (let day = 0; day < 50; day++) {
      const hours = day < 16 ? [0, 8.9, 9.1, 9.6, 10, 15] : [9.1, 9.6]
      for (const hour of hours) if ((await runAt(day, hour)).length > 0) days.push(day)
    }
    expect(days).toEqual([0, 1, 2, 5, 8, 11, 14, 21, 28, 35])
  })

  it('start over for a new error after the directory was enabled, and stop once it is enabled', async () => {
    const { account, id, stored } = await newFailing()
    for (const day of [0, 1, 2]) expect(await runAt(day, 9.1)).toHaveLength(1)
    expect((await directoriesApi.suite.update(account, id, { is_disabled: false })).status).toBe(200)
    expect(await runAt(3, 9.1)).toEqual([])
    const changes = { is_disabled: true, disabled_reason: 'sync error', error: 'another' }
    await updateRow<DirectoryRow>(account.id, directories.suite, await stored(), changes)
    expect(await runAt(4, 9.1)).toHaveLength(1)
    expect(await stored()).toMatchObject({ error_mails: 1 })
  })

  it('are sent about posture providers', async () => {
    const account = await newAccount()
    const { body } = await account.call(createProvider, { method: 'POST', body: { mdm_posture_provider: mdmFields() } })
    const row = await getRow(postureProviders, account.id, body.data.id)
    if (!row) throw new Error('It is gone.')
    await updateRow(account.id, postureProviders, row, {
      is_disabled: true,
      disabled_reason: 'sync error',
      error: 'The token was refused.',
    })
    expect(await runAt(0, 9.5)).toEqual(['ada@example.com'])
    expect(sent[0]?.text).toContain('posture provider')
  })

  it('are not sent about a directory that a person disabled, whatever error its last run left', async () => {
    const { account, stored } = await newFailing()
    for (const disabled_reason of [null, 'rewound']) {
      await updateRow<DirectoryRow>(account.id, directories.suite, await stored(), { disabled_reason })
      expect(await runAt(0, 9.1)).toEqual([])
    }
    await updateRow<DirectoryRow>(account.id, directories.suite, await stored(), {
      disabled_reason: 'sync error',
      is_disabled: false,
    })
    expect(await runAt(0, 9.5)).toEqual([])
  })

  it('count for the reported error, not for one that occurs while the mail is sent', async () => {
    const { account, stored } = await newFailing()
    meanwhile = async () =>
      updateRow<DirectoryRow>(account.id, directories.suite, await stored(), { error: 'Another one.' })
    expect(await runAt(0, 9.1)).toHaveLength(1)
    expect(await stored()).toMatchObject({ error: 'Another one.', error_mails: 0, error_emailed_at: null })
  })

  it('are deferred to the next run after the deadline', async () => {
    await newFailing()
    vi.spyOn(clock, 'now').mockImplementation(() => at(0, 9.1) + ticks++)
    await mailUntil(Date.now() - 1)
    expect(sent).toEqual([])
  })

  it('are not sent to a disabled account', async () => {
    const { account } = await newFailing()
    const row = (await getRow(accounts, account.id, account.id)) as AccountRow
    await updateRow(account.id, accounts, row, { is_disabled: true })
    expect(await runAt(0, 9.1)).toEqual([])
  })

  it.each([
    ['suite', 'suite'],
    ['idp', 'identity provider'],
    ['tenant', 'tenant'],
  ] as const)('name the kind of a %s directory', async (kind, name) => {
    const account = await newAccount({ features: { idp_sync: true } })
    const { id } = await directoriesApi[kind].createAndGet(account)
    const changes = { is_disabled: true, disabled_reason: 'sync error', error: 'It failed.' }
    await updateRow<DirectoryRow>(account.id, directories[kind], await storedDirectory(account, kind, id), changes)
    await runAt(0, 9.1)
    expect(sent[0]?.text).toContain(`the ${name} directory "`)
  })

  it('have a one-line subject for any name', async () => {
    const { account, stored } = await newFailing()
    await updateRow<DirectoryRow>(account.id, directories.suite, await stored(), { name: 'Staff\r\nBcc: all' })
    await runAt(0, 9.1)
    expect(sent[0]?.subject).toBe('Sync of Staff Bcc: all has stopped')
  })

  it('are independent: a refused mail fails the run and is sent again the next day', async () => {
    const [one, other] = [await newFailing(), await newFailing()]
    await insertActor(one.account.id, { name: 'Joan', email: 'joan@example.com', type: 'account_admin_user' })
    refused = ['joan@example.com']
    await expect(runAt(0, 9.1)).rejects.toThrow('Some mails about sync errors could not be sent.')
    expect(sent).toHaveLength(2)
    refused = []
    expect(await runAt(0, 9.6)).toEqual([])
    expect(await runAt(1, 9.1)).toEqual(['ada@example.com', 'ada@example.com', 'joan@example.com'])
    expect([await one.stored(), await other.stored()].map(({ error_mails }) => error_mails)).toEqual([2, 2])
  })

  it('are not counted if every recipient refused, so the next mail is the first', async () => {
    const { stored } = await newFailing()
    refused = ['ada@example.com']
    await expect(runAt(0, 9.1)).rejects.toThrow()
    expect(await stored()).toMatchObject({ error_mails: 0, error_emailed_at: null })
    refused = []
    expect(await runAt(1, 9.1)).toEqual(['ada@example.com'])
  })

  it('are sent once by two concurrent runs, and never without a configured sender', async () => {
    await newFailing()
    vi.spyOn(clock, 'now').mockImplementation(() => at(0, 9.1) + ticks++)
    await Promise.all([mailSyncErrors(), mailSyncErrors()])
    expect(sent).toHaveLength(1)
    vi.stubEnv('MAIL_SENDER', '')
    expect(await runAt(1, 9.1)).toEqual([])
  })

  it('are due at the same hour for any count', () => {
    expect([8.99, 9, 9.99, 10].map((hour) => isMailDue(0, null, at(0, hour)))).toEqual([false, true, true, false])
    expect(isMailDue(10, at(0, 9), at(70, 9))).toBe(false)
    // Expects the seventh mail after three days on any weekday, and the eighth on a Monday.
    expect([14, 15].map((day) => isMailDue(6, at(12, 9), at(day, 9)))).toEqual([false, true])
    expect([18, 20, 21].map((day) => isMailDue(7, at(15, 9), at(day, 9)))).toEqual([false, false, true])
  })
})
