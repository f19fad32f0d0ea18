import { hourMicros, timestamp } from '#shared/core/clock.ts'
import { archivePartition, bufferTtl, slotOf, slotSort } from '#shared/logs/blocks/block-keys.ts'
import { planBlocks } from '#shared/logs/blocks/store-blocks.ts'
import type { FileRow } from '#shared/logs/files/columns.ts'
import { type Attribution, attributionItem } from '#shared/logs/flows/attribution.ts'
import { type Pack, reportRow } from '#shared/logs/flows/packing.ts'
import type { Item } from '#shared/table/keys.ts'
import { realisticBegin, realisticFlows, toReport } from '../logs/realistic-flows.ts'
import { itemSize, plantIntoFile } from './plant-items.ts'

/**
 * Flows that start from `begin` on. Each request contains the reports of `perRequest` flows of one token. A first request opens the flows,
 * and a second closes them.
 */
export type PlannedFlows = { begin: number; flows: number; perHour: number; perRequest: number }

/** Maximum number of flows that are generated. Later flows repeat their values, because generating others takes long. */
const maxGenerated = 20_000

/** Yields the records of the stream, each with the attribution of its token. */
function* recordsOf({ begin, flows, perHour, perRequest }: PlannedFlows) {
  // Each token reports two flows per second.
  const tokens = Math.max(1, Math.min(Math.round(perHour / 7_200), Math.floor(maxGenerated / perRequest)))
  const together = tokens * perRequest
  const rows = realisticFlows(together * Math.floor(maxGenerated / together), perHour)
  for (let i = 0; i * perRequest < flows; i++) {
    const from = Math.floor(i / tokens) * together
    const round = Math.floor(from / rows.length)
    const shift = begin - realisticBegin + Math.round((round * rows.length * hourMicros) / perHour)
    const first = (from % rows.length) + (i % tokens)
    const reported = Array.from({ length: perRequest }, (_, n) => rows[first + n * tokens] as FileRow)
    const reports = reported.map((row) => toReport(row, shift))
    const [token] = reported as [FileRow]
    const attribution = { ...token } as unknown as Attribution
    attribution.authorized_at = timestamp(Number(token.authorized_at))
    attribution.authorization_expires_at = timestamp(Number(token.authorization_expires_at))
    const record = (ingested_at: number, all: typeof reports) => {
      const packed = { claims: token, ingested_at, rows: all.map((one) => reportRow(one, ingested_at)) }
      return { attribution, pack: packed as unknown as Pack }
    }
    const opened = reports.map((report) => ({ ...report, closing: null }))
    const openedAt = (opened.at(-1)?.flow_start ?? 0) + 1_000_000
    yield record(openedAt, opened)
    yield record(Math.max(openedAt, ...reported.map(({ stored_at }) => Number(stored_at) + shift)), reports)
  }
}

/** Stores the reports of flows as the consumer does, one record at a time. Returns the bytes of the blocks in the table. */
export function plantBlocks(account: string, planned: PlannedFlows): number {
  let bytes = 0
  const attributions = new Set<string>()
  const slots = new Set<number>()
  function* items(): Generator<Item> {
    for (const { attribution, pack } of recordsOf(planned)) {
      const storedAt = pack.ingested_at + 500_000
      const slot = slotOf(storedAt)
      if (!attributions.has(attribution.policy_authorization_id)) yield attributionItem(account, attribution)
      attributions.add(attribution.policy_authorization_id)
      if (!slots.has(slot))
        yield { pk: archivePartition(account), sk: slotSort(slot), kind: 'flow_slot', ttl: bufferTtl(storedAt) }
      slots.add(slot)
      for (const { item } of planBlocks(account, [{ ...pack, position: 0 }], storedAt)) {
        bytes += itemSize(item)
        yield item
      }
    }
  }
  plantIntoFile(items())
  return bytes
}
