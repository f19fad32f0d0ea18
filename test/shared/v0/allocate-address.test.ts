import fc from 'fast-check'
import { afterEach, expect, it, vi } from 'vitest'
import { allocateV0Address, offsetsFrom } from '#shared/v0/allocate-address.ts'
import { parseIp } from '#shared/values/ip.ts'

afterEach(() => vi.unstubAllEnvs())

const free = { accountId: 'none' }

it('tries every offset except the first two and the last once: upward, then downward', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 4n, max: 300n }), fc.nat(), (size, seed) => {
      const start = 2n + (BigInt(seed) % (size - 3n))
      const tried = [...offsetsFrom(start, size)]
      const upward = tried.filter((offset) => offset >= start)
      const downward = tried.filter((offset) => offset < start)
      expect(tried).toEqual([...upward, ...downward])
      expect(upward).toEqual(upward.toSorted((a, b) => Number(a - b)))
      expect(downward).toEqual(downward.toSorted((a, b) => Number(b - a)))
      expect(tried.toSorted((a, b) => Number(a - b))).toEqual(
        Array.from({ length: Number(size) - 3 }, (_, i) => BigInt(i) + 2n),
      )
    }),
  )
})

it('starts anywhere between the third and the second-last address', async () => {
  const drawn: bigint[] = []
  const first = (below: bigint) => {
    drawn.push(below)
    return 0n
  }
  expect(await allocateV0Address(free, 'ipv4', first)).toBe('100.64.0.2')
  expect(await allocateV0Address(free, 'ipv4', (below) => below - 1n)).toBe('100.127.255.254')
  expect(await allocateV0Address(free, 'ipv6', first)).toBe('fd00::2')
  expect(await allocateV0Address(free, 'ipv6', (below) => below - 1n)).toBe('fd00::3f:fffe')
  expect(drawn).toEqual([2n ** 22n - 3n, 2n ** 22n - 3n])
})

it("skips the server's address", async () => {
  vi.stubEnv('V0_IPV4_SERVER', '100.64.0.2')
  expect(await allocateV0Address(free, 'ipv4', () => 0n)).toBe('100.64.0.3')
})

it('uses the first 2^58 addresses of a larger network', async () => {
  vi.stubEnv('V0_IPV6_NETWORK', 'fd00::/8')
  const last = await allocateV0Address(free, 'ipv6', (below) => below - 1n)
  expect((parseIp(last)?.value ?? 0n) - (parseIp('fd00::')?.value ?? 0n)).toBe(2n ** 58n - 2n)
  for (let i = 0; i < 50; i++) {
    const value = (parseIp(await allocateV0Address(free, 'ipv6'))?.value ?? 0n) - (parseIp('fd00::')?.value ?? 0n)
    expect(value >= 2n && value <= 2n ** 58n - 2n).toBe(true)
  }
})

it('finds the only address of 192.0.2.0/30', async () => {
  vi.stubEnv('V0_IPV4_NETWORK', '192.0.2.0/30')
  expect(await allocateV0Address(free, 'ipv4')).toBe('192.0.2.2')
})

it.each(['192.0.2.0/31', '192.0.2.0/32'])('finds none in %s', async (network) => {
  vi.stubEnv('V0_IPV4_NETWORK', network)
  await expect(allocateV0Address(free, 'ipv4')).rejects.toMatchObject({ status: 422 })
})
