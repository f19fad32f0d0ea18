import { randomBytes } from 'node:crypto'
import { type OriginSecret, parseOriginSecret } from '../../core/secrets/origin-secret.ts'
import type { Distribution } from './distribution.ts'
import type { StagedSecret } from './staged-secret.ts'

/** Age after which every function knows a word: twice the five minutes for which functions cache the secret. */
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
 * Steps of a rotation by Secrets Manager, each idempotent. Functions accept every word that an edge location may send:
 * CloudFront switches to a word they have known since the previous rotation, and the oldest word is dropped once no edge
 * location sends it.
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
      throw new Error('The last rotation is less than ten minutes old. Some functions may not know the next word yet.')
    }
    await distribution.send((await wordsOf(secret)).current)
  },

  async testSecret({ secret, distribution, wait }) {
    const { current } = await wordsOf(secret)
    for (;;) {
      const { word, everywhere } = await distribution.sends()
      if (word !== current) throw new Error('The distribution does not send the word that this rotation has set.')
      if (everywhere) return
      if (!(await wait())) throw new Error('The distribution was not deployed to every edge location in time.')
    }
  },

  finishSecret: ({ secret }) => secret.finish(),
}

/** The secret after a rotation. The first rotation only prepares the next word. */
export const rotated = ({ current, next }: OriginSecret, fresh: string): OriginSecret =>
  next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh }
