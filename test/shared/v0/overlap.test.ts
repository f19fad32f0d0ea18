import { BlockList } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { overlapSortKey, overlapsAny, ruleTargetOf, sizeCounter } from '#shared/v0/overlap.ts'
import { canonicalDestination } from '#shared/v0/rule-store.ts'

type Rule = Parameters<typeof ruleTargetOf>[0] & { id: string }

/** Number of variable address bits. The reference implementation enumerates all values of these bits. */
const bits = 4
const addresses = Array.from({ length: 2 ** bits }, (_, i) => i)
const families = {
  ipv4: { type: 'ipv4', width: 32, address: (i: number) => `192.0.2.${i}` },
  ipv6: { type: 'ipv6', width: 128, address: (i: number) => `2001:db8::${i.toString(16)}` },
} as const
type Family = keyof typeof families

/** Generates the usual value most of the time, because otherwise few rules would overlap. */
const usually = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 9 }, { arbitrary: fc.constantFrom(...others), weight: 1 })

const destination = fc
  .record({
    family: usually<Family>('ipv4', 'ipv6'),
    host: fc.constantFrom(...addresses),
    size: fc.integer({ min: 0, max: bits }),
  })
  .map(({ family, host, size }) => `${families[family].address(host)}/${families[family].width - size}`)

const wide = fc.constantFrom('0.0.0.0/0', '::/0', '192.0.0.0/8', '2001:db8::/32', '192.0.3.0/24')
const ports = fc.option(fc.record({ type: usually('tcp', 'udp'), at: fc.integer({ min: 1, max: 9 }), more: fc.nat(2) }))

const rule = fc
  .record({
    action: usually('drop', 'accept'),
    destination: fc.oneof({ arbitrary: destination, weight: 12 }, wide),
    ports,
    user_id: usually<string | null>(null, 'a', 'b'),
  })
  .map(({ ports, destination, ...rest }): Omit<Rule, 'id'> => {
    const high = (ports?.at ?? 0) + (ports?.more ?? 0)
    return {
      ...rest,
      destination: canonicalDestination(destination) as string,
      port_type: ports?.type ?? null,
      port_range: ports && (ports.more === 0 ? `${ports.at}` : `${ports.at} - ${high}`),
    } as Omit<Rule, 'id'>
  })

function portsIn({ port_range }: Omit<Rule, 'id'>): number[] {
  if (port_range === null) return [0]
  const [low = 0, high = low] = port_range.split(' - ').map(Number)
  return Array.from({ length: high - low + 1 }, (_, i) => low + i)
}

/** Decides whether two rules overlap (`/v0` contract, 11.4), address by address and port by port. */
function reference(a: Omit<Rule, 'id'>, b: Omit<Rule, 'id'>): boolean {
  if (a.action !== b.action || a.user_id !== b.user_id || a.port_type !== b.port_type) return false
  if (!portsIn(a).some((port) => portsIn(b).includes(port))) return false
  const [first, second] = [a, b].map(({ destination }) => {
    const list = new BlockList()
    const family = destination.includes(':') ? families.ipv6 : families.ipv4
    const [address = '', mask = family.width] = destination.split('/')
    list.addSubnet(address, Number(mask), family.type)
    // Adds the network's own address, because the network may contain none of the enumerated addresses.
    return { list, family, tried: [...addresses.map(family.address), address] }
  })
  if (!first || !second || first.family !== second.family) return false
  const { type } = first.family
  return [...first.tried, ...second.tried].some(
    (address) => first.list.check(address, type) && second.list.check(address, type),
  )
}

