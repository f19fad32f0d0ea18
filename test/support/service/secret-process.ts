import { vi } from 'vitest'

/** One version of the service secret, as it stands in a list. */
type Version = { version: string; secret?: string; keys?: object; from?: string; compromised?: boolean }

/** Stores a list of versions, as a rotation does; processes learn of it in their own time. */
export const storeSecret = (...versions: Version[]): void => {
  vi.stubEnv('SERVICE_SECRET', JSON.stringify(versions))
}

/** What depends on the service secret, in a process that has read nothing yet. */
export async function secretProcess() {
  vi.resetModules()
  const [secret, rotation, sealed, token, cursors, ingest, server] = await Promise.all([
    import('#shared/core/secrets/service-secret.ts'),
    import('#shared/jobs/secret-rotation/retired-version.ts'),
    import('#shared/core/secrets/sealed-secret.ts'),
    import('#shared/core/secrets/token.ts'),
    import('#shared/core/pagination.ts'),
    import('#shared/logs/flows/ingest-token.ts'),
    import('#shared/v0/devices/server-key.ts'),
  ])
  return { ...secret, ...rotation, ...sealed, ...token, ...cursors, ...ingest, ...server }
}
