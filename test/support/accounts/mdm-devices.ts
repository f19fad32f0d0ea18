import { mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import type { Account } from './account.ts'
import { insertRow } from './rows.ts'

export const insertMdmDevice = ({ id }: Pick<Account, 'id'>, mdm_id: string, fields: Record<string, unknown> = {}) =>
  insertRow(id, mdmDevices, {
    account_id: id,
    posture_provider_id: '0198a000-0000-7000-8000-0000000000aa',
    mdm_id,
    synced_at: '2026-01-01T00:00:00.000000Z',
    tags: null,
    device_action_results: null,
    ...fields,
  })
