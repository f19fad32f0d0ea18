import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { commit } from '#shared/commit/commit.ts'
import { clock } from '#shared/core/clock.ts'
import { sites } from '#shared/domain/sites/site.ts'
import { getRow } from '#shared/table/read.ts'
import { table } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'

const cancelled = (code: string) =>
  new TransactionCanceledException({
    $metadata: {},
    message: 'cancelled',
    CancellationReasons: [{ Code: 'None' }, { Code: code }],
  })

function onTransaction(interfere: (pass: () => Promise<unknown>) => Promise<unknown>): void {
  const client = table()
  const send = client.send.bind(client) as (command: unknown) => Promise<unknown>
  vi.spyOn(client, 'send').mockImplementation(((command: unknown) =>
    command instanceof TransactWriteCommand ? interfere(() => send(command)) : send(command)) as never)
}

let account: Awaited<ReturnType<typeof newAccount>>
beforeEach(async () => {
  account = await newAccount()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const insertSite = (name: string) =>
  commit({ accountId: account.id, subject: null }, async (transaction) =>
    transaction.insert(sites, { name, managed_by: 'account' }),
  )

describe('a commit', () => {
  it.each(['TransactionConflict', 'ConditionalCheckFailed', 'ThrottlingError'])('is retried after %s', async (code) => {
    let tries = 0
    onTransaction(async (pass) => {
      if (tries++ < 2) throw cancelled(code)
      return pass()
    })
    const row = await insertSite(`after ${code}`)
    expect(tries).toBe(3)
    expect(await getRow(sites, account.id, row.id)).toEqual(row)
  })

  it('with a lost response is not executed twice', async () => {
    let tries = 0
    onTransaction(async (pass) => {
      tries++
      await pass()
      throw Object.assign(new Error('no answer'), { name: 'TimeoutError' })
    })
    const row = await insertSite('answered late')
    expect(tries).toBe(1)
    expect(await getRow(sites, account.id, row.id)).toEqual(row)
  })

  it('returns 503 and changes nothing if every attempt fails', async () => {
    const now = clock.monotonic
    let passed = 0
    onTransaction(async () => {
      // Advances the clock instead of waiting, so that retries take no time.
      passed += 23_000
      throw cancelled('TransactionConflict')
    })
    vi.spyOn(clock, 'monotonic').mockImplementation(() => now() + passed)
    await expect(insertSite('never')).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      headers: { 'retry-after': '1' },
    })
  })

  it('is not retried after a refusal for another reason', async () => {
    let tries = 0
    onTransaction(async () => {
      tries++
      throw cancelled('ValidationError')
    })
    await expect(insertSite('invalid')).rejects.toThrow('cancelled')
    expect(tries).toBe(1)
  })
})
