import { openControl } from './control.ts'
import { closeDataDir, type DataDir } from './data-dir.ts'
import { demoCredentials } from './demo-account.ts'
import { Fault } from './fault.ts'
import { type Backend, createHttpServer, listen } from './http-server.ts'
import { startPollers } from './pollers/start-pollers.ts'
import { Wake } from './pollers/wake.ts'
import { router } from './routes.ts'
import { startSchedules } from './schedules/start-schedules.ts'
import { startService } from './service.ts'
import { startScreen } from './start-screen.ts'

export type Running = { screen: string; failed: Promise<string>; stop(): Promise<void> }

const askAccount = (baseUrl: string, token: string) =>
  fetch(`${baseUrl}/account`, { headers: { authorization: `Bearer ${token}` } }).then(async (response) => {
    await response.arrayBuffer()
    return response.status
  })

/** Brings the service up: first the port, so that a busy one is told at once; then all that stands behind it. */
export async function run(dir: DataDir, wantedPort: number): Promise<Running> {
  const backend = Promise.withResolvers<Backend>()
  backend.promise.catch(() => undefined)
  const server = createHttpServer(backend.promise)
  const port = await listen(server, wantedPort).catch((error) => {
    closeDataDir(dir)
    throw error
  })
  const baseUrl = `http://127.0.0.1:${port}`
  const closeServer = async () => {
    server.close()
    server.closeIdleConnections()
    const timer = setTimeout(() => server.closeAllConnections(), 5_000)
    await new Promise<void>((resolve) => server.once('close', resolve))
    clearTimeout(timer)
  }
  try {
    const service = await startService(dir, baseUrl)
    const { deployment, runtime, clients, engines, region, tableStreamArn } = service
    const wake = new Wake()
    const pollers = await startPollers({
      dir: dir.path,
      deployment,
      runtime,
      clients,
      table: { endpoint: engines.dynamodb, streamArn: tableStreamArn },
      region,
      wake,
    })
    const schedules = startSchedules(deployment.schedules, runtime, wake)
    const control = await openControl(dir.path, (task, event) =>
      service.runTask(task, event).finally(() => wake.written()),
    )
    const match = router(deployment.routes.map(({ key, functionArn }) => ({ key, target: functionArn })))
    backend.resolve({ match, runtime, handled: () => wake.written() })
    let credentials = await demoCredentials(service, baseUrl)
    if ((await askAccount(baseUrl, credentials.api_token)) === 401) {
      credentials = await demoCredentials(service, baseUrl, true)
      await askAccount(baseUrl, credentials.api_token)
    }
    // The clock of this process begins with the process itself.
    const screen = startScreen(baseUrl, dir.path, dir.ephemeral, performance.now() / 1_000)
    return {
      screen,
      failed: engines.failed,
      async stop() {
        control.close()
        await closeServer()
        await schedules.stop()
        await pollers.stop()
        await service.stop()
        closeDataDir(dir)
      },
    }
  } catch (error) {
    backend.reject(new Fault('The service did not start.'))
    server.close()
    server.closeAllConnections()
    closeDataDir(dir)
    throw error
  }
}
