import { expect, it } from 'vitest'
import { generateClientName } from '#shared/domain/clients/client.ts'
import { freeDeviceName, shortenName } from '#shared/v0/device-store.ts'

it.each([
  ['wandering-harbor', 'wandering-h30B8'],
  ['fifteen-letters', 'fifteen-letters'],
  ['calm-owl', 'calm-owl'],
])('shortens %s to %s', (name, short) => {
  expect(shortenName(name)).toBe(short)
})

it('combines lists of at least 64 words each, in lower-case ASCII', () => {
  const names = Array.from({ length: 20_000 }, generateClientName)
  for (const name of names) expect(name).toMatch(/^[a-z]+-[a-z]+$/)
  for (const part of [0, 1]) expect(new Set(names.map((name) => name.split('-')[part])).size).toBeGreaterThanOrEqual(64)
})

it('generates another name while the user has a device with it', async () => {
  const drawn = ['calm-owl', 'wandering-harbor', 'calm-owl', 'brave-elm']
  const inUse = new Set(['u/calm-owl', 'u/wandering-h30B8'])
  const isTaken = async (_set: string, value: string) => inUse.has(value)
  expect(await freeDeviceName({ isTaken }, 'u', () => drawn.shift() ?? '')).toBe('brave-elm')
})
