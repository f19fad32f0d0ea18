import { randomBytes } from 'node:crypto'
import { type OriginSecret, parseOriginSecret } from '../../core/secrets/origin-secret.ts'
import type { Distribution } from './distribution.ts'
import type { StagedSecret } from './staged-secret.ts'

/** Age in milliseconds after which every function accepts a new word of the secret: twice the five minutes for which functions cache it. */
const propagationMs = 10 * 60_000

type World = {
  secret: StagedSecret
  distribution: Distribution
  now: () => number
  /** Waits before the next check. Returns false if no time is left. */
  wait: () => Promise<boolean>
}

const wordsOf = async (secret: StagedSecret) => parseOriginSecret((await secret.pending()) ?? (await secret.current()))

/**
 * Steps of a rotation by Secrets Manager, each of which is idempotent. Functions must accept every word that an edge location may send.
 * CloudFront therefore switches to a word that functions have accepted since the previous rotation. The oldest word is dropped once no edge
 * location sends it.
 */
export const rotation: Record<string, (world: World) => Promise<void>> = {
  async createSecret({ secret }) {
    if ((await secret.pending()) !== null) return
    const words = parseOriginSecret(await secret.current())
    await secret.prepare(JSON.stringify(rotateWords(words, randomBytes(32).toString('hex'))))
  },

  async setSecret({ secret, distribution, now }) {
    const at = await secret.rotatedAt()
    if (at && now() - at.getTime() < propagationMs) {
      throw new Error(
        'The last rotation is less than ten minutes old. Some functions may not have read the next value yet.',
      )
    }
    await distribution.send((await wordsOf(secret)).current)
  },

  async testSecret({ secret, distribution, wait }) {
    const { current } = await wordsOf(secret)
    for (;;) {
      const { word, everywhere } = await distribution.readWord()
      if (word !== current) throw new Error('The distribution does not send the value that this rotation has set.')
      if (everywhere) return
      if (!(await wait())) throw new Error('The distribution was not deployed to every edge location in time.')
    }
  },

  finishSecret: ({ secret }) => secret.finish(),
}

/** Returns the secret after a rotation. The first rotation only adds the next word. */
export const rotateWords = ({ current, next }: OriginSecret, newWord: string): OriginSecret =>
  next === undefined ? { current, next: newWord } : { previous: current, current: next, next: newWord }
