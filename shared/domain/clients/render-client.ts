import { renderPresence, type Seen } from '../presence/presence.ts'
import { type ClientRow, namedClient } from './client.ts'

/**
 * A client as the API shows it (A23.1): the row with its live fields. Its token need not be looked at: a lease ends no later
 * than its token expires, and a token that is deleted takes the leases of its sessions along.
 */
export const renderClient = (client: ClientRow, presence: Seen | null, now: number) => ({
  ...namedClient(client),
  ...renderPresence(presence, now),
})
