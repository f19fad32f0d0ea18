import * as v from 'valibot'

const text = v.nullable(v.string())

const originFields = {
  ip: v.string(),
  ip_region: text,
  ip_city: text,
  ip_lat: v.nullable(v.number()),
  ip_lon: v.nullable(v.number()),
  user_agent: text,
}

const SubjectEntry = v.object({
  actor_id: text,
  actor_name: text,
  actor_type: text,
  actor_email: text,
  auth_provider_id: text,
  device_id: text,
  gateway_id: text,
  token_id: text,
  ...originFields,
})

/** Kinds of objects whose changes are logged (L6.2). */
export const loggedObjects = [
  'accounts',
  'actors',
  'groups',
  'memberships',
  'policies',
  'resources',
  'static_device_pool_members',
  'sites',
  'gateways',
  'clients',
  'client_tokens',
  'gateway_tokens',
  'api_tokens',
  'external_identities',
  'email_otp_auth_providers',
  'oidc_auth_providers',
  'suite_auth_providers',
  'tenant_auth_providers',
  'idp_auth_providers',
  'suite_directories',
  'tenant_directories',
  'idp_directories',
  'mdm_posture_providers',
  'v0_devices',
  'v0_users',
  'v0_rules',
  'v0_configurations',
] as const

export const changeOperations = ['insert', 'update', 'delete'] as const

const common = { log_id: v.string(), timestamp: v.string() }
const snapshot = v.nullable(v.record(v.string(), v.unknown()))

export const ChangeEntry = v.object({
  type: v.literal('change'),
  ...common,
  object: v.string(),
  operation: v.picklist(changeOperations),
  before: snapshot,
  after: snapshot,
  /** Names of the fields that were replaced with null in both snapshots (L2.7). */
  truncated: v.optional(v.array(v.string())),
  subject: v.nullable(SubjectEntry),
  /** Sync run that made the change; null for any other change. */
  run_id: text,
})
export type ChangeEntry = v.InferOutput<typeof ChangeEntry>

export const SessionEntry = v.object({
  type: v.literal('session'),
  ...common,
  context: v.picklist(['client', 'gateway', 'portal']),
  subject: SubjectEntry,
})

export const ApiRequestEntry = v.object({
  type: v.literal('api_request'),
  ...common,
  actor_id: v.string(),
  api_token_id: text,
  method: v.string(),
  path: v.string(),
  content_length: v.nullable(v.number()),
  request_id: v.string(),
  ...originFields,
})

const counter = v.nullable(v.bigint())

/**
 * Snapshot of the actor, devices and resource behind an authorization, stored when the authorization is granted (L12). Unknown values are
 * null.
 */
export const attributionFields = {
  initiator_device_id: text,
  responder_device_id: text,
  policy_authorization_id: v.string(),
  policy_id: text,
  authorized_at: text,
  authorization_expires_at: text,
  initiator_auth_provider_id: text,
  initiator_actor_id: v.string(),
  initiator_actor_name: text,
  initiator_actor_email: text,
  initiator_client_version: text,
  initiator_device_os_name: text,
  initiator_device_os_version: text,
  initiator_device_serial: text,
  initiator_device_uuid: text,
  initiator_device_identifier_for_vendor: text,
  initiator_device_push_installation_id: text,
  resource_id: text,
  resource_name: text,
  resource_address: text,
}

/** @public The name of the export becomes the schema name in the OpenAPI document. */
export const FlowEntry = v.object({
  type: v.literal('flow'),
  ...common,
  role: v.picklist(['initiator', 'responder']),
  protocol: v.picklist(['tcp', 'udp']),
  flow_start: v.string(),
  flow_end: text,
  last_packet: text,
  inner_src_ip: v.string(),
  inner_src_port: v.number(),
  inner_dst_ip: v.string(),
  inner_dst_port: v.number(),
  inner_domain: text,
  outers: v.nullable(
    v.array(
      v.object({
        src_ip: text,
        src_port: v.nullable(v.number()),
        dst_ip: v.string(),
        dst_port: v.number(),
        path_activated_at: v.string(),
      }),
    ),
  ),
  rx_packets: counter,
  tx_packets: counter,
  rx_bytes: counter,
  tx_bytes: counter,
  ...attributionFields,
})

/** Log entry in API responses, with one shape per stream (L6.1, L7). */
export const LogEntry = v.variant('type', [ChangeEntry, SessionEntry, ApiRequestEntry, FlowEntry])
export type LogEntry = v.InferOutput<typeof LogEntry>
