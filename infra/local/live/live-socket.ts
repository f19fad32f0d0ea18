import type { WebSocket } from 'ws'
import type { Opened } from './live-event.ts'

/** An open connection of a device. */
export type LiveSocket = { opened: Opened; socket: WebSocket; lastActiveAt: number }
