import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptedWords, type OriginSecret, parseOriginSecret } from '#shared/core/secrets/origin-secret.ts'
import type { Distribution } from '#shared/jobs/origin-secret/distribution.ts'
import { rotateWords, rotation } from '#shared/jobs/origin-secret/rotate.ts'
import type { StagedSecret } from '#shared/jobs/origin-secret/staged-secret.ts'

const minute = 60_000
const steps = ['createSecret', 'setSecret', 'testSecret', 'finishSecret'] as const

/** Fakes Secrets Manager, CloudFront, and functions with caches, on a simulated clock. */
function newWorld({ edgeMs = 4 * minute } = {}) {
  let now = 0
  const versions = { current: JSON.stringify({ current: 'first' }), pending: null as string | null }
  let rotatedAt: Date | null = null
  // Secret values that edge locations send, each with its deployment time. An edge location may send an older value until the next one is
  // deployed everywhere.
  const sent: { word: string; from: number }[] = [{ word: 'first', from: 0 }]
  const everywhere = () => now >= (sent.at(-1)?.from ?? 0) + edgeMs
  const edges = () =>
    sent.filter((_, i) => now < (sent[i + 1]?.from ?? Number.POSITIVE_INFINITY) + edgeMs).map(({ word }) => word)
  // Secrets that functions have read within the last five minutes.
  const readings: { at: number; text: string }[] = [{ at: 0, text: versions.current }]
  const secret: StagedSecret = {
    current: async () => versions.current,
    pending: async () => versions.pending,
    prepare: async (text) => {
      versions.pending = text
    },
    rotatedAt: async () => rotatedAt,
    finish: async () => {
      if (versions.pending) versions.current = versions.pending
      versions.pending = null
      rotatedAt = new Date(now)
    },
  }
  const distribution: Distribution = {
    send: async (word) => {
      if (sent.at(-1)?.word !== word) sent.push({ word, from: now })
    },
    readWord: async () => ({ word: sent.at(-1)?.word ?? '', everywhere: everywhere() }),
  }
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= minute / 2) {
      now += Math.min(left, minute / 2)
      readings.push({ at: now, text: versions.current })
      if (readings.length > 12) readings.shift()
      check()
    }
  }
  const check = () => {
    const texts = [versions.current, ...readings.filter(({ at }) => at > now - 5 * minute).map(({ text }) => text)]
    const refused = texts.some((text) => edges().some((word) => !acceptedWords(text).includes(word)))
    if (refused) throw new Error(`A function refuses what an edge sends at ${now / minute} minutes.`)
  }
  let patience = Number.POSITIVE_INFINITY
  const world = {
    secret,
    distribution,
    now: () => now,
    wait: async () => {
      patience -= minute / 2
      if (patience < 0) return false
      pass(minute / 2)
      return true
    },
  }
  return {
    world,
    versions,
    edges,
    pass,
    /** Runs the rotation steps as Secrets Manager does, up to the step before index `until`. */
    async rotate({ until = steps.length as number, patienceMs = Number.POSITIVE_INFINITY } = {}) {
      versions.pending = null
      patience = patienceMs
      for (const step of steps.slice(0, until)) {
        await rotation[step]?.(world)
        check()
      }
    },
  }
}

describe('the rotation of the origin secret', () => {
  it('prepares a word first, and switches to it at the next rotation', async () => {
    const { rotate, versions, edges, pass } = newWorld()
    await rotate()
    const first = parseOriginSecret(versions.current)
    expect(first).toMatchObject({ current: 'first', next: expect.stringMatching(/^[0-9a-f]{64}$/) })
    pass(10 * minute)
    await rotate()
    expect(parseOriginSecret(versions.current)).toMatchObject({ previous: 'first', current: first.next })
    expect(edges()).toEqual([first.next])
  })

  it('drops a word only when no edge sends it, under any repetition, interruption or delay', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            restMinutes: fc.integer({ min: 0, max: 20 }),
            until: fc.oneof({ weight: 4, arbitrary: fc.constant(4) }, fc.integer({ min: 1, max: 4 })),
            patienceMinutes: fc.integer({ min: 0, max: 20 }),
          }),
          { maxLength: 12 },
        ),
        fc.integer({ min: 0, max: 25 }),
        async (rotations, edgeMinutes) => {
          const { rotate, pass, versions } = newWorld({ edgeMs: edgeMinutes * minute })
          for (const { restMinutes, until, patienceMinutes } of rotations) {
            pass(restMinutes * minute)
            // Ignores the error of a failed step, because it aborts only the current attempt, as in Secrets Manager.
            await rotate({ until, patienceMs: patienceMinutes * minute }).catch((error: Error) => {
              expect(error.message).toMatch(/ten minutes old|not deployed to every edge/)
            })
          }
          expect(parseOriginSecret(versions.current).current).toBeTruthy()
        },
      ),
      { numRuns: 200 },
    )
  })

  it('refuses another rotation before every function can have read the next word', async () => {
    const { rotate, pass, edges } = newWorld()
    await rotate()
    pass(9 * minute)
    await expect(rotate()).rejects.toThrow('less than ten minutes old')
    expect(edges()).toEqual(['first'])
    pass(minute)
    await rotate()
    expect(edges()).not.toEqual(['first'])
  })

  it('does not complete while an edge still sends the previous word', async () => {
    const { rotate, pass, versions } = newWorld({ edgeMs: 20 * minute })
    pass(30 * minute)
    await rotate()
    pass(10 * minute)
    await expect(rotate({ patienceMs: 5 * minute })).rejects.toThrow('was not deployed to every edge')
    expect(parseOriginSecret(versions.current).previous).toBeUndefined()
  })

  it('fails after a concurrent change of the header', async () => {
    const { world, rotate } = newWorld()
    await rotate({ until: 2 })
    await world.distribution.send('another')
    await expect(rotation.testSecret?.(world)).rejects.toThrow('does not send the value')
  })
})

it('switches to the prepared word, and keeps the previous one', () => {
  const first = rotateWords({ current: 'a' }, 'b')
  expect(first).toEqual({ current: 'a', next: 'b' })
  const second = rotateWords(first, 'c')
  expect(second).toEqual({ previous: 'a', current: 'b', next: 'c' })
  expect(rotateWords(second, 'd')).toEqual({ previous: 'b', current: 'c', next: 'd' } satisfies OriginSecret)
})
