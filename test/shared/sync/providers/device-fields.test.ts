import { describe, expect, it } from 'vitest'
import { deviceFields } from '#shared/domain/mdm-devices/mdm-device.ts'
import { managedDevice } from '#shared/sync/providers/managed-devices.ts'
import { type MdmList, mdmDevice } from '#shared/sync/providers/mdm.ts'

/** The provider's names for the fields in A28.2 (`identity-wire.md`, 1.4, 1.5). `outer.inner` is a nested field. */
const mdm: Record<MdmList, string> = {
  devices: `
    device_name=device_name model=model serial_number=serial_number platform=platform os_version=os_version
    supplemental_build_version=supplemental_build_version supplemental_os_version_extra=supplemental_os_version_extra
    last_check_in_at=last_check_in user_id=user.id user_name=user.name user_email=user.email
    user_is_archived=user.is_archived asset_tag=asset_tag blueprint_id=blueprint_id blueprint_name=blueprint_name
    mdm_enabled=mdm_enabled agent_installed=agent_installed is_missing=is_missing is_removed=is_removed
    agent_version=agent_version first_enrolled_at=first_enrollment last_enrolled_at=last_enrollment
    lost_mode_status=lost_mode_status`,
  device_information: `
    device_family=device__family host_name=host_name local_hostname=local_hostname model_name=model_name
    model_identifier=model_identifier cellular_technology=cellular_technology os_build=os_build os_name=os_name
    display_os_version=display_os_version data_roaming=data_roaming hotspot=hotspot device_capacity_gb=device_capacity
    inventory_collected_at=last_collected_at`,
  filevault: `
    disk_encryption_enabled=status disk_encryption_key_type=key_type disk_encryption_key_escrowed=key_escrowed
    disk_encryption_regeneration_needed=regeneration_needed
    disk_encryption_key_rotation_scheduled_at=scheduled_key_rotation disk_encryption_collected_at=last_collected_at`,
  application_firewall: `
    firewall_enabled=status firewall_block_all_incoming=block_all_incoming firewall_logging=logging
    firewall_logging_option=logging_option firewall_stealth_mode=stealth_mode firewall_version=version
    firewall_allow_signed_applications=allow_signed_applications firewall_unloading=unloading
    firewall_collected_at=last_collected_at`,
  gatekeeper_and_xprotect: `
    app_control_enabled=gatekeeper_status app_control_trusted_developers=trusted_developers
    app_control_version=gatekeeper_version malware_definitions_version=xprotect_version
    malware_removal_tool_version=malware_removal_tool_version app_control_collected_at=last_collected_at`,
  startup_settings: `
    external_boot_level=external_boot_level secure_boot_level=secure_boot_level sip_enabled=sip ssv_enabled=ssv
    bootstrap_token_auth=bootstrap_token_auth bootstrap_token_escrowed=bootstrap_token_escrowed
    any_signed_os=any_signed_os startup_settings_collected_at=last_collected_at`,
  activation_lock: `
    activation_lock_supported=activation_lock_supported
    activation_lock_allowed_while_supervised=activation_lock_allowed_while_supervised
    device_activation_lock_enabled=device_activation_lock_enabled
    user_activation_lock_enabled=user_activation_lock_enabled activation_lock_collected_at=last_collected_at`,
}

