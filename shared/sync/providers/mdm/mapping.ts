import { fieldsOf } from '../../../core/json/is-object.ts'
import type { InventoryDevice } from '../../inventory-adapter.ts'
import { type FieldPaths, readFields } from '../device-fields.ts'
import type { Fields } from '../rows-of.ts'

/** The fields that each list tells, by the names of A28.2. */
export const listFields = {
  devices: {
    device_name: 'device_name',
    model: 'model',
    serial_number: 'serial_number',
    platform: 'platform',
    os_version: 'os_version',
    supplemental_build_version: 'supplemental_build_version',
    supplemental_os_version_extra: 'supplemental_os_version_extra',
    last_check_in_at: 'last_check_in',
    user_id: ['user', 'id'],
    user_name: ['user', 'name'],
    user_email: ['user', 'email'],
    user_is_archived: ['user', 'is_archived'],
    asset_tag: 'asset_tag',
    blueprint_id: 'blueprint_id',
    blueprint_name: 'blueprint_name',
    mdm_enabled: 'mdm_enabled',
    agent_installed: 'agent_installed',
    is_missing: 'is_missing',
    is_removed: 'is_removed',
    agent_version: 'agent_version',
    first_enrolled_at: 'first_enrollment',
    last_enrolled_at: 'last_enrollment',
    lost_mode_status: 'lost_mode_status',
  },
  device_information: {
    device_family: 'device__family',
    host_name: 'host_name',
    local_hostname: 'local_hostname',
    model_name: 'model_name',
    model_identifier: 'model_identifier',
    cellular_technology: 'cellular_technology',
    os_build: 'os_build',
    os_name: 'os_name',
    display_os_version: 'display_os_version',
    data_roaming: 'data_roaming',
    hotspot: 'hotspot',
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
    app_control_enabled: 'gatekeeper_status',
    app_control_trusted_developers: 'trusted_developers',
    app_control_version: 'gatekeeper_version',
    malware_definitions_version: 'xprotect_version',
    malware_removal_tool_version: 'malware_removal_tool_version',
    app_control_collected_at: 'last_collected_at',
  },
  startup_settings: {
    external_boot_level: 'external_boot_level',
    secure_boot_level: 'secure_boot_level',
    sip_enabled: 'sip',
    ssv_enabled: 'ssv',
    bootstrap_token_auth: 'bootstrap_token_auth',
    bootstrap_token_escrowed: 'bootstrap_token_escrowed',
    any_signed_os: 'any_signed_os',
    startup_settings_collected_at: 'last_collected_at',
  },
  activation_lock: {
    activation_lock_supported: 'activation_lock_supported',
    activation_lock_allowed_while_supervised: 'activation_lock_allowed_while_supervised',
    device_activation_lock_enabled: 'device_activation_lock_enabled',
    user_activation_lock_enabled: 'user_activation_lock_enabled',
    activation_lock_collected_at: 'last_collected_at',
  },
} satisfies Record<string, FieldPaths>

export type MdmList = keyof typeof listFields

export function mdmDevice(list: MdmList, entry: Fields & { id: string }): InventoryDevice {
  const fields = readFields(entry, listFields[list])
  if (list !== 'devices') return { mdm_id: entry.id, fields }
  const tags = Array.isArray(entry.tags) ? entry.tags : []
  const names = tags.map((tag) => (typeof tag === 'string' ? tag : fieldsOf(tag).name))
  return { mdm_id: entry.id, fields: { ...fields, tags: names.filter((name) => typeof name === 'string') } }
}
