import { type CountedPresence, renderPresence } from '../presence/presence.ts'
import type { ClientRow } from './client.ts'

/** A client as the API shows it (A23.1): the row with its live fields. */
export const renderClient = ({ inserted_at, ...row }: ClientRow, presence: CountedPresence | null, now: number) => ({
  ...row,
  // Nothing in this service attests devices.
  last_attested_at: null,
  last_attested_cert_fingerprint: null,
  last_attested_cert_serial: null,
  last_attested_device_serial: null,
  last_attested_device_uuid: null,
  last_attested_mdm_device_id: null,
  ...renderPresence(presence, now),
  created_at: inserted_at,
})