/** Searches sort keys in memory the way a DynamoDB query does. */
const searchAmong = (rules: Rule[], among: string, family: 4 | 6, except?: string) => {
  const sorts = rules
    .map((rule) => ({ place: ruleTargetOf(rule), id: rule.id }))
    .filter(({ place: target }) => target.group === among)
    .map(({ place: target, id }) => overlapSortKey(target, id))
    .sort()
  const sizes = new Set(rules.map((rule) => sizeCounter(ruleTargetOf(rule).network)))
  return {
    read: async ({ after, backward, limit }: { after: string; backward?: boolean; limit: number }) =>
      (backward ? sorts.filter((sort) => sort < after).reverse() : sorts.filter((sort) => sort > after)).slice(
        0,
        limit,
      ),
    hasSize: (prefix: number) => sizes.has(sizeCounter({ family, prefix })),
    except,
  }
}

const finds = (rules: Rule[], given: Omit<Rule, 'id'>, except?: string): Promise<boolean> => {
  const target = ruleTargetOf(given)
  return overlapsAny(target, searchAmong(rules, target.group, target.network.family, except))
}

it('finds an overlap exactly if two rules share an address and a port', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 60 }), async (candidates) => {
      const stored: Rule[] = []
      for (const [i, candidate] of candidates.entries()) {
        const overlaps = stored.some((other) => reference(candidate, other))
        expect(await finds(stored, candidate), JSON.stringify({ candidate, stored })).toBe(overlaps)
        if (!overlaps) stored.push({ ...candidate, id: `rule-${i}` })
      }
    }),
    { numRuns: 300 },
  )
})

it('ignores the rule itself, but finds every other one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 30 }), rule, async (candidates, change) => {
      const stored: Rule[] = []
      for (const [i, candidate] of candidates.entries())
        if (!stored.some((other) => reference(candidate, other))) stored.push({ ...candidate, id: `rule-${i}` })
      for (const { id, ...own } of stored) {
        expect(await finds(stored, own, id)).toBe(false)
        const others = stored.filter((other) => other.id !== id)
        const overlaps = others.some((other) => reference(change, other))
        expect(await finds(stored, change, id), JSON.stringify({ id, change, stored })).toBe(overlaps)
      }
    }),
    { numRuns: 150 },
  )
})

const tcp = (id: string, destination: string, port_range: string): Rule => ({
  id,
  action: 'drop',
  destination,
  port_type: 'tcp',
  port_range,
  user_id: null,
})

it('finds a rule behind the rule itself in a larger network', async () => {
  const stored = [tcp('one', '192.0.2.0/24', '1'), tcp('own', '192.0.2.0/24', '3')]
  expect(await finds(stored, tcp('own', '192.0.2.128/25', '1 - 5'), 'own')).toBe(true)
  expect(await finds(stored, tcp('own', '192.0.2.128/25', '2 - 5'), 'own')).toBe(false)
})

it('reads more if many rules begin within its network', async () => {
  const stored = Array.from({ length: 120 }, (_, i) => tcp(`rule-${i}`, `192.0.2.${i}`, '1'))
  const last = tcp('last', '192.0.2.120', '2')
  expect(await finds(stored, tcp('new', '192.0.2.0/24', '2'))).toBe(false)
  expect(await finds([...stored, last], tcp('new', '192.0.2.0/24', '2'))).toBe(true)
})

it('reads few of many rules', async () => {
  const network = (i: number) => `10.${i >> 8}.${i & 255}.0/24`
  const rules = Array.from(
    { length: 5_000 },
    (_, i): Rule => ({
      id: `rule-${i}`,
      action: 'drop',
      destination: network(i),
      port_type: null,
      port_range: null,
      user_id: null,
    }),
  )
  const target = ruleTargetOf({ ...(rules[0] as Rule), destination: '10.200.0.7' })
  const search = searchAmong(rules, target.group, 4)
  let sorts = 0
  const read: typeof search.read = async (range) => {
    const found = await search.read(range)
    sorts += found.length
    return found
  }
  expect(await overlapsAny(target, { ...search, read })).toBe(false)
  expect(sorts).toBeLessThanOrEqual(52)
  const overlapping = ruleTargetOf({ ...(rules[0] as Rule), destination: '10.1.1.7' })
  expect(await overlapsAny(overlapping, { ...search, read })).toBe(true)
})
