import type { Handler } from '../lambda.ts'
import { refusalPage } from './sign-in-pages.ts'

const isForPeople = (accept: string | undefined): boolean => accept?.toLowerCase().includes('text/html') ?? false

/**
 * What a browser is led to answers a person in words where it refuses: they came from a provider and are to be led on, and
 * a problem in JSON would be where their way ends.
 */
export const forBrowsers =
  (handler: Handler): Handler =>
  async (event, context) => {
    const answer = await handler(event, context)
    const { statusCode: status = 200, headers = {} } = answer
    if (status < 400 || !isForPeople(event.headers.accept)) return answer
    const said = status === 429 ? 'Wait a minute, then begin anew' : 'Begin anew'
    const page = refusalPage({
      status,
      title: 'You were not signed in',
      text: `${said} in your client or portal. A sign-in can be used once, and takes ten minutes at most.`,
      requestId: String(headers['x-request-id']),
    })
    return { ...page, headers: { ...headers, ...page.headers } }
  }
