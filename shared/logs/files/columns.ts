import type { LogStream } from '../entries/log-id.ts'

/** Times are microseconds in UTC. `bigint` has 64 bits and `int` has 32 bits. */
export type ScalarType = 'string' | 'bigint' | 'int' | 'double' | 'timestamp'
type StructType = { readonly [field: string]: ScalarType }
/** Type of a column. A type in brackets is a list of scalars or of structs. */
export type ColumnType = ScalarType | readonly [ScalarType | StructType]

type FileScalar = string | number | bigint | null
/** Value of a column in a row. Times are numbers, and values of type `bigint` are bigints. */
export type FileValue = FileScalar | FileScalar[] | Record<string, FileScalar>[]
/** Row of a file by column name. Absent values are null. */
export type FileRow = Record<string, FileValue | undefined>

/** Number of rows of a row group, except for the last one of a file (R4). */
export const groupRows = 8_192
/** Maximum number of rows of a file, and of characters of its changes (R4). Tests lower them. */
export const fileLimits = { rows: 131_072, characters: 50_000_000 }

/** Columns that are never null (R5). */
export const requiredColumns: ReadonlySet<string> = new Set(['log_id', 'timestamp'])

const all = { log_id: 'string', timestamp: 'timestamp' } as const
/** Columns that the erasure of an actor sets (R12). */
const erasure = { erased_at: 'timestamp', erased_leaf: 'string' } as const

const subject = {
  subject_actor_id: 'string',
  subject_actor_name: 'string',
  subject_actor_type: 'string',
  subject_actor_email: 'string',
  subject_auth_provider_id: 'string',
  subject_device_id: 'string',
  subject_gateway_id: 'string',
  subject_token_id: 'string',
  subject_ip: 'string',
  subject_ip_region: 'string',
  subject_ip_city: 'string',
  subject_ip_lat: 'double',
  subject_ip_lon: 'double',
  subject_user_agent: 'string',
} as const

/**
 * Columns of each stream in the order of its files (R5, R10.1). A change may only append columns, because files of earlier versions are
 * read with the same table.
 */
export const logColumns: Record<LogStream, Readonly<Record<string, ColumnType>>> = {
  change: {
    ...all,
    leaf: 'bigint',
    object: 'string',
    object_id: 'string',
    operation: 'string',
    before: 'string',
    after: 'string',
    truncated: ['string'],
    run_id: 'string',
    ...subject,
    ...erasure,
  },
  session: { ...all, context: 'string', ...subject, ...erasure },
  api_request: {
    ...all,
    actor_id: 'string',
    api_token_id: 'string',
    method: 'string',
    path: 'string',
    content_length: 'bigint',
    request_id: 'string',
    user_agent: 'string',
    ip: 'string',
    ip_region: 'string',
    ip_city: 'string',
    ip_lat: 'double',
    ip_lon: 'double',
    ...erasure,
  },
  flow: {
    ...all,
    stored_at: 'timestamp',
    role: 'string',
    protocol: 'string',
    flow_start: 'timestamp',
    flow_end: 'timestamp',
    last_packet: 'timestamp',
    inner_src_ip: 'string',
    inner_src_port: 'int',
    inner_dst_ip: 'string',
    inner_dst_port: 'int',
    inner_domain: 'string',
    outers: [{ src_ip: 'string', src_port: 'int', dst_ip: 'string', dst_port: 'int', path_activated_at: 'timestamp' }],
    rx_packets: 'bigint',
    tx_packets: 'bigint',
    rx_bytes: 'bigint',
    tx_bytes: 'bigint',
    initiator_device_id: 'string',
    responder_device_id: 'string',
    policy_authorization_id: 'string',
    policy_id: 'string',
    authorized_at: 'timestamp',
    authorization_expires_at: 'timestamp',
    initiator_auth_provider_id: 'string',
    initiator_actor_id: 'string',
    initiator_actor_name: 'string',
    initiator_actor_email: 'string',
    initiator_client_version: 'string',
    initiator_device_os_name: 'string',
    initiator_device_os_version: 'string',
    initiator_device_serial: 'string',
    initiator_device_uuid: 'string',
    initiator_device_identifier_for_vendor: 'string',
    initiator_device_push_installation_id: 'string',
    resource_id: 'string',
    resource_name: 'string',
    resource_address: 'string',
    ...erasure,
  },
}
