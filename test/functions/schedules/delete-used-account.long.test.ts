import { randomUUID } from 'node:crypto'
import type { KinesisStreamEvent } from 'aws-lambda'
import { expect, it, onTestFinished } from 'vitest'
import { handler as getAccount } from '#functions/api/account/get-account.ts'
import { handler as createGroup } from '#functions/api/groups/create-group.ts'
import { handler as deleteDueAccounts } from '#functions/schedules/delete-due-accounts.ts'
import { handler as storeFlowLogs } from '#functions/streams/store-flow-logs.ts'
import { handler as provision } from '#functions/tasks/provision-account.ts'
import { clock } from '#shared/core/clock.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { followUpAll, writeChangeLogOf } from '#test/support/logs/commit-stream.ts'
import { flowRecord, newFlowGrant } from '#test/support/logs/flows.ts'
import { sampleRequests } from '#test/support/operations/sample-requests.ts'
import { useOwnTable } from '#test/support/table/own-table.ts'

it('deletes every item of an account that used all features, and none of another account', {
  timeout: 300_000,
}, async () => {
  const ownTable = await useOwnTable()
  onTestFinished(() => ownTable.end())
  /** Reads all items that mention an account, except the item that tracks the account's deletion. */
  const itemsWith = async (id: string) =>
    (await ownTable.items()).filter((item) => JSON.stringify(item).includes(id) && item.pk !== 'service#due.accounts')
  const other = await newAccount()
  const { account, samples, send } = await sampleRequests()
  for (const [name, sample] of Object.entries(samples)) await send(name, await sample())
  const headers = { 'idempotency-key': randomUUID() }
  await account.call(createGroup, { method: 'POST', body: { group: { name: 'Once' } }, headers })
  const { claims } = await newFlowGrant(account.id)
  const flow = flowRecord(claims(), clock.now(), {
    protocol: 'tcp',
    inner_src_ip: '100.64.0.1',
    inner_src_port: 1,
    inner_dst_ip: '100.64.0.2',
    inner_dst_port: 2,
    domain: null,
    flow_start: clock.now(),
  } as never)
  await storeFlowLogs({ Records: [flow] } as KinesisStreamEvent)
  await followUpAll(account.id)
  await writeChangeLogOf(account.id)
  const others = await itemsWith(other.id)
  const kinds = new Set((await itemsWith(account.id)).map(({ kind }) => kind))
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining([
      'attribution',
      'authorization',
      'commit',
      'counter',
      'due',
      'index',
      'entity',
      'flow_mark',
      'unique',
      'account_version',
      'idempotency',
      'presence',
      'log',
      'rate',
    ]),
  )
  const delete_at = new Date(Date.now() - 3_600_000).toISOString()
  await provision({ operation: 'delete_account', account_id: account.id, delete_at })
  await deleteDueAccounts()
  expect(await itemsWith(account.id)).toEqual([])
  expect(await itemsWith(other.id)).toEqual(others)
  expect((await other.call(getAccount)).status).toBe(200)
})
