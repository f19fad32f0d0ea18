import { randomUUID } from 'node:crypto'
import { BlockList, isIPv4 } from 'node:net'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Condition, evaluateConditions } from '#shared/domain/policies/conditions/conditions.ts'
import { conditionContext } from '#test/support/access/circumstances.ts'

/** Compares the results of client conditions with those of Node's `BlockList` and JavaScript sets (A17.3). */

const holds = (property: string, operator: string, values: string[], context: Parameters<typeof conditionContext>[0]) =>
  evaluateConditions([{ property, operator, values }], conditionContext(context), 0).conforms

const family = (text: string) => (isIPv4(text) ? 'ipv4' : 'ipv6')
// Uses few distinct values per byte, so that addresses are often inside the blocks.
const ipv4 = fc
  .array(fc.constantFrom(0, 1, 10, 127, 128, 255), { minLength: 4, maxLength: 4 })
  .map((parts) => parts.join('.'))
const ipv6 = fc
  .array(fc.constantFrom('0', '1', 'fd00', '2001', 'ffff'), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.join(':'))
  .filter((text) => !text.startsWith('0:0:0:0:0:ffff:'))
const ip = fc.oneof(ipv4, ipv6, fc.ipV4())
const block = fc
  .tuple(ip, fc.option(fc.nat(128)))
  .map(([base, bits]) => ({ base, prefix: bits === null ? null : bits % (isIPv4(base) ? 33 : 129) }))

it('decides whether an address is inside any block, with or without host bits, per family', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 4 }), ip, fc.boolean(), (blocks, client, mapped) => {
      const values = blocks.map(({ base, prefix }) => (prefix === null ? base : `${base}/${prefix}`))
      const inside = blocks
        .filter(({ base }) => family(base) === family(client))
        .some(({ base, prefix }) => {
          const list = new BlockList()
          if (prefix === null) list.addAddress(base, family(base))
          else list.addSubnet(base, prefix, family(base))
          return list.check(client, family(client))
        })
      const text = mapped && isIPv4(client) ? `::ffff:${client}` : client
      expect(holds('remote_ip', 'is_in_cidr', values, { ip: text })).toBe(inside)
      expect(holds('remote_ip', 'is_not_in_cidr', values, { ip: text })).toBe(!inside)
    }),
    { numRuns: 1000 },
  )
})

const region = fc.constantFrom('DE', 'PL', 'FR', 'US')
const provider = fc.constantFrom(randomUUID(), randomUUID(), randomUUID())
const some = <T>(value: fc.Arbitrary<T>) => fc.uniqueArray(value, { minLength: 1 })

it('decides whether the region is in the list, and fails for an unknown one', () => {
  fc.assert(
    fc.property(some(region), fc.option(region), (values, at) => {
      const listed = at !== null && values.includes(at)
      expect(holds('remote_ip_location_region', 'is_in', values, { region: at })).toBe(listed)
      expect(holds('remote_ip_location_region', 'is_not_in', values, { region: at })).toBe(at !== null && !listed)
    }),
  )
})

it('decides whether the provider is in the list, in any case; no provider is in no list', () => {
  fc.assert(
    fc.property(some(provider), fc.option(provider), fc.boolean(), (values, authProviderId, upper) => {
      const spelled = values.map((value) => (upper ? value.toUpperCase() : value))
      const listed = authProviderId !== null && values.includes(authProviderId)
      expect(holds('auth_provider_id', 'is_in', spelled, { authProviderId })).toBe(listed)
      expect(holds('auth_provider_id', 'is_not_in', spelled, { authProviderId })).toBe(!listed)
    }),
  )
})

it('conforms if every condition is satisfied, and lists the violated ones in order', () => {
  const condition = fc.constantFrom<Condition[]>(
    { property: 'client_verified', operator: 'is', values: ['true'] },
    { property: 'remote_ip_location_region', operator: 'is_in', values: ['DE'] },
    { property: 'remote_ip', operator: 'is_in_cidr', values: ['10.0.0.0/8'] },
    { property: 'auth_provider_id', operator: 'is_not_in', values: [randomUUID()] },
  )
  const context = fc.record({
    ip: fc.constantFrom('10.1.1.1', '192.0.2.1', null),
    region: fc.option(region),
    verifiedAt: fc.constantFrom('2026-01-01T00:00:00.000000Z', null),
    authProviderId: fc.constant(null),
  })
  const conditions = fc.uniqueArray(condition, { selector: ({ property }) => property })
  fc.assert(
    fc.property(conditions, context, (list, given) => {
      const at = conditionContext(given)
      const alone = list.filter((one) => !evaluateConditions([one], at, 0).conforms)
      expect(evaluateConditions(list, at, 0)).toEqual(
        alone.length === 0
          ? { conforms: true, until: null }
          : { conforms: false, violated: alone.map(({ property }) => property) },
      )
    }),
  )
})
