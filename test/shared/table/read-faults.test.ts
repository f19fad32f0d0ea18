import type { BatchGetCommandOutput } from '@aws-sdk/lib-dynamodb'
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { handler as getGroup } from '#functions/api/groups/get-group.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import { entityKey } from '#shared/table/keys.ts'
import { getItems } from '#shared/table/read.ts'
import { tableName } from '#shared/table/table.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertRow } from '#test/support/accounts/rows.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'

let account: Awaited<ReturnType<typeof newAccount>>
const rows: GroupRow[] = []

beforeAll(async () => {
  account = await newAccount()
  for (let i = 0; i < 8; i++) {
    rows.push(await insertRow(account.id, groups, { ...nativeGroup, name: `Group ${i}` }))
  }
})
afterEach(() => {
  vi.restoreAllMocks()
})

function processAtMost(max: number): number[] {
  const sizes: number[] = []
  interceptTable(async (command, send) => {
    if (!(command instanceof BatchGetCommand)) return send(command)
    const name = tableName()
    const request = command.input.RequestItems?.[name] as { Keys: Record<string, unknown>[] }
    sizes.push(request.Keys.length)
    const [now, later] = [request.Keys.slice(0, max), request.Keys.slice(max)]
    const UnprocessedKeys = later.length > 0 ? { [name]: { ...request, Keys: later } } : {}
    if (now.length === 0) return { Responses: {}, UnprocessedKeys }
    const answer = (await send(
      new BatchGetCommand({ RequestItems: { [name]: { ...request, Keys: now } } }),
    )) as BatchGetCommandOutput
    return { ...answer, UnprocessedKeys }
  })
  return sizes
}

describe('a batch read that the table processes partially', () => {
  it('is retried for unprocessed keys, and returns items in order', async () => {
    const batchSizes = processAtMost(3)
    const items = await getItems(rows.map(({ id }) => entityKey(account.id, groups.name, id)))
    expect(items.map((item) => item?.id)).toEqual(rows.map(({ id }) => id))
    expect(batchSizes).toEqual([8, 5, 2])
  })

  it('does not affect the response to a request', async () => {
    processAtMost(1)
    const { status, body } = await account.call(getGroup, { params: { id: rows[0]?.id as string } })
    expect([status, body.data.name]).toEqual([200, 'Group 0'])
  })

  it('is 503 if some keys are never processed', async () => {
    processAtMost(0)
    const log = catchLog()
    const { status, headers } = await account.call(getGroup, { params: { id: rows[0]?.id as string } })
    expect([status, headers['retry-after']]).toEqual([503, '1'])
    expect(log.lines()).toContainEqual(
      expect.objectContaining({ event: 'unexpected_error', error: 'ThrottlingException: Keys left unread.' }),
    )
  })
})
