import { type FakeAnswer, type FakeRequest, type FakeServer, fakeServer, Refusal } from './fake-server.ts'
import { always, on } from './faults.ts'

export type MdmDevice = { device_id: string } & Record<string, unknown>

export const mdmCategories = [
  'device_information',
  'filevault',
  'application_firewall',
  'gatekeeper_and_xprotect',
  'startup_settings',
  'activation_lock',
] as const
type MdmCategory = (typeof mdmCategories)[number]

export type MdmData = {
  apiToken: string
  devices: MdmDevice[]
  categories: Record<MdmCategory, MdmDevice[]>
  /** Names of the lists that the token has permission to read. */
  permissions: string[]
  /** True if the lists of categories return a cursor in addition to the offset, as newer versions of the service do. */
  cursors: boolean
}
export type MdmFake = FakeServer & { data: MdmData }

export const mdmDevice = (device_id: string, fields: Record<string, unknown> = {}): MdmDevice => ({
  device_id,
  device_name: `Mac ${device_id.slice(0, 8)}`,
  model: 'MacBook Pro (14-inch, 2024)',
  serial_number: `SN${device_id.slice(0, 8)}`,
  platform: 'Mac',
  os_version: '15.2',
  supplemental_build_version: '24C101',
  supplemental_os_version_extra: '',
  last_check_in: '2026-02-01T10:20:30.123456Z',
  user: { email: 'person@example.com', id: '7', is_archived: false, name: 'Person' },
  asset_tag: null,
  blueprint_id: 'b1',
  blueprint_name: 'Default',
  mdm_enabled: true,
  agent_installed: true,
  is_missing: false,
  is_removed: false,
  agent_version: '4.7.1',
  first_enrollment: '2026-01-01 10:20:30.123456+00:00',
  last_enrollment: '2026-01-02T10:20:30Z',
  lost_mode_status: '',
  tags: ['laptops'],
  ...fields,
})

const collected = { last_collected_at: '2026-02-01T09:00:00Z' }

const mdmDetails = (device_id: string): Record<MdmCategory, MdmDevice> => ({
  device_information: {
    device_id,
    ...collected,
    device__family: 'Mac',
    host_name: 'mac.local',
    local_hostname: 'mac',
    model_name: 'MacBook Pro',
    model_identifier: 'Mac16,1',
    cellular_technology: 'None',
    os_build: '24C101',
    os_name: 'macOS',
    display_os_version: 'macOS 15.2 (24C101)',
    apple_silicon: true,
    shared_ipad: false,
    data_roaming: null,
    hotspot: null,
    device_capacity: 494.38,
  },
  filevault: {
    device_id,
    ...collected,
    status: true,
    key_type: 'Personal',
    key_escrowed: true,
    regeneration_needed: false,
    scheduled_key_rotation: null,
  },
  application_firewall: {
    device_id,
    ...collected,
    status: true,
    block_all_incoming: false,
    logging: true,
    logging_option: 'Throttled',
    stealth_mode: true,
    version: '1.6',
    allow_signed_applications: true,
    unloading: false,
  },
  gatekeeper_and_xprotect: {
    device_id,
    ...collected,
    gatekeeper_status: true,
    trusted_developers: true,
    gatekeeper_version: '8.0',
    gatekeeper_opaque_version: '94',
    xprotect_version: '5285',
    malware_removal_tool_version: '1.93',
  },
  startup_settings: {
    device_id,
    ...collected,
    external_boot_level: 'Disallowed',
    secure_boot_level: 'Full',
    sip: true,
    ssv: true,
    bootstrap_token_auth: true,
    bootstrap_token_escrowed: true,
    any_signed_os: false,
  },
  activation_lock: {
    device_id,
    ...collected,
    activation_lock_supported: true,
    activation_lock_allowed_while_supervised: false,
    device_activation_lock_enabled: false,
    user_activation_lock_enabled: true,
    bypass_code_failed: false,
  },
})

export function mdmFleet(count: number): Pick<MdmData, 'devices' | 'categories'> {
  const ids = Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)
  const details = ids.map(mdmDetails)
  const categories = Object.fromEntries(mdmCategories.map((name) => [name, details.map((one) => one[name])]))
  return { devices: ids.map((id) => mdmDevice(id)), categories: categories as MdmData['categories'] }
}

const refuse = (status: number, json: unknown) => new Refusal({ status, json })

function part<T>({ query }: FakeRequest, list: T[], cursors: boolean) {
  const cursor = query.get('cursor')
  const offset = cursor === null ? Number(query.get('offset') ?? 0) : Number(cursor.slice(1))
  const limit = Math.min(300, Number(query.get('limit') ?? 300))
  const end = offset + limit
  return { rows: list.slice(offset, end), offset, limit, cursor: cursors && end < list.length ? `c${end}` : null }
}

function route({ data }: MdmFake, request: FakeRequest): FakeAnswer {
  if (request.headers.authorization !== `Bearer ${data.apiToken}`) throw refuse(401, { error: 'Unauthorized' })
  const category = /^\/api\/v1\/prism\/(\w+)$/.exec(request.path)?.[1] as MdmCategory | undefined
  const list = category ?? (request.path === '/api/v1/devices' ? 'devices' : null)
  if (list === null || (category && !mdmCategories.includes(category))) {
    throw refuse(404, { message: 'no Route matched with those values', request_id: 'fake' })
  }
  if (!data.permissions.includes(list)) {
    throw refuse(403, { detail: 'You do not have permission to perform this action.' })
  }
  if (category) {
    const { rows, offset, limit, cursor } = part(request, data.categories[category], data.cursors)
    return { json: { offset, limit, total: data.categories[category].length, data: rows, cursor } }
  }
  const isOrdered = request.query.get('ordering') === 'device_id'
  // Returns the devices in reverse order unless the request specifies an order, because the provider guarantees none.
  const devices = [...data.devices].sort((a, b) => (a.device_id < b.device_id ? -1 : 1))
  return { json: part(request, isOrdered ? devices : devices.reverse(), false).rows }
}

export async function mdmFake(data: Partial<MdmData> = {}, port?: number): Promise<MdmFake> {
  const server = await fakeServer((request) => route(fake, request), port)
  const fake: MdmFake = Object.assign(server, {
    data: {
      apiToken: 'token-of-the-device-service',
      permissions: ['devices', ...mdmCategories],
      cursors: false,
      ...mdmFleet(0),
      ...data,
    },
  })
  return fake
}

export const mdmFaults = {
  throttled: always({ status: 429, headers: { 'retry-after': '11' }, json: { detail: 'Request was throttled.' } }),
  broken: always({ status: 502, text: '<html>Bad gateway</html>' }),
  wrongToken: always({ status: 401, json: { error: 'Unauthorized' } }),
  missingRight: on(/devices$/, always({ status: 403, json: { detail: 'You do not have permission.' } })),
  wrongAddress: always({ status: 404, json: { message: 'no Route matched with those values', request_id: 'fake' } }),
}
