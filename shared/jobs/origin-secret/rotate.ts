import { randomBytes } from 'node:crypto'
import { type OriginSecret, parseOriginSecret } from '../../core/secrets/origin-secret.ts'
import type { Distribution } from './distribution.ts'
import type { StagedSecret } from './staged-secret.ts'

/** Functions read the secret again after five minutes; each knows a word for certain when it is twice as old. */
const knownAfterMs = 10 * 60_000

type World = {
  secret: StagedSecret
  distribution: Distribution
  now: () => number
  /** Waits a while; false when there is no time left to wait. */
  wait: () => Promise<boolean>
}

const wordsOf = async (secret: StagedSecret) => parseOriginSecret((await secret.pending()) ?? (await secret.current()))

/**
 * Steps of a rotation by Secrets Manager, each idempotent. Functions always accept the word that an edge sends:
 * CloudFront changes to one that they know since the rotation before, and the oldest is dropped when no edge sends it
 * any more.
 */
export const rotation: Record<string, (world: World) => Promise<void>> = {
  async createSecret({ secret }) {
    if ((await secret.pending()) !== null) return
    const words = parseOriginSecret(await secret.current())
    await secret.prepare(JSON.stringify(rotated(words, randomBytes(32).toString('hex'))))
  },

  async setSecret({ secret, distribution, now }) {
    const at = await secret.rotatedAt()
    if (at && now() - at.getTime() < knownAfterMs) {
      throw new Error('The last rotation is less than ten minutes old: not every function knows the next word yet.')
    }
    await distribution.send((await wordsOf(secret)).current)
  },

  async testSecret({ secret, distribution, wait }) {
    const { current } = await wordsOf(secret)
    for (;;) {
      const { word, everywhere } = await distribution.sends()
      if (word !== current) throw new Error('The distribution sends another word than this rotation has set.')
      if (everywhere) return
      if (!(await wait())) throw new Error('The distribution has not reached every edge in time.')
    }
  },

  finishSecret: ({ secret }) => secret.finish(),
}

/** The secret after a rotation. The first one has no next word to change to, and only prepares one. */
export const rotated = ({ current, next }: OriginSecret, fresh: string): OriginSecret =>
  next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh }
