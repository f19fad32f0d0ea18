import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Whether a page in a browser asks: that says where it is from. The engines know no password and let pages of any origin ask, so
 * that whatever page somebody looks at could read and write what they hold.
 */
export const isOfPage = ({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean =>
  headers.origin !== undefined || method === 'OPTIONS'

export function refusePage(response: ServerResponse): void {
  response.writeHead(403, { 'content-length': 0, connection: 'close' }).end()
}
