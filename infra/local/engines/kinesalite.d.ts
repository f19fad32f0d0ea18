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
