import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import { fallbackIfGone, type InventoryAdapter, type InventoryDevice, type ProviderPage } from '../adapter.ts'
import { bearer, get, type Provider } from './call.ts'
import { type FieldPaths, readFields } from './device-fields.ts'
import { faultClassifier } from './faults.ts'
import { requestPace } from './pace.ts'
import { checkCount, checkNextPosition, type EntryRow, entriesOfResponse, PageWatch, textOrNull } from './rows.ts'

const sameNamePaths = (names: string): FieldPaths => Object.fromEntries(names.split(/\s+/).map((name) => [name, name]))

export const listFields = {
  devices: {
    ...sameNamePaths(`device_name model serial_number platform os_version supplemental_build_version
      supplemental_os_version_extra asset_tag blueprint_id blueprint_name mdm_enabled agent_installed is_missing
      is_removed agent_version lost_mode_status`),
    last_check_in_at: 'last_check_in',
    user_id: ['user', 'id'],
    user_name: ['user', 'name'],
    user_email: ['user', 'email'],
    user_is_archived: ['user', 'is_archived'],
    first_enrolled_at: 'first_enrollment',
    last_enrolled_at: 'last_enrollment',
  },
  device_information: {
    ...sameNamePaths(`host_name local_hostname model_name model_identifier cellular_technology os_build os_name
      display_os_version data_roaming hotspot`),
    device_family: 'device__family',
    device_capacity_gb: 'device_capacity',
    inventory_collected_at: 'last_collected_at',
  },
  filevault: {
    disk_encryption_enabled: 'status',
    disk_encryption_key_type: 'key_type',
    disk_encryption_key_escrowed: 'key_escrowed',
    disk_encryption_regeneration_needed: 'regeneration_needed',
    disk_encryption_key_rotation_scheduled_at: 'scheduled_key_rotation',
    disk_encryption_collected_at: 'last_collected_at',
  },
  application_firewall: {
    firewall_enabled: 'status',
    firewall_block_all_incoming: 'block_all_incoming',
    firewall_logging: 'logging',
    firewall_logging_option: 'logging_option',
    firewall_stealth_mode: 'stealth_mode',
    firewall_version: 'version',
    firewall_allow_signed_applications: 'allow_signed_applications',
    firewall_unloading: 'unloading',
    firewall_collected_at: 'last_collected_at',
  },
  gatekeeper_and_xprotect: {
    ...sameNamePaths('malware_removal_tool_version'),
    app_control_enabled: 'gatekeeper_status',
    app_control_trusted_developers: 'trusted_developers',
    app_control_version: 'gatekeeper_version',
    malware_definitions_version: 'xprotect_version',
    app_control_collected_at: 'last_collected_at',
  },
  startup_settings: {
    ...sameNamePaths(
      'external_boot_level secure_boot_level bootstrap_token_auth bootstrap_token_escrowed any_signed_os',
    ),
    sip_enabled: 'sip',
    ssv_enabled: 'ssv',
    startup_settings_collected_at: 'last_collected_at',
  },
  activation_lock: {
    ...sameNamePaths(`activation_lock_supported activation_lock_allowed_while_supervised device_activation_lock_enabled
      user_activation_lock_enabled`),
    activation_lock_collected_at: 'last_collected_at',
  },
} satisfies Record<string, FieldPaths>

export type MdmList = keyof typeof listFields

export function mdmDevice(list: MdmList, entry: EntryRow): InventoryDevice {
  const fields = readFields(entry, listFields[list])
  if (list !== 'devices') return { mdm_id: entry.id, fields }
  const tags = Array.isArray(entry.tags) ? entry.tags : []
  const names = tags.map((tag) => (typeof tag === 'string' ? tag : fieldsOf(tag).name))
  return { mdm_id: entry.id, fields: { ...fields, tags: names.filter((name) => typeof name === 'string') } }
}

export type MdmConnection = { apiUrl: string; apiToken: string }

const mdmFault = faultClassifier(
  ({ error, detail, message }) => [error ?? detail ?? message],
  [
    { status: [401], is: 'fatal', advice: 'api_token is not accepted: it must be an existing token' },
    // Skips an additional list that the token cannot read. These lists are optional (I7.2).
    { status: [403, 404], when: ({ call }) => call.url.pathname.includes('/prism/'), is: 'object_gone' },
    { status: [403], is: 'fatal', advice: 'api_token lacks the permission Device list' },
    { status: [404], is: 'fatal', advice: 'subdomain and region must match the device service' },
  ],
)

