import { type PublicStep, sourceBucket } from '../../auth/rate-limit/bucket.ts'
import { ApiError } from '../../core/errors.ts'
import type { FieldErrors } from '../../core/faults.ts'
import { serviceAddress } from '../../core/service-address.ts'
import type { Origin } from '../../core/subject.ts'
import { endpoint } from '../../core/work/endpoint.ts'
import { checkRateLimit } from '../credentials.ts'
import { type Answer, type Event, type Exchange, openExchange, type Step } from '../exchange.ts'
import type { Handler } from '../lambda.ts'
import { readOrigin } from '../origin.ts'
import { apiErrorOf } from '../problem.ts'
import { administrator } from './page.ts'
import { refusalPage } from './sign-in-pages.ts'

export type PageRequest = {
  requestId: string
  origin: Origin
  /** Address of the service, without a trailing slash. */
  address: string
  slug: string
  /** Query parameters of a `GET` request, or fields of a submitted form. */
  fields: URLSearchParams
}

type Contract = {
  method: 'GET' | 'POST'
  path: `/${string}`
  /** Returns the sign-in step of a request, which determines its rate limit bucket (A9). */
  step: (fields: URLSearchParams) => PublicStep
}

const maxFormBytes = 32_768
const formType = 'application/x-www-form-urlencoded'

/**
 * Parses a submitted form.
 * @throws ApiError if another site submitted the form, or if the body is too large or not a form
 */
function parseForm({ headers, body = '', isBase64Encoded }: Event): URLSearchParams {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ApiError('forbidden', 'This form was submitted from another site.')
  }
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > maxFormBytes) throw new ApiError('payload_too_large')
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== formType) {
    throw new ApiError('bad_request', `The request body must be a form (${formType}).`)
  }
  return new URLSearchParams(bytes.toString())
}

const unknown = {
  title: 'No account was found at this address',
  text: `Check the address for typing errors, or ask ${administrator}.`,
}
const wrong = {
  title: 'This sign-in link is not valid',
  text: 'Start again from your client or portal. If this page appears again, send its developer this message:',
}
const tooMany = { title: 'Too many attempts', text: 'Wait a minute, then try again.' }
const broken = { title: 'Something went wrong', text: 'Try again in a minute.' }

function failurePage(error: unknown, requestId: string): Answer {
  const { status, headers, detail, members } = apiErrorOf(error, requestId)
  const errors = Object.entries((members.errors ?? {}) as FieldErrors)
  const details = errors.flatMap(([field, messages]) => messages.map((message) => `${field} ${message}`))
  const pages: Record<number, { title: string; text: string }> = { 404: unknown, 429: tooMany }
  const other = status >= 500 ? { ...broken, requestId } : { ...wrong, details: errors.length > 0 ? details : [detail] }
  const answer = refusalPage({ status, ...(pages[status] ?? other) })
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

/** Creates the Lambda handler of a page. Errors are also rendered as pages. */
export function pageHandler(
  { method, path, step }: Contract,
  answer: (request: PageRequest) => Promise<Answer>,
): Handler {
  const readFields: Step = (exchange, event) => {
    exchange.query = method === 'POST' ? parseForm(event) : new URLSearchParams(event.rawQueryString)
    exchange.bucket = sourceBucket(exchange.origin.ip, step(exchange.query))
  }
  const complete = ({ headers, requestId }: Exchange, page: Answer): Answer => ({
    ...page,
    headers: { ...headers, ...page.headers, 'x-request-id': requestId },
  })
  return endpoint<Event, Answer, Exchange>({
    line: 'request',
    fields: (_event, { awsRequestId }) => ({
      class: 'sign_in',
      operation: `${method} ${path}`,
      function_request_id: awsRequestId,
    }),
    open: openExchange,
    steps: [readOrigin, readFields, checkRateLimit],
    async handle(exchange, event) {
      const { requestId, origin, query: fields } = exchange
      const address = serviceAddress(event.requestContext.domainName)
      const slug = event.pathParameters?.slug ?? ''
      return complete(exchange, await answer({ requestId, origin, address, slug, fields }))
    },
    fail: (error, exchange) => complete(exchange, failurePage(error, exchange.requestId)),
  })
}
