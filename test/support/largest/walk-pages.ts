import { expect } from 'vitest'
import { maxResponseBytes } from '#shared/core/json/response-size.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { maxLimit } from '#shared/values/page.ts'
import type { Account, Answer } from '../accounts/account.ts'

/** Lambda's limit for the size of a result, in bytes. The result is JSON that contains the body as a string. */
const maxResultBytes = 6_291_556

export type ListRequest = { handler: Handler; params?: Record<string, string>; query?: Record<string, string> }

type ListedRow = { id?: string; log_id?: string; name?: string }
type Page = { ids: string[]; answer: Answer }

/** Reads one page of a list. Expects at least one row, and a page that fits into a response. */
export async function readPage(
  account: Account,
  { handler, params, query }: ListRequest,
  cursor?: string | null,
): Promise<Page> {
  const paged: Record<string, string> = { limit: String(maxLimit), ...query, ...(cursor && { page_cursor: cursor }) }
  const answer = await account.call(handler, { params, query: paged, path: '/listed' })
  const { status, headers, text, body } = answer
  expect(status, text.slice(0, 500)).toBe(200)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxResponseBytes)
  const result = JSON.stringify({ statusCode: status, headers, body: text })
  expect(Buffer.byteLength(result)).toBeLessThan(maxResultBytes)
  expect(body.metadata.limit).toBe(Number(paged.limit))
  expect(body.data.length).toBeGreaterThan(0)
  return { ids: body.data.map(({ id, log_id, name }: ListedRow) => id ?? log_id ?? name), answer }
}

/** Reads all pages of a list forward and backward, and expects both directions to return the same rows. */
export async function walkPages(account: Account, request: ListRequest) {
  const pages = [await readPage(account, request)]
  const last = () => (pages.at(-1) as Page).answer.body.metadata
  while (last().next_page) pages.push(await readPage(account, request, last().next_page))
  const back = [pages.at(-1) as Page]
  const first = () => (back[0] as Page).answer.body.metadata
  while (first().prev_page) back.unshift(await readPage(account, request, first().prev_page))
  const ids = pages.flatMap((page) => page.ids)
  expect(back.flatMap((page) => page.ids)).toEqual(ids)
  return {
    ids,
    pages: pages.length,
    totals: [...new Set([...pages, ...back].map(({ answer }) => answer.body.metadata.total))],
    bytesPerRow: Math.max(
      ...pages.map(({ ids, answer }) => Buffer.byteLength(JSON.stringify(answer.text)) / ids.length),
    ),
    rows: pages.flatMap(({ answer }) => answer.body.data),
  }
}
