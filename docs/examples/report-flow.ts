import type { GrantedAuthorization } from './client.ts'
import { Service } from './service.ts'

/**
 * Reports that a flow through the gateway of an authorization has opened (L8). A real client sends a second report when it closes.
 * @param ipv4 the client's address in the tunnel
 */
export async function reportFlow(
  baseUrl: string,
  { gateway, ingest_token }: GrantedAuthorization,
  ipv4: string,
): Promise<void> {
  const opened = {
    protocol: 'tcp',
    inner_src_ip: ipv4,
    inner_src_port: 50_000,
    inner_dst_ip: gateway.ipv4,
    inner_dst_port: 443,
    flow_start: new Date().toISOString(),
  }
  await new Service(baseUrl, ingest_token).request('POST', '/ingestion/flow_logs', { flow_logs: [opened] })
}
