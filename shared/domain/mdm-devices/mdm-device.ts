import * as v from 'valibot'
import { entity } from '../../table/entity.ts'
import { foldAscii } from '../../values/text.ts'

/** Names of the inventory fields with string values (A28.2). */
const strings = `
  device_name managed_device_name serial_number tenant_device_id udid imei meid iccid asset_tag host_name local_hostname
  notes
  user_id user_name user_display_name user_principal_name user_email email_address phone_number subscriber_carrier
  platform operating_system os_name os_version os_build display_os_version supplemental_build_version
  supplemental_os_version_extra security_patch_level device_family model model_name model_identifier manufacturer
  wifi_mac_address ethernet_mac_address cellular_technology
  management_state management_agent managed_device_owner_type device_enrollment_type device_registration_state
  enrollment_profile_name device_category_display_name blueprint_id blueprint_name agent_version lost_mode_status
  compliance_state partner_reported_threat_state jail_broken
  mail_sync_device_id mail_access_state mail_access_state_reason
  remote_assistance_session_url remote_assistance_session_error_details
  attestation_status attestation_last_update_date_time attestation_identity_key attestation_secure_boot
  attestation_disk_encryption_status attestation_boot_debugging attestation_code_integrity attestation_test_signing
  attestation_safe_mode attestation_tpm_version attestation_pcr0 attestation_pcr_hash_algorithm
  attestation_supported_status attestation_health_status_mismatch_info
  disk_encryption_key_type
  firewall_logging_option firewall_version
  app_control_version malware_definitions_version malware_removal_tool_version
  secure_boot_level external_boot_level`

const booleans = `
  user_is_archived data_roaming hotspot
  mdm_enabled agent_installed is_missing is_removed is_supervised require_user_enrollment_approval tenant_registered
  is_encrypted mail_sync_activated
  config_manager_inventory config_manager_modern_apps config_manager_resource_access
  config_manager_device_configuration config_manager_compliance_policy config_manager_os_update_policy
  disk_encryption_enabled disk_encryption_key_escrowed disk_encryption_regeneration_needed
  firewall_enabled firewall_block_all_incoming firewall_logging firewall_stealth_mode firewall_allow_signed_applications
  firewall_unloading
  app_control_enabled app_control_trusted_developers
  sip_enabled ssv_enabled bootstrap_token_auth bootstrap_token_escrowed any_signed_os
  activation_lock_supported activation_lock_allowed_while_supervised device_activation_lock_enabled
  user_activation_lock_enabled`

const numbers = `
  total_storage_space_bytes free_storage_space_bytes physical_memory_bytes device_capacity_gb
  attestation_reset_count attestation_restart_count`

const timestamps = `
  compliance_grace_period_expiration_at management_certificate_expires_at
  mail_sync_activated_at mail_last_successful_sync_at
  attestation_issued_at
  disk_encryption_key_rotation_scheduled_at disk_encryption_collected_at
  firewall_collected_at app_control_collected_at startup_settings_collected_at activation_lock_collected_at
  enrolled_at first_enrolled_at last_enrolled_at last_sync_at last_check_in_at inventory_collected_at`

const names = (list: string): string[] => list.trim().split(/\s+/)

const all = <T>(list: string, value: T): Record<string, T> =>
  Object.fromEntries(names(list).map((name) => [name, value]))

type DeviceField = 'text' | 'boolean' | 'number' | 'timestamp'

/** Type of each inventory field, except the lists `tags` and `device_action_results`. */
export const deviceFields: ReadonlyMap<string, DeviceField> = new Map([
  ...names(strings).map((name) => [name, 'text'] as const),
  ...names(booleans).map((name) => [name, 'boolean'] as const),
  ...names(numbers).map((name) => [name, 'number'] as const),
  ...names(timestamps).map((name) => [name, 'timestamp'] as const),
])

/** Managed device in API responses (A28.2). Fields that the inventory does not report are null. */
export const MdmDevice = v.object({
  id: v.string(),
  account_id: v.string(),
  posture_provider_id: v.string(),
  mdm_id: v.string(),
  ...all(strings, v.nullable(v.string())),
  ...all(booleans, v.nullable(v.boolean())),
  ...all(numbers, v.nullable(v.number())),
  ...all(timestamps, v.nullable(v.string())),
  tags: v.nullable(v.array(v.string())),
  device_action_results: v.nullable(v.array(v.record(v.string(), v.unknown()))),
  synced_at: v.string(),
  inserted_at: v.string(),
  updated_at: v.string(),
})

export type MdmDeviceRow = v.InferOutput<typeof MdmDevice> &
  Partial<Record<'serial_number' | 'email_address' | 'user_email', string | null>>

/** Managed devices, which only sync runs create and delete (I7). Ids in paths are case-insensitive (A6.1). */
export const mdmDevices = entity<MdmDeviceRow>({
  name: 'mdm_devices',
  // Uses null as the default of every field, so that fields missing from the inventory take no storage.
  defaults: {
    ...all([strings, booleans, numbers, timestamps].join(' '), null),
    tags: null,
    device_action_results: null,
  },
  unique: { 'mdm_devices.mdm_id': (row) => row.mdm_id.toLowerCase() },
  // Does not count the rows of filters, because few devices have the same serial number or email (K11.G13(2)).
  indexes: {
    posture_provider_id: { value: (row) => row.posture_provider_id },
    serial_number: { value: (row) => row.serial_number || null },
    email: { value: (row) => foldAscii(row.email_address || row.user_email || '') || null },
  },
  logged: false,
})
