import { fieldsOf } from '../json/is-object.ts'
import { bareErrorName } from './error-name.ts'
import { httpPost, type Posted } from './http-post.ts'
import { Retries } from './retries.ts'
import { ServiceClock } from './service-clock.ts'
import { roleCredentials, signedHeaders } from './signed-fetch.ts'

type Description = {
  /** As signatures spell it. */
  name: string
  /** What the name of an operation is preceded by in `X-Amz-Target`. */
  target: string
  contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1'
  endpoint: () => string
  /** For how long a request is made again, where that is not the usual. */
  patienceMs?: number
}

/** What a service answered that was no success, named as the service names it. */
export class ServiceError extends Error {
  readonly $metadata: { httpStatusCode: number; requestId?: string; clockSkewCorrected: boolean }
  /** The body of the answer. */
  readonly body: Record<string, unknown>

  constructor(name: string, body: Record<string, unknown>, metadata: ServiceError['$metadata']) {
    super(String(body.message ?? body.Message ?? `HTTP status ${metadata.httpStatusCode}`))
    this.name = name
    this.body = body
    this.$metadata = metadata
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    // What lies between may answer in its own words.
    return text ? { message: text.slice(0, 2_000) } : {}
  }
}

/** The trace of this invocation, for the services that it asks. It is not signed, as what lies between may add to it. */
const traceHeader = (): Record<string, string> => {
  const trace = process.env._X_AMZN_TRACE_ID
  return trace && process.env.AWS_LAMBDA_FUNCTION_NAME ? { 'x-amzn-trace-id': trace } : {}
}

/** How requests leave the process. A simulation of a service puts its own in its place. */
export const transport = { post: httpPost }

/**
 * A service of AWS that speaks JSON by POST. The SDK's client of one resolves its settings at every start and its chain of
 * middleware at every request, which was most of the CPU of both (docs/decisions/0015).
 */
export class JsonService {
  private readonly description: Description
  private readonly clock = new ServiceClock()
  private readonly retries: Retries
  private endpoint: URL | undefined

  constructor(description: Description) {
    this.description = description
    this.retries = new Retries(description.patienceMs)
  }

  /**
   * Asks for one operation. What may pass by itself is tried again, so the operation must bear being done twice.
   * @throws ServiceError for an answer that is no success, or what Node says of a connection that broke
   */
  call(operation: string, body: string): Promise<Record<string, unknown>> {
    return this.ask(operation, body, JSON.parse)
  }

  /** The same, with the answer read from its text by the caller; one without a text is an empty object. */
  ask<T>(operation: string, body: string, read: (text: string) => T): Promise<T> {
    this.endpoint ??= new URL(this.description.endpoint())
    const endpoint = this.endpoint
    return this.retries.run(async () => {
      const answer = await transport.post(endpoint, this.headers(endpoint, operation, body), body)
      if (answer.status >= 200 && answer.status < 300) return read(answer.text || '{}')
      throw this.errorOf(answer)
    })
  }

  private headers({ host, pathname }: URL, operation: string, body: string): Record<string, string> {
    const { name, target, contentType } = this.description
    const headers = { 'content-type': contentType, 'x-amz-target': `${target}.${operation}` }
    const request = { service: name, method: 'POST', host, path: pathname, headers, body } as const
    const signed = signedHeaders(request, roleCredentials(), new Date(this.clock.now()))
    return { ...signed, ...traceHeader(), 'content-length': String(Buffer.byteLength(body)) }
  }

  private errorOf({ status, headers, text }: Posted): ServiceError {
    const body = parsed(text)
    const name = bareErrorName(String(body.__type ?? headers['x-amzn-errortype'] ?? 'UnknownError'))
    const clockSkewCorrected = this.clock.corrected(name, headers.date)
    const requestId = headers['x-amzn-requestid']
    return new ServiceError(name, body, {
      httpStatusCode: status,
      clockSkewCorrected,
      ...(typeof requestId === 'string' && { requestId }),
    })
  }
}
