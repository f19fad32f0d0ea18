import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * True for a request from a browser page, recognized by an origin header or as a preflight request. The engines have no password, so any
 * web page could otherwise read and write their data.
 */
export const isFromBrowser = ({ headers, method }: Pick<IncomingMessage, 'headers' | 'method'>): boolean =>
  headers.origin !== undefined || method === 'OPTIONS'

export function refuseBrowser(response: ServerResponse): void {
  response.writeHead(403, { 'content-length': 0, connection: 'close' }).end()
}
