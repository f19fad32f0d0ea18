import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { buildApp } from '#infra/build-app.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { task } from '#shared/core/work/task.ts'
import { redrive } from '#shared/jobs/failed-batches/redrive.ts'
import { replayCommits } from '#shared/jobs/replay/replay-commits.ts'
import { rotateServiceSecret } from '#shared/jobs/secret-rotation/rotate-service-secret.ts'
import { type Clients, engineClients } from './clients.ts'
import { createStream, createTable } from './create-resources.ts'
import type { DataDir } from './data-dir.ts'
import { checkEndpoints, type Engines, engineBinary, startEngines } from './engines/start-engines.ts'
import { engineEnvironment } from './environment.ts'
import { failuresFolder } from './failures-folder.ts'
import { Fault } from './fault.ts'
import { providerSecrets } from './provider-secrets.ts'
import { createRuntime, type Runtime } from './runtime.ts'
import { sealKeyFile } from './seal-key-file.ts'
import { checkServiceSecret, secretFile, serviceSecret } from './secret-file.ts'
import { settingVariables } from './setting-variables.ts'
import { type Deployment, readDeployment } from './template/deployment.ts'

export type Task =
  | 'provision-account'
  | 'redrive-failed-batches'
  | 'verify-change-log'
  | 'verify-rows'
  | 'rotate-service-secret'
  | 'reseal-secrets'
  | 'replay-commits'
  | 'seal-logs'
  | 'begin-sealed-log'
  | 'sync'
  | 'index-change-log'

/** The deployed app on this machine, without what feeds it: neither HTTP nor pollers. */
export type Service = {
  dir: DataDir
  engines: Engines
  clients: Clients
  deployment: Deployment
  runtime: Runtime
  tableStreamArn: string
  region: string
  /** Runs the function of an operator's command. */
  runTask(name: Task, event: unknown): Promise<unknown>
  stop(): Promise<void>
}

type AppOptions = Omit<NonNullable<Parameters<typeof buildApp>[0]>, 'outdir'>

/** Synthesizes the app in this process and reads what it deploys. */
export async function synthesize(outdir: string, options: AppOptions = {}): Promise<Deployment> {
  rmSync(outdir, { recursive: true, force: true })
  // The CDK's check of the templates belongs to \`npm run synth\`; here it would be half of the time to ready.
  process.env.CDK_VALIDATION ??= 'false'
  // Loading the CDK takes a while; what only asks a running service does not wait for it.
  const { buildApp: build } = await import('#infra/build-app.ts')
  const app = await build({ context: settingsFromVariables(), ...options, outdir }).catch(explain)
  app.synth()
  return readDeployment(outdir)
}

/** Mails stay on this machine unless they are given a server. The folder of the sealed logs has no lock. */
const ownSettings = { mailSender: 'network-access@example.com', sealRetentionDays: '0' }

const settingsFromVariables = (): Record<string, string> => ({
  ...ownSettings,
  ...Object.fromEntries(
    Object.entries(settingVariables).flatMap(([setting, variable]) => {
      const value = process.env[variable]
      return value ? [[setting, value]] : []
    }),
  ),
})

/** @throws Fault where the variable is no format */
function logFormat(): string {
  const format = process.env.LOG_FORMAT || 'text'
  if (['text', 'json'].includes(format)) return format
  throw new Fault(`LOG_FORMAT=${format} must be one of text, json.`)
}

/** @throws Fault that names the variable where a setting is none */
async function explain(error: unknown): Promise<never> {
  const { SettingError } = await import('#infra/settings/settings.ts')
  const variable = error instanceof SettingError ? settingVariables[error.setting] : undefined
  if (!(error instanceof SettingError) || !variable) throw error
  throw new Fault(`${variable}=${process.env[variable]} must be ${error.rule}.`)
}

async function start(
  dir: DataDir,
  baseUrl: string,
  engines: Engines,
  deploying: Promise<Deployment>,
  format: string,
): Promise<Service> {
  const clients = engineClients(engines)
  const deployment = await deploying
  const [tableStreamArn] = await Promise.all([
    createTable(clients, deployment.table),
    createStream(clients, deployment.stream),
  ])
  const found = engineEnvironment(engines)
  Object.assign(process.env, deployment.environment, found, {
    SERVICE_URL: baseUrl,
    SERVICE_SECRET: serviceSecret(dir.path),
    ...providerSecrets(dir.path),
    LOG_FORMAT: format,
    SEAL_FOLDER: join(dir.path, 'seal'),
    SEAL_KEY_FILE: sealKeyFile(dir.path),
  })
  // Here the secret is a file of the data directory, and that of a CDN a variable; neither is one of AWS.
  delete process.env.SERVICE_SECRET_ARN
  delete process.env.CDN_SECRET_ARN
  // The channel tells its own address once it is open.
  delete process.env.LIVE_URL
  delete process.env.LIVE_ENDPOINT
  await checkServiceSecret(dir.path)
  const runtime = createRuntime(deployment.functions)
  return {
    dir,
    engines,
    clients,
    deployment,
    runtime,
    tableStreamArn,
    region: found.AWS_REGION ?? '',
    runTask(name, event) {
      // The failed batches lie in a folder here and the secret in a file, so only what reads these elsewhere is exchanged.
      if (name === 'redrive-failed-batches')
        return redrive({ batches: failuresFolder(dir.path), invoke: runtime.invoke })
      if (name === 'rotate-service-secret')
        return task((asked) => rotateServiceSecret(secretFile(dir.path), asked))(event)
      if (name === 'replay-commits') {
        const consumers = ['write-change-log', 'follow-up'].flatMap((entry) => runtime.find(entry)?.arn ?? [])
        return task((asked) => replayCommits({ consumers, ...fieldsOf(asked) }, runtime.invoke))(event)
      }
      const found = runtime.find(name)
      if (!found) throw new Fault(`The app has no function ${name}.`)
      // A schedule answers nothing.
      if (name === 'seal-logs' || name === 'sync') return runtime.invoke(found.arn, event).then(() => ({ data: null }))
      return runtime.invoke(found.arn, event)
    },
    async stop() {
      clients.destroy()
      await engines.stop()
    },
  }
}

/** Starts the engines while the app is synthesized, and creates what the templates name. */
export async function startService(dir: DataDir, baseUrl: string): Promise<Service> {
  const format = logFormat()
  // Where there is none, that is said before the app is synthesized, which takes seconds.
  engineBinary()
  // Before the engine makes a table: one that is there needs the secret it was written with.
  serviceSecret(dir.path)
  sealKeyFile(dir.path)
  // Synthesis blocks this process for seconds, in which an answer would come too late.
  await checkEndpoints()
  const starting = startEngines(dir.path, { removeAtExit: dir.ephemeral })
  const deploying = synthesize(join(dir.path, 'assembly'))
  const [engines, deployed] = await Promise.allSettled([starting, deploying])
  if (engines.status === 'rejected') throw engines.reason
  try {
    if (deployed.status === 'rejected') throw deployed.reason
    return await start(dir, baseUrl, engines.value, deploying, format)
  } catch (error) {
    await engines.value.stop()
    throw error
  }
}
