import { randomUUID } from 'node:crypto'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as deleteDueAccounts } from '#functions/schedules/delete-due-accounts.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { commit } from '#shared/commit/commit.ts'
import { archiveStore } from '#shared/core/aws/object-store.ts'
import { clock } from '#shared/core/clock.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { archiveFolders } from '#shared/logs/files/file-index.ts'
import { getRow } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { asOtherProcess } from '#test/support/table/other-process.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeEach(async () => {
  ownTable = await useOwnTable()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

// biome-ignore lint/suspicious/noExplicitAny: results of every shape are looked into
const run = (event: unknown): Promise<any> => provision(event) as Promise<any>
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const deleteAt = (id: string, delete_at?: string) => run({ operation: 'delete_account', account_id: id, delete_at })
const update = (id: string, account: object) => run({ operation: 'update_account', account_id: id, account })
const now = clock.now.bind(clock)
const later = (hours: number) => vi.spyOn(clock, 'now').mockImplementation(() => now() + hours * 3_600_000_000)

/** Reads all items that mention an account, except the item that tracks the account's deletion. */
const readRemaining = async (id: string) =>
  (await ownTable.items()).filter((item) => JSON.stringify(item).includes(id) && item.pk !== 'service#due.accounts')
const readDeletionItems = async (id: string) =>
  (await ownTable.items()).filter(({ pk, account_id }) => pk === 'service#due.accounts' && account_id === id)

/**
 * Makes the table command at `position` fail, before or after it takes effect. Returns a function that reports whether the job sent this
 * command.
 */
function breakAt(position: number, effect: 'before' | 'after') {
  let count = 0
  const spy = interceptTable(async (command, send) => {
    const name = command.constructor.name
    if (command instanceof ScanCommand) command.input.Limit = 20
    const isIt = /Write|Update|Scan/.test(name) && ++count === position
    if (isIt && effect === 'before') throw new Error('broken')
    const answer = await send(command)
    if (isIt) throw new Error('broken')
    return answer
  })
  return () => {
    spy.mockRestore()
    return count >= position
  }
}

describe('the deletion of due accounts (A31, A32)', () => {
  it('deletes the account at its time, not before, and frees its slug', async () => {
    const slug = `slug-${randomUUID()}`
    const account = await newAccount({ slug })
    await deleteAt(account.id, inHours(2))
    later(1)
    await deleteDueAccounts()
    expect(await getRow(accounts, account.id, account.id)).not.toBeNull()
    const again = {
      account: { name: 'Again', slug },
      admin: { name: 'Ada', email: 'ada@example.com' },
      token_in: 'answer',
    }
    expect((await run(again)).error.errors).toEqual({ slug: ['has already been taken'] })
    later(2)
    await deleteDueAccounts()
    expect((await account.call(getAccount)).status).toBe(401)
    expect((await update(account.id, { is_disabled: false })).error.code).toBe('not_found')
    expect((await run(again)).data.account.slug).toBe(slug)
  })

  it('is cancelled by enabling the account in time, and not afterwards', async () => {
    const [kept, dueAccount] = [await newAccount(), await newAccount()]
    for (const { id } of [kept, dueAccount]) await deleteAt(id, inHours(1))
    await update(kept.id, { is_disabled: false })
    later(2)
    expect((await update(dueAccount.id, { is_disabled: false })).error.code).toBe('not_found')
    expect((await deleteAt(dueAccount.id, inHours(100))).error.code).toBe('not_found')
    await deleteDueAccounts()
    expect((await kept.call(getAccount)).status).toBe(200)
    expect(await readDeletionItems(kept.id)).toEqual([])
    expect(await readRemaining(dueAccount.id)).toEqual([])
  })

  it('happens at the time that was requested last', async () => {
    const account = await newAccount()
    const third = inHours(3)
    await deleteAt(account.id, inHours(1))
    await deleteAt(account.id, third)
    later(2)
    await deleteDueAccounts()
    expect(await getRow(accounts, account.id, account.id)).not.toBeNull()
    expect(await readDeletionItems(account.id)).toHaveLength(1)
    const commits = (await readCommits(account.id)).length
    await deleteAt(account.id, third)
    expect(await readCommits(account.id)).toHaveLength(commits)
    later(4)
    await deleteDueAccounts()
    expect(await readRemaining(account.id)).toEqual([])
  })

  it('skips an account that is disabled for another reason', async () => {
    const account = await newAccount()
    await update(account.id, { is_disabled: true })
    later(24 * 365)
    await deleteDueAccounts()
    vi.restoreAllMocks()
    await update(account.id, { is_disabled: false })
    expect((await account.call(getAccount)).status).toBe(200)
  })

  it('deletes late items in a second pass after 25 hours, and then its own item', async () => {
    const account = await newAccount()
    await deleteAt(account.id, inHours(-1))
    await deleteDueAccounts()
    const late = { name: 'Late', ...nativeGroup }
    await commit({ accountId: account.id, subject: null }, async (transaction) => {
      transaction.insert(groups, late)
    })
    later(24)
    await deleteDueAccounts()
    expect(await readRemaining(account.id)).not.toEqual([])
    later(25.1)
    await deleteDueAccounts()
    expect(await readRemaining(account.id)).toEqual([])
    expect(await readDeletionItems(account.id)).toEqual([])
  })

  it('deletes the archived logs of the account, and those that are written until the second pass (R12.3)', async () => {
    const [account, other] = [await newAccount(), await newAccount()]
    const paths = ({ id }: { id: string }) => archiveFolders(id).map((folder) => `${folder}day=2026-11-22/object`)
    const put = async (all: string[]) => {
      for (const path of all) await archiveStore().put(path, 'content', null)
    }
    const isStored = async (path: string) => (await archiveStore().get(path)) !== null
    await put([...paths(account), ...paths(other)])
    await deleteAt(account.id, inHours(-1))
    await deleteDueAccounts()
    expect(await Promise.all([...paths(account), ...paths(other)].map(isStored))).toEqual([
      ...paths(account).map(() => false),
      ...paths(other).map(() => true),
    ])
    await put(paths(account).slice(0, 2))
    later(26)
    await deleteDueAccounts()
    expect(await Promise.all(paths(account).map(isStored))).not.toContain(true)
  })

  it('cannot be undone by a change that began earlier', async () => {
    const account = await newAccount()
    await deleteAt(account.id, inHours(1))
    const before = await getRow(accounts, account.id, account.id)
    let tries = 0
    const change = commit({ accountId: account.id, subject: null }, async (transaction) => {
      if (++tries > 1) return transaction.get(accounts, account.id)
      later(2)
      await deleteDueAccounts()
      vi.restoreAllMocks()
      return transaction.update(accounts, before as never, { is_disabled: false, delete_at: null } as never)
    })
    expect(await change).toBeNull()
    expect(tries).toBe(2)
    expect(await readRemaining(account.id)).toEqual([])
  })

  it('yields to a concurrent change that comes first', async () => {
    const account = await newAccount()
    await deleteAt(account.id, inHours(1))
    let raced = false
    interceptTable(async (command, send) => {
      if (command.constructor.name === 'TransactWriteCommand' && !raced) {
        raced = true
        await asOtherProcess(() => update(account.id, { is_disabled: false }))
      }
      return send(command)
    })
    const real = clock.now
    const jump = vi.spyOn(clock, 'now').mockImplementationOnce(() => real() + 2 * 3_600_000_000)
    jump.mockImplementation(now)
    await deleteDueAccounts()
    expect(raced).toBe(true)
    vi.restoreAllMocks()
    expect((await account.call(getAccount)).status).toBe(200)
  })
})

