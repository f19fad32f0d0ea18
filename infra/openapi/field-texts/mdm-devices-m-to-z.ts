import { instant, integer, type Texts, text } from './text.ts'

/** Managed devices, as their vendors report them: names from M on. */
export const mdmDevicesLastTexts: Texts = {
  mail_access_state: text('Permission of the device to read mail. Null where the vendor does not report it.'),
  mail_access_state_reason: text(
    'Cause of the permission or refusal to read mail. Null where the vendor does not report it.',
  ),
  mail_last_successful_sync_at: instant(
    'When mail was last exchanged without a fault. Null where the vendor does not report it.',
  ),
  mail_sync_activated: text(
    'True when mailboxes are synchronized with the device. Null where the vendor does not report it.',
  ),
  mail_sync_activated_at: instant(
    'When the exchange of mail with the device began. Null where the vendor does not report it.',
  ),
  mail_sync_device_id: text('Identifier of the device at the mail service. Null where the vendor does not report it.'),
  malware_definitions_version: text(
    'Release of the list of known malicious programs. Null where the vendor does not report it.',
  ),
  malware_removal_tool_version: text(
    'Release of the program that removes malicious ones. Null where the vendor does not report it.',
  ),
  managed_device_name: text('What the vendor calls the device. Null where the vendor does not report it.'),
  managed_device_owner_type: text(
    'Owner of the hardware: the company or a person. Null where the vendor does not report it.',
    'company',
  ),
  management_agent: text('Channel by which the vendor manages the device. Null where the vendor does not report it.'),
  management_certificate_expires_at: instant(
    'Until when the certificate that the device is managed with is valid. Null where the vendor does not report it.',
  ),
  management_state: text(
    'Progress of the management, for example while a wipe is pending. Null where the vendor does not report it.',
  ),
  manufacturer: text('Maker of the hardware. Null where the vendor does not report it.'),
  mdm_enabled: text('True when the management profile is active. Null where the vendor does not report it.'),
  mdm_id: text('Identifier of the device at the vendor, unique in the account.', '64f1c0ffee0123456789abcd'),
  meid: text('Number of mobile hardware of CDMA networks. Null where the vendor does not report it.'),
  model: text('Product, as the vendor reports it. Null where the vendor does not report it.', 'MacBook Air'),
  model_identifier: text('Code of the product by its maker. Null where the vendor does not report it.', 'Mac14,2'),
  model_name: text(
    'Product, as its maker sells it. Null where the vendor does not report it.',
    'MacBook Air (M2, 2022)',
  ),
  notes: text('Remarks that administrators made at the vendor. Null where the vendor does not report it.'),
  operating_system: text(
    'Family of the system, as the cloud vendor reports it. Null where the vendor does not report it.',
    'macOS',
  ),
  os_build: text('Build number of the system. Null where the vendor does not report it.', '23E214'),
  'mdm_devices.os_name': text('Family of the system. Null where the vendor does not report it.', 'macOS'),
  'mdm_devices.os_version': text('Release of the system. Null where the vendor does not report it.', '14.4'),
  partner_reported_threat_state: text(
    'Threat level that a security product reported to the vendor. Null where the vendor does not report it.',
    'secured',
  ),
  phone_number: text('Number of the SIM card. Null where the vendor does not report it.'),
  physical_memory_bytes: integer(
    'Working memory (RAM), in bytes. Null where the vendor does not report it.',
    17179869184,
  ),
  platform: text('Kind of system by which the vendor groups devices. Null where the vendor does not report it.', 'Mac'),
  remote_assistance_session_error_details: text(
    'Fault of the latest remote session. Null where the vendor does not report it.',
  ),
  remote_assistance_session_url: text(
    'Address of the latest remote session. Null where the vendor does not report it.',
  ),
  require_user_enrollment_approval: text(
    'True when a person has to approve the enrollment. Null where the vendor does not report it.',
  ),
  secure_boot_level: text(
    'Strictness with which the startup system is checked. Null where the vendor does not report it.',
    'full',
  ),
  security_patch_level: text(
    'Date of the newest security update of the system. Null where the vendor does not report it.',
    '2026-02-05',
  ),
  serial_number: text(
    'Number that the maker gave the hardware. Null where the vendor does not report it.',
    'C02XK0AAJG5H',
  ),
  sip_enabled: text('True when the protection of system files is active. Null where the vendor does not report it.'),
  ssv_enabled: text(
    'True when the system volume is sealed with a signature. Null where the vendor does not report it.',
  ),
  startup_settings_collected_at: instant(
    'When the vendor read the fields about startup security. Null where the vendor does not report it.',
  ),
  subscriber_carrier: text('Mobile network operator. Null where the vendor does not report it.'),
  supplemental_build_version: text(
    'Build of the latest rapid security update. Null where the vendor does not report it.',
  ),
  supplemental_os_version_extra: text(
    'Suffix of the release after a rapid security update. Null where the vendor does not report it.',
    '(a)',
  ),
  tags: text('Labels that administrators gave the device at the vendor. Null where the vendor does not report it.'),
  tenant_device_id: text('Identifier of the device in the cloud directory. Null where the vendor does not report it.'),
  tenant_registered: text(
    'True when the device is registered in the cloud directory. Null where the vendor does not report it.',
  ),
  total_storage_space_bytes: integer(
    'Storage in all, in bytes. Null where the vendor does not report it.',
    256000000000,
  ),
  udid: text('Identifier of the hardware by its maker. Null where the vendor does not report it.'),
  user_activation_lock_enabled: text(
    'True when its user has locked the hardware against reactivation. Null where the vendor does not report it.',
  ),
  user_display_name: text(
    'Full name of the person that the device is assigned to. Null where the vendor does not report it.',
    'Ada Admin',
  ),
  user_email: text(
    'Address of the person that the device is assigned to. Null where the vendor does not report it.',
    'ada@example.com',
  ),
  'mdm_devices.user_id': text(
    'Identifier, at the vendor, of the person that the device is assigned to. Null where the vendor does not report it.',
  ),
  user_is_archived: text(
    'True when the vendor keeps the user as a former one. Null where the vendor does not report it.',
  ),
  user_name: text(
    'Account name of the person that the device is assigned to. Null where the vendor does not report it.',
    'ada',
  ),
  user_principal_name: text(
    'Sign-in name, in the cloud directory, of the person that the device is assigned to. Null where the vendor does not report it.',
    'ada@example.com',
  ),
  wifi_mac_address: text(
    'Hardware address of the wireless network. Null where the vendor does not report it.',
    '02:00:5e:10:00:02',
  ),
}
