import { afterEach, expect, it, vi } from 'vitest'
import { lastGoodRunKey } from '#shared/domain/sync/sync-state.ts'
import { getItem } from '#shared/table/read.ts'
import { readCommits } from '#test/support/logs/commit-stream.ts'
import { newInventoryWorld } from '#test/support/sync/inventory-runs.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const mac = 'AAAAAAAA-0000-4000-8000-00000000000A'

it('inserts the devices of a first run, then updates changed ones and deletes absent ones, and writes nothing else', async () => {
  const world = await newInventoryWorld()
  const { fleet, account } = world
  fleet.devices = [
    {
      mdm_id: mac,
      device_name: 'Mac',
      udid: 'x'.repeat(2_000),
      unknown: 'dropped',
      is_encrypted: 'no boolean',
      tags: ['a'],
    },
    ...['two', 'three'].map((mdm_id) => ({ mdm_id, serial_number: `S-${mdm_id}` })),
  ]
  fleet.furtherLists = {
    firewall: [
      { mdm_id: mac, firewall_enabled: true },
      { mdm_id: 'nobody', firewall_enabled: true },
    ],
  }
  const run = await world.run()
  expect(run).toMatchObject({ outcome: 'applied', error: null, seen: { devices: 3 }, skipped: {} })
  expect(run.applied).toEqual({ devices: { insert: 3, update: 0, delete: 0 } })
  const first = await world.devices()
  expect(first.map(({ mdm_id }) => mdm_id)).toEqual([mac, 'three', 'two'])
  expect(first[0]).toMatchObject({
    id: mac.toLowerCase(),
    account_id: account.id,
    posture_provider_id: world.id,
    device_name: 'Mac',
    udid: 'x'.repeat(1_024),
    is_encrypted: null,
    firewall_enabled: true,
    tags: ['a'],
    synced_at: run.started_at,
  })
  expect(first[0]).not.toHaveProperty('unknown')
  expect(first[1]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab]/)
  expect(await world.row()).toMatchObject({ is_verified: true, is_disabled: false, error: null })

  // Expects no devices in commit records.
  const objects = async () =>
    (await readCommits(account.id)).flatMap(({ changes }) => changes.map(({ object }) => object))
  expect(await objects()).not.toContain('mdm_devices')

  const before = (await readCommits(account.id)).length
  expect(await world.run()).toMatchObject({ outcome: 'applied', sections: { changed: 0, new: 0, absent: 0 } })
  expect((await readCommits(account.id)).length).toBe(before)
  expect(await world.devices()).toEqual(first)

  fleet.devices = [
    { mdm_id: mac, device_name: 'Mac', tags: ['a', 'b'] },
    { mdm_id: 'two', serial_number: 'S-two' },
  ]
  const third = await world.run()
  expect(third.applied).toEqual({ devices: { insert: 0, update: 1, delete: 1 } })
  const left = await world.devices()
  expect(left).toMatchObject([{ mdm_id: mac, udid: null, tags: ['a', 'b'] }, first[2]])
  expect(await getItem(lastGoodRunKey(account.id, world.id))).toMatchObject({ synced_at: third.started_at })
})
