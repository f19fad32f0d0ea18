import { expect, it } from 'vitest'
import type { DirectoryUser, ProviderPage } from '#shared/sync/adapter.ts'
import {
  memoryAdapter,
  memoryDirectory,
  memoryGroup,
  memoryInventoryAdapter,
  memoryUser,
} from '#test/support/sync/memory-directory.ts'

async function walk<T>(read: (position: string | null) => Promise<ProviderPage<T>>): Promise<T[]> {
  const found: T[] = []
  let position: string | null = null
  do {
    const page: ProviderPage<T> = await read(position)
    found.push(...page.entries)
    position = page.next
  } while (position !== null)
  return found
}

it('reads a directory in memory page by page, and confirms active users', async () => {
  const users = ['a', 'b', 'c', 'd', 'e'].map((id): DirectoryUser => memoryUser(id, { active: id !== 'b' }))
  const directory = memoryDirectory({
    users,
    groups: [memoryGroup('g')],
    members: new Map([['g', [{ user: 'a' }, { group: 'h' }]]]),
    hidden: ['z'],
  })
  const adapter = memoryAdapter(directory, 2)
  expect(await walk((position) => adapter.users(position))).toEqual(users)
  expect(await walk((position) => adapter.groups(position))).toEqual(directory.groups)
  expect(await walk((position) => adapter.members(memoryGroup('g'), position))).toEqual([{ user: 'a' }, { group: 'h' }])
  expect(await adapter.confirm(['a', 'b', 'y', 'z'])).toEqual(['a', 'z'])
  await expect(adapter.members({ idp_id: 'h', nested: true }, null)).rejects.toMatchObject({
    faultClass: 'object_gone',
  })
})

it('reads the lists of an inventory in memory', async () => {
  const devices = new Map([['d1', { model: 'Mac' }]])
  const adapter = memoryInventoryAdapter({ lists: { devices, firewall: new Map() }, before: () => {} })
  expect(adapter.lists).toEqual(['devices', 'firewall'])
  expect(await walk((position) => adapter.read('devices', position))).toEqual([
    { mdm_id: 'd1', fields: { model: 'Mac' } },
  ])
})
