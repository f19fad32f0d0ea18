import { type CountedPresence, renderPresence } from '../presence/presence.ts'
import { type ClientRow, namedClient } from './client.ts'

/** A client as the API shows it (A23.1): the row with its live fields. */
export const renderClient = (client: ClientRow, presence: CountedPresence | null, now: number) => ({
  ...namedClient(client),
  ...renderPresence(presence, now),
})
