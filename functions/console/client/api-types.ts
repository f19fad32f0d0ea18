/* Generated from docs/openapi.json by `npm run fix`. */

type ApiSchemas = {
  Account: { id: string; slug: string; key: string; name: string; legal_name: string | null; limits: { users?: { used: number; available: number; total: number }; monthly_active_users?: { used: number; available: number; total: number }; service_accounts?: { used: number; available: number; total: number }; account_admin_users?: { used: number; available: number; total: number }; sites?: { used: number; available: number; total: number } } }
  Actor: { id: string; name: string; email: string | null; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; allow_email_otp_sign_in: boolean; portal_scopes: Array<'*:read'> | null; created_by_directory_id: string | null; is_disabled: boolean; last_seen_at: string | null; inserted_at: string; updated_at: string }
  ActorWithAccess: { id: string; name: string; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; policies: Array<ApiSchemas['PossibleGrant']>; truncated?: Array<'policies'> }
  ApiRequestEntry: { type: 'api_request'; log_id: string; timestamp: string; actor_id: string; api_token_id: string | null; method: string; path: string; content_length: number | null; request_id: string; ip: string; ip_region: string | null; ip_city: string | null; ip_lat: number | null; ip_lon: number | null; user_agent: string | null }
  ApiToken: { id: string; actor_id: string; name: string | null; scopes: Array<string>; expires_at: string; last_seen_at: string | null; inserted_at: string; updated_at: string }
  ApiTokenFields: { name?: string | null; expires_at: string; scopes?: Array<'*' | '*:read' | 'actors:read' | 'actors:write' | 'groups:read' | 'groups:write' | 'policies:read' | 'policies:write' | 'resources:read' | 'resources:write' | 'sites:read' | 'sites:write' | 'gateways:read' | 'gateways:write' | 'clients:read' | 'clients:write' | 'tokens:read' | 'tokens:write' | 'providers:read' | 'providers:write' | 'directories:read' | 'directories:write' | 'mdm:read' | 'mdm:write' | 'logs:read' | 'logs:write' | 'v0:read' | 'v0:write'> }
  ArchiveAnswer: { watermark: string | null; sealed_until: string | null; bucket: string | null; prefix: string; manifests: number; streams: Array<{ stream: 'change' | 'session' | 'flow' | 'api_request'; rows: number; bytes: number }>; erasures: Array<{ id: string; actor_id: string; erased_at: string; rows: number }> }
  AuthorizationInForce: { id: string; actor_id: string; client_id: string; gateway_id: string; resource_id: string; policy_id: string; group_id: string | null; client_remote_ip: string; user_agent: string | null; authorized_at: string; expires_at: string }
  ChangeEntry: { type: 'change'; log_id: string; timestamp: string; object: string; operation: 'insert' | 'update' | 'delete'; before: Record<string, unknown> | null; after: Record<string, unknown> | null; truncated?: Array<string>; subject: { actor_id: string | null; actor_name: string | null; actor_type: string | null; actor_email: string | null; auth_provider_id: string | null; device_id: string | null; gateway_id: string | null; token_id: string | null; ip: string; ip_region: string | null; ip_city: string | null; ip_lat: number | null; ip_lon: number | null; user_agent: string | null } | null; run_id: string | null }
  CheckpointAnswer: { log: 'changes' | 'activity' | 'archive'; origin: string; size: number; root: string; signed_at: string | null; note: string | null; verifier_key: string; follows: { origin: string; size: number; root: string; note: string; shared: number; last: string | null } | null }
  Client: { id: string; actor_id: string; name: string; hostname: string | null; online: boolean; ipv4: string; ipv6: string; svc_id: string | null; device_serial: string | null; device_uuid: string | null; push_installation_id: string | null; identifier_for_vendor: string | null; last_attested_at: string | null; last_attested_cert_fingerprint: string | null; last_attested_cert_serial: string | null; last_attested_device_serial: string | null; last_attested_device_uuid: string | null; last_attested_mdm_device_id: string | null; verified_at: string | null; public_key: string | null; last_seen_at: string | null; last_seen_version: string | null; last_seen_user_agent: string | null; last_seen_remote_ip: string | null; last_seen_remote_ip_location_region: string | null; last_seen_remote_ip_location_city: string | null; last_seen_remote_ip_location_lat: number | null; last_seen_remote_ip_location_lon: number | null; created_at: string; updated_at: string }
  ClientFields: { name: string }
  ClientToken: { id: string; actor_id: string; expires_at: string; inserted_at: string; updated_at: string }
  ClientTokenFields: { expires_at: string }
  ConsistencyAnswer: { from: number; to: number; path: Array<string> }
  ConsoleSession: { account: { id: string; slug: string; name: string }; actor: { id: string; name: string; email: string | null; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client' }; credential: { kind: 'portal_session' | 'api_token'; id: string; context: 'portal' | null; auth_provider_id: string | null; expires_at: string }; scopes: Array<string>; change_count: number | null }
  DirectoryRun: { id: string; started_at: string; finished_at: string | null; phase: 'read' | 'plan' | 'brake' | 'apply' | 'finish'; outcome: 'applied' | 'previewed' | 'stopped' | 'failed' | 'cancelled' | null; error: string | null; seen: { users: number; groups: number; memberships: number }; planned: { users: { insert: number; update: number; delete: number }; groups: { insert: number; update: number; delete: number }; memberships: { insert: number; update: number; delete: number } }; applied: { users: { insert: number; update: number; delete: number }; groups: { insert: number; update: number; delete: number }; memberships: { insert: number; update: number; delete: number } }; skipped: Record<string, unknown>; skipped_sample: Array<{ idp_id: string; name: string | null; reason: string }>; rewinds: string | null }
  Evaluation: { decision: 'allow' | 'deny'; reason: 'actor_disabled' | 'not_connectable' | 'no_policy' | 'conditions_violated' | null; violated: Array<string>; policy_id: string | null; expires_at: string | null; gateway_online: boolean; evaluated_at: string; policies: Array<{ id: string; group_id: string | null; is_disabled: boolean; conforms: boolean; expires_at: string | null; conditions: Array<{ property: string; operator: string; values: Array<string>; passed: boolean; until: string | null }> }>; truncated?: Array<'policies'> }
  EvaluationFields: { actor_id: string; resource_id: string; at?: string | null; ip?: string | null; region?: string; auth_provider_id?: string | null; client_id?: string | null }
  ExternalIdentity: { id: string; actor_id: string; account_id: string; issuer: string; directory_id: string | null; idp_id: string; email: string | null; name: string | null; given_name: string | null; middle_name: string | null; family_name: string | null; nickname: string | null; preferred_username: string | null; picture: string | null; profile: string | null; svc_avatar_url: string | null; synced_at: string | null; inserted_at: string }
  FileProof: { key: string; rows: number; root: string; index: number; leaf_hash: string; path: Array<string> }
  FlowCount: { responder: number; initiator: number; exact: boolean }
  FlowEntry: { type: 'flow'; log_id: string; timestamp: string; role: 'initiator' | 'responder'; protocol: 'tcp' | 'udp'; flow_start: string; flow_end: string | null; last_packet: string | null; inner_src_ip: string; inner_src_port: number; inner_dst_ip: string; inner_dst_port: number; inner_domain: string | null; outers: Array<{ src_ip: string | null; src_port: number | null; dst_ip: string; dst_port: number; path_activated_at: string }> | null; rx_packets: number | null; tx_packets: number | null; rx_bytes: number | null; tx_bytes: number | null; initiator_device_id: string | null; responder_device_id: string | null; policy_authorization_id: string; policy_id: string | null; authorized_at: string | null; authorization_expires_at: string | null; initiator_auth_provider_id: string | null; initiator_actor_id: string; initiator_actor_name: string | null; initiator_actor_email: string | null; initiator_client_version: string | null; initiator_device_os_name: string | null; initiator_device_os_version: string | null; initiator_device_serial: string | null; initiator_device_uuid: string | null; initiator_device_identifier_for_vendor: string | null; initiator_device_push_installation_id: string | null; resource_id: string | null; resource_name: string | null; resource_address: string | null }
  Gateway: { id: string; site_id: string; name: string; ipv4: string; ipv6: string; online: boolean; public_key: string | null; gateway_token_id: string | null; rotated_at: string | null; last_seen_at: string | null; last_seen_version: string | null; last_seen_user_agent: string | null; last_seen_remote_ip: string | null; last_seen_remote_ip_location_region: string | null; last_seen_remote_ip_location_city: string | null; last_seen_remote_ip_location_lat: number | null; last_seen_remote_ip_location_lon: number | null }
  GatewayFields: { name?: string }
  GatewayToken: { id: string; site_id: string; gateway_id: string | null; rotated_at: string | null; last_seen_at: string | null; inserted_at: string }
  Group: { id: string; name: string; entity_type: 'group' | 'org_unit'; directory_id: string | null; idp_id: string | null; email: string | null; synced_at: string | null; inserted_at: string; updated_at: string }
  GroupFields: { name: string }
  HistogramAnswer: { watermark: string | null; counted_from: string | null; approximate: boolean; hours: Array<{ hour: string; open: number; flows: number; rx_bytes: number; tx_bytes: number; by: Array<{ value: string | null; flows: number; rx_bytes: number; tx_bytes: number }> }> }
  HourAnswer: { hour: string; stream: 'api_request' | 'session'; size: number; root: string }
  Issued: { token: string; expires_at: string; actor: { id: string; name: string; email: string | null; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client' } }
  LeavesAnswer: { from: number; to: number; hashes: string; hours?: Array<ApiSchemas['HourAnswer']> }
  LogEntry: ApiSchemas['ChangeEntry'] | ApiSchemas['SessionEntry'] | ApiSchemas['ApiRequestEntry'] | ApiSchemas['FlowEntry']
  LogMetadata: { limit: number; next_page: string | null; prev_page: string | null; total: number; count: number; read_until?: string | null }
  MdmDevice: { id: string; account_id: string; posture_provider_id: string; mdm_id: string; device_name: string | null; managed_device_name: string | null; serial_number: string | null; tenant_device_id: string | null; udid: string | null; imei: string | null; meid: string | null; iccid: string | null; asset_tag: string | null; host_name: string | null; local_hostname: string | null; notes: string | null; user_id: string | null; user_name: string | null; user_display_name: string | null; user_principal_name: string | null; user_email: string | null; email_address: string | null; phone_number: string | null; subscriber_carrier: string | null; platform: string | null; operating_system: string | null; os_name: string | null; os_version: string | null; os_build: string | null; display_os_version: string | null; supplemental_build_version: string | null; supplemental_os_version_extra: string | null; security_patch_level: string | null; device_family: string | null; model: string | null; model_name: string | null; model_identifier: string | null; manufacturer: string | null; wifi_mac_address: string | null; ethernet_mac_address: string | null; cellular_technology: string | null; management_state: string | null; management_agent: string | null; managed_device_owner_type: string | null; device_enrollment_type: string | null; device_registration_state: string | null; enrollment_profile_name: string | null; device_category_display_name: string | null; blueprint_id: string | null; blueprint_name: string | null; agent_version: string | null; lost_mode_status: string | null; compliance_state: string | null; partner_reported_threat_state: string | null; jail_broken: string | null; mail_sync_device_id: string | null; mail_access_state: string | null; mail_access_state_reason: string | null; remote_assistance_session_url: string | null; remote_assistance_session_error_details: string | null; attestation_status: string | null; attestation_last_update_date_time: string | null; attestation_identity_key: string | null; attestation_secure_boot: string | null; attestation_disk_encryption_status: string | null; attestation_boot_debugging: string | null; attestation_code_integrity: string | null; attestation_test_signing: string | null; attestation_safe_mode: string | null; attestation_tpm_version: string | null; attestation_pcr0: string | null; attestation_pcr_hash_algorithm: string | null; attestation_supported_status: string | null; attestation_health_status_mismatch_info: string | null; disk_encryption_key_type: string | null; firewall_logging_option: string | null; firewall_version: string | null; app_control_version: string | null; malware_definitions_version: string | null; malware_removal_tool_version: string | null; secure_boot_level: string | null; external_boot_level: string | null; user_is_archived: boolean | null; data_roaming: boolean | null; hotspot: boolean | null; mdm_enabled: boolean | null; agent_installed: boolean | null; is_missing: boolean | null; is_removed: boolean | null; is_supervised: boolean | null; require_user_enrollment_approval: boolean | null; tenant_registered: boolean | null; is_encrypted: boolean | null; mail_sync_activated: boolean | null; config_manager_inventory: boolean | null; config_manager_modern_apps: boolean | null; config_manager_resource_access: boolean | null; config_manager_device_configuration: boolean | null; config_manager_compliance_policy: boolean | null; config_manager_os_update_policy: boolean | null; disk_encryption_enabled: boolean | null; disk_encryption_key_escrowed: boolean | null; disk_encryption_regeneration_needed: boolean | null; firewall_enabled: boolean | null; firewall_block_all_incoming: boolean | null; firewall_logging: boolean | null; firewall_stealth_mode: boolean | null; firewall_allow_signed_applications: boolean | null; firewall_unloading: boolean | null; app_control_enabled: boolean | null; app_control_trusted_developers: boolean | null; sip_enabled: boolean | null; ssv_enabled: boolean | null; bootstrap_token_auth: boolean | null; bootstrap_token_escrowed: boolean | null; any_signed_os: boolean | null; activation_lock_supported: boolean | null; activation_lock_allowed_while_supervised: boolean | null; device_activation_lock_enabled: boolean | null; user_activation_lock_enabled: boolean | null; total_storage_space_bytes: number | null; free_storage_space_bytes: number | null; physical_memory_bytes: number | null; device_capacity_gb: number | null; attestation_reset_count: number | null; attestation_restart_count: number | null; compliance_grace_period_expiration_at: string | null; management_certificate_expires_at: string | null; mail_sync_activated_at: string | null; mail_last_successful_sync_at: string | null; attestation_issued_at: string | null; disk_encryption_key_rotation_scheduled_at: string | null; disk_encryption_collected_at: string | null; firewall_collected_at: string | null; app_control_collected_at: string | null; startup_settings_collected_at: string | null; activation_lock_collected_at: string | null; enrolled_at: string | null; first_enrolled_at: string | null; last_enrolled_at: string | null; last_sync_at: string | null; last_check_in_at: string | null; inventory_collected_at: string | null; tags: Array<string> | null; device_action_results: Array<Record<string, unknown>> | null; synced_at: string; inserted_at: string; updated_at: string }
  Metadata: { limit: number; next_page: string | null; prev_page: string | null; total: number; count: number }
  NewActorFields: { name: string; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; email?: string | null; allow_email_otp_sign_in?: true | 'true' | '1' | false | 'false' | '0'; portal_scopes?: Array<'*:read'> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' }
  NewGatewayFields: { name?: string | null }
  NewPostureProviderFields: { type: 'mdm' | 'tenant'; name: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; tenant_id?: string; client_id?: string; client_secret?: string; subdomain?: string; region?: 'us' | 'eu'; api_token?: string; accept_deletions?: true | 'true' | '1' | false | 'false' | '0' }
  NewResourceFields: { name: string; type: 'cidr' | 'ip' | 'dns'; site_id: string; address: string; address_description?: string | null; ip_stack?: 'ipv4_only' | 'ipv6_only' | 'dual' | null; filters?: Array<{ protocol: 'tcp' | 'udp' | 'icmp'; ports?: Array<string | number> }> }
  ObjectName: { object: 'actors' | 'groups' | 'resources' | 'sites' | 'gateways' | 'clients'; id: string; name: string }
  OrderFields: { email: string; context: 'client' | 'portal' }
  Ordered: { status: 'sent' }
  Policy: { id: string; group_id: string | null; resource_id: string; description: string | null; conditions: Array<{ property: string; operator: string; values: Array<string> }>; flow_log_uploads_enabled: boolean; is_disabled: boolean }
  PolicyFields: { group_id: string; resource_id: string; description?: string | null; conditions?: Array<{ property?: 'remote_ip_location_region' | 'remote_ip' | 'auth_provider_id' | 'current_utc_datetime' | 'client_verified'; operator?: 'is_in' | 'is_not_in' | 'is_in_cidr' | 'is_not_in_cidr' | 'is_in_day_of_week_time_ranges' | 'is'; values: Array<string> }>; flow_log_uploads_enabled?: true | 'true' | '1' | false | 'false' | '0'; is_disabled?: true | 'true' | '1' | false | 'false' | '0' }
  PortalSession: { id: string; actor_id: string; auth_provider_id: string | null; context: 'portal'; expires_at: string; inserted_at: string }
  PossibleGrant: { id: string; group_id: string | null; conditions: Array<{ property: string; operator: string; values: Array<string> }>; expires_at: string | null }
  PostureProvider: { id: string; account_id: string; type: 'mdm' | 'tenant'; name: string; tenant_id: string | null; client_id: string | null; subdomain: string | null; region: 'us' | 'eu' | null; is_verified: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; inserted_at: string; updated_at: string }
  ProofAnswer: { log: 'changes' | 'activity' | 'archive'; leaf_index: number; leaf_hash: string; size: number; root: string; path: Array<string>; note: string; hour?: { hour: string; stream: 'api_request' | 'session'; size: number; root: string; index: number; leaf_hash: string; path: Array<string> }; manifest?: string; file?: ApiSchemas['FileProof'] }
  RedeemFields: { code: string; code_verifier: string; passcode?: string | null }
  RefusedAuthorization: { hour: string; actor_id: string; client_id: string; resource_id: string | null; reason: 'unknown_resource' | 'not_connectable' | 'no_policy' | 'conditions_violated' | 'gateway_offline' | 'version_mismatch'; violated: Array<string>; count: number; first_at: string; last_at: string; ip: string; ip_region: string | null }
  Resource: { id: string; name: string; type: 'cidr' | 'ip' | 'dns' | 'internet' | 'static_device_pool'; address: string | null; address_description: string | null; filters: Array<{ protocol: 'tcp' | 'udp' | 'icmp'; ports: Array<string> }>; ip_stack: 'ipv4_only' | 'ipv6_only' | 'dual' | null; site_id: string | null }
  ResourceWithAccess: { id: string; name: string; type: 'cidr' | 'ip' | 'dns' | 'internet' | 'static_device_pool'; address: string | null; site_id: string | null; policies: Array<ApiSchemas['PossibleGrant']>; truncated?: Array<'policies'> }
  RunChange: { change: 'insert' | 'update' | 'delete'; object: string; name: string; before: Record<string, unknown> | null; after: Record<string, unknown> | null }
  ScanMetadata: { limit: number; next_page: string | null; prev_page: string | null; total: number | null; count: number | null }
  SearchHit: { object: 'actors' | 'clients' | 'email_otp_auth_providers' | 'gateways' | 'groups' | 'idp_auth_providers' | 'idp_directories' | 'mdm_posture_providers' | 'oidc_auth_providers' | 'resources' | 'sites' | 'suite_auth_providers' | 'suite_directories' | 'tenant_auth_providers' | 'tenant_directories'; id: string; name: string; matched: string; value: string }
  SessionEntry: { type: 'session'; log_id: string; timestamp: string; context: 'client' | 'gateway' | 'portal'; subject: { actor_id: string | null; actor_name: string | null; actor_type: string | null; actor_email: string | null; auth_provider_id: string | null; device_id: string | null; gateway_id: string | null; token_id: string | null; ip: string; ip_region: string | null; ip_city: string | null; ip_lat: number | null; ip_lon: number | null; user_agent: string | null } }
  ShownApiToken: { id: string; actor_id: string; name: string | null; scopes: Array<string>; expires_at: string; last_seen_at: string | null; inserted_at: string; updated_at: string; token: string }
  ShownClientToken: { id: string; actor_id: string; expires_at: string; inserted_at: string; updated_at: string; token: string }
  ShownGatewayToken: { id: string; token: string }
  SignInProviders: { data: Array<{ id: string; kind: 'email_otp' | 'oidc' | 'suite' | 'tenant' | 'idp'; name: string; is_default: boolean }> }
  Site: { id: string; name: string }
  SiteFields: { name: string }
  StartFields: { auth_provider_id: string; context: 'client' | 'portal'; redirect_uri: string; state: string; code_challenge: string; prompt?: 'select_account' }
  TopAnswer: { watermark: string | null; counted_from: string | null; approximate: boolean; values: Array<{ value: string | null; flows: number; rx_bytes: number; tx_bytes: number }> }
  VerifyFields: { email: string; passcode: string; context: 'client' | 'portal' }
}

export type Operations = {
  'GET /access/actors/{id}/resources': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ResourceWithAccess']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'POST /access/evaluate': {
    path: Record<never, never>
    query: Record<never, never>
    body: ApiSchemas['EvaluationFields']
    answer: { data: ApiSchemas['Evaluation'] }
  }
  'GET /access/refusals': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; begin?: string; end?: string; actor_id?: string; client_id?: string; resource_id?: string; reason?: 'unknown_resource' | 'not_connectable' | 'no_policy' | 'conditions_violated' | 'gateway_offline' | 'version_mismatch' }
    body: undefined
    answer: { data: Array<ApiSchemas['RefusedAuthorization']>; metadata: { limit: number; next_page: string | null; prev_page: string | null; read_until: string | null } }
  }
  'GET /access/resources/{id}/actors': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ActorWithAccess']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'GET /account': {
    path: Record<never, never>
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Account'] }
  }
  'GET /actors': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; email?: string; type?: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; is_disabled?: 'true' | 'false'; not_seen_since?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['Actor']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /actors': {
    path: Record<never, never>
    query: Record<never, never>
    body: { actor: ApiSchemas['NewActorFields'] }
    answer: { data: ApiSchemas['Actor'] }
  }
  'DELETE /actors/{actor_id}/api_tokens': {
    path: { actor_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { deleted_count: number } }
  }
  'GET /actors/{actor_id}/api_tokens': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ApiToken']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /actors/{actor_id}/api_tokens': {
    path: { actor_id: string }
    query: Record<never, never>
    body: { api_token: ApiSchemas['ApiTokenFields'] }
    answer: { data: ApiSchemas['ShownApiToken'] }
  }
  'DELETE /actors/{actor_id}/api_tokens/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
  'GET /actors/{actor_id}/api_tokens/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ApiToken'] }
  }
  'DELETE /actors/{actor_id}/client_tokens': {
    path: { actor_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { deleted_count: number } }
  }
  'GET /actors/{actor_id}/client_tokens': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ClientToken']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /actors/{actor_id}/client_tokens': {
    path: { actor_id: string }
    query: Record<never, never>
    body: { client_token: ApiSchemas['ClientTokenFields'] }
    answer: { data: ApiSchemas['ShownClientToken'] }
  }
  'DELETE /actors/{actor_id}/client_tokens/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
  'GET /actors/{actor_id}/client_tokens/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ClientToken'] }
  }
  'GET /actors/{actor_id}/external_identities': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ExternalIdentity']>; metadata: ApiSchemas['Metadata'] }
  }
  'DELETE /actors/{actor_id}/external_identities/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ExternalIdentity'] }
  }
  'GET /actors/{actor_id}/external_identities/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ExternalIdentity'] }
  }
  'GET /actors/{actor_id}/groups': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['Group']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'DELETE /actors/{actor_id}/portal_sessions': {
    path: { actor_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { deleted_count: number } }
  }
  'GET /actors/{actor_id}/portal_sessions': {
    path: { actor_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['PortalSession']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'DELETE /actors/{actor_id}/portal_sessions/{id}': {
    path: { actor_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
  'DELETE /actors/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Actor'] }
  }
  'GET /actors/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Actor'] }
  }
  'PATCH /actors/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { actor: { name?: string; type?: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; email?: string | null; allow_email_otp_sign_in?: true | 'true' | '1' | false | 'false' | '0'; portal_scopes?: Array<'*:read'> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['Actor'] }
  }
  'PUT /actors/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { actor: { name?: string; type?: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client'; email?: string | null; allow_email_otp_sign_in?: true | 'true' | '1' | false | 'false' | '0'; portal_scopes?: Array<'*:read'> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['Actor'] }
  }
  'GET /authorizations': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; gateway_id?: string; resource_id?: string; actor_id?: string; client_id?: string; policy_id?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['AuthorizationInForce']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'DELETE /authorizations/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
  'GET /clients': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; svc_id?: string; actor_id?: string; online?: 'true' | 'false'; not_seen_since?: string; verified?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<ApiSchemas['Client']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'DELETE /clients/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Client'] }
  }
  'GET /clients/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Client'] }
  }
  'PATCH /clients/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { client: ApiSchemas['ClientFields'] }
    answer: { data: ApiSchemas['Client'] }
  }
  'PUT /clients/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { client: ApiSchemas['ClientFields'] }
    answer: { data: ApiSchemas['Client'] }
  }
  'PUT /clients/{id}/unverify': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Client'] }
  }
  'PUT /clients/{id}/verify': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Client'] }
  }
  'GET /email_otp_auth_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /email_otp_auth_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { email_otp_auth_provider: { name?: string | null; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'DELETE /email_otp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /email_otp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PATCH /email_otp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { email_otp_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PUT /email_otp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { email_otp_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /gateways': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; site_id?: string; online?: 'true' | 'false'; not_seen_since?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['Gateway']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'GET /gateways/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Gateway'] }
  }
  'GET /groups': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; directory_id?: string; entity_type?: 'group' | 'org_unit' }
    body: undefined
    answer: { data: Array<ApiSchemas['Group']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /groups': {
    path: Record<never, never>
    query: Record<never, never>
    body: { group: ApiSchemas['GroupFields'] }
    answer: { data: ApiSchemas['Group'] }
  }
  'GET /groups/{group_id}/memberships': {
    path: { group_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<{ id: string; actor_id: string; name: string; type: 'account_user' | 'account_admin_user' | 'service_account' | 'api_client' }>; metadata: ApiSchemas['Metadata'] }
  }
  'PATCH /groups/{group_id}/memberships': {
    path: { group_id: string }
    query: Record<never, never>
    body: { memberships: { add?: Array<string>; remove?: Array<string> } }
    answer: { data: { actor_ids: Array<string> }; metadata?: { pending: number } }
  }
  'PUT /groups/{group_id}/memberships': {
    path: { group_id: string }
    query: Record<never, never>
    body: { memberships: Array<{ actor_id: string }> }
    answer: { data: { actor_ids: Array<string> }; metadata?: { pending: number } }
  }
  'DELETE /groups/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Group'] }
  }
  'GET /groups/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Group'] }
  }
  'PATCH /groups/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { group: { name?: string } }
    answer: { data: ApiSchemas['Group'] }
  }
  'PUT /groups/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { group: { name?: string } }
    answer: { data: ApiSchemas['Group'] }
  }
  'GET /idp_auth_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /idp_auth_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { idp_auth_provider: { name?: string | null; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id: string; client_secret: string; idp_domain: string } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'DELETE /idp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /idp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PATCH /idp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { idp_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; client_secret?: string; idp_domain?: string } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PUT /idp_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { idp_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; client_secret?: string; idp_domain?: string } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; idp_domain: string; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /idp_directories': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /idp_directories': {
    path: Record<never, never>
    query: Record<never, never>
    body: { idp_directory: { name: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; client_id: string; idp_domain: string } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string; public_jwk?: Record<string, unknown> } }
  }
  'DELETE /idp_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string } }
  }
  'GET /idp_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string } }
  }
  'PATCH /idp_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { idp_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; idp_domain?: string; rotate_key?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string; public_jwk?: Record<string, unknown> } }
  }
  'PUT /idp_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { idp_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; idp_domain?: string; rotate_key?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; client_id: string; idp_domain: string; kid: string; inserted_at: string; updated_at: string; public_jwk?: Record<string, unknown> } }
  }
  'GET /idp_directories/{id}/jwks': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { keys: Array<Record<string, unknown>> }
  }
  'POST /idp_directories/{id}/preview': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /idp_directories/{id}/runs': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['DirectoryRun']>; metadata: ApiSchemas['Metadata'] }
  }
  'GET /idp_directories/{id}/runs/{run_id}': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /idp_directories/{id}/runs/{run_id}/changes': {
    path: { id: string; run_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['RunChange']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /idp_directories/{id}/runs/{run_id}/rewind': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'POST /idp_directories/{id}/sync': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /logs': {
    path: Record<never, never>
    query: { type?: 'change' | 'session' | 'flow' | 'api_request'; begin?: string; end?: string; actor_id?: string; actor_email?: string; object_id?: string; resource_id?: string; policy_id?: string; device_id?: string; protocol?: 'tcp' | 'udp'; port?: number; open?: boolean; object?: 'accounts' | 'actors' | 'groups' | 'memberships' | 'policies' | 'resources' | 'static_device_pool_members' | 'sites' | 'gateways' | 'clients' | 'client_tokens' | 'gateway_tokens' | 'api_tokens' | 'external_identities' | 'email_otp_auth_providers' | 'oidc_auth_providers' | 'suite_auth_providers' | 'tenant_auth_providers' | 'idp_auth_providers' | 'suite_directories' | 'tenant_directories' | 'idp_directories' | 'mdm_posture_providers' | 'v0_devices' | 'v0_users' | 'v0_rules' | 'v0_configurations'; operation?: 'insert' | 'update' | 'delete'; run_id?: string; total_limit?: number; limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['LogEntry']>; metadata: ApiSchemas['LogMetadata'] }
  }
  'GET /logs/{log_id}': {
    path: { log_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['LogEntry'] }
  }
  'GET /logs/{log_id}/proof': {
    path: { log_id: string }
    query: { size?: number }
    body: undefined
    answer: { data: ApiSchemas['ProofAnswer'] }
  }
  'GET /logs/archive': {
    path: Record<never, never>
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ArchiveAnswer'] }
  }
  'GET /logs/checkpoints/{log}': {
    path: { log: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['CheckpointAnswer'] }
  }
  'GET /logs/checkpoints/{log}/consistency': {
    path: { log: string }
    query: { from?: number; to?: number }
    body: undefined
    answer: { data: ApiSchemas['ConsistencyAnswer'] }
  }
  'GET /logs/checkpoints/{log}/leaves': {
    path: { log: string }
    query: { from?: number; to?: number; hour?: string; stream?: 'api_request' | 'session' }
    body: undefined
    answer: { data: ApiSchemas['LeavesAnswer'] }
  }
  'GET /logs/histogram': {
    path: Record<never, never>
    query: { begin?: string; end?: string; by?: 'actor' | 'client' | 'gateway' | 'resource' | 'policy' | 'port'; role?: 'initiator' | 'responder'; actor_id?: string; resource_id?: string; policy_id?: string; device_id?: string; protocol?: 'tcp' | 'udp'; port?: number; open?: boolean }
    body: undefined
    answer: { data: ApiSchemas['HistogramAnswer'] }
  }
  'GET /logs/top': {
    path: Record<never, never>
    query: { begin?: string; end?: string; by?: 'actor' | 'client' | 'gateway' | 'resource' | 'policy' | 'port'; role?: 'initiator' | 'responder'; actor_id?: string; resource_id?: string; policy_id?: string; device_id?: string; protocol?: 'tcp' | 'udp'; port?: number; open?: boolean; order?: 'flows' | 'bytes'; limit?: number }
    body: undefined
    answer: { data: ApiSchemas['TopAnswer'] }
  }
  'GET /mdm_devices': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; serial_number?: string; email?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['MdmDevice']>; metadata: ApiSchemas['Metadata'] }
  }
  'GET /mdm_devices/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['MdmDevice'] }
  }
  'GET /mdm_posture_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<ApiSchemas['PostureProvider']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /mdm_posture_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { mdm_posture_provider: ApiSchemas['NewPostureProviderFields'] }
    answer: { data: ApiSchemas['PostureProvider'] }
  }
  'DELETE /mdm_posture_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['PostureProvider'] }
  }
  'GET /mdm_posture_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['PostureProvider'] }
  }
  'PATCH /mdm_posture_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { mdm_posture_provider: { type?: 'mdm' | 'tenant'; name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; tenant_id?: string; client_id?: string; client_secret?: string; subdomain?: string; region?: 'us' | 'eu'; api_token?: string; accept_deletions?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['PostureProvider'] }
  }
  'PUT /mdm_posture_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { mdm_posture_provider: { type?: 'mdm' | 'tenant'; name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; tenant_id?: string; client_id?: string; client_secret?: string; subdomain?: string; region?: 'us' | 'eu'; api_token?: string; accept_deletions?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['PostureProvider'] }
  }
  'POST /mdm_posture_providers/{id}/preview': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; started_at: string; finished_at: string | null; phase: 'read' | 'plan' | 'brake' | 'apply' | 'finish'; outcome: 'applied' | 'previewed' | 'stopped' | 'failed' | 'cancelled' | null; error: string | null; seen: { devices: number }; planned: { devices: { insert: number; update: number; delete: number } }; applied: { devices: { insert: number; update: number; delete: number } }; skipped: Record<string, unknown>; skipped_sample: Array<{ idp_id: string; name: string | null; reason: string }> } }
  }
  'GET /mdm_posture_providers/{id}/runs': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<{ id: string; started_at: string; finished_at: string | null; phase: 'read' | 'plan' | 'brake' | 'apply' | 'finish'; outcome: 'applied' | 'previewed' | 'stopped' | 'failed' | 'cancelled' | null; error: string | null; seen: { devices: number }; planned: { devices: { insert: number; update: number; delete: number } }; applied: { devices: { insert: number; update: number; delete: number } }; skipped: Record<string, unknown>; skipped_sample: Array<{ idp_id: string; name: string | null; reason: string }> }>; metadata: ApiSchemas['Metadata'] }
  }
  'GET /mdm_posture_providers/{id}/runs/{run_id}': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; started_at: string; finished_at: string | null; phase: 'read' | 'plan' | 'brake' | 'apply' | 'finish'; outcome: 'applied' | 'previewed' | 'stopped' | 'failed' | 'cancelled' | null; error: string | null; seen: { devices: number }; planned: { devices: { insert: number; update: number; delete: number } }; applied: { devices: { insert: number; update: number; delete: number } }; skipped: Record<string, unknown>; skipped_sample: Array<{ idp_id: string; name: string | null; reason: string }> } }
  }
  'GET /mdm_posture_providers/{id}/runs/{run_id}/changes': {
    path: { id: string; run_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['RunChange']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /mdm_posture_providers/{id}/sync': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; started_at: string; finished_at: string | null; phase: 'read' | 'plan' | 'brake' | 'apply' | 'finish'; outcome: 'applied' | 'previewed' | 'stopped' | 'failed' | 'cancelled' | null; error: string | null; seen: { devices: number }; planned: { devices: { insert: number; update: number; delete: number } }; applied: { devices: { insert: number; update: number; delete: number } }; skipped: Record<string, unknown>; skipped_sample: Array<{ idp_id: string; name: string | null; reason: string }> } }
  }
  'GET /names': {
    path: Record<never, never>
    query: { actors?: string; groups?: string; resources?: string; sites?: string; gateways?: string; clients?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['ObjectName']>; metadata: { count: number } }
  }
  'GET /oidc_auth_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /oidc_auth_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { oidc_auth_provider: { name?: string | null; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id: string; client_secret: string; discovery_document_uri: string; email_verification_method?: 'none' | 'claim' | 'proof' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'DELETE /oidc_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /oidc_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PATCH /oidc_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { oidc_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; client_secret?: string; discovery_document_uri?: string; email_verification_method?: 'none' | 'claim' | 'proof' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PUT /oidc_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { oidc_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; client_id?: string; client_secret?: string; discovery_document_uri?: string; email_verification_method?: 'none' | 'claim' | 'proof' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; client_id: string; discovery_document_uri: string; email_verification_method: 'none' | 'claim' | 'proof'; callback_uri: string; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /overview': {
    path: Record<never, never>
    query: Record<never, never>
    body: undefined
    answer: { data: { as_of: string; counts: { actors: number | null; groups: number | null; resources: number | null; policies: number | null; sites: number | null; gateways: number | null; clients: number | null }; gateways_online: number | null; sites_without_gateway: { count: number; items: Array<{ id: string; name: string; resources: number | null }> } | null; sources: Array<{ object: string; id: string; name: string; state: 'failed' | 'braked' | 'rewound' | 'disabled'; error: string | null; since: string }> | null; expiring: Array<{ object: 'api_tokens' | 'client_tokens'; id: string; actor_id: string; name: string | null; expires_at: string }> | null; orphaned_policies: number | null; flows: ApiSchemas['FlowCount'] | null; refusals: number | null; truncated: Array<string> } }
  }
  'GET /policies': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; group_id?: string; resource_id?: string; is_disabled?: 'true' | 'false'; orphaned?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<ApiSchemas['Policy']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /policies': {
    path: Record<never, never>
    query: Record<never, never>
    body: { policy: ApiSchemas['PolicyFields'] }
    answer: { data: ApiSchemas['Policy'] }
  }
  'DELETE /policies/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Policy'] }
  }
  'GET /policies/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Policy'] }
  }
  'PATCH /policies/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { policy: { group_id?: string; resource_id?: string; description?: string | null; conditions?: Array<{ property?: 'remote_ip_location_region' | 'remote_ip' | 'auth_provider_id' | 'current_utc_datetime' | 'client_verified'; operator?: 'is_in' | 'is_not_in' | 'is_in_cidr' | 'is_not_in_cidr' | 'is_in_day_of_week_time_ranges' | 'is'; values: Array<string> }>; flow_log_uploads_enabled?: true | 'true' | '1' | false | 'false' | '0'; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['Policy'] }
  }
  'PUT /policies/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { policy: { group_id?: string; resource_id?: string; description?: string | null; conditions?: Array<{ property?: 'remote_ip_location_region' | 'remote_ip' | 'auth_provider_id' | 'current_utc_datetime' | 'client_verified'; operator?: 'is_in' | 'is_not_in' | 'is_in_cidr' | 'is_not_in_cidr' | 'is_in_day_of_week_time_ranges' | 'is'; values: Array<string> }>; flow_log_uploads_enabled?: true | 'true' | '1' | false | 'false' | '0'; is_disabled?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: ApiSchemas['Policy'] }
  }
  'GET /resources': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; address?: string; type?: 'cidr' | 'ip' | 'dns' | 'static_device_pool'; site_id?: string; ip_stack?: 'ipv4_only' | 'ipv6_only' | 'dual' }
    body: undefined
    answer: { data: Array<ApiSchemas['Resource']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /resources': {
    path: Record<never, never>
    query: Record<never, never>
    body: { resource: ApiSchemas['NewResourceFields'] }
    answer: { data: ApiSchemas['Resource'] }
  }
  'DELETE /resources/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Resource'] }
  }
  'GET /resources/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Resource'] }
  }
  'PATCH /resources/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { resource: { name?: string; type?: 'cidr' | 'ip' | 'dns' | 'internet' | 'static_device_pool'; site_id?: string; address?: string | null; address_description?: string | null; ip_stack?: 'ipv4_only' | 'ipv6_only' | 'dual' | null; filters?: Array<{ protocol: 'tcp' | 'udp' | 'icmp'; ports?: Array<string | number> }> } }
    answer: { data: ApiSchemas['Resource'] }
  }
  'PUT /resources/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { resource: { name?: string; type?: 'cidr' | 'ip' | 'dns' | 'internet' | 'static_device_pool'; site_id?: string; address?: string | null; address_description?: string | null; ip_stack?: 'ipv4_only' | 'ipv6_only' | 'dual' | null; filters?: Array<{ protocol: 'tcp' | 'udp' | 'icmp'; ports?: Array<string | number> }> } }
    answer: { data: ApiSchemas['Resource'] }
  }
  'GET /resources/{resource_id}/pool_members': {
    path: { resource_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<{ id: string; device_id: string; name: string; last_seen_at: string | null }>; metadata: ApiSchemas['Metadata'] }
  }
  'PATCH /resources/{resource_id}/pool_members': {
    path: { resource_id: string }
    query: Record<never, never>
    body: { pool_members: { add?: Array<string>; remove?: Array<string> } }
    answer: { data: { device_ids: Array<string> }; metadata?: { pending: number } }
  }
  'PUT /resources/{resource_id}/pool_members': {
    path: { resource_id: string }
    query: Record<never, never>
    body: { pool_members: Array<{ device_id: string }> }
    answer: { data: { device_ids: Array<string> }; metadata?: { pending: number } }
  }
  'GET /search': {
    path: Record<never, never>
    query: { q?: string; objects?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['SearchHit']>; metadata: { count: number; truncated: boolean; indexed: boolean } }
  }
  'POST /sign_in/{slug}/email_otp': {
    path: { slug: string }
    query: Record<never, never>
    body: { sign_in: ApiSchemas['OrderFields'] }
    answer: { data: ApiSchemas['Ordered'] }
  }
  'POST /sign_in/{slug}/email_otp/verify': {
    path: { slug: string }
    query: Record<never, never>
    body: { sign_in: ApiSchemas['VerifyFields'] }
    answer: { data: ApiSchemas['Issued'] }
  }
  'GET /sign_in/{slug}/providers': {
    path: { slug: string }
    query: { context?: 'client' | 'portal' }
    body: undefined
    answer: ApiSchemas['SignInProviders']
  }
  'POST /sign_in/{slug}/start': {
    path: { slug: string }
    query: Record<never, never>
    body: { sign_in: ApiSchemas['StartFields'] }
    answer: { data: { authorization_url: string; expires_at: string } }
  }
  'GET /sign_in/callback': {
    path: Record<never, never>
    query: { state?: string; code?: string; error?: string; iss?: string }
    body: undefined
    answer: undefined
  }
  'GET /sign_in/callback/{auth_provider_id}': {
    path: { auth_provider_id: string }
    query: { state?: string; code?: string; error?: string; iss?: string }
    body: undefined
    answer: undefined
  }
  'DELETE /sign_in/session': {
    path: Record<never, never>
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; end_session_url: string | null } }
  }
  'GET /sign_in/session': {
    path: Record<never, never>
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ConsoleSession'] }
  }
  'POST /sign_in/session': {
    path: Record<never, never>
    query: Record<never, never>
    body: { sign_in: ApiSchemas['RedeemFields'] }
    answer: { data: ApiSchemas['ConsoleSession'] }
  }
  'POST /sign_in/token': {
    path: Record<never, never>
    query: Record<never, never>
    body: { sign_in: ApiSchemas['RedeemFields'] }
    answer: { data: ApiSchemas['Issued'] }
  }
  'GET /sites': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['Site']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /sites': {
    path: Record<never, never>
    query: Record<never, never>
    body: { site: ApiSchemas['SiteFields'] }
    answer: { data: ApiSchemas['Site'] }
  }
  'DELETE /sites/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Site'] }
  }
  'GET /sites/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Site'] }
  }
  'PATCH /sites/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { site: { name?: string } }
    answer: { data: ApiSchemas['Site'] }
  }
  'PUT /sites/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { site: { name?: string } }
    answer: { data: ApiSchemas['Site'] }
  }
  'DELETE /sites/{site_id}/gateway_tokens': {
    path: { site_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { deleted_count: number } }
  }
  'GET /sites/{site_id}/gateway_tokens': {
    path: { site_id: string }
    query: { limit?: number; page_cursor?: string; gateway_id?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['GatewayToken']>; metadata: { limit: number; next_page: string | null; prev_page: string | null } }
  }
  'POST /sites/{site_id}/gateway_tokens': {
    path: { site_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ShownGatewayToken'] }
  }
  'DELETE /sites/{site_id}/gateway_tokens/{id}': {
    path: { site_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string } }
  }
  'GET /sites/{site_id}/gateways': {
    path: { site_id: string }
    query: { limit?: number; page_cursor?: string; name?: string; ipv4?: string; ipv6?: string; online?: 'true' | 'false'; not_seen_since?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['Gateway']>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /sites/{site_id}/gateways': {
    path: { site_id: string }
    query: Record<never, never>
    body: { gateway?: ApiSchemas['NewGatewayFields'] }
    answer: { data: { id: string; site_id: string; name: string; ipv4: string; ipv6: string; online: boolean; public_key: string | null; gateway_token_id: string | null; rotated_at: string | null; last_seen_at: string | null; last_seen_version: string | null; last_seen_user_agent: string | null; last_seen_remote_ip: string | null; last_seen_remote_ip_location_region: string | null; last_seen_remote_ip_location_city: string | null; last_seen_remote_ip_location_lat: number | null; last_seen_remote_ip_location_lon: number | null; token: string } }
  }
  'POST /sites/{site_id}/gateways/{gateway_id}/token': {
    path: { site_id: string; gateway_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ShownGatewayToken'] }
  }
  'POST /sites/{site_id}/gateways/{gateway_id}/token/rotate': {
    path: { site_id: string; gateway_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['ShownGatewayToken'] }
  }
  'DELETE /sites/{site_id}/gateways/{id}': {
    path: { site_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Gateway'] }
  }
  'GET /sites/{site_id}/gateways/{id}': {
    path: { site_id: string; id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['Gateway'] }
  }
  'PATCH /sites/{site_id}/gateways/{id}': {
    path: { site_id: string; id: string }
    query: Record<never, never>
    body: { gateway: ApiSchemas['GatewayFields'] }
    answer: { data: ApiSchemas['Gateway'] }
  }
  'PUT /sites/{site_id}/gateways/{id}': {
    path: { site_id: string; id: string }
    query: Record<never, never>
    body: { gateway: ApiSchemas['GatewayFields'] }
    answer: { data: ApiSchemas['Gateway'] }
  }
  'GET /suite_auth_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /suite_auth_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { suite_auth_provider: { name?: string | null; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; hosted_domain?: string | null } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'DELETE /suite_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /suite_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PATCH /suite_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { suite_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; hosted_domain?: string | null } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PUT /suite_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { suite_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; hosted_domain?: string | null } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /suite_directories': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /suite_directories': {
    path: Record<never, never>
    query: Record<never, never>
    body: { suite_directory: { name: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; domain?: string | null; impersonation_email: string; group_sync_mode?: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled?: true | 'true' | '1' | false | 'false' | '0'; service_account_key: string } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string } }
  }
  'DELETE /suite_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string } }
  }
  'GET /suite_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string } }
  }
  'PATCH /suite_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { suite_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; domain?: string | null; impersonation_email?: string; group_sync_mode?: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled?: true | 'true' | '1' | false | 'false' | '0'; service_account_key?: string } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string } }
  }
  'PUT /suite_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { suite_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; domain?: string | null; impersonation_email?: string; group_sync_mode?: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled?: true | 'true' | '1' | false | 'false' | '0'; service_account_key?: string } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; domain: string | null; impersonation_email: string; group_sync_mode: 'all' | 'filtered' | 'disabled'; orgunit_sync_enabled: boolean; inserted_at: string; updated_at: string } }
  }
  'POST /suite_directories/{id}/preview': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /suite_directories/{id}/runs': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['DirectoryRun']>; metadata: ApiSchemas['Metadata'] }
  }
  'GET /suite_directories/{id}/runs/{run_id}': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /suite_directories/{id}/runs/{run_id}/changes': {
    path: { id: string; run_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['RunChange']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /suite_directories/{id}/runs/{run_id}/rewind': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'POST /suite_directories/{id}/sync': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /tenant_auth_providers': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /tenant_auth_providers': {
    path: Record<never, never>
    query: Record<never, never>
    body: { tenant_auth_provider: { name?: string | null; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; issuer: string; email_claim?: 'email' | 'upn' | 'preferred_username' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'DELETE /tenant_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /tenant_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PATCH /tenant_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { tenant_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; issuer?: string; email_claim?: 'email' | 'upn' | 'preferred_username' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'PUT /tenant_auth_providers/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { tenant_auth_provider: { name?: string; context?: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs?: number | string | null; portal_session_lifetime_secs?: number | string | null; domains?: Array<string> | null; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; is_default?: true | 'true' | '1' | false | 'false' | '0'; issuer?: string; email_claim?: 'email' | 'upn' | 'preferred_username' } }
    answer: { data: { id: string; account_id: string; name: string; issuer: string; is_disabled: boolean; context: 'clients_and_portal' | 'clients_only' | 'portal_only'; client_session_lifetime_secs: number; portal_session_lifetime_secs: number; domains: Array<string> | null; is_default: boolean; email_claim: 'email' | 'upn' | 'preferred_username'; last_error: string | null; last_error_at: string | null; inserted_at: string; updated_at: string } }
  }
  'GET /tenant_directories': {
    path: Record<never, never>
    query: { limit?: number; page_cursor?: string; name?: string; is_disabled?: 'true' | 'false' }
    body: undefined
    answer: { data: Array<{ id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string }>; metadata: ApiSchemas['ScanMetadata'] }
  }
  'POST /tenant_directories': {
    path: Record<never, never>
    query: Record<never, never>
    body: { tenant_directory: { name: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; tenant_id: string; client_id: string; client_secret: string; email_field?: 'userPrincipalName' | 'mail'; sync_all_groups?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string } }
  }
  'DELETE /tenant_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string } }
  }
  'GET /tenant_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string } }
  }
  'PATCH /tenant_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { tenant_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; tenant_id?: string; client_id?: string; client_secret?: string; email_field?: 'userPrincipalName' | 'mail'; sync_all_groups?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string } }
  }
  'PUT /tenant_directories/{id}': {
    path: { id: string }
    query: Record<never, never>
    body: { tenant_directory: { name?: string; is_disabled?: true | 'true' | '1' | false | 'false' | '0'; domains?: Array<string> | null; matches_administrators?: true | 'true' | '1' | false | 'false' | '0'; accept_deletions?: true | 'true' | '1' | false | 'false' | '0'; tenant_id?: string; client_id?: string; client_secret?: string; email_field?: 'userPrincipalName' | 'mail'; sync_all_groups?: true | 'true' | '1' | false | 'false' | '0' } }
    answer: { data: { id: string; account_id: string; name: string; matches_administrators: boolean; is_disabled: boolean; disabled_reason: string | null; synced_at: string | null; error: string | null; error_count: number; error_emailed_at: string | null; domains: Array<string> | null; tenant_id: string; client_id: string | null; email_field: 'userPrincipalName' | 'mail'; sync_all_groups: boolean; inserted_at: string; updated_at: string } }
  }
  'POST /tenant_directories/{id}/preview': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /tenant_directories/{id}/runs': {
    path: { id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['DirectoryRun']>; metadata: ApiSchemas['Metadata'] }
  }
  'GET /tenant_directories/{id}/runs/{run_id}': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'GET /tenant_directories/{id}/runs/{run_id}/changes': {
    path: { id: string; run_id: string }
    query: { limit?: number; page_cursor?: string }
    body: undefined
    answer: { data: Array<ApiSchemas['RunChange']>; metadata: ApiSchemas['Metadata'] }
  }
  'POST /tenant_directories/{id}/runs/{run_id}/rewind': {
    path: { id: string; run_id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
  'POST /tenant_directories/{id}/sync': {
    path: { id: string }
    query: Record<never, never>
    body: undefined
    answer: { data: ApiSchemas['DirectoryRun'] }
  }
}

export type CalledRoute = keyof Operations
