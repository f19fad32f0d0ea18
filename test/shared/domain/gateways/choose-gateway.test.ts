import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areCompatible, type Candidate, chooseGateway } from '#shared/domain/gateways/choose-gateway.ts'
import { generateGatewayName } from '#shared/domain/gateways/gateway.ts'
import { SeededRandom } from '#test/simulation/world/seeded-random.ts'
import { seedOf } from '#test/support/run/seeds.ts'

const berlin = { lat: 52.5, lon: 13.4 }
const gateway = (id: string, fields: Partial<Candidate> = {}): Candidate => ({
  id,
  version: '1.4.0',
  lat: null,
  lon: null,
  hasAuthorization: false,
  ...fields,
})
const seeded = new SeededRandom(seedOf('PROPERTY_SEED'))
const chance = () => seeded.next()
const client = { version: '1.4.0', ...berlin }
const chosen = (online: Candidate[], of = client as Parameters<typeof chooseGateway>[1], random = chance) => {
  const choice = chooseGateway(online, of, random)
  return 'gateway' in choice ? choice.gateway.id : choice.reason
}

describe('choice of a gateway (P5.4)', () => {
  it('distinguishes no gateway from none of a compatible version', () => {
    expect(chosen([])).toBe('gateway_offline')
    expect(chosen([gateway('old', { version: '1.2.9' })])).toBe('version_mismatch')
  })

  it('prefers affinity over distance, distance over version, version over chance', () => {
    const near = gateway('near', { lat: 52.4, lon: 13.1, version: '1.3.0' })
    const far = gateway('far', { lat: -33.9, lon: 151.2, version: '1.5.0' })
    expect(chosen([far, near])).toBe('near')
    expect(chosen([{ ...far, hasAuthorization: true }, near])).toBe('far')
    expect(chosen([near, { ...near, id: 'newer', version: '1.3.1' }])).toBe('newer')
    const twins = [near, { ...near, id: 'twin' }]
    const draws = [0.9, 0.1]
    expect(chosen(twins, client, () => draws.shift() ?? 0)).toBe('twin')
  })

  it('measures great-circle distance, even across the date line', () => {
    const fiji = { version: '1.4.0', lat: -17.7, lon: 178 }
    const samoa = gateway('samoa', { lat: -13.8, lon: -172 })
    const sydney = gateway('sydney', { lat: -33.9, lon: 151.2 })
    expect(chosen([sydney, samoa], fiji)).toBe('samoa')
  })

  it("ranks gateways without a position last, unless the client's is unknown", () => {
    const located = gateway('placed', { lat: -33.9, lon: 151.2 })
    const nowhere = gateway('nowhere', { version: '1.5.0' })
    expect(chosen([nowhere, located])).toBe('placed')
    expect(chosen([nowhere, located], { version: '1.4.0', lat: null, lon: null })).toBe('nowhere')
  })

  it('compares versions number by number', () => {
    const versions = ['1.4.9', '1.4.10', '1.4.2'].map((version) => gateway(version, { version }))
    expect(chosen(versions)).toBe('1.4.10')
  })

  it.each([
    ['1.4.0', '1.4.7', true],
    ['1.4.0', '1.5.0', true],
    ['1.4', '1.3.0', true],
    ['1.4.0', '1.6.0', false],
    ['1.4.0', '1.2.0', false],
    ['1.4.0', '2.4.0', false],
    ['1.4.0', 'nightly', false],
    ['1.4.0', null, false],
    ['nightly', 'nightly', true],
    ['1.4.0-beta', '9.9.9', true],
  ])('a client of version %s and a gateway of version %s: %s', (ofClient, ofGateway, expected) => {
    expect(areCompatible(ofClient, ofGateway)).toBe(expected)
  })

  it('chooses a compatible gateway with affinity if there is one', () => {
    const version = fc.constantFrom('1.2.0', '1.3.0', '1.4.0', '1.5.1', '2.0.0', 'x')
    const coordinate = fc.option(fc.double({ min: -90, max: 90, noNaN: true }))
    const candidate = fc.record({
      id: fc.uuid(),
      version,
      lat: coordinate,
      lon: coordinate,
      hasAuthorization: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), version, (online, own) => {
        const choice = chooseGateway(online, { version: own, ...berlin }, chance)
        const fitting = online.filter((one) => areCompatible(own, one.version))
        if (!('gateway' in choice)) {
          expect(fitting).toEqual([])
          return
        }
        expect(fitting).toContain(choice.gateway)
        if (fitting.some(({ hasAuthorization }) => hasAuthorization)) expect(choice.gateway.hasAuthorization).toBe(true)
      }),
    )
  })
})

it('names a gateway with five lower-case letters (A21.2)', () => {
  const names = Array.from({ length: 200 }, generateGatewayName)
  for (const name of names) expect(name).toMatch(/^[a-z]{5}$/)
  expect(new Set(names).size).toBeGreaterThan(150)
})
