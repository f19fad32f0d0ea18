import { expect, it } from 'vitest'
import { loadTest } from './load.ts'

it('loses and duplicates no flow while gateways stream and administrators read and write', async () => {
  const { flows, lost, duplicated, wrong } = await loadTest(10)
  expect(flows).toBeGreaterThan(0)
  expect({ lost, duplicated, wrong }).toEqual({ lost: 0, duplicated: 0, wrong: 0 })
}, 300_000)
