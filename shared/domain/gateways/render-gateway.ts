import { type CountedPresence, renderPresence } from '../presence/presence.ts'
import type { GatewayRow } from './gateway.ts'

/** A gateway as the API shows it (A21.1): the row with its live fields. */
export const renderGateway = (row: GatewayRow, presence: CountedPresence | null, now: number) => ({
  ...row,
  ...renderPresence(presence, now),
  gateway_token_id: presence?.token_id ?? null,
  rotated_at: presence?.rotated_at ?? null,
})
