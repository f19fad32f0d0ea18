import type { Way } from './client.ts'
import { Service } from './service.ts'

/** Tells that something has begun to flow over a way (L8). One report follows when it ends. */
export async function reportFlow(baseUrl: string, { gateway, ingest_token }: Way, ipv4: string): Promise<void> {
  const opened = {
    protocol: 'tcp',
    inner_src_ip: ipv4,
    inner_src_port: 50_000,
    inner_dst_ip: gateway.ipv4,
    inner_dst_port: 443,
    flow_start: new Date().toISOString(),
  }
  await new Service(baseUrl, ingest_token).ask('POST', '/ingestion/flow_logs', { flow_logs: [opened] })
}
