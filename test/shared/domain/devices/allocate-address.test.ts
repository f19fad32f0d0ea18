import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { allocateAddress, firstOffset, lastOffset, tunnelAddresses } from '#shared/domain/devices/allocate-address.ts'
import { uniqueKey } from '#shared/table/keys.ts'
import { put, writeTogether } from '#shared/table/write-together.ts'

const account = (clientCount = 0) => ({
  accountId: randomUUID(),
  count: (name: string) => (name === 'clients' ? clientCount : 0),
})

const take = (accountId: string, offsets: number[]) =>
  writeTogether(
    offsets.map((offset) =>
      put({ ...uniqueKey(accountId, 'devices.tunnel_address', tunnelAddresses(offset).ipv4), kind: 'unique' }),
    ),
  )

describe('allocateAddress', () => {
  it('uses the start if it is free', async () => {
    expect(await allocateAddress(account(), 7)).toEqual({ ipv4: '100.64.0.7', ipv6: 'fd00:2021:1111::7' })
  })

  it('probes linearly, past the end from the first address on', async () => {
    const one = account()
    await take(one.accountId, [lastOffset - 1, lastOffset, firstOffset])
    expect(await allocateAddress(one, lastOffset - 1)).toEqual(tunnelAddresses(firstOffset + 1))
  })

  it('continues if a whole round is taken', async () => {
    const one = account()
    await take(
      one.accountId,
      Array.from({ length: 60 }, (_, i) => 1000 + i),
    )
    await take(
      one.accountId,
      Array.from({ length: 60 }, (_, i) => 1060 + i),
    )
    expect(await allocateAddress(one, 1000)).toEqual(tunnelAddresses(1120))
  })

  it('gives up at once when every address is taken', async () => {
    const full = account(lastOffset - firstOffset + 1)
    await expect(allocateAddress(full)).rejects.toMatchObject({ code: 'address_space_exhausted', status: 409 })
  })
})
