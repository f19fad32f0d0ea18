import { setTimeout as sleep } from 'node:timers/promises'
import type { Mail } from '#shared/core/aws/send-mail.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { type InnerServer, openInnerServer } from './api/open-server.ts'

type Options = {
  /** Invokes a function by name; undefined if no function has this name. */
  invoke(name: string, event: unknown): Promise<unknown> | undefined
  deliver(mail: Mail): Promise<void>
  /** Pauses in milliseconds before each retry of a failed asynchronous invocation. The default pauses are those of Lambda. */
  pausesMs?: number[]
}

function parseMail(body: unknown): Mail {
  const { FromEmailAddress: from, Destination, Content } = fieldsOf(body)
  const [to] = fieldsOf(Destination).ToAddresses as string[]
  const { Subject, Body } = fieldsOf(fieldsOf(Content).Simple)
  const data = (part: unknown) => String(fieldsOf(part).Data)
  return { from: String(from), to: String(to), subject: data(Subject), text: data(fieldsOf(Body).Text) }
}

/** Starts a local replacement for the AWS services that functions call: asynchronous Lambda invocations and SES email. */
export async function openAwsServices({
  invoke,
  deliver,
  pausesMs = [60_000, 120_000],
}: Options): Promise<InnerServer> {
  const ending = new AbortController()
  /** Retries a failed invocation until it succeeds, no retries are left, or the service stops. */
  const retry = async (name: string, event: unknown, first: Promise<unknown>) => {
    let run: Promise<unknown> | undefined = first
    for (const pause of pausesMs) {
      const [outcome] = await Promise.allSettled([run])
      if (run && outcome.status === 'fulfilled') return
      await sleep(pause, undefined, { signal: ending.signal, ref: false })
      run = invoke(name, event)
    }
    await run
  }
  const server = await openInnerServer(async ({ headers }, path, body) => {
    const event: unknown = JSON.parse(body.toString())
    if (path === 'v2/email/outbound-emails') {
      await deliver(parseMail(event))
      return { status: 200 }
    }
    const [, name = ''] = /^2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? []
    const run = headers['x-amz-invocation-type'] === 'Event' ? invoke(name, event) : undefined
    void retry(name, event, run ?? Promise.resolve()).catch(() => undefined)
    return { status: run === undefined ? 404 : 202 }
  })
  return {
    endpoint: server.endpoint,
    stop() {
      ending.abort()
      return server.stop()
    },
  }
}
