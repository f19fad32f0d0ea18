import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { partition } from '#shared/table/keys.ts'
import { itemsOf, queryItems } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { interceptTable } from '#test/support/table/intercept-table.ts'
import { plantGroups } from '#test/support/table/plant-listed.ts'

let pk: string
let ids: string[]

beforeAll(async () => {
  const account = await newAccount()
  pk = partition(account.id, 'groups')
  await plantGroups(account, 6)
  ids = (await queryItems(pk)).map(({ sk }) => sk)
})
afterEach(() => {
  vi.restoreAllMocks()
})

function watchLimits(): (number | undefined)[] {
  const limits: (number | undefined)[] = []
  interceptTable((command, send) => {
    if (command instanceof QueryCommand) limits.push(command.input.Limit)
    return send(command)
  })
  return limits
}

it('reads a partition in pages of the given size, up to its end', async () => {
  const limits = watchLimits()
  const walked: string[] = []
  for await (const { sk } of itemsOf(pk, { pageLength: 3 })) walked.push(sk)
  expect(walked).toEqual(ids)
  expect(walked.length).toBeGreaterThan(6)
  expect(limits).toEqual([3, 3, 3])
})

it('reads no item beyond a limit', async () => {
  const limits = watchLimits()
  expect((await queryItems(pk, { limit: 4 })).map(({ sk }) => sk)).toEqual(ids.slice(0, 4))
  expect(limits).toEqual([4])
})
