import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { handler as getClient } from '#functions/api/clients/get-client.ts'
import { handler as listClients } from '#functions/api/clients/list-clients.ts'
import { type GroupRow, groups, nativeGroup } from '#shared/domain/groups/group.ts'
import type { Entity } from '#shared/table/entity.ts'
import { listRows } from '#shared/table/list.ts'
import { type Account, newAccount } from '#test/support/accounts/account.ts'
import { recordCommands } from '#test/support/table/intercept-table.ts'
import { plantGroups, plantOnlineClients } from '#test/support/table/plant-listed.ts'

let account: Account
let planted: GroupRow[]

beforeAll(async () => {
  account = await newAccount()
  planted = await plantGroups(account, 2)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const page = { limit: 10, cursor: null, filters: {}, binding: 'groups' }

it('returns in a list of clients the same fields as for a single one', async () => {
  const clients = await plantOnlineClients(account, 3)
  const alone = await Promise.all(clients.map(({ id }) => account.call(getClient, { params: { id } })))
  const { body } = await account.call(listClients)
  expect(body.data).toEqual(alone.map((answer) => answer.body.data))
  expect(body.data[0]).toMatchObject({ hostname: 'laptop-0.example.com', online: true, last_seen_version: '1.4.0' })
})

it('reads the requested fields, and no others', async () => {
  const sent = recordCommands()
  const { rows } = await listRows(groups, account.id, page, { fields: ['id', 'name'] })
  expect(rows.slice(-2)).toEqual(planted.map(({ id, name }) => ({ ...nativeGroup, id, name })))
  const query = sent.find((command) => command instanceof QueryCommand)
  expect(query?.input.ProjectionExpression).toBe('#sk, #id, #name')
})

it('reads whole rows if an upgrade may need them', async () => {
  const renamed: Entity<GroupRow> = { ...groups, upgrades: [(row) => ({ ...row, name: `At ${row.inserted_at}` })] }
  const { rows } = await listRows(renamed, account.id, page, { fields: ['id', 'name'] })
  expect(rows.slice(-2).map(({ name }) => name)).toEqual(planted.map(({ inserted_at }) => `At ${inserted_at}`))
})