/** Slightly less than half of the provider's limit of 10,000 requests per hour and customer, because each step may begin with a burst. */
const halfOfLimits = { perSecond: 1.25, burst: 50 }

const perPage = 300

/** Position in the list of devices: the offset, and the id of the last device read. */
type DevicePosition = { offset: number; last: string }
/** Position in an additional list: a cursor or an offset, the number of rows read, and the first id of the previous page. */
type FurtherPosition = { offset: number; cursor: string | null; read: number; first?: string | null }

const furtherLists = Object.keys(listFields).filter((list): list is MdmList => list !== 'devices')

/** Kandji/Iru device inventory (`identity-wire.md`, 1.4). */
export function mdmInventory({ apiUrl, apiToken }: MdmConnection, fetch: GuardedFetch): InventoryAdapter {
  const provider: Provider = {
    tokens: { current: async () => ({ text: apiToken, type: 'bearer' }), drop: () => {} },
    pace: requestPace(halfOfLimits),
    send: bearer(fetch),
    faultOf: mdmFault,
  }
  const watch = new PageWatch()
  const read = (path: string, query: Record<string, string>, position: string | null) =>
    get(provider, `${apiUrl}/api/v1/${path}`, { limit: String(perPage), ...query }, { continues: position !== null })

  /**
   * Reads devices in the order of their ids. Each page begins with the last device of the previous page. If that device is missing,
   * deletions have moved unread devices to earlier pages, so the reader resumes at a lower offset.
   */
  async function readDevices(position: string | null): Promise<ProviderPage<InventoryDevice>> {
    const parsed: DevicePosition | null = position === null ? null : JSON.parse(position)
    const offset = parsed?.offset ?? 0
    const { call, answer } = await read('devices', { offset: String(offset), ordering: 'device_id' }, position)
    const rows = entriesOfResponse(call, answer.json, 'the list', 'device_id')
    const first = rows[0]?.id
    const page = (fresh: EntryRow[], next: DevicePosition | null): ProviderPage<InventoryDevice> => ({
      entries: fresh.map((row) => mdmDevice('devices', row)),
      skipped: [],
      next: next && JSON.stringify(next),
      barren: watch.isBarren('devices', rows, position, next?.last ?? null),
    })
    if (parsed && offset > 0 && (first === undefined || first > parsed.last)) {
      return page([], { offset: Math.max(0, offset - perPage + 1), last: parsed.last })
    }
    const isFull = rows.length >= perPage
    const last = isFull ? checkNextPosition(call, rows.at(-1)?.id ?? null, parsed?.last ?? null) : null
    const fresh = parsed && first === parsed.last ? rows.slice(1) : rows
    return page(fresh, last === null ? null : { offset: offset + rows.length - 1, last })
  }

  async function readFurther(list: MdmList, position: string | null): Promise<ProviderPage<InventoryDevice>> {
    const parsed: FurtherPosition = position === null ? { offset: 0, cursor: null, read: 0 } : JSON.parse(position)
    const from: Record<string, string> =
      parsed.cursor === null ? { offset: String(parsed.offset) } : { cursor: parsed.cursor }
    const { call, body } = await read(`prism/${list}`, from, position)
    const rows = entriesOfResponse(call, body.data, 'data', 'device_id')
    const count = rows.length
    const total = parsed.read + count
    const cursor = textOrNull(body.cursor)
    const first = checkNextPosition(call, rows[0]?.id ?? null, parsed.first ?? null)
    const isLast = count === 0 || (cursor === null && count < perPage)
    if (isLast) checkCount(call, total, typeof body.total === 'number' ? body.total : null)
    const after: FurtherPosition = { offset: parsed.offset + count, cursor, read: total, first }
    const next = isLast ? null : JSON.stringify(after)
    const entries = rows.map((row) => mdmDevice(list, row))
    return { entries, skipped: [], next, barren: watch.isBarren(list, rows, position, next) }
  }

  return {
    lists: ['devices', ...furtherLists],
    read: (list, position) =>
      list === 'devices'
        ? readDevices(position)
        : fallbackIfGone(readFurther(list as MdmList, position), {
            entries: [],
            skipped: [{ idp_id: list, name: list, reason: 'list_not_readable' }],
            next: null,
          }),
  }
}
