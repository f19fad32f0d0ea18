import { randomUUID } from 'node:crypto'
import { PutCommand } from '@aws-sdk/lib-dynamodb'
import type { KinesisStreamRecord } from 'aws-lambda'
import { type Attribution, attributionItem } from '#shared/logs/flows/attribution.ts'
import { markEmail } from '#shared/logs/flows/flow-emails.ts'
import type { FlowReport } from '#shared/logs/flows/flow-report.ts'
import { type FlowRole, type IngestClaims, signIngestToken } from '#shared/logs/flows/ingest-token.ts'
import { type Pack, pack, parseRow } from '#shared/logs/flows/packing.ts'
import { table, tableName } from '#shared/table/table.ts'

export const openRecord = (fields: Record<string, unknown> = {}) => ({
  protocol: 'tcp',
  inner_src_ip: '100.64.0.1',
  inner_src_port: 50_000,
  inner_dst_ip: '100.96.0.1',
  inner_dst_port: 443,
  flow_start: '2026-11-20T10:00:00.000001Z',
  ...fields,
})

export const closeRecord = (fields: Record<string, unknown> = {}) =>
  openRecord({
    flow_end: '2026-11-20T10:05:00Z',
    last_packet: '2026-11-20T10:04:59.5Z',
    rx_packets: 1,
    tx_packets: 2,
    rx_bytes: 3,
    tx_bytes: 4,
    outers: [{ dst_ip: '192.0.2.1', dst_port: 51_820, path_activated_at: '2026-11-20T10:00:00Z' }],
    ...fields,
  })

/** Stores the attribution of an authorization. Returns the attribution, and functions that create ingest tokens and their claims. */
export async function newFlowGrant(accountId: string, fields: Partial<Attribution> = {}) {
  const attribution: Attribution = {
    policy_authorization_id: randomUUID(),
    policy_id: randomUUID(),
    authorized_at: '2026-11-01T00:00:00.000000Z',
    authorization_expires_at: '2099-01-01T00:00:00.000000Z',
    initiator_device_id: randomUUID(),
    responder_device_id: randomUUID(),
    initiator_auth_provider_id: null,
    initiator_actor_id: randomUUID(),
    initiator_actor_name: 'Grace',
    initiator_actor_email: 'grace@example.com',
    initiator_client_version: '1.4.0',
    initiator_device_os_name: 'linux',
    initiator_device_os_version: '7.1',
    initiator_device_serial: null,
    initiator_device_uuid: null,
    initiator_device_identifier_for_vendor: null,
    initiator_device_push_installation_id: null,
    resource_id: randomUUID(),
    resource_name: 'Wiki',
    resource_address: 'wiki.example.com',
    ...fields,
  }
  await markEmail(accountId, attribution)
  await table().send(new PutCommand({ TableName: tableName(), Item: attributionItem(accountId, attribution) }))
  const token = (role: FlowRole = 'initiator', changes: { uploads_enabled?: boolean; expires_at?: string } = {}) =>
    signIngestToken({
      account_id: accountId,
      policy_authorization_id: attribution.policy_authorization_id,
      role,
      uploads_enabled: true,
      authorized_at: attribution.authorized_at,
      expires_at: attribution.authorization_expires_at,
      initiator_device_id: attribution.initiator_device_id,
      responder_device_id: attribution.responder_device_id,
      policy_id: attribution.policy_id,
      initiator_actor_id: attribution.initiator_actor_id,
      resource_id: attribution.resource_id,
      ...changes,
    })
  const claims = (role: FlowRole = 'initiator'): IngestClaims => ({
    account_id: accountId,
    policy_authorization_id: attribution.policy_authorization_id,
    role,
    uploads_enabled: true,
    iat: 0,
    exp: 0,
    initiator_device_id: attribution.initiator_device_id,
    responder_device_id: attribution.responder_device_id,
    policy_id: attribution.policy_id,
    initiator_actor_id: attribution.initiator_actor_id,
    resource_id: attribution.resource_id,
  })
  return { attribution, token, claims }
}

let sequence = 0

export const kinesisRecord = (data: Buffer): KinesisStreamRecord =>
  ({ kinesis: { data: data.toString('base64'), sequenceNumber: String(++sequence) } }) as KinesisStreamRecord

export const reportsOf = ({ rows, ingested_at }: Pack): FlowReport[] => rows.map((row) => parseRow(row, ingested_at))

export const flowRecord = (claims: IngestClaims, ingestedAt: number, ...reports: FlowReport[]): KinesisStreamRecord =>
  kinesisRecord(pack(claims, ingestedAt, reports)[0] as Buffer)
