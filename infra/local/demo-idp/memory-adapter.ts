import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'

type Kept = { payload: AdapterPayload; expiresAt: number }

/** What a provider keeps while it runs; a new start begins with nothing. */
export function memoryAdapter(): AdapterFactory {
  const kept = new Map<string, Kept>()
  const sweep = (now = Date.now()) => {
    for (const [key, { expiresAt }] of kept) if (expiresAt <= now) kept.delete(key)
  }
  return (model): Adapter => {
    const keyOf = (id: string) => `${model}:${id}`
    const find = (holds: (payload: AdapterPayload) => boolean) =>
      [...kept].find(([key, { payload }]) => key.startsWith(keyOf('')) && holds(payload))?.[1].payload
    return {
      async upsert(id, payload, expiresIn = Number.POSITIVE_INFINITY) {
        sweep()
        kept.set(keyOf(id), { payload, expiresAt: Date.now() + expiresIn * 1_000 })
      },
      find: async (id) => kept.get(keyOf(id))?.payload,
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (userCode) => find((payload) => payload.userCode === userCode),
      async consume(id) {
        const found = kept.get(keyOf(id))
        if (found) found.payload.consumed = Math.floor(Date.now() / 1_000)
      },
      async destroy(id) {
        kept.delete(keyOf(id))
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key)
      },
    }
  }
}
