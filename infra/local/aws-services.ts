import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mail } from '#shared/core/aws/send-mail.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { messageOf } from './fault.ts'
import { listen, openServer } from './http-server.ts'
import { isSigned } from './is-signed.ts'
import { MailRefused } from './mails.ts'

type Stands = {
  /** Runs the function of a name; undefined where there is none. */
  invoke(name: string, event: unknown): Promise<unknown> | undefined
  deliver(mail: Mail): Promise<void>
  /** How long Lambda waits before it runs again what has failed. */
  pausesMs?: number[]
}

export type AwsServices = { endpoint: string; stop(): Promise<void> }

/** Far above what the service sends. */
const mostBytes = 1_048_576

/** What an email of SES's API is: the parts that the service sends. */
function mailOf(body: unknown): Mail {
  const { FromEmailAddress: from, Destination, Content } = fieldsOf(body)
  const [to] = fieldsOf(Destination).ToAddresses as string[]
  const { Subject, Body } = fieldsOf(fieldsOf(Content).Simple)
  const data = (part: unknown) => String(fieldsOf(part).Data)
  return { from: String(from), to: String(to), subject: data(Subject), text: data(fieldsOf(Body).Text) }
}

/**
 * What stands on one machine for the services of AWS that functions ask without an SDK: Lambda takes events for later, and
 * SES takes mails. It listens on the loopback, on a port of its own, to requests that are signed with this process's credentials
 * alone: whatever else runs on the machine, and pages in its browsers, could reach it, too.
 */
export async function openAwsServices({ invoke, deliver, pausesMs = [60_000, 120_000] }: Stands): Promise<AwsServices> {
  const ending = new AbortController()
  const later = async (run: () => Promise<unknown>) => {
    for (const pause of [...pausesMs, null]) {
      try {
        await run()
        return
      } catch {
        // The function has said why.
        if (pause === null) return
        await sleep(pause, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
        if (ending.signal.aborted) return
      }
    }
  }
  const answer = async (request: IncomingMessage): Promise<number> => {
    if (!(Number(request.headers['content-length']) <= mostBytes)) return 413
    const bytes = await buffer(request)
    if (request.headers.host !== host || !isSigned(request, bytes, host)) return 403
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    const body: unknown = JSON.parse(bytes.toString())
    if (request.method !== 'POST') return 404
    if (pathname === '/v2/email/outbound-emails') {
      await deliver(mailOf(body))
      return 200
    }
    const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? []
    if (name === undefined || request.headers['x-amz-invocation-type'] !== 'Event') return 404
    const first = invoke(name, body)
    if (!first) return 404
    let begun: Promise<unknown> | undefined = first
    void later(() => {
      const run = begun ?? invoke(name, body) ?? Promise.resolve()
      begun = undefined
      return run
    })
    return 202
  }
  let host = ''
  const server = openServer(async (request, response) => {
    const status = await answer(request).catch((error: unknown) => {
      process.stderr.write(`${new Date().toISOString()} ERROR ${messageOf(error)}\n`)
      // SES answers 400 to a mail that it never accepts; nobody retries it.
      return error instanceof MailRefused ? 400 : 500
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  host = `127.0.0.1:${await listen(server, 0)}`
  return {
    endpoint: `http://${host}`,
    async stop() {
      ending.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}
