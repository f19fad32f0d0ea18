import { setTimeout as sleep } from 'node:timers/promises'
import type { Schedule } from '../template/mapping.ts'
import { type Backend, createHttpServer, trackUnusedConnections } from './api/http-server.ts'
import { type LiveServer, openLive } from './api/open-live.ts'
import { listen } from './api/open-server.ts'
import { router } from './api/routes.ts'
import { openAwsServices } from './aws-services.ts'
import type { Builds } from './build/builds.ts'
import { openControl } from './control.ts'
import { consoleAddress, demoAccount } from './demo/demo-account.ts'
import { type DemoSignIn, demoSignIn, prepareDemoSignIn } from './demo/demo-sign-in.ts'
import { closeDataDir, type DataDir } from './files/data-dir.ts'
import { messageOf, StartupError } from './files/fault.ts'
import type { Runtime } from './lambda/runtime.ts'
import { startPollers } from './lambda/start-pollers.ts'
import { mailFolder, smtpServer } from './mails.ts'
import { type Service, startService } from './service.ts'
import { listAccounts, startScreen } from './start-screen.ts'

type Options = { port: number; newDemo: boolean; demoIdpPort: number | null }

/** Starts the service. Opens the port before the engines, so that a port in use is reported first. */
export async function run(dir: DataDir, options: Options, builds: Builds) {
  const backend = Promise.withResolvers<Backend>()
  const channel = Promise.withResolvers<LiveServer | null>()
  backend.promise.catch(() => undefined)
  const server = createHttpServer(backend.promise, channel.promise)
  // Stops components in reverse order of their start, also after a failed start.
  const closing = new AsyncDisposableStack()
  closing.defer(() => closeDataDir(dir))
  closing.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  const silent = trackUnusedConnections(server)
  const closeServer = async (live: LiveServer | null) => {
    const closure = new Promise<void>((resolve) => server.once('close', resolve))
    server.close()
    server.closeIdleConnections()
    for (const socket of silent) socket.destroy()
    const timer = setTimeout(() => server.closeAllConnections(), 5_000)
    // Stops the live channel first. The server closes only after its last connection, and the live channel has to close the device
    // connections.
    await live?.stop()
    await closure
    clearTimeout(timer)
  }
  try {
    const port = await listen(server, options.port)
    const baseUrl = `http://127.0.0.1:${port}`
    const directory = options.demoIdpPort === null ? null : await prepareDemoSignIn()
    if (directory) closing.defer(() => directory.stop())
    const service = await startService(dir, baseUrl, builds)
    if (directory) Object.assign(process.env, directory.environment)
    closing.defer(() => service.stop())
    const { deployment, runtime, engines, tableStreamArn: streamArn } = service
    const aws = await openAws(service)
    closing.defer(() => aws.stop())
    const live = await openChannel(service, port)
    if (live) closing.defer(() => live.stop())
    const table = { endpoint: engines.dynamodb, streamArn }
    const pollers = await startPollers({ dir: dir.path, deployment, runtime, table })
    closing.defer(() => pollers.stop())
    const schedules = startSchedules(deployment.schedules, runtime)
    closing.defer(() => schedules.stop())
    const control = await openControl(dir.path, service.runTask)
    closing.defer(() => closeServer(live))
    closing.defer(() => control.close())
    channel.resolve(live)
    const match = router(deployment.routes.map(({ key, functionArn }) => ({ key, target: functionArn })))
    backend.resolve({ match, runtime })
    const demo = await demoAccount(service, baseUrl, options.newDemo)
    let signIn: DemoSignIn | null = null
    if (options.demoIdpPort !== null && directory && demo.usable) {
      const connecting = demoSignIn({ dir: dir.path, baseUrl, port: options.demoIdpPort, directory })
      signIn = await withoutRequestLines(connecting)
      closing.defer(signIn.stop)
    }
    const consoleUrl = demo.usable ? await consoleAddress(dir.path, baseUrl) : null
    const accounts = await listAccounts(10)
    // `performance.now()` returns the time since the process started.
    const seconds = performance.now() / 1_000
    const { path, ephemeral } = dir
    const screen = startScreen({ baseUrl, dir: path, ephemeral, seconds, demo, consoleUrl, signIn, accounts })
    return { screen, failed: engines.failed, stop: () => closing.disposeAsync() }
  } catch (error) {
    channel.resolve(null)
    backend.reject(new StartupError('The service did not start.'))
    await closing.disposeAsync()
    throw error
  }
}

/** Logs only warnings and errors during `work`, to hide the requests that prepare the demo account. */
async function withoutRequestLines<T>(work: Promise<T>): Promise<T> {
  const { LOG_LEVEL: level } = process.env
  process.env.LOG_LEVEL = level === 'ERROR' ? level : 'WARN'
  try {
    return await work
  } finally {
    process.env.LOG_LEVEL = level
  }
}

/**
 * Opens the live channel behind `/live`; null if the app has no live channel. Sets the environment variables through which functions find
 * the channel.
 */
async function openChannel({ deployment, runtime }: Service, port: number): Promise<LiveServer | null> {
  const { live: routes } = deployment
  if (!routes) return null
  const live = await openLive({
    invoke: (route, event) => runtime.invoke(routes[route].functionArn, event),
    returnsResult: routes.$default.returnsResult,
  })
  Object.assign(process.env, { LIVE_URL: `ws://127.0.0.1:${port}/live`, LIVE_ENDPOINT: live.endpoint })
  return live
}

async function openAws({ dir, deployment, runtime }: Service) {
  const { SMTP_URL: smtp } = process.env
  const aws = await openAwsServices({
    invoke(name, event) {
      const found = [...deployment.functions.values()].find((candidate) => candidate.name === name)
      return found && runtime.invoke(found.arn, event)
    },
    deliver: smtp ? smtpServer(smtp) : mailFolder(dir.path, (line) => process.stdout.write(line)),
  })
  Object.assign(process.env, { AWS_ENDPOINT_URL_LAMBDA: aws.endpoint, AWS_ENDPOINT_URL_SESV2: aws.endpoint })
  return aws
}

/** Invokes each scheduled function at its interval. Skips an invocation while the previous one is still running. */
export function startSchedules(schedules: Schedule[], runtime: Runtime) {
  const running = new Map<string, Promise<void>>()
  const run = async (functionArn: string) => {
    try {
      await runtime.invoke(functionArn, { source: 'aws.events', 'detail-type': 'Scheduled Event' })
    } catch (error) {
      process.stderr.write(`${runtime.label(functionArn)}: ${messageOf(error)}\n`)
    } finally {
      running.delete(functionArn)
    }
  }
  const timers = schedules.map(({ functionArn, seconds }) =>
    setInterval(() => {
      if (!running.has(functionArn)) running.set(functionArn, run(functionArn))
    }, seconds * 1_000),
  )
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.race([Promise.all(running.values()), sleep(5_000, undefined, { ref: false })])
    },
  }
}
