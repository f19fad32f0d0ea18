import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messageOf, StartupError } from '../files/fault.ts'
import { findDynoxide } from './dynoxide.ts'
import type { HostMessage, HostOptions } from './host.ts'

export type Engines = {
  dynamodb: string
  kinesis: string
  /** Resolves with a one-line message when an engine exits unexpectedly. */
  failed: Promise<string>
  stop(): Promise<void>
}

/** Environment variables that direct SDK clients to the engines. The engines verify neither the region nor the signature. */
export const engineEnvironment = ({ dynamodb, kinesis }: Pick<Engines, 'dynamodb' | 'kinesis'>) => ({
  AWS_REGION: process.env.AWS_REGION ?? 'us-east-1',
  AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'local',
  AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'local',
  AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
  AWS_ENDPOINT_URL_KINESIS: kinesis,
})

/**
 * Path of the DynamoDB engine; null if DYNAMODB_ENDPOINT names a running engine.
 * @throws StartupError if none is found
 */
export const engineBinary = (): string | null => (process.env.DYNAMODB_ENDPOINT ? null : findDynoxide())

/** Request for each engine. Every implementation of the protocol responds to it with JSON, even for an error. */
const probes = { DYNAMODB_ENDPOINT: 'DynamoDB_20120810.ListTables', KINESIS_ENDPOINT: 'Kinesis_20131202.ListStreams' }

/**
 * Checks the endpoints named by environment variables.
 * @throws StartupError if no matching engine responds at one of them
 */
export async function checkEndpoints(): Promise<void> {
  for (const [variable, target] of Object.entries(probes)) await checkEndpoint(variable, target)
}

async function checkEndpoint(variable: string, target: string): Promise<void> {
  const endpoint = process.env[variable]
  if (!endpoint) return
  const remedy = 'Start the engine there, or unset the variable to use the engine of the service.'
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target }
  const text = await fetch(endpoint, { method: 'POST', headers, body: '{}', signal: AbortSignal.timeout(5_000) })
    .then((response) => response.text())
    .catch((error: Error) => {
      throw new StartupError(
        `Nothing responds at ${variable}=${endpoint} (${messageOf(error.cause ?? error)}). ${remedy}`,
      )
    })
  try {
    JSON.parse(text)
  } catch {
    throw new StartupError(`No ${variable.split('_')[0]} engine responds at ${variable}=${endpoint}. ${remedy}`)
  }
}

/** Starts the engines on a data directory, except those that DYNAMODB_ENDPOINT or KINESIS_ENDPOINT replaces. */
export async function startEngines(dir: string, options: { removeAtExit?: boolean } = {}): Promise<Engines> {
  const { DYNAMODB_ENDPOINT, KINESIS_ENDPOINT } = process.env
  if (DYNAMODB_ENDPOINT && KINESIS_ENDPOINT) {
    return {
      dynamodb: DYNAMODB_ENDPOINT,
      kinesis: KINESIS_ENDPOINT,
      failed: new Promise(() => undefined),
      stop: async () => undefined,
    }
  }
  const hostOptions: HostOptions = {
    dir,
    dynoxide: engineBinary(),
    kinesis: !KINESIS_ENDPOINT,
    removeAtExit: options.removeAtExit ?? false,
  }
  // Matches the file type of this file, because the engines also start from built files.
  const host = new URL(`./host${extname(import.meta.url)}`, import.meta.url)
  const child = fork(fileURLToPath(host), [JSON.stringify(hostOptions)], {
    // Uses a separate process group, so that Ctrl-C does not stop the engines before the last request is done.
    detached: true,
    execArgv: ['--disable-warning=ExperimentalWarning', '--disable-warning=DeprecationWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, AWS_REGION: process.env.AWS_REGION ?? 'us-east-1' },
  })
  let stopping = false
  let fault: string | undefined
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = await new Promise<{ dynamodb: string | null; kinesis: string | null }>((resolve, reject) => {
    child.on('message', (message: HostMessage) => {
      if (message.type === 'ready') resolve(message)
      else fault = message.message
    })
    child.once('error', reject)
    // Rejects when the process has exited, not when the fault message arrives, so that the other engine has stopped by then.
    child.once('exit', () => reject(new StartupError(fault ?? 'The engines ended before they were ready.')))
  })
  // Lets this program exit although the IPC channel is open. The engines' process stops when the channel closes.
  child.unref()
  child.channel?.unref()
  const failed = new Promise<string>((resolve) => {
    child.once('exit', () => {
      if (!stopping) resolve(fault ?? 'The engines ended unexpectedly.')
    })
  })
  return {
    dynamodb: DYNAMODB_ENDPOINT ?? ready.dynamodb ?? '',
    kinesis: KINESIS_ENDPOINT ?? ready.kinesis ?? '',
    failed,
    async stop() {
      stopping = true
      child.ref()
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
