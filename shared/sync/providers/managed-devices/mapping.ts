import { fieldsOf } from '../../../core/json/is-object.ts'
import type { InventoryDevice } from '../../inventory-adapter.ts'
import { type FieldPaths, readFields } from '../device-fields.ts'
import type { Fields } from '../rows-of.ts'

const plain = {
  device_name: 'deviceName',
  managed_device_name: 'managedDeviceName',
  serial_number: 'serialNumber',
  tenant_device_id: 'azureADDeviceId',
  udid: 'udid',
  imei: 'imei',
  meid: 'meid',
  iccid: 'iccid',
  notes: 'notes',
  user_id: 'userId',
  user_display_name: 'userDisplayName',
  user_principal_name: 'userPrincipalName',
  email_address: 'emailAddress',
  phone_number: 'phoneNumber',
  subscriber_carrier: 'subscriberCarrier',
  operating_system: 'operatingSystem',
  os_version: 'osVersion',
  security_patch_level: 'androidSecurityPatchLevel',
  model: 'model',
  manufacturer: 'manufacturer',
  total_storage_space_bytes: 'totalStorageSpaceInBytes',
  free_storage_space_bytes: 'freeStorageSpaceInBytes',
  physical_memory_bytes: 'physicalMemoryInBytes',
  wifi_mac_address: 'wiFiMacAddress',
  ethernet_mac_address: 'ethernetMacAddress',
  management_state: 'managementState',
  management_agent: 'managementAgent',
  managed_device_owner_type: 'managedDeviceOwnerType',
  device_enrollment_type: 'deviceEnrollmentType',
  device_registration_state: 'deviceRegistrationState',
  enrollment_profile_name: 'enrollmentProfileName',
  device_category_display_name: 'deviceCategoryDisplayName',
  is_supervised: 'isSupervised',
  require_user_enrollment_approval: 'requireUserEnrollmentApproval',
  tenant_registered: 'azureADRegistered',
  compliance_state: 'complianceState',
  partner_reported_threat_state: 'partnerReportedThreatState',
  jail_broken: 'jailBroken',
  is_encrypted: 'isEncrypted',
  compliance_grace_period_expiration_at: 'complianceGracePeriodExpirationDateTime',
  management_certificate_expires_at: 'managementCertificateExpirationDate',
  mail_sync_activated: 'easActivated',
  mail_sync_device_id: 'easDeviceId',
  mail_sync_activated_at: 'easActivationDateTime',
  mail_access_state: 'exchangeAccessState',
  mail_access_state_reason: 'exchangeAccessStateReason',
  mail_last_successful_sync_at: 'exchangeLastSuccessfulSyncDateTime',
  remote_assistance_session_url: 'remoteAssistanceSessionUrl',
  remote_assistance_session_error_details: 'remoteAssistanceSessionErrorDetails',
  enrolled_at: 'enrolledDateTime',
  last_sync_at: 'lastSyncDateTime',
} satisfies FieldPaths

const features = 'configurationManagerClientEnabledFeatures'
const health = 'deviceHealthAttestationState'
const actions = 'deviceActionResults'

const nested = {
  config_manager_inventory: [features, 'inventory'],
  config_manager_modern_apps: [features, 'modernApps'],
  config_manager_resource_access: [features, 'resourceAccess'],
  config_manager_device_configuration: [features, 'deviceConfiguration'],
  config_manager_compliance_policy: [features, 'compliancePolicy'],
  config_manager_os_update_policy: [features, 'windowsUpdateForBusiness'],
  attestation_status: [health, 'deviceHealthAttestationStatus'],
  attestation_issued_at: [health, 'issuedDateTime'],
  attestation_last_update_date_time: [health, 'lastUpdateDateTime'],
  attestation_identity_key: [health, 'attestationIdentityKey'],
  attestation_reset_count: [health, 'resetCount'],
  attestation_restart_count: [health, 'restartCount'],
  attestation_secure_boot: [health, 'secureBoot'],
  attestation_disk_encryption_status: [health, 'bitLockerStatus'],
  attestation_boot_debugging: [health, 'bootDebugging'],
  attestation_code_integrity: [health, 'codeIntegrity'],
  attestation_test_signing: [health, 'testSigning'],
  attestation_safe_mode: [health, 'safeMode'],
  attestation_tpm_version: [health, 'tpmVersion'],
  attestation_pcr0: [health, 'pcr0'],
  attestation_pcr_hash_algorithm: [health, 'pcrHashAlgorithm'],
  attestation_supported_status: [health, 'healthAttestationSupportedStatus'],
  attestation_health_status_mismatch_info: [health, 'healthStatusMismatchInfo'],
} satisfies FieldPaths

/** What is asked for: every field of A28.2 that this service has, and never a bypass code. */
export const selected = ['id', ...Object.values(plain), features, health, actions].join(',')

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const actionFields = ['actionName', 'actionState', 'startDateTime', 'lastUpdatedDateTime']

function actionResults(value: unknown): Record<string, unknown>[] {
  const results = (Array.isArray(value) ? value : []).map(fieldsOf)
  return results.map((result) =>
    Object.fromEntries(
      actionFields.map((field) => [snakeCase(field), typeof result[field] === 'string' ? result[field] : null]),
    ),
  )
}

export const managedDevice = (entry: Fields & { id: string }): InventoryDevice => ({
  mdm_id: entry.id,
  fields: {
    ...readFields(entry, plain),
    ...readFields(entry, nested),
    device_action_results: actionResults(entry[actions]),
  },
})
