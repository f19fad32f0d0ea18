import { waiting } from '../../core/work/waiting.ts'

export type AccessToken = { text: string; type: 'bearer' | 'dpop' }
export type NewToken = { token: AccessToken; livesMs: number }

/** The token of a run: asked for when it is needed, and again before it ends. */
export type TokenSource = {
  current(): Promise<AccessToken>
  /** The provider takes it no more. */
  drop(token: AccessToken): void
}

/** A token with less time left could end on its way. */
const leastLeftMs = 60_000

/** Asks once for all who wait; a request that failed is made again by the next who asks. */
export function tokenSource(request: () => Promise<NewToken>): TokenSource {
  let good: { token: AccessToken; until: number } | null = null
  let asked: Promise<AccessToken> | null = null
  const renew = async () => {
    try {
      const { token, livesMs } = await request()
      good = { token, until: waiting.now() + livesMs - leastLeftMs }
      return token
    } finally {
      asked = null
    }
  }
  return {
    async current() {
      if (good && good.until > waiting.now()) return good.token
      asked ??= renew()
      return asked
    },
    drop(token) {
      if (good?.token === token) good = null
    },
  }
}

/** A token that an administrator entered: it is what it is. */
export const fixedToken = (text: string): TokenSource => ({
  current: async () => ({ text, type: 'bearer' }),
  drop: () => {},
})
