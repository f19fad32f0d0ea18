import { type PublicStep, sourceBucket } from '../../auth/rate-limit/bucket.ts'
import { takeUnit } from '../../auth/rate-limit/take-unit.ts'
import { workTime } from '../../commit/work-time.ts'
import { ApiError, type FieldErrors } from '../../core/errors.ts'
import { measure, note, within } from '../../core/logging/invocation.ts'
import { logEnd } from '../../core/logging/log.ts'
import { millisecondsSince } from '../../core/logging/watched.ts'
import { serviceAddress } from '../../core/service-address.ts'
import type { Origin } from '../../core/subject.ts'
import { inWorkTime } from '../../core/work/work.ts'
import type { Answer, Event } from '../exchange.ts'
import type { Handler } from '../lambda.ts'
import { originOf } from '../origin.ts'
import { apiErrorOf } from '../problem.ts'
import { requestIdOf } from '../request-id.ts'
import { administrator } from './page.ts'
import { refusalPage } from './sign-in-pages.ts'

/** What a person's browser asks for, without a credential. */
export type PageRequest = {
  requestId: string
  origin: Origin
  /** Where callers reach the service, without a slash at its end. */
  address: string
  /** The account's name in the path. */
  slug: string
  /** The query, or the fields of a form that was sent. */
  fields: URLSearchParams
}

type Contract = {
  method: 'GET' | 'POST'
  path: `/${string}`
  /** Which bucket of its address a request takes from (A9): that of the operation that it stands for. */
  step: (fields: URLSearchParams) => PublicStep
}

const maxFormBytes = 32_768
const formType = 'application/x-www-form-urlencoded'

/** @throws ApiError for a form that another site has sent, or that is none */
function formOf({ headers, body = '', isBase64Encoded }: Event): URLSearchParams {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ApiError('forbidden', 'This form was sent by a page of another site.')
  }
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > maxFormBytes) throw new ApiError('payload_too_large')
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== formType) {
    throw new ApiError('bad_request', `The request body must be a form (${formType}).`)
  }
  return new URLSearchParams(bytes.toString())
}

const unknown = {
  title: 'There is no sign-in here',
  text: `This address belongs to no account that is in use. Check it, or ask ${administrator}.`,
}
const wrong = {
  title: 'This page was opened in a way that does not work',
  text: 'Open it from your client or portal. Where that does not help, this is for whoever makes those:',
}
const tooMany = { title: 'Too many tries', text: 'Wait a minute, then try again.' }
const broken = { title: 'Something is broken', text: 'Try again in a minute.' }

/** What went wrong, for a person: what to do, and for what is the service's own fault, how to find it in its log. */
function failurePage(error: unknown, requestId: string): Answer {
  const { status, headers, detail, members } = apiErrorOf(error, requestId)
  const errors = Object.entries((members.errors ?? {}) as FieldErrors)
  const details = errors.flatMap(([field, messages]) => messages.map((message) => `${field} ${message}`))
  const page =
    status === 404
      ? unknown
      : status === 429
        ? tooMany
        : status >= 500
          ? { ...broken, requestId }
          : { ...wrong, details: errors.length > 0 ? details : [detail] }
  const answer = refusalPage({ status, ...page })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** The Lambda handler of a page: whatever goes wrong, a person reads it. */
export function pageHandler(
  { method, path, step }: Contract,
  answer: (request: PageRequest) => Promise<Answer>,
): Handler {
  async function run(event: Event): Promise<Answer> {
    const startedAt = performance.now()
    const requestId = requestIdOf(event.headers['x-request-id'])
    note({ request_id: requestId })
    const limits: Record<string, string> = {}
    const read = async (): Promise<PageRequest> => {
      const origin = await originOf(event)
      const fields = method === 'POST' ? formOf(event) : new URLSearchParams(event.rawQueryString)
      Object.assign(limits, await takeUnit(sourceBucket(origin.ip, step(fields))))
      const address = serviceAddress(event.requestContext.domainName)
      return { requestId, origin, address, slug: event.pathParameters?.slug ?? '', fields }
    }
    const result = await read()
      .then(answer)
      .catch((error: unknown) => failurePage(error, requestId))
    measure('latency_ms', millisecondsSince(startedAt))
    measure('faults', Number((result.statusCode ?? 500) >= 500))
    logEnd('INFO', 'request', { status: result.statusCode })
    return { ...result, headers: { ...limits, ...result.headers, 'x-request-id': requestId } }
  }
  return (event, context = {}) =>
    within({ class: 'sign_in', operation: `${method} ${path}`, function_request_id: context.awsRequestId }, () =>
      inWorkTime(workTime.retries(), () => run(event)),
    )
}
