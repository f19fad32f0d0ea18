import { setTimeout as sleep } from 'node:timers/promises'
import type { Mail } from '#shared/core/aws/send-mail.ts'
import { fieldsOf } from '#shared/core/json/is-object.ts'
import { type InnerServer, openInnerServer } from './api/open-server.ts'

type Stands = {
  /** Runs the function of a name; undefined where there is none. */
  invoke(name: string, event: unknown): Promise<unknown> | undefined
  deliver(mail: Mail): Promise<void>
  /** How long Lambda waits before it runs again what has failed. */
  pausesMs?: number[]
}

/** Reads the parts of an email of SES's API that the service sends. */
function mailOf(body: unknown): Mail {
  const { FromEmailAddress: from, Destination, Content } = fieldsOf(body)
  const [to] = fieldsOf(Destination).ToAddresses as string[]
  const { Subject, Body } = fieldsOf(fieldsOf(Content).Simple)
  const data = (part: unknown) => String(fieldsOf(part).Data)
  return { from: String(from), to: String(to), subject: data(Subject), text: data(fieldsOf(Body).Text) }
}

/** Opens the stand-in for AWS services that functions call: Lambda takes events for later, and SES takes mails. */
export async function openAwsServices({ invoke, deliver, pausesMs = [60_000, 120_000] }: Stands): Promise<InnerServer> {
  const ending = new AbortController()
  /** Runs again what fails, until the service ends; the function has said why. */
  const repeat = async (name: string, event: unknown, first: Promise<unknown>) => {
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
      await deliver(mailOf(event))
      return { status: 200 }
    }
    const [, name = ''] = /^2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? []
    const run = headers['x-amz-invocation-type'] === 'Event' ? invoke(name, event) : undefined
    void repeat(name, event, run ?? Promise.resolve()).catch(() => undefined)
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
