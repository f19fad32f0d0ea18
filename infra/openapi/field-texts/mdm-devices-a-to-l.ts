import { instant, integer, type Texts, text } from './text.ts'

/** Managed devices, as their vendors report them: names up to L. */
export const mdmDevicesFirstTexts: Texts = {
  activation_lock_allowed_while_supervised: text(
    'True when the supervised device may turn on its lock against reactivation. Null where the vendor does not report it.',
  ),
  activation_lock_collected_at: instant(
    'When the vendor read the fields about the lock against reactivation. Null where the vendor does not report it.',
  ),
  activation_lock_supported: text(
    'True when the hardware can be locked against reactivation. Null where the vendor does not report it.',
  ),
  agent_installed: text(
    'True when the software of the vendor runs on the device. Null where the vendor does not report it.',
  ),
  agent_version: text(
    'Release of the software of the vendor on the device. Null where the vendor does not report it.',
    '1.4.0',
  ),
  any_signed_os: text(
    'True when the startup settings accept every system that its maker has signed. Null where the vendor does not report it.',
  ),
  app_control_collected_at: instant(
    'When the vendor read the fields about the control of programs. Null where the vendor does not report it.',
  ),
  app_control_enabled: text(
    'True when the system checks where programs come from before it starts them. Null where the vendor does not report it.',
  ),
  app_control_trusted_developers: text(
    'True when programs of identified developers may start beside those of the store. Null where the vendor does not report it.',
  ),
  app_control_version: text(
    'Release of the part of the system that controls programs. Null where the vendor does not report it.',
  ),
  asset_tag: text('Number that the company gave the hardware. Null where the vendor does not report it.', 'IT-0042'),
  attestation_boot_debugging: text(
    'State of debugging at startup, as the health service names it. Null where the vendor does not report it.',
  ),
  attestation_code_integrity: text(
    'State of the check of drivers and system files. Null where the vendor does not report it.',
  ),
  attestation_disk_encryption_status: text(
    'State of the encryption at startup, as the health service names it. Null where the vendor does not report it.',
  ),
  attestation_health_status_mismatch_info: text(
    'What the health service found to differ. Null where the vendor does not report it.',
  ),
  attestation_identity_key: text(
    'State of the key that proves the security chip. Null where the vendor does not report it.',
  ),
  attestation_issued_at: instant(
    'When the report of the health service was made. Null where the vendor does not report it.',
  ),
  attestation_last_update_date_time: text(
    'When the device last sent its report, as the vendor writes it. Null where the vendor does not report it.',
  ),
  attestation_pcr0: text(
    'Measurement of the firmware, register 0 of the security chip. Null where the vendor does not report it.',
  ),
  attestation_pcr_hash_algorithm: text(
    'Hash function of the measurements of the security chip. Null where the vendor does not report it.',
    'SHA-256',
  ),
  attestation_reset_count: integer(
    'How often the security chip left hibernation. Null where the vendor does not report it.',
    0,
  ),
  attestation_restart_count: integer(
    'How often the device was started again. Null where the vendor does not report it.',
    3,
  ),
  attestation_safe_mode: text(
    'State of safe mode, as the health service names it. Null where the vendor does not report it.',
  ),
  attestation_secure_boot: text(
    'State of the check of what the device starts. Null where the vendor does not report it.',
  ),
  attestation_status: text('Result of the report of the health service. Null where the vendor does not report it.'),
  attestation_supported_status: text(
    'Support of health reports by this hardware. Null where the vendor does not report it.',
  ),
  attestation_test_signing: text(
    'State of the permission to start test-signed drivers. Null where the vendor does not report it.',
  ),
  attestation_tpm_version: text('Release of the security chip. Null where the vendor does not report it.', '2.0'),
  blueprint_id: text(
    'Identifier, at the vendor, of the set of rules that applies to the device. Null where the vendor does not report it.',
  ),
  blueprint_name: text(
    'What the vendor calls the set of rules that applies to the device. Null where the vendor does not report it.',
  ),
  bootstrap_token_auth: text(
    'True when the device accepts a bootstrap token of the management in place of a password. Null where the vendor does not report it.',
  ),
  bootstrap_token_escrowed: text(
    'True when the management keeps the bootstrap token of the device. Null where the vendor does not report it.',
  ),
  cellular_technology: text(
    'Kind of mobile network that the hardware supports. Null where the vendor does not report it.',
  ),
  compliance_grace_period_expiration_at: instant(
    'Until when a device that breaks a rule still passes. Null where the vendor does not report it.',
  ),
  compliance_state: text(
    'Verdict of the vendor about the rules of the company. Null where the vendor does not report it.',
    'compliant',
  ),
  config_manager_compliance_policy: text(
    'True when the on-premises manager is in charge of the rules of compliance. Null where the vendor does not report it.',
  ),
  config_manager_device_configuration: text(
    'True when the on-premises manager is in charge of the settings. Null where the vendor does not report it.',
  ),
  config_manager_inventory: text(
    'True when the on-premises manager collects the inventory. Null where the vendor does not report it.',
  ),
  config_manager_modern_apps: text(
    'True when the on-premises manager installs store apps. Null where the vendor does not report it.',
  ),
  config_manager_os_update_policy: text(
    'True when the on-premises manager decides about updates of the system. Null where the vendor does not report it.',
  ),
  config_manager_resource_access: text(
    'True when the on-premises manager distributes Wi-Fi, VPN and certificates. Null where the vendor does not report it.',
  ),
  data_roaming: text(
    'True when mobile data may be used in foreign networks. Null where the vendor does not report it.',
  ),
  device_action_results: text('Outcomes of the actions that administrators started at the vendor.'),
  device_activation_lock_enabled: text(
    'True when the company has locked the hardware against reactivation. Null where the vendor does not report it.',
  ),
  device_capacity_gb: text('Size of the storage, in gigabytes.', 256),
  device_category_display_name: text(
    'Category that the company chose for the device. Null where the vendor does not report it.',
  ),
  device_enrollment_type: text(
    'Way in which the device came under management. Null where the vendor does not report it.',
  ),
  device_family: text('Product line, as the vendor groups hardware. Null where the vendor does not report it.', 'Mac'),
  'mdm_devices.device_name': text(
    'What the device calls itself. Null where the vendor does not report it.',
    "Ada's laptop",
  ),
  device_registration_state: text(
    'Progress of the registration with the vendor. Null where the vendor does not report it.',
  ),
  disk_encryption_collected_at: instant(
    'When the vendor read the fields about the encryption. Null where the vendor does not report it.',
  ),
  disk_encryption_enabled: text('True when the startup disk is encrypted. Null where the vendor does not report it.'),
  disk_encryption_key_escrowed: text(
    'True when the management keeps the recovery key. Null where the vendor does not report it.',
  ),
  disk_encryption_key_rotation_scheduled_at: instant(
    'When the recovery key is to be replaced. Null where the vendor does not report it.',
  ),
  disk_encryption_key_type: text(
    'Kind of recovery key: personal, of the company, or both. Null where the vendor does not report it.',
  ),
  disk_encryption_regeneration_needed: text(
    'True when a new recovery key has to be made. Null where the vendor does not report it.',
  ),
  display_os_version: text(
    'Release of the system, as it is shown to people. Null where the vendor does not report it.',
    '14.4 (23E214)',
  ),
  email_address: text(
    'Contact that the vendor keeps for the device. Null where the vendor does not report it.',
    'ada@example.com',
  ),
  enrolled_at: instant('When the device came under management. Null where the vendor does not report it.'),
  enrollment_profile_name: text(
    'Profile with which the device came under management. Null where the vendor does not report it.',
  ),
  ethernet_mac_address: text(
    'Hardware address of the wired network. Null where the vendor does not report it.',
    '02:00:5e:10:00:01',
  ),
  external_boot_level: text('Permission to start from other media. Null where the vendor does not report it.'),
  firewall_allow_signed_applications: text(
    'True when signed programs may receive connections without a question. Null where the vendor does not report it.',
  ),
  firewall_block_all_incoming: text(
    'True when every connection from outside is refused. Null where the vendor does not report it.',
  ),
  firewall_collected_at: instant(
    'When the vendor read the fields about the filter of connections. Null where the vendor does not report it.',
  ),
  firewall_enabled: text('True when the system filters connections. Null where the vendor does not report it.'),
  firewall_logging: text(
    'True when filtered connections are recorded on the device. Null where the vendor does not report it.',
  ),
  firewall_logging_option: text(
    'Detail in which filtered connections are recorded. Null where the vendor does not report it.',
  ),
  firewall_stealth_mode: text(
    'True when the device does not answer probes such as ping. Null where the vendor does not report it.',
  ),
  firewall_unloading: text(
    'True when the filter is about to be switched off. Null where the vendor does not report it.',
  ),
  firewall_version: text('Release of the filter of connections. Null where the vendor does not report it.'),
  first_enrolled_at: instant(
    'When the device came under management for the first time. Null where the vendor does not report it.',
  ),
  free_storage_space_bytes: integer(
    'Storage that is left, in bytes. Null where the vendor does not report it.',
    64000000000,
  ),
  host_name: text('Network name of the device. Null where the vendor does not report it.', 'ada-laptop'),
  hotspot: text('True when the device shares its mobile connection. Null where the vendor does not report it.'),
  iccid: text('Serial number of the SIM card. Null where the vendor does not report it.'),
  imei: text('Number of the mobile hardware, 15 digits. Null where the vendor does not report it.'),
  inventory_collected_at: instant(
    'When the vendor last read what the device has. Null where the vendor does not report it.',
  ),
  is_encrypted: text('True when the storage of the device is encrypted. Null where the vendor does not report it.'),
  is_missing: text('True when the vendor counts the device as lost. Null where the vendor does not report it.'),
  is_removed: text('True when the device was taken out of management. Null where the vendor does not report it.'),
  is_supervised: text(
    'True when the company has full control of the device. Null where the vendor does not report it.',
  ),
  jail_broken: text(
    'Verdict about removed protections of the system. Null where the vendor does not report it.',
    'False',
  ),
  last_check_in_at: instant('When the device last reported to the vendor. Null where the vendor does not report it.'),
  last_enrolled_at: instant(
    'When the device most recently came under management. Null where the vendor does not report it.',
  ),
  last_sync_at: instant(
    'When the device last exchanged its state with the vendor. Null where the vendor does not report it.',
  ),
  local_hostname: text(
    'Network name in the local network. Null where the vendor does not report it.',
    'ada-laptop.local',
  ),
  lost_mode_status: text('State of the search for a lost device. Null where the vendor does not report it.'),
}
