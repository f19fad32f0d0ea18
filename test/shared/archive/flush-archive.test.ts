import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { flushArchive } from '#shared/archive/flush-archive.ts'
import { hourMicros } from '#shared/core/clock.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { readArchiveState } from '#shared/logs/blocks/archive-view.ts'
import type { IngestClaims } from '#shared/logs/flows/ingest-token.ts'
import { sealedAccountItem } from '#shared/seal/log/sealed-log.ts'
import { entityKey } from '#shared/table/keys.ts'
import { putItem } from '#shared/table/put-item.ts'
import { sealNothing } from '#test/support/logs/archive.ts'
import { flowReport, setClock, simulatedDay } from '#test/support/logs/flow-account.ts'
import { flowRecord } from '#test/support/logs/flows.ts'
import { readArchiveOf } from '#test/support/logs/read-archive.ts'
import { interceptTable, recordCommands } from '#test/support/table/intercept-table.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

const day = simulatedDay()
const minute = 60_000_000
const always = Number.POSITIVE_INFINITY
const dueAt = day + hourMicros + 15 * minute

let ownTable: Awaited<ReturnType<typeof useOwnTable>>
beforeEach(async () => {
  ownTable = await useOwnTable()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await ownTable.end()
})

/** Creates accounts with one closed flow each, in the order in which a run reads them. */
async function newAccounts(count: number, { exist = true } = {}): Promise<string[]> {
  setClock(day + 3 * minute)
  const ids = Array.from({ length: count }, () => randomUUID()).sort()
  const report = flowReport(day + minute, { end: day + 2 * minute })
  const records = ids.map((account_id) => {
    const ids = { initiator_device_id: 'd', responder_device_id: 'r', initiator_actor_id: 'a', resource_id: 'x' }
    const claims: IngestClaims = {
      account_id,
      role: 'initiator',
      policy_authorization_id: 'z',
      policy_id: 'p',
      uploads_enabled: true,
      iat: 0,
      exp: 0,
      ...ids,
    }
    return flowRecord(claims, day + 3 * minute, report)
  })
  expect(await storeFlowLogs({ Records: records })).toEqual({ batchItemFailures: [] })
  for (const id of ids) {
    await putItem(sealedAccountItem(id))
    await sealNothing(id)
    if (exist) await putItem({ ...entityKey(id, accounts.name, id), kind: accounts.name, id })
  }
  setClock(dueAt)
  return ids
}

const flushed = async (ids: string[]) => {
  const states = await Promise.all(ids.map(readArchiveState))
  return states.map((state) => state?.watermark === day + hourMicros)
}

it('flushes all accounts that are sealed', async () => {
  const ids = await newAccounts(20)
  await flushArchive(always)
  expect(await flushed(ids)).toEqual(ids.map(() => true))
  expect((await readArchiveOf(ids.at(-1) ?? '')).rows.flow).toHaveLength(1)
})

it('flushes the other accounts if one fails, and then fails', async () => {
  const ids = await newAccounts(5)
  const failing = ids[1] ?? ''
  interceptTable((command, send) => {
    const { input } = command as { input: { Item?: { pk: string; kind: string } } }
    if (input.Item?.kind === 'flow_file' && input.Item.pk.startsWith(failing)) throw new Error('refused')
    return send(command)
  })
  const error = await flushArchive(always).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(AggregateError)
  expect((error as AggregateError).errors.map(String)).toEqual(['Error: refused'])
  expect(await flushed(ids)).toEqual(ids.map((id) => id !== failing))
  vi.restoreAllMocks()
  setClock(dueAt + 1)
  // The failed run has released its lease.
  await flushArchive(always)
  expect(await flushed(ids)).toEqual(ids.map(() => true))
})

it('skips accounts in deletion', async () => {
  const ids = await newAccounts(2)
  const deleted = await newAccounts(2, { exist: false })
  await flushArchive(always)
  expect([await flushed(ids), await flushed(deleted)]).toEqual([
    [true, true],
    [false, false],
  ])
})

it('flushes nothing after the deadline', async () => {
  const ids = await newAccounts(2)
  await flushArchive(0)
  expect(await flushed(ids)).toEqual([false, false])
})

it('begins with any of the accounts', async () => {
  const ids = await newAccounts(3)
  const begun = new Set<string>()
  for (let run = 0; run < 100 && begun.size < ids.length; run++) {
    const sent = recordCommands()
    await flushArchive(always)
    // The first command lists the accounts.
    const [, next] = sent.map(({ input }) => JSON.stringify(input))
    begun.add(ids.find((id) => next?.includes(id)) ?? 'none')
  }
  expect(begun).toEqual(new Set(ids))
})
