import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CreateTableCommand, UpdateTimeToLiveCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { CreateStreamCommand, waitUntilStreamExists } from '@aws-sdk/client-kinesis'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { task } from '#shared/core/work/task.ts'
import { redrive } from '#shared/jobs/failed-batches/redrive.ts'
import { replayCommits } from '#shared/jobs/replay/replay-commits.ts'
import { kinesis } from '#shared/logs/flows/flow-stream.ts'
import { table } from '#shared/table/table.ts'
import {
  type Deployment,
  parseDeployment,
  type StreamDefinition,
  type TableDefinition,
} from '../template/deployment.ts'
import type { Builds } from './build/builds.ts'
import { advanceClock, shiftClock } from './clock-shift.ts'
import { checkEndpoints, type Engines, engineBinary, engineEnvironment, startEngines } from './engines/start-engines.ts'
import type { DataDir } from './files/data-dir.ts'
import { StartupError } from './files/fault.ts'
import { failuresFolder } from './lambda/failures.ts'
import { createRuntime } from './lambda/runtime.ts'
import { sealKeyFile, secretFile } from './secret-file.ts'

export type Task =
  | 'provision-account'
  | 'redrive-failed-batches'
  | 'verify-change-log'
  | 'verify-rows'
  | 'index-names'
  | 'verify-archive'
  | 'archive-status'
  | 'erase-actor'
  | 'replay-commits'
  | 'seal-logs'
  | 'begin-sealed-log'
  | 'sync'
  | 'flush-archive'
  | 'advance-clock'

/** Schedules that a command runs at once. Their functions return nothing. */
const scheduledTasks: Task[] = ['seal-logs', 'sync', 'flush-archive']

/** Locally running app, without its HTTP server and pollers. */
export type Service = Awaited<ReturnType<typeof start>>

function logFormat(): string {
  const format = process.env.LOG_FORMAT || 'text'
  if (['text', 'json'].includes(format)) return format
  throw new StartupError(`LOG_FORMAT=${format} must be one of text, json.`)
}

async function start(dir: DataDir, baseUrl: string, engines: Engines, deployment: Deployment, format: string) {
  shiftClock(dir.path)
  Object.assign(process.env, deployment.environment, engineEnvironment(engines), {
    SERVICE_URL: baseUrl,
    SIGNING_SECRET: readFileSync(secretFile(dir.path, 'signing-secret'), 'utf8').trim(),
    SECRET_KEY_FILE: secretFile(dir.path, 'secret-key'),
    ...readProviderSecrets(dir.path),
    LOG_FORMAT: format,
    SEAL_FOLDER: join(dir.path, 'seal'),
    SEAL_KEY_FILE: sealKeyFile(dir.path),
    ARCHIVE_FOLDER: join(dir.path, 'archive'),
    ...(engineBinary() !== null && { BATCHES_AS_TRANSACTIONS: '1' }),
  })
  // Removes the variables that name AWS resources. Locally, secrets are files or variables, and `openChannel` sets the live channel's
  // address.
  const awsVariables = ['SIGNING_SECRET_ARN', 'SECRET_KEY_ARN', 'CDN_SECRET_ARN', 'LIVE_URL', 'LIVE_ENDPOINT']
  for (const name of awsVariables) delete process.env[name]
  const [tableStreamArn] = await Promise.all([createTable(deployment.table), createStream(deployment.stream)])
  const runtime = createRuntime(deployment.functions)
  return {
    dir,
    engines,
    deployment,
    runtime,
    tableStreamArn,
    async runTask(name: Task, event: unknown): Promise<unknown> {
      // Redrives the failed batches in local files, instead of those in the bucket.
      if (name === 'redrive-failed-batches')
        return redrive({ batches: failuresFolder(dir.path), invoke: runtime.invoke })
      if (name === 'advance-clock') return advanceClock(dir.path)(event)
      if (name === 'replay-commits') {
        const consumers = ['write-change-log', 'follow-up'].flatMap((entry) => runtime.find(entry)?.arn ?? [])
        return task((taskEvent) => replayCommits({ consumers, ...fieldsOf(taskEvent) }, runtime.invoke))(event)
      }
      const found = runtime.find(name)
      if (!found) throw new StartupError(`The app has no function ${name}.`)
      const result = await runtime.invoke(found.arn, event)
      return scheduledTasks.includes(name) ? { data: null } : result
    },
    stop: engines.stop,
  }
}

/** Reads the built deployment. Its functions run from the built bundle, because the templates are synthesized without code. */
async function readBuilt(builds: Builds<'functions' | 'deployment'>): Promise<Deployment> {
  const [codeDir, folder] = await Promise.all([builds.functions, builds.deployment])
  return parseDeployment(readFileSync(join(folder, 'deployment.json'), 'utf8'), codeDir)
}

/** Starts the engines while the app is built. Creates the table and the stream of the app's templates. */
export async function startService(
  dir: DataDir,
  baseUrl: string,
  builds: Builds<'functions' | 'deployment'>,
): Promise<Service> {
  const format = logFormat()
  // Runs inexpensive checks before the engines start.
  engineBinary()
  // Checks keys before the engine creates a table file, because only an existing table requires an existing key.
  secretFile(dir.path, 'secret-key')
  sealKeyFile(dir.path)
  await checkEndpoints()
  const [engines, deployment] = await Promise.allSettled([
    startEngines(dir.path, { removeAtExit: dir.ephemeral }),
    readBuilt(builds),
  ])
  if (engines.status === 'rejected') throw engines.reason
  try {
    if (deployment.status === 'rejected') throw deployment.reason
    return await start(dir, baseUrl, engines.value, deployment.value, format)
  } catch (error) {
    await engines.value.stop()
    throw error
  }
}

/** Files in the data directory with the client secrets of the deployment's own apps, keyed by environment variable (I1.4). */
const providerSecretFiles = { SUITE_CLIENT_SECRET: 'suite-client-secret', TENANT_CLIENT_SECRET: 'tenant-client-secret' }

const readProviderSecrets = (dir: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(providerSecretFiles)
      .filter(([, file]) => existsSync(join(dir, file)))
      .map(([variable, file]) => [variable, readFileSync(join(dir, file), 'utf8').trim()])
      .filter(([, secret]) => secret),
  )

const ignoreExisting = (error: unknown): undefined => {
  if (!(error instanceof Error && error.name === 'ResourceInUseException')) throw error
}

/** Options of the SDK's waiters, in seconds. */
const waiterOptions = { maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }

/** Creates the table if it is missing. Returns the ARN of its stream, or an empty string if it has none. */
export async function createTable({ ttlAttribute: AttributeName, ...input }: TableDefinition): Promise<string> {
  const { TableName } = input
  await table().send(new CreateTableCommand(input)).catch(ignoreExisting)
  const { reason } = await waitUntilTableExists({ client: table(), ...waiterOptions }, { TableName })
  if (AttributeName) {
    const timeToLive = { TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }
    const enabling = table().send(new UpdateTimeToLiveCommand(timeToLive))
    await enabling.catch((error: Error) => {
      // Ignores "TimeToLive is already enabled", because the table existed before.
      if (error.name !== 'ValidationException') throw error
    })
  }
  return reason.Table?.LatestStreamArn ?? ''
}

export async function createStream({ name: StreamName, shards: ShardCount }: StreamDefinition): Promise<void> {
  await kinesis().send(new CreateStreamCommand({ StreamName, ShardCount })).catch(ignoreExisting)
  await waitUntilStreamExists({ client: kinesis(), ...waiterOptions }, { StreamName })
}
