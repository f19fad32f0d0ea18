import { HourIndex } from '#shared/archive/hour-files.ts'
import { putFile } from '#shared/archive/put-file.ts'
import { flowRow } from '#shared/logs/files/flow-row.ts'
import type { BufferedFlow } from '#shared/logs/flows/stored-flow.ts'
import { rowLeaf } from '#shared/seal/log/row-leaf.ts'

/** Stores the files of an hour with their index. Each part contains flows in the order of their log ids, the newest part first. */
export async function plantHour(account: string, hour: number, parts: BufferedFlow[][]): Promise<void> {
  const index = new HourIndex(account, hour)
  for (const [part, flows] of parts.entries()) {
    const rows = flows.map((flow) => {
      const row = flowRow(flow, undefined)
      return { row, leaf: rowLeaf('flow', row) }
    })
    await index.add(part, await putFile({ account, stream: 'flow', hour, part }, rows, new Map()), flows)
  }
  await index.finish()
}
