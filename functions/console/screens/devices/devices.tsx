import { type Collection, columnsOf } from '../../collection/collection.ts'
import { texts } from '../../texts/texts.ts'

const shownFirst = ['device_name', 'serial_number', 'user_email', 'model', 'platform', 'os_version', 'compliance_state']

/** Devices of the inventory, which the posture providers own. */
export const devices: Collection = {
  noun: 'devices',
  scope: 'mdm',
  address: '/devices',
  routes: { list: 'GET /mdm_devices', read: 'GET /mdm_devices/{id}' },
  envelope: 'mdm_device',
  title: 'device_name',
  columns: columnsOf<'GET /mdm_devices'>()(
    'device_name',
    'serial_number code',
    'user_email',
    'platform minor',
    'os_version minor',
    'synced_at time',
  ),
  filters: [{ name: 'serial_number' }, { name: 'email' }],
  facts: [],
  factsOf: (row) => {
    const rest = Object.keys(row).filter(
      (field) => !shownFirst.includes(field) && !['id', 'account_id'].includes(field),
    )
    return [...shownFirst, ...rest].map((field) => {
      const value = row[field]
      if (field.endsWith('_at')) return { field, kind: 'time' }
      if (typeof value === 'boolean') return { field, kind: 'flag' }
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? { field, kind: 'list' }
        : { field }
    })
  },
  hidesBlank: true,
  fields: [],
  lockOf: () => texts.reasons.device,
}
