declare module 'kinesalite' {
  import type { Server } from 'node:http'

  export default function kinesalite(options: {
    path?: string
    createStreamMs?: number
    deleteStreamMs?: number
    updateStreamMs?: number
    shardLimit?: number
  }): Server
}

declare module 'kinesalite/db/index.js' {
  import type { EventEmitter } from 'node:events'

  /** LevelDB handle of levelup. Opens asynchronously and emits `open` or `error`. */
  type Database = EventEmitter & {
    iterator(options: { fillCache: boolean }): {
      next(done: (error: Error | null | undefined, key?: unknown) => void): void
      end(done: (error?: Error | null) => void): void
    }
    close(): Promise<void>
  }

  export function create(options: { path: string }): { db: Database }
}