describe('an interrupted deletion', () => {
  it.each(['before', 'after'] as const)('%s any of its steps is completed by the next run', async (effect) => {
    const other = await newAccount()
    let position = 0
    let broken = true
    while (broken) {
      const account = await newAccount()
      await deleteAt(account.id, inHours(-1))
      const end = breakAt(++position, effect)
      const outcome = await deleteDueAccounts().then(
        () => 'done',
        () => 'failed',
      )
      broken = end()
      expect(outcome, `step ${position}`).toBe(broken ? 'failed' : 'done')
      await deleteDueAccounts()
      expect(await readRemaining(account.id), `step ${position}`).toEqual([])
      expect(await readDeletionItems(account.id), `step ${position}`).toHaveLength(1)
      later(26)
      await deleteDueAccounts()
      vi.restoreAllMocks()
      expect(await readDeletionItems(account.id), `step ${position}`).toEqual([])
    }
    expect(position).toBeGreaterThan(5)
    expect((await other.call(getAccount)).status).toBe(200)
  })

  it('resumes after a timeout, with every account already closed', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    for (const { id } of [one, two]) await deleteAt(id, inHours(-1))
    const [real, minute] = [clock.monotonic, 60_000]
    let passed = 0
    vi.spyOn(clock, 'monotonic').mockImplementation(() => real() + passed)
    interceptTable(async (command, send) => {
      if (!(command instanceof ScanCommand)) return send(command)
      command.input.Limit = 40
      passed += minute
      return send(command)
    })
    await deleteDueAccounts()
    for (const { id } of [one, two]) expect(await getRow(accounts, id, id)).toBeNull()
    let runs = 1
    for (; (await readRemaining(one.id)).length + (await readRemaining(two.id)).length > 0; runs++)
      await deleteDueAccounts()
    expect(runs).toBeGreaterThan(2)
  })

  it('does not block other accounts', async () => {
    const [one, two] = [await newAccount(), await newAccount()]
    for (const { id } of [one, two]) await deleteAt(id, inHours(-1))
    interceptTable(async (command, send) => {
      const isOfOne = command.constructor.name === 'ScanCommand' && JSON.stringify(command.input).includes(one.id)
      if (isOfOne) throw new Error('broken')
      return send(command)
    })
    await expect(deleteDueAccounts()).rejects.toThrow('Some accounts were not deleted.')
    vi.restoreAllMocks()
    expect(await readRemaining(two.id)).toEqual([])
    await deleteDueAccounts()
    expect(await readRemaining(one.id)).toEqual([])
  })
})