const health = 'deviceHealthAttestationState'
const features = 'configurationManagerClientEnabledFeatures'
const managed = `
  device_name=deviceName managed_device_name=managedDeviceName serial_number=serialNumber
  tenant_device_id=azureADDeviceId udid=udid imei=imei meid=meid iccid=iccid notes=notes user_id=userId
  user_display_name=userDisplayName user_principal_name=userPrincipalName email_address=emailAddress
  phone_number=phoneNumber subscriber_carrier=subscriberCarrier operating_system=operatingSystem os_version=osVersion
  security_patch_level=androidSecurityPatchLevel model=model manufacturer=manufacturer
  total_storage_space_bytes=totalStorageSpaceInBytes free_storage_space_bytes=freeStorageSpaceInBytes
  physical_memory_bytes=physicalMemoryInBytes wifi_mac_address=wiFiMacAddress
  ethernet_mac_address=ethernetMacAddress management_state=managementState management_agent=managementAgent
  managed_device_owner_type=managedDeviceOwnerType device_enrollment_type=deviceEnrollmentType
  device_registration_state=deviceRegistrationState enrollment_profile_name=enrollmentProfileName
  device_category_display_name=deviceCategoryDisplayName is_supervised=isSupervised
  require_user_enrollment_approval=requireUserEnrollmentApproval tenant_registered=azureADRegistered
  compliance_state=complianceState partner_reported_threat_state=partnerReportedThreatState jail_broken=jailBroken
  is_encrypted=isEncrypted compliance_grace_period_expiration_at=complianceGracePeriodExpirationDateTime
  management_certificate_expires_at=managementCertificateExpirationDate mail_sync_activated=easActivated
  mail_sync_device_id=easDeviceId mail_sync_activated_at=easActivationDateTime mail_access_state=exchangeAccessState
  mail_access_state_reason=exchangeAccessStateReason
  mail_last_successful_sync_at=exchangeLastSuccessfulSyncDateTime
  remote_assistance_session_url=remoteAssistanceSessionUrl
  remote_assistance_session_error_details=remoteAssistanceSessionErrorDetails enrolled_at=enrolledDateTime
  last_sync_at=lastSyncDateTime
  config_manager_inventory=${features}.inventory config_manager_modern_apps=${features}.modernApps
  config_manager_resource_access=${features}.resourceAccess
  config_manager_device_configuration=${features}.deviceConfiguration
  config_manager_compliance_policy=${features}.compliancePolicy
  config_manager_os_update_policy=${features}.windowsUpdateForBusiness
  attestation_status=${health}.deviceHealthAttestationStatus attestation_issued_at=${health}.issuedDateTime
  attestation_last_update_date_time=${health}.lastUpdateDateTime
  attestation_identity_key=${health}.attestationIdentityKey attestation_reset_count=${health}.resetCount
  attestation_restart_count=${health}.restartCount attestation_secure_boot=${health}.secureBoot
  attestation_disk_encryption_status=${health}.bitLockerStatus attestation_boot_debugging=${health}.bootDebugging
  attestation_code_integrity=${health}.codeIntegrity attestation_test_signing=${health}.testSigning
  attestation_safe_mode=${health}.safeMode attestation_tpm_version=${health}.tpmVersion
  attestation_pcr0=${health}.pcr0 attestation_pcr_hash_algorithm=${health}.pcrHashAlgorithm
  attestation_supported_status=${health}.healthAttestationSupportedStatus
  attestation_health_status_mismatch_info=${health}.healthStatusMismatchInfo`

const pairs = (table: string) =>
  table
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string])

const values = { text: 'told', boolean: true, number: 7, timestamp: '2026-01-02T03:04:05.000000Z' }

function telling(path: string, value: unknown): { id: string } & Record<string, unknown> {
  const [outer = '', inner] = path.split('.')
  return { id: 'one', [outer]: inner === undefined ? value : { [inner]: value } }
}

const known = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )

describe('each field is read from the provider field of the contract', () => {
  const lists = Object.entries(mdm).flatMap(([list, table]) =>
    pairs(table).map(([field, path]) => [list as MdmList, field, path] as const),
  )
  it.each(lists)('%s: %s from %s', (list, field, path) => {
    const value = values[deviceFields.get(field) ?? 'text']
    expect(known(mdmDevice(list, telling(path, value)).fields)).toEqual({ [field]: value })
  })

  it.each(pairs(managed))('managed devices: %s from %s', (field, path) => {
    const value = values[deviceFields.get(field) ?? 'text']
    expect(known(managedDevice(telling(path, value)).fields)).toEqual({ [field]: value })
  })

  it('every field of A28.2 comes from one of the two providers', () => {
    const mapped = [...lists.map(([, field]) => field), ...pairs(managed).map(([field]) => field)]
    expect([...deviceFields.keys()].filter((field) => !mapped.includes(field))).toEqual([])
  })
})
