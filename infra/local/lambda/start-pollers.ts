import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '../../template/deployment.ts'
import type { Mapping } from '../../template/mapping.ts'
import { StartupError } from '../files/fault.ts'
import { openCheckpoint, type StreamCheckpoint, storeHandledPosition } from './checkpoints.ts'
import { failureWriter } from './failures.ts'
import { kinesisSource } from './kinesis-source.ts'
import { pollShard } from './poller.ts'
import type { Runtime } from './runtime.ts'
import type { Source } from './source.ts'
import { tableSource } from './table-source.ts'
import { watchWrites } from './wake.ts'

type Settings = {
  dir: string
  deployment: Deployment
  runtime: Runtime
  table: { endpoint: string; streamArn: string }
}

function createSource({ sourceArn }: Mapping, { deployment, table }: Settings): Source {
  if (sourceArn === `${deployment.table.arn}/stream`) return tableSource(table.endpoint, table.streamArn, sourceArn)
  if (sourceArn === deployment.stream.arn) return kinesisSource(deployment.stream.name, sourceArn)
  throw new Error(`The event source ${sourceArn} is neither the table's stream nor the flow stream.`)
}

/**
 * Checks the stored position of a consumer. If the stream's files were replaced, the stream would reject this position forever, and none of
 * its new records would be handled.
 * @throws StartupError naming the checkpoint file
 */
async function checkPosition(source: Source, shard: string, checkpoint: StreamCheckpoint): Promise<void> {
  const position = checkpoint.get(shard)
  if (position === undefined) return
  await source.read(shard, position, 1).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'InvalidArgumentException') throw error
    throw new StartupError(
      `The checkpoint ${checkpoint.path} belongs to another flow stream, because the stream's files were removed or replaced. Restore them, or remove the checkpoint and start again. Only flow reports that are not in the log yet are then lost.`,
    )
  })
}

export async function startPollers(settings: Settings) {
  const { dir, deployment, runtime } = settings
  const ending = new AbortController()
  const polls: (() => Promise<void>)[] = []
  const tableCheckpoints: StreamCheckpoint[] = []
  let tableShard: string | undefined
  const sources = new Map<string, Source>()
  for (const mapping of deployment.mappings) {
    const source = sources.get(mapping.sourceArn) ?? createSource(mapping, settings)
    sources.set(mapping.sourceArn, source)
    const label = runtime.label(mapping.functionArn)
    const checkpoint = openCheckpoint(dir, `${label}.${source.kind}`)
    const storeFailure = failureWriter(dir, label, mapping.functionArn, source)
    const shards = await source.shards()
    for (const shard of shards) await checkPosition(source, shard, checkpoint)
    if (source.kind === 'dynamodb') {
      tableCheckpoints.push(checkpoint)
      tableShard = shards.length === 1 ? shards[0] : undefined
    }
    for (const shard of shards) {
      const invoke = (event: unknown) => runtime.invoke(mapping.functionArn, event)
      const options = { mapping, source, label, checkpoint, invoke, storeFailure, signal: ending.signal }
      polls.push(() => pollShard(shard, options))
    }
  }
  const stopWatching = watchWrites()
  // Starts the pollers only after all positions are checked.
  const running = polls.map((poll) => poll())
  const storePosition = () => {
    if (tableShard !== undefined) storeHandledPosition(dir, deployment.table.TableName, tableShard, tableCheckpoints)
  }
  const timer = setInterval(storePosition, 60_000)
  return {
    async stop() {
      clearInterval(timer)
      stopWatching()
      ending.abort()
      // Waits up to five seconds. If a function has not finished by then, the next start delivers its batch again.
      await Promise.race([Promise.all(running), sleep(5_000, undefined, { ref: false })])
      storePosition()
    },
  }
}
