import { fieldsOf } from '../../core/json/is-object.ts'
import type { GuardedFetch } from '../../outside/guarded-fetch.ts'
import type { InventoryAdapter, InventoryDevice } from '../adapter.ts'
import type { ResponseFields } from './call.ts'
import { type FieldPaths, readFields } from './device-fields.ts'
import { type GraphConnection, graph } from './graph.ts'
import type { EntryRow } from './rows.ts'

const splitWords = (text: string): string[] => text.trim().split(/\s+/)
const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Fields that have the same names at the provider, except that those are in camel case. */
const sameNames = `
  device_name managed_device_name serial_number udid imei meid iccid notes user_id user_display_name user_principal_name
  email_address phone_number subscriber_carrier operating_system os_version model manufacturer ethernet_mac_address
  management_state management_agent managed_device_owner_type device_enrollment_type device_registration_state
  enrollment_profile_name device_category_display_name is_supervised require_user_enrollment_approval compliance_state
  partner_reported_threat_state jail_broken is_encrypted remote_assistance_session_url
  remote_assistance_session_error_details`

const topLevelPaths: Record<string, string> = {
  ...Object.fromEntries(splitWords(sameNames).map((name) => [name, camelCase(name)])),
  tenant_device_id: 'azureADDeviceId',
  security_patch_level: 'androidSecurityPatchLevel',
  total_storage_space_bytes: 'totalStorageSpaceInBytes',
  free_storage_space_bytes: 'freeStorageSpaceInBytes',
  physical_memory_bytes: 'physicalMemoryInBytes',
  wifi_mac_address: 'wiFiMacAddress',
  tenant_registered: 'azureADRegistered',
  compliance_grace_period_expiration_at: 'complianceGracePeriodExpirationDateTime',
  management_certificate_expires_at: 'managementCertificateExpirationDate',
  mail_sync_activated: 'easActivated',
  mail_sync_device_id: 'easDeviceId',
  mail_sync_activated_at: 'easActivationDateTime',
  mail_access_state: 'exchangeAccessState',
  mail_access_state_reason: 'exchangeAccessStateReason',
  mail_last_successful_sync_at: 'exchangeLastSuccessfulSyncDateTime',
  enrolled_at: 'enrolledDateTime',
  last_sync_at: 'lastSyncDateTime',
}

const features = 'configurationManagerClientEnabledFeatures'
const health = 'deviceHealthAttestationState'
const actions = 'deviceActionResults'

/** Returns the paths of fields within the object `outer`, where their names are in camel case and have no prefix. */
const nestedPaths = (outer: string, prefix: string, names: string): FieldPaths =>
  Object.fromEntries(splitWords(names).map((name) => [`${prefix}_${name}`, [outer, camelCase(name)]]))

const paths: FieldPaths = {
  ...topLevelPaths,
  ...nestedPaths(
    features,
    'config_manager',
    'inventory modern_apps resource_access device_configuration compliance_policy',
  ),
  config_manager_os_update_policy: [features, 'windowsUpdateForBusiness'],
  ...nestedPaths(
    health,
    'attestation',
    `last_update_date_time reset_count restart_count secure_boot boot_debugging code_integrity test_signing safe_mode
     tpm_version pcr0 pcr_hash_algorithm health_status_mismatch_info`,
  ),
  attestation_status: [health, 'deviceHealthAttestationStatus'],
  attestation_issued_at: [health, 'issuedDateTime'],
  attestation_identity_key: [health, 'attestationIdentityKey'],
  attestation_disk_encryption_status: [health, 'bitLockerStatus'],
  attestation_supported_status: [health, 'healthAttestationSupportedStatus'],
}

/** Fields to request: all fields of A28.2 that the provider has. The activation lock bypass code is never requested. */
export const selectedFields = ['id', ...Object.values(topLevelPaths), features, health, actions].join(',')

const actionFields = {
  actionName: 'action_name',
  actionState: 'action_state',
  startDateTime: 'start_date_time',
  lastUpdatedDateTime: 'last_updated_date_time',
}

const actionResults = (value: unknown): ResponseFields[] =>
  (Array.isArray(value) ? value : []).map(fieldsOf).map((result) => {
    const text = (name: string) => (typeof result[name] === 'string' ? result[name] : null)
    return Object.fromEntries(Object.entries(actionFields).map(([theirs, name]) => [name, text(theirs)]))
  })

export const managedDevice = (entry: EntryRow): InventoryDevice => ({
  mdm_id: entry.id,
  fields: { ...readFields(entry, paths), device_action_results: actionResults(entry[actions]) },
})

/** Half of the provider's rate limit of 2,000 requests in 20 seconds. */
const halfOfLimits = { perSecond: 40, burst: 200 }
const rights = ['DeviceManagementManagedDevices.Read.All']

/** Intune device inventory, read through Microsoft Graph (`identity-wire.md`, 1.5). */
export function managedDevices(connection: GraphConnection, fetch: GuardedFetch): InventoryAdapter {
  const list = graph(connection, fetch, rights, halfOfLimits)
  return {
    lists: ['devices'],
    async read(_list, position) {
      const query = { $top: '999', $select: selectedFields }
      const { rows, next, barren } = await list('deviceManagement/managedDevices', query, position)
      return { entries: rows.map(managedDevice), skipped: [], next, barren }
    },
  }
}
