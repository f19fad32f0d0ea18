import type { Handler } from '#shared/http/lambda.ts'
import type { Account } from './account.ts'

type Handlers = Record<'create' | 'get' | 'list' | 'update' | 'remove', Handler>

/** Returns functions that call a collection's five operations (A10, "CRUD") for an account. */
export const collection = (envelope: string, { create, get, list, update, remove }: Handlers) => ({
  create: (account: Account, fields: unknown) => account.call(create, { method: 'POST', body: { [envelope]: fields } }),
  get: (account: Account, id: string) => account.call(get, { params: { id } }),
  list: (account: Account, query: Record<string, string> | string = {}) => account.call(list, { query }),
  update: (account: Account, id: string, fields: unknown) =>
    account.call(update, { method: 'PATCH', params: { id }, body: { [envelope]: fields } }),
  remove: (account: Account, id: string) => account.call(remove, { method: 'DELETE', params: { id } }),
})
